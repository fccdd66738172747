// SPDX-License-Identifier: Apache-2.0
#include "src/expr/bind.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>

#include "frazil/error.h"
#include "src/base/text.h"
#include "src/expr/literal.h"
#include "src/expr/parse.h"

namespace frazil::expr {
namespace {

using Kind = Expression::Kind;
using Op = Expression::Op;

Op Negate(Op op) {
  switch (op) {
    case Op::kEq:
      return Op::kNe;
    case Op::kNe:
      return Op::kEq;
    case Op::kLt:
      return Op::kGe;
    case Op::kLe:
      return Op::kGt;
    case Op::kGt:
      return Op::kLe;
    case Op::kGe:
      return Op::kLt;
  }
  return op;
}

// How many literals a test of this kind holds at least; trees made in code may hold too few.
size_t LiteralCountMin(Kind kind) {
  switch (kind) {
    case Kind::kCompare:
    case Kind::kLike:
    case Kind::kStartsWith:
      return 1;
    case Kind::kBetween:
      return 2;
    default:
      return 0;
  }
}

// The test with NOT pushed into it, as text. Long IN lists are cut, because explain shows one line a test.
std::string TestText(const Expression& test, bool negated) {
  constexpr size_t kLiteralsMax = 10;
  Expression shown;
  shown.kind = test.kind;
  shown.column = test.column;
  shown.negated = negated;
  shown.op = test.kind == Kind::kCompare && negated ? Negate(test.op) : test.op;
  const size_t count = std::min(test.literals.size(), kLiteralsMax);
  shown.literals.assign(test.literals.begin(), test.literals.begin() + static_cast<std::ptrdiff_t>(count));
  std::string text = shown.ToString();
  if (count < test.literals.size()) {
    text.pop_back();
    text += ", ... " + std::to_string(test.literals.size() - count) + " more)";
  }
  return text;
}

// A test with the type of its column at hand.
struct TypedTest {
  const Expression& written;
  const ColumnType& type;
};

class Binder {
 public:
  Binder(const FieldTree& schema, std::string_view filter_text) : schema_(schema), filter_text_(filter_text) {}

  // `negated`: whether an odd number of NOT stands above.
  arrow::Result<Predicate> Bind(const Expression& expression, bool negated, int depth);
  std::vector<BoundColumn> TakeColumns() { return std::move(columns_); }

 private:
  arrow::Result<Predicate> BindTest(const Expression& test, bool negated);
  arrow::Result<int> ColumnIndex(const ColumnPath& path);
  arrow::Status CheckTestable(const Expression& test, int column) const;
  arrow::Status SetKeys(const TypedTest& test, bool negated, Leaf* leaf) const;
  arrow::Status SetLike(const TypedTest& test, bool negated, Leaf* leaf) const;
  arrow::Result<KeySet> CompareKeys(Op op, const TypedTest& test, const Literal& literal) const;
  arrow::Result<KeySet> BetweenKeys(const TypedTest& test, bool negated) const;
  arrow::Result<KeySet> ListKeys(const TypedTest& test, bool negated) const;
  arrow::Result<KeySet> StartsWithKeys(const TypedTest& test, bool negated) const;
  arrow::Result<LiteralPlace> Place(const TypedTest& test, const Literal& literal) const;

  // "filter: ..." with the place of `position` after `what`.
  arrow::Status Error(ErrorKind kind, const std::string& what, size_t position, const std::string& rest) const;
  arrow::Status LiteralError(const TypedTest& test, const Literal& literal, const std::string& reason) const;

