// SPDX-License-Identifier: Apache-2.0
//
// Places of literals: by brute force over all values of small types, by hand at the ends of large ones.
#include "src/expr/literal.h"

#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "frazil/error.h"

namespace frazil::expr {
namespace {

using Op = Expression::Op;
constexpr Op kOps[] = {Op::kEq, Op::kNe, Op::kLt, Op::kLe, Op::kGt, Op::kGe};

const ColumnType kInt8{.kind = TypeKind::kInt, .bit_width = 8};
const ColumnType kUInt8{.kind = TypeKind::kUInt, .bit_width = 8};
const ColumnType kInt64{.kind = TypeKind::kInt, .bit_width = 64};
const ColumnType kUInt64{.kind = TypeKind::kUInt, .bit_width = 64};
const ColumnType kText{.kind = TypeKind::kString};
const ColumnType kBytes{.kind = TypeKind::kBinary};
const ColumnType kDays{.kind = TypeKind::kDate};
const ColumnType kMillis{.kind = TypeKind::kTimestamp, .unit = TimeUnit::kMilli};
const ColumnType kMicrosUtc{.kind = TypeKind::kTimestamp, .unit = TimeUnit::kMicro, .utc = true};
const ColumnType kNanos{.kind = TypeKind::kTimestamp, .unit = TimeUnit::kNano};

Literal Make(Literal::Kind kind, std::string text) {
  Literal literal;
  literal.kind = kind;
  literal.text = std::move(text);
  return literal;
}
Literal Num(std::string text) { return Make(Literal::Kind::kNumber, std::move(text)); }
Literal Text(std::string text) { return Make(Literal::Kind::kString, std::move(text)); }
Literal Boolean(bool value) {
  Literal literal = Make(Literal::Kind::kBool, "");
  literal.boolean = value;
  return literal;
}

LiteralPlace Placed(const Literal& literal, const ColumnType& type) {
  auto place = PlaceLiteral(literal, type);
  EXPECT_TRUE(place.ok()) << literal.ToString() << " " << type.ToString() << ": " << place.status();
  return place.ok() ? *place : LiteralPlace{};
}
KeyPlace<Int128> Int(const Literal& literal, const ColumnType& type) {
  return std::get<KeyPlace<Int128>>(Placed(literal, type));
}
KeyPlace<std::string> Bytes(const Literal& literal, const ColumnType& type) {
  return std::get<KeyPlace<std::string>>(Placed(literal, type));
}
IntervalSet<Int128> Ints(Op op, const Literal& literal, const ColumnType& type) {
  return std::get<IntervalSet<Int128>>(KeysOf(op, Placed(literal, type), type));
}
std::string ReasonOf(const Literal& literal, const ColumnType& type) {
  const auto place = PlaceLiteral(literal, type);
  if (place.ok()) return "no error";
  EXPECT_EQ(KindOf(place.status()), ErrorKind::kUsage);
  return place.status().message();
}

bool Holds(Op op, int64_t a, int64_t b) {
  switch (op) {
    case Op::kEq:
      return a == b;
    case Op::kNe:
      return a != b;
    case Op::kLt:
      return a < b;
    case Op::kLe:
      return a <= b;
    case Op::kGt:
      return a > b;
    case Op::kGe:
      return a >= b;
  }
  return false;
}

// thousandths / 1000 as text, in one of several ways to write it.
std::string Thousandths(int64_t thousandths, unsigned form) {
  const std::string sign = thousandths < 0 ? "-" : "";
  const std::string digits = std::to_string(thousandths < 0 ? -thousandths : thousandths);
  switch (form % 4) {
    case 0:
      return sign + digits + "e-3";
    case 1:
      return sign + "0." + std::string(7 - std::min<size_t>(6, digits.size()), '0') + digits + "0e" +
             std::to_string(7 - std::min<size_t>(6, digits.size()) + digits.size() - 3);
    case 2:
      return sign + "00" + digits + "000E-06";
    default: {
      std::string padded = digits.size() < 4 ? std::string(4 - digits.size(), '0') + digits : digits;
      padded.insert(padded.size() - 3, ".");
      return sign + padded;
    }
  }
}

// Checks all values of a type against a literal, whose value is thousandths / 1000. A value v of the type is
// v / 10^scale.
void CheckAll(const ColumnType& type, int64_t least, int64_t greatest, int scale, bool clamped) {
  const unsigned seed = std::random_device{}();
  std::mt19937 random(seed);
  const int64_t unit = scale == 0 ? 1000 : scale == 1 ? 100 : 10;  // thousandths in one step of the column
  for (int i = 0; i < 1500; ++i) {
    int64_t literal =
        static_cast<int64_t>(random() % static_cast<unsigned>((greatest - least + 40) * unit)) + (least - 20) * unit;
    if (i % 2 == 0) literal -= literal % unit;
    const std::string text = Thousandths(literal, random());
    const LiteralPlace place = Placed(Num(text), type);
    for (const Op op : kOps) {
      const KeySet keys = KeysOf(op, place, type);
      int64_t matches = 0;
      for (int64_t value = least; value <= greatest; ++value) {
        const bool expected = Holds(op, value * unit, literal);
        const bool found = type.has_byte_keys() ? std::get<1>(keys).Contains(WideDecimalKey(std::string{
                                                      static_cast<char>(value >> 8), static_cast<char>(value & 0xFF)}))
                                                : std::get<0>(keys).Contains(value);
        ASSERT_EQ(found, expected) << value << " vs " << text << " op " << static_cast<int>(op) << " seed " << seed;
        matches += found ? 1 : 0;
      }
      if (!clamped) continue;
      // No value: no key. Every value: every key.
      const auto& set = std::get<0>(keys);
      if (op != Op::kEq && op != Op::kNe) {
        ASSERT_EQ(set.empty(), matches == 0) << text;
        ASSERT_EQ(set.is_all(), matches == greatest - least + 1) << text;
      }
    }
  }
}

TEST(Literal, EveryInt8) { CheckAll(kInt8, -128, 127, 0, true); }
TEST(Literal, EveryUInt8) { CheckAll(kUInt8, 0, 255, 0, true); }
TEST(Literal, EveryDecimalOfScale1) {
  CheckAll({.kind = TypeKind::kDecimal, .precision = 3, .scale = 1}, -120, 120, 1, false);
}
TEST(Literal, EveryDecimalOfScale2) {
  CheckAll({.kind = TypeKind::kDecimal, .precision = 3, .scale = 2}, -120, 120, 2, false);
}
TEST(Literal, EveryWideDecimal) {
  CheckAll({.kind = TypeKind::kDecimal, .precision = 50, .scale = 1}, -120, 120, 1, false);
  CheckAll({.kind = TypeKind::kDecimal, .precision = 76, .scale = 0}, -300, 300, 0, false);
}

TEST(Literal, EndsOfIntegers) {
  EXPECT_TRUE(Ints(Op::kLt, Num("256"), kUInt8).is_all());
  EXPECT_TRUE(Ints(Op::kLe, Num("255"), kUInt8).is_all());
  EXPECT_TRUE(Ints(Op::kGe, Num("-1"), kUInt8).is_all());
  EXPECT_TRUE(Ints(Op::kGt, Num("-0.5"), kUInt8).is_all());
  EXPECT_TRUE(Ints(Op::kLt, Num("-0.5"), kUInt8).empty());
  EXPECT_TRUE(Ints(Op::kGt, Num("255"), kUInt8).empty());
  EXPECT_TRUE(Ints(Op::kEq, Num("256"), kUInt8).empty());
  EXPECT_TRUE(Ints(Op::kNe, Num("256"), kUInt8).is_all());
  EXPECT_TRUE(Ints(Op::kNe, Num("1.5"), kUInt8).is_all());
  EXPECT_EQ(Int(Num("9223372036854775807"), kInt64).key, std::numeric_limits<int64_t>::max());
  EXPECT_TRUE(Int(Num("9223372036854775808"), kInt64).above);
  EXPECT_TRUE(Int(Num("-9223372036854775808"), kInt64).exact);
  EXPECT_TRUE(Int(Num("-9223372036854775809"), kInt64).below);
  EXPECT_EQ(Int(Num("18446744073709551615"), kUInt64).key, std::numeric_limits<uint64_t>::max());
  EXPECT_TRUE(Int(Num("18446744073709551616"), kUInt64).above);
  EXPECT_TRUE(Int(Num("1e3"), kInt64).exact);
}

TEST(Literal, DecimalsOf38Digits) {
  const ColumnType type{.kind = TypeKind::kDecimal, .precision = 38, .scale = 2};
  const Literal greatest = Num("999999999999999999999999999999999999.99");
  EXPECT_TRUE(Int(greatest, type).exact);
  EXPECT_TRUE(Ints(Op::kLe, greatest, type).Contains(Int(greatest, type).key));
  EXPECT_TRUE(Ints(Op::kLt, Num("1e40"), type).is_all());
  EXPECT_TRUE(Ints(Op::kLt, Num("-1e40"), type).empty());
  const Literal least = Num("-999999999999999999999999999999999999.99");
  EXPECT_TRUE(Ints(Op::kLe, least, type).Contains(Int(least, type).key));
  EXPECT_FALSE(Ints(Op::kLt, least, type).Contains(Int(least, type).key));
  EXPECT_TRUE(Ints(Op::kEq, Num("0.001"), type).empty());
}

TEST(Literal, Floats) {
  const ColumnType type{.kind = TypeKind::kFloat};
  EXPECT_EQ(Int(Num("0.1"), type).key, FloatKey(0.1f)) << "rounded to the column's type";
  EXPECT_EQ(Int(Num("0.100000001"), type).key, FloatKey(0.1f));
  EXPECT_EQ(Int(Num("-0.0"), type).key, 0);
  EXPECT_EQ(Int(Num("1e39"), type).key, FloatKey(std::numeric_limits<float>::infinity()));
  EXPECT_EQ(Int(Text("nan"), type).key, kNanKey32);
  EXPECT_EQ(Int(Text("-inf"), type).key, FloatKey(-std::numeric_limits<float>::infinity()));
  EXPECT_EQ(Int(Text("Infinity"), type).key, FloatKey(std::numeric_limits<float>::infinity()));
  EXPECT_TRUE(Ints(Op::kGe, Text("-Infinity"), type).is_all());
  EXPECT_TRUE(Ints(Op::kLt, Text("-Infinity"), type).empty());
  EXPECT_TRUE(Ints(Op::kLe, Text("NaN"), type).is_all());
  EXPECT_TRUE(Ints(Op::kGt, Text("NaN"), type).empty());
  EXPECT_TRUE(Ints(Op::kGt, Num("1"), type).Contains(kNanKey32)) << "NaN is above every number";
  const ColumnType half{.kind = TypeKind::kFloat16};
  EXPECT_EQ(Int(Num("1"), half).key, HalfKey(0x3C00));
  EXPECT_EQ(Int(Text("-inf"), half).key, HalfKey(0xFC00));
  EXPECT_EQ(Int(Text("NaN"), half).key, kNanKey16);
  EXPECT_EQ(Int(Num("1e300"), {.kind = TypeKind::kDouble}).key, DoubleKey(1e300));
}

TEST(Literal, Booleans) {
  const ColumnType type{.kind = TypeKind::kBool};
  EXPECT_TRUE(Ints(Op::kGe, Boolean(false), type).is_all());
  EXPECT_TRUE(Ints(Op::kLt, Boolean(false), type).empty());
  EXPECT_TRUE(Ints(Op::kLt, Boolean(true), type).Contains(0));
  EXPECT_FALSE(Ints(Op::kNe, Boolean(true), type).Contains(1));
  EXPECT_EQ(ReasonOf(Num("1"), type), "write TRUE or FALSE");
}

TEST(Literal, Dates) {
  EXPECT_EQ(Int(Text("1969-12-31"), kDays).key, -1);
  EXPECT_EQ(Int(Make(Literal::Kind::kDate, "1970-01-02"), kDays).key, 1);
  EXPECT_TRUE(Int(Make(Literal::Kind::kTimestamp, "1970-01-02 00:00:00.000"), kDays).exact);
  const auto between = Int(Text("1970-01-02 00:00:00.0000000001"), kDays);
  EXPECT_FALSE(between.exact);
  EXPECT_EQ(between.key, 2);
  EXPECT_EQ(Int(Text("1969-12-31 12:00:00"), kDays).key, 0) << "before 1970 too the next day is the next key";
  EXPECT_TRUE(Int(Text("9999999-01-01"), kDays).above);
  EXPECT_TRUE(Int(Text("-9999999-01-01"), kDays).below);
  EXPECT_EQ(ReasonOf(Num("5"), kDays), "write a date: DATE '2024-01-31'");
  EXPECT_EQ(ReasonOf(Text("2024-02-30"), kDays), "there is no such day; a date is written 2024-01-31");
  EXPECT_EQ(ReasonOf(Text("2024-02-20Z"), kDays), "a date has no time zone: leave out Z or the offset");
  EXPECT_NE(ReasonOf(Make(Literal::Kind::kDate, "2024-01-01 00:00:00"), kDays), "no error");
  EXPECT_NE(ReasonOf(Make(Literal::Kind::kTime, "00:00:00"), kDays), "no error");
}

TEST(Literal, Timestamps) {
  EXPECT_EQ(Int(Text("1970-01-01 00:00:00.001"), kMillis).key, 1);
  EXPECT_EQ(Int(Text("1969-12-31T23:59:59.999"), kMillis).key, -1);
  const auto between = Int(Text("1969-12-31T23:59:59.9985"), kMillis);
  EXPECT_FALSE(between.exact);
  EXPECT_EQ(between.key, -1) << "the least key that is not below";
  EXPECT_EQ(Int(Text("1970-01-01 00:00:00.0000000001"), kNanos).key, 1);
  EXPECT_FALSE(Int(Text("1970-01-01 00:00:00.0000000001"), kNanos).exact);
  EXPECT_EQ(Int(Make(Literal::Kind::kDate, "1970-01-02"), kMillis).key, 86400000);
  EXPECT_EQ(Int(Text("1970-01-02"), kMillis).key, 86400000);
  EXPECT_EQ(Int(Text("1970-01-01 02:00:00+02"), kMicrosUtc).key, 0);
  EXPECT_EQ(Int(Text("1970-01-01 00:00:00-00:30"), kMicrosUtc).key, int64_t{1800} * 1000000);
  EXPECT_EQ(Int(Text("1970-01-01 00:00:01"), kMicrosUtc).key, 1000000) << "no zone means UTC";
  EXPECT_EQ(ReasonOf(Text("1970-01-01 00:00:00Z"), kMillis),
            "the column holds local time without a zone: leave out Z or the offset");
  EXPECT_EQ(ReasonOf(Num("5"), kMillis), "write a timestamp: TIMESTAMP '2024-01-31 23:59:59'");
  EXPECT_NE(ReasonOf(Make(Literal::Kind::kTime, "00:00:00"), kMillis), "no error");

  // The ends of 64 bits.
  const auto last = Int(Text("294247-01-10 04:00:54.775807"), kMicrosUtc);
  EXPECT_TRUE(last.exact);
  EXPECT_EQ(last.key, std::numeric_limits<int64_t>::max());
  EXPECT_TRUE(Int(Text("294247-01-10 04:00:54.7758071"), kMicrosUtc).above);
  EXPECT_TRUE(Int(Text("9999-12-31"), kNanos).above);
  EXPECT_TRUE(Int(Text("0001-01-01"), kNanos).below);
  EXPECT_TRUE(Int(Text("0001-01-01"), kMicrosUtc).exact);
  EXPECT_EQ(Int(Text("1677-09-21T00:12:43.145224192"), kNanos).key, std::numeric_limits<int64_t>::min());
  EXPECT_TRUE(Ints(Op::kGt, Text("0001-01-01"), kNanos).is_all());
}

TEST(Literal, PrintedTimestampsReadBack) {
  const unsigned seed = std::random_device{}();
  std::mt19937_64 random(seed);
  for (int i = 0; i < 5000; ++i) {
    for (const ColumnType& type : {kMillis, kMicrosUtc, kNanos}) {
      const auto value = static_cast<int64_t>(random()) >> (random() % 60);
      const auto place = Int(Text(KeyToString(Int128{value}, type)), type);
      ASSERT_TRUE(place.exact) << value << " seed " << seed;
      ASSERT_EQ(place.key, value) << "seed " << seed;
    }
    const auto day = static_cast<int32_t>(random());
    ASSERT_EQ(Int(Text(KeyToString(Int128{day}, kDays)), kDays).key, day) << "seed " << seed;
  }
}

TEST(Literal, Times) {
  const ColumnType type{.kind = TypeKind::kTime, .unit = TimeUnit::kMilli};
  EXPECT_EQ(Int(Text("00:00:01.5"), type).key, 1500);
  EXPECT_EQ(Int(Make(Literal::Kind::kTime, "24:00:00"), type).key, 86400000);
  EXPECT_FALSE(Int(Text("00:00:00.0001"), type).exact);
  EXPECT_EQ(Int(Text("00:00:00.0001"), type).key, 1);
  EXPECT_EQ(ReasonOf(Num("5"), type), "write a time: TIME '23:59:59'");
  EXPECT_NE(ReasonOf(Make(Literal::Kind::kTimestamp, "2024-01-01 00:00:00"), type), "no error");
}

TEST(Literal, Texts) {
  EXPECT_EQ(Bytes(Text("a\\x41"), kText).key, "a\\x41") << "no escapes in text";
  EXPECT_EQ(ReasonOf(Num("42"), kText), "write text in single quotes: '42'");
  EXPECT_NE(ReasonOf(Make(Literal::Kind::kBytes, "a"), kText), "no error");
  EXPECT_NE(ReasonOf(Boolean(true), kText), "no error");
  EXPECT_EQ(ReasonOf(Text("42"), kInt64), "write the number without quotes: 42");
  EXPECT_EQ(ReasonOf(Text("x"), kInt64), "write a number");
  EXPECT_EQ(ReasonOf(Boolean(true), kInt64), "write a number");
  EXPECT_EQ(ReasonOf(Text("x"), {.kind = TypeKind::kDouble}), "write a number, 'NaN', 'Infinity' or '-Infinity'");
  EXPECT_EQ(ReasonOf(Text("1"), {.kind = TypeKind::kDouble}), "write the number without quotes: 1");
  const auto empty = std::get<IntervalSet<std::string>>(KeysOf(Op::kGe, Placed(Text(""), kText), kText));
  EXPECT_TRUE(empty.is_all());
}

TEST(Literal, BinaryAndFixed) {
  EXPECT_EQ(Bytes(Text("a\\x00\\xfFz"), kBytes).key, std::string("a\0\xFFz", 4));
  EXPECT_EQ(Bytes(Text("\\x5Cx41"), kBytes).key, "\\x41");
  EXPECT_EQ(Bytes(Text("\\x4"), kBytes).key, "\\x4") << "half an escape is none";
  EXPECT_EQ(Bytes(Text("\\y\\xg0\\"), kBytes).key, "\\y\\xg0\\");
  EXPECT_EQ(Bytes(Make(Literal::Kind::kBytes, "\x01"), kBytes).key, "\x01");
  EXPECT_EQ(ReasonOf(Num("1"), kBytes), "write bytes: X'00ff'");
  EXPECT_NE(ReasonOf(Make(Literal::Kind::kUuid, "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"), kBytes), "no error");
  const ColumnType fixed{.kind = TypeKind::kFixed, .byte_width = 2};
  EXPECT_TRUE(Bytes(Text("ab"), fixed).exact);
  EXPECT_FALSE(Bytes(Text("a"), fixed).exact);
  const auto keys = std::get<IntervalSet<std::string>>(KeysOf(Op::kGt, Placed(Text("a"), fixed), fixed));
  EXPECT_TRUE(keys.Contains("aa"));
  EXPECT_FALSE(keys.Contains("Zz"));
}

TEST(Literal, Uuids) {
  const ColumnType type{.kind = TypeKind::kUuid};
  const std::string bytes = "\xF8\x1D\x4F\xAE\x7D\xEC\x11\xD0\xA7\x65" + std::string("\0\xA0\xC9\x1E\x6B\xF6", 6);
  const std::string text = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6";
  EXPECT_EQ(Bytes(Text(text), type).key, bytes);
  EXPECT_EQ(Bytes(Text("F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6"), type).key, bytes);
  EXPECT_EQ(Bytes(Make(Literal::Kind::kUuid, text), type).key, bytes);
  EXPECT_EQ(Bytes(Make(Literal::Kind::kBytes, bytes), type).key, bytes);
  EXPECT_EQ(Bytes(Make(Literal::Kind::kUuid, text), {.kind = TypeKind::kFixed, .byte_width = 16}).key, bytes);
  EXPECT_EQ(KeyToString(bytes, type), text);
  for (const char* bad : {"", "f81d4fae7dec11d0a76500a0c91e6bf6", "f81d4fae-7dec-11d0-a765-00a0c91e6bf",
                          "f81d4fae-7dec-11d0-a765-00a0c91e6bfg", "f81d4fae-7dec-11d0-a76500-a0c91e6bf6"}) {
    EXPECT_NE(ReasonOf(Text(bad), type), "no error") << bad;
  }
  EXPECT_NE(ReasonOf(Make(Literal::Kind::kBytes, "abc"), type), "no error");
  EXPECT_NE(ReasonOf(Num("1"), type), "no error");
}

TEST(Literal, Prefixes) {
  using Set = IntervalSet<std::string>;
  EXPECT_TRUE(PrefixKeys("").is_all());
  EXPECT_EQ(PrefixKeys("ab"), Set::Range("ab", "ac"));
  EXPECT_EQ(PrefixKeys("a\xFF\xFF"), Set::Range("a\xFF\xFF", "b"));
  EXPECT_EQ(PrefixKeys("\xFF\xFF"), Set::Range("\xFF\xFF", std::nullopt));
  EXPECT_EQ(PrefixKeys("a\x7F"), Set::Range("a\x7F", "a\x80"));
}

TEST(Literal, KeysAreFoundInSetsOfTheirSpace) {
  const KeySet numbers = IntervalSet<Int128>::Range(1, 3);
  EXPECT_TRUE(ContainsKey(numbers, Key(Int128{2})));
  EXPECT_FALSE(ContainsKey(numbers, Key(Int128{3})));
  const KeySet texts = PrefixKeys("ab");
  EXPECT_TRUE(ContainsKey(texts, Key(std::string("abc"))));
  EXPECT_FALSE(ContainsKey(texts, Key(std::string("ac"))));
}

}  // namespace
}  // namespace frazil::expr
