// SPDX-License-Identifier: Apache-2.0
//
// IntProbe against a linear search: every value of an 8-bit type, random sets that take each way; then unit scaling.
#include "src/expr/int_probe.h"

#include <random>

#include <gtest/gtest.h>

#include "src/expr/key_intervals.h"

namespace frazil::expr {
namespace {

template <typename T>
void ExpectProbe(const std::vector<ClosedInterval<T>>& intervals, const std::vector<T>& values) {
  const IntProbe<T> probe(intervals);
  std::vector<uint8_t> out(values.size(), 9);
  probe.Match(values.data(), static_cast<int64_t>(values.size()), out.data());
  for (size_t i = 0; i < values.size(); ++i) {
    bool expected = false;
    for (const auto& interval : intervals) {
      expected = expected || (interval.lo <= values[i] && values[i] <= interval.hi);
    }
    ASSERT_EQ(out[i], expected) << "value " << i;
  }
}

// Ascending, disjoint, not adjacent intervals cut out of [least, greatest] by a run-length walk.
template <typename T>
std::vector<ClosedInterval<T>> DrawIntervals(std::mt19937_64& random, uint64_t gap_max, uint64_t length_max) {
  std::vector<ClosedInterval<T>> intervals;
  Int128 at = std::numeric_limits<T>::min();
  at += random() % gap_max;
  while (at <= std::numeric_limits<T>::max() && intervals.size() < 1000) {
    const Int128 hi = std::min<Int128>(at + random() % length_max, std::numeric_limits<T>::max());
    intervals.push_back({static_cast<T>(at), static_cast<T>(hi)});
    at = hi + 2 + random() % gap_max;
  }
  return intervals;
}

TEST(IntProbe, EveryByte) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  std::vector<int8_t> signed_values;
  std::vector<uint8_t> unsigned_values;
  for (int value = 0; value < 256; ++value) {
    signed_values.push_back(static_cast<int8_t>(value));
    unsigned_values.push_back(static_cast<uint8_t>(value));
  }
  ExpectProbe<int8_t>({}, signed_values);
  ExpectProbe<int8_t>({{-128, 127}}, signed_values);
  for (const uint64_t gap_max : {1, 2, 10, 60}) {
    for (const uint64_t length_max : {1, 2, 10, 60}) {
      for (int round = 0; round < 20; ++round) {
        ExpectProbe<int8_t>(DrawIntervals<int8_t>(random, gap_max, length_max), signed_values);
        ExpectProbe<uint8_t>(DrawIntervals<uint8_t>(random, gap_max, length_max), unsigned_values);
      }
    }
  }
}

TEST(IntProbe, NoValuesNeedNoMemory) {
  IntProbe<int64_t>({}).Match(nullptr, 0, nullptr);
  IntProbe<int64_t>({{1, 2}}).Match(nullptr, 0, nullptr);
}

template <typename T>
void ExpectWideProbes(std::mt19937_64& random) {
  for (const uint64_t gap_max : {uint64_t{1}, uint64_t{50}, uint64_t{1} << 40}) {
    for (const uint64_t length_max : {uint64_t{1}, uint64_t{3}, uint64_t{1} << 40}) {
      const std::vector<ClosedInterval<T>> intervals = DrawIntervals<T>(random, gap_max, length_max);
      std::vector<T> values{std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), 0};
      for (int i = 0; i < 3000 && !intervals.empty(); ++i) {
        const auto& interval = intervals[random() % intervals.size()];
        using U = typename IntProbe<T>::U;
        const T base = random() % 2 ? interval.lo : interval.hi;
        values.push_back(static_cast<T>(static_cast<U>(base) + static_cast<U>(random() % 5) - 2));
      }
      ExpectProbe<T>(intervals, values);
    }
  }
}

TEST(IntProbe, WideTypes) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  ExpectWideProbes<int32_t>(random);
  ExpectWideProbes<int64_t>(random);
  ExpectWideProbes<uint64_t>(random);
  ExpectWideProbes<Int128>(random);
}

TEST(IntProbe, NothingButOneValue) {
  // NOT IN: the complement of points, up to both ends of the type.
  std::vector<ClosedInterval<int64_t>> intervals;
  int64_t begin = std::numeric_limits<int64_t>::min();
  for (int64_t point = 0; point < 100; point += 10) {
    intervals.push_back({begin, point - 1});
    begin = point + 1;
  }
  intervals.push_back({begin, std::numeric_limits<int64_t>::max()});
  ExpectProbe<int64_t>(intervals, {-1, 0, 1, 9, 10, 11, 90, 91, std::numeric_limits<int64_t>::min(),
                                   std::numeric_limits<int64_t>::max()});
}

int64_t FloorDivide(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

TEST(ValueIntervals, ScalingMeansWhatItSays) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 300; ++round) {
    IntervalSet<Int128> keys;
    for (int i = 0; i < 4; ++i) {
      const auto lo = static_cast<int64_t>(random() % 80) - 40;
      keys = keys.Union(IntervalSet<Int128>::Range(lo, Int128{lo + static_cast<int64_t>(random() % 12)}));
    }
    if (round % 2) keys = keys.Complement();
    for (const ValueScale scale : {ValueScale{1, 1}, ValueScale{10, 1}, ValueScale{1, 10}}) {
      const auto intervals = ClipTo<int64_t>(ValueIntervals(keys, scale));
      for (size_t i = 1; i < intervals.size(); ++i) ASSERT_GT(intervals[i].lo - 1, intervals[i - 1].hi);
      for (int64_t value = -500; value <= 500; ++value) {
        bool held = false;
        for (const auto& interval : intervals) held = held || (interval.lo <= value && value <= interval.hi);
        ASSERT_EQ(held, keys.Contains(FloorDivide(value, scale.divisor) * scale.factor)) << value;
      }
    }
  }
}

TEST(ValueIntervals, KeysFarOutsideBelongToNoValue) {
  using Ints = IntervalSet<Int128>;
  const Int128 huge = Int128{1} << 120;
  for (const ValueScale scale : {ValueScale{1, 1}, ValueScale{86'400'000, 1}, ValueScale{1, 1'000'000'000}}) {
    EXPECT_TRUE(ClipTo<int64_t>(ValueIntervals(Ints::Point(huge), scale)).empty());
    EXPECT_TRUE(ClipTo<int64_t>(ValueIntervals(Ints::Point(-huge), scale)).empty());
    const auto all = ClipTo<int64_t>(ValueIntervals(Ints::All(), scale));
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].lo, std::numeric_limits<int64_t>::min());
    EXPECT_EQ(all[0].hi, std::numeric_limits<int64_t>::max());
  }
  EXPECT_TRUE(ClipTo<int8_t>(ValueIntervals(Ints::Range(128, std::nullopt), {})).empty());
}

}  // namespace
}  // namespace frazil::expr
