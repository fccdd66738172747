// SPDX-License-Identifier: Apache-2.0
#include "src/expr/key_intervals.h"

namespace frazil::expr {

namespace {

// Values that need scaling have at most 64 bits and scales at most 30, so keys beyond this belong to no value. Clipping
// keeps the products below from overflowing.
constexpr Int128 kScaledKeyMax = Int128{1} << 96;

Int128 FloorDivide(Int128 a, Int128 b) { return a / b - (a % b < 0 ? 1 : 0); }

ClosedInterval<Int128> Scale(ClosedInterval<Int128> keys, ValueScale scale) {
  if (scale.divisor == 1 && scale.factor == 1) return keys;
  const Int128 lo = std::clamp(keys.lo, -kScaledKeyMax, kScaledKeyMax);
  const Int128 hi = std::clamp(keys.hi, -kScaledKeyMax, kScaledKeyMax);
  if (scale.divisor > 1) return {lo * scale.divisor, hi * scale.divisor + (scale.divisor - 1)};
  return {-FloorDivide(-lo, scale.factor), FloorDivide(hi, scale.factor)};
}

}  // namespace

std::vector<ClosedInterval<Int128>> ValueIntervals(const IntervalSet<Int128>& keys, ValueScale scale) {
  std::vector<ClosedInterval<Int128>> intervals;
  intervals.reserve(keys.intervals().size());
  for (const Interval<Int128>& interval : keys.intervals()) {
    const Int128 hi = interval.end ? *interval.end - 1 : std::numeric_limits<Int128>::max();
    const ClosedInterval<Int128> values = Scale({interval.begin, hi}, scale);
    if (values.lo > values.hi) continue;  // no value of the coarser unit lies inside
    // Scaling may close a gap between two intervals.
    if (!intervals.empty() && values.lo <= intervals.back().hi + 1) {
      intervals.back().hi = std::max(intervals.back().hi, values.hi);
    } else {
      intervals.push_back(values);
    }
  }
  return intervals;
}

}  // namespace frazil::expr
