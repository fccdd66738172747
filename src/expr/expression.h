// SPDX-License-Identifier: Apache-2.0
//
// Expression: a filter as written, before any schema is known. An immutable tree; copies share it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace frazil::expr {

// A literal as written. Numbers keep their text, so that no digit is lost before the column's type is known.
struct Literal {
  enum class Kind { kNull, kBool, kNumber, kString, kBytes, kDate, kTime, kTimestamp, kUuid };
  Kind kind = Kind::kNull;
  std::string text;      // kNumber: "-1.50e3"; kString, kDate, kTime, kTimestamp, kUuid: the text; kBytes: raw
  bool boolean = false;  // kBool
  size_t position = 0;   // byte offset in the filter text, for messages

  // As the filter language writes it: -1.50e3, 'it''s', DATE '2024-01-31'.
  std::string ToString() const;
};

// A column as written: ["a", "b c"] for a."b c".
struct ColumnPath {
  std::vector<std::string> parts;
  size_t position = 0;

  std::string ToString() const;  // parts quoted where needed
};

struct Expression {
  enum class Kind {
    kConstant,    // constant
    kCompare,     // column op literals[0]
    kBetween,     // column, literals[0], literals[1]
    kIn,          // column, literals
    kIsNull,      // column
    kIsNan,       // column
    kLike,        // column, literals[0] is the pattern
    kStartsWith,  // column, literals[0] is the prefix
    kAnd,
    kOr,
    kNot,
  };
  enum class Op { kEq, kNe, kLt, kLe, kGt, kGe };

  Kind kind = Kind::kConstant;
  bool constant = true;
  bool negated = false;  // NOT BETWEEN, NOT IN, IS NOT NULL, IS NOT NAN, NOT LIKE, NOT STARTS WITH
  Op op = Op::kEq;
  ColumnPath column;
  std::vector<Literal> literals;
  std::vector<std::shared_ptr<const Expression>> children;

  // Text that ParseFilter reads back to an equal expression (but for positions).
  // REQUIRES: what ParseFilter grants: nested at most kFilterDepthMax deep, AND and OR of at least two.
  std::string ToString() const;
};

using ExpressionPtr = std::shared_ptr<const Expression>;

}  // namespace frazil::expr
