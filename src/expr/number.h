// SPDX-License-Identifier: Apache-2.0
//
// Number: a decimal number of any length as written, and its exact place among the values of a type. No digit
// is lost and no digit is imagined: work and memory are bounded by the length of the text, never by the
// exponent (1e999999999 costs as much as 1e9).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "src/expr/type.h"

namespace frazil::expr {

// (-1)^negative * 0.digits * 10^exponent. Digits begin and end with a digit that is not 0; zero has no digits,
// exponent 0 and no sign.
struct Number {
  bool negative = false;
  std::string digits;
  int64_t exponent = 0;

  bool is_zero() const { return digits.empty(); }
  bool operator==(const Number&) const = default;
};

// [-+] (digits [. digits] | . digits | digits .) [e [-+] digits]; unset for anything else.
std::optional<Number> ParseNumber(std::string_view text);

// Where a literal lies among the keys of a type: the least key that is not below it.
template <typename K>
struct KeyPlace {
  bool below = false;  // less than every key
  bool above = false;  // greater than every key
  bool exact = false;  // `key` is the literal itself
  K key{};             // meaningless when below or above
};

// number * 10^scale among the integers of 128 bits (but for the greatest, so that key + 1 exists).
KeyPlace<Int128> PlaceInt128(const Number& number, int scale);
// number * 10^scale among the WideDecimalKeys.
KeyPlace<std::string> PlaceWideDecimal(const Number& number, int scale);

// The nearest value, ties to even, overflow to infinity. Rounded once, from the decimal text.
double NearestDouble(const Number& number);
float NearestFloat(const Number& number);
uint16_t NearestHalf(const Number& number);

}  // namespace frazil::expr
