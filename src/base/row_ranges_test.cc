// SPDX-License-Identifier: Apache-2.0
//
// RowRanges against a bitmap: every set over a small universe, then random ones over a larger one.
#include "src/base/row_ranges.h"

#include <algorithm>
#include <functional>
#include <random>

#include <gtest/gtest.h>

namespace frazil {
namespace {

using Bits = std::vector<bool>;

RowRanges FromBits(const Bits& bits) {
  RowRanges result;
  for (size_t row = 0; row < bits.size(); ++row) {
    if (bits[row]) result.Append(static_cast<int64_t>(row), static_cast<int64_t>(row) + 1);
  }
  return result;
}

Bits ToBits(const RowRanges& ranges, size_t universe) {
  Bits bits(universe, false);
  for (const RowRange& run : ranges.runs()) {
    for (int64_t row = run.begin; row < run.end; ++row) bits.at(static_cast<size_t>(row)) = true;
  }
  return bits;
}

Bits BitsOf(unsigned mask, size_t universe) {
  Bits bits(universe, false);
  for (size_t row = 0; row < universe; ++row) bits[row] = (mask >> row) & 1;
  return bits;
}

// Sorted, disjoint, not adjacent, not empty.
void ExpectNormal(const RowRanges& ranges) {
  int64_t last_end = INT64_MIN;
  for (const RowRange& run : ranges.runs()) {
    EXPECT_LT(run.begin, run.end) << ranges.ToString();
    EXPECT_GT(run.begin, last_end) << ranges.ToString();
    last_end = run.end;
  }
}

template <typename Op>
Bits Zip(const Bits& a, const Bits& b, Op op) {
  Bits out(a.size());
  for (size_t i = 0; i < a.size(); ++i) out[i] = op(a[i], b[i]);
  return out;
}

Bits KeepRanks(const Bits& bits, const std::function<bool(int64_t)>& keep) {
  Bits out(bits.size(), false);
  int64_t rank = 0;
  for (size_t i = 0; i < bits.size(); ++i) {
    if (bits[i]) out[i] = keep(rank++);
  }
  return out;
}

void CheckPair(const Bits& a_bits, const Bits& b_bits) {
  const RowRanges a = FromBits(a_bits);
  const RowRanges b = FromBits(b_bits);
  SCOPED_TRACE("a = " + a.ToString() + ", b = " + b.ToString());
  const Bits both = Zip(a_bits, b_bits, [](bool x, bool y) { return x && y; });
  const Bits either = Zip(a_bits, b_bits, [](bool x, bool y) { return x || y; });
  const Bits minus = Zip(a_bits, b_bits, [](bool x, bool y) { return x && !y; });
  EXPECT_EQ(a.Intersect(b), FromBits(both));
  EXPECT_EQ(a.Union(b), FromBits(either));
  EXPECT_EQ(a.Difference(b), FromBits(minus));
  EXPECT_EQ(a.Overlaps(b), std::count(both.begin(), both.end(), true) > 0);
  EXPECT_EQ(a.Covers(b), both == b_bits);
  EXPECT_EQ(a.Select(b), FromBits(KeepRanks(a_bits, [&](int64_t rank) { return b_bits[static_cast<size_t>(rank)]; })));
  ExpectNormal(a.Intersect(b));
  ExpectNormal(a.Union(b));
  ExpectNormal(a.Difference(b));
  ExpectNormal(a.Select(b));
}

void CheckSpan(const Bits& bits, int64_t begin, int64_t end) {
  const RowRanges a = FromBits(bits);
  SCOPED_TRACE("a = " + a.ToString() + ", [" + std::to_string(begin) + "," + std::to_string(end) + ")");
  Bits inside(bits.size(), false);
  for (size_t row = 0; row < bits.size(); ++row) {
    inside[row] = bits[row] && static_cast<int64_t>(row) >= begin && static_cast<int64_t>(row) < end;
  }
  EXPECT_EQ(a.Slice(begin, end), FromBits(inside));
  EXPECT_EQ(a.Overlaps(begin, end), std::count(inside.begin(), inside.end(), true) > 0);
  EXPECT_EQ(a.SliceByRank(begin, end), FromBits(KeepRanks(bits, [&](int64_t r) { return r >= begin && r < end; })));
  EXPECT_EQ(a.First(end), FromBits(KeepRanks(bits, [&](int64_t r) { return r < end; })));
}

TEST(RowRanges, EmptySet) {
  const RowRanges none;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.count(), 0);
  EXPECT_FALSE(none.Contains(0));
  EXPECT_TRUE(none.Covers(none));
  EXPECT_FALSE(none.Overlaps(none));
  EXPECT_EQ(none.ToString(), "");
  EXPECT_EQ(RowRanges::Of(5, 5), none);
  EXPECT_EQ(RowRanges::Of(7, 3), none);
  EXPECT_EQ((RowRanges{{3, 3}, {9, 2}}), none);
  EXPECT_EQ(none.Select(RowRanges::Of(0, 10)), none);
}

TEST(RowRanges, NormalisesAnyInput) {
  const RowRanges ranges{{20, 30}, {0, 5}, {5, 10}, {25, 27}, {7, 9}, {40, 40}};
  EXPECT_EQ(ranges.ToString(), "[0,10) [20,30)");
  EXPECT_EQ(ranges.count(), 20);
}

TEST(RowRanges, AppendMergesAdjacentRuns) {
  RowRanges ranges;
  ranges.Append(0, 3);
  ranges.Append(3, 3);
  ranges.Append(3, 5);
  ranges.Append(6, 7);
  EXPECT_EQ(ranges.ToString(), "[0,5) [6,7)");
}

TEST(RowRanges, HeaderExample) {
  const RowRanges a{{0, 10}, {20, 30}};
  EXPECT_EQ(a.Intersect(RowRanges::Of(5, 25)).ToString(), "[5,10) [20,25)");
}

TEST(RowRanges, LargeOrdinals) {
  constexpr int64_t kMax = INT64_MAX;
  const RowRanges a{{0, 1}, {kMax - 2, kMax}};
  EXPECT_TRUE(a.Contains(kMax - 1));
  EXPECT_FALSE(a.Contains(kMax));
  EXPECT_EQ(a.Slice(INT64_MIN, kMax), a);
  EXPECT_EQ(a.SliceByRank(INT64_MIN, kMax), a);
  EXPECT_EQ(a.SliceByRank(1, kMax).ToString(), RowRanges::Of(kMax - 2, kMax).ToString());
}

TEST(RowRanges, ShiftAndSelectAreInverseOfRanking) {
  const RowRanges a{{100, 110}, {200, 205}};
  EXPECT_EQ(a.Shift(-100).ToString(), "[0,10) [100,105)");
  EXPECT_EQ(a.Shift(-100).Shift(100), a);
  EXPECT_EQ(a.Select(RowRanges::Of(8, 12)).ToString(), "[108,110) [200,202)");
  EXPECT_EQ(a.Select(RowRanges::Of(14, 99)).ToString(), "[204,205)");
}

TEST(RowRanges, ExhaustiveOverSmallUniverse) {
  constexpr size_t kRows = 7;
  for (unsigned a = 0; a < 1u << kRows; ++a) {
    const Bits a_bits = BitsOf(a, kRows);
    const RowRanges set = FromBits(a_bits);
    EXPECT_EQ(ToBits(set, kRows), a_bits);
    EXPECT_EQ(set.count(), std::count(a_bits.begin(), a_bits.end(), true));
    for (int64_t row = -1; row <= static_cast<int64_t>(kRows); ++row) {
      const bool held = row >= 0 && row < static_cast<int64_t>(kRows) && a_bits[static_cast<size_t>(row)];
      EXPECT_EQ(set.Contains(row), held);
    }
    for (unsigned b = 0; b < 1u << kRows; ++b) CheckPair(a_bits, BitsOf(b, kRows));
    for (int64_t begin = -1; begin <= static_cast<int64_t>(kRows) + 1; ++begin) {
      for (int64_t end = -1; end <= static_cast<int64_t>(kRows) + 1; ++end) CheckSpan(a_bits, begin, end);
    }
    if (testing::Test::HasFailure()) return;
  }
}

TEST(RowRanges, RandomAgainstBitmap) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  constexpr size_t kRows = 300;
  // Run lengths from single rows to long stretches.
  auto draw = [&] {
    Bits bits(kRows, false);
    const unsigned stay = random() % 60 + 1;
    bool on = random() % 2 == 0;
    for (size_t row = 0; row < kRows; ++row) {
      if (random() % stay == 0) on = !on;
      bits[row] = on;
    }
    return bits;
  };
  for (int round = 0; round < 500 && !testing::Test::HasFailure(); ++round) {
    const Bits a = draw();
    CheckPair(a, draw());
    CheckSpan(a, static_cast<int64_t>(random() % kRows), static_cast<int64_t>(random() % kRows));
    // Any cover of the set by overlapping pieces in any order gives the set back.
    std::vector<RowRange> pieces;
    for (const RowRange& run : FromBits(a).runs()) {
      const int64_t middle = run.begin + static_cast<int64_t>(random() % static_cast<unsigned>(run.count()));
      pieces.push_back({run.begin, middle});
      pieces.push_back({std::max(run.begin, middle - 1), run.end});
    }
    std::shuffle(pieces.begin(), pieces.end(), random);
    EXPECT_EQ(RowRanges::FromUnsorted(pieces), FromBits(a));
  }
}

}  // namespace
}  // namespace frazil
