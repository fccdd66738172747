// SPDX-License-Identifier: Apache-2.0
//
// Predicate: a filter bound to a schema, in the one normal form that every skipping level and the row filter
// evaluate. NOT is pushed into the leaves (three-valued logic allows it: a comparison and its complement are
// both "not true" on null), so "true" is all that is left to ask: a tree of AND and OR over leaves, each of
// which names, for one column, the set of non-null keys that match and whether null matches.
//
//   NOT (a > 5 AND b IS NULL)   ->   OR( a in (-inf, 5], null no ; b in all, null no )
//
// NaN is an ordinary, greatest key (see type.h). A leaf with a pattern (LIKE beyond a prefix) is inexact: its
// keys are a superset of the matches, and rows are decided by the pattern.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "src/expr/interval_set.h"
#include "src/expr/type.h"

namespace frazil::expr {

// A column that a filter uses. `ref` is the provider's own number for it (see Field in bind.h).
struct BoundColumn {
  std::string path;  // as written in the schema: "a.b", or "\"odd name\".x"
  ColumnType type;
  int ref = -1;
};

// A compiled LIKE pattern (% and _, with backslash escapes), matched on UTF-8 text: _ is one code point.
class LikePattern {
 public:
  explicit LikePattern(std::string pattern);
  bool Matches(std::string_view text) const;
  // The literal text before the first wildcard.
  const std::string& prefix() const { return prefix_; }
  // No wildcard at all: the pattern is a value.
  bool is_literal() const { return kind_ == Kind::kLiteral; }
  // A literal text followed by a single %: a pure prefix.
  bool is_prefix() const { return kind_ == Kind::kPrefix; }

 private:
  enum class Kind { kLiteral, kPrefix, kGeneral };
  struct Token {
    enum class Kind { kText, kOne, kMany } kind;
    std::string text;
  };
  std::vector<Token> tokens_;
  std::string prefix_;
  Kind kind_ = Kind::kGeneral;
};

using KeySet = std::variant<IntervalSet<Int128>, IntervalSet<std::string>>;

struct Leaf {
  int column = 0;  // index into BoundFilter::columns
  KeySet keys;     // non-null keys that match (a superset when `pattern` is set)
  bool matches_null = false;
  std::shared_ptr<const LikePattern> pattern;  // null unless LIKE needs more than a prefix
  bool pattern_negated = false;
  std::string text;  // the condition as a person would write it, for explain

  bool is_exact() const { return pattern == nullptr; }
  bool keys_empty() const {
    return std::visit([](const auto& set) { return set.empty(); }, keys);
  }
  bool keys_all() const {
    return std::visit([](const auto& set) { return set.is_all(); }, keys);
  }
};

struct Predicate {
  enum class Kind { kTrue, kFalse, kLeaf, kAnd, kOr };

  Kind kind = Kind::kTrue;
  Leaf leaf;                        // kLeaf only
  std::vector<Predicate> children;  // kAnd, kOr: at least two, none of the same kind, none constant

  static Predicate True() { return {}; }
  static Predicate False() {
    Predicate p;
    p.kind = Kind::kFalse;
    return p;
  }
  static Predicate Of(Leaf leaf);
  // Flatten, drop constants, and merge exact leaves of the same column into one.
  static Predicate And(std::vector<Predicate> children);
  static Predicate Or(std::vector<Predicate> children);

  bool is_true() const { return kind == Kind::kTrue; }
  bool is_false() const { return kind == Kind::kFalse; }
  // Indexes of the columns used, ascending, without duplicates.
  std::vector<int> Columns() const;
  std::string ToString() const;
};

// A filter bound to one schema.
struct BoundFilter {
  Predicate root;
  std::vector<BoundColumn> columns;
};

}  // namespace frazil::expr
