// SPDX-License-Identifier: Apache-2.0
//
// A filter as a tree that is evaluated one row at a time, by the rules of docs/reference/filters.md written down once
// more: what the oracle holds the product to.
#pragma once

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/api.h>

namespace frazil {

// One value that can be compared: a whole number (also a decimal's digits, a date, a boolean), a floating-point number,
// or text. NaN is equal to itself and greater than all others; -0.0 equals 0.0.
struct NaiveValue {
  __extension__ typedef __int128 Whole;
  enum class Kind { kWhole, kFloating, kText } kind = Kind::kWhole;
  Whole whole = 0;
  double floating = 0;
  std::string text;

  // < 0, 0, > 0. REQUIRES: the same kind.
  int Compare(const NaiveValue& other) const {
    const auto of = [](const auto& a, const auto& b) { return a < b ? -1 : (b < a ? 1 : 0); };
    switch (kind) {
      case Kind::kWhole:
        return of(whole, other.whole);
      case Kind::kText:
        return of(text, other.text);
      case Kind::kFloating:
        if (std::isnan(floating) || std::isnan(other.floating)) {
          return static_cast<int>(std::isnan(floating)) - static_cast<int>(std::isnan(other.floating));
        }
        return of(floating, other.floating);
    }
    return 0;
  }
};

// The value of a column at a row; unset for null. `comparable` false for types that this evaluator does not know.
inline std::optional<NaiveValue> NaiveValueAt(const arrow::ChunkedArray& column, int64_t row, bool* comparable) {
  using Kind = NaiveValue::Kind;
  const auto scalar = column.GetScalar(row).ValueOrDie();
  NaiveValue value;
  *comparable = true;
  const auto whole = [&](auto number) {
    value.whole = number;
    return scalar->is_valid ? std::optional(value) : std::nullopt;
  };
  switch (scalar->type->id()) {
    case arrow::Type::BOOL:
      return whole(static_cast<const arrow::BooleanScalar&>(*scalar).value);
    case arrow::Type::INT8:
      return whole(static_cast<const arrow::Int8Scalar&>(*scalar).value);
    case arrow::Type::INT16:
      return whole(static_cast<const arrow::Int16Scalar&>(*scalar).value);
    case arrow::Type::INT32:
      return whole(static_cast<const arrow::Int32Scalar&>(*scalar).value);
    case arrow::Type::INT64:
      return whole(static_cast<const arrow::Int64Scalar&>(*scalar).value);
    case arrow::Type::UINT8:
      return whole(static_cast<const arrow::UInt8Scalar&>(*scalar).value);
    case arrow::Type::UINT16:
      return whole(static_cast<const arrow::UInt16Scalar&>(*scalar).value);
    case arrow::Type::UINT32:
      return whole(static_cast<const arrow::UInt32Scalar&>(*scalar).value);
    case arrow::Type::UINT64:
      return whole(static_cast<const arrow::UInt64Scalar&>(*scalar).value);
    case arrow::Type::DATE32:
      return whole(static_cast<const arrow::Date32Scalar&>(*scalar).value);
    case arrow::Type::DECIMAL128: {
      const arrow::Decimal128& digits = static_cast<const arrow::Decimal128Scalar&>(*scalar).value;
      return whole((static_cast<NaiveValue::Whole>(digits.high_bits()) << 64) | digits.low_bits());
    }
    case arrow::Type::FLOAT:
      value.kind = Kind::kFloating;
      value.floating = static_cast<const arrow::FloatScalar&>(*scalar).value;
      return scalar->is_valid ? std::optional(value) : std::nullopt;
    case arrow::Type::DOUBLE:
      value.kind = Kind::kFloating;
      value.floating = static_cast<const arrow::DoubleScalar&>(*scalar).value;
      return scalar->is_valid ? std::optional(value) : std::nullopt;
    case arrow::Type::STRING:
    case arrow::Type::LARGE_STRING:
      value.kind = Kind::kText;
      if (scalar->is_valid) value.text = static_cast<const arrow::BaseBinaryScalar&>(*scalar).view();
      return scalar->is_valid ? std::optional(value) : std::nullopt;
    default:
      *comparable = false;
      return std::nullopt;
  }
}

struct NaiveFilter {
  enum class Kind { kCompare, kIn, kIsNull, kAnd, kOr, kNot };
  enum class Op { kEq, kNe, kLt, kLe, kGt, kGe };

  Kind kind = Kind::kIsNull;
  std::string text;  // as the filter language writes it
  int column = 0;    // of the table that is evaluated
  Op op = Op::kEq;
  std::vector<NaiveValue> literals;  // kCompare: one
  std::vector<NaiveFilter> children;

  // Three-valued: unset is unknown. A row is in the answer when the filter is true of it.
  std::optional<bool> At(const arrow::Table& table, int64_t row) const {
    switch (kind) {
      case Kind::kIsNull:
        return table.column(column)->GetScalar(row).ValueOrDie()->is_valid == false;
      case Kind::kCompare:
      case Kind::kIn: {
        bool comparable = false;
        const auto value = NaiveValueAt(*table.column(column), row, &comparable);
        if (!value) return std::nullopt;
        if (kind == Kind::kCompare) return Holds(value->Compare(literals[0]));
        for (const NaiveValue& literal : literals) {
          if (value->Compare(literal) == 0) return true;
        }
        return false;
      }
      case Kind::kNot: {
        const auto of = children[0].At(table, row);
        return of ? std::optional(!*of) : std::nullopt;
      }
      case Kind::kAnd:
      case Kind::kOr: {
        const bool absorbs = kind == Kind::kOr;
        bool unknown = false;
        for (const NaiveFilter& child : children) {
          const auto of = child.At(table, row);
          if (of == absorbs) return absorbs;
          unknown |= !of.has_value();
        }
        return unknown ? std::nullopt : std::optional(!absorbs);
      }
    }
    return std::nullopt;
  }

 private:
  bool Holds(int compared) const {
    switch (op) {
      case Op::kEq:
        return compared == 0;
      case Op::kNe:
        return compared != 0;
      case Op::kLt:
        return compared < 0;
      case Op::kLe:
        return compared <= 0;
      case Op::kGt:
        return compared > 0;
      case Op::kGe:
        return compared >= 0;
    }
    return false;
  }
};

}  // namespace frazil
