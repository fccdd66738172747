// SPDX-License-Identifier: Apache-2.0
#include "src/layout/clustering.h"

namespace frazil::layout {
namespace {

constexpr size_t kStepBytes = 8;

// The bytes from `begin` on as a big-endian number, zeros behind the end.
uint64_t BytesAt(const std::string& text, size_t begin) {
  uint64_t number = 0;
  for (size_t i = begin; i < begin + kStepBytes; ++i) {
    number = number << 8 | (i < text.size() ? static_cast<uint8_t>(text[i]) : 0);
  }
  return number;
}

}  // namespace

std::string Middle(const std::string& min, const std::string& max) {
  const size_t shorter = std::min(min.size(), max.size());
  const auto common = static_cast<size_t>(
      std::mismatch(min.begin(), min.begin() + static_cast<ptrdiff_t>(shorter), max.begin()).first - min.begin());
  const uint64_t low = BytesAt(min, common);
  const uint64_t high = BytesAt(max, common);
  const uint64_t half = low + (high - low) / 2;
  std::string middle = min.substr(0, common);
  for (size_t i = 0; i < kStepBytes; ++i) middle += static_cast<char>(half >> (8 * (kStepBytes - 1 - i)));
  return std::clamp(middle, min, max);
}

}  // namespace frazil::layout
