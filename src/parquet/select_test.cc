// SPDX-License-Identifier: Apache-2.0
#include "src/parquet/select.h"

#include <random>

#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/scalar.h>
#include <gtest/gtest.h>

namespace frazil::parquet {
namespace {

std::shared_ptr<arrow::Array> Counting(int64_t count) {
  arrow::Int64Builder builder;
  for (int64_t i = 0; i < count; ++i) EXPECT_TRUE((i % 5 == 4 ? builder.AppendNull() : builder.Append(i)).ok());
  return builder.Finish().ValueOrDie();
}

void ExpectRanks(const std::shared_ptr<arrow::Array>& array, const RowRanges& ranks) {
  const auto selected = SelectRanks(array, ranks).ValueOrDie();
  ASSERT_EQ(selected->length(), ranks.count());
  int64_t at = 0;
  for (const RowRange& run : ranks.runs()) {
    for (int64_t rank = run.begin; rank < run.end; ++rank, ++at) {
      ASSERT_TRUE(selected->GetScalar(at).ValueOrDie()->Equals(*array->GetScalar(rank).ValueOrDie())) << rank;
    }
  }
}

TEST(SelectRanks, NoneOneAndAll) {
  const auto array = Counting(20);
  EXPECT_EQ(SelectRanks(array, {}).ValueOrDie()->length(), 0);
  EXPECT_EQ(SelectRanks(array, {{0, 20}}).ValueOrDie(), array) << "not copied";
  ExpectRanks(array, {{19, 20}});
  ExpectRanks(array, {{3, 9}});
}

TEST(SelectRanks, FewAndManyRuns) {
  // Joined slices up to some number of runs, Arrow's kernel beyond.
  for (const int64_t runs : {2, 511, 512, 513, 2000}) {
    RowRanges ranks;
    for (int64_t run = 0; run < runs; ++run) ranks.Append(3 * run + 1, 3 * run + (run % 2 == 0 ? 2 : 3));
    ExpectRanks(Counting(3 * runs + 1), ranks);
  }
}

TEST(SelectRanks, OfASlice) {
  const auto slice = Counting(3000)->Slice(7, 2500);
  RowRanges ranks;
  for (int64_t rank = 0; rank < 2500; rank += 4) ranks.Append(rank, rank + 1);
  ExpectRanks(slice, ranks);
  ExpectRanks(slice, {{0, 1}, {2499, 2500}});
}

TEST(FillGaps, FillsGapsThatAreShorter) {
  const RowRanges rows{{0, 2}, {4, 5}, {10, 12}, {15, 16}};
  EXPECT_EQ(FillGaps(rows, 1), rows);
  EXPECT_EQ(FillGaps(rows, 3), (RowRanges{{0, 5}, {10, 12}, {15, 16}}));
  EXPECT_EQ(FillGaps(rows, 4), (RowRanges{{0, 5}, {10, 16}}));
  EXPECT_EQ(FillGaps(rows, 100), RowRanges::Of(0, 16));
  EXPECT_EQ(FillGaps({}, 100), RowRanges());
}

TEST(RanksWithin, CountRowsOfTheSetAlone) {
  const RowRanges rows{{10, 20}, {30, 32}, {40, 41}};
  EXPECT_EQ(RanksWithin(rows, rows), RowRanges::Of(0, 13));
  EXPECT_EQ(RanksWithin(rows, {{10, 11}}), RowRanges::Of(0, 1));
  EXPECT_EQ(RanksWithin(rows, {{19, 20}, {31, 32}}), (RowRanges{{9, 10}, {11, 12}}));
  EXPECT_EQ(RanksWithin(rows, {{40, 41}}), RowRanges::Of(12, 13));
  EXPECT_EQ(RanksWithin(rows, {}), RowRanges());
  // A subset across neighbours that touch in rank.
  EXPECT_EQ(RanksWithin(rows, {{18, 20}, {30, 31}}), RowRanges::Of(8, 11));
}

TEST(RanksWithin, IsTheInverseOfSelect) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int turn = 0; turn < 300; ++turn) {
    RowRanges rows;
    for (int64_t at = random() % 5; at < 200; at += 1 + random() % 9) {
      const int64_t end = at + 1 + random() % 6;
      rows.Append(at, end);
      at = end;
    }
    RowRanges ranks;
    for (int64_t at = random() % 4; at < rows.count();) {
      const int64_t end = std::min<int64_t>(rows.count(), at + 1 + random() % 8);
      ranks.Append(at, end);
      at = end + 1 + random() % 5;
    }
    EXPECT_EQ(RanksWithin(rows, rows.Select(ranks)), ranks) << rows.ToString() << " | " << ranks.ToString();
  }
}

}  // namespace
}  // namespace frazil::parquet
