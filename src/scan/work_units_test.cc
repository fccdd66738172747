// SPDX-License-Identifier: Apache-2.0
#include "src/scan/work_units.h"

#include <gtest/gtest.h>

namespace frazil::scan {
namespace {

// A leaf of pages of `page_rows` rows and `page_bytes` bytes each, one after another from `offset`.
LeafAccess Pages(int leaf, int64_t offset, int64_t row_count, int64_t page_rows, int32_t page_bytes) {
  LeafAccess access;
  access.chunk.leaf = leaf;
  auto offsets = std::make_shared<parquet::OffsetIndex>();
  offsets->row_count = row_count;
  int64_t at = offset;
  for (int64_t row = 0; row < row_count; row += page_rows, at += page_bytes) {
    offsets->pages.push_back({at, page_bytes, row});
  }
  access.range = {offset, at - offset};
  access.offsets = std::move(offsets);
  return access;
}

RowGroupPlan PlanOf(std::vector<LeafAccess> leaves, int64_t row_count) {
  RowGroupPlan plan;
  plan.row_count = row_count;
  for (LeafAccess& access : leaves) {
    const int leaf = access.chunk.leaf;
    plan.leaves.emplace(leaf, std::move(access));
  }
  return plan;
}

std::vector<std::string> Texts(const std::vector<RowRanges>& units) {
  std::vector<std::string> texts;
  for (const RowRanges& unit : units) texts.push_back(unit.ToString());
  return texts;
}

using Strings = std::vector<std::string>;

TEST(CutUnits, CutsWherePagesOfTheLargestLeafEnd) {
  const RowGroupPlan plan = PlanOf({Pages(0, 0, 100, 10, 100), Pages(1, 5000, 100, 7, 1)}, 100);
  // 1,000 bytes in leaf 0 and 15 in leaf 1: three pages with their share of the other leaf are just above 300.
  EXPECT_EQ(Texts(CutUnits(plan, {0, 1}, RowRanges::Of(0, 100), {1000, 310})),
            (Strings{"[0,30)", "[30,60)", "[60,90)", "[90,100)"}));
  EXPECT_EQ(Texts(CutUnits(plan, {0, 1}, RowRanges::Of(0, 100), {20, 1000000})),
            (Strings{"[0,20)", "[20,40)", "[40,60)", "[60,80)", "[80,100)"}));
}

TEST(CutUnits, CountsOnlyWantedRowsAndPages) {
  const RowGroupPlan plan = PlanOf({Pages(0, 0, 100, 10, 100)}, 100);
  // Pages 0, 3 and 9 hold wanted rows.
  const RowRanges rows{{5, 7}, {30, 31}, {38, 39}, {99, 100}};
  EXPECT_EQ(Texts(CutUnits(plan, {0}, rows, {1000, 100})), (Strings{"[5,7)", "[30,31) [38,39)", "[99,100)"}));
  EXPECT_EQ(Texts(CutUnits(plan, {0}, rows, {1000, 200})), (Strings{"[5,7) [30,31) [38,39)", "[99,100)"}));
}

TEST(CutUnits, ARunOverSeveralPagesIsCutInside) {
  const RowGroupPlan plan = PlanOf({Pages(0, 0, 100, 10, 100)}, 100);
  EXPECT_EQ(Texts(CutUnits(plan, {0}, RowRanges::Of(5, 35), {1000, 100})),
            (Strings{"[5,10)", "[10,20)", "[20,30)", "[30,35)"}));
}

TEST(CutUnits, APageOfTooManyRowsIsCutEvenly) {
  const RowGroupPlan plan = PlanOf({Pages(0, 0, 100, 50, 100)}, 100);
  EXPECT_EQ(Texts(CutUnits(plan, {0}, RowRanges::Of(0, 100), {20, 1000})),
            (Strings{"[0,17)", "[17,34)", "[34,50)", "[50,67)", "[67,84)", "[84,100)"}));
}

TEST(CutUnits, WithoutIndexEvenlyByRowsAndBytes) {
  LeafAccess whole;
  whole.range = {0, 1000};
  const RowGroupPlan plan = PlanOf({whole}, 100);
  EXPECT_EQ(Texts(CutUnits(plan, {0}, RowRanges::Of(0, 100), {1000, 400})), (Strings{"[0,34)", "[34,68)", "[68,100)"}));
  EXPECT_EQ(Texts(CutUnits(plan, {}, RowRanges::Of(0, 100), {60, 1})), (Strings{"[0,50)", "[50,100)"}));
  EXPECT_TRUE(CutUnits(plan, {0}, RowRanges(), {10, 10}).empty());
}

TEST(UnitsAreApart, OnlyWithTwoPagesAUnitInEveryLeaf) {
  const RowGroupPlan plan = PlanOf({Pages(0, 0, 100, 10, 100), Pages(1, 5000, 100, 50, 100)}, 100);
  const RowRanges all = RowRanges::Of(0, 100);
  EXPECT_TRUE(UnitsAreApart(plan, {0}, all, 5));
  EXPECT_FALSE(UnitsAreApart(plan, {0}, all, 6));
  EXPECT_FALSE(UnitsAreApart(plan, {0, 1}, all, 5));
  EXPECT_FALSE(UnitsAreApart(plan, {0}, all, 1));
  EXPECT_FALSE(UnitsAreApart(plan, {}, all, 5));
}

class FetchUnitsTest : public testing::Test {
 protected:
  FetchUnitsTest()
      : trace_(std::make_shared<io::Trace>()),
        reader_(FromBuffer(std::make_shared<arrow::Buffer>(bytes_), "file"), trace_) {}

