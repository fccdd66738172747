// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/transform.h"

#include <gtest/gtest.h>

#include "src/iceberg/calendar.h"
#include "src/iceberg/single_value.h"

namespace frazil::iceberg {
namespace {

using expr::Int128;
using expr::Key;

Type TypeOf(const char* name) { return ParsePrimitive(name).ValueOrDie(); }

// The key of a value as metadata writes it.
Key KeyOf(const char* type, const std::string& json) {
  const JsonDocument document = JsonDocument::Parse(json, {}).ValueOrDie();
  return DecodeSingleValue(TypeOf(type), EncodeJsonValue(TypeOf(type), document.root()).ValueOrDie()).ValueOrDie();
}

int32_t Hash(const char* type, const std::string& json) { return BucketHash(TypeOf(type), KeyOf(type, json)); }

std::string Applied(const char* transform, const char* type, const std::string& json) {
  const Transform parsed = ParseTransform(transform);
  if (!CanTransform(parsed, TypeOf(type))) return "not on this type";
  const auto key = ApplyTransform(parsed, TypeOf(type), KeyOf(type, json));
  return key ? expr::KeyToString(*key, FilterType(*ResultType(parsed, TypeOf(type)))) : "null";
}

// Appendix B of the specification.
TEST(Transform, HashesOfTheSpecification) {
  EXPECT_EQ(Hash("int", "34"), 2017239379);
  EXPECT_EQ(Hash("long", "34"), 2017239379);
  EXPECT_EQ(Hash("decimal(9,2)", "\"14.20\""), -500754589);
  EXPECT_EQ(Hash("date", "\"2017-11-16\""), -653330422);
  EXPECT_EQ(Hash("time", "\"22:31:08\""), -662762989);
  EXPECT_EQ(Hash("timestamp", "\"2017-11-16T22:31:08\""), -2047944441);
  EXPECT_EQ(Hash("timestamp", "\"2017-11-16T22:31:08.000001\""), -1207196810);
  EXPECT_EQ(Hash("timestamptz", "\"2017-11-16T14:31:08-08:00\""), -2047944441);
  EXPECT_EQ(Hash("timestamptz", "\"2017-11-16T14:31:08.000001-08:00\""), -1207196810);
  EXPECT_EQ(Hash("timestamp_ns", "\"2017-11-16T22:31:08\""), -2047944441);
  EXPECT_EQ(Hash("timestamp_ns", "\"2017-11-16T22:31:08.000001001\""), -1207196810);
  EXPECT_EQ(Hash("timestamptz_ns", "\"2017-11-16T14:31:08.000001001-08:00\""), -1207196810);
  EXPECT_EQ(Hash("string", "\"iceberg\""), 1210000089);
  EXPECT_EQ(Hash("uuid", "\"f79c3e09-677c-4bbd-a479-3f349cb785e7\""), 1488055340);
  EXPECT_EQ(Hash("fixed[4]", "\"00010203\""), -188683207);
  EXPECT_EQ(Hash("binary", "\"00010203\""), -188683207);
  EXPECT_EQ(Hash("boolean", "true"), 1392991556);
  EXPECT_EQ(Hash("float", "1.0"), -142385009);
  EXPECT_EQ(Hash("double", "1.0"), -142385009);
  EXPECT_EQ(Hash("float", "0.0"), 1669671676);
  EXPECT_EQ(Hash("float", "-0.0"), 1669671676);
  EXPECT_EQ(Hash("double", "0.0"), 1669671676);
  EXPECT_EQ(Hash("double", "-0.0"), 1669671676);
  EXPECT_EQ(Hash("string", "\"34\""), -427558391);
}

// Vectors of another implementation of Murmur3: every length of a tail, characters of 2 to 4 bytes, signs.
TEST(Transform, MoreHashes) {
  EXPECT_EQ(Hash("long", "0"), 1669671676);
  EXPECT_EQ(Hash("long", "1"), 1392991556);
  EXPECT_EQ(Hash("long", "-1"), 1651860712);
  EXPECT_EQ(Hash("int", "2147483647"), 1819228606);
  EXPECT_EQ(Hash("int", "-2147483648"), -2073034792);
  EXPECT_EQ(Hash("long", "9223372036854775807"), -2106506049);
  EXPECT_EQ(Hash("long", "-9223372036854775808"), 1366273829);
  EXPECT_EQ(Hash("string", "\"\""), 0);
  EXPECT_EQ(Hash("string", "\"a\""), 1009084850);
  EXPECT_EQ(Hash("string", "\"ab\""), -1681926305);
  EXPECT_EQ(Hash("string", "\"abc\""), -1277324294);
  EXPECT_EQ(Hash("string", "\"abcd\""), 1139631978);
  EXPECT_EQ(Hash("string", "\"abcde\""), -392455434);
  EXPECT_EQ(Hash("string", "\"\\u00e9\""), 269551495);
  EXPECT_EQ(Hash("string", "\"\\ud83d\\ude00\""), -1095487750);
  EXPECT_EQ(Hash("string", "\"\\u4e16\\u754c\""), -1974475094);
  EXPECT_EQ(Hash("decimal(38,0)", "\"0\""), 1364076727);
  EXPECT_EQ(Hash("decimal(38,0)", "\"1\""), -463810133);
  EXPECT_EQ(Hash("decimal(38,0)", "\"-1\""), -43192051);
  EXPECT_EQ(Hash("decimal(38,0)", "\"127\""), 1435096473);
  EXPECT_EQ(Hash("decimal(38,0)", "\"128\""), 1544076949);
  EXPECT_EQ(Hash("decimal(38,0)", "\"-128\""), 267099677);
  EXPECT_EQ(Hash("decimal(38,0)", "\"-129\""), -435537839);
  EXPECT_EQ(Hash("decimal(38,0)", "\"-1420\""), 667775751);
  EXPECT_EQ(Hash("decimal(38,0)", "\"1000000000000000000\""), 2047002357);
  EXPECT_EQ(Applied("bucket[16]", "long", "0"), "12");
  EXPECT_EQ(Applied("bucket[16]", "long", "1"), "4");
  EXPECT_EQ(Applied("bucket[16]", "long", "-1"), "8");
  EXPECT_EQ(Applied("bucket[16]", "long", "9223372036854775807"), "15");
  EXPECT_EQ(Applied("bucket[16]", "long", "-9223372036854775808"), "5");
}

TEST(Transform, NanosecondsBefore1970AreHashedAsTheMicrosecondBelow) {
  EXPECT_EQ(Hash("timestamp_ns", "\"1969-12-31T23:59:59.999999999\""),
            Hash("timestamp", "\"1969-12-31T23:59:59.999999\""));
  EXPECT_EQ(Hash("timestamp_ns", "\"1969-12-31T23:59:59.999999000\""),
            Hash("timestamp", "\"1969-12-31T23:59:59.999999\""));
}

TEST(Transform, Truncate) {
  EXPECT_EQ(Applied("truncate[10]", "int", "1"), "0");
  EXPECT_EQ(Applied("truncate[10]", "int", "-1"), "-10");
  EXPECT_EQ(Applied("truncate[10]", "long", "-10"), "-10");
  EXPECT_EQ(Applied("truncate[50]", "decimal(9,2)", "\"10.65\""), "10.50");
  EXPECT_EQ(Applied("truncate[50]", "decimal(9,2)", "\"-0.01\""), "-0.50");
  EXPECT_EQ(Applied("truncate[3]", "string", "\"iceberg\""), "'ice'");
  EXPECT_EQ(Applied("truncate[3]", "string", "\"ic\""), "'ic'");
  EXPECT_EQ(Applied("truncate[2]", "string", "\"\\ud83d\\ude00\\u00e9x\""), "'\xF0\x9F\x98\x80\xC3\xA9'");
  EXPECT_EQ(Applied("truncate[2]", "binary", "\"00ff01\""), "X'00ff'");
}

TEST(Transform, TimesBefore1970AreFloored) {
  EXPECT_EQ(Applied("year", "date", "\"1969-12-31\""), "-1");
  EXPECT_EQ(Applied("year", "date", "\"1969-01-01\""), "-1");
  EXPECT_EQ(Applied("year", "date", "\"1968-12-31\""), "-2");
  EXPECT_EQ(Applied("year", "timestamp", "\"2017-11-16T22:31:08\""), "47");
  EXPECT_EQ(Applied("month", "date", "\"1969-12-31\""), "-1");
  EXPECT_EQ(Applied("month", "date", "\"1968-12-01\""), "-13");
  EXPECT_EQ(Applied("month", "timestamptz", "\"2017-12-01T10:00:00+00:00\""), "575");
  EXPECT_EQ(Applied("day", "date", "\"2017-12-01\""), "2017-12-01");
  EXPECT_EQ(Applied("day", "timestamp", "\"1969-12-31T23:59:59.999999\""), "1969-12-31");
  EXPECT_EQ(Applied("day", "timestamp_ns", "\"1969-12-31T23:59:59.999999999\""), "1969-12-31");
  EXPECT_EQ(Applied("hour", "timestamp", "\"1969-12-31T23:59:59.999999\""), "-1");
  EXPECT_EQ(Applied("hour", "timestamp", "\"1969-12-31T23:00:00\""), "-1");
  EXPECT_EQ(Applied("hour", "timestamptz_ns", "\"1969-12-31T22:59:59.999999999Z\""), "-2");
  EXPECT_EQ(Applied("hour", "timestamptz", "\"2017-12-01T10:30:00Z\""), "420034");
}

TEST(Transform, BeginningsAreTheInverse) {
  for (const char* name : {"date", "timestamp", "timestamptz_ns"}) {
    for (const TransformKind kind :
         {TransformKind::kYear, TransformKind::kMonth, TransformKind::kDay, TransformKind::kHour}) {
      Transform transform;
      transform.kind = kind;
      if (!CanTransform(transform, TypeOf(name))) continue;
      for (int ordinal = -300; ordinal < 300; ++ordinal) {
        const auto begin = TimeBegin(kind, TypeOf(name), ordinal);
        if (!begin) continue;
        EXPECT_EQ(TimeOrdinal(kind, TypeOf(name), *begin), ordinal) << name;
        EXPECT_EQ(TimeOrdinal(kind, TypeOf(name), *begin - 1), ordinal - 1) << name;
      }
    }
  }
  EXPECT_EQ(TimeBegin(TransformKind::kYear, TypeOf("timestamp_ns"), 300), std::nullopt);
}

TEST(Transform, LegalTypes) {
  EXPECT_EQ(Applied("hour", "date", "\"2017-12-01\""), "not on this type");
  EXPECT_EQ(Applied("bucket[4]", "boolean", "true"), "not on this type");
  EXPECT_EQ(Applied("bucket[4]", "double", "1"), "not on this type");
  EXPECT_EQ(Applied("truncate[4]", "date", "\"2017-12-01\""), "not on this type");
  EXPECT_EQ(Applied("truncate[4]", "uuid", "\"f79c3e09-677c-4bbd-a479-3f349cb785e7\""), "not on this type");
  EXPECT_EQ(Applied("void", "date", "\"2017-12-01\""), "null");
  EXPECT_EQ(Applied("zorder", "int", "1"), "not on this type");
  EXPECT_FALSE(CanTransform(ParseTransform("identity"), TypeOf("geometry")));
  EXPECT_FALSE(CanTransform(ParseTransform("identity"), TypeOf("variant")));
  EXPECT_EQ(ResultType(ParseTransform("identity"), TypeOf("decimal(9,2)"))->ToString(), "decimal(9, 2)");
  EXPECT_EQ(ResultType(ParseTransform("bucket[4]"))->ToString(), "int");
  EXPECT_EQ(ResultType(ParseTransform("day"))->ToString(), "date");
  EXPECT_EQ(ResultType(ParseTransform("truncate[4]")), std::nullopt);
}

TEST(Transform, NamesThatAreNoneAreUnknown) {
  for (const char* text : {"", "bucket", "bucket[]", "bucket[0]", "bucket[-1]", "bucket[4", "bucket[99999999999]",
                           "truncate[0]", "truncate[x]", "Identity", "identity ", "year[1]", "zorder"}) {
    EXPECT_EQ(ParseTransform(text).kind, TransformKind::kUnknown) << text;
    EXPECT_EQ(ParseTransform(text).text, text);
  }
  EXPECT_EQ(ParseTransform("bucket[16]").width, 16);
}

TEST(PartitionText, IsAsIcebergWritesIt) {
  const auto text = [](const char* transform, const char* type, Int128 value) {
    return PartitionText(ParseTransform(transform), TypeOf(type), Key(value));
  };
  EXPECT_EQ(text("year", "int", 54), "2024");
  EXPECT_EQ(text("year", "int", -1971), "-0001");
  EXPECT_EQ(text("month", "int", 0), "1970-01");
  EXPECT_EQ(text("month", "int", -1), "1969-12");
  EXPECT_EQ(text("month", "int", 12 * 54 + 10), "2024-11");
  EXPECT_EQ(text("hour", "int", 23), "1970-01-01-23");
  EXPECT_EQ(text("hour", "int", -1), "1969-12-31-23");
  EXPECT_EQ(text("day", "date", -1), "1969-12-31");
  EXPECT_EQ(text("bucket[4]", "int", 3), "3");
  EXPECT_EQ(PartitionText(ParseTransform("identity"), TypeOf("string"), Key(std::string("it's"))), "it's");
}

}  // namespace
}  // namespace frazil::iceberg
