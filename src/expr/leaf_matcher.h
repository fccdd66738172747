// SPDX-License-Identifier: Apache-2.0
//
// LeafMatcher: one leaf over one decoded column, nulls included. Sees through extension types (to their storage) and
// dictionaries (each entry is judged once, rows follow their index), then hands the values to a ValueMatcher.
#pragma once

#include <cstdint>
#include <memory>

#include <arrow/array.h>
#include <arrow/result.h>

#include "src/expr/predicate.h"

namespace frazil::expr {

class LeafMatcher {
 public:
  virtual ~LeafMatcher() = default;

  // out[i] = 1 if row `begin + i` matches, else 0.
  // Error: corrupt, when a dictionary index lies outside of its dictionary.
  virtual arrow::Status Match(int64_t begin, int64_t count, uint8_t* out) = 0;
};

// `leaf` must live as long as the matcher. Leaves that ask only for null or not null take arrays of any type.
// Internal error when the array is none that a column of `type` decodes to.
arrow::Result<std::unique_ptr<LeafMatcher>> MakeLeafMatcher(const Leaf& leaf, const ColumnType& type,
                                                            std::shared_ptr<arrow::Array> array);

}  // namespace frazil::expr
