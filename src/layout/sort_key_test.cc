// SPDX-License-Identifier: Apache-2.0
#include "src/layout/sort_key.h"

#include <cmath>
#include <limits>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/compute/cast.h>
#include <arrow/extension/uuid.h>
#include <arrow/json/from_string.h>
#include <gtest/gtest.h>

#include "frazil/error.h"

namespace frazil::layout {
namespace {

std::shared_ptr<arrow::RecordBatch> Batch(const std::shared_ptr<arrow::DataType>& type, const std::string& json) {
  auto array = arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
  return arrow::RecordBatch::Make(arrow::schema({arrow::field("c", type)}), array->length(), {array});
}

// The rows' ordinals in the order of their keys.
std::string Order(const std::shared_ptr<arrow::RecordBatch>& batch, const std::vector<SortColumn>& columns) {
  const auto encoder = SortKeyEncoder::Make(*batch->schema(), columns);
  if (!encoder.ok()) return encoder.status().message();
  SortKeys keys;
  EXPECT_TRUE(encoder->Append(*batch, &keys).ok());
  std::vector<int64_t> rows;
  for (int64_t row = 0; row < keys.count(); ++row) rows.push_back(row);
  std::stable_sort(rows.begin(), rows.end(), [&](int64_t a, int64_t b) { return keys[a] < keys[b]; });
  std::string text;
  for (int64_t row : rows) text += (text.empty() ? "" : " ") + std::to_string(row);
  return text;
}

std::string Order(const std::shared_ptr<arrow::DataType>& type, const std::string& json, SortColumn column = {"c"}) {
  return Order(Batch(type, json), {column});
}

TEST(SortKey, NumbersByValue) {
  EXPECT_EQ(Order(arrow::int64(), "[3, -9223372036854775808, 0, -1, 9223372036854775807]"), "1 3 2 0 4");
  EXPECT_EQ(Order(arrow::int8(), "[127, -128, -1, 0]"), "1 2 3 0");
  EXPECT_EQ(Order(arrow::uint64(), "[18446744073709551615, 0, 9223372036854775808]"), "1 2 0");
  EXPECT_EQ(Order(arrow::boolean(), "[true, false]"), "1 0");
  EXPECT_EQ(Order(arrow::decimal128(10, 2), R"(["1.00", "-2.50", "0.00", "-2.51"])"), "3 1 2 0");
  EXPECT_EQ(Order(arrow::decimal256(60, 2), R"(["1.00", "-2.50", "0.00", "-2.51"])"), "3 1 2 0");
  EXPECT_EQ(Order(arrow::date32(), "[2, -1, 0]"), "1 2 0");
  EXPECT_EQ(Order(arrow::timestamp(arrow::TimeUnit::NANO, "UTC"), "[5, -5, 0]"), "1 2 0");
}

TEST(SortKey, FloatingPointInTotalOrder) {
  arrow::DoubleBuilder builder;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  ASSERT_TRUE(builder.AppendValues({nan, infinity, 1.5, 0.0, -0.0, -1.5, -infinity, std::copysign(nan, -1.0)}).ok());
  const auto array = builder.Finish().ValueOrDie();
  const auto batch = arrow::RecordBatch::Make(arrow::schema({arrow::field("c", arrow::float64())}), 8, {array});
  EXPECT_EQ(Order(batch, {{"c"}}), "7 6 5 4 3 2 1 0");
  EXPECT_EQ(Order(arrow::float32(), "[1, -1, 0.5]"), "1 2 0");
  EXPECT_EQ(Order(arrow::float16(), "[1, -1, 0.5]"), "1 2 0");
}

TEST(SortKey, TextAndBinaryByUnsignedBytes) {
  for (const auto& type : {arrow::utf8(), arrow::large_utf8(), arrow::utf8_view()}) {
    EXPECT_EQ(Order(type, R"(["b", "", "a", "ab", "é", "a\u0000", "a\u0001"])"), "1 2 5 6 3 0 4") << type->ToString();
  }
  EXPECT_EQ(Order(arrow::fixed_size_binary(2), R"(["b\u0000", "az"])"), "1 0");
  EXPECT_EQ(Order(arrow::dictionary(arrow::int8(), arrow::utf8()), R"(["z", "a", null, "m"])"), "2 1 3 0");
}

TEST(SortKey, DescendingAndNulls) {
  const std::string json = R"(["a", null, "b", "ab"])";
  EXPECT_EQ(Order(arrow::utf8(), json, {"c", false, true}), "1 0 3 2");
  EXPECT_EQ(Order(arrow::utf8(), json, {"c", false, false}), "0 3 2 1");
  EXPECT_EQ(Order(arrow::utf8(), json, {"c", true, true}), "1 2 3 0");
  EXPECT_EQ(Order(arrow::utf8(), json, {"c", true, false}), "2 3 0 1");
}

TEST(SortKey, ALaterColumnDecidesAmongEquals) {
  auto names = arrow::json::ArrayFromJSONString(arrow::utf8(), R"(["a", "aa", "a", "a"])").ValueOrDie();
  auto numbers = arrow::json::ArrayFromJSONString(arrow::int32(), "[1, 0, null, 2]").ValueOrDie();
  const auto schema = arrow::schema({arrow::field("name", arrow::utf8()), arrow::field("number", arrow::int32())});
  const auto batch = arrow::RecordBatch::Make(schema, 4, {names, numbers});
  EXPECT_EQ(Order(batch, {{"name"}, {"number", true, false}}), "3 0 2 1");
}

TEST(SortKey, AFieldOfAStructHasTheStructsNulls) {
  const auto type = arrow::struct_({arrow::field("x", arrow::int32())});
  EXPECT_EQ(Order(type, R"([{"x": 2}, null, {"x": 1}])", {"c.x"}), "1 2 0");
  EXPECT_EQ(Order(type, R"([{"x": 2}, null, {"x": 1}])", {"c.x", false, false}), "2 0 1");
}

TEST(SortKey, WhatCanNotBeSortedBy) {
  EXPECT_EQ(Order(arrow::int32(), "[1]", {"d"}), "sort: there is no column d");
  EXPECT_EQ(Order(arrow::list(arrow::int32()), "[[1]]"),
            "column c: can not sort by a column of type list<item: int32>");
  EXPECT_EQ(Order(arrow::struct_({arrow::field("x", arrow::int32())}), "[{\"x\": 1}]"),
            "column c: can not sort by a column of type struct<x: int32>");
}

}  // namespace
}  // namespace frazil::layout
