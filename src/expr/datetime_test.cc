// SPDX-License-Identifier: Apache-2.0
#include "src/expr/datetime.h"

#include <limits>

#include <gtest/gtest.h>

#include "frazil/error.h"

namespace frazil::expr {
namespace {

TEST(Datetime, DaysCountThroughEightHundredYears) {
  // Counts day by day, by the rules of the calendar alone.
  int64_t days = DaysFromCivil(1600, 1, 1);
  EXPECT_EQ(days, -135140);
  for (int year = 1600; year < 2400; ++year) {
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    const int lengths[] = {31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    for (int month = 1; month <= 12; ++month) {
      for (int day = 1; day <= lengths[month - 1]; ++day, ++days) {
        ASSERT_EQ(DaysFromCivil(year, month, day), days);
        const CivilDate date = CivilFromDays(days);
        ASSERT_TRUE(date.year == year && date.month == month && date.day == day) << days;
      }
    }
  }
  EXPECT_EQ(DaysFromCivil(1970, 1, 1), 0);
}

TEST(Datetime, FarYearsRoundTrip) {
  for (const int64_t year : {-999999999, -401, -400, -1, 0, 1, 9999, 10000, 294247, 999999999}) {
    for (const int month : {1, 2, 3, 12}) {
      const CivilDate date = CivilFromDays(DaysFromCivil(year, month, 28));
      EXPECT_TRUE(date.year == year && date.month == month && date.day == 28) << year;
    }
  }
  for (const int64_t days : {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()}) {
    const CivilDate date = CivilFromDays(days);
    EXPECT_EQ(days < 0, date.year < 0);
  }
}

TEST(Datetime, Dates) {
  EXPECT_EQ(*ParseDate("1970-01-01"), 0);
  EXPECT_EQ(*ParseDate("1969-12-31"), -1);
  EXPECT_EQ(*ParseDate("2024-02-29"), 19782);
  EXPECT_EQ(*ParseDate("0001-01-01"), -719162);
  EXPECT_EQ(*ParseDate("0000-12-31"), -719163);
  EXPECT_EQ(*ParseDate("0001-12-31 (BC)"), -719163);
  EXPECT_EQ(*ParseDate("0044-03-15 (BC)"), *ParseDate("-0043-03-15"));
  EXPECT_EQ(*ParseDate("+12345-06-07"), *ParseDate("12345-06-07"));
  EXPECT_EQ(*ParseDate("5881580-07-11"), std::numeric_limits<int32_t>::max());
  for (const char* bad :
       {"", "2024", "2024-01", "2024-1-2", "24-01-02", "2024-13-01", "2024-00-01", "2024-02-30", "2023-02-29",
        "1900-02-29", "2024-01-02 ", " 2024-01-02", "2024-01-02x", "2024/01/02", "1234567890-01-01", "0000-01-01 (BC)",
        "-0044-01-01 (BC)", "2024-01-02 03:04:05", "20240102"}) {
    const auto result = ParseDate(bad);
    ASSERT_FALSE(result.ok()) << bad;
    EXPECT_EQ(KindOf(result.status()), ErrorKind::kUsage);
  }
}

TEST(Datetime, Times) {
  EXPECT_EQ(ParseTime("00:00")->seconds, 0);
  EXPECT_EQ(ParseTime("03:04:05")->seconds, 11045);
  EXPECT_EQ(ParseTime("23:59:59.5")->nanos, 500000000);
  EXPECT_EQ(ParseTime("23:59:59.123456789")->nanos, 123456789);
  EXPECT_FALSE(ParseTime("23:59:59.123456789000")->is_between);
  EXPECT_TRUE(ParseTime("23:59:59.1234567890001")->is_between);
  EXPECT_EQ(ParseTime("24:00:00")->seconds, kSecondsPerDay);
  for (const char* bad : {"", "3:04:05", "03", "03:4", "03:04:5", "25:00:00", "24:00:01", "24:00:00.0000000000001",
                          "03:60:00", "03:04:60", "03:04:05.", "03:04:05Z", "03:04:05+01", "-03:04:05"}) {
    EXPECT_FALSE(ParseTime(bad).ok()) << bad;
  }
}

TEST(Datetime, Timestamps) {
  const DateTime plain = *ParseTimestamp("2024-01-02 03:04:05.000001");
  EXPECT_EQ(plain.days, 19724);
  EXPECT_EQ(plain.time.seconds, 11045);
  EXPECT_EQ(plain.time.nanos, 1000);
  EXPECT_FALSE(plain.offset_minutes.has_value());
  EXPECT_EQ(ParseTimestamp("2024-01-02T03:04")->time.seconds, 11040);
  EXPECT_EQ(ParseTimestamp("2024-01-02")->time.seconds, 0);
  EXPECT_EQ(ParseTimestamp("2024-01-02 24:00:00")->days, 19725);
  EXPECT_EQ(ParseTimestamp("2024-01-02 24:00:00")->time.seconds, 0);
  EXPECT_EQ(ParseTimestamp("294247-01-10 04:00:54.775807")->days, *ParseDate("294247-01-10"));
  EXPECT_EQ(ParseTimestamp("0044-03-15 (BC) 12:00:00")->days, *ParseDate("0044-03-15 (BC)"));
  EXPECT_EQ(ParseTimestamp("0044-03-15 12:00:00 (BC)")->days, *ParseDate("0044-03-15 (BC)"));
  const std::pair<const char*, int> zones[] = {{"Z", 0},      {"z", 0},        {"+00", 0},
                                               {"+02", 120},  {"-0330", -210}, {"+05:45", 345},
                                               {" +02", 120}, {" Z", 0},       {"-23:59", -1439}};
  for (const auto& [zone, minutes] : zones) {
    for (const char* time : {"2024-01-02 03:04:05", "2024-01-02T03:04:05.123", "2024-01-02"}) {
      const auto result = ParseTimestamp(std::string(time) + zone);
      ASSERT_TRUE(result.ok()) << time << zone << result.status();
      EXPECT_EQ(result->offset_minutes, minutes) << time << zone;
      EXPECT_EQ(result->days, 19724);
    }
  }
  for (const char* bad :
       {"", "2024-01-02 ", "2024-01-02T", "2024-01-02 03", "2024-01-02  03:04:05", "2024-01-02 03:04:05 ",
        "2024-01-02 03:04:05+", "2024-01-02 03:04:05+2", "2024-01-02 03:04:05+24", "2024-01-02 03:04:05+02:60",
        "2024-01-02 03:04:05 UTC", "2024-01-02 03:04:05Zx", "2024-01-02X03:04:05", "03:04:05"}) {
    EXPECT_FALSE(ParseTimestamp(bad).ok()) << bad;
  }
}

TEST(Datetime, Printing) {
  EXPECT_EQ(DateToString(0), "1970-01-01");
  EXPECT_EQ(DateToString(*ParseDate("-0043-03-15")), "-0043-03-15");
  EXPECT_EQ(DateToString(*ParseDate("12345-06-07")), "12345-06-07");
  EXPECT_EQ(TimeToString(0, TimeUnit::kMilli), "00:00:00");
  EXPECT_EQ(TimeToString(1, TimeUnit::kMilli), "00:00:00.001");
  EXPECT_EQ(TimeToString(86399999999999, TimeUnit::kNano), "23:59:59.999999999");
  EXPECT_EQ(TimeToString(-1, TimeUnit::kMicro), "-1");
  EXPECT_EQ(TimestampToString(-1, TimeUnit::kMicro, true), "1969-12-31T23:59:59.999999Z");
  EXPECT_EQ(TimestampToString(1704164645000001, TimeUnit::kMicro, false), "2024-01-02T03:04:05.000001");
  EXPECT_EQ(TimestampToString(std::numeric_limits<int64_t>::max(), TimeUnit::kMicro, false),
            "294247-01-10T04:00:54.775807");
  EXPECT_EQ(TimestampToString(std::numeric_limits<int64_t>::min(), TimeUnit::kNano, false),
            "1677-09-21T00:12:43.145224192");
  EXPECT_EQ(TimestampToString(std::numeric_limits<int64_t>::min(), TimeUnit::kMilli, false),
            "-292275055-05-16T16:47:04.192");
}

}  // namespace
}  // namespace frazil::expr
