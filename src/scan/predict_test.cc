// SPDX-License-Identifier: Apache-2.0
#include "src/scan/predict.h"

#include <gtest/gtest.h>

namespace frazil::scan {
namespace {

using expr::Int128;
using Keys = expr::IntervalSet<Int128>;

// Pages of 1,000 rows.
struct Column {
  parquet::OffsetIndex offsets;
  parquet::ColumnIndex index;

  Column(parquet::BoundaryOrder order, std::vector<std::pair<int64_t, int64_t>> bounds) {
    index.order = order;
    for (const auto& [min, max] : bounds) {
      offsets.pages.push_back({0, 1, offsets.row_count});
      offsets.row_count += 1000;
      index.null_pages.push_back(0);
      index.has_bounds.push_back(1);
      index.int_min.push_back(min);
      index.int_max.push_back(max);
    }
  }
};

expr::Leaf LeafOf(Keys keys) {
  expr::Leaf leaf;
  leaf.keys = std::move(keys);
  return leaf;
}

constexpr auto kAscending = parquet::BoundaryOrder::kAscending;
constexpr auto kDescending = parquet::BoundaryOrder::kDescending;

TEST(PredictRows, InterpolatesWithAMargin) {
  const Column column(kAscending, {{0, 999}, {1000, 1999}, {2000, 2999}});
  const auto guess =
      PredictRows(column.offsets, column.index, LeafOf(Keys::Range(1500, 1510)), RowRanges::Of(1000, 2000));
  EXPECT_EQ(guess.ToString(), "[1484,1526)");
}

TEST(PredictRows, FallingOrderIsMirrored) {
  const Column column(kDescending, {{1000, 1999}, {0, 999}});
  const auto guess = PredictRows(column.offsets, column.index, LeafOf(Keys::Range(1800, 1810)), RowRanges::Of(0, 1000));
  EXPECT_EQ(guess.ToString(), "[174,216)");
}

TEST(PredictRows, TheGuessStaysInsideThePageAndTheRows) {
  const Column column(kAscending, {{0, 999}, {1000, 1999}});
  EXPECT_EQ(PredictRows(column.offsets, column.index, LeafOf(Keys::Point(1000)), RowRanges::Of(1000, 2000)).ToString(),
            "[1000,1017)");
  EXPECT_EQ(PredictRows(column.offsets, column.index, LeafOf(Keys::Point(999)), RowRanges::Of(990, 1000)).ToString(),
            "[990,1000)");
  // A range over the border of two pages.
  EXPECT_EQ(
      PredictRows(column.offsets, column.index, LeafOf(Keys::Range(990, 1010)), RowRanges::Of(0, 2000)).ToString(),
      "[974,1026)");
}

TEST(PredictRows, ExtremeBoundsDoNotOverflow) {
  Column column(kAscending, {{0, 0}});
  column.index.int_min[0] = std::numeric_limits<Int128>::min();
  column.index.int_max[0] = std::numeric_limits<Int128>::max();
  const auto guess = PredictRows(column.offsets, column.index, LeafOf(Keys::Point(0)), RowRanges::Of(0, 1000));
  EXPECT_TRUE(guess.Contains(499));
  EXPECT_LT(guess.count(), 50);
}

TEST(PredictRows, NothingIsGuessedWithoutOrderedBounds) {
  const RowRanges rows = RowRanges::Of(0, 1000);
  const auto leaf = LeafOf(Keys::Point(500));
  const Column unordered(parquet::BoundaryOrder::kUnordered, {{0, 999}});
  EXPECT_EQ(PredictRows(unordered.offsets, unordered.index, leaf, rows), rows);
  Column unbounded(kAscending, {{0, 999}});
  unbounded.index.has_bounds[0] = 0;
  EXPECT_EQ(PredictRows(unbounded.offsets, unbounded.index, leaf, rows), rows);
  const Column constant(kAscending, {{500, 500}});
  EXPECT_EQ(PredictRows(constant.offsets, constant.index, leaf, rows), rows);
  auto with_null = leaf;
  with_null.matches_null = true;
  const Column ordered(kAscending, {{0, 999}});
  EXPECT_EQ(PredictRows(ordered.offsets, ordered.index, with_null, rows), rows);
  expr::Leaf text;
  text.keys = expr::IntervalSet<std::string>::Point("a");
  EXPECT_EQ(PredictRows(ordered.offsets, ordered.index, text, rows), rows);
  const Column many(kAscending,
                    {{0, 9}, {10, 19}, {20, 29}, {30, 39}, {40, 49}, {50, 59}, {60, 69}, {70, 79}, {80, 89}});
  EXPECT_EQ(PredictRows(many.offsets, many.index, LeafOf(Keys::Point(5)), RowRanges::Of(0, 9000)),
            RowRanges::Of(0, 9000));
}

}  // namespace
}  // namespace frazil::scan
