// SPDX-License-Identifier: Apache-2.0
#include "src/cli/format/value_text.h"

#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace frazil::cli {

namespace {

static_assert(std::endian::native == std::endian::little, "decimal words are read in the order of the machine");

constexpr char kHexDigits[] = "0123456789abcdef";
constexpr int64_t kSecondsPerDay = 86'400;

template <typename T>
void AppendFloatingImpl(T value, NonFiniteText non_finite, std::string& out) {
  if (std::isfinite(value)) [[likely]] {
    char digits[40];
    const auto end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
    out.append(digits, static_cast<size_t>(end - digits));
    return;
  }
  const std::string_view quote = non_finite == NonFiniteText::kQuoted ? "\"" : "";
  out.append(quote).append(std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity").append(quote);
}

// Exactly `width` digits of `value`, with leading zeros. Returns the end.
char* WriteDigits(uint64_t value, int width, char* cursor) {
  for (int i = width; i-- > 0; value /= 10) cursor[i] = static_cast<char>('0' + value % 10);
  return cursor + width;
}

// `value` with leading zeros to at least `width` digits.
void AppendPadded(uint64_t value, int width, std::string& out) {
  char digits[24];
  const auto digit_count = static_cast<int>(std::to_chars(digits, digits + sizeof(digits), value).ptr - digits);
  if (digit_count < width) out.append(static_cast<size_t>(width - digit_count), '0');
  out.append(digits, static_cast<size_t>(digit_count));
}

struct Quotient {
  int64_t quotient;
  int64_t rest;  // 0 <= rest < divisor
};

// Rounds towards minus infinity, so that the time of day before 1970 is positive too.
inline Quotient FloorDivide(int64_t value, int64_t divisor) {
  Quotient result{value / divisor, value % divisor};
  if (result.rest < 0) {
    --result.quotient;
    result.rest += divisor;
  }
  return result;
}

// Calls `use` with the units of a second and the digits of its fraction as constants: a division by a constant is
// several times as fast as any other.
template <typename Use>
void WithUnit(arrow::TimeUnit::type unit, Use use) {
  switch (unit) {
    case arrow::TimeUnit::SECOND:
      return use(std::integral_constant<int64_t, 1>(), std::integral_constant<int, 0>());
    case arrow::TimeUnit::MILLI:
      return use(std::integral_constant<int64_t, 1'000>(), std::integral_constant<int, 3>());
    case arrow::TimeUnit::MICRO:
      return use(std::integral_constant<int64_t, 1'000'000>(), std::integral_constant<int, 6>());
    case arrow::TimeUnit::NANO:
      return use(std::integral_constant<int64_t, 1'000'000'000>(), std::integral_constant<int, 9>());
  }
}

uint64_t Magnitude(int64_t value) {
  return value < 0 ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}

// ":mm:ss.fraction" of the seconds since midnight. Returns the end.
char* WriteMinutes(uint64_t seconds, uint64_t fraction, int fraction_digits, char* cursor) {
  *cursor++ = ':';
  cursor = WriteDigits(seconds / 60 % 60, 2, cursor);
  *cursor++ = ':';
  cursor = WriteDigits(seconds % 60, 2, cursor);
  if (fraction_digits == 0) return cursor;
  *cursor++ = '.';
  return WriteDigits(fraction, fraction_digits, cursor);
}

// The longest year of a day count of 64 bits, sign included, and "-mm-ddThh:mm:ss.fffffffffZ".
constexpr size_t kTimestampBytesMax = 21 + 28;

// Returns the end. Writes at most kTimestampBytesMax bytes.
char* WriteDate(int64_t days, char* cursor) {
  // The calendar repeats every 400 years; the library's own calendar then needs to know only 1970 to 2369.
  const Quotient era = FloorDivide(days, 146'097);
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{era.rest}}};
  const int64_t year = era.quotient * 400 + static_cast<int>(date.year());
  const uint64_t magnitude = Magnitude(year);
  if (year < 0) *cursor++ = '-';
  if (year > 9999) *cursor++ = '+';
  cursor = magnitude <= 9999 ? WriteDigits(magnitude, 4, cursor) : std::to_chars(cursor, cursor + 20, magnitude).ptr;
  *cursor++ = '-';
  cursor = WriteDigits(static_cast<unsigned>(date.month()), 2, cursor);
  *cursor++ = '-';
  return WriteDigits(static_cast<unsigned>(date.day()), 2, cursor);
}

// "-1.5S": seconds with the digits of the fraction that matter.
void AppendIsoSeconds(int64_t value, arrow::TimeUnit::type unit, std::string& out) {
  if (value < 0) out += '-';
  WithUnit(unit, [value, &out](auto units_per_second, auto fraction_digits) {
    constexpr auto kUnits = static_cast<uint64_t>(decltype(units_per_second)::value);
    AppendInteger(Magnitude(value) / kUnits, out);
    const uint64_t fraction = Magnitude(value) % kUnits;
    if (fraction == 0) return;
    out += '.';
    AppendPadded(fraction, fraction_digits, out);
    while (out.back() == '0') out.pop_back();
  });
  out += 'S';
}

// Decimal digits of an unsigned integer of up to 256 bits.
class DigitBuffer {
 public:
  explicit DigitBuffer(std::array<uint32_t, 8> words) {
    size_t word_count = words.size();
    while (word_count > 0 && words[word_count - 1] == 0) --word_count;
    // Divide by 10^9 again and again: nine digits a round, from the end.
    while (word_count > 0) {
      uint64_t rest = 0;
      for (size_t i = word_count; i-- > 0;) {
        const uint64_t dividend = rest << 32 | words[i];
        words[i] = static_cast<uint32_t>(dividend / 1'000'000'000);
        rest = dividend % 1'000'000'000;
      }
      for (int digit = 0; digit < 9; ++digit, rest /= 10) digits_[--begin_] = static_cast<char>('0' + rest % 10);
      while (word_count > 0 && words[word_count - 1] == 0) --word_count;
    }
    while (begin_ < digits_.size() && digits_[begin_] == '0') ++begin_;
    if (begin_ == digits_.size()) digits_[--begin_] = '0';
  }

  std::string_view view() const { return {digits_.data() + begin_, digits_.size() - begin_}; }

 private:
  std::array<char, 81> digits_;  // 2^256 has 78 digits, in rounds of nine
  size_t begin_ = 81;
};

bool NeedsCsvQuotes(std::string_view text) {
  for (const char byte : text) {
    if (byte == ',' || byte == '"' || byte == '\n' || byte == '\r') return true;
  }
  return text.empty();
}

}  // namespace

void AppendFloating(float value, NonFiniteText non_finite, std::string& out) {
  AppendFloatingImpl(value, non_finite, out);
}

void AppendFloating(double value, NonFiniteText non_finite, std::string& out) {
  AppendFloatingImpl(value, non_finite, out);
}

void AppendDecimal(const uint8_t* little_endian, int byte_width, int scale, std::string& out) {
  const auto width = static_cast<size_t>(byte_width);
  std::array<uint32_t, 8> words{};
  std::memcpy(words.data(), little_endian, width);
  if ((little_endian[width - 1] & 0x80) != 0) {
    out += '-';
    uint64_t carry = 1;
    for (size_t i = 0; i < width / sizeof(uint32_t); ++i) {
      carry += static_cast<uint32_t>(~words[i]);
      words[i] = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
  }
  const DigitBuffer buffer(words);
  const std::string_view digits = buffer.view();
  if (scale <= 0) {
    out += digits;
    if (digits != "0") out.append(static_cast<size_t>(-scale), '0');
    return;
  }
  const auto point = static_cast<size_t>(scale);
  if (digits.size() > point) {
    out.append(digits.substr(0, digits.size() - point)).append(1, '.').append(digits.substr(digits.size() - point));
  } else {
    out.append("0.").append(point - digits.size(), '0').append(digits);
  }
}

void AppendDate(int64_t days, std::string& out) {
  char text[kTimestampBytesMax];
  out.append(text, static_cast<size_t>(WriteDate(days, text) - text));
}

void AppendTime(int64_t value, arrow::TimeUnit::type unit, std::string& out) {
  if (value < 0) out += '-';
  WithUnit(unit, [value, &out](auto units_per_second, auto fraction_digits) {
    constexpr auto kUnits = static_cast<uint64_t>(decltype(units_per_second)::value);
    const uint64_t seconds = Magnitude(value) / kUnits;
    AppendPadded(seconds / 3600, 2, out);
    char text[kTimestampBytesMax];
    const char* end = WriteMinutes(seconds, Magnitude(value) % kUnits, fraction_digits, text);
    out.append(text, static_cast<size_t>(end - text));
  });
}

void AppendTimestamp(int64_t value, arrow::TimeUnit::type unit, bool utc, std::string& out) {
  WithUnit(unit, [value, utc, &out](auto units_per_second, auto fraction_digits) {
    const Quotient seconds = FloorDivide(value, units_per_second);
    const Quotient days = FloorDivide(seconds.quotient, kSecondsPerDay);
    const auto second_of_day = static_cast<uint64_t>(days.rest);
    char text[kTimestampBytesMax];
    char* cursor = WriteDate(days.quotient, text);
    *cursor++ = 'T';
    cursor = WriteDigits(second_of_day / 3600, 2, cursor);
    cursor = WriteMinutes(second_of_day, static_cast<uint64_t>(seconds.rest), fraction_digits, cursor);
    if (utc) *cursor++ = 'Z';
    out.append(text, static_cast<size_t>(cursor - text));
  });
}

void AppendDuration(int64_t value, arrow::TimeUnit::type unit, std::string& out) {
  out += "PT";
  AppendIsoSeconds(value, unit, out);
}

void AppendInterval(int64_t months, int64_t days, int64_t sub_day, arrow::TimeUnit::type sub_day_unit,
                    std::string& out) {
  out += 'P';
  if (months != 0) {
    AppendInteger(months, out);
    out += 'M';
  }
  if (days != 0) {
    AppendInteger(days, out);
    out += 'D';
  }
  if (sub_day != 0 || (months == 0 && days == 0)) {
    out += 'T';
    AppendIsoSeconds(sub_day, sub_day_unit, out);
  }
}

void AppendHex(std::string_view bytes, std::string& out) {
  const size_t begin = out.size();
  out.resize(begin + 2 + 2 * bytes.size());
  char* cursor = out.data() + begin;
  *cursor++ = '0';
  *cursor++ = 'x';
  for (const char byte : bytes) {
    *cursor++ = kHexDigits[static_cast<unsigned char>(byte) >> 4];
    *cursor++ = kHexDigits[byte & 0xF];
  }
}

void AppendUuid(std::string_view bytes, std::string& out) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    out += kHexDigits[static_cast<unsigned char>(bytes[i]) >> 4];
    out += kHexDigits[bytes[i] & 0xF];
  }
}

void AppendCsvField(std::string_view text, std::string& out) {
  if (!NeedsCsvQuotes(text)) {
    out += text;
    return;
  }
  out += '"';
  for (const char byte : text) {
    if (byte == '"') out += '"';
    out += byte;
  }
  out += '"';
}

}  // namespace frazil::cli
