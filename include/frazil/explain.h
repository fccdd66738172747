// SPDX-License-Identifier: Apache-2.0
//
// Explaining a scan: what it would read, and why, down to the level that is asked for.
//
//   level       reads                                    tells
//   files       Iceberg: metadata and manifests          the files that may hold a match, and their delete files
//               plain files: their footers
//   row-groups  and of those files footers, deletes      the row groups that may hold a match
//   pages       and of these row groups index pieces     the rows and pages that would be read
// No level reads a data page.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include <arrow/result.h>

#include "frazil/report.h"
#include "frazil/table.h"

namespace frazil {

enum class ExplainLevel { kFiles, kRowGroups, kPages };

// "files", "row-groups", "pages"; error (usage) naming them.
arrow::Result<ExplainLevel> ParseExplainLevel(std::string_view name);

// Unset: files for an Iceberg table, pages for Parquet files. Levels below the one asked for are not in the report.
// Rows and bytes of files that were not opened are what their manifests say.
arrow::Result<ScanReport> ExplainScan(const std::shared_ptr<const Table>& table, const ScanOptions& options,
                                      std::optional<ExplainLevel> level = std::nullopt);

}  // namespace frazil
