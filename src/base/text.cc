// SPDX-License-Identifier: Apache-2.0
#include "src/base/text.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

namespace frazil {

size_t Utf8CharacterBytes(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[at + i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  size_t bytes = 0;
  // The second byte carries the limits against overlong forms, surrogates and too large code points.
  uint8_t second_min = 0x80;
  uint8_t second_max = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    bytes = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    bytes = 3;
    if (lead == 0xE0) second_min = 0xA0;
    if (lead == 0xED) second_max = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    bytes = 4;
    if (lead == 0xF0) second_min = 0x90;
    if (lead == 0xF4) second_max = 0x8F;
  } else {
    return 0;
  }
  if (text.size() - at < bytes) return 0;
  if (byte(1) < second_min || byte(1) > second_max) return 0;
  for (size_t i = 2; i < bytes; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  return bytes;
}

size_t CharacterCount(std::string_view text) {
  size_t count = 0;
  for (size_t at = 0; at < text.size(); at += std::max<size_t>(1, Utf8CharacterBytes(text, at))) ++count;
  return count;
}

std::string Printable(std::string_view text, size_t bytes_max) {
  std::string out;
  size_t at = 0;
  while (at < text.size()) {
    const size_t bytes = Utf8CharacterBytes(text, at);
    if (at + std::max<size_t>(1, bytes) > bytes_max) return out + "...";
    const auto first = static_cast<uint8_t>(text[at]);
    if (bytes == 0 || first < 0x20 || first == 0x7F) {
      out += "\\x";
      out += HexDigit(first >> 4);
      out += HexDigit(first & 15);
      ++at;
    } else {
      out += text.substr(at, bytes);
      at += bytes;
    }
  }
  return out;
}

char HexDigit(unsigned value) { return "0123456789abcdef"[value & 15]; }

int HexValue(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  const char lower = LowerAscii(digit);
  if (lower >= 'a' && lower <= 'f') return lower - 'a' + 10;
  return -1;
}

char LowerAscii(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter; }

bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char left, char right) {
           return LowerAscii(left) == LowerAscii(right);
         });
}

size_t EditDistance(std::string_view a, std::string_view b, size_t limit) {
  const size_t difference = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (difference > limit) return limit + 1;
  // Three rows of the usual table: two back (for swaps), one back, the present one.
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    size_t least = row[0];
    for (size_t j = 1; j <= b.size(); ++j) {
      const char left = LowerAscii(a[i - 1]);
      const char right = LowerAscii(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (left == right ? 0 : 1)});
      if (i > 1 && j > 1 && left == LowerAscii(b[j - 2]) && LowerAscii(a[i - 2]) == right) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
      least = std::min(least, row[j]);
    }
    // A swap can reach over one row, so one row above the limit is not yet the end.
    if (least > limit + 1) return limit + 1;
    std::swap(before, last);
    std::swap(last, row);
  }
  return std::min(last[b.size()], limit + 1);
}

std::vector<size_t> NearMatches(std::string_view wanted, const std::vector<std::string>& candidates, size_t count_max) {
  constexpr size_t kBytesMax = 256;
  const size_t limit = std::clamp<size_t>(wanted.size() / 3, 1, 6);
  std::vector<std::pair<size_t, size_t>> ranked;  // rank, index
  for (size_t i = 0; i < candidates.size(); ++i) {
    const std::string_view candidate = candidates[i];
    if (EqualsIgnoreCase(candidate, wanted)) {
      ranked.emplace_back(0, i);
      continue;
    }
    if (candidate.size() > kBytesMax || wanted.size() > kBytesMax || wanted.empty()) continue;
    const bool is_suffix = candidate.size() > wanted.size() + 1 &&
                           candidate[candidate.size() - wanted.size() - 1] == '.' &&
                           EqualsIgnoreCase(candidate.substr(candidate.size() - wanted.size()), wanted);
    const size_t distance = is_suffix ? 1 : EditDistance(candidate, wanted, limit);
    // A name of one letter is near to every other one: no help.
    if (distance <= limit && (is_suffix || distance < wanted.size())) ranked.emplace_back(distance, i);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  // A name that is right but for case or quotes leaves no room for guesses.
  const auto is_guess = [&](const auto& one) { return one.first > 0 && ranked[0].first == 0; };
  ranked.erase(std::find_if(ranked.begin(), ranked.end(), is_guess), ranked.end());
  if (ranked.size() > count_max) ranked.resize(count_max);
  std::vector<size_t> indexes;
  for (const auto& [rank, index] : ranked) indexes.push_back(index);
  return indexes;
}

}  // namespace frazil
