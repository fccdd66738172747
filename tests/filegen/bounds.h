// SPDX-License-Identifier: Apache-2.0
//
// Bounds as a writer makes them: smallest and largest value in the order of the column, NaN and zero by the rules,
// cut short when asked. Bounds are PLAIN bytes without a length.
// Source: parquet.thrift ColumnOrder, Statistics, ColumnIndex.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tests/filegen/column_data.h"
#include "tests/filegen/file_spec.h"
#include "tests/filegen/schema.h"

namespace frazil::filegen {

enum class SortOrder {
  kNone,  // undefined: no bounds
  kBool,
  kInt32,
  kUInt32,
  kInt64,
  kUInt64,
  kFloat16,
  kFloat,
  kDouble,
  kBytes,        // unsigned
  kSignedBytes,  // what old writers did to text
  kBigEndian,    // two's complement of any length: decimals
  kInt96,        // days, then nanoseconds
};

SortOrder OrderOf(const Node& leaf);
// By signed comparison, as the legacy min and max are.
SortOrder LegacyOrderOf(const Node& leaf);
bool IsFloating(const Node& leaf);

// Negative, 0 or positive. Floats by IEEE 754 total order when `ieee`, else by value: NaN is equal to nothing there and
// must be kept away.
int CompareBounds(SortOrder order, bool ieee, std::string_view a, std::string_view b);
bool IsNan(SortOrder order, std::string_view value);

struct Bounds {
  std::string min;
  std::string max;
};

struct BoundsOfValues {
  std::optional<Bounds> bounds;  // unset: no values, or only NaN under type-defined order, or no order
  int64_t nan_count = 0;
  bool only_nan = false;  // there are values and all are NaN
};

// Of values [begin, end). `ieee` is the column's order.
BoundsOfValues ComputeBounds(SortOrder order, bool ieee, NanPolicy nan, const ValueVector& values, int64_t begin,
                             int64_t end);

// Whether bounds of the leaf may be cut: byte arrays of text or without annotation.
bool MayTruncate(const Node& leaf);
// At most `bytes_max` bytes, at or below `value`: a prefix, of whole characters for text.
std::string TruncateMin(const Node& leaf, const std::string& value, int bytes_max);
// At or above `value`: a prefix with its last character or byte raised by one, shorter when that one is the greatest;
// `value` itself when no prefix can be raised. At most `bytes_max` bytes, unless it is `value` itself.
std::string TruncateMax(const Node& leaf, const std::string& value, int bytes_max);

}  // namespace frazil::filegen
