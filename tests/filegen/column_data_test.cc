// SPDX-License-Identifier: Apache-2.0
#include "tests/filegen/column_data.h"

#include <gtest/gtest.h>

#include "tests/filegen/model_to_arrow.h"

namespace frazil::filegen {
namespace {

using ::parquet::Type;
using Levels = std::vector<int16_t>;

Value I(int32_t value) { return Value(value); }

void ExpectColumn(const ColumnData& column, const Levels& rep, const Levels& def, const std::vector<int32_t>& values) {
  EXPECT_EQ(column.rep_levels, rep);
  EXPECT_EQ(column.def_levels, def);
  EXPECT_EQ(std::get<std::vector<int32_t>>(column.values), values);
}

TEST(Shred, FlatColumns) {
  std::vector<Node> schema = {Leaf("a", Type::INT32, kRequired), Leaf("b", Type::INT32)};
  auto columns = Shred(schema, {{I(1), Value()}, {I(2), I(7)}});
  ASSERT_TRUE(columns.ok()) << columns.status();
  ExpectColumn((*columns)[0], {0, 0}, {0, 0}, {1, 2});
  ExpectColumn((*columns)[1], {0, 0}, {0, 1}, {7});
}

TEST(Shred, ListsOfThreeLevelsTellNullEmptyAndNullElementApart) {
  std::vector<Node> schema = {ListOf("l", Leaf("element", Type::INT32))};
  auto columns = Shred(schema, {{Value()}, {Value(List{})}, {Value(List{{Value(), I(1)}})}, {Value(List{{I(2)}})}});
  ASSERT_TRUE(columns.ok()) << columns.status();
  ExpectColumn((*columns)[0], {0, 0, 0, 1, 0}, {0, 1, 2, 3, 3}, {1, 2});
}

TEST(Shred, ListOfListsCountsDepth) {
  std::vector<Node> schema = {
      ListOf("l", ListOf("element", Leaf("element", Type::INT32, kRequired), kRequired), kRequired)};
  auto columns =
      Shred(schema, {{Value(List{{Value(List{{I(1), I(2)}}), Value(List{}), Value(List{{I(3)}})}})}, {Value(List{})}});
  ASSERT_TRUE(columns.ok()) << columns.status();
  ExpectColumn((*columns)[0], {0, 2, 1, 1, 0}, {2, 2, 1, 2, 0}, {1, 2, 3});
}

TEST(Shred, TwoLevelListsAndBareRepeatedFields) {
  std::vector<Node> schema = {List2Of("l", Leaf("element", Type::INT32)), Leaf("r", Type::INT32, kRepeated)};
  auto columns = Shred(schema, {{Value(), Value(List{{I(5), I(6)}})}, {Value(List{{I(1)}}), Value(List{})}});
  ASSERT_TRUE(columns.ok()) << columns.status();
  ExpectColumn((*columns)[0], {0, 0}, {0, 2}, {1});
  ExpectColumn((*columns)[1], {0, 1, 0}, {1, 1, 0}, {5, 6});
}

TEST(Shred, NullGroupsReachEveryLeafBelow) {
  std::vector<Node> schema = {StructOf(
      "s", {Leaf("x", Type::INT32, kRequired),
            MapOf("m", Leaf("key", Type::INT32, kRequired), Leaf("value", Type::INT32)), Leaf("y", Type::INT32)})};
  Value map(List{{Value(Struct{{I(1), Value()}}), Value(Struct{{I(2), I(20)}})}});
  auto columns = Shred(schema, {{Value()}, {Value(Struct{{I(9), map, Value()}})}});
  ASSERT_TRUE(columns.ok()) << columns.status();
  ASSERT_EQ(columns->size(), 4u);
  ExpectColumn((*columns)[0], {0, 0}, {0, 1}, {9});
  ExpectColumn((*columns)[1], {0, 0, 1}, {0, 3, 3}, {1, 2});
  ExpectColumn((*columns)[2], {0, 0, 1}, {0, 3, 4}, {20});
  ExpectColumn((*columns)[3], {0, 0}, {0, 1}, {});
}

TEST(Shred, RefusesWhatDoesNotFit) {
  std::vector<Node> schema = {Leaf("a", Type::INT32, kRequired)};
  EXPECT_TRUE(Shred(schema, {{Value()}}).status().IsInvalid());
  EXPECT_TRUE(Shred(schema, {{Value("text")}}).status().IsInvalid());
  EXPECT_TRUE(Shred(schema, {{I(1), I(2)}}).status().IsInvalid());
  EXPECT_TRUE(Shred({FixedLeaf("f", 3)}, {{Value("ab")}}).status().IsInvalid());
  EXPECT_TRUE(Shred({Leaf("r", Type::INT32, kRepeated)}, {{Value()}}).status().IsInvalid());
  EXPECT_TRUE(Shred({StructOf("s", {Leaf("x", Type::INT32)})}, {{Value(Struct{})}}).status().IsInvalid());
}

TEST(ValueAt, FollowsGroupsAndStopsAtNull) {
  std::vector<Node> schema = {Leaf("a", Type::INT32), StructOf("s", {StructOf("t", {Leaf("x", Type::INT32)})}),
                              ListOf("l", Leaf("element", Type::INT32))};
  Row row = {I(1), Value(Struct{{Value(Struct{{I(4)}})}}), Value(List{})};
  EXPECT_EQ(*ValueAt(row, {1, 0, 0}).get<int32_t>(), 4);
  EXPECT_EQ(*(*ValueAtPath(schema, row, "s.t.x"))->get<int32_t>(), 4);
  EXPECT_EQ(*(*ValueAtPath(schema, row, "a"))->get<int32_t>(), 1);
  row[1] = Value(Struct{{Value()}});
  EXPECT_TRUE(ValueAt(row, {1, 0, 0}).is_null());
  EXPECT_TRUE((*ValueAtPath(schema, row, "s.t.x"))->is_null());
  EXPECT_TRUE(ValueAtPath(schema, row, "s.u").status().IsInvalid());
  EXPECT_TRUE(ValueAtPath(schema, row, "l.element").status().IsInvalid());
}

}  // namespace
}  // namespace frazil::filegen
