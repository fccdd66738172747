// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/partition_type.h"

#include <gtest/gtest.h>

namespace frazil::iceberg {
namespace {

Schema TestSchema() {
  return ParseSchema(R"({"type": "struct", "fields": [
     {"id": 1, "name": "id", "required": false, "type": "long"},
     {"id": 2, "name": "ts", "required": false, "type": "timestamp"}]})")
      .ValueOrDie();
}

// Specs numbered from 0; fields are {id, source, name, transform}.
struct TestField {
  int id;
  int source;
  const char* name;
  const char* transform;
};
TableMetadata Metadata(const std::vector<std::vector<TestField>>& specs) {
  TableMetadata metadata;
  metadata.schemas = {TestSchema()};
  for (const auto& fields : specs) {
    PartitionSpec& spec = metadata.partition_specs.emplace_back();
    spec.spec_id = static_cast<int>(metadata.partition_specs.size()) - 1;
    for (const TestField& field : fields) {
      spec.fields.push_back({{field.source}, field.id, field.name, ParseTransform(field.transform)});
    }
  }
  return metadata;
}

std::string Text(const PartitionType& type) {
  std::string text;
  for (const NestedField& field : type.fields()) {
    text += (text.empty() ? "" : ", ") + field.name + ": " + field.type.ToString();
  }
  return text;
}

TEST(PartitionType, TheFieldsOfAllSpecsByTheirIds) {
  const TableMetadata metadata =
      Metadata({{{1000, 2, "ts_day", "day"}}, {{1001, 1, "id_bucket", "bucket[4]"}, {1000, 2, "ts_day", "day"}}, {}});
  const PartitionType type(metadata, TestSchema());
  EXPECT_EQ(Text(type), "ts_day: date, id_bucket: int");
  EXPECT_EQ(type.PlacesOf(metadata.partition_specs[0]), std::vector<int>{0});
  EXPECT_EQ(type.PlacesOf(metadata.partition_specs[1]), (std::vector<int>{1, 0}));
  EXPECT_EQ(type.PlacesOf(metadata.partition_specs[2]), std::vector<int>{});
  EXPECT_EQ(Text(PartitionType(Metadata({{}}), TestSchema())), "");
}

TEST(PartitionType, NamesAreTheNewestSpecs) {
  EXPECT_EQ(
      Text(PartitionType(Metadata({{{1000, 1, "old", "identity"}}, {{1000, 1, "new", "identity"}}}), TestSchema())),
      "new: long");
  EXPECT_EQ(Text(PartitionType(Metadata({{{1000, 1, "p", "identity"}}, {{1001, 1, "p", "bucket[2]"}}}), TestSchema())),
            "p_1000: long, p: int");
}

// Version 1 keeps a dropped field as void, and gives ids anew in each spec.
TEST(PartitionType, FieldsOfVersion1) {
  const TableMetadata dropped = Metadata({{{1000, 2, "h", "hour"}}, {{1000, 2, "h", "void"}}});
  const PartitionType type(dropped, TestSchema());
  EXPECT_EQ(Text(type), "h: int");
  EXPECT_EQ(type.PlacesOf(dropped.partition_specs[1]), std::vector<int>{0});
  const TableMetadata reused = Metadata({{{1000, 2, "a", "hour"}}, {{1000, 1, "b", "identity"}}});
  const PartitionType both(reused, TestSchema());
  EXPECT_EQ(Text(both), "b: long, a: int");
  EXPECT_EQ(both.PlacesOf(reused.partition_specs[0]), std::vector<int>{1});
}

TEST(PartitionType, FieldsThatAreNotUnderstoodAreLeftOut) {
  const TableMetadata metadata = Metadata({{{1000, 1, "s", "spiral[4]"}, {1001, 1, "t", "truncate[10]"}}});
  const PartitionType type(metadata, TestSchema());
  EXPECT_EQ(Text(type), "t: long");
  EXPECT_EQ(type.PlacesOf(metadata.partition_specs[0]), (std::vector<int>{-1, 0}));
}

}  // namespace
}  // namespace frazil::iceberg
