// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/partition_tuple.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "frazil/error.h"
#include "src/expr/literal.h"

namespace frazil::iceberg {
namespace {

using expr::Int128;
using expr::Key;

Schema TestSchema() {
  return ParseSchema(R"json({"fields": [
     {"id": 1, "name": "id", "required": false, "type": "long"},
     {"id": 2, "name": "x", "required": false, "type": "double"},
     {"id": 3, "name": "s", "required": false, "type": "string"},
     {"id": 4, "name": "n", "required": false, "type": "decimal(18, 2)"},
     {"id": 5, "name": "ts", "required": false, "type": "timestamp"},
     {"id": 6, "name": "d", "required": false, "type": "date"}]
})json")
      .ValueOrDie();
}

TableMetadata TestMetadata() {
  TableMetadata metadata;
  metadata.schemas = {TestSchema()};
  return metadata;
}

PartitionSpec SpecOf(const std::vector<std::pair<int, const char*>>& fields, int spec_id = 0) {
  PartitionSpec spec;
  spec.spec_id = spec_id;
  for (const auto& [source, transform] : fields) {
    const int id = 1000 + static_cast<int>(spec.fields.size());
    spec.fields.push_back({{source}, id, "p" + std::to_string(id), ParseTransform(transform)});
  }
  return spec;
}

PartitionValue Null() { return {}; }
PartitionValue Whole(int64_t value, AvroKind kind = AvroKind::kLong) { return {kind, value, 0, {}}; }
PartitionValue Real(double value, AvroKind kind = AvroKind::kDouble) { return {kind, 0, value, {}}; }
PartitionValue Text(std::string_view bytes, AvroKind kind = AvroKind::kString) { return {kind, 0, 0, bytes}; }

// Written with ids, in the order of the spec.
TupleReader ReaderOf(const PartitionSpec& spec, const std::string& logical_type = "") {
  std::vector<PartitionFieldType> written;
  for (const PartitionField& field : spec.fields) {
    written.push_back({field.field_id, field.name, AvroKind::kLong, logical_type});
  }
  return {spec, TestSchema(), TestMetadata(), written};
}

TEST(PartitionTuple, KeysOfEveryKind) {
  const TupleReader tuples =
      ReaderOf(SpecOf({{1, "identity"}, {2, "identity"}, {3, "truncate[2]"}, {4, "identity"}, {1, "bucket[4]"}}));
  const PartitionTuple keys =
      tuples.Keys({Whole(-7), Real(-0.5), Text("ab"), Text("\xff\x38", AvroKind::kFixed), Null()});
  ASSERT_EQ(keys.size(), 5U);
  EXPECT_EQ(keys[0], Key(Int128{-7}));
  EXPECT_EQ(keys[1], Key(Int128{expr::DoubleKey(-0.5)}));
  EXPECT_EQ(keys[2], Key(std::string("ab")));
  EXPECT_EQ(keys[3], Key(Int128{-200}));
  EXPECT_EQ(keys[4], std::nullopt);
}

TEST(PartitionTuple, FieldsAreFoundByIdOrElseByName) {
  const PartitionSpec spec = SpecOf({{1, "identity"}, {3, "identity"}});
  const std::vector<PartitionFieldType> by_id{{1001, "renamed", AvroKind::kString, ""},
                                              {1000, "p1001", AvroKind::kLong, ""}};
  const std::vector<PartitionFieldType> by_name{{std::nullopt, "p1001", AvroKind::kString, ""},
                                                {std::nullopt, "p1000", AvroKind::kLong, ""}};
  for (const auto& written : {by_id, by_name}) {
    const TupleReader tuples(spec, TestSchema(), TestMetadata(), written);
    const PartitionTuple keys = tuples.Keys({Text("s"), Whole(3)});
    ASSERT_EQ(keys.size(), 2U);
    EXPECT_EQ(keys[0], Key(Int128{3}));
    EXPECT_EQ(keys[1], Key(std::string("s")));
  }
}

TEST(PartitionTuple, WhatCanNotBeReadDecidesNothing) {
  const TupleReader tuples = ReaderOf(SpecOf({{1, "identity"}, {3, "identity"}}));
  for (const std::vector<PartitionValue>& values :
       {std::vector<PartitionValue>{Text("x"), Text("s")}, {Real(1), Text("s")}, {Whole(1), Whole(1)}, {Whole(1)}}) {
    EXPECT_TRUE(tuples.Keys(values).empty());
  }
  const auto values = tuples.Values({Text("x"), Text("s")});
  ASSERT_FALSE(values.ok());
  EXPECT_EQ(KindOf(values.status()), ErrorKind::kCorrupt);
}

