// SPDX-License-Identifier: Apache-2.0
//
// From intervals of keys to intervals of an array's own values. Keys are in the column's unit; arrays may hold another
// one (days as milliseconds, milliseconds as nanoseconds). The few intervals are converted, never the many values.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "src/expr/int_probe.h"
#include "src/expr/interval_set.h"
#include "src/expr/type.h"

namespace frazil::expr {

// How array values become keys: key = floor(value / divisor) * factor. At most one of the two is not 1.
struct ValueScale {
  int64_t divisor = 1;
  int64_t factor = 1;
};

// The array values whose keys are in `keys`; ascending, disjoint.
std::vector<ClosedInterval<Int128>> ValueIntervals(const IntervalSet<Int128>& keys, ValueScale scale);

// The part of `intervals` that T can represent.
template <typename T>
std::vector<ClosedInterval<T>> ClipTo(const std::vector<ClosedInterval<Int128>>& intervals) {
  std::vector<ClosedInterval<T>> clipped;
  for (const ClosedInterval<Int128>& interval : intervals) {
    const Int128 lo = std::max<Int128>(interval.lo, std::numeric_limits<T>::min());
    const Int128 hi = std::min<Int128>(interval.hi, std::numeric_limits<T>::max());
    if (lo <= hi) clipped.push_back({static_cast<T>(lo), static_cast<T>(hi)});
  }
  return clipped;
}

}  // namespace frazil::expr
