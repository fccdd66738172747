// SPDX-License-Identifier: Apache-2.0
//
// Text for people: UTF-8 without a locale, text that is safe on one line of a terminal, and near matches for
// "did you mean". Letters are compared in ASCII; nothing here depends on the environment.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace frazil {

// Bytes of the well-formed UTF-8 character that begins at `text[at]`, 1 to 4; 0 when there is none (RFC 3629:
// no surrogates, no overlong forms, nothing above U+10FFFF). REQUIRES: at < text.size().
size_t Utf8CharacterBytes(std::string_view text, size_t at);

// Characters of the text; every byte that belongs to no well-formed character counts as one.
size_t CharacterCount(std::string_view text);

// The text cut to at most `bytes_max` bytes of it (never inside a character, "..." after a cut), control bytes
// and bytes that are not UTF-8 written as \xhh.
std::string Printable(std::string_view text, size_t bytes_max);

// The character of a hexadecimal digit 0..15, in lower case; the value of one, or -1.
char HexDigit(unsigned value);
int HexValue(char digit);

char LowerAscii(char letter);
bool EqualsIgnoreCase(std::string_view a, std::string_view b);

// Insertions, deletions, replacements and swaps of neighbours that turn one into the other, ASCII case ignored; or
// limit + 1 when there are more than `limit`. O(|a| * |b|) at most.
size_t EditDistance(std::string_view a, std::string_view b, size_t limit);

// The candidates most like `wanted`, best first, at most `count_max` indexes: those equal but for case, or else
// those that end in ".wanted" and those within a third of its length in edits. Candidates or names longer
// than 256 bytes are compared for equality only, so the cost is bounded by the number of candidates.
std::vector<size_t> NearMatches(std::string_view wanted, const std::vector<std::string>& candidates, size_t count_max);

}  // namespace frazil