// A field of a transform that nobody knows says nothing, and is not null either.
TEST(PartitionTuple, UnknownTransforms) {
  const TupleReader tuples = ReaderOf(SpecOf({{1, "spiral[4]"}, {1, "identity"}}));
  const PartitionTuple keys = tuples.Keys({Whole(9), Whole(3)});
  ASSERT_EQ(keys.size(), 2U);
  EXPECT_TRUE(keys[0].has_value());
  EXPECT_EQ(keys[1], Key(Int128{3}));
  EXPECT_NE(tuples.Scope({Whole(9), Whole(3)}), tuples.Scope({Whole(8), Whole(3)}));
  EXPECT_EQ(tuples.Values({Whole(9), Whole(3)}).ValueOrDie()[0], std::nullopt);
}

// Partition values written before the column was promoted, in the units that they were written in.
TEST(PartitionTuple, ValuesOfNarrowerTypes) {
  const PartitionSpec spec = SpecOf({{5, "identity"}});
  EXPECT_EQ(ReaderOf(spec, "date").Keys({Whole(-1, AvroKind::kInt)})[0], Key(Int128{-86'400'000'000}));
  EXPECT_EQ(ReaderOf(spec, "timestamp-micros").Keys({Whole(-1)})[0], Key(Int128{-1}));
  EXPECT_EQ(ReaderOf(spec, "timestamp-millis").Keys({Whole(-1)})[0], Key(Int128{-1000}));
  EXPECT_TRUE(ReaderOf(spec, "timestamp-nanos").Keys({Whole(-1)}).empty());
  EXPECT_EQ(ReaderOf(SpecOf({{2, "identity"}})).Keys({Real(1.5, AvroKind::kFloat)})[0],
            Key(Int128{expr::DoubleKey(1.5)}));
  EXPECT_EQ(ReaderOf(SpecOf({{4, "identity"}})).Keys({Text("\x05", AvroKind::kFixed)})[0], Key(Int128{5}));
}

TEST(PartitionTuple, IdentityValuesAreThoseOfColumns) {
  const TupleReader tuples = ReaderOf(SpecOf({{1, "identity"}, {3, "bucket[4]"}, {2, "identity"}, {6, "void"}}));
  const IdentityValues values = tuples.Identity({Whole(1), Whole(3), Null(), Null()});
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(values.at(1), std::string("\1\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(values.at(2), std::nullopt);
}

TEST(PartitionTuple, ScopesAreTheSameForTheSameTupleOfTheSameSpec) {
  const TupleReader tuples = ReaderOf(SpecOf({{2, "identity"}, {3, "identity"}}));
  const auto scope = [&](const PartitionValue& a, const PartitionValue& b) { return tuples.Scope({a, b}); };
  EXPECT_EQ(scope(Real(0.0), Text("a")), scope(Real(-0.0), Text("a")));
  EXPECT_EQ(scope(Real(std::nan("1")), Text("a")), scope(Real(-std::nan("2")), Text("a")));
  EXPECT_EQ(scope(Real(1.5, AvroKind::kFloat), Text("a")), scope(Real(1.5), Text("a")));
  EXPECT_EQ(scope(Null(), Text("")), scope(Null(), Text("")));
  EXPECT_NE(scope(Null(), Text("")), scope(Null(), Null()));
  EXPECT_NE(scope(Null(), Text("a")), scope(Real(0), Text("a")));
  // No value can look like the end of the one before it.
  const TupleReader texts = ReaderOf(SpecOf({{3, "identity"}, {3, "truncate[9]"}}));
  EXPECT_NE(texts.Scope({Text("a|1:b"), Text("c")}), texts.Scope({Text("a"), Text("b|1:c")}));
  EXPECT_NE(texts.Scope({Text("a|"), Text("b")}), texts.Scope({Text("a"), Text("|b")}));
  EXPECT_NE(ReaderOf(SpecOf({{1, "identity"}}, 0)).Scope({Whole(1)}),
            ReaderOf(SpecOf({{1, "identity"}}, 1)).Scope({Whole(1)}));
}

TEST(PartitionTuple, TypesOfColumnsThatAreGone) {
  TableMetadata metadata = TestMetadata();
  metadata.schemas.insert(metadata.schemas.begin(), ParseSchema(R"({"fields": [
     {"id": 9, "name": "old", "required": false, "type": "date"}]})")
                                                        .ValueOrDie());
  const auto type = [&](int source, const char* transform) {
    const auto found = PartitionValueType({{source}, 1000, "p", ParseTransform(transform)}, TestSchema(), metadata);
    return found ? found->ToString() : "unknown";
  };
  EXPECT_EQ(type(9, "identity"), "date");
  EXPECT_EQ(type(9, "month"), "int");
  EXPECT_EQ(type(77, "bucket[4]"), "int");
  EXPECT_EQ(type(77, "identity"), "unknown");
  EXPECT_EQ(type(1, "truncate[5]"), "long");
  EXPECT_EQ(type(1, "spiral"), "unknown");
}

}  // namespace
}  // namespace frazil::iceberg
