// SPDX-License-Identifier: Apache-2.0
#include "src/expr/type.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "src/expr/number.h"

namespace frazil::expr {
namespace {

TEST(FloatKeys, OrderFromLeastToNan) {
  using Limits = std::numeric_limits<double>;
  const std::vector<double> ascending = {-Limits::infinity(),      Limits::lowest(),      -1.5,
                                         -Limits::min(),           -Limits::denorm_min(), 0.0,
                                         Limits::denorm_min(),     Limits::min(),         1.0,
                                         std::nextafter(1.0, 2.0), Limits::max(),         Limits::infinity()};
  for (size_t i = 1; i < ascending.size(); ++i) EXPECT_LT(DoubleKey(ascending[i - 1]), DoubleKey(ascending[i])) << i;
  EXPECT_EQ(DoubleKey(-0.0), 0);
  EXPECT_EQ(DoubleKey(0.0), 0);
  EXPECT_LT(DoubleKey(Limits::infinity()), kNanKey64);
  EXPECT_EQ(FloatKey(-0.0f), 0);
  EXPECT_LT(FloatKey(std::numeric_limits<float>::infinity()), kNanKey32);
  EXPECT_LT(FloatKey(-std::numeric_limits<float>::denorm_min()), 0);
}

TEST(FloatKeys, EveryNanIsTheGreatestKey) {
  for (const uint64_t bits : {0x7FF0000000000001u, 0x7FF8000000000000u, 0x7FFFFFFFFFFFFFFFu, 0xFFF0000000000001u,
                              0xFFF8000000000000u, 0xFFFFFFFFFFFFFFFFu}) {
    EXPECT_EQ(DoubleKey(std::bit_cast<double>(bits)), kNanKey64) << std::hex << bits;
  }
  for (const uint32_t bits : {0x7F800001u, 0x7FC00000u, 0xFFFFFFFFu, 0xFF800001u}) {
    EXPECT_EQ(FloatKey(std::bit_cast<float>(bits)), kNanKey32) << std::hex << bits;
  }
  EXPECT_TRUE(std::isnan(DoubleFromKey(kNanKey64)));
  EXPECT_TRUE(std::isnan(FloatFromKey(kNanKey32)));
  EXPECT_EQ(HalfFromKey(kNanKey16), 0x7E00);
  EXPECT_EQ(NanKey({.kind = TypeKind::kFloat16}), kNanKey16);
  EXPECT_EQ(NanKey({.kind = TypeKind::kFloat}), kNanKey32);
  EXPECT_EQ(NanKey({.kind = TypeKind::kDouble}), kNanKey64);
}

TEST(FloatKeys, RandomBitsKeepOrderAndRoundTrip) {
  const unsigned seed = std::random_device{}();
  std::mt19937_64 random(seed);
  for (int i = 0; i < 100000; ++i) {
    const double a = std::bit_cast<double>(random());
    // Often a neighbour, and often near zero.
    const double b = i % 2 == 0 ? std::bit_cast<double>(random()) : std::nextafter(a, i % 3 == 0 ? 0.0 : 1e300);
    if (std::isnan(a) || std::isnan(b)) continue;
    ASSERT_EQ(a < b, DoubleKey(a) < DoubleKey(b)) << a << " " << b << " seed " << seed;
    ASSERT_EQ(a == b, DoubleKey(a) == DoubleKey(b)) << a << " " << b << " seed " << seed;
    ASSERT_EQ(DoubleFromKey(DoubleKey(a)), a) << "seed " << seed;
    const float f = std::bit_cast<float>(static_cast<uint32_t>(random()));
    const float g = std::bit_cast<float>(static_cast<uint32_t>(random()));
    if (std::isnan(f) || std::isnan(g)) continue;
    ASSERT_EQ(f < g, FloatKey(f) < FloatKey(g)) << f << " " << g << " seed " << seed;
    ASSERT_EQ(FloatFromKey(FloatKey(f)), f) << "seed " << seed;
  }
}

TEST(FloatKeys, EveryHalf) {
  std::vector<uint16_t> ascending;
  for (int bits = 0xFC00; bits > 0x8000; --bits) ascending.push_back(static_cast<uint16_t>(bits));
  for (int bits = 0; bits <= 0x7C00; ++bits) ascending.push_back(static_cast<uint16_t>(bits));
  for (size_t i = 0; i < ascending.size(); ++i) {
    if (i > 0) {
      ASSERT_LT(HalfKey(ascending[i - 1]), HalfKey(ascending[i]));
    }
    ASSERT_EQ(HalfFromKey(HalfKey(ascending[i])), ascending[i]);
    // What is printed reads back to the same half.
    const std::string text = KeyToString(Int128{HalfKey(ascending[i])}, {.kind = TypeKind::kFloat16});
    if (const auto number = ParseNumber(text)) {
      ASSERT_EQ(HalfKey(NearestHalf(*number)), HalfKey(ascending[i])) << text;
    } else {
      ASSERT_EQ(ascending[i] & 0x7FFF, 0x7C00) << text;
    }
  }
  EXPECT_EQ(HalfKey(0x8000), 0);
  for (const uint16_t nan : {0x7C01, 0x7FFF, 0xFC01, 0xFFFF}) EXPECT_EQ(HalfKey(nan), kNanKey16);
}

TEST(WideDecimal, OrderOfEveryWidth) {
  // From one byte and from two the same integers, in order.
  std::string before;
  for (int value = -128; value <= 127; ++value) {
    const std::string one(1, static_cast<char>(value));
    const std::string two = std::string(1, value < 0 ? '\xFF' : '\0') + one;
    const std::string key = WideDecimalKey(one);
    ASSERT_EQ(key.size(), 32u);
    ASSERT_EQ(key, WideDecimalKey(two));
    ASSERT_LT(before, key);
    before = key;
    ASSERT_EQ(KeyToString(key, {.kind = TypeKind::kDecimal, .precision = 40}), std::to_string(value));
  }
  EXPECT_EQ(WideDecimalKey(std::string(32, '\xFF')), "\x7F" + std::string(31, '\xFF'));
  EXPECT_EQ(KeyToString(std::string(32, '\xFF'), {.kind = TypeKind::kDecimal, .precision = 76, .scale = 2}),
            "578960446186580977117854925043439539266349923328202820197287920039565648199.67");
  EXPECT_EQ(KeyToString(std::string(32, '\0'), {.kind = TypeKind::kDecimal, .precision = 76}),
            "-57896044618658097711785492504343953926634992332820282019728792003956564819968");
}

TEST(KeyToString, EveryType) {
  const auto print = [](Int128 key, ColumnType type) { return KeyToString(key, type); };
  EXPECT_EQ(print(1, {.kind = TypeKind::kBool}), "TRUE");
  EXPECT_EQ(print(0, {.kind = TypeKind::kBool}), "FALSE");
  EXPECT_EQ(print(-42, {.kind = TypeKind::kInt, .bit_width = 32}), "-42");
  EXPECT_EQ(print(std::numeric_limits<uint64_t>::max(), {.kind = TypeKind::kUInt, .bit_width = 64}),
            "18446744073709551615");
  EXPECT_EQ(print(150, {.kind = TypeKind::kDecimal, .precision = 9, .scale = 2}), "1.50");
  EXPECT_EQ(print(-5, {.kind = TypeKind::kDecimal, .precision = 9, .scale = 2}), "-0.05");
  EXPECT_EQ(print(7, {.kind = TypeKind::kDecimal, .precision = 9, .scale = 0}), "7");
  EXPECT_EQ(print(19724, {.kind = TypeKind::kDate}), "2024-01-02");
  EXPECT_EQ(print(1, {.kind = TypeKind::kTime, .unit = TimeUnit::kMicro}), "00:00:00.000001");
  EXPECT_EQ(print(1704164645000001, {.kind = TypeKind::kTimestamp, .unit = TimeUnit::kMicro, .utc = true}),
            "2024-01-02T03:04:05.000001Z");
  EXPECT_EQ(print(DoubleKey(0.1), {.kind = TypeKind::kDouble}), "0.1");
  EXPECT_EQ(print(FloatKey(0.1f), {.kind = TypeKind::kFloat}), "0.1");
  EXPECT_EQ(print(DoubleKey(-1e300), {.kind = TypeKind::kDouble}), "-1e+300");
  EXPECT_EQ(print(kNanKey64, {.kind = TypeKind::kDouble}), "NaN");
  EXPECT_EQ(print(FloatKey(-std::numeric_limits<float>::infinity()), {.kind = TypeKind::kFloat}), "-Infinity");

  const ColumnType text{.kind = TypeKind::kString};
  EXPECT_EQ(KeyToString(std::string("it's"), text), "'it''s'");
  EXPECT_EQ(KeyToString(std::string("aéb"), text, 2), "'a...'") << "never inside a character";
  EXPECT_EQ(KeyToString(std::string("a\n\xFF"), text), "'a\\x0a\\xff'");
  EXPECT_EQ(KeyToString(std::string("\x0A\x0B", 2), {.kind = TypeKind::kBinary}), "X'0a0b'");
  EXPECT_EQ(KeyToString(std::string(100, 'a'), {.kind = TypeKind::kBinary}, 2), "X'6161...'");
  EXPECT_EQ(KeyToString(std::string("\x01\x02", 2), {.kind = TypeKind::kFixed, .byte_width = 2}), "X'0102'");
  EXPECT_EQ(KeyToString(std::string(16, '\xAB'), {.kind = TypeKind::kUuid}), "abababab-abab-abab-abab-abababababab");
  EXPECT_EQ(KeyToString(std::string(3, '\xAB'), {.kind = TypeKind::kUuid}), "X'ababab'");
}

TEST(Type, Names) {
  EXPECT_EQ((ColumnType{.kind = TypeKind::kInt, .bit_width = 64}.ToString()), "int64");
  EXPECT_EQ((ColumnType{.kind = TypeKind::kUInt, .bit_width = 8}.ToString()), "uint8");
  EXPECT_EQ((ColumnType{.kind = TypeKind::kDecimal, .precision = 9, .scale = 2}.ToString()), "decimal(9,2)");
  EXPECT_EQ((ColumnType{.kind = TypeKind::kTimestamp, .unit = TimeUnit::kMicro, .utc = true}.ToString()),
            "timestamp[us, UTC]");
  EXPECT_EQ((ColumnType{.kind = TypeKind::kTime, .unit = TimeUnit::kNano}.ToString()), "time[ns]");
  EXPECT_EQ((ColumnType{.kind = TypeKind::kFixed, .byte_width = 3}.ToString()), "fixed(3)");
  EXPECT_EQ(ColumnType{}.ToString(), "unsupported");
}

TEST(Int128, Printing) {
  EXPECT_EQ(Int128ToString(0), "0");
  EXPECT_EQ(Int128ToString(-1), "-1");
  EXPECT_EQ(Int128ToString(std::numeric_limits<Int128>::max()), "170141183460469231731687303715884105727");
  EXPECT_EQ(Int128ToString(std::numeric_limits<Int128>::min()), "-170141183460469231731687303715884105728");
}

}  // namespace
}  // namespace frazil::expr
