// SPDX-License-Identifier: Apache-2.0
#include "src/scan/evidence.h"

#include <algorithm>
#include <utility>

namespace frazil::scan {

namespace {

constexpr const char* kDeleteManifests = "delete-manifests";

const char* UnitOf(Level level) {
  switch (level) {
    case Level::kManifest:
      return "manifests";
    case Level::kDeleteFiles:
      return "delete files";
    case Level::kPartition:
    case Level::kFileMetrics:
    case Level::kFile:
      return "files";
    case Level::kRowGroup:
    case Level::kBloom:
    case Level::kDictionary:
      return "row groups";
    default:
      return "rows";
  }
}

}  // namespace

Evidence::Evidence(const ScanOptions& options, std::shared_ptr<io::Trace> trace)
    : trace_(std::move(trace)), disabled_(options.disabled_levels) {}

void Evidence::Count(Level level, int64_t total, int64_t kept) {
  std::lock_guard lock(mutex_);
  levels_[level].total += total;
  levels_[level].kept += kept;
}

void Evidence::AddUnusable(Level level, const prune::Unusable& unusable) {
  std::lock_guard lock(mutex_);
  levels_[level].unusable.Merge(unusable);
}

void Evidence::AddRowGroup(RowGroupReport row_group) {
  std::lock_guard lock(mutex_);
  report_.bytes_planned += row_group.bytes_planned;
  if (report_.row_groups.size() < ScanReport::kRowGroupsMax) report_.row_groups.push_back(std::move(row_group));
}

void Evidence::AddPages(int64_t total, int64_t kept) {
  std::lock_guard lock(mutex_);
  report_.pages_total += total;
  report_.pages_kept += kept;
}

void Evidence::AddRows(int64_t total, int64_t selected) {
  std::lock_guard lock(mutex_);
  report_.rows_total += total;
  report_.rows_selected += selected;
}

void Evidence::AddMatched(int64_t rows) {
  std::lock_guard lock(mutex_);
  report_.rows_matched += rows;
}

void Evidence::AddDeleteManifest(bool kept) {
  std::lock_guard lock(mutex_);
  ++delete_manifests_.total;
  delete_manifests_.kept += kept ? 1 : 0;
}

void Evidence::AddLive(int64_t total, int64_t live) {
  std::lock_guard lock(mutex_);
  deletes_.total += total;
  deletes_.kept += live;
}

void Evidence::AddSkippedFiles(int64_t files, int64_t bytes, int64_t rows) {
  std::lock_guard lock(mutex_);
  report_.files_total += files;
  report_.bytes_total += bytes;
  report_.rows_total += rows;
}

void Evidence::AddCountedFile(int64_t bytes, int64_t rows, int64_t live) {
  AddSkippedFiles(1, bytes, rows);
  AddLive(rows, live);
  std::lock_guard lock(mutex_);
  ++report_.files_counted;
  report_.rows_selected += live;
  report_.rows_matched += live;
}

void Evidence::AddFile(int64_t bytes, bool kept) {
  std::lock_guard lock(mutex_);
  ++report_.files_total;
  report_.files_kept += kept ? 1 : 0;
  report_.bytes_total += bytes;
}

void Evidence::SetRounds(int rounds) {
  std::lock_guard lock(mutex_);
  report_.rounds = std::max<int64_t>(report_.rounds, rounds);
}

void Evidence::SetTexts(std::string filter, std::string residual, std::vector<std::string> columns) {
  std::lock_guard lock(mutex_);
  report_.filter = std::move(filter);
  report_.residual = std::move(residual);
  report_.columns = std::move(columns);
}

ScanReport Evidence::Report(bool analyzed) const {
  std::lock_guard lock(mutex_);
  ScanReport report = report_;
  report.analyzed = analyzed;
  report.elapsed_ns =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin_).count();
  for (Level level : AllLevels()) {
    if (level == Level::kTwoStages) continue;
    // Parquet files without an Iceberg table around them know nothing of its levels.
    const auto& of_files = FileLevels();
    if (std::find(of_files.begin(), of_files.end(), level) == of_files.end() && levels_.count(level) == 0) continue;
    LevelReport out;
    out.name = LevelName(level);
    out.unit = UnitOf(level);
    out.enabled = std::find(disabled_.begin(), disabled_.end(), level) == disabled_.end();
    if (auto it = levels_.find(level); it != levels_.end()) {
      out.total = it->second.total;
      out.kept = it->second.kept;
      for (const auto& [key, count] : it->second.unusable.counts()) {
        out.unusable.push_back({key.first, key.second, count});
      }
    }
    report.levels.push_back(std::move(out));
    if (level == Level::kManifest && delete_manifests_.total > 0) {
      report.levels.push_back(
          {kDeleteManifests, "manifests", delete_manifests_.total, delete_manifests_.kept, true, {}});
    }
  }
  const auto of = [&](const char* name) {
    return std::find_if(report.levels.begin(), report.levels.end(), [&](const auto& l) { return l.name == name; });
  };
  report.row_groups_total = of("row-group")->total;
  const bool asked = levels_.count(Level::kBloom) > 0;
  report.row_groups_kept = of(asked ? "bloom" : "row-group")->kept;
  report.row_groups_kept -= of("dictionary")->total - of("dictionary")->kept;
  if (deletes_.total > 0) report.levels.push_back({"deletes", "rows", deletes_.total, deletes_.kept, true, {}});
  if (analyzed) report.levels.push_back({"filter", "rows", report.rows_selected, report.rows_matched, true, {}});
  const io::TraceTotals totals = trace_->totals();
  report.bytes_read = totals.bytes_read;
  report.requests = totals.requests;
  report.retries = totals.retries;
  report.hedges = totals.hedges;
  for (const io::TraceEntry& entry : trace_->entries()) {
    auto step = std::find_if(report.io.begin(), report.io.end(),
                             [&](const IoStep& other) { return other.purpose == entry.purpose; });
    if (step == report.io.end()) step = report.io.insert(report.io.end(), {entry.purpose, 0, 0});
    ++step->requests;
    step->bytes += entry.bytes_read();
    if (report.trace.size() < ScanReport::kTraceMax) {
      report.trace.push_back({entry.file, entry.round, entry.purpose, entry.range});
    }
  }
  return report;
}

}  // namespace frazil::scan
