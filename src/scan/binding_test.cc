// SPDX-License-Identifier: Apache-2.0
#include "src/scan/binding.h"

#include <gtest/gtest.h>

#include "tests/file_reading.h"

namespace frazil::scan {
namespace {

using filegen::Leaf;
using filegen::StructOf;
using ::parquet::Type;

class Binding : public testing::Test {
 protected:
  static filegen::FileSpec Spec() {
    filegen::FileSpec spec;
    spec.schema = {Leaf("a", Type::INT64, filegen::kRequired),
                   StructOf("s", {Leaf("x", Type::INT32), Leaf("y", Type::INT32)}),
                   filegen::ListOf("l", Leaf("element", Type::INT32))};
    return spec;
  }

  static arrow::Result<scan::Binding> BindTo(const filegen::FileSpec& spec, const std::string& filter,
                                             std::vector<std::string> columns, bool count_only = false) {
    ScanOptions options;
    options.filter = filter;
    options.columns = std::move(columns);
    ARROW_ASSIGN_OR_RAISE(Request request, ParseRequest(options));
    request.count_only = count_only;
    return Bind(request, FileReading(spec).footer());
  }

  // The output schema in one line, or the error.
  static std::string Columns(std::vector<std::string> columns, const filegen::FileSpec& spec = Spec()) {
    auto binding = BindTo(spec, "", std::move(columns));
    if (!binding.ok()) return std::string(ErrorKindName(KindOf(binding.status()))) + ": " + binding.status().message();
    std::string text;
    for (const auto& field : binding->schema->fields()) text += (text.empty() ? "" : ", ") + field->ToString();
    return text;
  }
};

TEST_F(Binding, AllColumnsWithoutMetadataColumns) {
  EXPECT_EQ(Columns({}), "a: int64 not null, s: struct<x: int32, y: int32>, l: list<element: int32>");
}

TEST_F(Binding, ColumnsInTheOrderAsked) {
  EXPECT_EQ(Columns({"l", "_pos", "a", "_file"}),
            "l: list<element: int32>, _pos: int64 not null, a: int64 not null, _file: string not null");
  EXPECT_EQ(Columns({"a", "a"}), "a: int64 not null, a: int64 not null");
}

TEST_F(Binding, PathsOfOneStructShareAColumn) {
  EXPECT_EQ(Columns({"s.y", "a", "s.x"}), "s: struct<y: int32, x: int32>, a: int64 not null");
}

TEST_F(Binding, AColumnOfTheFileHidesAMetadataColumn) {
  filegen::FileSpec spec = Spec();
  spec.schema.push_back(Leaf("_pos", Type::INT32));
  EXPECT_EQ(Columns({"_pos", "_file"}, spec), "_pos: int32, _file: string not null");
  const auto binding = BindTo(spec, "_pos = 3", {}).ValueOrDie();
  EXPECT_EQ(binding.filter.columns[0].ref, 4) << "the leaf, not the row's ordinal";
}

TEST_F(Binding, FiltersSeeLeavesGroupsAndMetadata) {
  const auto binding =
      BindTo(Spec(), "a = 1 AND s IS NOT NULL AND s.y < 4 AND _pos < 9 AND _file = 'f'", {}).ValueOrDie();
  std::vector<std::pair<std::string, int>> columns;
  for (const auto& column : binding.filter.columns) columns.emplace_back(column.path, column.ref);
  EXPECT_EQ(columns, (std::vector<std::pair<std::string, int>>{
                         {"a", 0}, {"s", -1}, {"s.y", 2}, {"_pos", kPosRef}, {"_file", kFileRef}}));
}

TEST_F(Binding, NoFilterIsTrue) {
  for (const char* filter : {"", " \t\n"}) {
    EXPECT_TRUE(BindTo(Spec(), filter, {}).ValueOrDie().filter.root.is_true());
  }
}

TEST_F(Binding, CountingNeedsNoColumns) {
  const auto binding = BindTo(Spec(), "a = 1", {"s"}, /*count_only=*/true).ValueOrDie();
  EXPECT_TRUE(binding.outputs.empty());
  EXPECT_EQ(binding.schema->num_fields(), 0);
}

TEST_F(Binding, WhatIsAskedWrongly) {
  EXPECT_EQ(Columns({"b"}).substr(0, 23), "usage: unknown column b");
  EXPECT_EQ(KindOf(BindTo(Spec(), "b = 1", {}).status()), ErrorKind::kUsage);
  EXPECT_EQ(KindOf(BindTo(Spec(), "a = 'x'", {}).status()), ErrorKind::kUsage);
  EXPECT_EQ(KindOf(BindTo(Spec(), "l.list.element = 1", {}).status()), ErrorKind::kUnsupported);
  EXPECT_EQ(KindOf(BindTo(Spec(), "", {"a b"}).status()), ErrorKind::kUsage);
}

}  // namespace
}  // namespace frazil::scan
