// SPDX-License-Identifier: Apache-2.0
#include "src/cli/format/value_text.h"

#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>

#include <arrow/util/decimal.h>
#include <gtest/gtest.h>

namespace frazil::cli {
namespace {

using arrow::TimeUnit;

constexpr int64_t kInt64Min = std::numeric_limits<int64_t>::min();
constexpr int64_t kInt64Max = std::numeric_limits<int64_t>::max();

// The text that `append` appends; it must leave what was there alone.
template <typename Function, typename... Args>
std::string TextOf(Function append, Args... args) {
  std::string out = "kept|";
  append(args..., out);
  EXPECT_EQ(out.substr(0, 5), "kept|");
  return out.substr(5);
}

std::string Date(int64_t days) { return TextOf(AppendDate, days); }
std::string Timestamp(int64_t value, TimeUnit::type unit, bool utc = false) {
  return TextOf(AppendTimestamp, value, unit, utc);
}
std::string Double(double value) {
  return TextOf([](double v, std::string& out) { AppendFloating(v, NonFiniteText::kBare, out); }, value);
}
std::string Float(float value) {
  return TextOf([](float v, std::string& out) { AppendFloating(v, NonFiniteText::kQuoted, out); }, value);
}
std::string Decimal128Text(const std::string& unscaled, int scale) {
  const auto bytes = arrow::Decimal128(unscaled).ToBytes();
  return TextOf(AppendDecimal, bytes.data(), 16, scale);
}
std::string Decimal256Text(const std::string& unscaled, int scale) {
  const auto bytes = arrow::Decimal256(unscaled).ToBytes();
  return TextOf(AppendDecimal, bytes.data(), 32, scale);
}

TEST(ValueText, IntegersAtTheirLimits) {
  EXPECT_EQ(TextOf(AppendInteger<int64_t>, kInt64Min), "-9223372036854775808");
  EXPECT_EQ(TextOf(AppendInteger<uint64_t>, std::numeric_limits<uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(TextOf(AppendInteger<int8_t>, int8_t{-128}), "-128");
  EXPECT_EQ(TextOf(AppendInteger<uint8_t>, uint8_t{65}), "65");
}

TEST(ValueText, FloatsAreShortestAndExact) {
  EXPECT_EQ(Double(0.1), "0.1");
  EXPECT_EQ(Double(-0.0), "-0");
  EXPECT_EQ(Double(1), "1");
  EXPECT_EQ(Double(5e-324), "5e-324");
  EXPECT_EQ(Double(std::numeric_limits<double>::max()), "1.7976931348623157e+308");
  EXPECT_EQ(Float(0.1F), "0.1");
  EXPECT_EQ(Float(std::numeric_limits<float>::denorm_min()), "1e-45");
  EXPECT_EQ(Double(std::numeric_limits<double>::quiet_NaN()), "NaN");
  EXPECT_EQ(Double(-std::numeric_limits<double>::infinity()), "-Infinity");
  EXPECT_EQ(Float(-std::numeric_limits<float>::quiet_NaN()), "\"NaN\"");
  EXPECT_EQ(Float(std::numeric_limits<float>::infinity()), "\"Infinity\"");
}

TEST(ValueText, RandomDoublesReadBackTheSame) {
  const uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int i = 0; i < 20'000; ++i) {
    const uint64_t bits = random();
    double value;
    std::memcpy(&value, &bits, sizeof(value));
    if (value != value) continue;
    const std::string text = Double(value);
    if (text.ends_with("Infinity")) continue;
    ASSERT_EQ(std::strtod(text.c_str(), nullptr), value) << text;
  }
}

TEST(ValueText, DecimalsKeepEveryDigitOfTheScale) {
  EXPECT_EQ(Decimal128Text("150", 2), "1.50");
  EXPECT_EQ(Decimal128Text("0", 2), "0.00");
  EXPECT_EQ(Decimal128Text("0", 0), "0");
  EXPECT_EQ(Decimal128Text("0", -3), "0");
  EXPECT_EQ(Decimal128Text("-1", 2), "-0.01");
  EXPECT_EQ(Decimal128Text("-100", 2), "-1.00");
  EXPECT_EQ(Decimal128Text("15", -3), "15000");
  EXPECT_EQ(Decimal128Text("5", 10), "0.0000000005");
  EXPECT_EQ(Decimal128Text("1000000000", 0), "1000000000");
  EXPECT_EQ(Decimal128Text("1000000000000000000", 9), "1000000000.000000000");
  const std::string nines38(38, '9');
  EXPECT_EQ(Decimal128Text(nines38, 0), nines38);
  EXPECT_EQ(Decimal128Text("-" + nines38, 38), "-0." + nines38);
  EXPECT_EQ(Decimal128Text("-170141183460469231731687303715884105728", 0), "-170141183460469231731687303715884105728");
}

TEST(ValueText, WideAndNarrowDecimals) {
  const std::string nines76(76, '9');
  EXPECT_EQ(Decimal256Text(nines76, 0), nines76);
  EXPECT_EQ(Decimal256Text("-" + nines76, 75), "-9." + nines76.substr(1));
  EXPECT_EQ(Decimal256Text("-1", 76), "-0." + std::string(75, '0') + "1");
  uint8_t smallest[32] = {};
  smallest[31] = 0x80;  // -2^255
  EXPECT_EQ(TextOf(AppendDecimal, static_cast<const uint8_t*>(smallest), 32, 0),
            "-57896044618658097711785492504343953926634992332820282019728792003956564819968");
  const int32_t narrow = -12345;
  uint8_t bytes[8] = {};
  std::memcpy(bytes, &narrow, 4);
  EXPECT_EQ(TextOf(AppendDecimal, static_cast<const uint8_t*>(bytes), 4, 2), "-123.45");
  std::memcpy(bytes, &kInt64Min, 8);
  EXPECT_EQ(TextOf(AppendDecimal, static_cast<const uint8_t*>(bytes), 8, 18), "-9.223372036854775808");
}

TEST(ValueText, DatesOfEveryEra) {
  EXPECT_EQ(Date(0), "1970-01-01");
  EXPECT_EQ(Date(-1), "1969-12-31");
  EXPECT_EQ(Date(11'016), "2000-02-29");
  EXPECT_EQ(Date(19'782), "2024-02-29");
  EXPECT_EQ(Date(-719'162), "0001-01-01");
  EXPECT_EQ(Date(-719'528), "0000-01-01");
  EXPECT_EQ(Date(-719'529), "-0001-12-31");
  EXPECT_EQ(Date(-735'525), "-0044-03-15");
  EXPECT_EQ(Date(2'932'896), "9999-12-31");
  EXPECT_EQ(Date(2'932'897), "+10000-01-01");
  EXPECT_EQ(Date(std::numeric_limits<int32_t>::max()), "+5881580-07-11");
  EXPECT_EQ(Date(std::numeric_limits<int32_t>::min()), "-5877641-06-23");
}

TEST(ValueText, TimesHaveTheDigitsOfTheirUnit) {
  EXPECT_EQ(TextOf(AppendTime, int64_t{0}, TimeUnit::SECOND), "00:00:00");
  EXPECT_EQ(TextOf(AppendTime, int64_t{86'399'999}, TimeUnit::MILLI), "23:59:59.999");
  EXPECT_EQ(TextOf(AppendTime, int64_t{3'600'000'000}, TimeUnit::MICRO), "01:00:00.000000");
  EXPECT_EQ(TextOf(AppendTime, int64_t{1}, TimeUnit::NANO), "00:00:00.000000001");
  EXPECT_EQ(TextOf(AppendTime, int64_t{86'400}, TimeUnit::SECOND), "24:00:00");
  EXPECT_EQ(TextOf(AppendTime, int64_t{-1}, TimeUnit::MILLI), "-00:00:00.001");
}

TEST(ValueText, TimestampsBeforeAndFarFrom1970) {
  EXPECT_EQ(Timestamp(0, TimeUnit::SECOND), "1970-01-01T00:00:00");
  EXPECT_EQ(Timestamp(0, TimeUnit::MILLI, true), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(Timestamp(-1, TimeUnit::SECOND), "1969-12-31T23:59:59");
  EXPECT_EQ(Timestamp(-1, TimeUnit::NANO), "1969-12-31T23:59:59.999999999");
  EXPECT_EQ(Timestamp(-86'400'000'001, TimeUnit::MICRO, true), "1969-12-30T23:59:59.999999Z");
  EXPECT_EQ(Timestamp(1'704'164'645'000'001, TimeUnit::MICRO, true), "2024-01-02T03:04:05.000001Z");
  EXPECT_EQ(Timestamp(kInt64Max, TimeUnit::MICRO), "+294247-01-10T04:00:54.775807");
  EXPECT_EQ(Timestamp(kInt64Min, TimeUnit::MICRO), "-290308-12-21T19:59:05.224192");
  EXPECT_EQ(Timestamp(kInt64Max, TimeUnit::NANO), "2262-04-11T23:47:16.854775807");
  EXPECT_EQ(Timestamp(kInt64Min, TimeUnit::NANO), "1677-09-21T00:12:43.145224192");
  EXPECT_EQ(Timestamp(kInt64Max, TimeUnit::SECOND), "+292277026596-12-04T15:30:07");
  EXPECT_EQ(Timestamp(kInt64Min, TimeUnit::SECOND), "-292277022657-01-27T08:29:52");
}

TEST(ValueText, DurationsAndIntervals) {
  EXPECT_EQ(TextOf(AppendDuration, int64_t{1500}, TimeUnit::MILLI), "PT1.5S");
  EXPECT_EQ(TextOf(AppendDuration, int64_t{-1}, TimeUnit::NANO), "PT-0.000000001S");
  EXPECT_EQ(TextOf(AppendDuration, int64_t{0}, TimeUnit::SECOND), "PT0S");
  EXPECT_EQ(TextOf(AppendDuration, int64_t{100}, TimeUnit::SECOND), "PT100S");
  EXPECT_EQ(TextOf(AppendDuration, kInt64Min, TimeUnit::MICRO), "PT-9223372036854.775808S");
  EXPECT_EQ(TextOf(AppendInterval, 1, 2, 3'000'000'004, TimeUnit::NANO), "P1M2DT3.000000004S");
  EXPECT_EQ(TextOf(AppendInterval, 0, 0, 0, TimeUnit::NANO), "PT0S");
  EXPECT_EQ(TextOf(AppendInterval, -14, 0, 0, TimeUnit::NANO), "P-14M");
  EXPECT_EQ(TextOf(AppendInterval, 0, 1, -5, TimeUnit::MILLI), "P1DT-0.005S");
}

TEST(ValueText, BytesAndUuids) {
  using namespace std::string_view_literals;
  EXPECT_EQ(TextOf(AppendHex, ""sv), "0x");
  EXPECT_EQ(TextOf(AppendHex, "\x00\x0a\xff"sv), "0x000aff");
  EXPECT_EQ(TextOf(AppendUuid, "\x12\x34\x56\x78\x9a\xbc\xde\xf0\x01\x23\x45\x67\x89\xab\xcd\xef"sv),
            "12345678-9abc-def0-0123-456789abcdef");
}

TEST(ValueText, CsvQuotesOnlyWhereNeeded) {
  using namespace std::string_view_literals;
  EXPECT_EQ(TextOf(AppendCsvField, ""sv), "\"\"");
  EXPECT_EQ(TextOf(AppendCsvField, "plain"sv), "plain");
  EXPECT_EQ(TextOf(AppendCsvField, " spaces "sv), " spaces ");
  EXPECT_EQ(TextOf(AppendCsvField, "a,b"sv), "\"a,b\"");
  EXPECT_EQ(TextOf(AppendCsvField, "say \"hi\""sv), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(TextOf(AppendCsvField, "\""sv), "\"\"\"\"");
  EXPECT_EQ(TextOf(AppendCsvField, "a\nb"sv), "\"a\nb\"");
  EXPECT_EQ(TextOf(AppendCsvField, "a\rb"sv), "\"a\rb\"");
  EXPECT_EQ(TextOf(AppendCsvField, "\xff\x00x"sv), "\xff\x00x"sv);
}

}  // namespace
}  // namespace frazil::cli
