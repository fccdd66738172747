// SPDX-License-Identifier: Apache-2.0
#include "src/layout/findings.h"

#include <algorithm>
#include <cstdio>

#include "src/base/human_text.h"

namespace frazil::layout {
namespace {

// A chunk of fewer bytes is read about as fast as its index.
constexpr int64_t kSmallChunkBytes = 64 << 10;
// A value that lies within the bounds of more than this share of the containers is as good as everywhere.
constexpr double kScatteredShare = 0.5;
constexpr int64_t kFewContainers = 4;
constexpr int64_t kLargePageBytes = 2 << 20;
constexpr int64_t kLargePageRows = 200'000;
constexpr int64_t kSmallPageRows = 100;
constexpr int64_t kManyPages = 1'000;
constexpr int64_t kSmallFileBytes = 8 << 20;
constexpr int64_t kManyFiles = 100;
constexpr int64_t kSmallRowGroupBytes = 1 << 20;
constexpr int64_t kManyRowGroupsPerFile = 100;

std::string Decimal(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), value < 10 ? "%.1f" : "%.0f", value);
  return text;
}

std::string OfAll(const Clustering& clustering, const std::string& noun) {
  return "a value lies within the bounds of " + Decimal(clustering.hit_mean) + " of " +
         Counted(clustering.count, noun) + " on average";
}

int64_t ChunkBytesMean(const ColumnAudit& column) { return column.bytes / std::max<int64_t>(1, column.chunks); }

bool Scattered(const Clustering& clustering) {
  return clustering.count >= kFewContainers && clustering.share() > kScatteredShare;
}

}  // namespace

void FindInColumn(const ColumnAudit& column, bool lookups_name_it, const std::map<std::string, int64_t>& unusable,
                  std::vector<AuditFinding>* findings) {
  const auto add = [&](std::string name, std::string evidence, std::string cost, std::string cure, int64_t cost_bytes) {
    findings->push_back(
        {std::move(name), column.column, std::move(evidence), std::move(cost), std::move(cure), cost_bytes});
  };
  const std::string rewrite = "frazil rewrite SRC --out FILE --sort " + column.column;
  const int64_t chunk_bytes = ChunkBytesMean(column);
  for (const auto& [reason, count] : unusable) {
    if (chunk_bytes < kSmallChunkBytes) break;
    const bool missing = reason == "no page index" || reason == "no column index";
    add(missing ? "no-page-index" : "page-index-unusable",
        std::to_string(count) + " of " + Counted(column.chunks, "column chunk") + ": " + reason,
        "a lookup that meets one reads " + HumanBytes(chunk_bytes) + " of it on average, not a page",
        missing ? "write the files with a page index: frazil rewrite SRC --out FILE" : "write these files anew",
        count * chunk_bytes / std::max<int64_t>(1, column.chunks));
  }
  if (column.chunks_with_bounds < column.chunks && lookups_name_it) {
    add("no-bounds",
        std::to_string(column.chunks - column.chunks_with_bounds) + " of " + Counted(column.chunks, "column chunk") +
            " without usable bounds in the footer",
        "their row groups are never skipped by this column", "write the files with statistics", chunk_bytes);
  }
  if (!lookups_name_it) return;
  const int64_t page_bytes = column.page_bytes_median;
  if (Scattered(column.pages_clustering)) {
    const auto vain = static_cast<int64_t>((column.pages_clustering.hit_mean - 1) * static_cast<double>(page_bytes));
    add("scattered", OfAll(column.pages_clustering, "page"),
        "a lookup reads " + HumanBytes(std::max<int64_t>(0, vain)) + " of this column in vain",
        "sort by it: " + rewrite +
            (column.chunks_with_bloom == column.chunks
                 ? ""
                 : "; or, for equality alone, a bloom filter: --bloom " + column.column),
        vain);
  } else if (Scattered(column.files)) {
    add("files-overlap", OfAll(column.files, "file"), "a lookup opens most files",
        "sort by it over all files, not within each", static_cast<int64_t>(column.files.hit_mean) * page_bytes);
  }
  if (column.pages_alike > 0) {
    add("bounds-cut-short",
        std::to_string(column.pages_alike) + " of " + Counted(column.pages, "page") +
            " have the bounds of a neighbour, cut off at the same length",
        "none of them can be skipped for another",
        "write longer bounds (Iceberg and parquet-java: parquet.columnindex.truncate.length)",
        column.pages_alike * page_bytes);
  }
  if (column.page_bytes_median > kLargePageBytes || column.page_rows_median > kLargePageRows) {
    add("pages-large",
        "the median page has " + HumanCount(column.page_rows_median) + " rows in " + HumanBytes(page_bytes),
        "a lookup of one row reads and decodes all of it", "--page-rows 20000 or fewer", page_bytes);
  }
  if (column.page_rows_median < kSmallPageRows && column.pages > kManyPages) {
    add("pages-small",
        "the median of " + Counted(column.pages, "page") + " has " + Counted(column.page_rows_median, "row"),
        "the index is long, and pages compress badly", "--page-rows 1000 or more", 0);
  }
  if (column.chunks_fallback > 0) {
    add("dictionary-fallback",
        std::to_string(column.chunks_fallback) + " of " + Counted(column.chunks, "column chunk") +
            " begin with a dictionary and go on without",
        "the dictionary is read for the first pages, and proves nothing of the chunk",
        "no dictionary for this column, or a larger one", 0);
  }
}

void FindInFiles(const AuditReport& report, std::vector<AuditFinding>* findings) {
  if (report.files >= kManyFiles && report.bytes / report.files < kSmallFileBytes) {
    findings->push_back(
        {"files-small", "",
         HumanCount(report.files) + " files of " + HumanBytes(report.bytes / report.files) + " on average",
         "each costs a request for its footer", "write fewer, larger files", 0});
  }
  if (report.files > 0 && report.row_groups / report.files >= kManyRowGroupsPerFile &&
      report.bytes / report.row_groups < kSmallRowGroupBytes) {
    findings->push_back({"row-groups-small", "",
                         HumanCount(report.row_groups / report.files) + " row groups a file, of " +
                             HumanBytes(report.bytes / report.row_groups) + " on average",
                         "the footer is long, and all of it is read first",
                         "larger row groups: pages are what skips rows", 0});
  }
}

}  // namespace frazil::layout
