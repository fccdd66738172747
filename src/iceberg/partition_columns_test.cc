// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/partition_columns.h"

#include <string>

#include <gtest/gtest.h>

#include "src/iceberg/single_value.h"

namespace frazil::iceberg {
namespace {

TableMetadata Table(const std::string& specs) {
  const std::string json = R"({"format-version": 2, "table-uuid": "u", "location": "/t", "last-sequence-number": 0,
    "last-updated-ms": 0, "last-column-id": 4, "current-schema-id": 0, "schemas": [{"type": "struct", "schema-id": 0,
    "fields": [{"id": 1, "name": "ts", "required": false, "type": "timestamp"},
               {"id": 2, "name": "s", "required": false, "type": "string"},
               {"id": 3, "name": "u", "required": false, "type": "uuid"}]}],
    "default-spec-id": 0, "last-partition-id": 1010, "default-sort-order-id": 0,
    "sort-orders": [{"order-id": 0, "fields": []}], "partition-specs": )" +
                           specs + "}";
  return ParseMetadata(json, {}).ValueOrDie();
}

std::string Field(int source, int id, const std::string& name, const std::string& transform) {
  return R"({"source-id": )" + std::to_string(source) + R"(, "field-id": )" + std::to_string(id) + R"(, "name": ")" +
         name + R"(", "transform": ")" + transform + R"("})";
}

std::string Spec(int id, const std::string& fields) {
  return R"({"spec-id": )" + std::to_string(id) + R"(, "fields": [)" + fields + "]}";
}

std::string TypeOf(const std::string& specs) {
  const TableMetadata metadata = Table(specs);
  return PartitionColumns::Of(metadata, metadata.current_schema()).type()->ToString();
}

TEST(PartitionColumns, AreThoseOfAllSpecsByTheirIds) {
  EXPECT_EQ(TypeOf("[" + Spec(0, "") + "]"), "struct<>");
  EXPECT_EQ(TypeOf("[" + Spec(0, Field(2, 1001, "s", "identity")) + ", " +
                   Spec(1, Field(1, 1000, "h", "hour") + ", " + Field(2, 1001, "s", "identity")) + ", " +
                   Spec(2, Field(2, 1002, "b", "bucket[4]")) + "]"),
            "struct<h: int32, s: string, b: int32>");
}

TEST(PartitionColumns, HaveTheNamesOfTheNewestSpec) {
  EXPECT_EQ(TypeOf("[" + Spec(0, Field(1, 1000, "ts_day", "day")) + ", " + Spec(1, Field(1, 1000, "day", "day")) + "]"),
            "struct<day: date32[day]>");
}

TEST(PartitionColumns, AreNotVoidWhereAnotherSpecHasValues) {
  EXPECT_EQ(TypeOf("[" + Spec(0, Field(1, 1000, "m", "month")) + ", " + Spec(1, Field(1, 1000, "m", "void")) + "]"),
            "struct<m: int32>");
  EXPECT_EQ(TypeOf("[" + Spec(0, Field(2, 1000, "s", "void")) + "]"), "struct<s: string>");
}

TEST(PartitionColumns, LeaveOutWhatIsNotKnown) {
  EXPECT_EQ(TypeOf("[" + Spec(0, Field(1, 1000, "x", "zorder") + ", " + Field(2, 1001, "s", "truncate[3]")) + "]"),
            "struct<s: string>");
}

TEST(PartitionColumns, KeepValuesOfAnIdThatWasUsedTwiceApart) {
  const TableMetadata metadata =
      Table("[" + Spec(0, Field(2, 1000, "p", "identity")) + ", " + Spec(1, Field(1, 1000, "p", "day")) + "]");
  const PartitionColumns columns = PartitionColumns::Of(metadata, metadata.current_schema());
  EXPECT_EQ(columns.type()->ToString(), "struct<p: date32[day], p_0: string>");
  auto builder = columns.NewBuilder().ValueOrDie();
  ASSERT_TRUE(builder.Append(0, {std::string("text")}).ok());
  ASSERT_TRUE(builder.Append(1, {EncodeSingleValue(Primitive(TypeId::kDate), expr::Int128{1})}).ok());
  ASSERT_TRUE(builder.Append(1, {std::nullopt}).ok());
  ASSERT_TRUE(builder.Append(7, {std::string("of no spec")}).ok());
  const auto array = builder.Finish().ValueOrDie();
  ASSERT_TRUE(array->ValidateFull().ok());
  EXPECT_EQ(array->length(), 4);
  EXPECT_EQ(array->GetScalar(0).ValueOrDie()->ToString(), R"({p:date32[day] = null, p_0:string = text})");
  EXPECT_EQ(array->GetScalar(1).ValueOrDie()->ToString(), R"({p:date32[day] = 1970-01-02, p_0:string = null})");
  EXPECT_EQ(array->GetScalar(3).ValueOrDie()->ToString(), R"({p:date32[day] = null, p_0:string = null})");
}

TEST(PartitionColumns, HoldUuids) {
  const TableMetadata metadata = Table("[" + Spec(0, Field(3, 1000, "u", "identity")) + "]");
  const PartitionColumns columns = PartitionColumns::Of(metadata, metadata.current_schema());
  auto builder = columns.NewBuilder().ValueOrDie();
  ASSERT_TRUE(builder.Append(0, {std::string(16, 'u')}).ok());
  EXPECT_FALSE(builder.Append(0, {std::string(15, 'u')}).ok());
  const PartitionColumns& same = columns;
  auto again = same.NewBuilder().ValueOrDie();
  ASSERT_TRUE(again.Append(0, {std::string(16, 'u')}).ok());
  EXPECT_TRUE(again.Finish().ValueOrDie()->ValidateFull().ok());
}

TEST(PartitionText, IsAsIcebergWritesIt) {
  const auto text = [](const char* transform, TypeId type, expr::Int128 value) {
    return PartitionText(ParseTransform(transform), Primitive(type), expr::Key(value));
  };
  EXPECT_EQ(text("year", TypeId::kInt, 54), "2024");
  EXPECT_EQ(text("year", TypeId::kInt, -1971), "-0001");
  EXPECT_EQ(text("month", TypeId::kInt, 0), "1970-01");
  EXPECT_EQ(text("month", TypeId::kInt, -1), "1969-12");
  EXPECT_EQ(text("month", TypeId::kInt, 12 * 54 + 10), "2024-11");
  EXPECT_EQ(text("hour", TypeId::kInt, 23), "1970-01-01-23");
  EXPECT_EQ(text("hour", TypeId::kInt, -1), "1969-12-31-23");
  EXPECT_EQ(text("day", TypeId::kDate, -1), "1969-12-31");
  EXPECT_EQ(text("bucket[4]", TypeId::kInt, 3), "3");
  EXPECT_EQ(PartitionText(ParseTransform("identity"), Primitive(TypeId::kString), expr::Key(std::string("it's"))),
            "it's");
}

}  // namespace
}  // namespace frazil::iceberg
