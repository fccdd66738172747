// SPDX-License-Identifier: Apache-2.0
//
// What a page index says of each page: bounds, nulls, NaN, null pages, pages of no rows, and the search over ordered
// bounds.
#include "src/prune/page.h"

#include <random>

#include <gtest/gtest.h>

namespace frazil::prune {
namespace {

using expr::ColumnType;
using expr::Int128;
using expr::TypeKind;
using parquet::BoundaryOrder;
using parquet::ColumnIndex;
using parquet::OffsetIndex;
using Ints = expr::IntervalSet<Int128>;
using Texts = expr::IntervalSet<std::string>;

const ColumnType kInt{.kind = TypeKind::kInt, .bit_width = 64};
const ColumnType kDouble{.kind = TypeKind::kDouble};
const ColumnType kText{.kind = TypeKind::kString};

struct Page {
  int64_t rows = 10;
  std::optional<std::pair<int64_t, int64_t>> bounds = std::nullopt;
  int64_t nulls = 0;  // -1: unknown
  bool null_page = false;
  int64_t nans = -1;
};

struct Index {
  OffsetIndex offsets;
  ColumnIndex columns;
};

Index Of(const std::vector<Page>& pages, BoundaryOrder order = BoundaryOrder::kUnordered) {
  Index index;
  index.columns.order = order;
  for (const Page& page : pages) {
    index.offsets.pages.push_back({0, 1, index.offsets.row_count});
    index.offsets.row_count += page.rows;
    index.columns.null_pages.push_back(page.null_page);
    index.columns.has_bounds.push_back(page.bounds.has_value());
    index.columns.int_min.push_back(page.bounds ? page.bounds->first : 0);
    index.columns.int_max.push_back(page.bounds ? page.bounds->second : 0);
    index.columns.null_counts.push_back(page.nulls);
    index.columns.nan_counts.push_back(page.nans);
  }
  return index;
}

expr::Leaf LeafOf(expr::KeySet keys, bool matches_null = false) {
  expr::Leaf leaf;
  leaf.keys = std::move(keys);
  leaf.matches_null = matches_null;
  return leaf;
}

// "maybe | proven"
std::string Judged(const Index& index, const expr::Leaf& leaf, const ColumnType& type = kInt) {
  const RowVerdicts rows = JudgePages(index.offsets, index.columns, type, leaf);
  return rows.maybe.ToString() + " | " + rows.proven.ToString();
}

TEST(JudgePages, BoundsExcludeAndProve) {
  const Index index = Of({{.bounds = {{0, 5}}}, {.bounds = {{6, 9}}}, {.bounds = {{5, 5}}}});
  EXPECT_EQ(Judged(index, LeafOf(Ints::Point(5))), "[0,10) [20,30) | [20,30)");
  EXPECT_EQ(Judged(index, LeafOf(Ints::Point(10))), " | ");
  EXPECT_EQ(Judged(index, LeafOf(Ints::Range(0, 6))), "[0,10) [20,30) | [0,10) [20,30)");
  EXPECT_EQ(Judged(index, LeafOf(Ints::Point(5).Complement())), "[0,20) | [10,20)");
  EXPECT_EQ(Judged(index, LeafOf(Ints::Points({1, 7}))), "[0,20) | ");
}

TEST(JudgePages, NullsKeepAPageFromBeingProven) {
  const Index index = Of({{.bounds = {{5, 5}}, .nulls = 1}, {.bounds = {{5, 5}}, .nulls = -1}, {.bounds = {{5, 5}}}});
  EXPECT_EQ(Judged(index, LeafOf(Ints::Point(5))), "[0,30) | [20,30)");
  EXPECT_EQ(Judged(index, LeafOf(Ints::Point(5), true)), "[0,30) | [0,30)");
  // IS NULL: where there are some, or may be.
  EXPECT_EQ(Judged(index, LeafOf(Ints::None(), true)), "[0,20) | ");
  EXPECT_EQ(Judged(index, LeafOf(Ints::All())), "[0,30) | [20,30)");
}

TEST(JudgePages, NullPages) {
  const Index index = Of({{.nulls = 10, .null_page = true}, {.bounds = {{1, 2}}}, {.nulls = -1, .null_page = true}});
  EXPECT_EQ(Judged(index, LeafOf(Ints::All())), "[10,20) | [10,20)");
  EXPECT_EQ(Judged(index, LeafOf(Ints::None(), true)), "[0,10) [20,30) | [0,10) [20,30)");
  EXPECT_EQ(Judged(index, LeafOf(Ints::Range(0, 2))), "[10,20) | ");
}

TEST(JudgePages, PagesWithoutBoundsMayHoldAnything) {
  const Index index = Of({{.nulls = 3}, {.bounds = {{1, 2}}}}, BoundaryOrder::kAscending);
  EXPECT_EQ(Judged(index, LeafOf(Ints::Point(100))), "[0,10) | ");
  EXPECT_EQ(Judged(index, LeafOf(Ints::Point(1))), "[0,20) | ");
}

TEST(JudgePages, PagesWithoutRowsSayNothing) {
  const Index index = Of({{.rows = 0, .bounds = {{1, 1}}}, {.rows = 4, .bounds = {{1, 1}}}, {.rows = 0}});
  EXPECT_EQ(Judged(index, LeafOf(Ints::Point(1))), "[0,4) | [0,4)");
}

TEST(JudgePages, NanIsNotInTheBounds) {
  const int64_t one = expr::DoubleKey(1.0);
  const Index index = Of(
      {{.bounds = {{one, one}}, .nans = -1}, {.bounds = {{one, one}}, .nans = 0}, {.bounds = {{one, one}}, .nans = 2}},
      BoundaryOrder::kAscending);
  // x > 2: NaN is greater than every number.
  EXPECT_EQ(Judged(index, LeafOf(Ints::Range(Int128{expr::DoubleKey(2.0)}, std::nullopt)), kDouble),
            "[0,10) [20,30) | ");
  EXPECT_EQ(Judged(index, LeafOf(Ints::Point(one)), kDouble), "[0,30) | [10,20)");
  EXPECT_EQ(Judged(index, LeafOf(Ints::Point(one).Complement()), kDouble), "[0,10) [20,30) | ");
  // x < 2 holds for no NaN.
  EXPECT_EQ(Judged(index, LeafOf(Ints::Range(Ints::Traits::Least(), Int128{expr::DoubleKey(2.0)})), kDouble),
            "[0,30) | [10,20)");
}

TEST(JudgePages, MissingCountsAreUnknown) {
  Index index = Of({{.bounds = {{5, 5}}}, {.bounds = {{6, 6}}}});
  index.columns.null_counts.clear();
  EXPECT_EQ(Judged(index, LeafOf(Ints::Point(5))), "[0,10) | ");
  EXPECT_EQ(Judged(index, LeafOf(Ints::None(), true)), "[0,20) | ");
}

TEST(JudgePages, TextBoundsMayBeCut) {
  Index index = Of({{}, {}});
  index.columns.int_min.clear();
  index.columns.int_max.clear();
  index.columns.has_bounds = {1, 1};
  index.columns.bytes_min = {"app", "b"};
  index.columns.bytes_max = {"az", "b"};
  EXPECT_EQ(Judged(index, LeafOf(Texts::Point("apple")), kText), "[0,10) | ");
  EXPECT_EQ(Judged(index, LeafOf(Texts::Point("b")), kText), "[10,20) | [10,20)");
  EXPECT_EQ(Judged(index, LeafOf(Texts::Range("a", "b")), kText), "[0,10) | [0,10)");
}

TEST(JudgePages, KeysOfAnotherKindProveNothing) {
  const Index index = Of({{.bounds = {{5, 5}}}});
  expr::Leaf inexact = LeafOf(Texts::Point("x"));
  EXPECT_EQ(Judged(index, inexact, {.kind = TypeKind::kUnsupported}), "[0,10) | ");
}

TEST(JudgePages, PatternsProveNothingButMayExclude) {
  Index index = Of({{}, {}});
  index.columns.has_bounds = {1, 1};
  index.columns.bytes_min = {"aa", "x"};
  index.columns.bytes_max = {"ab", "y"};
  expr::Leaf leaf = LeafOf(Texts::Range("a", "b"));
  leaf.pattern = std::make_shared<expr::LikePattern>("a%b");
  EXPECT_EQ(Judged(index, leaf, kText), "[0,10) | ");
}

// Ordered bounds are searched; the answer is that of looking at each page.
TEST(JudgePages, SearchAgreesWithScan) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int turn = 0; turn < 3000; ++turn) {
    const bool ascending = random() % 2 == 0;
    std::vector<Page> pages;
    int64_t low = 0;
    int64_t high = 0;
    for (uint32_t count = random() % 8; pages.size() < count;) {
      low += random() % 3;
      high = std::max<int64_t>(high, low) + random() % 3;
      pages.push_back({.rows = static_cast<int64_t>(random() % 3), .bounds = {{low, high}}, .nulls = 0});
    }
    if (!ascending) std::reverse(pages.begin(), pages.end());
    Index index = Of(pages, ascending ? BoundaryOrder::kAscending : BoundaryOrder::kDescending);
    Ints keys;
    for (uint32_t i = 0; i < random() % 3; ++i) {
      const int64_t begin = static_cast<int64_t>(random() % 14) - 1;
      keys = keys.Union(
          Ints::Range(begin, random() % 8 == 0 ? std::nullopt : std::optional<Int128>(begin + random() % 4)));
    }
    if (random() % 3 == 0) keys = keys.Complement();
    const std::string searched = Judged(index, LeafOf(keys));
    index.columns.order = BoundaryOrder::kUnordered;
    ASSERT_EQ(Judged(index, LeafOf(keys)), searched);
  }
}

TEST(JudgeGroupPages, HistogramsCountTheNullGroups) {
  Index index = Of({{.nulls = 4}, {.nulls = 0}, {.nulls = 10, .null_page = true}});
  // Definition levels 0 (group null), 1 (leaf null), 2.
  index.columns.definition_level_histograms = {0, 4, 6, 0, 0, 10, 10, 0, 0};
  const auto judged = [&](const expr::Leaf& leaf) {
    const RowVerdicts rows = JudgeGroupPages(index.offsets, index.columns, 1, 2, leaf);
    return rows.maybe.ToString() + " | " + rows.proven.ToString();
  };
  EXPECT_EQ(judged(LeafOf(Ints::None(), true)), "[20,30) | [20,30)");
  EXPECT_EQ(judged(LeafOf(Ints::All())), "[0,20) | [0,20)");
  // Without them only a page without null leaves has no null groups.
  index.columns.definition_level_histograms.clear();
  EXPECT_EQ(judged(LeafOf(Ints::None(), true)), "[0,10) [20,30) | ");
  EXPECT_EQ(judged(LeafOf(Ints::All())), "[0,30) | [10,20)");
}

}  // namespace
}  // namespace frazil::prune
