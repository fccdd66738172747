// SPDX-License-Identifier: Apache-2.0
#include "src/expr/parse.h"

#include <optional>
#include <string>
#include <utility>

#include "frazil/error.h"
#include "src/expr/datetime.h"
#include "src/expr/number.h"
#include "src/expr/tokens.h"

namespace frazil::expr {
namespace {

using Op = Expression::Op;
using Kind = Expression::Kind;

std::optional<Op> ComparisonOf(const Token& token) {
  if (token.kind != TokenKind::kSymbol) return std::nullopt;
  if (token.source == "=" || token.source == "==") return Op::kEq;
  if (token.source == "<>" || token.source == "!=") return Op::kNe;
  if (token.source == "<") return Op::kLt;
  if (token.source == "<=") return Op::kLe;
  if (token.source == ">") return Op::kGt;
  if (token.source == ">=") return Op::kGe;
  return std::nullopt;
}

// The operator for the operands in the other order.
Op Flip(Op op) {
  switch (op) {
    case Op::kLt:
      return Op::kGt;
    case Op::kLe:
      return Op::kGe;
    case Op::kGt:
      return Op::kLt;
    case Op::kGe:
      return Op::kLe;
    default:
      return op;
  }
}

// The literal kind that a word before quoted text makes, or kNull.
Literal::Kind TypedLiteralKind(const Token& word) {
  if (word.is_word("DATE")) return Literal::Kind::kDate;
  if (word.is_word("TIME")) return Literal::Kind::kTime;
  if (word.is_word("TIMESTAMP") || word.is_word("TIMESTAMPTZ")) return Literal::Kind::kTimestamp;
  if (word.is_word("DECIMAL")) return Literal::Kind::kNumber;
  if (word.is_word("UUID")) return Literal::Kind::kUuid;
  return Literal::Kind::kNull;
}

// Recursive descent with one token in hand and one more in sight.
class Parser {
 public:
  Parser(std::string_view subject, std::string_view text) : subject_(subject), text_(text), tokenizer_(subject, text) {}

  arrow::Status Start() {
    if (text_.size() > kFilterBytesMax) {
      return MakeError(ErrorKind::kUsage,
                       std::string(subject_) + ": longer than " + std::to_string(kFilterBytesMax >> 20) + " MiB");
    }
    ARROW_ASSIGN_OR_RAISE(token_, tokenizer_.Next());
    ARROW_ASSIGN_OR_RAISE(ahead_, tokenizer_.Next());
    return arrow::Status::OK();
  }

  arrow::Result<ExpressionPtr> ParseOr() { return ParseJoined(Kind::kOr); }
  arrow::Result<ColumnPath> ParsePath();
  arrow::Status ExpectEnd(const char* expected) {
    return token_.kind == TokenKind::kEnd ? arrow::Status::OK() : Unexpected(expected);
  }
  arrow::Result<bool> TakeSymbol(std::string_view symbol) {
    if (!token_.is_symbol(symbol)) return false;
    ARROW_RETURN_NOT_OK(Advance());
    return true;
  }

 private:
  arrow::Result<ExpressionPtr> ParseJoined(Kind kind);
  arrow::Result<ExpressionPtr> ParseNot();
  arrow::Result<ExpressionPtr> ParseTest();
  arrow::Result<ExpressionPtr> ParseLiteralFirst();
  arrow::Status ParseWordTest(Expression* test);
  arrow::Status ParseIs(Expression* test);
  arrow::Status ParseBetween(Expression* test);
  arrow::Status ParseList(Expression* test);
  arrow::Status ParsePattern(Expression* test);
  arrow::Result<Literal> ParseLiteral();
  arrow::Result<Literal> ParseTypedLiteral(Literal::Kind kind);

  bool AtLiteral() const;
  arrow::Status Advance() {
    token_ = std::move(ahead_);
    ARROW_ASSIGN_OR_RAISE(ahead_, tokenizer_.Next());
    return arrow::Status::OK();
  }
  arrow::Status Expect(bool matches, const char* expected) { return matches ? Advance() : Unexpected(expected); }
  arrow::Status Unexpected(const std::string& expected) const {
    return SyntaxError(subject_, text_, token_.position, "expected " + expected + ", found " + Shown(token_.source));
  }
  arrow::Status Count() {
    if (++item_count_ <= kFilterItemsMax) return arrow::Status::OK();
    return SyntaxError(subject_, text_, token_.position,
                       "more than " + std::to_string(kFilterItemsMax) + " literals and tests");
  }

