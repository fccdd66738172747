// SPDX-License-Identifier: Apache-2.0
#include "src/scan/work_units.h"

#include <algorithm>
#include <set>
#include <utility>

namespace frazil::scan {
namespace {

// `rows` cut at each of `cuts`, ascending row ordinals; parts without rows are left out. One pass over both.
std::vector<RowRanges> SplitAt(const RowRanges& rows, const std::vector<int64_t>& cuts) {
  std::vector<RowRanges> parts;
  RowRanges part;
  auto cut = cuts.begin();
  for (const RowRange& run : rows.runs()) {
    int64_t begin = run.begin;
    while (begin < run.end) {
      while (cut != cuts.end() && *cut <= begin) {
        if (!part.empty()) parts.push_back(std::exchange(part, {}));
        ++cut;
      }
      const int64_t end = cut == cuts.end() ? run.end : std::min(run.end, *cut);
      part.Append(begin, end);
      begin = end;
    }
  }
  if (!part.empty()) parts.push_back(std::move(part));
  return parts;
}

std::vector<RowRanges> SplitEvenly(const RowRanges& rows, int64_t part_count) {
  std::vector<RowRanges> parts;
  const int64_t row_count = rows.count();
  const int64_t part_rows = (row_count + part_count - 1) / part_count;
  for (int64_t rank = 0; rank < row_count; rank += part_rows) {
    parts.push_back(rows.SliceByRank(rank, std::min(row_count, rank + part_rows)));
  }
  return parts;
}

int64_t CeilDivide(int64_t a, int64_t b) { return a / b + (a % b != 0); }

// Where units end, by the pages of `driver`, each counted `scale` times to stand for the other leaves.
std::vector<int64_t> CutsByPages(const parquet::ChunkPlan& driver, double scale, const RowRanges& rows, UnitSize size) {
  std::vector<int64_t> cuts;
  int64_t unit_rows = 0;
  double unit_bytes = 0;
  const std::vector<RowRange>& runs = rows.runs();
  size_t run = 0;
  for (int page : driver.pages) {
    const int64_t begin = driver.offsets->first_row(page);
    const int64_t end = driver.offsets->end_row(page);
    int64_t page_rows = 0;
    while (run < runs.size() && runs[run].begin < end) {
      page_rows += std::min(end, runs[run].end) - std::max(begin, runs[run].begin);
      if (runs[run].end > end) break;
      ++run;
    }
    const double page_bytes = static_cast<double>(driver.offsets->range(page).length) * scale;
    const bool full =
        unit_rows + page_rows > size.rows_max || unit_bytes + page_bytes > static_cast<double>(size.bytes_max);
    if (unit_rows > 0 && full) {
      cuts.push_back(begin);
      unit_rows = 0;
      unit_bytes = 0;
    }
    unit_rows += page_rows;
    unit_bytes += page_bytes;
  }
  return cuts;
}

}  // namespace

std::vector<RowRanges> CutUnits(const RowGroupPlan& plan, const std::vector<int>& leaves, const RowRanges& rows,
                                UnitSize size) {
  if (rows.empty()) return {};
  int64_t bytes = 0;
  parquet::ChunkPlan driver;
  for (int leaf : leaves) {
    parquet::ChunkPlan chunk = plan.PlanLeaf(leaf, rows);
    bytes += chunk.RangeBytes();
    if (chunk.offsets && (!driver.offsets || chunk.RangeBytes() > driver.RangeBytes())) driver = std::move(chunk);
  }
  if (!driver.offsets) {
    return SplitEvenly(rows, std::max(CeilDivide(rows.count(), size.rows_max), CeilDivide(bytes, size.bytes_max)));
  }
  const double scale = static_cast<double>(bytes) / static_cast<double>(std::max<int64_t>(1, driver.RangeBytes()));
  std::vector<RowRanges> units;
  for (RowRanges& unit : SplitAt(rows, CutsByPages(driver, scale, rows, size))) {
    if (unit.count() <= size.rows_max) {
      units.push_back(std::move(unit));
      continue;
    }
    for (RowRanges& part : SplitEvenly(unit, CeilDivide(unit.count(), size.rows_max))) units.push_back(std::move(part));
  }
  return units;
}

bool UnitsAreApart(const RowGroupPlan& plan, const std::vector<int>& leaves, const RowRanges& rows, size_t unit_count) {
  if (leaves.empty() || unit_count < 2) return false;
  return std::all_of(leaves.begin(), leaves.end(), [&](int leaf) {
    const auto& offsets = plan.leaves.at(leaf).offsets;
    return offsets != nullptr && parquet::PagesOf(*offsets, rows).size() >= 2 * unit_count;
  });
}

std::vector<ByteRange> PlannedRanges(const RowGroupPlan& plan, const std::vector<int>& leaves, const RowRanges& rows) {
  std::vector<ByteRange> ranges;
  if (rows.empty()) return ranges;
  for (int leaf : leaves) {
    const std::vector<ByteRange> of_leaf = plan.PlanLeaf(leaf, rows).Ranges();
    ranges.insert(ranges.end(), of_leaf.begin(), of_leaf.end());
  }
  return ranges;
}

int64_t PlannedBytes(const RowGroupPlan& plan, const std::vector<int>& leaves, const RowRanges& rows) {
  int64_t bytes = 0;
  for (const ByteRange& range : PlannedRanges(plan, leaves, rows)) bytes += range.length;
  return bytes;
}

int64_t FilterBytes(const RowGroupPlan& plan) {
  int64_t bytes = 0;
  for (int leaf : plan.filter_leaves) bytes += PlannedBytes(plan, {leaf}, plan.FilterRows(leaf));
  return bytes;
}

arrow::Result<size_t> FetchUnits(io::RangeReader* reader, const RowGroupPlan& plan, const std::vector<RowRanges>& units,
                                 const LeavesOfUnit& leaves_of, size_t first, int64_t bytes_max,
                                 std::vector<ByteRange> also, const std::string& purpose) {
  std::vector<ByteRange> wanted = std::move(also);
  int64_t bytes = 0;
  std::set<int> whole;  // reading a chunk as a whole releases it: fetched once
  for (size_t unit = 0; first == 0 && unit < units.size(); ++unit) {
    for (int leaf : leaves_of(unit)) {
      const LeafAccess& access = plan.leaves.at(leaf);
      if (access.offsets || access.range.length > bytes_max - bytes || !whole.insert(leaf).second) continue;
      wanted.push_back(access.range);
      bytes += access.range.length;
    }
  }
  size_t end = first;
  for (; end < units.size(); ++end) {
    std::vector<int> paged;
    for (int leaf : leaves_of(end)) {
      if (plan.leaves.at(leaf).offsets) paged.push_back(leaf);
    }
    const std::vector<ByteRange> ranges = PlannedRanges(plan, paged, units[end]);
    for (const ByteRange& range : ranges) bytes += range.length;
    if (end > first && bytes > bytes_max) break;
    wanted.insert(wanted.end(), ranges.begin(), ranges.end());
  }
  if (!wanted.empty()) ARROW_RETURN_NOT_OK(reader->Fetch(wanted, purpose));
  return end;
}

void ReleaseBefore(io::RangeReader* reader, const RowGroupPlan& plan, const std::vector<int>& leaves, int64_t row) {
  for (int leaf : leaves) {
    const auto& offsets = plan.leaves.at(leaf).offsets;
    if (!offsets || offsets->pages.empty()) continue;
    // The first page that ends behind `row` is still needed.
    const auto needed =
        std::partition_point(offsets->pages.begin(), offsets->pages.end(), [&](const parquet::PageLocation& page) {
          return offsets->end_row(static_cast<int>(&page - offsets->pages.data())) <= row;
        });
    const int64_t begin = offsets->pages.front().offset;
    const int64_t end =
        needed == offsets->pages.end() ? offsets->range(offsets->page_count() - 1).end() : needed->offset;
    if (end > begin) reader->Release({begin, end - begin});
  }
}

}  // namespace frazil::scan
