// SPDX-License-Identifier: Apache-2.0
#include "src/cli/format/display_text.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace frazil::cli {

namespace {

struct CodePointRange {
  char32_t first;
  char32_t last;
};

// Characters that take no column: combining marks of the common scripts, joiners, variation selectors.
constexpr CodePointRange kZeroWidth[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x05BF, 0x05BF},   {0x05C1, 0x05C2}, {0x05C4, 0x05C5},
    {0x05C7, 0x05C7}, {0x0610, 0x061A}, {0x064B, 0x065F}, {0x0670, 0x0670},   {0x06D6, 0x06DC}, {0x06DF, 0x06E4},
    {0x06E7, 0x06E8}, {0x06EA, 0x06ED}, {0x0711, 0x0711}, {0x0730, 0x074A},   {0x0900, 0x0902}, {0x093A, 0x093A},
    {0x093C, 0x093C}, {0x0941, 0x0948}, {0x094D, 0x094D}, {0x0951, 0x0957},   {0x0981, 0x0981}, {0x09BC, 0x09BC},
    {0x09CD, 0x09CD}, {0x0A3C, 0x0A3C}, {0x0ABC, 0x0ABC}, {0x0B4D, 0x0B4D},   {0x0BCD, 0x0BCD}, {0x0C4D, 0x0C4D},
    {0x0E31, 0x0E31}, {0x0E34, 0x0E3A}, {0x0E47, 0x0E4E}, {0x0EB1, 0x0EB1},   {0x0EB4, 0x0EBC}, {0x1AB0, 0x1AFF},
    {0x1DC0, 0x1DFF}, {0x200B, 0x200D}, {0x2060, 0x2060}, {0x20D0, 0x20F0},   {0x302A, 0x302D}, {0x3099, 0x309A},
    {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0xE0100, 0xE01EF},
};

// East Asian wide and fullwidth characters, and the emoji that terminals draw as wide.
constexpr CodePointRange kWide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2329, 0x232A},   {0x23E9, 0x23EC},   {0x23F0, 0x23F0},
    {0x23F3, 0x23F3},   {0x25FD, 0x25FE},   {0x2614, 0x2615},   {0x2648, 0x2653},   {0x267F, 0x267F},
    {0x2693, 0x2693},   {0x26A1, 0x26A1},   {0x26AA, 0x26AB},   {0x26BD, 0x26BE},   {0x26C4, 0x26C5},
    {0x26CE, 0x26CE},   {0x26D4, 0x26D4},   {0x26EA, 0x26EA},   {0x26F2, 0x26F3},   {0x26F5, 0x26F5},
    {0x26FA, 0x26FA},   {0x26FD, 0x26FD},   {0x2705, 0x2705},   {0x270A, 0x270B},   {0x2728, 0x2728},
    {0x274C, 0x274C},   {0x274E, 0x274E},   {0x2753, 0x2755},   {0x2757, 0x2757},   {0x2795, 0x2797},
    {0x27B0, 0x27B0},   {0x27BF, 0x27BF},   {0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},   {0x2B55, 0x2B55},
    {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},
    {0xA960, 0xA97F},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
    {0xFFE0, 0xFFE6},   {0x16FE0, 0x18AFF}, {0x1AFF0, 0x1B2FF}, {0x1F004, 0x1F004}, {0x1F0CF, 0x1F0CF},
    {0x1F18E, 0x1F18E}, {0x1F191, 0x1F19A}, {0x1F200, 0x1F265}, {0x1F300, 0x1F320}, {0x1F32D, 0x1F335},
    {0x1F337, 0x1F37C}, {0x1F37E, 0x1F393}, {0x1F3A0, 0x1F3CA}, {0x1F3CF, 0x1F3D3}, {0x1F3E0, 0x1F3F0},
    {0x1F3F4, 0x1F3F4}, {0x1F3F8, 0x1F43E}, {0x1F440, 0x1F440}, {0x1F442, 0x1F4FC}, {0x1F4FF, 0x1F53D},
    {0x1F54B, 0x1F54E}, {0x1F550, 0x1F567}, {0x1F57A, 0x1F57A}, {0x1F595, 0x1F596}, {0x1F5A4, 0x1F5A4},
    {0x1F5FB, 0x1F64F}, {0x1F680, 0x1F6C5}, {0x1F6CC, 0x1F6CC}, {0x1F6D0, 0x1F6D2}, {0x1F6D5, 0x1F6D7},
    {0x1F6DC, 0x1F6DF}, {0x1F6EB, 0x1F6EC}, {0x1F6F4, 0x1F6FC}, {0x1F7E0, 0x1F7EB}, {0x1F7F0, 0x1F7F0},
    {0x1F90C, 0x1F93A}, {0x1F93C, 0x1F945}, {0x1F947, 0x1F9FF}, {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD},
};

