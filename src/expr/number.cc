// SPDX-License-Identifier: Apache-2.0
#include "src/expr/number.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

namespace frazil::expr {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Far beyond every type, far below overflow when a text length is added.
constexpr int64_t kExponentMax = int64_t{1} << 40;

// The i-th digit of the number's integer part, which may be longer than its digits.
unsigned DigitAt(const Number& number, size_t i) {
  return i < number.digits.size() ? static_cast<unsigned>(number.digits[i] - '0') : 0;
}

// Compares magnitudes. Both begin with a digit that is not 0, so the exponent decides first.
int CompareMagnitude(const Number& a, const Number& b) {
  if (a.is_zero() || b.is_zero()) return static_cast<int>(b.is_zero()) - static_cast<int>(a.is_zero());
  if (a.exponent != b.exponent) return a.exponent < b.exponent ? -1 : 1;
  return a.digits.compare(b.digits);
}

// Rounds |number| to T; the sign is the caller's.
template <typename T>
T NearestMagnitude(const Number& number) {
  // Wider than any T; keeps the text below within what from_chars was made for.
  if (number.is_zero() || number.exponent < -400) return 0;
  if (number.exponent > 400) return std::numeric_limits<T>::infinity();
  const std::string text = "0." + number.digits + "e" + std::to_string(number.exponent);
  T value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec == std::errc::result_out_of_range) {
    return number.exponent > 0 ? std::numeric_limits<T>::infinity() : T{0};
  }
  return value;
}

// The bits of a non-negative double cut to a half, and what was cut off.
struct HalfParts {
  uint16_t bits = 0;    // rounded down
  double value = 0;     // of `bits`
  double midpoint = 0;  // between `bits` and the next half
};

HalfParts HalfBelow(double magnitude) {
  HalfParts parts;
  constexpr int kLeastUnitExponent = -24;  // of subnormals and zero
  int exponent = 0;
  std::frexp(magnitude, &exponent);  // magnitude = f * 2^exponent, f in [0.5, 1)
  // The unit in the last place of 11 bits of mantissa.
  const int unit_exponent = magnitude == 0 ? kLeastUnitExponent : std::max(exponent - 11, kLeastUnitExponent);
  const double steps = std::floor(std::ldexp(magnitude, -unit_exponent));
  parts.value = std::ldexp(steps, unit_exponent);
  parts.midpoint = std::ldexp(steps + 0.5, unit_exponent);
  const auto mantissa = static_cast<unsigned>(steps);
  // Each unit exponent above -24 adds one to the exponent field; the hidden bit adds the first one.
  parts.bits = static_cast<uint16_t>((static_cast<unsigned>(unit_exponent - kLeastUnitExponent) << 10) + mantissa);
  return parts;
}

}  // namespace

std::optional<Number> ParseNumber(std::string_view text) {
  Number number;
  size_t at = 0;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) number.negative = text[at++] == '-';
  const size_t whole_begin = at;
  while (at < text.size() && IsDigit(text[at])) ++at;
  const std::string_view whole = text.substr(whole_begin, at - whole_begin);
  std::string_view fraction;
  if (at < text.size() && text[at] == '.') {
    const size_t fraction_begin = ++at;
    while (at < text.size() && IsDigit(text[at])) ++at;
    fraction = text.substr(fraction_begin, at - fraction_begin);
  }
  if (whole.empty() && fraction.empty()) return std::nullopt;

  int64_t exponent = 0;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    bool negative = false;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) negative = text[at++] == '-';
    if (at == text.size() || !IsDigit(text[at])) return std::nullopt;
    for (; at < text.size() && IsDigit(text[at]); ++at) {
      exponent = std::min(kExponentMax, exponent * 10 + (text[at] - '0'));
    }
    if (negative) exponent = -exponent;
  }
  if (at != text.size()) return std::nullopt;

  number.digits.reserve(whole.size() + fraction.size());
  number.digits.append(whole).append(fraction);
  const size_t first = number.digits.find_first_not_of('0');
  if (first == std::string::npos) return Number{};
  number.exponent = exponent + static_cast<int64_t>(whole.size()) - static_cast<int64_t>(first);
  number.digits.erase(number.digits.find_last_not_of('0') + 1);
  number.digits.erase(0, first);
  return number;
}

