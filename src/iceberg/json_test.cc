// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/json.h"

#include <gtest/gtest.h>

#include "frazil/error.h"

namespace frazil::iceberg {
namespace {

JsonDocument Parsed(std::string_view text) { return JsonDocument::Parse(text, {}).ValueOrDie(); }

std::string ErrorOf(std::string_view text, const JsonLimits& limits = {}) {
  const auto document = JsonDocument::Parse(text, limits);
  return document.ok() ? "no error" : document.status().message();
}

TEST(Json, MembersAreReadByTheirType) {
  const JsonDocument document = Parsed(R"({"i": 5, "big": 9223372036854775807, "s": "x", "b": true, "n": null,
      "d": 0.5, "list": [1, -2], "o": {"a": [{"b": 1}]}})");
  const JsonField root = document.root();
  EXPECT_EQ(root.Get<int32_t>("i").ValueOrDie(), 5);
  EXPECT_EQ(root.Get<int64_t>("big").ValueOrDie(), INT64_MAX);
  EXPECT_EQ(root.Get<std::string>("s").ValueOrDie(), "x");
  EXPECT_TRUE(root.Get<bool>("b").ValueOrDie());
  EXPECT_EQ(root.Get<double>("d").ValueOrDie(), 0.5);
  EXPECT_EQ(root.Get<std::vector<int32_t>>("list").ValueOrDie(), (std::vector<int32_t>{1, -2}));
  EXPECT_EQ(root.Find<std::string>("n").ValueOrDie(), std::nullopt);
  EXPECT_EQ(root.Find<std::string>("gone").ValueOrDie(), std::nullopt);
  EXPECT_EQ(root.Members().ValueOrDie().size(), 7u);  // not the null
  EXPECT_EQ(root.Get<JsonField>("o").ValueOrDie().Dump(), R"({"a":[{"b":1}]})");
}

TEST(Json, ErrorsNameThePlace) {
  const JsonDocument document = Parsed(R"({"i": 5000000000, "huge": 99999999999999999999, "f": 1.5, "s": 1,
      "o": {"a": [{"b": 1}]}})");
  const JsonField root = document.root();
  EXPECT_EQ(root.Get<int32_t>("gone").status().message(), "gone: missing");
  EXPECT_EQ(root.Get<int32_t>("i").status().message(), "i: the integer 5000000000 does not fit 32 bits");
  EXPECT_EQ(root.Get<int64_t>("huge").status().message(), "huge: an integer expected, found number");
  EXPECT_EQ(root.Get<int64_t>("f").status().message(), "f: an integer expected, found number");
  EXPECT_EQ(root.Get<std::string>("s").status().message(), "s: text expected, found number");
  const auto items = root.Get<JsonField>("o").ValueOrDie().Get<std::vector<JsonField>>("a").ValueOrDie();
  EXPECT_EQ(items[0].Get<int32_t>("c").status().message(), "o.a[0].c: missing");
  EXPECT_EQ(items[0].Get<bool>("b").status().message(), "o.a[0].b: true or false expected, found number");
  EXPECT_EQ(items[0].As<std::vector<JsonField>>().status().message(), "o.a[0]: an array expected, found object");
  EXPECT_EQ(KindOf(items[0].Error("x")), ErrorKind::kCorrupt);
}

TEST(Json, IntegersBetweenTheSignedAndTheUnsignedLimitAreErrors) {
  const JsonDocument document = Parsed(R"({"u": 9223372036854775808, "least": -9223372036854775808})");
  EXPECT_EQ(document.root().Get<int64_t>("u").status().message(),
            "u: the integer 9223372036854775808 does not fit 64 bits");
  EXPECT_EQ(document.root().Get<int64_t>("least").ValueOrDie(), INT64_MIN);
}

TEST(Json, RefusesWhatIsNotOneJsonValue) {
  for (const char* text : {"", "{", "[1,]", "{\"a\" 1}", "{} {}", "nul", "\"\xFF\"", "1e999999", "[01]"}) {
    EXPECT_EQ(ErrorOf(text).substr(0, 10), "not JSON: ") << text;
  }
}

TEST(Json, RefusesANameThatIsThereTwice) {
  EXPECT_EQ(ErrorOf(R"({"a": 1, "a": 1})"), "a: the name is there twice");
  EXPECT_EQ(ErrorOf(R"({"x": [1, {"b": {"c": 1, "d": [], "c": 2}}]})"), "x[1].b.c: the name is there twice");
}

TEST(Json, DepthIsBounded) {
  const auto nested = [](int depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(ErrorOf(nested(100)), "no error");
  EXPECT_EQ(ErrorOf(nested(101)), "JSON nested more than 100 levels deep");
  EXPECT_EQ(ErrorOf(std::string(1000000, '[')), "JSON nested more than 100 levels deep");
  std::string objects;
  for (int i = 0; i < 1000; ++i) objects += "{\"a\":";
  EXPECT_EQ(ErrorOf(objects), "JSON nested more than 100 levels deep");
}

TEST(Json, SizeIsBounded) {
  JsonLimits limits;
  limits.values_max = 3;
  EXPECT_EQ(ErrorOf("[1,2]", limits), "no error");
  EXPECT_EQ(ErrorOf("[1,2,3]", limits), "more than 3 values in one JSON text");
  EXPECT_EQ(ErrorOf("[1,2,[]]", limits), "more than 3 values in one JSON text");
  limits = {};
  limits.text_bytes_max = 4;
  const auto document = JsonDocument::Parse("[1,2]", limits);
  EXPECT_EQ(KindOf(document.status()), ErrorKind::kBudget);
}

}  // namespace
}  // namespace frazil::iceberg
