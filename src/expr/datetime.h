// SPDX-License-Identifier: Apache-2.0
//
// Dates and times as text: the proleptic Gregorian calendar of ISO 8601, in years far beyond four digits, to the
// nanosecond and beyond. No time zone data base: zones are fixed offsets. A day has 86,400 seconds.
//
//   date       [-+]YYYY-MM-DD, four to nine digits of year, or YYYY-MM-DD (BC): 0044-03-15 (BC) is year -43
//   time       hh:mm[:ss[.f]], any number of f; 24:00:00 is the end of the day, which in a
//              timestamp is the beginning of the next one
//   timestamp  date [(T or space) time] [zone]; zone is Z, +hh, +hhmm or +hh:mm, with a space before it or not
//
// Errors are of kind usage; their text says what is wrong with the text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <arrow/result.h>

#include "src/expr/type.h"

namespace frazil::expr {

inline constexpr int64_t kSecondsPerDay = 86400;

// Days since 1970-01-01 of a date, and back. Year 0 is 1 BC. REQUIRES: |year| <= 10^15.
int64_t DaysFromCivil(int64_t year, int month, int day);
struct CivilDate {
  int64_t year = 1970;
  int month = 1;
  int day = 1;
};
CivilDate CivilFromDays(int64_t days);

struct TimeOfDay {
  int64_t seconds = 0;      // since midnight
  int64_t nanos = 0;        // 0..999,999,999
  bool is_between = false;  // digits follow the ninth that are not 0: just above `nanos`
};

struct DateTime {
  int64_t days = 0;
  TimeOfDay time;
  std::optional<int> offset_minutes;  // east of UTC; unset when no zone is written
};

arrow::Result<int64_t> ParseDate(std::string_view text);
arrow::Result<TimeOfDay> ParseTime(std::string_view text);
arrow::Result<DateTime> ParseTimestamp(std::string_view text);

// 3, 6 or 9: decimals of a second.
int UnitDigits(TimeUnit unit);

// ISO text that the parsers above read back: 2024-01-02, 03:04:05.000001, 2024-01-02T03:04:05Z. Decimals are as many
// as the unit has, or none.
std::string DateToString(int64_t days);
std::string TimeToString(int64_t value, TimeUnit unit);
std::string TimestampToString(int64_t value, TimeUnit unit, bool utc);

}  // namespace frazil::expr
