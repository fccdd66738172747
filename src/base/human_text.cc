// SPDX-License-Identifier: Apache-2.0
#include "src/base/human_text.h"

#include <array>

namespace frazil {
namespace {

// Works for INT64_MIN, whose negation does not exist.
uint64_t Magnitude(int64_t value) {
  return value < 0 ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}

// value / divisor, rounded half up.
uint64_t DivideRounded(uint64_t value, uint64_t divisor) {
  const uint64_t rest = value % divisor;
  return value / divisor + (rest >= divisor - rest ? 1 : 0);
}

}  // namespace

std::string HumanBytes(int64_t bytes) {
  constexpr std::array<std::string_view, 6> kUnits = {" kB", " MB", " GB", " TB", " PB", " EB"};
  const std::string sign = bytes < 0 ? "-" : "";
  const uint64_t magnitude = Magnitude(bytes);
  if (magnitude < 1000) return sign + std::to_string(magnitude) + " B";
  uint64_t tenth = 100;  // a tenth of the unit, in bytes
  for (std::string_view unit : kUnits) {
    const uint64_t tenths = DivideRounded(magnitude, tenth);
    // 999,950 bytes round to 1000.0 kB: that is 1.0 MB.
    if (tenths < 10000 || unit == kUnits.back()) {
      return (sign + std::to_string(tenths / 10) + "." + std::to_string(tenths % 10)).append(unit);
    }
    tenth *= 1000;
  }
  return {};  // not reached: the last unit always returns
}

std::string HumanCount(int64_t count) {
  std::string text = std::to_string(Magnitude(count));
  for (size_t from_end = 3; from_end < text.size(); from_end += 4) text.insert(text.size() - from_end, 1, ',');
  return count < 0 ? "-" + text : text;
}

std::string Counted(int64_t count, std::string_view noun) {
  return HumanCount(count).append(" ").append(noun).append(count == 1 ? "" : "s");
}

}  // namespace frazil
