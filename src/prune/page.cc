// SPDX-License-Identifier: Apache-2.0
#include "src/prune/page.h"

#include <algorithm>
#include <optional>
#include <string>

namespace frazil::prune {
namespace {

using expr::Int128;
using expr::Interval;
using expr::IntervalSet;
using expr::Overlap;
using expr::Verdict;
using parquet::BoundaryOrder;
using parquet::ColumnIndex;
using parquet::OffsetIndex;

template <typename K>
struct Bounds;

template <>
struct Bounds<Int128> {
  explicit Bounds(const ColumnIndex& index) : min(index.int_min), max(index.int_max) {}
  const std::vector<Int128>& min;
  const std::vector<Int128>& max;
};

template <>
struct Bounds<std::string> {
  explicit Bounds(const ColumnIndex& index) : min(index.bytes_min), max(index.bytes_max) {}
  const std::vector<std::string_view>& min;
  const std::vector<std::string_view>& max;
};

std::optional<int64_t> CountAt(const std::vector<int64_t>& counts, int page) {
  if (counts.empty() || counts[static_cast<size_t>(page)] < 0) return std::nullopt;
  return counts[static_cast<size_t>(page)];
}

void AppendPage(const OffsetIndex& offsets, int page, Verdict verdict, RowVerdicts* out) {
  if (verdict == Verdict::kNone) return;
  out->maybe.Append(offsets.first_row(page), offsets.end_row(page));
  if (verdict == Verdict::kAll) out->proven.Append(offsets.first_row(page), offsets.end_row(page));
}

// Pages [first, last) that can overlap the hull of the leaf's keys; all pages when the bounds are not ordered. With
// nulls or NaN to find, or pages without bounds, every page has to be looked at.
template <typename K>
std::pair<int, int> PagesInHull(const ColumnIndex& index, const IntervalSet<K>& keys) {
  const int count = index.page_count();
  const Bounds<K> bounds(index);
  const auto& intervals = keys.intervals();
  if (intervals.empty()) return {0, 0};
  const K& begin = intervals.front().begin;
  const std::optional<K>& end = intervals.back().end;
  // Below: max < begin. Above: min >= end. In ascending order the pages below come first, in descending order last.
  auto below = [&](int page) { return bounds.max[static_cast<size_t>(page)] < begin; };
  auto above = [&](int page) { return end.has_value() && bounds.min[static_cast<size_t>(page)] >= *end; };
  const bool ascending = index.order == BoundaryOrder::kAscending;
  int low = 0;
  int high = count;
  while (low < high) {  // the first page that is not in the leading excluded part
    const int middle = low + (high - low) / 2;
    if (ascending ? below(middle) : above(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const int first = low;
  high = count;
  while (low < high) {  // the first page of the trailing excluded part
    const int middle = low + (high - low) / 2;
    if (ascending ? above(middle) : below(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return {first, low};
}

template <typename K>
RowVerdicts Judge(const OffsetIndex& offsets, const ColumnIndex& index, const expr::ColumnType& type,
                  const expr::Leaf& leaf, const IntervalSet<K>& keys) {
  RowVerdicts out;
  const Bounds<K> bounds(index);
  const int count = index.page_count();
  // Bounds do not tell of nulls and NaN; the hull excludes a page only when neither can match.
  const bool bounded = std::all_of(index.has_bounds.begin(), index.has_bounds.end(), [](uint8_t has) { return has; });
  const bool hull = bounded && index.order != BoundaryOrder::kUnordered && !leaf.matches_null && !type.is_floating();
  const auto [first, last] = hull ? PagesInHull<K>(index, keys) : std::pair{0, count};
  for (int page = first; page < last; ++page) {
    const size_t p = static_cast<size_t>(page);
    const int64_t rows = offsets.end_row(page) - offsets.first_row(page);
    if (rows == 0) continue;
    Overlap overlap = keys.empty() ? Overlap::kNone : (keys.is_all() ? Overlap::kAll : Overlap::kSome);
    if (index.has_bounds[p] && overlap == Overlap::kSome) overlap = keys.Judge(bounds.min[p], bounds.max[p]);
    const std::optional<int64_t> nulls = index.null_pages[p] ? std::optional(rows) : CountAt(index.null_counts, page);
    AppendPage(offsets, page, expr::FoldNulls(leaf, type, overlap, nulls, CountAt(index.nan_counts, page), rows), &out);
  }
  return out;
}

}  // namespace

RowVerdicts JudgePages(const OffsetIndex& offsets, const ColumnIndex& index, const expr::ColumnType& type,
                       const expr::Leaf& leaf) {
  if (const auto* keys = std::get_if<IntervalSet<std::string>>(&leaf.keys)) {
    if (type.is_comparable()) return Judge(offsets, index, type, leaf, *keys);
  }
  if (const auto* keys = std::get_if<IntervalSet<Int128>>(&leaf.keys)) {
    return Judge(offsets, index, type, leaf, *keys);
  }
  return RowVerdicts::Unknown(offsets.row_count);
}

RowVerdicts JudgeGroupPages(const OffsetIndex& offsets, const ColumnIndex& leaf_index, int16_t def_level,
                            int16_t max_definition_level, const expr::Leaf& leaf) {
  RowVerdicts out;
  expr::ColumnType group;
  group.kind = expr::TypeKind::kGroup;
  const Overlap keys = leaf.keys_empty() ? Overlap::kNone : Overlap::kAll;
  const size_t levels = static_cast<size_t>(max_definition_level) + 1;
  for (int page = 0; page < leaf_index.page_count(); ++page) {
    const int64_t rows = offsets.end_row(page) - offsets.first_row(page);
    if (rows == 0) continue;
    std::optional<int64_t> nulls;
    if (!leaf_index.definition_level_histograms.empty()) {
      const int64_t* histogram = leaf_index.definition_level_histograms.data() + static_cast<size_t>(page) * levels;
      int64_t below = 0;
      for (int16_t level = 0; level < def_level; ++level) below += histogram[level];
      nulls = below;
    } else if (CountAt(leaf_index.null_counts, page) == 0 && !leaf_index.null_pages[static_cast<size_t>(page)]) {
      nulls = 0;  // no null leaf, so no null parent
    }
    AppendPage(offsets, page, expr::FoldNulls(leaf, group, keys, nulls, std::nullopt, rows), &out);
  }
  return out;
}

}  // namespace frazil::prune
