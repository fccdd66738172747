// SPDX-License-Identifier: Apache-2.0
//
// Word-at-a-time mask operations against row-at-a-time ones, at every alignment and length.
#include "src/expr/row_mask.h"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace frazil::expr {
namespace {

class RowMask : public testing::Test {
 protected:
  RowMask() : seed_(std::random_device{}()), random_(seed_) {}
  void SetUp() override { RecordProperty("seed", std::to_string(seed_)); }

  // Exactly as many bytes as the bits need, so that a sanitizer sees a read behind the end.
  std::vector<uint8_t> Bitmap(int64_t bit_count, unsigned ones_of_8) {
    std::vector<uint8_t> bitmap(static_cast<size_t>((bit_count + 7) / 8));
    for (int64_t i = 0; i < bit_count; ++i) {
      if (random_() % 8 < ones_of_8) bitmap[static_cast<size_t>(i / 8)] |= static_cast<uint8_t>(1 << (i % 8));
    }
    return bitmap;
  }
  std::vector<uint8_t> Mask(int64_t row_count, unsigned stay) {
    std::vector<uint8_t> mask(static_cast<size_t>(row_count));
    uint8_t value = random_() % 2;
    for (uint8_t& byte : mask) {
      if (random_() % stay == 0) value ^= 1;
      byte = value;
    }
    return mask;
  }
  static bool Bit(const std::vector<uint8_t>& bitmap, int64_t at) {
    return (bitmap[static_cast<size_t>(at / 8)] >> (at % 8)) & 1;
  }

  unsigned seed_;
  std::mt19937 random_;
};

TEST_F(RowMask, BitmapsAtEveryOffsetAndLength) {
  SCOPED_TRACE("seed " + std::to_string(seed_));
  for (int64_t offset = 0; offset < 17; ++offset) {
    for (int64_t rows = 0; rows < 40; ++rows) {
      const std::vector<uint8_t> bitmap = Bitmap(offset + rows, random_() % 9);
      std::vector<uint8_t> mask(static_cast<size_t>(rows), 7);
      MaskFromBitmap(bitmap.data(), offset, rows, mask.data());
      for (int64_t i = 0; i < rows; ++i) ASSERT_EQ(mask[static_cast<size_t>(i)], Bit(bitmap, offset + i));
      for (const bool matches_null : {false, true}) {
        const std::vector<uint8_t> before = Mask(rows, 3);
        std::vector<uint8_t> after = before;
        ApplyValidity(bitmap.data(), offset, rows, matches_null, after.data());
        for (int64_t i = 0; i < rows; ++i) {
          const auto at = static_cast<size_t>(i);
          ASSERT_EQ(after[at], Bit(bitmap, offset + i) ? before[at] : uint8_t{matches_null});
        }
      }
    }
  }
}

TEST_F(RowMask, NoBitmapMeansNoNulls) {
  std::vector<uint8_t> mask{1, 0, 1};
  ApplyValidity(nullptr, 0, 3, true, mask.data());
  EXPECT_EQ(mask, (std::vector<uint8_t>{1, 0, 1}));
}

TEST_F(RowMask, AndOrEmptyFull) {
  SCOPED_TRACE("seed " + std::to_string(seed_));
  for (int64_t rows = 0; rows < 40; ++rows) {
    const std::vector<uint8_t> a = Mask(rows, 2);
    const std::vector<uint8_t> b = Mask(rows, 2);
    std::vector<uint8_t> both = a;
    std::vector<uint8_t> either = a;
    MaskAnd(b.data(), rows, both.data());
    MaskOr(b.data(), rows, either.data());
    int ones = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(both[i], a[i] & b[i]);
      ASSERT_EQ(either[i], a[i] | b[i]);
      ones += a[i];
    }
    EXPECT_EQ(MaskIsEmpty(a.data(), rows), ones == 0);
    EXPECT_EQ(MaskIsFull(a.data(), rows), ones == rows);
  }
}

TEST_F(RowMask, RunsAgainstRowAtATime) {
  SCOPED_TRACE("seed " + std::to_string(seed_));
  for (int round = 0; round < 3000; ++round) {
    const int64_t rows = random_() % 100;
    const std::vector<uint8_t> mask = Mask(rows, random_() % 30 + 1);
    RowRanges expected;
    for (int64_t i = 0; i < rows; ++i) {
      if (mask[static_cast<size_t>(i)]) expected.Append(1000 + i, 1001 + i);
    }
    RowRanges ranges;
    AppendRuns(mask.data(), rows, 1000, &ranges);
    ASSERT_EQ(ranges, expected);
  }
}

TEST_F(RowMask, RunsAcrossBlocksAreMerged) {
  const std::vector<uint8_t> ones(16, 1);
  RowRanges ranges;
  AppendRuns(ones.data(), 16, 0, &ranges);
  AppendRuns(ones.data(), 16, 16, &ranges);
  EXPECT_EQ(ranges.ToString(), "[0,32)");
}

}  // namespace
}  // namespace frazil::expr
