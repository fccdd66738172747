// SPDX-License-Identifier: Apache-2.0
#include "src/expr/datetime.h"

#include <algorithm>
#include <cstdio>

#include "frazil/error.h"

namespace frazil::expr {
namespace {

constexpr int64_t kDaysPerEra = 146097;  // 400 years
// Days from 0000-03-01, where the eras below begin, to 1970-01-01.
constexpr int64_t kEpochDays = 719468;

int64_t FloorDivide(int64_t value, int64_t divisor) { return value / divisor - (value % divisor < 0 ? 1 : 0); }

bool IsLeapYear(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int DaysInMonth(int64_t year, int month) {
  static constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && IsLeapYear(year) ? 29 : kDays[month - 1];
}

arrow::Status BadDate(const char* reason) {
  return MakeError(ErrorKind::kUsage, std::string(reason) + "; a date is written 2024-01-31");
}
arrow::Status BadTime(const char* reason) {
  return MakeError(ErrorKind::kUsage, std::string(reason) + "; a time is written 23:59:59.123456");
}

// Takes text from the left.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  bool empty() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

  bool Take(std::string_view expected) {
    if (rest_.substr(0, expected.size()) != expected) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }
  std::string_view TakeDigits() {
    size_t count = 0;
    while (count < rest_.size() && rest_[count] >= '0' && rest_[count] <= '9') ++count;
    const std::string_view digits = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return digits;
  }
  // Exactly two digits, or -1.
  int TakeTwo() {
    if (rest_.size() < 2 || !IsDigit(rest_[0]) || !IsDigit(rest_[1])) return -1;
    const int value = (rest_[0] - '0') * 10 + (rest_[1] - '0');
    rest_.remove_prefix(2);
    return value;
  }

 private:
  static bool IsDigit(char c) { return c >= '0' && c <= '9'; }
  std::string_view rest_;
};

// A date before its suffix (BC), which may also stand after the time, is known.
struct YearMonthDay {
  int64_t year = 0;
  int month = 0;
  int day = 0;
  bool has_sign = false;
};

arrow::Result<YearMonthDay> TakeDate(Cursor* cursor) {
  YearMonthDay date;
  const bool negative = cursor->Take("-");
  date.has_sign = negative || cursor->Take("+");
  const std::string_view digits = cursor->TakeDigits();
  if (digits.size() < 4 || digits.size() > 9) return BadDate("the year needs four to nine digits");
  for (const char digit : digits) date.year = date.year * 10 + (digit - '0');
  if (negative) date.year = -date.year;
  if (!cursor->Take("-")) return BadDate("no month follows the year");
  date.month = cursor->TakeTwo();
  if (!cursor->Take("-")) return BadDate("the month needs two digits and a day after it");
  date.day = cursor->TakeTwo();
  if (date.month < 0 || date.day < 0) return BadDate("month and day need two digits");
  return date;
}

// Turns "0044 (BC)" into the year -43 and checks that the day exists.
arrow::Result<int64_t> FinishDate(YearMonthDay date, bool before_christ) {
  if (before_christ) {
    if (date.has_sign || date.year == 0) return BadDate("(BC) goes with a year from 1 without sign");
    date.year = 1 - date.year;
  }
  if (date.month < 1 || date.month > 12) return BadDate("there is no such month");
  if (date.day < 1 || date.day > DaysInMonth(date.year, date.month)) return BadDate("there is no such day");
  return DaysFromCivil(date.year, date.month, date.day);
}

arrow::Result<TimeOfDay> TakeTime(Cursor* cursor) {
  TimeOfDay time;
  const int hour = cursor->TakeTwo();
  if (hour < 0 || !cursor->Take(":")) return BadTime("the hour needs two digits and a colon after it");
  const int minute = cursor->TakeTwo();
  if (minute < 0) return BadTime("the minute needs two digits");
  int second = 0;
  if (cursor->Take(":")) {
    second = cursor->TakeTwo();
    if (second < 0) return BadTime("the second needs two digits");
    if (cursor->Take(".")) {
      const std::string_view digits = cursor->TakeDigits();
      if (digits.empty()) return BadTime("no digit follows the point");
      for (size_t i = 0; i < 9; ++i) time.nanos = time.nanos * 10 + (i < digits.size() ? digits[i] - '0' : 0);
      time.is_between = digits.size() > 9 && digits.find_first_not_of('0', 9) != std::string_view::npos;
    }
  }
  if (hour > 24 || minute > 59 || second > 59) return BadTime("there is no such time of day");
  time.seconds = hour * 3600 + minute * 60 + second;
  const bool is_end = time.seconds == kSecondsPerDay && time.nanos == 0 && !time.is_between;
  if (hour == 24 && !is_end) return BadTime("there is no such time of day");
  return time;
}

// Z, +hh, +hhmm, +hh:mm. Returns unset when no zone stands here.
arrow::Result<std::optional<int>> TakeZone(Cursor* cursor) {
  if (cursor->Take("Z") || cursor->Take("z")) return std::optional<int>(0);
  const bool negative = cursor->Take("-");
  if (!negative && !cursor->Take("+")) return std::optional<int>();
  const int hours = cursor->TakeTwo();
  int minutes = 0;
  if (cursor->Take(":") || !(cursor->empty() || cursor->rest()[0] == ' ')) minutes = cursor->TakeTwo();
  if (hours < 0 || minutes < 0 || hours > 23 || minutes > 59) {
    return MakeError(ErrorKind::kUsage, "a time zone is written Z, +02, +0200 or +02:00");
  }
  const int offset = hours * 60 + minutes;
  return std::optional<int>(negative ? -offset : offset);
}

constexpr std::string_view kBeforeChrist = " (BC)";

std::string SecondsToString(int64_t seconds, int64_t fraction, TimeUnit unit) {
  char text[48];
  std::snprintf(text, sizeof text, "%02d:%02d:%02d", static_cast<int>(seconds / 3600),
                static_cast<int>(seconds / 60 % 60), static_cast<int>(seconds % 60));
  std::string out = text;
  if (fraction != 0) {
    std::snprintf(text, sizeof text, ".%0*lld", UnitDigits(unit), static_cast<long long>(fraction));
    out += text;
  }
  return out;
}

int64_t UnitsPerSecond(TimeUnit unit) {
  return unit == TimeUnit::kMilli ? 1000 : unit == TimeUnit::kMicro ? 1000000 : 1000000000;
}

}  // namespace

// Years are counted from March, so that the leap day ends a year, in eras of 400 years, which repeat exactly.
int64_t DaysFromCivil(int64_t year, int month, int day) {
  if (month <= 2) --year;
  const int64_t era = FloorDivide(year, 400);
  const int64_t year_of_era = year - era * 400;
  const int64_t day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
  return era * kDaysPerEra + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - kEpochDays;
}

CivilDate CivilFromDays(int64_t days) {
  // By remainders: neither adding to a 64-bit count nor multiplying its quotient back may overflow.
  int64_t era = FloorDivide(days, kDaysPerEra);
  int64_t day_of_era = (days % kDaysPerEra + kDaysPerEra) % kDaysPerEra + kEpochDays;
  era += day_of_era / kDaysPerEra;
  day_of_era %= kDaysPerEra;
  const int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t month_from_march = (5 * day_of_year + 2) / 153;
  CivilDate date;
  date.day = static_cast<int>(day_of_year - (153 * month_from_march + 2) / 5 + 1);
  date.month = static_cast<int>(month_from_march < 10 ? month_from_march + 3 : month_from_march - 9);
  date.year = era * 400 + year_of_era + (date.month <= 2 ? 1 : 0);
  return date;
}

arrow::Result<int64_t> ParseDate(std::string_view text) {
  Cursor cursor(text);
  ARROW_ASSIGN_OR_RAISE(const YearMonthDay date, TakeDate(&cursor));
  const bool before_christ = cursor.Take(kBeforeChrist);
  if (!cursor.empty()) return BadDate("something follows the day");
  return FinishDate(date, before_christ);
}

arrow::Result<TimeOfDay> ParseTime(std::string_view text) {
  Cursor cursor(text);
  ARROW_ASSIGN_OR_RAISE(const TimeOfDay time, TakeTime(&cursor));
  if (!cursor.empty()) return BadTime("something follows the time");
  return time;
}

arrow::Result<DateTime> ParseTimestamp(std::string_view text) {
  Cursor cursor(text);
  DateTime result;
  ARROW_ASSIGN_OR_RAISE(const YearMonthDay date, TakeDate(&cursor));
  bool before_christ = cursor.Take(kBeforeChrist);
  // A space may also stand before a zone; a time begins with a digit.
  const std::string_view rest = cursor.rest();
  const bool has_time =
      rest.size() > 1 && (rest[0] == 'T' || rest[0] == 't' || rest[0] == ' ') && rest[1] >= '0' && rest[1] <= '9';
  if (has_time) {
    cursor.Take(rest.substr(0, 1));
    ARROW_ASSIGN_OR_RAISE(result.time, TakeTime(&cursor));
  }
  if (!before_christ) before_christ = cursor.Take(kBeforeChrist);
  cursor.Take(" ");
  ARROW_ASSIGN_OR_RAISE(result.offset_minutes, TakeZone(&cursor));
  if (!before_christ) before_christ = cursor.Take(kBeforeChrist);
  const bool ends_in_space = !text.empty() && text.back() == ' ';
  if (!cursor.empty() || ends_in_space) {
    return MakeError(ErrorKind::kUsage,
                     "a timestamp is written 2024-01-31 23:59:59.123456, with a zone as Z or +02:00 after it");
  }
  ARROW_ASSIGN_OR_RAISE(result.days, FinishDate(date, before_christ));
  if (result.time.seconds == kSecondsPerDay) {
    ++result.days;
    result.time.seconds = 0;
  }
  return result;
}

int UnitDigits(TimeUnit unit) { return unit == TimeUnit::kMilli ? 3 : unit == TimeUnit::kMicro ? 6 : 9; }

std::string DateToString(int64_t days) {
  const CivilDate date = CivilFromDays(days);
  char text[64];
  std::snprintf(text, sizeof text, "%s%04lld-%02d-%02d", date.year < 0 ? "-" : "",
                static_cast<long long>(date.year < 0 ? -date.year : date.year), date.month, date.day);
  return text;
}

std::string TimeToString(int64_t value, TimeUnit unit) {
  const int64_t units = UnitsPerSecond(unit);
  const int64_t seconds = FloorDivide(value, units);
  // Only damaged data hold such a time of day; the raw count says most.
  if (seconds < 0 || seconds > kSecondsPerDay) return std::to_string(value);
  return SecondsToString(seconds, value - seconds * units, unit);
}

std::string TimestampToString(int64_t value, TimeUnit unit, bool utc) {
  const int64_t units = UnitsPerSecond(unit);
  const int64_t seconds = FloorDivide(value, units);
  // Of the remainder only, because seconds * units may lie below the least 64-bit number.
  const int64_t fraction = (value % units + units) % units;
  const int64_t days = FloorDivide(seconds, kSecondsPerDay);
  std::string text = DateToString(days) + "T" + SecondsToString(seconds - days * kSecondsPerDay, fraction, unit);
  if (utc) text += "Z";
  return text;
}

}  // namespace frazil::expr
