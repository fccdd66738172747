// SPDX-License-Identifier: Apache-2.0
//
// ColumnData: what a column chunk holds, as Dremel levels and the values that are there; and the way from rows to it.
//
//   ARROW_ASSIGN_OR_RAISE(std::vector<ColumnData> columns, Shred(schema, rows));   // one per leaf
//
// Source: the Dremel encoding as in Parquet's "Nested Encoding"; LogicalTypes.md for lists and maps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <arrow/result.h>

#include "tests/filegen/schema.h"
#include "tests/filegen/value.h"

namespace frazil::filegen {

// Values that are not null, in order. The alternative follows from the physical type: BOOLEAN (0 or 1), INT32, INT64,
// INT96, FLOAT, DOUBLE, and text for BYTE_ARRAY as well as FIXED_LEN_BYTE_ARRAY.
using ValueVector = std::variant<std::vector<uint8_t>, std::vector<int32_t>, std::vector<int64_t>, std::vector<Int96>,
                                 std::vector<float>, std::vector<double>, std::vector<std::string>>;

struct ColumnData {
  // One entry per level, also where the leaf's maximum is 0 (then all are 0). Both have the same length.
  std::vector<int16_t> def_levels;
  std::vector<int16_t> rep_levels;
  // One entry per level whose definition level is the leaf's maximum.
  ValueVector values;

  int64_t level_count() const { return static_cast<int64_t>(def_levels.size()); }
};

// The empty vector for a physical type.
ValueVector EmptyValues(::parquet::Type::type physical);
int64_t ValueCount(const ValueVector& values);
// The PLAIN bytes of one value without a length before it; valid as long as `values` is unchanged.
std::string_view PlainView(const ValueVector& values, int64_t index);
// Appends a scalar. Error: invalid, when the Value is not of the vector's kind.
arrow::Status AppendScalar(const Value& value, ValueVector* values);

// Levels and values of every leaf. Error: invalid, naming the node, when a Value does not fit the schema: null in a
// required field, other kind of scalar, wrong number of fields, wrong length of a fixed value.
arrow::Result<std::vector<ColumnData>> Shred(const std::vector<Node>& schema, const std::vector<Row>& rows);

// A flat column stated directly. T is a value type of ValueVector (uint8_t for BOOLEAN).
template <typename T>
ColumnData RequiredColumn(std::vector<T> values) {
  ColumnData data;
  data.def_levels.assign(values.size(), 0);
  data.rep_levels.assign(values.size(), 0);
  data.values = std::move(values);
  return data;
}

template <typename T>
ColumnData OptionalColumn(const std::vector<std::optional<T>>& cells) {
  ColumnData data;
  data.rep_levels.assign(cells.size(), 0);
  std::vector<T> values;
  for (const std::optional<T>& cell : cells) {
    data.def_levels.push_back(cell.has_value() ? 1 : 0);
    if (cell.has_value()) values.push_back(*cell);
  }
  data.values = std::move(values);
  return data;
}

}  // namespace frazil::filegen
