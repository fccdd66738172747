// SPDX-License-Identifier: Apache-2.0
#include "src/scan/predict.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "src/parquet/page_plan.h"

namespace frazil::scan {
namespace {

using expr::Int128;

// A scattered guess saves nothing.
constexpr size_t kPagesMax = 8;
// Of a page's rows, on each side of the guess.
constexpr int64_t kMarginShare = 64;

// How far `key` lies between the bounds, from 0 to 1.
double Share(Int128 key, Int128 min, Int128 max) {
  // In floating point from the start: the difference of two keys can exceed an Int128.
  const auto least = static_cast<double>(min);
  const double width = static_cast<double>(max) - least;
  return width > 0 ? std::clamp((static_cast<double>(key) - least) / width, 0.0, 1.0) : 0.0;
}

void AppendGuess(const parquet::OffsetIndex& offsets, const parquet::ColumnIndex& index, int page,
                 const expr::IntervalSet<Int128>& keys, std::vector<RowRange>* out) {
  const int64_t begin = offsets.first_row(page);
  const int64_t end = offsets.end_row(page);
  const size_t at = static_cast<size_t>(page);
  if (!index.has_bounds[at] || index.int_max[at] <= index.int_min[at]) {
    out->push_back({begin, end});
    return;
  }
  const Int128 min = index.int_min[at];
  const Int128 max = index.int_max[at];
  const double last = static_cast<double>(end - begin - 1);
  const int64_t margin = (end - begin) / kMarginShare + 1;
  for (const auto& interval : keys.intervals()) {
    const Int128 low = std::max(min, interval.begin);
    const Int128 high = interval.end ? std::min<Int128>(max, *interval.end - 1) : max;
    if (low > high) continue;
    auto from = static_cast<int64_t>(Share(low, min, max) * last);
    auto to = static_cast<int64_t>(std::ceil(Share(high, min, max) * last));
    if (index.order == parquet::BoundaryOrder::kDescending) {
      const int64_t mirrored = end - begin - 1 - to;
      to = end - begin - 1 - from;
      from = mirrored;
    }
    out->push_back({std::max(begin, begin + from - margin), std::min(end, begin + to + 1 + margin)});
  }
}

}  // namespace

RowRanges PredictRows(const parquet::OffsetIndex& offsets, const parquet::ColumnIndex& index, const expr::Leaf& leaf,
                      const RowRanges& rows) {
  const auto* keys = std::get_if<expr::IntervalSet<Int128>>(&leaf.keys);
  if (keys == nullptr || leaf.matches_null || index.order == parquet::BoundaryOrder::kUnordered ||
      index.int_min.empty())
    return rows;
  const std::vector<int> pages = parquet::PagesOf(offsets, rows);
  if (pages.size() > kPagesMax) return rows;
  std::vector<RowRange> guess;
  for (int page : pages) AppendGuess(offsets, index, page, *keys, &guess);
  return RowRanges::FromUnsorted(std::move(guess)).Intersect(rows);
}

}  // namespace frazil::scan
