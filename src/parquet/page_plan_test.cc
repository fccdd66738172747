// SPDX-License-Identifier: Apache-2.0
#include "src/parquet/page_plan.h"

#include <random>

#include <gtest/gtest.h>

#include "src/parquet/page_header.h"

namespace frazil::parquet {
namespace {

using Pages = std::vector<int>;

// Pages of ten bytes each from offset 100, beginning at the given rows.
std::shared_ptr<OffsetIndex> Index(const std::vector<int64_t>& first_rows, int64_t row_count) {
  auto index = std::make_shared<OffsetIndex>();
  for (size_t i = 0; i < first_rows.size(); ++i) {
    index->pages.push_back({100 + 10 * static_cast<int64_t>(i), 10, first_rows[i]});
  }
  index->row_count = row_count;
  return index;
}

TEST(PagesOf, TakesThePagesThatOverlap) {
  const auto index = Index({0, 10, 20, 30}, 35);
  EXPECT_EQ(PagesOf(*index, {}), Pages());
  EXPECT_EQ(PagesOf(*index, {{0, 35}}), (Pages{0, 1, 2, 3}));
  EXPECT_EQ(PagesOf(*index, {{9, 10}}), (Pages{0}));
  EXPECT_EQ(PagesOf(*index, {{10, 11}}), (Pages{1}));
  EXPECT_EQ(PagesOf(*index, {{9, 11}}), (Pages{0, 1}));
  EXPECT_EQ(PagesOf(*index, {{34, 35}}), (Pages{3}));
  // Ends on the last row of a page; two runs in one page; a run that shares the last page of the one before.
  EXPECT_EQ(PagesOf(*index, {{5, 20}}), (Pages{0, 1}));
  EXPECT_EQ(PagesOf(*index, {{1, 2}, {4, 5}, {30, 31}}), (Pages{0, 3}));
  EXPECT_EQ(PagesOf(*index, {{1, 12}, {14, 15}, {19, 21}}), (Pages{0, 1, 2}));
}

TEST(PagesOf, LeavesOutPagesWithoutRows) {
  const auto index = Index({0, 0, 10, 10, 10, 20, 20}, 20);
  EXPECT_EQ(PagesOf(*index, {{0, 20}}), (Pages{1, 4}));
  EXPECT_EQ(PagesOf(*index, {{9, 10}}), (Pages{1}));
  EXPECT_EQ(PagesOf(*index, {{10, 11}}), (Pages{4}));
  EXPECT_EQ(PagesOf(*index, {{19, 20}}), (Pages{4}));
}

TEST(PagesOf, AgreesWithLookingAtEachPage) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int turn = 0; turn < 500; ++turn) {
    std::vector<int64_t> first_rows{0};
    while (random() % 12 != 0) first_rows.push_back(first_rows.back() + random() % 4);
    const int64_t row_count = first_rows.back() + random() % 4;
    const auto index = Index(first_rows, row_count);
    RowRanges rows;
    for (int64_t at = random() % 5; at < row_count;) {
      const int64_t end = std::min<int64_t>(row_count, at + 1 + random() % 5);
      rows.Append(at, end);
      at = end + 1 + random() % 7;
    }
    Pages expected;
    for (int page = 0; page < index->page_count(); ++page) {
      if (rows.Overlaps(index->first_row(page), index->end_row(page))) expected.push_back(page);
    }
    EXPECT_EQ(PagesOf(*index, rows), expected) << rows.ToString();
  }
}

ColumnChunk Chunk(std::vector<PageEncodingStats> stats, std::vector<int> encodings = {}) {
  ColumnChunk chunk;
  chunk.encoding_stats = std::move(stats);
  chunk.encodings = std::move(encodings);
  return chunk;
}

// A chunk of bytes [80, 140): 20 bytes in front of the first of four data pages.
ChunkPlan PlanRows(const ColumnChunk& chunk, const RowRanges& rows) {
  return PlanChunk(chunk, {80, 60}, Index({0, 10, 20, 30}, 40), rows, 40);
}

TEST(PlanChunk, WithoutAnIndexTheChunkIsPlannedWhole) {
  const ChunkPlan plan = PlanChunk({}, {80, 60}, nullptr, {{3, 4}}, 40);
  EXPECT_EQ(plan.Ranges(), (std::vector<ByteRange>{{80, 60}}));
  EXPECT_EQ(plan.page_rows, RowRanges::Of(0, 40));
  EXPECT_EQ(plan.page_count_total(), 0);
  EXPECT_EQ(plan.RangeBytes(), 60);
}

