// SPDX-License-Identifier: Apache-2.0
#include "src/expr/tokens.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "frazil/error.h"
#include "src/base/text.h"
#include "src/expr/number.h"

namespace frazil::expr {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsNameStart(char c) {
  const char lower = LowerAscii(c);
  return (lower >= 'a' && lower <= 'z') || c == '_' || static_cast<uint8_t>(c) >= 0x80;
}

bool IsNamePart(char c) { return IsNameStart(c) || IsDigit(c) || c == '$'; }

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

// Words that can begin a condition, so that a column of that name must be quoted.
constexpr std::array<std::string_view, 6> kReserved = {"AND", "OR", "NOT", "TRUE", "FALSE", "NULL"};

// Longest first, so that <= is not read as < and =.
constexpr std::array<std::string_view, 14> kSymbols = {"==", "!=", "<>", "<=", ">=", "=", "<",
                                                       ">",  "(",  ")",  ",",  ".",  "+", "-"};

}  // namespace

bool Token::is_word(std::string_view word) const { return kind == TokenKind::kName && EqualsIgnoreCase(source, word); }

arrow::Status SyntaxError(std::string_view subject, std::string_view text, size_t position, std::string_view what) {
  std::string message(subject);
  message.append(": ").append(what);
  message += " at position " + std::to_string(CharacterCount(text.substr(0, position)) + 1);
  return MakeError(ErrorKind::kUsage, std::move(message));
}

std::string Shown(std::string_view source) {
  constexpr size_t kBytesMax = 40;
  return source.empty() ? "the end" : '"' + Printable(source, kBytesMax) + '"';
}

bool IsPlainName(std::string_view name) {
  return !name.empty() && IsNameStart(name[0]) && std::all_of(name.begin(), name.end(), IsNamePart) &&
         std::none_of(kReserved.begin(), kReserved.end(),
                      [&](std::string_view word) { return EqualsIgnoreCase(name, word); });
}

Token Tokenizer::Take(TokenKind kind, size_t size) {
  Token token;
  token.kind = kind;
  token.source = text_.substr(at_, size);
  token.position = at_;
  at_ += size;
  return token;
}

arrow::Result<Token> Tokenizer::Next() {
  while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
  if (at_ == text_.size()) return Take(TokenKind::kEnd, 0);
  const char first = text_[at_];
  const char second = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
  if (first == '\'') return Quoted(TokenKind::kString, at_, at_);
  if (first == '"' || first == '`') return Quoted(TokenKind::kQuotedName, at_, at_);
  if ((first == 'x' || first == 'X') && second == '\'') return Bytes(at_);
  if (IsDigit(first) || (first == '.' && IsDigit(second))) return Number();
  if (IsNameStart(first)) {
    size_t end = at_ + 1;
    while (end < text_.size() && IsNamePart(text_[end])) ++end;
    return Take(TokenKind::kName, end - at_);
  }
  for (const std::string_view symbol : kSymbols) {
    if (text_.substr(at_).starts_with(symbol)) return Take(TokenKind::kSymbol, symbol.size());
  }
  return SyntaxError(subject_, text_, at_, "unexpected character " + Shown(text_.substr(at_, 1)));
}

// A quote inside is written twice.
arrow::Result<Token> Tokenizer::Quoted(TokenKind kind, size_t begin, size_t quote_at) {
  const char quote = text_[quote_at];
  std::string value;
  size_t from = quote_at + 1;
  for (;;) {
    const size_t end = text_.find(quote, from);
    if (end == std::string_view::npos) {
      return SyntaxError(subject_, text_, begin, std::string("no closing ") + quote + " for the quote opened");
    }
    value += text_.substr(from, end - from);
    from = end + 1;
    if (from == text_.size() || text_[from] != quote) break;
    value += quote;
    ++from;
  }
  Token token = Take(kind, from - begin);
  token.value = std::move(value);
  return token;
}

arrow::Result<Token> Tokenizer::Bytes(size_t begin) {
  ARROW_ASSIGN_OR_RAISE(Token token, Quoted(TokenKind::kBytes, begin, begin + 1));
  const std::string digits = std::move(token.value);
  token.value.clear();
  const bool is_hex = std::all_of(digits.begin(), digits.end(), [](char c) { return HexValue(c) >= 0; });
  if (!is_hex || digits.size() % 2 != 0) {
    return SyntaxError(subject_, text_, begin,
                       "expected pairs of hexadecimal digits, as in X'00ff', found " + Shown(token.source));
  }
  for (size_t i = 0; i < digits.size(); i += 2) {
    token.value += static_cast<char>(HexValue(digits[i]) * 16 + HexValue(digits[i + 1]));
  }
  return token;
}

arrow::Result<Token> Tokenizer::Number() {
  size_t end = at_;
  const auto continues = [&] {
    const char c = text_[end];
    const bool is_exponent_sign = (c == '+' || c == '-') && end > at_ && LowerAscii(text_[end - 1]) == 'e';
    return IsNamePart(c) || c == '.' || is_exponent_sign;
  };
  while (end < text_.size() && continues()) ++end;
  const std::string_view source = text_.substr(at_, end - at_);
  if (!ParseNumber(source)) {
    return SyntaxError(subject_, text_, at_,
                       Shown(source) + " is neither a number nor a name (a name like this needs double quotes)");
  }
  return Take(TokenKind::kNumber, source.size());
}

}  // namespace frazil::expr