  std::string_view subject_;
  std::string_view text_;
  Tokenizer tokenizer_;
  Token token_;
  Token ahead_;
  int depth_ = 0;
  int64_t item_count_ = 0;
};

arrow::Result<ExpressionPtr> Parser::ParseJoined(Kind kind) {
  const bool is_or = kind == Kind::kOr;
  std::vector<ExpressionPtr> children;
  do {
    if (!children.empty()) ARROW_RETURN_NOT_OK(Advance());
    ARROW_ASSIGN_OR_RAISE(ExpressionPtr child, is_or ? ParseJoined(Kind::kAnd) : ParseNot());
    children.push_back(std::move(child));
  } while (token_.is_word(is_or ? "OR" : "AND"));
  if (children.size() == 1) return std::move(children[0]);
  auto joined = std::make_shared<Expression>();
  joined->kind = kind;
  joined->children = std::move(children);
  return joined;
}

arrow::Result<ExpressionPtr> Parser::ParseNot() {
  const bool is_not = token_.is_word("NOT");
  if (!is_not && !token_.is_symbol("(")) return ParseTest();
  if (++depth_ > kFilterDepthMax) {
    return SyntaxError(subject_, text_, token_.position,
                       "nested deeper than " + std::to_string(kFilterDepthMax) + " levels");
  }
  ARROW_RETURN_NOT_OK(Advance());
  ExpressionPtr result;
  if (is_not) {
    ARROW_ASSIGN_OR_RAISE(ExpressionPtr child, ParseNot());
    auto negation = std::make_shared<Expression>();
    negation->kind = Kind::kNot;
    negation->children.push_back(std::move(child));
    result = std::move(negation);
  } else {
    ARROW_ASSIGN_OR_RAISE(result, ParseOr());
    ARROW_RETURN_NOT_OK(Expect(token_.is_symbol(")"), "AND, OR or )"));
  }
  --depth_;
  return result;
}

bool Parser::AtLiteral() const {
  switch (token_.kind) {
    case TokenKind::kNumber:
    case TokenKind::kString:
    case TokenKind::kBytes:
      return true;
    case TokenKind::kSymbol:
      return token_.source == "-" || token_.source == "+";
    case TokenKind::kName:
      return token_.is_word("TRUE") || token_.is_word("FALSE") || token_.is_word("NULL") ||
             (ahead_.kind == TokenKind::kString && TypedLiteralKind(token_) != Literal::Kind::kNull);
    default:
      return false;
  }
}

arrow::Result<ExpressionPtr> Parser::ParseTest() {
  ARROW_RETURN_NOT_OK(Count());
  const bool is_constant = token_.is_word("TRUE") || token_.is_word("FALSE");
  if (is_constant && !ComparisonOf(ahead_)) {
    auto constant = std::make_shared<Expression>();
    constant->constant = token_.is_word("TRUE");
    ARROW_RETURN_NOT_OK(Advance());
    return constant;
  }
  if (AtLiteral()) return ParseLiteralFirst();
  if (token_.is_word("AND") || token_.is_word("OR")) return Unexpected("a condition");
  auto test = std::make_shared<Expression>();
  ARROW_ASSIGN_OR_RAISE(test->column, ParsePath());
  if (const auto op = ComparisonOf(token_)) {
    test->kind = Kind::kCompare;
    test->op = *op;
    ARROW_RETURN_NOT_OK(Advance());
    ARROW_ASSIGN_OR_RAISE(Literal literal, ParseLiteral());
    test->literals.push_back(std::move(literal));
  } else {
    ARROW_RETURN_NOT_OK(ParseWordTest(test.get()));
  }
  return test;
}

arrow::Result<ExpressionPtr> Parser::ParseLiteralFirst() {
  auto test = std::make_shared<Expression>();
  test->kind = Kind::kCompare;
  ARROW_ASSIGN_OR_RAISE(Literal literal, ParseLiteral());
  const auto op = ComparisonOf(token_);
  if (!op) return Unexpected("a comparison after the literal");
  test->op = Flip(*op);
  ARROW_RETURN_NOT_OK(Advance());
  if (AtLiteral()) {
    return SyntaxError(subject_, text_, literal.position,
                       "a comparison of two literals (a column name may need double quotes)");
  }
  ARROW_ASSIGN_OR_RAISE(test->column, ParsePath());
  test->literals.push_back(std::move(literal));
  return test;
}

// What follows a column and is no comparison.
arrow::Status Parser::ParseWordTest(Expression* test) {
  if (token_.is_word("IS")) return ParseIs(test);
  if (token_.is_word("NOT")) {
    test->negated = true;
    ARROW_RETURN_NOT_OK(Advance());
  }
  if (token_.is_word("BETWEEN")) return ParseBetween(test);
  if (token_.is_word("IN")) return ParseList(test);
  if (token_.is_word("LIKE")) {
    test->kind = Kind::kLike;
    ARROW_RETURN_NOT_OK(Advance());
    return ParsePattern(test);
  }
  if (token_.is_word("STARTS")) {
    test->kind = Kind::kStartsWith;
    ARROW_RETURN_NOT_OK(Advance());
    ARROW_RETURN_NOT_OK(Expect(token_.is_word("WITH"), "WITH"));
    return ParsePattern(test);
  }
  if (test->negated) return Unexpected("BETWEEN, IN, LIKE or STARTS WITH");
  return Unexpected("a comparison (=, <>, <, <=, >, >=, IS, IN, BETWEEN, LIKE, STARTS WITH) after column " +
                    test->column.ToString());
}

arrow::Status Parser::ParseIs(Expression* test) {
  ARROW_RETURN_NOT_OK(Advance());
  if (token_.is_word("NOT")) {
    test->negated = true;
    ARROW_RETURN_NOT_OK(Advance());
  }
  test->kind = token_.is_word("NAN") ? Kind::kIsNan : Kind::kIsNull;
  return Expect(token_.is_word("NAN") || token_.is_word("NULL"), "NULL or NAN");
}

arrow::Status Parser::ParseBetween(Expression* test) {
  test->kind = Kind::kBetween;
  ARROW_RETURN_NOT_OK(Advance());
  ARROW_ASSIGN_OR_RAISE(Literal least, ParseLiteral());
  ARROW_RETURN_NOT_OK(Expect(token_.is_word("AND"), "AND and the upper end of BETWEEN"));
  ARROW_ASSIGN_OR_RAISE(Literal greatest, ParseLiteral());
  test->literals.push_back(std::move(least));
  test->literals.push_back(std::move(greatest));
  return arrow::Status::OK();
}

arrow::Status Parser::ParseList(Expression* test) {
  test->kind = Kind::kIn;
  ARROW_RETURN_NOT_OK(Advance());
  ARROW_RETURN_NOT_OK(Expect(token_.is_symbol("("), "( and the list of IN"));
  for (;;) {
    ARROW_ASSIGN_OR_RAISE(Literal literal, ParseLiteral());
    test->literals.push_back(std::move(literal));
    ARROW_ASSIGN_OR_RAISE(const bool more, TakeSymbol(","));
    if (!more) return Expect(token_.is_symbol(")"), ", or )");
  }
}

arrow::Status Parser::ParsePattern(Expression* test) {
  const bool takes_bytes = test->kind == Kind::kStartsWith;
  if (token_.kind != TokenKind::kString && !(takes_bytes && token_.kind == TokenKind::kBytes)) {
    return Unexpected("text in single quotes");
  }
  ARROW_ASSIGN_OR_RAISE(Literal literal, ParseLiteral());
  test->literals.push_back(std::move(literal));
  return arrow::Status::OK();
}

arrow::Result<Literal> Parser::ParseLiteral() {
  ARROW_RETURN_NOT_OK(Count());
  if (!AtLiteral()) {
    if (token_.kind == TokenKind::kName || token_.kind == TokenKind::kQuotedName) {
      return Unexpected("a literal (columns can not be compared with each other; text is written in single quotes)");
    }
    return Unexpected("a literal");
  }
  Literal literal;
  literal.position = token_.position;
  switch (token_.kind) {
    case TokenKind::kString:
      literal.kind = Literal::Kind::kString;
      literal.text = std::move(token_.value);
      break;
    case TokenKind::kBytes:
      literal.kind = Literal::Kind::kBytes;
      literal.text = std::move(token_.value);
      break;
    case TokenKind::kName:
      if (TypedLiteralKind(token_) != Literal::Kind::kNull) return ParseTypedLiteral(TypedLiteralKind(token_));
      literal.kind = token_.is_word("NULL") ? Literal::Kind::kNull : Literal::Kind::kBool;
      literal.boolean = token_.is_word("TRUE");
      break;
    default:  // a number, perhaps with a sign
      literal.kind = Literal::Kind::kNumber;
      if (token_.kind == TokenKind::kSymbol) {
        if (token_.source == "-") literal.text = "-";
        ARROW_RETURN_NOT_OK(Advance());
        if (token_.kind != TokenKind::kNumber) return Unexpected("a number after the sign");
      }
      literal.text += token_.source;
      break;
  }
  ARROW_RETURN_NOT_OK(Advance());
  return literal;
}

arrow::Result<Literal> Parser::ParseTypedLiteral(Literal::Kind kind) {
  Literal literal;
  literal.kind = kind;
  literal.position = token_.position;
  const bool is_utc = token_.is_word("TIMESTAMPTZ");
  ARROW_RETURN_NOT_OK(Advance());
  literal.text = std::move(token_.value);
  if (kind == Literal::Kind::kNumber && !ParseNumber(literal.text)) return Unexpected("a number in DECIMAL '1.50'");
  // A leading + is dropped, as it is before a bare number.
  if (kind == Literal::Kind::kNumber && literal.text[0] == '+') literal.text.erase(0, 1);
  if (is_utc) {
    const auto parsed = ParseTimestamp(literal.text);
    // A malformed one is left to the binder, which says what is wrong with it.
    if (parsed.ok() && !parsed->offset_minutes) literal.text += "Z";
  }
  ARROW_RETURN_NOT_OK(Advance());
  return literal;
}

arrow::Result<ColumnPath> Parser::ParsePath() {
  ColumnPath path;
  path.position = token_.position;
  do {
    if (token_.kind == TokenKind::kName) {
      path.parts.emplace_back(token_.source);
    } else if (token_.kind == TokenKind::kQuotedName) {
      path.parts.push_back(std::move(token_.value));
    } else {
      return Unexpected("a column name");
    }
    ARROW_RETURN_NOT_OK(Advance());
    // "a.1": the point and the digit were read as a number.
    if (token_.kind == TokenKind::kNumber && token_.source[0] == '.') {
      return SyntaxError(subject_, text_, token_.position + 1, "a name that begins with a digit needs double quotes");
    }
    if (!token_.is_symbol(".")) return path;
    ARROW_RETURN_NOT_OK(Advance());
  } while (true);
}

}  // namespace

arrow::Result<ExpressionPtr> ParseFilter(std::string_view text) {
  Parser parser("filter", text);
  ARROW_RETURN_NOT_OK(parser.Start());
  ARROW_ASSIGN_OR_RAISE(ExpressionPtr expression, parser.ParseOr());
  ARROW_RETURN_NOT_OK(parser.ExpectEnd("AND, OR or the end"));
  return expression;
}

arrow::Result<ColumnPath> ParseColumnPath(std::string_view text) {
  Parser parser("column path", text);
  ARROW_RETURN_NOT_OK(parser.Start());
  ARROW_ASSIGN_OR_RAISE(ColumnPath path, parser.ParsePath());
  ARROW_RETURN_NOT_OK(parser.ExpectEnd("a point or the end (odd names need double quotes)"));
  return path;
}

arrow::Result<std::vector<ColumnPath>> ParseColumnList(std::string_view text) {
  Parser parser("column list", text);
  ARROW_RETURN_NOT_OK(parser.Start());
  std::vector<ColumnPath> paths;
  bool more = true;
  while (more) {
    ARROW_ASSIGN_OR_RAISE(ColumnPath path, parser.ParsePath());
    paths.push_back(std::move(path));
    ARROW_ASSIGN_OR_RAISE(more, parser.TakeSymbol(","));
  }
  ARROW_RETURN_NOT_OK(parser.ExpectEnd("a comma or the end (odd names need double quotes)"));
  return paths;
}

}  // namespace frazil::expr