KeyPlace<Int128> PlaceInt128(const Number& number, int scale) {
  KeyPlace<Int128> place;
  if (number.is_zero()) {
    place.exact = true;
    return place;
  }
  const int64_t digit_count = number.exponent + scale;  // of the integer part
  constexpr int64_t kDigitsMax = 39;
  constexpr auto kMagnitudeMax = static_cast<UInt128>(std::numeric_limits<Int128>::max()) - 1;
  UInt128 magnitude = 0;
  bool fits = digit_count <= kDigitsMax;
  for (int64_t i = 0; fits && i < digit_count; ++i) {
    fits = !__builtin_mul_overflow(magnitude, UInt128{10}, &magnitude) &&
           !__builtin_add_overflow(magnitude, UInt128{DigitAt(number, static_cast<size_t>(i))}, &magnitude);
  }
  if (!fits || magnitude > kMagnitudeMax) {
    (number.negative ? place.below : place.above) = true;
    return place;
  }
  // The last digit is not 0, so digits beyond the integer part are a true fraction.
  place.exact = digit_count >= static_cast<int64_t>(number.digits.size());
  place.key = static_cast<Int128>(magnitude);
  if (number.negative) {
    place.key = -place.key;  // towards zero is upwards
  } else if (!place.exact) {
    ++place.key;
  }
  return place;
}

KeyPlace<std::string> PlaceWideDecimal(const Number& number, int scale) {
  KeyPlace<std::string> place;
  const int64_t digit_count = number.is_zero() ? 0 : number.exponent + scale;
  constexpr int64_t kDigitsMax = 77;
  std::array<uint64_t, 4> words{};  // least significant first
  const auto multiply_add = [&words](uint64_t factor, uint64_t summand) {
    UInt128 carry = summand;
    for (uint64_t& word : words) {
      carry += static_cast<UInt128>(word) * factor;
      word = static_cast<uint64_t>(carry);
      carry >>= 64;
    }
    return carry == 0 && (words[3] >> 63) == 0;
  };
  bool fits = digit_count <= kDigitsMax;
  for (int64_t i = 0; fits && i < digit_count; ++i) fits = multiply_add(10, DigitAt(number, static_cast<size_t>(i)));
  place.exact = number.is_zero() || digit_count >= static_cast<int64_t>(number.digits.size());
  if (fits && !place.exact && !number.negative) fits = multiply_add(1, 1);
  if (!fits) {
    place.exact = false;
    (number.negative ? place.below : place.above) = true;
    return place;
  }
  if (number.negative) {  // two's complement
    for (uint64_t& word : words) word = ~word;
    UInt128 carry = 1;
    for (uint64_t& word : words) {
      carry += word;
      word = static_cast<uint64_t>(carry);
      carry >>= 64;
    }
  }
  std::string big_endian;
  for (size_t i = words.size(); i-- > 0;) {
    for (int shift = 56; shift >= 0; shift -= 8) big_endian += static_cast<char>(words[i] >> shift);
  }
  place.key = WideDecimalKey(big_endian);
  return place;
}

double NearestDouble(const Number& number) {
  const double magnitude = NearestMagnitude<double>(number);
  return number.negative ? -magnitude : magnitude;
}

float NearestFloat(const Number& number) {
  const float magnitude = NearestMagnitude<float>(number);
  return number.negative ? -magnitude : magnitude;
}

uint16_t NearestHalf(const Number& number) {
  constexpr uint16_t kInfinity = 0x7C00;
  constexpr double kOverflow = 65520;  // half-way between the greatest half and the next power of two
  const uint16_t sign = number.negative ? 0x8000 : 0;
  const double magnitude = NearestMagnitude<double>(number);
  if (magnitude > kOverflow) return sign | kInfinity;
  const HalfParts parts = HalfBelow(magnitude);
  double side = magnitude - parts.midpoint;
  if (side == 0) {
    // The double may have been rounded onto the midpoint; the digits know on which side the number lies. A
    // midpoint is a multiple of 2^-25, so 25 decimals are all of it.
    std::array<char, 64> text;
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), parts.midpoint, std::chars_format::fixed, 25);
    side = CompareMagnitude(number, *ParseNumber(std::string_view(text.data(), end.ptr)));
  }
  const bool up = side > 0 || (side == 0 && (parts.bits & 1) != 0);
  return static_cast<uint16_t>(sign | static_cast<uint16_t>(parts.bits + (up ? 1 : 0)));
}

}  // namespace frazil::expr
