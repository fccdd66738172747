// SPDX-License-Identifier: Apache-2.0
//
// Each type with the values at its edges: the arrays are those that Arrow's own reader gives for the same file.
#include "src/parquet/leaf_values.h"

#include <limits>

#include <arrow/api.h>
#include <arrow/io/memory.h>
#include <gtest/gtest.h>
#include <parquet/arrow/reader.h>

#include "tests/file_reading.h"
#include "tests/filegen/model_to_arrow.h"

namespace frazil::parquet {
namespace {

using filegen::FileSpec;
using filegen::Int96;
using filegen::Node;
using filegen::Row;
using filegen::TimeUnit;
using filegen::Value;
using ::parquet::Encoding;
using ::parquet::Type;

// One file, a column per node; `columns[i]` are its values.
FileSpec Columns(std::vector<Node> nodes, const std::vector<std::vector<Value>>& columns) {
  FileSpec file;
  file.schema = std::move(nodes);
  std::vector<Row> rows(columns[0].size());
  for (size_t row = 0; row < rows.size(); ++row) {
    for (const auto& column : columns) rows[row].push_back(column[row]);
  }
  auto& group = file.row_groups.emplace_back();
  group.row_count = static_cast<int64_t>(rows.size());
  for (auto& data : filegen::Shred(file.schema, rows).ValueOrDie()) {
    group.chunks.push_back({.data = std::move(data), .pages = filegen::PagesOf(group.row_count, 2)});
  }
  return file;
}

std::shared_ptr<arrow::Table> ReadByArrow(const std::shared_ptr<arrow::Buffer>& bytes) {
  ::parquet::arrow::FileReaderBuilder builder;
  EXPECT_TRUE(builder.Open(std::make_shared<arrow::io::BufferReader>(bytes)).ok());
  ::parquet::ArrowReaderProperties properties;
  properties.set_arrow_extensions_enabled(true);
  builder.properties(properties);
  std::unique_ptr<::parquet::arrow::FileReader> reader;
  EXPECT_TRUE(builder.Build(&reader).ok());
  return reader->ReadTable().ValueOrDie();
}

void ExpectArrowsArrays(const FileSpec& spec) {
  const auto bytes = filegen::WriteFile(spec).ValueOrDie();
  const auto table = ReadByArrow(bytes);
  FileReading file(bytes);
  for (int column = 0; column < table->num_columns(); ++column) {
    const auto expected = arrow::Concatenate(table->column(column)->chunks()).ValueOrDie();
    SCOPED_TRACE(table->field(column)->ToString());
    const auto array = file.Read(column, RowRanges::Of(0, table->num_rows()));
    ASSERT_TRUE(array.ok()) << array.status();
    // Not in full: the edges of a physical type are beyond some of its logical types.
    EXPECT_TRUE((*array)->Validate().ok()) << (*array)->Validate();
    EXPECT_TRUE((*array)->Equals(expected, arrow::EqualOptions::Defaults().nans_equal(true).signed_zeros_equal(false)))
        << (*array)->ToString() << " instead of " << expected->ToString();
    EXPECT_TRUE((*array)->type()->Equals(table->field(column)->type(), true)) << (*array)->type()->ToString();
    if (!table->field(column)->nullable()) {
      EXPECT_EQ((*array)->null_bitmap(), nullptr);
    }
  }
}

template <typename T>
std::vector<Value> Edges(std::vector<T> values) {
  std::vector<Value> edges;
  for (const T& value : values) edges.emplace_back(value);
  return edges;
}

// The same values as a column that has a null, and as a required one.
void ExpectBoth(const std::vector<Node>& nodes, const std::vector<Value>& values) {
  std::vector<Node> all;
  std::vector<std::vector<Value>> columns;
  for (const auto repetition : {filegen::kRequired, filegen::kOptional}) {
    for (const Node& node : nodes) {
      all.push_back(node);
      all.back().name += std::to_string(all.size());
      all.back().repetition = repetition;
      columns.push_back(values);
      if (repetition == filegen::kOptional) columns.back()[1] = Value();
    }
  }
  ExpectArrowsArrays(Columns(all, columns));
}

TEST(LeafValues, Int32InEveryForm) {
  const auto edges = Edges<int32_t>({0, 1, -1, 127, -128, 255, 32767, -32768, 65535,
                                     std::numeric_limits<int32_t>::max(), std::numeric_limits<int32_t>::min()});
  ExpectBoth({filegen::Leaf("c", Type::INT32), filegen::IntLeaf("c", 8, true), filegen::IntLeaf("c", 8, false),
              filegen::IntLeaf("c", 16, true), filegen::IntLeaf("c", 16, false), filegen::IntLeaf("c", 32, true),
              filegen::IntLeaf("c", 32, false), filegen::DateLeaf("c"), filegen::TimeLeaf("c", TimeUnit::kMilli, true),
              filegen::DecimalLeaf("c", Type::INT32, 9, 2), filegen::DecimalLeaf("c", Type::INT32, 1, 0)},
             edges);
}

TEST(LeafValues, Int64InEveryForm) {
  const auto edges =
      Edges<int64_t>({0, -1, 1, std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()});
  std::vector<Node> nodes{filegen::Leaf("c", Type::INT64), filegen::IntLeaf("c", 64, true),
                          filegen::IntLeaf("c", 64, false), filegen::DecimalLeaf("c", Type::INT64, 18, 3)};
  for (const TimeUnit unit : {TimeUnit::kMilli, TimeUnit::kMicro, TimeUnit::kNano}) {
    for (const bool utc : {false, true}) nodes.push_back(filegen::TimestampLeaf("c", unit, utc));
    if (unit != TimeUnit::kMilli) nodes.push_back(filegen::TimeLeaf("c", unit, false));
  }
  ExpectBoth(nodes, edges);
}

TEST(LeafValues, FloatingPointKeepsItsBits) {
  const float quiet = std::numeric_limits<float>::quiet_NaN();
  ExpectBoth({filegen::Leaf("c", Type::FLOAT)}, Edges<float>({0.0f, -0.0f, quiet, -quiet, 1.5f, 1e-45f}));
  ExpectBoth({filegen::Leaf("c", Type::DOUBLE)},
             Edges<double>({0.0, -0.0, std::numeric_limits<double>::quiet_NaN(), 5e-324, -1.5}));
  ExpectBoth({filegen::Float16Leaf("c")}, Edges<std::string>({{"\0\x80", 2}, {"\0\x3c", 2}, {"\x01\x7e", 2}}));
}

TEST(LeafValues, Booleans) { ExpectBoth({filegen::Leaf("c", Type::BOOLEAN)}, Edges<bool>({true, false, true, true})); }

TEST(LeafValues, TextAndBytes) {
  const auto edges = Edges<std::string>({"", "a", "\xc3\xa9", std::string(300, 'x')});
  std::vector<Node> nodes{filegen::StringLeaf("c"), filegen::Leaf("c", Type::BYTE_ARRAY)};
  for (const auto kind : {filegen::Annotation::Kind::kEnum, filegen::Annotation::Kind::kBson}) {
    nodes.push_back(filegen::Leaf("c", Type::BYTE_ARRAY));
    nodes.back().annotation.kind = kind;
  }
  ExpectBoth(nodes, edges);
  const auto json = Edges<std::string>({"{}", "[1]", "null"});
  nodes = {filegen::Leaf("c", Type::BYTE_ARRAY)};
  nodes[0].annotation.kind = filegen::Annotation::Kind::kJson;
  ExpectBoth(nodes, json);
}

TEST(LeafValues, FixedBytesAndUuids) {
  ExpectBoth({filegen::FixedLeaf("c", 3)}, Edges<std::string>({"abc", "\xff\xff\xff", "xyz"}));
  ExpectBoth({filegen::UuidLeaf("c")}, Edges<std::string>({std::string(16, 'a'), std::string(16, '\xff')}));
}

TEST(LeafValues, DecimalsInBytes) {
  ExpectBoth({filegen::DecimalLeaf("c", Type::FIXED_LEN_BYTE_ARRAY, 6, 2, 3)},
             Edges<std::string>({{"\x7f\xff\xff", 3}, {"\x80\0\0", 3}, {"\xff\xff\xff", 3}, {"\0\0\x01", 3}}));
  ExpectBoth({filegen::DecimalLeaf("c", Type::FIXED_LEN_BYTE_ARRAY, 38, 0, 16)},
             Edges<std::string>({std::string(16, '\xff'), "\x7f" + std::string(15, '\0')}));
  ExpectBoth({filegen::DecimalLeaf("c", Type::FIXED_LEN_BYTE_ARRAY, 50, 10, 21)},
             Edges<std::string>({std::string(21, '\xff'), std::string(20, '\0') + "\x05"}));
  // Byte arrays: each value of its own length.
  ExpectBoth({filegen::DecimalLeaf("c", Type::BYTE_ARRAY, 20, 5), filegen::DecimalLeaf("c", Type::BYTE_ARRAY, 60, 5)},
             Edges<std::string>({"\x01", {"\xff\x00", 2}, {"\x00\xff", 2}, "\x80", std::string(9, '\x11')}));
}

TEST(LeafValues, DecimalsThatDoNotFitAreErrors) {
  for (const std::string& bytes : {std::string(17, '\x01'), std::string()}) {
    FileReading file(Columns({filegen::DecimalLeaf("c", Type::BYTE_ARRAY, 20, 5)}, {Edges<std::string>({bytes})}));
    const auto array = file.Read(0, {{0, 1}});
    EXPECT_EQ(KindOf(array.status()), ErrorKind::kCorrupt) << array.status();
    EXPECT_EQ(array.status().message().substr(0, 10), "column c: ") << array.status();
  }
}

TEST(LeafValues, Int96InTwoForms) {
  const uint32_t epoch = 2'440'588;
  const auto edges = Edges<Int96>({{{0, 0, epoch}}, {{999'999'999, 0, epoch - 1}}, {{1, 0, epoch + 106'751}}});
  ExpectBoth({filegen::Leaf("c", Type::INT96)}, edges);

  // As filters read them: nanoseconds that do not wrap, whatever the day.
  FileReading file(
      Columns({filegen::Leaf("c", Type::INT96)}, {Edges<Int96>({{{1, 0, epoch + 200'000}}, {{7, 0, 0}}})}));
  auto leaf = file.OpenLeaf(0, arrow::decimal128(38, 0), true, {{0, 2}}).ValueOrDie();
  ASSERT_TRUE(leaf->Read({{0, 2}}).ok());
  const auto whole = leaf->Values().ValueOrDie();
  const auto& numbers = static_cast<const arrow::Decimal128Array&>(*whole);
  EXPECT_EQ(numbers.FormatValue(0), "17280000000000000001");
  EXPECT_EQ(numbers.FormatValue(1), "-210866803199999999993");
}

// The file with an ARROW:schema that wants other types.
FileSpec WithArrowSchema(FileSpec spec, const std::vector<std::shared_ptr<arrow::DataType>>& types) {
  arrow::FieldVector fields;
  for (size_t i = 0; i < types.size(); ++i) {
    fields.push_back(arrow::field(spec.schema[i].name, types[i], spec.schema[i].repetition != filegen::kRequired));
  }
  spec.key_value_metadata.push_back(filegen::ArrowSchemaEntry(arrow::Schema(fields)).ValueOrDie());
  return spec;
}

TEST(LeafValues, TypesThatOnlyArrowsSchemaNames) {
  const std::vector<Node> nodes{filegen::StringLeaf("a"), filegen::Leaf("b", Type::BYTE_ARRAY),
                                filegen::StringLeaf("c"), filegen::StringLeaf("d"), filegen::Leaf("e", Type::INT64)};
  const auto text = Edges<std::string>({"x", "", "y", "x", "x"});
  std::vector<Value> nulls = text;
  nulls[2] = Value();
  const auto numbers = Edges<int64_t>({1, -1, 0, 5, 7});
  ExpectArrowsArrays(WithArrowSchema(Columns(nodes, {text, text, nulls, nulls, numbers}),
                                     {arrow::large_utf8(), arrow::large_binary(), arrow::utf8_view(),
                                      arrow::large_utf8(), arrow::duration(arrow::TimeUnit::MICRO)}));
}

// Values of a dictionary array, entry by entry: dictionaries may be cut and ordered in many ways.
TEST(LeafValues, DictionariesHoldTheSameValues) {
  auto spec =
      Columns({filegen::StringLeaf("a"), filegen::StringLeaf("b")},
              {Edges<std::string>({"x", "y", "x", "z", "y", "w"}), Edges<std::string>({"p", "p", "q", "q", "p", "r"})});
  for (auto& chunk : spec.row_groups[0].chunks) {
    for (auto& page : chunk.pages) page.encoding = Encoding::RLE_DICTIONARY;
  }
  spec.row_groups[0].chunks[1].pages[2].encoding = Encoding::PLAIN;  // falls back
  const auto type = arrow::dictionary(arrow::int32(), arrow::utf8());
  FileReading file(WithArrowSchema(spec, {type, type}));
  for (const auto& [column, rows, expected] : {std::tuple{0, RowRanges{{0, 6}}, "x y x z y w"},
                                               {0, RowRanges{{1, 2}, {3, 6}}, "y z y w"},
                                               {1, RowRanges{{0, 6}}, "p p q q p r"},
                                               {1, RowRanges{{3, 6}}, "q p r"},
                                               {1, RowRanges{{5, 6}}, "r"}}) {
    const auto array = file.Read(column, rows);
    ASSERT_TRUE(array.ok()) << array.status();
    ASSERT_TRUE((*array)->type()->Equals(*type)) << (*array)->type()->ToString();
    std::string text;
    for (int64_t i = 0; i < (*array)->length(); ++i) {
      const auto entry = static_cast<const arrow::DictionaryScalar&>(*(*array)->GetScalar(i).ValueOrDie());
      text += (i > 0 ? " " : "") + entry.GetEncodedValue().ValueOrDie()->ToString();
    }
    EXPECT_EQ(text, expected) << rows.ToString();
  }
}

}  // namespace
}  // namespace frazil::parquet
