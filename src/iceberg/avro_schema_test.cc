// SPDX-License-Identifier: Apache-2.0

#include "src/iceberg/avro_schema.h"

#include <string>

#include <gtest/gtest.h>

#include "frazil/error.h"

namespace frazil::iceberg {
namespace {

AvroSchema Parsed(std::string_view json) {
  auto schema = AvroSchema::Parse(json);
  EXPECT_TRUE(schema.ok()) << json << ": " << schema.status().ToString();
  return schema.ok() ? *schema : AvroSchema();
}

// The text of the error, which is of kind corrupt.
std::string Refused(std::string_view json) {
  const auto schema = AvroSchema::Parse(json);
  if (schema.ok()) return "accepted";
  EXPECT_EQ(KindOf(schema.status()), ErrorKind::kCorrupt);
  return schema.status().message();
}

constexpr std::string_view kPrefix = "the Avro schema is malformed: ";

TEST(AvroSchema, KeepsFieldsIdsAndLogicalTypes) {
  const AvroSchema schema = Parsed(R"({"type": "record", "name": "r", "fields": [
      {"name": "a", "type": "int", "field-id": 7},
      {"name": "b", "type": ["null", {"type": "fixed", "name": "f", "size": 16, "logicalType": "uuid"}],
       "field-id": -1},
      {"name": "c", "type": {"type": "long", "logicalType": "timestamp-micros"}},
      {"name": "d", "type": "string", "field-id": "7"}]})");
  const AvroType& root = schema.root();
  ASSERT_EQ(root.kind, AvroKind::kRecord);
  ASSERT_EQ(root.fields.size(), 4U);
  EXPECT_EQ(root.fields[0].name, "a");
  EXPECT_EQ(root.fields[0].field_id, 7);
  EXPECT_EQ(root.fields[1].field_id, -1);
  EXPECT_EQ(root.fields[2].field_id, std::nullopt);
  EXPECT_EQ(root.fields[3].field_id, std::nullopt);  // a text is no id
  const auto seen = SeeThroughOptional(schema, root.fields[1].type);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->null_branch, 0);
  EXPECT_EQ(seen->branch_count, 2);
  EXPECT_EQ(schema[seen->value].fixed_bytes, 16);
  EXPECT_EQ(schema[seen->value].logical_type, "uuid");
  EXPECT_EQ(schema[root.fields[2].type].logical_type, "timestamp-micros");
  // int 1, union 1, long 1, string 1.
  EXPECT_EQ(root.min_bytes, 4);
}

TEST(AvroSchema, SeesThroughUnionsOfOneTypeOnly) {
  const AvroSchema schema = Parsed(R"({"type": "record", "name": "r", "fields": [
      {"name": "plain", "type": "int"}, {"name": "first", "type": ["null", "int"]},
      {"name": "second", "type": ["int", "null"]}, {"name": "alone", "type": ["int"]},
      {"name": "two", "type": ["int", "string", "null"]}, {"name": "nulls", "type": ["null"]}]})");
  const auto see = [&](size_t field) { return SeeThroughOptional(schema, schema.root().fields[field].type); };
  EXPECT_EQ(see(0)->branch_count, 0);
  EXPECT_EQ(see(0)->null_branch, -1);
  EXPECT_EQ(see(1)->null_branch, 0);
  EXPECT_EQ(see(2)->null_branch, 1);
  EXPECT_EQ(see(3)->branch_count, 1);
  EXPECT_EQ(see(3)->null_branch, -1);
  EXPECT_FALSE(see(4));
  EXPECT_FALSE(see(5));
}

TEST(AvroSchema, KnowsTheShapesOfManifestMaps) {
  const auto skip = [](const std::string& items) {
    return Parsed(R"({"type": "array", "items": )" + items + "}").root().skip;
  };
  const auto pair = [](const std::string& key, const std::string& value) {
    return R"({"type": "record", "name": "p", "fields": [{"name": "key", "type": )" + key +
           R"(}, {"name": "value", "type": )" + value + "}]}";
  };
  EXPECT_EQ(skip("\"long\""), AvroSkip::kVarints);
  EXPECT_EQ(skip(pair("\"int\"", "\"long\"")), AvroSkip::kVarintPairs);
  EXPECT_EQ(skip(pair("\"int\"", "\"bytes\"")), AvroSkip::kVarintBytes);
  EXPECT_EQ(skip(pair("\"int\"", R"(["null", "long"])")), AvroSkip::kArray);
  EXPECT_EQ(skip(pair("\"string\"", "\"long\"")), AvroSkip::kArray);
  EXPECT_EQ(skip("\"null\""), AvroSkip::kArray);
}

TEST(AvroSchema, FindsNamesInTheirNamespaces) {
  const AvroSchema schema = Parsed(R"({"type": "record", "name": "a.b.r", "fields": [
      {"name": "x", "type": {"type": "enum", "name": "e", "symbols": ["A"]}},
      {"name": "y", "type": "e"}, {"name": "z", "type": "a.b.e"},
      {"name": "w", "type": {"type": {"type": {"type": "fixed", "name": "n", "namespace": "c", "size": 3}}}},
      {"name": "v", "type": "c.n"}]})");
  const auto& fields = schema.root().fields;
  EXPECT_EQ(fields[0].type, fields[1].type);
  EXPECT_EQ(fields[0].type, fields[2].type);
  EXPECT_EQ(fields[3].type, fields[4].type);
  EXPECT_EQ(schema.root().min_bytes, 1 + 1 + 1 + 3 + 3);
}

