// SPDX-License-Identifier: Apache-2.0
#include "src/expr/number.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace frazil::expr {
namespace {

Number Parsed(std::string_view text) {
  const auto number = ParseNumber(text);
  EXPECT_TRUE(number.has_value()) << text;
  return number.value_or(Number{});
}

TEST(Number, Syntax) {
  EXPECT_EQ(Parsed("0"), Number{});
  EXPECT_EQ(Parsed("-0.000e99"), Number{}) << "zero has no sign";
  EXPECT_EQ(Parsed("42"), (Number{false, "42", 2}));
  EXPECT_EQ(Parsed("+007"), (Number{false, "7", 1}));
  EXPECT_EQ(Parsed("-1.50e3"), (Number{true, "15", 4}));
  EXPECT_EQ(Parsed(".5"), (Number{false, "5", 0}));
  EXPECT_EQ(Parsed("5."), (Number{false, "5", 1}));
  EXPECT_EQ(Parsed("0.005"), (Number{false, "5", -2}));
  EXPECT_EQ(Parsed("1E+2"), Parsed("100"));
  EXPECT_EQ(Parsed("1e-2"), Parsed("0.01"));
  EXPECT_EQ(Parsed("1200"), Parsed("1.2e3"));
  for (const char* bad : {"", "-", ".", "e5", "1e", "1e+", "1x", "1 ", " 1", "--1", "1.2.3", "0x10", "1_000", "inf"}) {
    EXPECT_FALSE(ParseNumber(bad).has_value()) << bad;
  }
}

TEST(Number, ExponentsCostNothing) {
  for (const char* text : {"1e999999999", "1e99999999999999999999999999"}) {
    EXPECT_TRUE(PlaceInt128(Parsed(text), 0).above) << text;
    EXPECT_TRUE(PlaceWideDecimal(Parsed(text), 10).above) << text;
    EXPECT_EQ(NearestDouble(Parsed(text)), std::numeric_limits<double>::infinity());
    EXPECT_TRUE(PlaceInt128(Parsed(std::string("-") + text), 0).below) << text;
  }
  const Number tiny = Parsed("1e-99999999999999999999999999");
  EXPECT_EQ(PlaceInt128(tiny, 38).key, 1);
  EXPECT_FALSE(PlaceInt128(tiny, 38).exact);
  EXPECT_EQ(NearestDouble(tiny), 0);
  EXPECT_EQ(Parsed("0e999999999"), Number{});
}

TEST(Number, ThousandsOfDigits) {
  const std::string many(5000, '9');
  EXPECT_TRUE(PlaceInt128(Parsed(many), 0).above);
  const auto place = PlaceInt128(Parsed("1." + many), 0);
  EXPECT_FALSE(place.exact);
  EXPECT_EQ(place.key, 2);
  EXPECT_EQ(PlaceInt128(Parsed("-1." + many), 0).key, -1);
  EXPECT_EQ(NearestDouble(Parsed("1." + many)), 2.0);
  EXPECT_EQ(PlaceInt128(Parsed(std::string(5000, '0') + "12"), 0).key, 12);
}

TEST(Number, EndsOfInt128) {
  const Int128 max = std::numeric_limits<Int128>::max();
  EXPECT_EQ(PlaceInt128(Parsed("170141183460469231731687303715884105726"), 0).key, max - 1);
  EXPECT_TRUE(PlaceInt128(Parsed("170141183460469231731687303715884105727"), 0).above) << "key + 1 must exist";
  EXPECT_TRUE(PlaceInt128(Parsed("999999999999999999999999999999999999999"), 0).above);
  EXPECT_EQ(PlaceInt128(Parsed("-170141183460469231731687303715884105726"), 0).key, 1 - max);
  EXPECT_TRUE(PlaceInt128(Parsed("-1e39"), 0).below);
  EXPECT_EQ(PlaceInt128(Parsed("99999999999999999999999999999999999999"), 0).key + 1,
            PlaceInt128(Parsed("1e38"), 0).key);
}

TEST(Number, PlaceAgreesWithQuarters) {
  // Every multiple of 1/4 of a small range, by integer arithmetic, at two scales.
  for (int quarters = -50; quarters <= 50; ++quarters) {
    const Number number = Parsed(std::to_string(quarters * 0.25));
    for (const int scale : {0, 1}) {
      const int power = scale == 0 ? 1 : 10;
      const int numerator = quarters * power;  // of a value over 4
      const auto place = PlaceInt128(number, scale);
      EXPECT_EQ(place.exact, numerator % 4 == 0);
      const int ceiling = numerator / 4 + (numerator > 0 && numerator % 4 != 0 ? 1 : 0);
      EXPECT_EQ(place.key, ceiling) << quarters;
      const auto wide = PlaceWideDecimal(number, scale);
      EXPECT_EQ(wide.exact, place.exact);
      std::string bytes(4, '\0');
      for (int i = 0; i < 4; ++i) bytes[static_cast<size_t>(i)] = static_cast<char>(ceiling >> (24 - 8 * i));
      EXPECT_EQ(wide.key, WideDecimalKey(bytes)) << quarters;
    }
  }
}

TEST(Number, EndsOfWideDecimals) {
  // 2^255 - 1 and its neighbours.
  const std::string max = "57896044618658097711785492504343953926634992332820282019728792003956564819967";
  const auto place = PlaceWideDecimal(Parsed(max), 0);
  EXPECT_TRUE(place.exact);
  EXPECT_EQ(place.key, std::string(32, '\xFF'));
  EXPECT_TRUE(PlaceWideDecimal(Parsed(max + ".5"), 0).above);
  EXPECT_FALSE(PlaceWideDecimal(Parsed(max + ".5"), 0).exact);
  EXPECT_TRUE(PlaceWideDecimal(Parsed("1e77"), 0).above);
  EXPECT_TRUE(PlaceWideDecimal(Parsed("-1e77"), 0).below);
  std::string least(32, '\0');
  least[31] = 1;
  EXPECT_EQ(PlaceWideDecimal(Parsed("-" + max), 0).key, least);
  EXPECT_FALSE(PlaceWideDecimal(Parsed("-" + max + ".5"), 0).exact);
}

TEST(Number, FloatsRoundOnce) {
  EXPECT_EQ(NearestFloat(Parsed("16777217")), 16777216.0f);
  EXPECT_EQ(NearestFloat(Parsed("16777217.0000000000000001")), 16777218.0f) << "a double would hide the last digit";
  EXPECT_EQ(NearestFloat(Parsed("3.4028236e38")), std::numeric_limits<float>::infinity());
  EXPECT_EQ(NearestFloat(Parsed("3.4028235e38")), std::numeric_limits<float>::max());
  EXPECT_EQ(NearestFloat(Parsed("-1e39")), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(NearestFloat(Parsed("1e-45")), std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(NearestFloat(Parsed("1e-46")), 0.0f);
  EXPECT_EQ(NearestDouble(Parsed("4.9e-324")), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(NearestDouble(Parsed("1e-330")), 0.0);
  EXPECT_EQ(NearestDouble(Parsed("1.8e308")), std::numeric_limits<double>::infinity());
  EXPECT_EQ(NearestDouble(Parsed("-1.8e308")), -std::numeric_limits<double>::infinity());
}

TEST(Number, FloatsAgreeWithTheLibrary) {
  const unsigned seed = std::random_device{}();
  std::mt19937_64 random(seed);
  for (int i = 0; i < 20000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    char text[64];
    std::snprintf(text, sizeof text, "%.*e", static_cast<int>(random() % 20), value);
    EXPECT_EQ(NearestDouble(Parsed(text)), std::strtod(text, nullptr)) << text << " seed " << seed;
    EXPECT_EQ(NearestFloat(Parsed(text)), std::strtof(text, nullptr)) << text << " seed " << seed;
  }
}

// The exact value of a finite half; every one is a double.
double HalfValue(uint16_t bits) {
  const int exponent = bits >> 10;
  return exponent == 0 ? std::ldexp(bits & 1023, -24) : std::ldexp((bits & 1023) + 1024, exponent - 25);
}

TEST(Number, EveryHalfAndEveryMidpoint) {
  char text[96];
  for (uint16_t bits = 0; bits < 0x7C00; ++bits) {
    const double value = HalfValue(bits);
    std::snprintf(text, sizeof text, "%.30f", value);
    ASSERT_EQ(NearestHalf(Parsed(text)), bits) << text;
    const double next = bits == 0x7BFF ? 65536 : HalfValue(static_cast<uint16_t>(bits + 1));
    std::snprintf(text, sizeof text, "%.30f", (value + next) / 2);
    const auto even = static_cast<uint16_t>(bits + (bits & 1));
    ASSERT_EQ(NearestHalf(Parsed(text)), even) << text;
    // Nearer to the midpoint than any double is.
    const std::string above = std::string(text) + "0000000000000000000001";
    ASSERT_EQ(NearestHalf(Parsed(above)), bits + 1) << above;
    ASSERT_EQ(NearestHalf(Parsed("-" + above)), 0x8000 | (bits + 1)) << above;
  }
  EXPECT_EQ(NearestHalf(Parsed("65519.999999999999999999999999999")), 0x7BFF);
  EXPECT_EQ(NearestHalf(Parsed("65520")), 0x7C00);
  EXPECT_EQ(NearestHalf(Parsed("1e300")), 0x7C00);
  EXPECT_EQ(NearestHalf(Parsed("1e999")), 0x7C00);
  EXPECT_EQ(NearestHalf(Parsed("-1e999")), 0xFC00);
  EXPECT_EQ(NearestHalf(Parsed("1e-300")), 0);
  EXPECT_EQ(NearestHalf(Parsed("2.98023223876953125e-8")), 0) << "half of the least half, to even";
  EXPECT_EQ(NearestHalf(Parsed("2.980232238769531250001e-8")), 1);
}

}  // namespace
}  // namespace frazil::expr
