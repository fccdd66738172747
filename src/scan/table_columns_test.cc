// SPDX-License-Identifier: Apache-2.0
#include "src/scan/table_columns.h"

#include <gtest/gtest.h>

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/builder.h>
#include <arrow/json/from_string.h>

#include "frazil/error.h"
#include "src/iceberg/arrow_type.h"
#include "src/iceberg/single_value.h"

namespace frazil::scan {
namespace {

using iceberg::ColumnOrigin;
using iceberg::ResolvedColumn;

std::shared_ptr<arrow::Array> Array(const std::shared_ptr<arrow::DataType>& type, const std::string& json) {
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
}

ResolvedColumn InFile(const char* type) {
  ResolvedColumn column;
  column.name = "c";
  column.type = iceberg::ParsePrimitive(type).ValueOrDie();
  column.origin = ColumnOrigin::kFile;
  column.leaf = 0;
  return column;
}

// The values of a primitive, or the kind of the error. Slices with nulls in front are what readers hand on, so every
// array is given as one.
std::string Values(const char* type, const std::shared_ptr<arrow::DataType>& file, const std::string& json) {
  const auto null = arrow::MakeArrayOfNull(file, 2).ValueOrDie();
  const auto padded = arrow::Concatenate({null, Array(file, json)}).ValueOrDie()->Slice(2);
  const auto values = TableValues(InFile(type), {}, padded);
  if (!values.ok()) return ErrorKindName(KindOf(values.status()));
  EXPECT_TRUE((*values)->type()->Equals(*iceberg::ArrowType(InFile(type).type))) << (*values)->type()->ToString();
  EXPECT_TRUE((*values)->ValidateFull().ok());
  std::string text;
  for (int64_t row = 0; row < (*values)->length(); ++row) {
    text += (row > 0 ? ", " : "") + (*values)->GetScalar(row).ValueOrDie()->ToString();
  }
  return text;
}

TEST(TableColumns, PromotedNumbers) {
  EXPECT_EQ(Values("long", arrow::int32(), "[-2147483648, null, 7]"), "-2147483648, null, 7");
  EXPECT_EQ(Values("int", arrow::int8(), "[-1, null]"), "-1, null");
  EXPECT_EQ(Values("double", arrow::float32(), "[1.5, null, -0.0]"), "1.5, null, -0");
  EXPECT_EQ(Values("decimal(18, 2)", arrow::decimal128(9, 2), R"(["-1.50", null])"), "-1.50, null");
  EXPECT_EQ(Values("int", arrow::int64(), "[2147483648]"), "corrupt");
  EXPECT_EQ(Values("int", arrow::utf8(), R"(["x"])"), "corrupt");
}

TEST(TableColumns, TimesInOtherUnitsRoundDown) {
  const auto ms = arrow::timestamp(arrow::TimeUnit::MILLI);
  const auto ns = arrow::timestamp(arrow::TimeUnit::NANO);
  EXPECT_EQ(Values("timestamp", ms, "[-1, null, 1]"), "1969-12-31 23:59:59.999000, null, 1970-01-01 00:00:00.001000");
  EXPECT_EQ(Values("timestamp", ns, "[-1, 1999, null]"),
            "1969-12-31 23:59:59.999999, 1970-01-01 00:00:00.000001, null");
  EXPECT_EQ(Values("timestamptz", arrow::timestamp(arrow::TimeUnit::MICRO), "[1]"), "1970-01-01 00:00:00.000001Z");
  EXPECT_EQ(Values("timestamp_ns", arrow::timestamp(arrow::TimeUnit::MICRO), "[-1]"), "1969-12-31 23:59:59.999999000");
  EXPECT_EQ(Values("timestamp", arrow::date32(), "[-1, null]"), "1969-12-31 00:00:00.000000, null");
  EXPECT_EQ(Values("time", arrow::time32(arrow::TimeUnit::MILLI), "[1, null]"), "00:00:00.001000, null");
  EXPECT_EQ(Values("time", arrow::time64(arrow::TimeUnit::NANO), "[1999]"), "00:00:00.000001");
  EXPECT_EQ(Values("timestamp_ns", arrow::timestamp(arrow::TimeUnit::SECOND), "[99999999999]"), "corrupt");
  EXPECT_EQ(Values("timestamp", arrow::int64(), "[1]"), "unsupported");
}

TEST(TableColumns, BytesAsTextAndUuids) {
  EXPECT_EQ(Values("string", arrow::binary(), R"(["a", null])"), "a, null");
  EXPECT_EQ(Values("binary", arrow::utf8(), R"(["a", null])"), Values("binary", arrow::binary(), R"(["a", null])"));
  const auto uuids =
      TableValues(InFile("uuid"), {}, Array(arrow::fixed_size_binary(16), R"(["0123456789abcdef", null])"));
  ASSERT_TRUE(uuids.ok()) << uuids.status();
  EXPECT_TRUE((*uuids)->type()->Equals(*iceberg::ArrowType(iceberg::Primitive(iceberg::TypeId::kUuid))));
  EXPECT_TRUE((*uuids)->IsNull(1));
  EXPECT_EQ(Values("uuid", arrow::int64(), "[1]"), "unsupported");
}

TEST(TableColumns, WhatTheFileDoesNotHave) {
  ResolvedColumn constant = InFile("int");
  constant.origin = ColumnOrigin::kConstant;
  constant.constant = iceberg::EncodeSingleValue(constant.type, expr::Int128{-5});
  ResolvedColumn null = InFile("string");
  null.name = "n";
  null.origin = ColumnOrigin::kNull;
  ResolvedColumn whole;
  whole.name = "s";
  whole.origin = ColumnOrigin::kStruct;
  whole.type.id = iceberg::TypeId::kStruct;
  for (const ResolvedColumn& child : {constant, null}) {
    iceberg::NestedField field;
    field.name = child.name;
    field.type = child.type;
    whole.type.fields.push_back(field);
  }
  whole.children = {constant, null};
  EXPECT_EQ(MissingValues(constant, 2).ValueOrDie()->ToString(), Array(arrow::int32(), "[-5, -5]")->ToString());
  EXPECT_EQ(MissingValues(null, 2).ValueOrDie()->null_count(), 2);
  const auto values = MissingValues(whole, 2).ValueOrDie();
  EXPECT_TRUE(values->type()->Equals(*iceberg::ArrowType(whole.type)));
  EXPECT_EQ(values->null_count(), 0);
  EXPECT_EQ(values->GetScalar(1).ValueOrDie()->ToString(), "{c:int32 = -5, n:string = null}");
}

}  // namespace
}  // namespace frazil::scan
