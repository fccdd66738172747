// SPDX-License-Identifier: Apache-2.0

#include "src/parquet/schema.h"

#include <gtest/gtest.h>
#include <parquet/types.h>

namespace frazil::parquet {
namespace {

using expr::TypeKind;
using ::parquet::ConvertedType;
using ::parquet::LogicalType;
using ::parquet::Repetition;
using ::parquet::schema::GroupNode;
using ::parquet::schema::NodePtr;
using ::parquet::schema::PrimitiveNode;
using PhysicalType = ::parquet::Type;
using TimeUnit = LogicalType::TimeUnit;

::parquet::SchemaDescriptor Schema(std::vector<NodePtr> fields) {
  ::parquet::SchemaDescriptor schema;
  schema.Init(GroupNode::Make("schema", Repetition::REQUIRED, std::move(fields)));
  return schema;
}

NodePtr Leaf(const std::string& name, Repetition::type repetition, PhysicalType::type type = PhysicalType::INT32,
             int length = -1) {
  return PrimitiveNode::Make(name, repetition, type, ConvertedType::NONE, length);
}

expr::ColumnType TypeOf(NodePtr leaf) { return LeafType(*Schema({std::move(leaf)}).Column(0)); }

expr::ColumnType TypeOf(std::shared_ptr<const LogicalType> logical, PhysicalType::type type, int length = -1) {
  return TypeOf(PrimitiveNode::Make("x", Repetition::OPTIONAL, std::move(logical), type, length));
}

expr::ColumnType TypeOf(ConvertedType::type converted, PhysicalType::type type, int length = -1) {
  return TypeOf(PrimitiveNode::Make("x", Repetition::OPTIONAL, type, converted, length, 9, 2));
}

TEST(LeafType, PhysicalTypes) {
  const auto physical = [](PhysicalType::type type, int length = -1) {
    return TypeOf(Leaf("x", Repetition::REQUIRED, type, length));
  };
  EXPECT_EQ(physical(PhysicalType::BOOLEAN).kind, TypeKind::kBool);
  EXPECT_EQ(physical(PhysicalType::INT32).kind, TypeKind::kInt);
  EXPECT_EQ(physical(PhysicalType::INT32).bit_width, 32);
  EXPECT_EQ(physical(PhysicalType::INT64).bit_width, 64);
  EXPECT_EQ(physical(PhysicalType::FLOAT).kind, TypeKind::kFloat);
  EXPECT_EQ(physical(PhysicalType::DOUBLE).kind, TypeKind::kDouble);
  EXPECT_EQ(physical(PhysicalType::BYTE_ARRAY).kind, TypeKind::kBinary);
  EXPECT_EQ(physical(PhysicalType::FIXED_LEN_BYTE_ARRAY, 5).kind, TypeKind::kFixed);
  EXPECT_EQ(physical(PhysicalType::FIXED_LEN_BYTE_ARRAY, 5).byte_width, 5);
  const expr::ColumnType int96 = physical(PhysicalType::INT96);
  EXPECT_EQ(int96.kind, TypeKind::kTimestamp);
  EXPECT_EQ(int96.unit, expr::TimeUnit::kNano);
  EXPECT_FALSE(int96.utc);
}

TEST(LeafType, LogicalTypes) {
  EXPECT_EQ(TypeOf(LogicalType::String(), PhysicalType::BYTE_ARRAY).kind, TypeKind::kString);
  EXPECT_EQ(TypeOf(LogicalType::Enum(), PhysicalType::BYTE_ARRAY).kind, TypeKind::kString);
  EXPECT_EQ(TypeOf(LogicalType::JSON(), PhysicalType::BYTE_ARRAY).kind, TypeKind::kString);
  EXPECT_EQ(TypeOf(LogicalType::BSON(), PhysicalType::BYTE_ARRAY).kind, TypeKind::kBinary);
  EXPECT_EQ(TypeOf(LogicalType::UUID(), PhysicalType::FIXED_LEN_BYTE_ARRAY, 16).kind, TypeKind::kUuid);
  EXPECT_EQ(TypeOf(LogicalType::Float16(), PhysicalType::FIXED_LEN_BYTE_ARRAY, 2).kind, TypeKind::kFloat16);
  EXPECT_EQ(TypeOf(LogicalType::Date(), PhysicalType::INT32).kind, TypeKind::kDate);
  const expr::ColumnType uint8 = TypeOf(LogicalType::Int(8, false), PhysicalType::INT32);
  EXPECT_EQ(uint8.kind, TypeKind::kUInt);
  EXPECT_EQ(uint8.bit_width, 8);
  const expr::ColumnType time = TypeOf(LogicalType::Time(true, TimeUnit::MILLIS), PhysicalType::INT32);
  EXPECT_EQ(time.kind, TypeKind::kTime);
  EXPECT_EQ(time.unit, expr::TimeUnit::kMilli);
  for (const bool utc : {false, true}) {
    const expr::ColumnType stamp = TypeOf(LogicalType::Timestamp(utc, TimeUnit::NANOS), PhysicalType::INT64);
    EXPECT_EQ(stamp.kind, TypeKind::kTimestamp);
    EXPECT_EQ(stamp.unit, expr::TimeUnit::kNano);
    EXPECT_EQ(stamp.utc, utc);
  }
}

TEST(LeafType, Decimals) {
  for (const auto& [type, length] :
       std::vector<std::pair<PhysicalType::type, int>>{{PhysicalType::INT32, -1},
                                                       {PhysicalType::INT64, -1},
                                                       {PhysicalType::BYTE_ARRAY, -1},
                                                       {PhysicalType::FIXED_LEN_BYTE_ARRAY, 7}}) {
    const expr::ColumnType decimal = TypeOf(LogicalType::Decimal(9, 3), type, length);
    EXPECT_EQ(decimal.kind, TypeKind::kDecimal);
    EXPECT_EQ(decimal.precision, 9);
    EXPECT_EQ(decimal.scale, 3);
    EXPECT_FALSE(decimal.has_byte_keys());
  }
  EXPECT_TRUE(TypeOf(LogicalType::Decimal(39, 0), PhysicalType::BYTE_ARRAY).has_byte_keys());
  EXPECT_EQ(TypeOf(LogicalType::Decimal(77, 0), PhysicalType::BYTE_ARRAY).kind, TypeKind::kUnsupported);
}

TEST(LeafType, ConvertedTypes) {
  EXPECT_EQ(TypeOf(ConvertedType::UTF8, PhysicalType::BYTE_ARRAY).kind, TypeKind::kString);
  EXPECT_EQ(TypeOf(ConvertedType::DATE, PhysicalType::INT32).kind, TypeKind::kDate);
  EXPECT_EQ(TypeOf(ConvertedType::UINT_64, PhysicalType::INT64).kind, TypeKind::kUInt);
  EXPECT_EQ(TypeOf(ConvertedType::INT_16, PhysicalType::INT32).bit_width, 16);
  EXPECT_EQ(TypeOf(ConvertedType::DECIMAL, PhysicalType::INT32).precision, 9);
  EXPECT_EQ(TypeOf(ConvertedType::DECIMAL, PhysicalType::INT32).scale, 2);
  const expr::ColumnType stamp = TypeOf(ConvertedType::TIMESTAMP_MILLIS, PhysicalType::INT64);
  EXPECT_EQ(stamp.kind, TypeKind::kTimestamp);
  EXPECT_EQ(stamp.unit, expr::TimeUnit::kMilli);
  EXPECT_TRUE(stamp.utc);
}

TEST(LeafType, TypesWithoutOrderAreUnsupported) {
  EXPECT_EQ(TypeOf(LogicalType::Interval(), PhysicalType::FIXED_LEN_BYTE_ARRAY, 12).kind, TypeKind::kUnsupported);
  EXPECT_EQ(TypeOf(ConvertedType::INTERVAL, PhysicalType::FIXED_LEN_BYTE_ARRAY, 12).kind, TypeKind::kUnsupported);
  EXPECT_EQ(TypeOf(LogicalType::Null(), PhysicalType::INT32).kind, TypeKind::kUnsupported);
  EXPECT_EQ(TypeOf(LogicalType::Geometry(), PhysicalType::BYTE_ARRAY).kind, TypeKind::kUnsupported);
}

NodePtr List(const std::string& name, NodePtr element) {
  return GroupNode::Make(name, Repetition::OPTIONAL,
                         {GroupNode::Make("list", Repetition::REPEATED, {std::move(element)})}, LogicalType::List());
}

TEST(FilterSchema, FlatLeavesRefToTheirOrdinals) {
  const auto schema = Schema({Leaf("a", Repetition::REQUIRED), Leaf("b", Repetition::OPTIONAL)});
  const FilterSchema filter = MakeFilterSchema(schema);
  ASSERT_EQ(filter.tree.fields.size(), 2u);
  EXPECT_EQ(filter.tree.fields[0].name, "a");
  EXPECT_EQ(filter.tree.fields[1].ref, 1);
  EXPECT_FALSE(filter.tree.fields[1].repeated);
  EXPECT_TRUE(filter.groups.empty());
}

TEST(FilterSchema, GroupsKnowTheirNarrowestLeafAndLevel) {
  // required r { optional g { string s; int64 i; list l of boolean; int32 n } }, then a leaf.
  const auto inner = GroupNode::Make(
      "g", Repetition::OPTIONAL,
      {Leaf("s", Repetition::OPTIONAL, PhysicalType::BYTE_ARRAY), Leaf("i", Repetition::REQUIRED, PhysicalType::INT64),
       List("l", Leaf("element", Repetition::OPTIONAL, PhysicalType::BOOLEAN)), Leaf("n", Repetition::OPTIONAL)});
  const auto schema = Schema({GroupNode::Make("r", Repetition::REQUIRED, {inner}), Leaf("z", Repetition::REQUIRED)});
  const FilterSchema filter = MakeFilterSchema(schema);

  const expr::Field& r = filter.tree.fields[0];
  EXPECT_EQ(r.type.kind, TypeKind::kGroup);
  ASSERT_EQ(r.ref, -1);
  EXPECT_EQ(filter.groups[0].leaf, 3);  // n: not repeated, and narrower than s and i
  EXPECT_EQ(filter.groups[0].def_level, 0);
  const expr::Field& g = r.children[0];
  ASSERT_EQ(g.ref, -2);
  EXPECT_EQ(filter.groups[1].leaf, 3);
  EXPECT_EQ(filter.groups[1].def_level, 1);
  EXPECT_EQ(g.children[3].ref, 3);
  EXPECT_EQ(filter.tree.fields[1].ref, 4);

  const expr::Field& l = g.children[2];
  EXPECT_FALSE(l.repeated);  // it can be null
  ASSERT_EQ(l.ref, -3);
  EXPECT_EQ(filter.groups[2].leaf, 2);
  EXPECT_EQ(filter.groups[2].def_level, 2);
  EXPECT_TRUE(l.children[0].repeated);
  EXPECT_EQ(l.children[0].ref, -4);
  EXPECT_EQ(filter.groups[3].def_level, 0);
  EXPECT_TRUE(l.children[0].children[0].repeated);
  EXPECT_EQ(l.children[0].children[0].name, "element");
  EXPECT_EQ(l.children[0].children[0].ref, 2);
}

TEST(FilterSchema, RepeatedFieldsWithoutAnnotation) {
  const auto schema = Schema({Leaf("kw", Repetition::REPEATED, PhysicalType::BYTE_ARRAY),
                              GroupNode::Make("g", Repetition::REPEATED, {Leaf("x", Repetition::OPTIONAL)})});
  const FilterSchema filter = MakeFilterSchema(schema);
  EXPECT_TRUE(filter.tree.fields[0].repeated);
  EXPECT_EQ(filter.tree.fields[0].ref, 0);
  EXPECT_TRUE(filter.tree.fields[1].repeated);
  EXPECT_TRUE(filter.tree.fields[1].children[0].repeated);
  EXPECT_EQ(filter.groups[0].def_level, 0);  // never null
}

TEST(FilterSchema, GroupWithoutLeaves) {
  const auto schema = Schema({GroupNode::Make("empty", Repetition::OPTIONAL, {}), Leaf("a", Repetition::OPTIONAL)});
  const FilterSchema filter = MakeFilterSchema(schema);
  EXPECT_EQ(filter.groups[0].leaf, -1);
  EXPECT_EQ(filter.tree.fields[1].ref, 0);
}

}  // namespace
}  // namespace frazil::parquet
