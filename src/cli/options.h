// SPDX-License-Identifier: Apache-2.0
//
// What the commands of the command line share: options as parsed, and where words and data go.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <arrow/result.h>
#include <arrow/status.h>
#include <CLI/CLI.hpp>

#include "frazil/audit.h"
#include "frazil/table.h"
#include "src/cli/format/writer.h"

namespace frazil::cli {

struct CommandOptions {
  std::vector<std::string> sources;
  std::string where;
  std::string select;
  int64_t limit = -1;
  std::string format;                 // empty: table on a terminal, jsonl in a pipe
  std::string stats_file;             // "-" is standard error
  std::vector<std::string> no_prune;  // level names; "all"
  int threads = 0;
  bool verify_checksums = false;
  int64_t bytes_max = 0;
  int64_t requests_max = 0;
  // Of Iceberg tables.
  std::string snapshot_id;
  std::string ref;
  std::string as_of;
  std::vector<std::string> rewrite_locations;  // FROM=TO
  // Of stores.
  std::vector<std::string> properties;  // NAME=VALUE
};

// What `rewrite` is told beyond the scan.
struct RewriteCommand {
  std::string destination;
  std::string sort;
  int64_t page_rows = 0;              // 0: the default
  std::string bloom;                  // columns; empty or "off": none
  std::vector<std::string> settings;  // NAME=VALUE
  int64_t memory_bytes = 0;           // 0: the default
  bool overwrite = false;
};

void AddAuditOptions(CLI::App* app, CommandOptions* options, AuditOptions* audit);
void AddRewriteOptions(CLI::App* app, RewriteCommand* command);

// For counts; CLI11's own check answers with a range of 300 digits.
CLI::Validator NotNegative();

// Adds the options of a scan to a command.
void AddSourceOptions(CLI::App* command, CommandOptions* options);
// Those of Iceberg tables alone: snapshot and locations.
void AddTableOptions(CLI::App* command, CommandOptions* options);
void AddStoreOptions(CLI::App* command, CommandOptions* options);
void AddScanOptions(CLI::App* command, CommandOptions* options, bool with_columns);

// What Table::Open is told.
arrow::Result<TableOptions> ToTableOptions(const CommandOptions& options);

// The scan options that the command line asks for.
arrow::Result<ScanOptions> ToScanOptions(const CommandOptions& options);

// The format asked for, or the default of the stream.
arrow::Result<Format> OutputFormat(const CommandOptions& options);

// Opens the table and applies the options. `table` (may be null) receives the table.
arrow::Result<Scan> OpenScan(const CommandOptions& options, std::shared_ptr<Table>* table = nullptr);

// Rows to standard output, as they come, and the reader closed. Of a table (Format::kTable) the first ones.
arrow::Status WriteRows(arrow::RecordBatchReader* reader, Format format,
                        int64_t table_rows_max = RowWriterOptions().table_rows_max);

// Words for people and programs, to standard output.
arrow::Status WriteText(const std::string& text);

// Writes the counters to --stats, if given.
arrow::Status WriteStats(const CommandOptions& options, const ScanReport& report);

}  // namespace frazil::cli
