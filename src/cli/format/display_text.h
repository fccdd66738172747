// SPDX-License-Identifier: Apache-2.0
//
// Text as a terminal shows it: UTF-8 characters, the columns they take, and a form of foreign text that is safe to
// print (no control character of a file ever reaches the terminal).
//
//   DisplayColumns("日本")              ->  4
//   FitForDisplay("a\tb\x1b[2J", 60)    ->  a\tb\u001b[2J    (the escapes are spelled out)
//   FitForDisplay("abcdef", 4)          ->  abc…
//
// Widths follow Unicode's East Asian Width (wide and fullwidth take 2 columns) and count combining marks as 0. Joined
// emoji are counted character by character: a table may then be a column or two too wide, never cut short.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace frazil::cli {

// The first character of a text. An invalid sequence gives U+FFFD for its longest prefix that could have begun a
// character (Unicode, section 3.9, "maximal subpart"); `valid` tells it from a true U+FFFD.
struct Utf8Char {
  char32_t code_point = 0;
  size_t byte_count = 0;
  bool valid = true;
};

// REQUIRES: !text.empty().
Utf8Char DecodeUtf8(std::string_view text);

// The bytes of U+FFFD, the replacement character.
inline constexpr std::string_view kReplacementUtf8 = "\xEF\xBF\xBD";

// Columns on a terminal: 0, 1 or 2. REQUIRES: not a control character.
int DisplayColumns(char32_t code_point);
// Columns of a text without control characters.
size_t DisplayColumns(std::string_view text);

inline constexpr size_t kColumnsUnlimited = static_cast<size_t>(-1);

// `text` with control characters, line separators and direction overrides written as escapes (\n, \t, \r, else
// \u001b), invalid UTF-8 as U+FFFD, and cut to `columns_max` columns, the last of them "…".
// REQUIRES: columns_max >= 1.
std::string FitForDisplay(std::string_view text, size_t columns_max = kColumnsUnlimited);

enum class Align { kLeft, kRight };

// One line of a table: each cell padded to its column's width, two spaces between, no space at the end of the line.
// `prefix` and `suffix` surround a cell's text without taking columns (colours).
struct LineCell {
  std::string_view text;
  std::string_view prefix = {};
  std::string_view suffix = {};
};
void AppendLine(const std::vector<LineCell>& cells, const std::vector<size_t>& widths, const std::vector<Align>& aligns,
                std::string& out);

}  // namespace frazil::cli
