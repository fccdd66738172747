// SPDX-License-Identifier: Apache-2.0
#include "src/base/text.h"

#include <gtest/gtest.h>

namespace frazil {
namespace {

TEST(Text, CharactersOfUtf8) {
  EXPECT_EQ(Utf8CharacterBytes("a", 0), 1u);
  EXPECT_EQ(Utf8CharacterBytes("é", 0), 2u);
  EXPECT_EQ(Utf8CharacterBytes("€", 0), 3u);
  EXPECT_EQ(Utf8CharacterBytes("😀", 0), 4u);
  EXPECT_EQ(Utf8CharacterBytes("é", 1), 0u) << "a continuation byte begins nothing";
  EXPECT_EQ(Utf8CharacterBytes("\xC3", 0), 0u) << "cut short";
  EXPECT_EQ(Utf8CharacterBytes("\xC0\x80", 0), 0u) << "overlong";
  EXPECT_EQ(Utf8CharacterBytes("\xE0\x80\x80", 0), 0u) << "overlong";
  EXPECT_EQ(Utf8CharacterBytes("\xED\xA0\x80", 0), 0u) << "surrogate";
  EXPECT_EQ(Utf8CharacterBytes("\xF4\x90\x80\x80", 0), 0u) << "above U+10FFFF";
  EXPECT_EQ(Utf8CharacterBytes("\xF4\x8F\xBF\xBF", 0), 4u);
  EXPECT_EQ(CharacterCount(""), 0u);
  EXPECT_EQ(CharacterCount("aé€😀"), 4u);
  EXPECT_EQ(CharacterCount("\xFF\xC3x"), 3u);
}

TEST(Text, PrintableIsOneSafeLine) {
  EXPECT_EQ(Printable("aé", 10), "aé");
  EXPECT_EQ(Printable("a\n\x1B[0m\xFF", 10), "a\\x0a\\x1b[0m\\xff");
  EXPECT_EQ(Printable("abcdef", 3), "abc...");
  EXPECT_EQ(Printable("abc", 3), "abc");
  EXPECT_EQ(Printable("aé", 2), "a...") << "never inside a character";
  EXPECT_EQ(Printable("", 0), "");
  EXPECT_EQ(Printable("a", 0), "...");
}

TEST(Text, EditDistance) {
  EXPECT_EQ(EditDistance("", "", 3), 0u);
  EXPECT_EQ(EditDistance("abc", "ABC", 3), 0u);
  EXPECT_EQ(EditDistance("evnt_id", "event_id", 3), 1u);
  EXPECT_EQ(EditDistance("user", "suer", 3), 1u) << "a swap is one edit";
  EXPECT_EQ(EditDistance("kitten", "sitting", 3), 3u);
  EXPECT_EQ(EditDistance("kitten", "sitting", 2), 3u) << "limit + 1 stands for more";
  EXPECT_EQ(EditDistance("a", "abcdefgh", 2), 3u);
  EXPECT_EQ(EditDistance("abc", "", 3), 3u);
}

TEST(Text, NearMatchesRanked) {
  const std::vector<std::string> names = {"event_ids", "EVNT_ID", "event_id", "user.evnt_id", "other"};
  EXPECT_EQ(NearMatches("evnt_id", names, 3), (std::vector<size_t>{1})) << "equal but for case: no guesses";
  EXPECT_EQ(NearMatches("evntid", names, 3), (std::vector<size_t>{1, 2}));
  EXPECT_EQ(NearMatches("event_i", names, 3), (std::vector<size_t>{2, 0, 1}));
  EXPECT_EQ(NearMatches("event_i", names, 1), (std::vector<size_t>{2}));
  EXPECT_EQ(NearMatches("EVNT_IX", {"user.evnt_ix"}, 3), (std::vector<size_t>{0}));
  EXPECT_TRUE(NearMatches("zzzz", names, 3).empty());
  EXPECT_TRUE(NearMatches("q", {"a", "b"}, 3).empty());
  EXPECT_TRUE(NearMatches("", {"a"}, 3).empty());
  const std::string huge(1 << 20, 'a');
  EXPECT_EQ(NearMatches(huge, {huge, huge + "b"}, 3), (std::vector<size_t>{0}));
}

TEST(Text, Hex) {
  for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(HexValue(HexDigit(i)), static_cast<int>(i));
  EXPECT_EQ(HexValue('F'), 15);
  EXPECT_EQ(HexValue('g'), -1);
  EXPECT_EQ(HexValue('@'), -1);
}

}  // namespace
}  // namespace frazil
