// SPDX-License-Identifier: Apache-2.0
//
// ValueMatcher: one leaf of a filter made ready for the values of one array. Everything that does not depend on the
// row - the array's type, the number of intervals, which search suits them - is decided once, when it is made; what
// is left is a typed loop.
#pragma once

#include <cstdint>
#include <memory>

#include <arrow/array.h>
#include <arrow/result.h>

#include "src/expr/predicate.h"

namespace frazil::expr {

class ValueMatcher {
 public:
  virtual ~ValueMatcher() = default;

  // out[i] = 1 if value `begin + i` matches, else 0. Null values get either: their fate is decided by the caller.
  virtual void Match(int64_t begin, int64_t count, uint8_t* out) = 0;
};

// For columns of Int128 keys and arrays of boolean, integer, floating, temporal and decimal type. The matcher points
// into `array`. Internal error when the array's type is none that `type` decodes to.
arrow::Result<std::unique_ptr<ValueMatcher>> MakeNumberMatcher(const IntervalSet<Int128>& keys, const ColumnType& type,
                                                               const arrow::Array& array);

// For columns of byte keys and arrays of text, binary, fixed-size or wide decimal type. The matcher points into
// `array` and `leaf`. Internal error as above.
arrow::Result<std::unique_ptr<ValueMatcher>> MakeBytesMatcher(const Leaf& leaf, const ColumnType& type,
                                                              const arrow::Array& array);

// The error of both.
arrow::Status ArrayDoesNotFit(const ColumnType& type, const arrow::Array& array);

}  // namespace frazil::expr
