// SPDX-License-Identifier: Apache-2.0
//
// Nested data, row by row, against Arrow's own reader (the code that pyarrow runs): selections that begin and end
// everywhere, on files that Arrow writes, with both page versions and pages of every size, with and without an offset
// index; and files of filegen, whose layouts no writer would choose, against its model.
#include <functional>
#include <memory>
#include <random>

#include <arrow/api.h>
#include <arrow/io/memory.h>
#include <arrow/json/from_string.h>
#include <gtest/gtest.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/writer.h>

#include "src/parquet/select.h"
#include "tests/file_reading.h"
#include "tests/filegen/model_to_arrow.h"
#include "tests/filegen/random_file.h"

namespace frazil {
namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;
using TypePtr = std::shared_ptr<arrow::DataType>;
using Random = std::mt19937_64;

struct Structure {
  const char* name;
  TypePtr type;
};

TypePtr Item(TypePtr type) { return arrow::list(arrow::field("element", std::move(type))); }

std::vector<Structure> Structures() {
  using arrow::field;
  const TypePtr& i32 = arrow::int32();
  const TypePtr& text = arrow::utf8();
  return {
      {"struct", arrow::struct_({field("x", i32), field("y", text)})},
      {"list", Item(i32)},
      {"list of struct of list", Item(arrow::struct_({field("x", i32), field("l", Item(text))}))},
      {"struct of lists", arrow::struct_({field("a", Item(i32)), field("b", Item(text))})},
      {"struct in struct", arrow::struct_({field("s", arrow::struct_({field("x", i32)})), field("t", text)})},
      {"list of list", Item(Item(i32))},
      {"map", arrow::map(text, field("value", i32))},
      {"map of lists", arrow::map(text, field("value", Item(i32)))},
      {"list of maps", Item(arrow::map(text, field("value", text)))},
      {"large list", arrow::large_list(field("element", i32))},
      {"fixed-size list", arrow::fixed_size_list(field("element", i32), 2)},
  };
}

// How often values are null or lists are empty, in percent.
struct Mood {
  int null_percent;
  int empty_percent;
};

arrow::Status AppendRandom(Random& random, const Mood& mood, arrow::ArrayBuilder* builder, bool nullable) {
  const auto percent = [&random](int limit) { return static_cast<int>(random() % 100) < limit; };
  if (nullable && percent(mood.null_percent)) return builder->AppendNull();
  const auto length = [&] { return percent(mood.empty_percent) ? 0 : static_cast<int>(1 + random() % 3); };
  switch (builder->type()->id()) {
    case arrow::Type::INT32:
      return static_cast<arrow::Int32Builder&>(*builder).Append(static_cast<int32_t>(random() % 1000));
    case arrow::Type::STRING:
      return static_cast<arrow::StringBuilder&>(*builder).Append("v" + std::to_string(random() % 50));
    case arrow::Type::STRUCT: {
      auto& fields = static_cast<arrow::StructBuilder&>(*builder);
      ARROW_RETURN_NOT_OK(fields.Append());
      for (int i = 0; i < fields.num_fields(); ++i) {
        ARROW_RETURN_NOT_OK(AppendRandom(random, mood, fields.field_builder(i), true));
      }
      return arrow::Status::OK();
    }
    case arrow::Type::MAP: {
      auto& map = static_cast<arrow::MapBuilder&>(*builder);
      ARROW_RETURN_NOT_OK(map.Append());
      for (int i = length(); i > 0; --i) {
        ARROW_RETURN_NOT_OK(AppendRandom(random, mood, map.key_builder(), false));
        ARROW_RETURN_NOT_OK(AppendRandom(random, mood, map.item_builder(), true));
      }
      return arrow::Status::OK();
    }
    case arrow::Type::FIXED_SIZE_LIST: {
      auto& list = static_cast<arrow::FixedSizeListBuilder&>(*builder);
      ARROW_RETURN_NOT_OK(list.Append());
      for (int i = 0; i < 2; ++i) ARROW_RETURN_NOT_OK(AppendRandom(random, mood, list.value_builder(), true));
      return arrow::Status::OK();
    }
    case arrow::Type::LARGE_LIST: {
      auto& list = static_cast<arrow::LargeListBuilder&>(*builder);
      ARROW_RETURN_NOT_OK(list.Append());
      for (int i = length(); i > 0; --i) ARROW_RETURN_NOT_OK(AppendRandom(random, mood, list.value_builder(), true));
      return arrow::Status::OK();
    }
    default: {
      auto& list = static_cast<arrow::ListBuilder&>(*builder);
      ARROW_RETURN_NOT_OK(list.Append());
      for (int i = length(); i > 0; --i) ARROW_RETURN_NOT_OK(AppendRandom(random, mood, list.value_builder(), true));
      return arrow::Status::OK();
    }
  }
}

ArrayPtr RandomArray(Random& random, const TypePtr& type, const Mood& mood, int64_t row_count) {
  auto builder = arrow::MakeBuilder(type).ValueOrDie();
  for (int64_t row = 0; row < row_count; ++row) EXPECT_TRUE(AppendRandom(random, mood, builder.get(), true).ok());
  return builder->Finish().ValueOrDie();
}

struct Writing {
  ::parquet::ParquetDataPageVersion version = ::parquet::ParquetDataPageVersion::V1;
  int64_t page_bytes = 1;  // checked after each batch of one row, so 1 makes pages of a row
  bool dictionary = true;
  bool index = true;
};

std::shared_ptr<arrow::Buffer> Write(const ArrayPtr& array, const Writing& writing) {
  const auto table = arrow::Table::Make(arrow::schema({arrow::field("c", array->type())}), {array});
  ::parquet::WriterProperties::Builder properties;
  properties.data_page_version(writing.version)->data_pagesize(writing.page_bytes)->write_batch_size(1);
  properties.compression(arrow::Compression::UNCOMPRESSED);
  writing.dictionary ? properties.enable_dictionary() : properties.disable_dictionary();
  writing.index ? properties.enable_write_page_index() : properties.disable_write_page_index();
  ::parquet::ArrowWriterProperties::Builder arrow_properties;
  arrow_properties.store_schema();
  auto sink = arrow::io::BufferOutputStream::Create().ValueOrDie();
  EXPECT_TRUE(::parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), sink, 1 << 20, properties.build(),
                                           arrow_properties.build())
                  .ok());
  return sink->Finish().ValueOrDie();
}

