// SPDX-License-Identifier: Apache-2.0
#include "src/expr/expression.h"

#include <cstdint>
#include <string_view>

#include "src/base/text.h"
#include "src/expr/tokens.h"

namespace frazil::expr {
namespace {

std::string Quote(std::string_view text, char quote) {
  std::string out(1, quote);
  for (const char c : text) {
    out += c;
    if (c == quote) out += c;
  }
  return out + quote;
}

std::string HexLiteral(std::string_view bytes) {
  std::string out = "X'";
  for (const char c : bytes) {
    out += HexDigit(static_cast<uint8_t>(c) >> 4);
    out += HexDigit(static_cast<uint8_t>(c) & 15);
  }
  return out + "'";
}

const char* OpText(Expression::Op op) {
  switch (op) {
    case Expression::Op::kEq:
      return " = ";
    case Expression::Op::kNe:
      return " <> ";
    case Expression::Op::kLt:
      return " < ";
    case Expression::Op::kLe:
      return " <= ";
    case Expression::Op::kGt:
      return " > ";
    case Expression::Op::kGe:
      return " >= ";
  }
  return " = ";
}

bool IsTree(const Expression& expression) {
  return expression.kind == Expression::Kind::kAnd || expression.kind == Expression::Kind::kOr;
}

std::string JoinLiterals(const std::vector<Literal>& literals) {
  std::string out;
  for (const Literal& literal : literals) {
    if (!out.empty()) out += ", ";
    out += literal.ToString();
  }
  return out;
}

std::string JoinChildren(const Expression& expression) {
  const bool is_and = expression.kind == Expression::Kind::kAnd;
  std::string out;
  for (const ExpressionPtr& child : expression.children) {
    if (!out.empty()) out += is_and ? " AND " : " OR ";
    // AND binds tighter than OR; a child of the same kind was in parentheses, and stays a child.
    const bool parenthesize = child->kind == Expression::Kind::kOr || (is_and && IsTree(*child));
    out += parenthesize ? "(" + child->ToString() + ")" : child->ToString();
  }
  return out;
}

}  // namespace

std::string Literal::ToString() const {
  switch (kind) {
    case Kind::kNull:
      return "NULL";
    case Kind::kBool:
      return boolean ? "TRUE" : "FALSE";
    case Kind::kNumber:
      return text;
    case Kind::kString:
      return Quote(text, '\'');
    case Kind::kBytes:
      return HexLiteral(text);
    case Kind::kDate:
      return "DATE " + Quote(text, '\'');
    case Kind::kTime:
      return "TIME " + Quote(text, '\'');
    case Kind::kTimestamp:
      return "TIMESTAMP " + Quote(text, '\'');
    case Kind::kUuid:
      return "UUID " + Quote(text, '\'');
  }
  return "NULL";
}

std::string ColumnPath::ToString() const {
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += '.';
    out += IsPlainName(parts[i]) ? parts[i] : Quote(parts[i], '"');
  }
  return out;
}

std::string Expression::ToString() const {
  const std::string name = column.ToString();
  const char* const maybe_not = negated ? " NOT" : "";
  switch (kind) {
    case Kind::kConstant:
      return constant ? "TRUE" : "FALSE";
    case Kind::kCompare:
      return name + OpText(op) + literals[0].ToString();
    case Kind::kBetween:
      return name + maybe_not + " BETWEEN " + literals[0].ToString() + " AND " + literals[1].ToString();
    case Kind::kIn:
      return name + maybe_not + " IN (" + JoinLiterals(literals) + ")";
    case Kind::kIsNull:
      return name + " IS" + maybe_not + " NULL";
    case Kind::kIsNan:
      return name + " IS" + maybe_not + " NAN";
    case Kind::kLike:
      return name + maybe_not + " LIKE " + literals[0].ToString();
    case Kind::kStartsWith:
      return name + maybe_not + " STARTS WITH " + literals[0].ToString();
    case Kind::kAnd:
    case Kind::kOr:
      return JoinChildren(*this);
    case Kind::kNot:
      return IsTree(*children[0]) ? "NOT (" + children[0]->ToString() + ")" : "NOT " + children[0]->ToString();
  }
  return {};
}

}  // namespace frazil::expr