TEST(PlanChunk, HoldsTheRowsOfItsPages) {
  const ChunkPlan plan = PlanRows({}, {{12, 13}, {39, 40}});
  EXPECT_EQ(plan.pages, (Pages{1, 3}));
  EXPECT_EQ(plan.page_rows, (RowRanges{{10, 20}, {30, 40}}));
  EXPECT_EQ(plan.Ranges(), (std::vector<ByteRange>{{110, 10}, {130, 10}}));
  EXPECT_EQ(plan.RangeBytes(), 20);
  EXPECT_EQ(plan.page_count_total(), 4);
  EXPECT_EQ(PlanRows({}, {}).Ranges(), std::vector<ByteRange>());
}

TEST(PlanChunk, ThereIsNoDictionaryWhereTheFirstPageBegins) {
  const ChunkPlan plan = PlanChunk(Chunk({}, {kEncodingRleDictionary}), {100, 40}, Index({0, 10}, 20), {{0, 1}}, 20);
  EXPECT_FALSE(plan.dictionary_range.has_value());
  EXPECT_FALSE(plan.dictionary_predicted);
}

TEST(PlanChunk, TheDictionaryIsPlannedForTheFirstPagesThatStatisticsCount) {
  // Two data pages use it (one of each version), then the writer fell back.
  const ColumnChunk chunk = Chunk({{2, kEncodingPlain, 1},
                                   {0, kEncodingPlainDictionary, 1},
                                   {3, kEncodingRleDictionary, 1},
                                   {0, kEncodingPlain, 2}});
  const ChunkPlan second = PlanRows(chunk, {{10, 11}});
  EXPECT_TRUE(second.dictionary_predicted);
  EXPECT_EQ(second.dictionary_range, (ByteRange{80, 20}));
  EXPECT_EQ(second.Ranges(), (std::vector<ByteRange>{{80, 20}, {110, 10}}));
  const ChunkPlan third = PlanRows(chunk, {{20, 21}});
  EXPECT_FALSE(third.dictionary_predicted);
  EXPECT_EQ(third.dictionary_range, (ByteRange{80, 20})) << "known, should a page want it after all";
  EXPECT_EQ(third.Ranges(), (std::vector<ByteRange>{{120, 10}}));
  EXPECT_FALSE(PlanRows(chunk, {}).dictionary_predicted);
}

TEST(PlanChunk, WithoutStatisticsTheEncodingsDecide) {
  const RowRanges last = RowRanges::Of(39, 40);
  // PLAIN is the dictionary page's own encoding and proves nothing.
  EXPECT_TRUE(PlanRows(Chunk({}, {kEncodingPlain, kEncodingRle, kEncodingRleDictionary}), last).dictionary_predicted);
  EXPECT_FALSE(PlanRows(Chunk({}, {kEncodingPlain, kEncodingRle}), last).dictionary_predicted);
  constexpr int kDelta = 5;
  EXPECT_FALSE(PlanRows(Chunk({}, {kEncodingRleDictionary, kDelta}), last).dictionary_predicted);
  // Counts that are not positive count nothing.
  EXPECT_FALSE(PlanRows(Chunk({{0, kEncodingRleDictionary, -5}}), {{0, 1}}).dictionary_predicted);
}

TEST(PlanChunk, HundredThousandPages) {
  auto index = std::make_shared<OffsetIndex>();
  constexpr int kPages = 100'000;
  for (int page = 0; page < kPages; ++page) index->pages.push_back({4 + 7 * int64_t{page}, 7, 3 * int64_t{page}});
  index->row_count = 3 * kPages;
  RowRanges rows;
  for (int64_t row = 2; row < index->row_count; row += 3000) rows.Append(row, row + 1);
  const ChunkPlan plan = PlanChunk({}, {4, 7 * kPages}, index, rows, index->row_count);
  ASSERT_EQ(plan.pages.size(), 100u);
  for (size_t i = 0; i < plan.pages.size(); ++i) EXPECT_EQ(plan.pages[i], static_cast<int>(i) * 1000);
  EXPECT_EQ(plan.RangeBytes(), 700);
}

}  // namespace
}  // namespace frazil::parquet
