// SPDX-License-Identifier: Apache-2.0
//
// LIKE patterns against a naive matcher: every pattern and every text of a small world.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "src/expr/predicate.h"

namespace frazil::expr {
namespace {

using Characters = std::vector<std::string>;

// A pattern with its escapes resolved: characters, with "%" and "_" for wildcards and "=x" for the literal x.
bool NaiveMatch(const Characters& pattern, size_t p, const Characters& text, size_t t) {
  if (p == pattern.size()) return t == text.size();
  if (pattern[p] == "%") {
    return NaiveMatch(pattern, p + 1, text, t) || (t < text.size() && NaiveMatch(pattern, p, text, t + 1));
  }
  if (t == text.size()) return false;
  return (pattern[p] == "_" || pattern[p] == "=" + text[t]) && NaiveMatch(pattern, p + 1, text, t + 1);
}

std::string Join(const Characters& characters) {
  std::string text;
  for (const std::string& character : characters) text += character;
  return text;
}

// All sequences over the alphabet of at most `length_max` characters.
std::vector<Characters> Sequences(const Characters& alphabet, size_t length_max) {
  std::vector<Characters> all = {{}};
  for (size_t begin = 0, length = 1; length <= length_max; ++length) {
    const size_t end = all.size();
    for (; begin < end; ++begin) {
      for (const std::string& character : alphabet) {
        all.push_back(all[begin]);
        all.back().push_back(character);
      }
    }
  }
  return all;
}

TEST(LikePattern, EveryPatternOfASmallWorld) {
  const auto texts = Sequences({"a", "€", "%"}, 5);
  // Literals are marked "=": as the pattern they are written plainly, % with a backslash.
  for (const Characters& pattern : Sequences({"=a", "=€", "=%", "%", "_"}, 4)) {
    std::string written;
    for (const std::string& character : pattern) {
      written += character == "=%" ? "\\%" : character[0] == '=' ? character.substr(1) : character;
    }
    const LikePattern like(written);
    for (const Characters& text : texts) {
      const std::string joined = Join(text);
      const bool expected = NaiveMatch(pattern, 0, text, 0);
      ASSERT_EQ(like.Matches(joined), expected) << written << " on " << joined;
      if (like.is_literal()) {
        ASSERT_EQ(joined == like.prefix(), expected) << written;
      }
      if (like.is_prefix()) {
        ASSERT_EQ(joined.starts_with(like.prefix()), expected) << written;
      }
      if (expected) {
        ASSERT_TRUE(joined.starts_with(like.prefix())) << written << " on " << joined;
      }
    }
  }
}

TEST(LikePattern, Kinds) {
  EXPECT_TRUE(LikePattern("").is_literal());
  EXPECT_TRUE(LikePattern("").Matches(""));
  EXPECT_FALSE(LikePattern("").Matches("a"));
  EXPECT_TRUE(LikePattern("%").is_prefix());
  EXPECT_EQ(LikePattern("%").prefix(), "");
  EXPECT_TRUE(LikePattern("ab%%").is_prefix());
  EXPECT_FALSE(LikePattern("ab%c").is_prefix());
  EXPECT_FALSE(LikePattern("ab_").is_prefix());
  EXPECT_EQ(LikePattern("ab_c%").prefix(), "ab");
  EXPECT_EQ(LikePattern("_ab").prefix(), "");
}

TEST(LikePattern, Escapes) {
  EXPECT_TRUE(LikePattern("a\\%b").is_literal());
  EXPECT_EQ(LikePattern("a\\%b").prefix(), "a%b");
  EXPECT_EQ(LikePattern("a\\_%").prefix(), "a_");
  EXPECT_EQ(LikePattern("\\\\%").prefix(), "\\");
  EXPECT_EQ(LikePattern("\\a").prefix(), "a") << "any character can be escaped";
  EXPECT_EQ(LikePattern("a\\").prefix(), "a\\") << "a last backslash is one";
}

TEST(LikePattern, OneIsACharacterAlsoOfBrokenText) {
  EXPECT_TRUE(LikePattern("_").Matches("😀"));
  EXPECT_FALSE(LikePattern("__").Matches("😀"));
  EXPECT_FALSE(LikePattern("%__").Matches("😀")) << "no match may begin inside a character";
  EXPECT_TRUE(LikePattern("__").Matches("\xFF\xFE")) << "a byte that is no character counts as one";
  EXPECT_TRUE(LikePattern("a_").Matches("a\xC3"));
  EXPECT_TRUE(LikePattern("a%").Matches(std::string("a\0b", 3)));
}

TEST(LikePattern, HardPatternsEnd) {
  std::string pattern;
  for (int i = 0; i < 50; ++i) pattern += "%a";
  EXPECT_FALSE(LikePattern(pattern + "b").Matches(std::string(10000, 'a')));
  EXPECT_TRUE(LikePattern(pattern + "%").Matches(std::string(10000, 'a')));
  EXPECT_TRUE(LikePattern("%aab").Matches(std::string(10000, 'a') + "b"));
}

}  // namespace
}  // namespace frazil::expr