  static LeavesOfUnit Leaves(std::vector<int> leaves) {
    return [leaves = std::move(leaves)](size_t) -> const auto& { return leaves; };
  }
  int64_t bytes_read() const { return trace_->totals().bytes_read; }

  std::string bytes_ = std::string(10'000, 'x');
  std::shared_ptr<io::Trace> trace_;
  io::RangeReader reader_;
};

TEST_F(FetchUnitsTest, FetchesAsManyUnitsAsFit) {
  const RowGroupPlan plan = PlanOf({Pages(0, 0, 100, 10, 100)}, 100);
  const std::vector<RowRanges> units = CutUnits(plan, {0}, RowRanges::Of(0, 100), {10, 1000});
  ASSERT_EQ(units.size(), 10u);
  EXPECT_EQ(*FetchUnits(&reader_, plan, units, Leaves({0}), 0, 350, {{9000, 7}}, "pages"), 3u);
  EXPECT_EQ(bytes_read(), 307);
  EXPECT_EQ(reader_.rounds(), 1);
  // At least one unit, even when it does not fit.
  EXPECT_EQ(*FetchUnits(&reader_, plan, units, Leaves({0}), 3, 1, {}, "pages"), 4u);
  EXPECT_EQ(bytes_read(), 407);
  EXPECT_EQ(*FetchUnits(&reader_, plan, units, Leaves({0}), 9, 1000, {}, "pages"), 10u);
  EXPECT_EQ(bytes_read(), 507);
}

TEST_F(FetchUnitsTest, AChunkWithoutIndexIsFetchedOnceWhenItFits) {
  LeafAccess whole;
  whole.chunk.leaf = 1;
  whole.range = {5000, 500};
  const RowGroupPlan plan = PlanOf({Pages(0, 0, 100, 10, 100), whole}, 100);
  const std::vector<RowRanges> units = CutUnits(plan, {0, 1}, RowRanges::Of(0, 100), {10, 100000});
  EXPECT_EQ(*FetchUnits(&reader_, plan, units, Leaves({0, 1}), 0, 499, {}, "pages"), 4u);
  EXPECT_EQ(bytes_read(), 400);
  EXPECT_EQ(*FetchUnits(&reader_, plan, units, Leaves({0, 1}), 0, 600, {}, "pages"), 1u);
  EXPECT_EQ(bytes_read(), 900);
  reader_.Release({5000, 500});
  EXPECT_EQ(*FetchUnits(&reader_, plan, units, Leaves({0, 1}), 4, 100, {}, "pages"), 5u);
  EXPECT_EQ(bytes_read(), 1000);
}

TEST_F(FetchUnitsTest, EachUnitHasItsOwnLeaves) {
  LeafAccess whole;
  whole.chunk.leaf = 2;
  whole.range = {5000, 500};
  const RowGroupPlan plan = PlanOf({Pages(0, 0, 100, 50, 100), Pages(1, 2000, 100, 50, 30), whole}, 100);
  const std::vector<std::vector<int>> leaves{{0}, {1, 2}};
  const std::vector<RowRanges> units{RowRanges::Of(0, 50), RowRanges::Of(50, 100)};
  const auto leaves_of = [&leaves](size_t unit) -> const auto& { return leaves[unit]; };
  EXPECT_EQ(*FetchUnits(&reader_, plan, units, leaves_of, 0, 600, {}, "pages"), 1u);
  EXPECT_EQ(bytes_read(), 600) << "one page of leaf 0, and the chunk that has no pages";
  EXPECT_EQ(*FetchUnits(&reader_, plan, units, leaves_of, 1, 600, {}, "pages"), 2u);
  EXPECT_EQ(bytes_read(), 630);
}

TEST_F(FetchUnitsTest, ReleaseKeepsPagesThatHoldLaterRows) {
  const RowGroupPlan plan = PlanOf({Pages(0, 0, 100, 10, 100), Pages(1, 2000, 100, 40, 100)}, 100);
  ASSERT_TRUE(reader_.Fetch({{0, 1000}, {2000, 300}}, "pages").ok());
  ReleaseBefore(&reader_, plan, {0, 1}, 45);
  EXPECT_FALSE(reader_.Holds({300, 100}));
  EXPECT_TRUE(reader_.Holds({400, 600}));
  EXPECT_FALSE(reader_.Holds({2000, 100}));
  EXPECT_TRUE(reader_.Holds({2100, 200}));
  ReleaseBefore(&reader_, plan, {0, 1}, 100);
  EXPECT_FALSE(reader_.Holds({900, 100}));
  EXPECT_FALSE(reader_.Holds({2200, 100}));
}

}  // namespace
}  // namespace frazil::scan
