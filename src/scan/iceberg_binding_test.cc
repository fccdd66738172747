// SPDX-License-Identifier: Apache-2.0
#include "src/scan/iceberg_binding.h"

#include <gtest/gtest.h>

#include "frazil/error.h"
#include "src/expr/parse.h"
#include "src/iceberg/single_value.h"

namespace frazil::scan {
namespace {

iceberg::Schema TestSchema(const std::string& more = "") {
  return iceberg::ParseSchema(R"({"fields": [{"id": 1, "name": "id", "required": true, "type": "long"},
      {"id": 2, "name": "s", "required": false, "type": {"type": "struct", "fields": [
        {"id": 3, "name": "x", "required": false, "type": "int"},
        {"id": 4, "name": "y", "required": false, "type": "int"}]}})" +
                              more + "]}")
      .ValueOrDie();
}

std::vector<iceberg::NestedField> PartitionFields() {
  std::vector<iceberg::NestedField> fields(2);
  fields[0].id = 2147483448;
  fields[0].name = "bucket";
  fields[0].type = iceberg::Primitive(iceberg::TypeId::kInt);
  fields[1].id = 2147483449;
  fields[1].name = "word";
  fields[1].type = iceberg::Primitive(iceberg::TypeId::kString);
  return fields;
}

arrow::Result<TableBinding> BindTo(const std::string& filter, const std::vector<std::string>& columns,
                                   const iceberg::Schema& schema = TestSchema()) {
  ScanOptions options;
  options.filter = filter;
  options.columns = columns;
  ARROW_ASSIGN_OR_RAISE(const Request request, ParseRequest(options));
  return BindTable(request, schema, PartitionFields());
}

// The output schema in one line, or the kind of the error.
std::string Columns(const std::vector<std::string>& columns, const iceberg::Schema& schema = TestSchema()) {
  const auto binding = BindTo("", columns, schema);
  if (!binding.ok()) return ErrorKindName(KindOf(binding.status()));
  std::string text;
  for (const auto& field : binding->schema->fields()) text += (text.empty() ? "" : ", ") + field->ToString();
  return text;
}

TEST(IcebergBinding, MetadataColumnsAreThereWhenAskedFor) {
  EXPECT_EQ(Columns({}), "id: int64 not null, s: struct<x: int32, y: int32>");
  EXPECT_EQ(Columns({"_row_id", "_pos", "_spec_id", "_file", "_last_updated_sequence_number"}),
            "_row_id: int64, _pos: int64 not null, _spec_id: int32 not null, _file: string not null, "
            "_last_updated_sequence_number: int64");
  EXPECT_EQ(Columns({"_partition"}), "_partition: struct<bucket: int32, word: string> not null");
  EXPECT_EQ(Columns({"_partition.word", "s.y", "s.x"}),
            "_partition: struct<word: string> not null, s: struct<x: int32, y: int32>");
  EXPECT_EQ(Columns({"_partition.none"}), "usage");
}

TEST(IcebergBinding, AColumnOfTheTableHidesAMetadataColumn) {
  const auto schema = TestSchema(R"(, {"id": 5, "name": "_partition", "required": false, "type": "string"})");
  EXPECT_EQ(Columns({"_partition"}, schema), "_partition: string");
  EXPECT_FALSE(BindTo("_partition = 'x'", {}, schema)->filters_by_file);
}

TEST(IcebergBinding, WhatIsNeededForAScan) {
  EXPECT_FALSE(BindTo("id = 1 AND _pos = 3 AND _row_id = 4", {"_file"})->filters_by_file);
  EXPECT_TRUE(BindTo("id = 1 AND _spec_id = 4", {})->filters_by_file);
  EXPECT_FALSE(BindTo("id = 1 AND _spec_id = 4", {})->uses_partition);
  EXPECT_TRUE(BindTo("_partition.bucket = 1", {})->uses_partition);
  EXPECT_TRUE(BindTo("", {"_partition.word"})->uses_partition);
}

std::string Decided(const std::string& filter) {
  const TableBinding binding = BindTo(filter, {}).ValueOrDie();
  DataFileFacts file;
  file.location = "s3://b/f";
  file.spec_id = 3;
  file.filter = binding.filter;
  file.partition = {iceberg::EncodeSingleValue(iceberg::Primitive(iceberg::TypeId::kInt), expr::Int128{7}),
                    std::nullopt};
  return DecideByFile(binding, file).ToString();
}

TEST(IcebergBinding, ConditionsThatAFileDecides) {
  EXPECT_EQ(Decided("_file = 's3://b/f' AND id = 1"), "id = 1");
  EXPECT_EQ(Decided("_file LIKE '%/g' AND id = 1"), "FALSE");
  EXPECT_EQ(Decided("_file LIKE '%/f' AND id = 1"), "id = 1");
  EXPECT_EQ(Decided("_spec_id IN (1, 3) OR id = 1"), "TRUE");
  EXPECT_EQ(Decided("_spec_id <> 3 OR id = 1"), "id = 1");
  EXPECT_EQ(Decided("_partition.bucket BETWEEN 5 AND 9"), "TRUE");
  EXPECT_EQ(Decided("_partition.bucket > 7"), "FALSE");
  EXPECT_EQ(Decided("_partition.word IS NULL AND _partition IS NOT NULL"), "TRUE");
  EXPECT_EQ(Decided("_partition.word = 'x' OR NOT _partition.word = 'x'"), "FALSE");
  EXPECT_EQ(Decided("_pos = 3 AND _row_id = 4"), "_pos = 3 AND _row_id = 4");
}

}  // namespace
}  // namespace frazil::scan