ArrayPtr ReadByArrow(const std::shared_ptr<arrow::Buffer>& bytes) {
  std::unique_ptr<::parquet::arrow::FileReader> reader;
  ::parquet::arrow::FileReaderBuilder builder;
  EXPECT_TRUE(builder.Open(std::make_shared<arrow::io::BufferReader>(bytes)).ok());
  EXPECT_TRUE(builder.Build(&reader).ok());
  return arrow::Concatenate(reader->ReadTable().ValueOrDie()->column(0)->chunks()).ValueOrDie();
}

void ExpectRows(FileReading* file, const ArrayPtr& expected, const RowRanges& rows, const ReadingOptions& options) {
  const auto array = file->Read(0, rows, options);
  ASSERT_TRUE(array.ok()) << array.status() << " rows " << rows.ToString();
  ASSERT_TRUE((*array)->ValidateFull().ok()) << (*array)->ValidateFull();
  ASSERT_TRUE((*array)->Equals(parquet::SelectRanks(expected, rows).ValueOrDie()))
      << "rows " << rows.ToString() << ", index " << options.use_index << ", batches of " << options.batch_rows << ": "
      << (*array)->ToString();
}

// Calls `check` for each structure, mood and way of writing.
void ForEachFile(Random& random, int64_t row_count, const std::function<void(FileReading*, const ArrayPtr&)>& check) {
  const Mood moods[] = {{0, 0}, {30, 30}, {95, 50}, {100, 0}, {0, 100}};
  for (const Structure& structure : Structures()) {
    for (const Mood& mood : moods) {
      const ArrayPtr array = RandomArray(random, structure.type, mood, row_count);
      for (const auto version : {::parquet::ParquetDataPageVersion::V1, ::parquet::ParquetDataPageVersion::V2}) {
        Writing writing;
        writing.version = version;
        writing.page_bytes = 1 << random() % 8;
        writing.dictionary = random() % 2 == 0;
        writing.index = random() % 4 != 0;
        SCOPED_TRACE(testing::Message() << structure.name << ", nulls " << mood.null_percent << " %, empty "
                                        << mood.empty_percent << " %, pages of " << writing.page_bytes
                                        << " bytes, version " << static_cast<int>(version));
        const auto bytes = Write(array, writing);
        const ArrayPtr expected = ReadByArrow(bytes);
        FileReading file(bytes);
        check(&file, expected);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(Nested, EveryRunOfRows) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  constexpr int64_t kRows = 9;
  ForEachFile(random, kRows, [&](FileReading* file, const ArrayPtr& expected) {
    for (int64_t begin = 0; begin <= kRows; ++begin) {
      for (int64_t end = begin; end <= kRows; ++end) {
        ReadingOptions options;
        options.use_index = (begin + end) % 2 == 0;
        options.batch_rows = 1 + static_cast<int64_t>(random() % 4);
        ExpectRows(file, expected, RowRanges::Of(begin, end), options);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  });
}

TEST(Nested, RandomSelections) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  constexpr int64_t kRows = 400;
  ForEachFile(random, kRows, [&](FileReading* file, const ArrayPtr& expected) {
    for (int turn = 0; turn < 6; ++turn) {
      const uint64_t step = 1 + random() % (turn % 2 == 0 ? 4 : 90);
      RowRanges rows;
      for (auto at = static_cast<int64_t>(random() % step); at < kRows;) {
        const int64_t end = std::min(kRows, at + 1 + static_cast<int64_t>(random() % step));
        rows.Append(at, end);
        at = end + 1 + static_cast<int64_t>(random() % step);
      }
      ExpectRows(file, expected, rows,
                 {.use_index = random() % 2 == 0, .batch_rows = static_cast<int64_t>(1 + random() % 100)});
      if (testing::Test::HasFatalFailure()) return;
    }
  });
}

// Layouts of filegen, empty pages at the front and inside rows included: Arrow loses rows there, the model does not.
TEST(Nested, UglyLayoutsAgainstTheModel) {
  const auto seed = std::random_device{}();
  for (uint64_t i = 0; i < 60; ++i) {
    SCOPED_TRACE(testing::Message() << "seed " << seed + i);
    filegen::RandomFileOptions options;
    options.hard_empty_pages = true;
    options.row_count_max = 120;
    options.column_count_max = 4;
    const auto file = filegen::MakeRandomFile(seed + i, options).ValueOrDie();
    const auto schema = filegen::ArrowSchemaOf(file.spec).ValueOrDie();
    Random random(seed + i);
    FileReading reading(file.bytes);
    std::span<const filegen::Row> rest = file.rows;
    for (size_t group = 0; group < file.row_group_row_counts.size(); ++group) {
      const int64_t row_count = file.row_group_row_counts[group];
      const auto model = filegen::ModelToArrow(schema, rest.first(static_cast<size_t>(row_count))).ValueOrDie();
      rest = rest.subspan(static_cast<size_t>(row_count));
      for (int column = 0; column < schema->num_fields() && row_count > 0; ++column) {
        for (int turn = 0; turn < 4; ++turn) {
          const uint64_t step = 1 + random() % 30;
          RowRanges rows;
          for (auto at = static_cast<int64_t>(random() % step); at < row_count;) {
            const int64_t end = std::min(row_count, at + 1 + static_cast<int64_t>(random() % step));
            rows.Append(at, end);
            at = end + 1 + static_cast<int64_t>(random() % step);
          }
          if (rows.empty()) continue;
          ReadingOptions reading_options;
          reading_options.row_group = static_cast<int>(group);
          reading_options.use_index = turn % 2 == 0;
          reading_options.batch_rows = static_cast<int64_t>(1 + random() % 40);
          reading_options.pages.verify_checksums = true;
          auto array = reading.Read(column, rows, reading_options);
          ASSERT_TRUE(array.ok()) << array.status() << "\n" << file.Describe();
          // The model's arrays have no extension types.
          if ((*array)->type_id() == arrow::Type::EXTENSION) {
            array = static_cast<const arrow::ExtensionArray&>(**array).storage();
          }
          const ArrayPtr expected = parquet::SelectRanks(model->column(column), rows).ValueOrDie();
          if (!(*array)->type()->Equals(*expected->type())) continue;  // extension types further down
          ASSERT_TRUE((*array)->Equals(expected, arrow::EqualOptions::Defaults().nans_equal(true)))
              << schema->field(column)->ToString() << " rows " << rows.ToString() << "\n"
              << file.Describe();
        }
      }
    }
  }
}

}  // namespace
}  // namespace frazil