TEST(AvroSchema, TakesRecursionThatEnds) {
  const AvroSchema schema = Parsed(
      R"({"type": "record", "name": "r", "fields": [{"name": "next", "type": ["null", "r"]},
                                                   {"name": "all", "type": {"type": "array", "items": "r"}}]})");
  EXPECT_EQ(schema.root().min_bytes, 2);
}

TEST(AvroSchema, RefusesRecordsThatHoldThemselves) {
  EXPECT_EQ(Refused(R"({"type": "record", "name": "r", "fields": [{"name": "x", "type": "r"}]})"),
            std::string(kPrefix) + "a record holds itself");
  EXPECT_EQ(Refused(R"({"type": "record", "name": "r", "fields": [{"name": "x", "type":
                       {"type": "record", "name": "s", "fields": [{"name": "y", "type": "r"}]}}]})"),
            std::string(kPrefix) + "a record holds itself");
}

TEST(AvroSchema, RefusesDeepNesting) {
  const auto arrays = [](int depth) {
    std::string json;
    for (int i = 0; i < depth; ++i) json += R"({"type":"array","items":)";
    return json + "\"int\"" + std::string(static_cast<size_t>(depth), '}');
  };
  EXPECT_TRUE(AvroSchema::Parse(arrays(AvroSchema::kDepthMax)).ok());
  EXPECT_EQ(Refused(arrays(AvroSchema::kDepthMax + 1)), std::string(kPrefix) + "it nests too deeply");
  const std::string too_deep = std::string(kPrefix) + "JSON nested more than 200 levels deep";
  EXPECT_EQ(Refused(arrays(100'000)), too_deep);
  EXPECT_EQ(Refused(std::string(1'000'000, '[')), too_deep);
  EXPECT_EQ(Refused("[[\"int\"]]"), std::string(kPrefix) + "a union is a branch of a union");
}

TEST(AvroSchema, MeasuresRecordsThatNestByName) {
  // The text is flat: each record names the one before.
  std::string json = R"([{"type":"record","name":"r0","fields":[{"name":"x","type":"int"}]})";
  for (int i = 1; i < 200; ++i) {
    json += R"(,{"type":"record","name":"r)" + std::to_string(i) + R"(","fields":[{"name":"x","type":"r)" +
            std::to_string(i - 1) + R"("},{"name":"y","type":"r)" + std::to_string(i - 1) + "\"}]}";
  }
  const AvroSchema schema = Parsed(json + "]");
  // Measured one after the other, none is deep; the size doubles each time, up to the cap.
  EXPECT_EQ(schema[schema.root().items.back()].min_bytes, AvroSchema::kMinBytesCap);
}

TEST(AvroSchemas, ParsesATextOnce) {
  AvroSchemas schemas;
  const auto first = schemas.Parse("\"int\"").ValueOrDie();
  EXPECT_EQ(schemas.Parse("\"int\"").ValueOrDie(), first);
  EXPECT_NE(schemas.Parse("\"long\"").ValueOrDie(), first);
  EXPECT_FALSE(schemas.Parse("{").ok());
  for (size_t i = 0; i < AvroSchemas::kKeptMax; ++i) {
    const std::string json = R"({"type": "fixed", "name": "f", "size": )" + std::to_string(i + 1) + "}";
    EXPECT_EQ(schemas.Parse(json).ValueOrDie()->root().fixed_bytes, static_cast<int64_t>(i + 1));
  }
  EXPECT_EQ(schemas.Parse("\"int\"").ValueOrDie(), first);
}

TEST(AvroSchema, RefusesWhatIsNoSchema) {
  const auto refused = [](std::string_view json) { return Refused(json).substr(kPrefix.size()); };
  EXPECT_EQ(refused("").substr(0, 9), "not JSON:");
  EXPECT_EQ(refused("{").substr(0, 9), "not JSON:");
  EXPECT_EQ(refused("7"), "a type is neither a name nor a list nor an object");
  EXPECT_EQ(refused("[]"), "a union has no branches");
  EXPECT_EQ(refused("{}"), "a type has no 'type'");
  EXPECT_EQ(refused("\"nothing\""), "no type is named 'nothing'");
  EXPECT_EQ(refused("\"record\""), "no type is named 'record'");
  EXPECT_EQ(refused(R"({"type": "array"})"), "an array or map does not say of what");
  EXPECT_EQ(refused(R"({"type": "record", "fields": []})"), "a record, enum or fixed type has no name");
  EXPECT_EQ(refused(R"({"type": "record", "name": "r"})"), "a record has no list of fields");
  EXPECT_EQ(refused(R"({"type": "record", "name": "r", "fields": [7]})"), "a field of a record has no name or no type");
  EXPECT_EQ(refused(R"({"type": "fixed", "name": "f", "size": -1})"), "a fixed type has no sound size");
  EXPECT_EQ(refused(R"({"type": "fixed", "name": "f", "size": 18446744073709551615})"),
            "a fixed type has no sound size");
  EXPECT_EQ(refused(R"([{"type": "fixed", "name": "f", "size": 1}, {"type": "fixed", "name": "f", "size": 1}])"),
            "the name 'f' is defined twice");
  EXPECT_EQ(refused(std::string(AvroSchema::kJsonBytesMax + 1, ' ')),
            "JSON text of 4194305 bytes; at most 4194304 are read");
}

}  // namespace
}  // namespace frazil::iceberg
