// SPDX-License-Identifier: Apache-2.0
//
// The text of single values, the same in csv, json, jsonl and table. Every value is exact: nothing is rounded, and
// nothing depends on the locale or the time zone of the process. All functions append and allocate nothing else.
//
//   floats      the shortest text that reads back the same; NaN, Infinity, -Infinity
//   decimals    all digits of the scale: 1.50
//   dates       YYYY-MM-DD (ISO 8601); years beyond 9999 with + and all digits, negative years as -0044; year 0 is 1 BC
//   times       hh:mm:ss and 3, 6 or 9 digits of fraction by the unit
//   timestamps  date T time, and Z when the value is an instant (always printed in UTC)
//   durations   ISO 8601 with seconds only: PT1.5S, PT-0.001S
//   intervals   ISO 8601: P1M2DT3.000000004S, zero parts left out, PT0S for none
//   bytes       0x and lower-case hexadecimal digits
//   UUIDs       8-4-4-4-12
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include <arrow/type.h>

namespace frazil::cli {

template <std::integral T>
void AppendInteger(T value, std::string& out) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
  out.append(digits, static_cast<size_t>(end - digits));
}

enum class NonFiniteText { kBare, kQuoted };  // NaN or "NaN"

void AppendFloating(float value, NonFiniteText non_finite, std::string& out);
void AppendFloating(double value, NonFiniteText non_finite, std::string& out);

// A two's complement little-endian integer of `byte_width` (4, 8, 16 or 32) bytes, times 10^-scale.
// REQUIRES: |scale| <= kDecimalScaleMax.
inline constexpr int kDecimalScaleMax = 1000;
void AppendDecimal(const uint8_t* little_endian, int byte_width, int scale, std::string& out);

// Days since 1970-01-01, proleptic Gregorian. REQUIRES: |days| <= INT64_MAX / 86400.
void AppendDate(int64_t days, std::string& out);
// Units since midnight. Values outside the day, which no writer should make, get more hours or a minus sign.
void AppendTime(int64_t value, arrow::TimeUnit::type unit, std::string& out);
// Units since 1970-01-01T00:00:00.
void AppendTimestamp(int64_t value, arrow::TimeUnit::type unit, bool utc, std::string& out);
void AppendDuration(int64_t value, arrow::TimeUnit::type unit, std::string& out);
void AppendInterval(int64_t months, int64_t days, int64_t sub_day, arrow::TimeUnit::type sub_day_unit,
                    std::string& out);

void AppendHex(std::string_view bytes, std::string& out);
// REQUIRES: bytes.size() == 16.
void AppendUuid(std::string_view bytes, std::string& out);

// A field of RFC 4180: quoted when it holds a comma, a quote or a line end, or when it is empty (so that an empty
// text and a null differ).
void AppendCsvField(std::string_view text, std::string& out);

}  // namespace frazil::cli
