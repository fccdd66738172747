// SPDX-License-Identifier: Apache-2.0
#include "frazil/explain.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

#include "frazil/error.h"
#include "src/base/text.h"
#include "src/scan/iceberg_planner.h"
#include "src/scan/row_group_scan.h"
#include "src/scan/table_impl.h"
#include "src/scan/table_scan.h"

namespace frazil {
namespace {

constexpr std::array<std::pair<const char*, ExplainLevel>, 3> kNames{
    {{"files", ExplainLevel::kFiles}, {"row-groups", ExplainLevel::kRowGroups}, {"pages", ExplainLevel::kPages}}};

// The files of an Iceberg table, none of them opened.
arrow::Status ExplainFiles(const Table& table, const std::shared_ptr<scan::ScanContext>& context) {
  scan::IcebergPlanner planner(table.impl().iceberg, context->table_binding, context);
  std::set<const iceberg::DeleteFile*> deletes;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const auto file, planner.NextDataFile());
    if (!file) return arrow::Status::OK();
    const int64_t rows = std::max<int64_t>(0, file->record_count);
    context->evidence->AddFile(file->size_bytes, true);
    context->evidence->AddRows(rows, rows);
    ARROW_ASSIGN_OR_RAISE(const auto of_file, planner.DeletesOf(*file));
    for (const iceberg::DeleteFile* one : of_file) {
      if (deletes.insert(one).second) context->evidence->Count(Level::kDeleteFiles, 0, 1);
    }
  }
}

arrow::Status ExplainOpened(const std::shared_ptr<const Table>& table,
                            const std::shared_ptr<scan::ScanContext>& context) {
  auto next_file = scan::FilesOf(table, context);
  while (true) {
    ARROW_ASSIGN_OR_RAISE(auto file, next_file());
    if (file == nullptr) return arrow::Status::OK();
    if (context->depth == scan::PlanDepth::kRowGroups) continue;
    for (const auto& candidate : file->candidates) {
      ARROW_RETURN_NOT_OK(scan::RowGroupScan(file, candidate, context->options.limit).ExplainOnly());
    }
  }
}

// Levels that were not asked for have judged nothing.
void DropLevels(const std::vector<Level>& levels, ScanReport* report) {
  for (const Level level : levels) {
    std::erase_if(report->levels, [&](const LevelReport& other) { return other.name == LevelName(level); });
  }
}

}  // namespace

arrow::Result<ExplainLevel> ParseExplainLevel(std::string_view name) {
  std::string names;
  for (const auto& [known, level] : kNames) {
    if (name == known) return level;
    names += (names.empty() ? "" : ", ") + std::string(known);
  }
  constexpr size_t kShownBytesMax = 80;
  return MakeError(ErrorKind::kUsage,
                   "explain has no level " + Printable(name, kShownBytesMax) + "; there are " + names);
}

arrow::Result<ScanReport> ExplainScan(const std::shared_ptr<const Table>& table, const ScanOptions& options,
                                      std::optional<ExplainLevel> level) {
  const bool is_iceberg = table->impl().iceberg != nullptr;
  if (!level) level = is_iceberg ? ExplainLevel::kFiles : ExplainLevel::kPages;
  ARROW_ASSIGN_OR_RAISE(auto context, scan::BindScan(*table, options, /*count_only=*/false));
  if (*level != ExplainLevel::kPages) context->depth = scan::PlanDepth::kRowGroups;
  const bool unopened = is_iceberg && *level == ExplainLevel::kFiles;
  ARROW_RETURN_NOT_OK(unopened ? ExplainFiles(*table, context) : ExplainOpened(table, context));
  ScanReport report = context->evidence->Report(/*analyzed=*/false);
  if (*level != ExplainLevel::kPages) DropLevels({Level::kPageIndex, Level::kDictionary}, &report);
  if (*level == ExplainLevel::kFiles) DropLevels({Level::kRowGroup, Level::kBloom}, &report);
  if (unopened) DropLevels({Level::kFile}, &report);
  return report;
}

}  // namespace frazil
