// SPDX-License-Identifier: Apache-2.0
//
// Putting leaves together: the rows that filegen's model says, for each structure and every selection; and leaves that
// do not belong together.
#include "src/parquet/field_reader.h"

#include <arrow/api.h>
#include <arrow/json/from_string.h>
#include <gtest/gtest.h>

#include "src/expr/expression.h"
#include "src/parquet/select.h"
#include "tests/file_reading.h"
#include "tests/filegen/model_to_arrow.h"

namespace frazil::parquet {
namespace {

using filegen::FileSpec;
using filegen::Leaf;
using filegen::List;
using filegen::ListOf;
using filegen::MapOf;
using filegen::Node;
using filegen::Row;
using filegen::Struct;
using filegen::StructOf;
using filegen::Value;
using ::parquet::Type;

FileSpec OneColumn(const Node& node, const std::vector<Row>& rows, int64_t page_rows, int version) {
  FileSpec file;
  file.schema = {node};
  auto& group = file.row_groups.emplace_back();
  group.row_count = static_cast<int64_t>(rows.size());
  int64_t unaligned = 0;
  for (auto& data : filegen::Shred(file.schema, rows).ValueOrDie()) {
    filegen::PageSpec page;
    page.version = version;
    // Leaves of one field need not have the same pages.
    group.chunks.push_back(
        {.data = std::move(data), .pages = filegen::PagesOf(group.row_count, page_rows + unaligned++ % 2, page)});
  }
  return file;
}

Value I(int32_t value) { return Value(value); }
Value L(std::vector<Value> items) { return Value(List{std::move(items)}); }
Value S(std::vector<Value> fields) { return Value(Struct{std::move(fields)}); }

// Every run of rows, with both page versions, with and without index.
void ExpectModel(const Node& node, const std::vector<Value>& values) {
  std::vector<Row> rows;
  for (const Value& value : values) rows.push_back({value});
  const auto row_count = static_cast<int64_t>(rows.size());
  for (const int version : {1, 2}) {
    for (const int64_t page_rows : {1, 2, 3}) {
      const FileSpec spec = OneColumn(node, rows, page_rows, version);
      const auto schema = filegen::ArrowSchemaOf(spec).ValueOrDie();
      const auto expected = filegen::ModelToArrow(schema, rows).ValueOrDie()->column(0);
      FileReading file(spec);
      for (const bool use_index : {true, false}) {
        for (int64_t begin = 0; begin <= row_count; ++begin) {
          for (int64_t end = begin; end <= row_count; ++end) {
            const auto array = file.Read(0, RowRanges::Of(begin, end), {.use_index = use_index, .batch_rows = 3});
            ASSERT_TRUE(array.ok()) << array.status();
            ASSERT_TRUE((*array)->ValidateFull().ok()) << (*array)->ValidateFull();
            ASSERT_TRUE((*array)->Equals(expected->Slice(begin, end - begin)))
                << "rows " << begin << " to " << end << ", pages of " << page_rows << ", version " << version << ": "
                << (*array)->ToString();
          }
        }
      }
    }
  }
}

TEST(FieldReader, StructsOfAllNulls) {
  const Node node = StructOf("c", {Leaf("x", Type::INT32), StructOf("y", {Leaf("z", Type::INT32)})});
  ExpectModel(node, {Value(), S({Value(), Value()}), S({I(1), S({Value()})}), S({Value(), S({I(2)})}), Value()});
}

TEST(FieldReader, RequiredParentsOfOptionalLeaves) {
  const Node node =
      StructOf("c", {Leaf("x", Type::INT32), Leaf("y", Type::INT32, filegen::kRequired)}, filegen::kRequired);
  ExpectModel(node, {S({I(1), I(2)}), S({Value(), I(3)}), S({I(4), I(5)})});
}

TEST(FieldReader, ListsNullEmptyAndWithNulls) {
  const std::vector<Value> values{Value(), L({}), L({Value()}), L({I(1), I(2)}), L({}), L({I(3)})};
  ExpectModel(ListOf("c", Leaf("element", Type::INT32)), values);
  ExpectModel(filegen::List2Of("c", Leaf("element", Type::INT32)), {Value(), L({}), L({I(1), I(2)}), L({I(3)})});
  ExpectModel(Leaf("c", Type::INT32, filegen::kRepeated), {L({}), L({I(1), I(2)}), L({}), L({I(3)})});
  ExpectModel(ListOf("c", Leaf("element", Type::INT32, filegen::kRequired), filegen::kRequired),
              {L({}), L({I(1)}), L({I(2), I(3)})});
}

TEST(FieldReader, ListsOfStructsOfLists) {
  const Node node =
      ListOf("c", StructOf("element", {Leaf("x", Type::INT32), ListOf("l", Leaf("element", Type::INT32))}));
  ExpectModel(node, {L({S({I(1), L({I(2), I(3)})}), S({Value(), L({})})}), Value(), L({}), L({Value()}),
                     L({S({I(4), Value()}), Value(), S({I(5), L({Value()})})})});
}

TEST(FieldReader, StructsOfNothingButLists) {
  // No leaf has one level a row: the struct's nulls come from levels of a repeated leaf.
  const Node node =
      StructOf("c", {ListOf("a", Leaf("element", Type::INT32)), ListOf("b", Leaf("element", Type::INT32))});
  ExpectModel(node, {S({L({I(1), I(2)}), L({})}), Value(), S({Value(), L({I(3), I(4), I(5)})}), S({L({}), Value()})});
}

TEST(FieldReader, ListsOfLists) {
  const Node node = ListOf("c", ListOf("element", ListOf("element", Leaf("element", Type::INT32))));
  ExpectModel(node,
              {L({L({L({I(1)}), L({})}), Value(), L({})}), L({}), Value(), L({L({Value(), L({I(2), Value()})})})});
}

TEST(FieldReader, Maps) {
  const Node node =
      MapOf("c", Leaf("key", Type::INT32, filegen::kRequired), ListOf("value", Leaf("element", Type::INT32)));
  ExpectModel(node, {L({S({I(1), L({I(2)})}), S({I(3), Value()})}), Value(), L({}), L({S({I(4), L({})})})});
}

TEST(FieldReader, SubFieldsAlone) {
  const Node node =
      ListOf("c", StructOf("element", {Leaf("x", Type::INT32), ListOf("l", Leaf("element", Type::INT32))}));
  const std::vector<Row> rows{{L({S({I(1), L({I(2), I(3)})}), Value()})}, {Value()}, {L({S({Value(), Value()})})}};
  FileReading file(OneColumn(node, rows, 1, 1));
  const auto field = ProjectPath(file.footer().manifest(), expr::ColumnPath{{"c", "x"}, 0}).ValueOrDie();
  const auto array = file.Read(field, {{0, 3}}).ValueOrDie();
  EXPECT_EQ(file.states().size(), 1u) << "one leaf is read";
  const auto& list = static_cast<const arrow::ListArray&>(*array);
  EXPECT_TRUE(list.IsNull(1));
  EXPECT_EQ(list.value_length(0), 2);
  const auto& element = static_cast<const arrow::StructArray&>(*list.values());
  EXPECT_EQ(element.num_fields(), 1);
  EXPECT_EQ(element.null_count(), 1);
  EXPECT_TRUE(
      element.field(0)->Equals(arrow::json::ArrayFromJSONString(arrow::int32(), "[1, null, null]").ValueOrDie()));
}

TEST(FieldReader, LeavesThatDisagreeAreAnError) {
  const Node node = ListOf("c", StructOf("element", {Leaf("x", Type::INT32), Leaf("y", Type::INT32)}));
  const std::vector<Row> rows{{L({S({I(1), I(2)})})}, {L({S({I(3), I(4)})})}};
  FileSpec spec = OneColumn(node, rows, 2, 1);
  // The second leaf's lists are longer than those of the first.
  const std::vector<Row> longer{{L({S({I(1), I(2)}), S({I(1), I(2)})})}, {L({S({I(3), I(4)})})}};
  spec.row_groups[0].chunks[1].data = filegen::Shred(spec.schema, longer).ValueOrDie()[1];
  FileReading file(spec);
  const auto array = file.Read(0, {{0, 2}});
  EXPECT_EQ(KindOf(array.status()), ErrorKind::kCorrupt) << array.status();
}

TEST(FieldReader, FixedSizeLists) {
  FileSpec spec = OneColumn(ListOf("c", Leaf("element", Type::INT32)),
                            {{L({I(1), I(2)})}, {Value()}, {L({I(3), Value()})}, {Value()}, {L({I(4), I(5)})}}, 2, 1);
  const auto type = arrow::fixed_size_list(arrow::field("element", arrow::int32()), 2);
  spec.key_value_metadata.push_back(filegen::ArrowSchemaEntry(arrow::Schema({arrow::field("c", type)})).ValueOrDie());
  FileReading file(spec);
  const auto array = file.Read(0, {{0, 5}});
  ASSERT_TRUE(array.ok()) << array.status();
  ASSERT_EQ((*array)->type_id(), arrow::Type::FIXED_SIZE_LIST);
  ASSERT_TRUE((*array)->ValidateFull().ok());
  const auto expected = arrow::json::ArrayFromJSONString(type, "[[1, 2], null, [3, null], null, [4, 5]]").ValueOrDie();
  EXPECT_TRUE((*array)->Equals(expected)) << (*array)->ToString();
  EXPECT_TRUE(file.Read(0, {{1, 3}}).ValueOrDie()->Equals(expected->Slice(1, 2)));

  // A list of another size is damage.
  FileSpec wrong = OneColumn(ListOf("c", Leaf("element", Type::INT32)), {{L({I(1), I(2)})}, {L({I(3)})}}, 2, 1);
  wrong.key_value_metadata = spec.key_value_metadata;
  const auto refused = FileReading(wrong).Read(0, {{0, 2}});
  EXPECT_EQ(KindOf(refused.status()), ErrorKind::kCorrupt) << refused.status();
}

}  // namespace
}  // namespace frazil::parquet