template <size_t N>
bool Contains(const CodePointRange (&ranges)[N], char32_t code_point) {
  const auto* range = std::lower_bound(std::begin(ranges), std::end(ranges), code_point,
                                       [](const CodePointRange& entry, char32_t c) { return entry.last < c; });
  return range != std::end(ranges) && range->first <= code_point;
}

// Characters that move the cursor, change the direction of text or end a line.
bool NeedsEscape(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x200E || c == 0x200F || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069);
}

void AppendEscape(char32_t c, std::string& out) {
  if (c == '\n') {
    out += "\\n";
  } else if (c == '\t') {
    out += "\\t";
  } else if (c == '\r') {
    out += "\\r";
  } else {
    constexpr char kDigits[] = "0123456789abcdef";
    out += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) out += kDigits[(c >> shift) & 0xF];
  }
}

}  // namespace

Utf8Char DecodeUtf8(std::string_view text) {
  const auto byte_at = [text](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte_at(0);
  if (lead < 0x80) return {lead, 1, true};
  const Utf8Char invalid{0xFFFD, 1, false};
  // The second byte is narrower after E0 (overlong), ED (surrogates), F0 (overlong) and F4 (beyond U+10FFFF).
  uint8_t second_min = 0x80;
  uint8_t second_max = 0xBF;
  size_t length = 0;
  char32_t code_point = 0;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
    code_point = lead & 0x1F;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    code_point = lead & 0x0F;
    if (lead == 0xE0) second_min = 0xA0;
    if (lead == 0xED) second_max = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    code_point = lead & 0x07;
    if (lead == 0xF0) second_min = 0x90;
    if (lead == 0xF4) second_max = 0x8F;
  } else {
    return invalid;
  }
  for (size_t i = 1; i < length; ++i) {
    const uint8_t low = i == 1 ? second_min : 0x80;
    const uint8_t high = i == 1 ? second_max : 0xBF;
    if (i >= text.size() || byte_at(i) < low || byte_at(i) > high) return {0xFFFD, i, false};
    code_point = (code_point << 6) | (byte_at(i) & 0x3F);
  }
  return {code_point, length, true};
}

int DisplayColumns(char32_t code_point) {
  if (code_point < 0x300) return 1;
  if (Contains(kZeroWidth, code_point)) return 0;
  return Contains(kWide, code_point) ? 2 : 1;
}

size_t DisplayColumns(std::string_view text) {
  size_t columns = 0;
  while (!text.empty()) {
    const Utf8Char character = DecodeUtf8(text);
    columns += static_cast<size_t>(DisplayColumns(character.code_point));
    text.remove_prefix(character.byte_count);
  }
  return columns;
}

std::string FitForDisplay(std::string_view text, size_t columns_max) {
  std::string out;
  size_t columns = 0;
  size_t cut_size = 0;  // where "…" goes if the text turns out too long: what precedes takes < columns_max columns
  while (!text.empty()) {
    const Utf8Char character = DecodeUtf8(text);
    if (NeedsEscape(character.code_point)) {
      const size_t before = out.size();
      AppendEscape(character.code_point, out);
      columns += out.size() - before;
    } else {
      out.append(character.valid ? text.substr(0, character.byte_count) : kReplacementUtf8);
      columns += static_cast<size_t>(DisplayColumns(character.code_point));
    }
    text.remove_prefix(character.byte_count);
    if (columns > columns_max) {
      out.resize(cut_size);
      out += "…";
      return out;
    }
    if (columns < columns_max) cut_size = out.size();
  }
  return out;
}

void AppendLine(const std::vector<LineCell>& cells, const std::vector<size_t>& widths, const std::vector<Align>& aligns,
                std::string& out) {
  for (size_t i = 0; i < cells.size(); ++i) {
    const size_t columns = DisplayColumns(cells[i].text);
    const size_t padding = widths[i] > columns ? widths[i] - columns : 0;
    if (i > 0) out += "  ";
    if (aligns[i] == Align::kRight) out.append(padding, ' ');
    out.append(cells[i].prefix).append(cells[i].text).append(cells[i].suffix);
    if (aligns[i] == Align::kLeft) out.append(padding, ' ');
  }
  out.resize(out.find_last_not_of(' ') + 1);
  out += '\n';
}

}  // namespace frazil::cli
