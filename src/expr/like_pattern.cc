// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "src/base/text.h"
#include "src/expr/predicate.h"

namespace frazil::expr {

// A backslash makes the character after it stand for itself; a last one stands for itself.
LikePattern::LikePattern(std::string pattern) {
  std::string text;
  const auto end_text = [&] {
    if (!text.empty()) tokens_.push_back({Token::Kind::kText, std::exchange(text, {})});
  };
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) {
      text += pattern[++i];
    } else if (pattern[i] == '_') {
      end_text();
      tokens_.push_back({Token::Kind::kOne, {}});
    } else if (pattern[i] == '%') {
      end_text();
      // %% accepts what % accepts.
      if (tokens_.empty() || tokens_.back().kind != Token::Kind::kMany) tokens_.push_back({Token::Kind::kMany, {}});
    } else {
      text += pattern[i];
    }
  }
  end_text();

  size_t next = 0;
  if (!tokens_.empty() && tokens_[0].kind == Token::Kind::kText) prefix_ = tokens_[next++].text;
  if (next == tokens_.size()) {
    kind_ = Kind::kLiteral;
  } else if (next + 1 == tokens_.size() && tokens_[next].kind == Token::Kind::kMany) {
    kind_ = Kind::kPrefix;
  }
}

// Only the last % met is ever given more text: if the tokens between two of them matched once, their first match
// leaves the most to the rest. So the cost is at most |text| * |pattern|.
bool LikePattern::Matches(std::string_view text) const {
  constexpr size_t kNone = static_cast<size_t>(-1);
  size_t token = 0;
  size_t at = 0;
  size_t many_token = kNone;  // the token after the last %
  size_t many_at = 0;         // where that token was last tried
  for (;;) {
    bool matched = false;
    if (token == tokens_.size()) {
      if (at == text.size()) return true;
    } else if (tokens_[token].kind == Token::Kind::kMany) {
      if (token + 1 == tokens_.size()) return true;
      many_token = token + 1;
      many_at = at;
      matched = true;
    } else if (tokens_[token].kind == Token::Kind::kOne) {
      if (at == text.size()) return false;  // giving more to a % leaves even less
      at += std::max<size_t>(1, Utf8CharacterBytes(text, at));
      matched = true;
    } else if (text.substr(at).starts_with(tokens_[token].text)) {
      at += tokens_[token].text.size();
      matched = true;
    }
    if (matched) {
      ++token;
      continue;
    }
    if (many_token == kNone || many_at == text.size()) return false;
    many_at += std::max<size_t>(1, Utf8CharacterBytes(text, many_at));
    if (many_token < tokens_.size() && tokens_[many_token].kind == Token::Kind::kText) {
      many_at = text.find(tokens_[many_token].text, many_at);
      if (many_at == std::string_view::npos) return false;
    }
    at = many_at;
    token = many_token;
  }
}

}  // namespace frazil::expr
