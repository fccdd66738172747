// SPDX-License-Identifier: Apache-2.0
//
// The commands: arguments in, library calls, answers out. Data go to standard output, words to standard error.
#pragma once

#include <arrow/status.h>

#include "frazil/scan_task.h"
#include "src/cli/options.h"

namespace frazil::cli {

// Rows, in the format asked for.
arrow::Status RunScan(const CommandOptions& options);
// The number of rows, on a line.
arrow::Status RunCount(const CommandOptions& options);
// The tasks of a scan, one line of JSON each.
arrow::Status RunPlan(const CommandOptions& options, const TaskSplit& split);
// Rows of tasks, read from a file, or from standard input ("-").
arrow::Status RunTaskScan(const CommandOptions& options, const std::string& task_file);
// What would be read, and why; with `analyze` also reads it.
arrow::Status RunExplain(const CommandOptions& options, const std::string& level, bool analyze);
// The same rows with pruning as without? Error (internal) with the first difference, if not.
arrow::Status RunVerify(const CommandOptions& options);
// Metadata of a file (`what` is schema, row-groups, columns, pages or stats) or of an Iceberg table (one of
// MetadataTableNames). Empty: row-groups, overview.
arrow::Status RunInspect(const CommandOptions& options, const std::string& what, const std::string& column);
// The rows of a scan, written to one file; says what was written.
arrow::Status RunRewrite(const CommandOptions& options, const RewriteCommand& command);
// What is wrong with the layout of files, and what it costs.
arrow::Status RunAudit(const CommandOptions& options, const AuditOptions& audit);
// The configuration of the catalogs, or of one (empty: all), value by value with its source; secrets are hidden.
arrow::Status RunConfigShow(const CommandOptions& options, const std::string& catalog_name);

}  // namespace frazil::cli
