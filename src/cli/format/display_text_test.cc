// SPDX-License-Identifier: Apache-2.0
#include "src/cli/format/display_text.h"

#include <gtest/gtest.h>

namespace frazil::cli {
namespace {

void ExpectCharacter(std::string_view text, char32_t code_point, size_t byte_count, bool valid) {
  const Utf8Char character = DecodeUtf8(text);
  EXPECT_EQ(character.code_point, code_point) << testing::PrintToString(text);
  EXPECT_EQ(character.byte_count, byte_count) << testing::PrintToString(text);
  EXPECT_EQ(character.valid, valid) << testing::PrintToString(text);
}

TEST(DisplayText, DecodesTheEdgesOfEveryLength) {
  ExpectCharacter(std::string_view("\0", 1), 0, 1, true);
  ExpectCharacter("\x7F", 0x7F, 1, true);
  ExpectCharacter("\xC2\x80", 0x80, 2, true);
  ExpectCharacter("\xDF\xBF", 0x7FF, 2, true);
  ExpectCharacter("\xE0\xA0\x80", 0x800, 3, true);
  ExpectCharacter("\xED\x9F\xBF", 0xD7FF, 3, true);
  ExpectCharacter("\xEF\xBF\xBF", 0xFFFF, 3, true);
  ExpectCharacter("\xF0\x90\x80\x80", 0x10000, 4, true);
  ExpectCharacter("\xF4\x8F\xBF\xBF", 0x10FFFF, 4, true);
}

TEST(DisplayText, InvalidUtf8IsItsMaximalSubpart) {
  ExpectCharacter("\x80", 0xFFFD, 1, false);
  ExpectCharacter("\xC0\x80", 0xFFFD, 1, false);          // overlong
  ExpectCharacter("\xE0\x9F\xBF", 0xFFFD, 1, false);      // overlong
  ExpectCharacter("\xED\xA0\x80", 0xFFFD, 1, false);      // surrogate
  ExpectCharacter("\xF4\x90\x80\x80", 0xFFFD, 1, false);  // beyond Unicode
  ExpectCharacter("\xF5", 0xFFFD, 1, false);
  ExpectCharacter("\xE2\x82", 0xFFFD, 2, false);  // cut short
  ExpectCharacter("\xE2\x82z", 0xFFFD, 2, false);
  ExpectCharacter("\xF0\x9F\x98", 0xFFFD, 3, false);
  ExpectCharacter("\xEF\xBF\xBD", 0xFFFD, 3, true);  // a real replacement character
}

TEST(DisplayText, Columns) {
  EXPECT_EQ(DisplayColumns(""), 0U);
  EXPECT_EQ(DisplayColumns("abc"), 3U);
  EXPECT_EQ(DisplayColumns("é"), 1U);
  EXPECT_EQ(DisplayColumns("e\u0301"), 1U);
  EXPECT_EQ(DisplayColumns("日本"), 4U);
  EXPECT_EQ(DisplayColumns("한"), 2U);
  EXPECT_EQ(DisplayColumns("Ａ"), 2U);
  EXPECT_EQ(DisplayColumns("ｱ"), 1U);
  EXPECT_EQ(DisplayColumns("😀"), 2U);
  EXPECT_EQ(DisplayColumns("\xFF"), 1U);
}

TEST(DisplayText, CutsAtColumnsNeverInsideACharacter) {
  EXPECT_EQ(FitForDisplay("", 5), "");
  EXPECT_EQ(FitForDisplay("abcde", 5), "abcde");
  EXPECT_EQ(FitForDisplay("abcdef", 5), "abcd…");
  EXPECT_EQ(FitForDisplay("abc", 1), "…");
  EXPECT_EQ(FitForDisplay("日本語", 6), "日本語");
  EXPECT_EQ(FitForDisplay("日本語", 5), "日本…");
  EXPECT_EQ(FitForDisplay("日本語", 4), "日…");
  EXPECT_EQ(FitForDisplay("日本", 1), "…");
  EXPECT_EQ(FitForDisplay("abce\u0301f", 4), "abc…");
  EXPECT_EQ(FitForDisplay("abce\u0301", 4), "abce\u0301");
}

TEST(DisplayText, NothingReachesTheTerminalAsACommand) {
  EXPECT_EQ(FitForDisplay("a\tb\nc\rd"), "a\\tb\\nc\\rd");
  EXPECT_EQ(FitForDisplay("\x1b[31mred"), "\\u001b[31mred");
  EXPECT_EQ(FitForDisplay(std::string_view("\0", 1)), "\\u0000");
  EXPECT_EQ(FitForDisplay("\x7f"), "\\u007f");
  EXPECT_EQ(FitForDisplay("\u009b"), "\\u009b");  // the one-character form of ESC [
  EXPECT_EQ(FitForDisplay("\u202e"), "\\u202e");  // turns the direction around
  EXPECT_EQ(FitForDisplay("\u2028"), "\\u2028");
  EXPECT_EQ(FitForDisplay("a\xFFz"), "a\uFFFDz");
  EXPECT_EQ(FitForDisplay("abc\n", 4), "abc…");  // an escape is not cut in half
}

TEST(DisplayText, LinesHaveNoSpaceAtTheEnd) {
  std::string out;
  AppendLine({{"a"}, {"b"}, {"c"}}, {3, 3, 3}, {Align::kLeft, Align::kRight, Align::kLeft}, out);
  EXPECT_EQ(out, "a      b  c\n");
  out.clear();
  AppendLine({{"日"}, {""}}, {4, 3}, {Align::kLeft, Align::kLeft}, out);
  AppendLine({{"x", "<", ">"}, {"y", "<", ">"}}, {4, 3}, {Align::kRight, Align::kLeft}, out);
  AppendLine({{""}}, {4}, {Align::kRight}, out);
  EXPECT_EQ(out, "日\n   <x>  <y>\n\n");
}

}  // namespace
}  // namespace frazil::cli
