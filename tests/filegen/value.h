// SPDX-License-Identifier: Apache-2.0
//
// Value: one value of a row as a tree, in the words of Parquet's physical types. Tests state rows as Values, get
// the levels of every leaf by Shred (column_data.h) and the Arrow arrays by ModelToArrow (model_to_arrow.h).
//
//   null                       Value()
//   BOOLEAN                    Value(true)
//   INT32, INT64               Value(int32_t{1}), Value(int64_t{1}): also dates, times, unsigned integers (their bits),
//                              decimals (unscaled)
//   INT96, FLOAT, DOUBLE       Value(Int96{...}), Value(1.5f), Value(1.5)
//   BYTE_ARRAY and FIXED       Value("text"): also decimals (big-endian), UUIDs, float16 (2 bytes, little-endian)
//   list, map, bare repeated   Value(List{{...}}); the items of a map are Structs {key, value}
//   group                      Value(Struct{{...}}), one field per child
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <parquet/types.h>

namespace frazil::filegen {

using Int96 = ::parquet::Int96;

struct Value;

struct List {
  std::vector<Value> items;
};

struct Struct {
  std::vector<Value> fields;
};

struct Value {
  std::variant<std::monostate, bool, int32_t, int64_t, Int96, float, double, std::string, List, Struct> data;

  Value() = default;
  explicit Value(bool value) : data(value) {}
  explicit Value(int32_t value) : data(value) {}
  explicit Value(int64_t value) : data(value) {}
  explicit Value(Int96 value) : data(value) {}
  explicit Value(float value) : data(value) {}
  explicit Value(double value) : data(value) {}
  explicit Value(const char* value) : data(std::string(value)) {}
  explicit Value(std::string value) : data(std::move(value)) {}
  explicit Value(List value) : data(std::move(value)) {}
  explicit Value(Struct value) : data(std::move(value)) {}

  bool is_null() const { return std::holds_alternative<std::monostate>(data); }
  // The value as T, null when it is something else.
  template <typename T>
  const T* get() const {
    return std::get_if<T>(&data);
  }
};

// One Value per child of the schema's root.
using Row = std::vector<Value>;

// The value that a path of field ordinals leads to: {2, 0} is the first field of the group in column 2. A null group
// on the way gives null. REQUIRES: the path leads through groups only, not through lists or maps.
const Value& ValueAt(const Row& row, const std::vector<int>& path);

}  // namespace frazil::filegen