  const FieldTree& schema_;
  std::string_view filter_text_;
  std::vector<BoundColumn> columns_;
  std::vector<bool> repeated_;  // of columns_
  // A filter of a million tests asks for few columns; each is searched for once.
  std::unordered_map<std::string, int> column_by_path_;
};

arrow::Status Binder::Error(ErrorKind kind, const std::string& what, size_t position, const std::string& rest) const {
  std::string text = "filter: " + what;
  if (!filter_text_.empty()) {
    text += " at position " + std::to_string(CharacterCount(filter_text_.substr(0, position)) + 1);
  }
  return MakeError(kind, text + rest);
}

arrow::Status Binder::LiteralError(const TypedTest& test, const Literal& literal, const std::string& reason) const {
  constexpr size_t kBytesMax = 40;
  return Error(
      ErrorKind::kUsage, Printable(literal.ToString(), kBytesMax), literal.position,
      " does not go with column " + test.written.column.ToString() + " (" + test.type.ToString() + "): " + reason);
}

arrow::Result<Predicate> Binder::Bind(const Expression& expression, bool negated, int depth) {
  // A pair of parentheses is up to two nodes, an OR and an AND in it; a tree made in code has no other guard.
  if (depth > 2 * kFilterDepthMax + 2) {
    return MakeError(ErrorKind::kUsage, "filter: nested deeper than " + std::to_string(kFilterDepthMax) + " levels");
  }
  switch (expression.kind) {
    case Kind::kConstant:
      return expression.constant != negated ? Predicate::True() : Predicate::False();
    case Kind::kNot:
      if (expression.children.size() != 1) return MakeError(ErrorKind::kUsage, "filter: NOT needs one condition");
      return Bind(*expression.children[0], !negated, depth + 1);
    case Kind::kAnd:
    case Kind::kOr: {
      std::vector<Predicate> children;
      children.reserve(expression.children.size());
      for (const ExpressionPtr& child : expression.children) {
        ARROW_ASSIGN_OR_RAISE(Predicate bound, Bind(*child, negated, depth + 1));
        children.push_back(std::move(bound));
      }
      // De Morgan holds in three-valued logic.
      const bool is_and = (expression.kind == Kind::kAnd) != negated;
      return is_and ? Predicate::And(std::move(children)) : Predicate::Or(std::move(children));
    }
    default:
      return BindTest(expression, expression.negated != negated);
  }
}

arrow::Result<Predicate> Binder::BindTest(const Expression& test, bool negated) {
  if (test.literals.size() < LiteralCountMin(test.kind)) {
    return MakeError(ErrorKind::kUsage, "filter: a test of column " + test.column.ToString() + " lacks its literal");
  }
  Leaf leaf;
  ARROW_ASSIGN_OR_RAISE(leaf.column, ColumnIndex(test.column));
  ARROW_RETURN_NOT_OK(CheckTestable(test, leaf.column));
  const TypedTest typed{test, columns_[static_cast<size_t>(leaf.column)].type};
  ARROW_RETURN_NOT_OK(SetKeys(typed, negated, &leaf));
  leaf.text = TestText(test, negated);
  return Predicate::Of(std::move(leaf));
}

arrow::Result<int> Binder::ColumnIndex(const ColumnPath& path) {
  const std::string name = path.ToString();
  const auto known = column_by_path_.find(name);
  if (known != column_by_path_.end()) return known->second;
  const auto field = ResolveField(schema_, path);
  if (!field.ok()) {
    // "unknown column a; did you mean b?": the position belongs behind the name.
    const std::string message = field.status().message();
    size_t half = message.size();
    const std::string shown = Printable(name, std::string::npos);
    for (const std::string& beginning : {"unknown column " + shown, "column " + shown}) {
      if (message.starts_with(beginning)) half = beginning.size();
    }
    return Error(ErrorKind::kUsage, message.substr(0, half), path.position, message.substr(half));
  }
  const int index = static_cast<int>(columns_.size());
  columns_.push_back({name, (*field)->type, (*field)->ref});
  repeated_.push_back((*field)->repeated);
  column_by_path_.emplace(name, index);
  return index;
}

arrow::Status Binder::CheckTestable(const Expression& test, int column) const {
  const BoundColumn& bound = columns_[static_cast<size_t>(column)];
  if (repeated_[static_cast<size_t>(column)]) {
    return Error(ErrorKind::kUnsupported, "column " + bound.path, test.column.position,
                 " is inside a list or map, so a row has any number of its values and no test of it is one answer; "
                 "test the list or map itself with IS NULL or IS NOT NULL, or filter the result");
  }
  if (test.kind == Kind::kIsNull || bound.type.is_comparable()) return arrow::Status::OK();
  const bool is_group = bound.type.kind == TypeKind::kGroup;
  return Error(ErrorKind::kUnsupported, "column " + bound.path, test.column.position,
               is_group ? " is a struct, list or map: only IS NULL and IS NOT NULL work on it, or tests of a struct's "
                          "fields"
                        : " has a type without an order: only IS NULL and IS NOT NULL work on it");
}

arrow::Status Binder::SetKeys(const TypedTest& test, bool negated, Leaf* leaf) const {
  const ColumnType& type = test.type;
  switch (test.written.kind) {
    case Kind::kCompare: {
      const Op op = negated ? Negate(test.written.op) : test.written.op;
      ARROW_ASSIGN_OR_RAISE(leaf->keys, CompareKeys(op, test, test.written.literals[0]));
      return arrow::Status::OK();
    }
    case Kind::kBetween: {
      ARROW_ASSIGN_OR_RAISE(leaf->keys, BetweenKeys(test, negated));
      return arrow::Status::OK();
    }
    case Kind::kIn: {
      ARROW_ASSIGN_OR_RAISE(leaf->keys, ListKeys(test, negated));
      return arrow::Status::OK();
    }
    case Kind::kIsNull:
      leaf->keys = negated ? AllKeys(type) : NoKeys(type);
      leaf->matches_null = !negated;
      return arrow::Status::OK();
    case Kind::kIsNan: {
      if (!type.is_floating()) {
        const ColumnPath& column = test.written.column;
        return Error(ErrorKind::kUsage, "IS NAN of column " + column.ToString(), column.position,
                     ", which is not floating-point but " + type.ToString());
      }
      const auto nan = IntervalSet<Int128>::Point(NanKey(type));
      leaf->keys = negated ? nan.Complement() : nan;
      leaf->matches_null = negated;
      return arrow::Status::OK();
    }
    case Kind::kLike:
      return SetLike(test, negated, leaf);
    case Kind::kStartsWith: {
      ARROW_ASSIGN_OR_RAISE(leaf->keys, StartsWithKeys(test, negated));
      return arrow::Status::OK();
    }
    default:
      return MakeError(ErrorKind::kInternal, "filter: not a test of a column");
  }
}

arrow::Result<LiteralPlace> Binder::Place(const TypedTest& test, const Literal& literal) const {
  auto place = PlaceLiteral(literal, test.type);
  if (place.ok()) return place;
  return LiteralError(test, literal, place.status().message());
}

arrow::Result<KeySet> Binder::CompareKeys(Op op, const TypedTest& test, const Literal& literal) const {
  const ColumnType& type = test.type;
  if (literal.kind == Literal::Kind::kNull) return NoKeys(type);
  ARROW_ASSIGN_OR_RAISE(const LiteralPlace place, Place(test, literal));
  return KeysOf(op, place, type);
}

// BETWEEN is two comparisons, also when one of them is with NULL: NOT BETWEEN NULL AND 5 is true of 6.
arrow::Result<KeySet> Binder::BetweenKeys(const TypedTest& test, bool negated) const {
  ARROW_ASSIGN_OR_RAISE(const KeySet low, CompareKeys(negated ? Op::kLt : Op::kGe, test, test.written.literals[0]));
  ARROW_ASSIGN_OR_RAISE(const KeySet high, CompareKeys(negated ? Op::kGt : Op::kLe, test, test.written.literals[1]));
  return negated ? UnionKeys(low, high) : IntersectKeys(low, high);
}

arrow::Result<KeySet> Binder::ListKeys(const TypedTest& test, bool negated) const {
  std::vector<LiteralPlace> places;
  places.reserve(test.written.literals.size());
  bool has_null = false;
  for (const Literal& literal : test.written.literals) {
    if (literal.kind == Literal::Kind::kNull) {
      has_null = true;
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(LiteralPlace place, Place(test, literal));
    places.push_back(std::move(place));
  }
  const ColumnType& type = test.type;
  if (negated && has_null) return NoKeys(type);
  KeySet keys = PointKeys(places, type);
  return negated ? ComplementKeys(keys) : keys;
}

arrow::Result<KeySet> Binder::StartsWithKeys(const TypedTest& test, bool negated) const {
  const ColumnType& type = test.type;
  const Literal& literal = test.written.literals[0];
  if (type.kind != TypeKind::kString && type.kind != TypeKind::kBinary && type.kind != TypeKind::kFixed) {
    return LiteralError(test, literal, "STARTS WITH works on text, binary and fixed columns only");
  }
  if (literal.kind == Literal::Kind::kNull) return NoKeys(type);
  ARROW_ASSIGN_OR_RAISE(const LiteralPlace place, Place(test, literal));
  const KeySet keys = PrefixKeys(std::get<KeyPlace<std::string>>(place).key);
  return negated ? ComplementKeys(keys) : keys;
}

arrow::Status Binder::SetLike(const TypedTest& test, bool negated, Leaf* leaf) const {
  const ColumnType& type = test.type;
  const Literal& literal = test.written.literals[0];
  if (literal.kind != Literal::Kind::kString) return LiteralError(test, literal, "LIKE needs text in single quotes");
  if (type.kind != TypeKind::kString && type.kind != TypeKind::kBinary) {
    return LiteralError(test, literal, "LIKE works on text columns only");
  }
  auto pattern = std::make_shared<const LikePattern>(literal.text);
  if (pattern->is_literal() || pattern->is_prefix()) {
    const auto keys =
        pattern->is_literal() ? IntervalSet<std::string>::Point(pattern->prefix()) : PrefixKeys(pattern->prefix());
    leaf->keys = negated ? keys.Complement() : keys;
    return arrow::Status::OK();
  }
  if (type.kind == TypeKind::kBinary) {
    return LiteralError(test, literal, "on a binary column LIKE takes only a value or a prefix, such as 'abc%'");
  }
  // Nothing is known of the texts that a general pattern does not match.
  leaf->keys = negated ? IntervalSet<std::string>::All() : PrefixKeys(pattern->prefix());
  leaf->pattern = std::move(pattern);
  leaf->pattern_negated = negated;
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<BoundFilter> Bind(const ExpressionPtr& expression, const FieldTree& schema,
                                std::string_view filter_text) {
  if (expression == nullptr) return MakeError(ErrorKind::kUsage, "filter: there is no expression");
  Binder binder(schema, filter_text);
  BoundFilter filter;
  ARROW_ASSIGN_OR_RAISE(filter.root, binder.Bind(*expression, false, 0));
  filter.columns = binder.TakeColumns();
  return filter;
}

}  // namespace frazil::expr
