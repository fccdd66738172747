// SPDX-License-Identifier: Apache-2.0
//
// Tokens of the filter language, made one at a time, so that memory does not grow with the text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <arrow/result.h>

namespace frazil::expr {

enum class TokenKind {
  kEnd,
  kName,        // a letter, _ or any character beyond ASCII, then also digits and $
  kQuotedName,  // "a" or `a`
  kNumber,      // without sign
  kString,      // 'a'
  kBytes,       // X'00ff'
  kSymbol,      // ( ) , . + - = == != <> < <= > >=
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view source;  // as written; points into the text
  std::string value;        // kQuotedName, kString: without quotes; kBytes: the bytes
  size_t position = 0;      // byte offset

  bool is_symbol(std::string_view symbol) const { return kind == TokenKind::kSymbol && source == symbol; }
  // An unquoted name equal to `word` (in capitals), in any case.
  bool is_word(std::string_view word) const;
};

// "filter: <what> at position 12": an error of kind usage. Positions shown count characters from 1.
// `subject` says what was being read: "filter", "column path".
arrow::Status SyntaxError(std::string_view subject, std::string_view text, size_t position, std::string_view what);

// `source` in double quotes, short and printable, or "the end" for nothing.
std::string Shown(std::string_view source);

// Whether a name needs no quotes to be read as one part of a column path.
bool IsPlainName(std::string_view name);

class Tokenizer {
 public:
  // Both must outlive the tokenizer and its tokens.
  Tokenizer(std::string_view subject, std::string_view text) : subject_(subject), text_(text) {}

  // The next token; kEnd at the end, and again when asked again.
  arrow::Result<Token> Next();

 private:
  arrow::Result<Token> Quoted(TokenKind kind, size_t begin, size_t quote_at);
  arrow::Result<Token> Bytes(size_t begin);
  arrow::Result<Token> Number();
  Token Take(TokenKind kind, size_t size);

  std::string_view subject_;
  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace frazil::expr
