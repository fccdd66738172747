// SPDX-License-Identifier: Apache-2.0
#include "src/cli/format/json_text.h"

#include <limits>

#include <gtest/gtest.h>

namespace frazil::cli {
namespace {

std::string Quoted(std::string_view text) {
  std::string out;
  AppendJsonString(text, out);
  return out;
}

TEST(JsonText, StringsAreEscaped) {
  EXPECT_EQ(Quoted(""), R"("")");
  EXPECT_EQ(Quoted("plain"), R"("plain")");
  EXPECT_EQ(Quoted("a\"b\\c/d"), R"("a\"b\\c/d")");
  EXPECT_EQ(Quoted("\n\r\t\b\f"), R"("\n\r\t\b\f")");
  EXPECT_EQ(Quoted(std::string_view("\0\x1f\x7f", 3)), "\"\\u0000\\u001f\x7f\"");
  EXPECT_EQ(Quoted("日本é😀"), "\"日本é😀\"");
}

TEST(JsonText, InvalidUtf8IsReplaced) {
  EXPECT_EQ(Quoted("a\xFFz"), "\"a\uFFFDz\"");
  EXPECT_EQ(Quoted("\xE2\x82"), "\"\uFFFD\"");
  EXPECT_EQ(Quoted("\xED\xA0\x80"), "\"\uFFFD\uFFFD\uFFFD\"");
  EXPECT_EQ(Quoted("\xC3\""), "\"\uFFFD\\\"\"");
  EXPECT_EQ(Quoted("é\x80\n"), "\"é\uFFFD\\n\"");
}

TEST(JsonText, Compact) {
  JsonText json;
  json.BeginObject();
  json.Field("small", std::numeric_limits<int64_t>::min());
  json.Field("large", std::numeric_limits<uint64_t>::max());
  json.Field("half", 0.5).Field("nan", std::numeric_limits<double>::quiet_NaN());
  json.Field("yes", true).Field("text", "a").Field("string", std::string("b")).Field("view", std::string_view("c"));
  json.Field("none", std::optional<int>()).Field("some", std::optional<int>(3)).Key("null").Null();
  json.Key("list").BeginArray().Value(1).Value("two").BeginArray().EndArray().BeginObject().EndObject().EndArray();
  json.EndObject();
  EXPECT_EQ(json.Take(),
            R"({"small":-9223372036854775808,"large":18446744073709551615,"half":0.5,"nan":"NaN","yes":true,)"
            R"("text":"a","string":"b","view":"c","none":null,"some":3,"null":null,"list":[1,"two",[],{}]})");
}

TEST(JsonText, Pretty) {
  JsonText json(JsonLayout::kPretty);
  json.BeginObject().Field("a", 1).Key("b").BeginArray().Value(false).BeginObject().EndObject().EndArray();
  json.Key("c").BeginObject().Field("d\n", "e").EndObject().EndObject();
  EXPECT_EQ(json.Take(), R"({
  "a": 1,
  "b": [
    false,
    {}
  ],
  "c": {
    "d\n": "e"
  }
})");
}

TEST(JsonText, TopLevelScalarsAndReuse) {
  JsonText json(JsonLayout::kPretty);
  EXPECT_EQ(json.Value("x").Take(), "\"x\"");
  EXPECT_EQ(json.BeginArray().EndArray().Take(), "[]");
  EXPECT_EQ(json.Null().Take(), "null");
}

}  // namespace
}  // namespace frazil::cli
