// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/single_value.h"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include "frazil/error.h"

namespace frazil::iceberg {
namespace {

using expr::Int128;
using expr::Key;

Type Decimal(int precision, int scale) {
  Type type = Primitive(TypeId::kDecimal);
  type.precision = precision;
  type.scale = scale;
  return type;
}

Type Fixed(int length) {
  Type type = Primitive(TypeId::kFixed);
  type.length = length;
  return type;
}

std::string Bytes(std::initializer_list<int> values) {
  std::string bytes;
  for (const int value : values) bytes += static_cast<char>(value);
  return bytes;
}

// The bound as a person reads it, or why it was dropped.
std::string BoundText(const Type& type, const std::string& bytes) {
  const Bound bound = DecodeBound(type, bytes);
  return bound.key ? expr::KeyToString(*bound.key, FilterType(type)) : std::string("dropped: ") + bound.dropped;
}

TEST(SingleValue, BytesAsTheSpecificationHasThem) {
  struct Case {
    Type type;
    std::string bytes;
    const char* text;
  };
  const std::vector<Case> cases = {
      {Primitive(TypeId::kBoolean), Bytes({0}), "FALSE"},
      {Primitive(TypeId::kBoolean), Bytes({1}), "TRUE"},
      {Primitive(TypeId::kInt), Bytes({0x0a, 0, 0, 0}), "10"},
      {Primitive(TypeId::kInt), Bytes({0xff, 0xff, 0xff, 0xff}), "-1"},
      {Primitive(TypeId::kLong), Bytes({0, 0, 0, 0, 0, 0, 0, 0x80}), "-9223372036854775808"},
      {Primitive(TypeId::kFloat), Bytes({0, 0, 0xc0, 0xbf}), "-1.5"},
      {Primitive(TypeId::kDouble), Bytes({0, 0, 0, 0, 0, 0, 0xf8, 0x3f}), "1.5"},
      {Primitive(TypeId::kDate), Bytes({0xff, 0xff, 0xff, 0xff}), "1969-12-31"},
      {Primitive(TypeId::kTime), Bytes({0x40, 0x42, 0x0f, 0, 0, 0, 0, 0}), "00:00:01"},
      {Primitive(TypeId::kTimestamp), Bytes({1, 0, 0, 0, 0, 0, 0, 0}), "1970-01-01T00:00:00.000001"},
      {Primitive(TypeId::kTimestampTzNs), Bytes({1, 0, 0, 0, 0, 0, 0, 0}), "1970-01-01T00:00:00.000000001Z"},
      {Decimal(9, 2), Bytes({0x05, 0x8c}), "14.20"},
      {Decimal(9, 2), Bytes({0xfa, 0x74}), "-14.20"},
      {Decimal(38, 0), Bytes({0}), "0"},
      {Primitive(TypeId::kString), "ice", "'ice'"},
      {Primitive(TypeId::kString), "", "''"},
      {Primitive(TypeId::kUuid), "0123456789abcdef", "30313233-3435-3637-3839-616263646566"},
      {Fixed(2), Bytes({0, 0xff}), "X'00ff'"},
      {Primitive(TypeId::kBinary), Bytes({1}), "X'01'"},
  };
  for (const Case& c : cases) {
    const auto key = DecodeSingleValue(c.type, c.bytes);
    ASSERT_TRUE(key.ok()) << c.type.ToString() << ": " << key.status();
    EXPECT_EQ(expr::KeyToString(*key, FilterType(c.type)), c.text);
    EXPECT_EQ(EncodeSingleValue(c.type, *key), c.bytes) << c.type.ToString();
    EXPECT_EQ(BoundText(c.type, c.bytes), c.text);
  }
}

TEST(SingleValue, DecimalsTakeAsFewBytesAsHoldThem) {
  for (const int64_t value : {0, 1, 127, 128, 255, 256, -1, -128, -129, -256, 32767, -32768, -32769}) {
    const std::string bytes = EncodeSingleValue(Decimal(38, 0), Key(Int128{value}));
    EXPECT_EQ(std::get<Int128>(DecodeSingleValue(Decimal(38, 0), bytes).ValueOrDie()), value);
    if (bytes.size() > 1) {
      // One byte less would say another number.
      const Key shorter = DecodeSingleValue(Decimal(38, 0), bytes.substr(1)).ValueOrDie();
      EXPECT_NE(std::get<Int128>(shorter), value) << value;
    }
  }
  Int128 wide = 1;
  for (int i = 0; i < 38; ++i) wide *= 10;
  for (const Int128 value : {wide - 1, 1 - wide}) {
    EXPECT_EQ(
        std::get<Int128>(DecodeSingleValue(Decimal(38, 0), EncodeSingleValue(Decimal(38, 0), Key(value))).ValueOrDie()),
        value);
  }
}

TEST(SingleValue, WrongWidthsAreErrorsForValuesAndDropBounds) {
  const std::vector<std::pair<Type, std::string>> cases = {
      {Primitive(TypeId::kBoolean), ""},
      {Primitive(TypeId::kBoolean), "ab"},
      {Primitive(TypeId::kInt), "abc"},
      {Primitive(TypeId::kInt), "abcdefgh"},
      {Primitive(TypeId::kLong), "ab"},
      {Primitive(TypeId::kLong), "123456789"},
      {Primitive(TypeId::kFloat), "12345678"},
      {Primitive(TypeId::kDouble), "123"},
      {Primitive(TypeId::kDate), "12345678"},
      {Primitive(TypeId::kTime), "1234"},
      {Primitive(TypeId::kTimestampTz), "1234"},
      {Primitive(TypeId::kTimestampTzNs), "1234"},
      {Primitive(TypeId::kUuid), "short"},
      {Fixed(2), "abc"},
      {Decimal(9, 2), ""},
      {Decimal(9, 2), std::string(40, '\x11')},
      {Decimal(9, 2), std::string("\0\xff", 2) + std::string(38, '\0')},
  };
  for (const auto& [type, bytes] : cases) {
    const auto key = DecodeSingleValue(type, bytes);
    EXPECT_EQ(KindOf(key.status()), ErrorKind::kCorrupt) << type.ToString();
    EXPECT_EQ(BoundText(type, bytes), "dropped: wrong width") << type.ToString();
  }
  EXPECT_EQ(BoundText(Primitive(TypeId::kVariant), "abc"), "dropped: no order");
  EXPECT_EQ(BoundText(Primitive(TypeId::kGeometry), "abc"), "dropped: no order");
  EXPECT_EQ(BoundText(Primitive(TypeId::kUnknown), "abc"), "dropped: no order");
}

TEST(SingleValue, BoundsOfFixedMayBeCut) { EXPECT_EQ(BoundText(Fixed(4), "ab"), "X'6162'"); }

TEST(SingleValue, DecimalsWithMoreBytesThanNeeded) {
  EXPECT_EQ(BoundText(Decimal(9, 0), std::string(20, '\xff')), "-1");
  EXPECT_EQ(BoundText(Decimal(9, 0), std::string(19, '\0') + "\x05"), "5");
}

TEST(SingleValue, BoundsAreReadInTheTypeTheyWereWrittenIn) {
  EXPECT_EQ(BoundText(Primitive(TypeId::kLong), Bytes({0xfe, 0xff, 0xff, 0xff})), "-2");
  EXPECT_EQ(BoundText(Primitive(TypeId::kDouble), Bytes({0xcd, 0xcc, 0xcc, 0x3d})), "0.10000000149011612");
  EXPECT_EQ(BoundText(Primitive(TypeId::kDouble), Bytes({0, 0, 0xc0, 0x7f})), "dropped: NaN");
  EXPECT_EQ(BoundText(Primitive(TypeId::kTimestamp), Bytes({0xff, 0xff, 0xff, 0xff})), "1969-12-31T00:00:00");
  EXPECT_EQ(BoundText(Primitive(TypeId::kTimestampNs), Bytes({1, 0, 0, 0})), "1970-01-02T00:00:00");
  // Beyond the years that 64 bits of nanoseconds reach, the bound still lies where it lies.
  const Bound far = DecodeBound(Primitive(TypeId::kTimestampNs), Bytes({0xff, 0xff, 0xff, 0x7f}));
  EXPECT_EQ(std::get<Int128>(*far.key), Int128{INT32_MAX} * 86400 * 1000000000);
}

TEST(SingleValue, PromotionKeepsOrder) {
  const auto wide = [](float value) {
    return std::get<Int128>(
        *PromoteKey(Primitive(TypeId::kFloat), Primitive(TypeId::kDouble), Key(Int128{expr::FloatKey(value)})));
  };
  EXPECT_EQ(wide(0.1F), expr::DoubleKey(static_cast<double>(0.1F)));
  EXPECT_EQ(wide(std::numeric_limits<float>::quiet_NaN()), expr::kNanKey64);
  EXPECT_EQ(wide(-std::numeric_limits<float>::infinity()), expr::DoubleKey(-std::numeric_limits<double>::infinity()));
  EXPECT_LT(wide(-1.5F), wide(-1.25F));
  EXPECT_EQ(PromoteKey(Primitive(TypeId::kString), Primitive(TypeId::kBinary), Key(std::string("a"))), std::nullopt);
  EXPECT_EQ(PromoteKey(Primitive(TypeId::kDate), Primitive(TypeId::kTimestampTz), Key(Int128{1})), std::nullopt);
  EXPECT_EQ(PromoteKey(Primitive(TypeId::kLong), Primitive(TypeId::kInt), Key(Int128{1})), std::nullopt);
}

TEST(SingleValue, InvertedBoundsAndNanAreDropped) {
  const Bounds inverted = DecodeBounds(Primitive(TypeId::kString), "b", "a");
  EXPECT_FALSE(inverted.lower || inverted.upper);
  EXPECT_STREQ(inverted.dropped, "inverted");
  const std::string nan = Bytes({0, 0, 0xc0, 0x7f});
  const std::string one = Bytes({0, 0, 0x80, 0x3f});
  const Bounds half = DecodeBounds(Primitive(TypeId::kFloat), one, nan);
  EXPECT_TRUE(half.lower);
  EXPECT_FALSE(half.upper);
  EXPECT_STREQ(half.dropped, "NaN");
  const Bounds sound = DecodeBounds(Primitive(TypeId::kString), "", "a");
  EXPECT_TRUE(sound.lower && sound.upper);
  EXPECT_EQ(sound.dropped, nullptr);
}

std::string Uuid(int first, int ninth) {
  return Bytes({first}) + std::string(7, '\x01') + Bytes({ninth}) + std::string(7, '\x01');
}

// Exhaustively on UUIDs of two bytes: whatever order the writer had, no value lies outside of what is left of its
// bounds.
TEST(SingleValue, UuidBoundsHoldInBothOrders) {
  const std::vector<int> bytes = {0x00, 0x01, 0x7f, 0x80, 0x81, 0xff};
  std::vector<std::string> uuids;
  for (const int first : bytes) {
    for (const int ninth : bytes) uuids.push_back(Uuid(first, ninth));
  }
  const auto signed_less = [](const std::string& a, const std::string& b) {
    return std::pair(static_cast<int8_t>(a[0]), static_cast<int8_t>(a[8])) <
           std::pair(static_cast<int8_t>(b[0]), static_cast<int8_t>(b[8]));
  };
  int usable = 0;
  for (const std::string& a : uuids) {
    for (const std::string& b : uuids) {
      for (const bool is_signed : {false, true}) {
        if (is_signed ? signed_less(b, a) : b < a) continue;
        const Bounds bounds = DecodeBounds(Primitive(TypeId::kUuid), a, b);
        usable += bounds.lower || bounds.upper ? 1 : 0;
        for (const std::string& value : uuids) {
          const bool inside = is_signed ? !signed_less(value, a) && !signed_less(b, value) : a <= value && value <= b;
          if (!inside) continue;
          EXPECT_TRUE(!bounds.lower || *bounds.lower <= Key(value));
          EXPECT_TRUE(!bounds.upper || Key(value) <= *bounds.upper);
        }
      }
    }
  }
  EXPECT_GT(usable, 500);
  EXPECT_STREQ(DecodeBounds(Primitive(TypeId::kUuid), Uuid(0x81, 1), std::nullopt).dropped, "UUID order");
  EXPECT_STREQ(DecodeBounds(Primitive(TypeId::kUuid), std::nullopt, Uuid(1, 1)).dropped, "UUID order");
  EXPECT_EQ(DecodeBounds(Primitive(TypeId::kUuid), Uuid(1, 1), std::nullopt).dropped, nullptr);
}

// Row groups have unsigned bounds, which a writer may merge into the file's by the signed order: 62.. to 77.. and 78..
// to 82.. become 62.. to 77...
TEST(SingleValue, UuidBoundsHoldWhenRowGroupsWereMergedBySign) {
  const std::vector<int> bytes = {0x00, 0x01, 0x7f, 0x80, 0x81, 0xff};
  const auto signed_less = [](int a, int b) { return static_cast<int8_t>(a) < static_cast<int8_t>(b); };
  for (const int a : bytes) {
    for (const int b : bytes) {
      for (const int c : bytes) {
        for (const int d : bytes) {
          if (b < a || d < c) continue;
          const int lower = std::min(a, c, signed_less);
          const int upper = std::max(b, d, signed_less);
          const Bounds bounds = DecodeBounds(Primitive(TypeId::kUuid), Uuid(lower, 1), Uuid(upper, 1));
          for (const int value : {a, b, c, d}) {
            EXPECT_TRUE(!bounds.lower || *bounds.lower <= Key(Uuid(value, 1))) << a << b << c << d;
            EXPECT_TRUE(!bounds.upper || Key(Uuid(value, 1)) <= *bounds.upper) << a << b << c << d;
          }
        }
      }
    }
  }
}

std::string FromJson(const Type& type, const std::string& json) {
  const JsonDocument document = JsonDocument::Parse(json, {}).ValueOrDie();
  const auto bytes = EncodeJsonValue(type, document.root());
  if (!bytes.ok()) return "error: " + bytes.status().message();
  return expr::KeyToString(DecodeSingleValue(type, *bytes).ValueOrDie(), FilterType(type));
}

TEST(SingleValue, JsonValues) {
  EXPECT_EQ(FromJson(Primitive(TypeId::kBoolean), "true"), "TRUE");
  EXPECT_EQ(FromJson(Primitive(TypeId::kInt), "-34"), "-34");
  EXPECT_EQ(FromJson(Primitive(TypeId::kLong), "9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(FromJson(Primitive(TypeId::kFloat), "1"), "1");
  EXPECT_EQ(FromJson(Primitive(TypeId::kDouble), "-1.5"), "-1.5");
  EXPECT_EQ(FromJson(Decimal(9, 2), "\"14.20\""), "14.20");
  EXPECT_EQ(FromJson(Primitive(TypeId::kDate), "\"1969-12-31\""), "1969-12-31");
  EXPECT_EQ(FromJson(Primitive(TypeId::kTime), "\"22:31:08.123456\""), "22:31:08.123456");
  EXPECT_EQ(FromJson(Primitive(TypeId::kTimestamp), "\"2017-11-16T22:31:08.123456\""), "2017-11-16T22:31:08.123456");
  EXPECT_EQ(FromJson(Primitive(TypeId::kTimestampTz), "\"2017-11-16T22:31:08+00:00\""), "2017-11-16T22:31:08Z");
  EXPECT_EQ(FromJson(Primitive(TypeId::kTimestampNs), "\"2017-11-16T22:31:08.123456789\""),
            "2017-11-16T22:31:08.123456789");
  EXPECT_EQ(FromJson(Primitive(TypeId::kString), "\"it's\""), "'it''s'");
  EXPECT_EQ(FromJson(Primitive(TypeId::kUuid), "\"f79c3e09-677c-4bbd-a479-3f349cb785e7\""),
            "f79c3e09-677c-4bbd-a479-3f349cb785e7");
  EXPECT_EQ(FromJson(Fixed(4), "\"000102fF\""), "X'000102ff'");
  EXPECT_EQ(FromJson(Primitive(TypeId::kBinary), "\"\""), "X''");
}

TEST(SingleValue, JsonValuesThatAreNone) {
  for (const auto& [type, json] : std::vector<std::pair<Type, std::string>>{
           {Primitive(TypeId::kInt), "2147483648"},
           {Primitive(TypeId::kInt), "1.5"},
           {Primitive(TypeId::kInt), "\"1\""},
           {Primitive(TypeId::kBoolean), "1"},
           {Decimal(9, 2), "\"14.205\""},
           {Decimal(9, 2), "14.20"},
           {Decimal(9, 2), "\"x\""},
           {Primitive(TypeId::kDate), "\"2017-02-30\""},
           {Primitive(TypeId::kTimestamp), "\"2017-11-16T22:31:08+00:00\""},
           {Primitive(TypeId::kTimestamp), "\"2017-11-16T22:31:08.1234567\""},
           {Primitive(TypeId::kUuid), "\"f79c\""},
           {Fixed(4), "\"0001\""},
           {Fixed(2), "\"000\""},
           {Primitive(TypeId::kBinary), "\"zz\""},
           {Primitive(TypeId::kVariant), "1"},
           {Primitive(TypeId::kUnknown), "1"},
       }) {
    EXPECT_EQ(FromJson(type, json).substr(0, 7), "error: ") << type.ToString() << " " << json;
  }
}

}  // namespace
}  // namespace frazil::iceberg
