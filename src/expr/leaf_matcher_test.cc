// SPDX-License-Identifier: Apache-2.0
//
// The edges of the row filter: arrays that are not what they seem, and arrays that can not be.
#include "src/expr/leaf_matcher.h"

#include <arrow/api.h>
#include <arrow/extension/uuid.h>
#include <gtest/gtest.h>

#include "frazil/error.h"
#include "src/expr/residual.h"

namespace frazil::expr {
namespace {

using Ints = IntervalSet<Int128>;
using Texts = IntervalSet<std::string>;
using ArrayPtr = std::shared_ptr<arrow::Array>;

Leaf MakeLeaf(KeySet keys, bool matches_null = false) {
  Leaf leaf;
  leaf.keys = std::move(keys);
  leaf.matches_null = matches_null;
  leaf.text = "x";
  return leaf;
}

arrow::Result<RowRanges> Match(const Leaf& leaf, const ColumnType& type, const ArrayPtr& array, int64_t rows = -1) {
  BoundFilter filter{Predicate::Of(leaf), {{"a.b", type, 0}}};
  return MatchRows(filter, filter.root, {array}, rows < 0 ? array->length() : rows);
}

std::string Rows(const Leaf& leaf, const ColumnType& type, const ArrayPtr& array) {
  auto matches = Match(leaf, type, array);
  return matches.ok() ? matches->ToString() : matches.status().ToString();
}

template <typename Builder, typename Value>
ArrayPtr ArrayOf(const std::vector<std::optional<Value>>& values) {
  Builder builder;
  for (const auto& value : values) {
    EXPECT_TRUE((value ? builder.Append(*value) : builder.AppendNull()).ok());
  }
  return builder.Finish().ValueOrDie();
}

ArrayPtr Int64s(const std::vector<std::optional<int64_t>>& values) { return ArrayOf<arrow::Int64Builder>(values); }
ArrayPtr Strings(const std::vector<std::optional<std::string>>& values) {
  return ArrayOf<arrow::StringBuilder>(values);
}

const ColumnType kInt64{.kind = TypeKind::kInt, .bit_width = 64};
const ColumnType kText{.kind = TypeKind::kString};
const ColumnType kGroup{.kind = TypeKind::kGroup};

TEST(LeafMatcher, NoRows) {
  EXPECT_EQ(Rows(MakeLeaf(Ints::Point(1)), kInt64, Int64s({})), "");
  EXPECT_EQ(Rows(MakeLeaf(Texts::Point("a")), kText, Strings({})), "");
  EXPECT_EQ(Rows(MakeLeaf(Ints::None(), true), kInt64, Int64s({})), "");
}

TEST(LeafMatcher, NullArraysAreAllNull) {
  const auto nulls = std::make_shared<arrow::NullArray>(3);
  EXPECT_EQ(Rows(MakeLeaf(Ints::Point(1)), kInt64, nulls), "");
  EXPECT_EQ(Rows(MakeLeaf(Ints::All()), kInt64, nulls), "");
  EXPECT_EQ(Rows(MakeLeaf(Ints::None(), true), kInt64, nulls), "[0,3)");
  EXPECT_EQ(Rows(MakeLeaf(Texts::Point("a"), true), kText, nulls), "[0,3)");
}

TEST(LeafMatcher, GroupsHaveOnlyNulls) {
  arrow::ListBuilder builder(arrow::default_memory_pool(), std::make_shared<arrow::Int32Builder>());
  ASSERT_TRUE(builder.Append().ok());  // an empty list is not null
  ASSERT_TRUE(builder.AppendNull().ok());
  const ArrayPtr lists = builder.Finish().ValueOrDie();
  EXPECT_EQ(Rows(MakeLeaf(Ints::None(), true), kGroup, lists), "[1,2)");
  EXPECT_EQ(Rows(MakeLeaf(Ints::All()), kGroup, lists), "[0,1)");
  EXPECT_EQ(Rows(MakeLeaf(Ints::All()), kGroup, lists->Slice(1)), "");
  const auto bits = arrow::Buffer::FromString("\x05");
  const auto structs = std::make_shared<arrow::StructArray>(arrow::struct_({arrow::field("x", arrow::int64())}), 3,
                                                            std::vector<ArrayPtr>{Int64s({1, 2, {}})}, bits);
  EXPECT_EQ(Rows(MakeLeaf(Ints::None(), true), kGroup, structs), "[1,2)");
  // The column's type is unknown to the filter, but nulls need no type.
  EXPECT_EQ(Rows(MakeLeaf(Ints::All()), {.kind = TypeKind::kUnsupported}, Int64s({1, {}, 3})), "[0,1) [2,3)");
}

TEST(LeafMatcher, ExtensionArraysAreTheirStorage) {
  arrow::FixedSizeBinaryBuilder builder(arrow::fixed_size_binary(16));
  ASSERT_TRUE(builder.Append(std::string(16, 'a')).ok());
  ASSERT_TRUE(builder.AppendNull().ok());
  ASSERT_TRUE(builder.Append(std::string(16, '\xff')).ok());
  const ArrayPtr uuids = arrow::ExtensionType::WrapArray(arrow::extension::uuid(), builder.Finish().ValueOrDie());
  const ColumnType type{.kind = TypeKind::kUuid};
  EXPECT_EQ(Rows(MakeLeaf(Texts::Point(std::string(16, '\xff'))), type, uuids), "[2,3)");
  EXPECT_EQ(Rows(MakeLeaf(Texts::Range("b", std::nullopt), true), type, uuids->Slice(1)), "[0,2)");
}

ArrayPtr Dictionary(const ArrayPtr& indices, const ArrayPtr& entries) {
  // Not FromArrays: it would refuse indices that a damaged file may hold.
  return std::make_shared<arrow::DictionaryArray>(arrow::dictionary(indices->type(), entries->type()), indices,
                                                  entries);
}

TEST(LeafMatcher, DictionariesWithNullEntries) {
  const ArrayPtr indices = ArrayOf<arrow::Int8Builder>(std::vector<std::optional<int8_t>>{0, 1, {}, 2, 0});
  const ArrayPtr array = Dictionary(indices, Strings({"a", {}, "b"}));
  EXPECT_EQ(Rows(MakeLeaf(Texts::Point("a")), kText, array), "[0,1) [4,5)");
  EXPECT_EQ(Rows(MakeLeaf(Texts::None(), true), kText, array), "[1,3)");
  EXPECT_EQ(Rows(MakeLeaf(Texts::All()), kText, array), "[0,1) [3,5)");
  EXPECT_EQ(Rows(MakeLeaf(Texts::Point("b"), true), kText, array->Slice(1)), "[0,3)");
}

TEST(LeafMatcher, LargeDictionariesAreJudgedByNeed) {
  std::vector<std::optional<std::string>> entries;
  for (int i = 0; i < 1000; ++i) entries.push_back(i % 7 == 0 ? std::nullopt : std::optional(std::to_string(i)));
  const ArrayPtr indices = ArrayOf<arrow::UInt16Builder>(std::vector<std::optional<uint16_t>>{5, 700, {}, 999, 5});
  const ArrayPtr array = Dictionary(indices, Strings(entries));
  EXPECT_EQ(Rows(MakeLeaf(Texts::Point("5")), kText, array), "[0,1) [4,5)");
  EXPECT_EQ(Rows(MakeLeaf(Texts::Point("999"), true), kText, array), "[1,4)");
}

TEST(LeafMatcher, IndicesOutsideTheDictionaryAreCorrupt) {
  for (const int8_t bad : {int8_t{3}, int8_t{-1}, int8_t{127}}) {
    const ArrayPtr indices = ArrayOf<arrow::Int8Builder>(std::vector<std::optional<int8_t>>{0, 1, bad});
    const auto matches = Match(MakeLeaf(Texts::Point("a")), kText, Dictionary(indices, Strings({"a", "b", "c"})));
    ASSERT_FALSE(matches.ok());
    EXPECT_EQ(KindOf(matches.status()), ErrorKind::kCorrupt);
    EXPECT_NE(matches.status().message().find("a.b"), std::string::npos) << matches.status();
  }
  // What stands where a row is null does not matter.
  const auto values = arrow::Buffer::FromVector(std::vector<int8_t>{0, 99, 1});
  const auto indices = std::make_shared<arrow::Int8Array>(3, values, arrow::Buffer::FromString("\x05"));
  EXPECT_EQ(Rows(MakeLeaf(Texts::Point("a")), kText, Dictionary(indices, Strings({"a", "b"}))), "[0,1)");
  const auto empty = Match(MakeLeaf(Texts::Point("a")), kText,
                           Dictionary(ArrayOf<arrow::Int8Builder>(std::vector<std::optional<int8_t>>{0}), Strings({})));
  EXPECT_FALSE(empty.ok());
}

TEST(LeafMatcher, ArraysThatDoNotFitAreInternalErrors) {
  const Leaf number = MakeLeaf(Ints::Point(1));
  const Leaf text = MakeLeaf(Texts::Point("a"));
  const ArrayPtr ints = Int64s({1, 2});
  const ArrayPtr strings = Strings({"a", "b"});
  const ArrayPtr doubles = ArrayOf<arrow::DoubleBuilder>(std::vector<std::optional<double>>{1.0, 2.0});
  arrow::Decimal128Builder decimal_builder(arrow::decimal128(9, 2));
  ASSERT_TRUE(decimal_builder.AppendNulls(2).ok());
  const ArrayPtr decimals = decimal_builder.Finish().ValueOrDie();
  arrow::FixedSizeBinaryBuilder fixed_builder(arrow::fixed_size_binary(4));
  ASSERT_TRUE(fixed_builder.AppendNulls(2).ok());
  const ArrayPtr fixed = fixed_builder.Finish().ValueOrDie();

  const std::vector<std::tuple<Leaf, ColumnType, ArrayPtr>> cases{
      {number, kInt64, strings},
      {number, kInt64, doubles},
      {number, {.kind = TypeKind::kUInt, .bit_width = 64}, ints},
      {number, {.kind = TypeKind::kFloat}, doubles},
      {number, {.kind = TypeKind::kTimestamp}, ints},
      {number, {.kind = TypeKind::kBool}, ints},
      {number, {.kind = TypeKind::kDecimal, .precision = 9, .scale = 3}, decimals},
      {text, {.kind = TypeKind::kDecimal, .precision = 40, .scale = 2}, decimals},
      {text, {.kind = TypeKind::kUuid}, fixed},
      {text, {.kind = TypeKind::kFixed, .byte_width = 5}, fixed},
      {text, kText, ints},
      {text, kInt64, ints},
      {number, kText, strings},
      {number, kGroup, ints},
  };
  for (const auto& [leaf, type, array] : cases) {
    const auto matches = Match(leaf, type, array);
    ASSERT_FALSE(matches.ok()) << type.ToString() << " " << array->type()->ToString();
    EXPECT_EQ(KindOf(matches.status()), ErrorKind::kInternal);
    EXPECT_NE(matches.status().message().find("a.b"), std::string::npos) << matches.status();
  }
}

TEST(LeafMatcher, ColumnsMustBeThereAndComplete) {
  const Leaf leaf = MakeLeaf(Ints::Point(1));
  EXPECT_EQ(KindOf(Match(leaf, kInt64, nullptr, 2).status()), ErrorKind::kInternal);
  EXPECT_EQ(KindOf(Match(leaf, kInt64, Int64s({1}), 2).status()), ErrorKind::kInternal);
  EXPECT_EQ(KindOf(Match(leaf, kInt64, Int64s({1, 2, 3}), 2).status()), ErrorKind::kInternal);
  Leaf elsewhere = leaf;
  elsewhere.column = 1;
  EXPECT_EQ(KindOf(Match(elsewhere, kInt64, Int64s({1})).status()), ErrorKind::kInternal);
  BoundFilter filter;
  EXPECT_EQ(MatchRows(filter, Predicate::True(), {}, 5).ValueOrDie().ToString(), "[0,5)");
  EXPECT_EQ(MatchRows(filter, Predicate::False(), {}, 5).ValueOrDie().ToString(), "");
  EXPECT_EQ(KindOf(MatchRows(filter, Predicate::True(), {}, -1).status()), ErrorKind::kInternal);
}

TEST(LeafMatcher, PrefixesAreNotConfusedWithOtherIntervals) {
  const ArrayPtr array = Strings({"a", "ab", "ab\xff\xff", "abc", "ac", "b", {}});
  EXPECT_EQ(Rows(MakeLeaf(Texts::Range("ab", std::string("ac"))), kText, array), "[1,4)");
  EXPECT_EQ(Rows(MakeLeaf(Texts::Range("ab", std::string("ad"))), kText, array), "[1,5)");
  EXPECT_EQ(Rows(MakeLeaf(Texts::Range("ab", std::nullopt)), kText, array), "[1,6)");
  EXPECT_EQ(Rows(MakeLeaf(Texts::Range("", std::string("ab"))), kText, array), "[0,1)");
}

}  // namespace
}  // namespace frazil::expr
