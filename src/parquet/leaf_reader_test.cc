// SPDX-License-Identifier: Apache-2.0
//
// Row alignment: whatever pages are left out, each selected row gets its own value.
#include "src/parquet/leaf_reader.h"

#include <arrow/array/array_primitive.h>
#include <arrow/scalar.h>
#include <gtest/gtest.h>

#include "tests/file_reading.h"

namespace frazil::parquet {
namespace {

using filegen::ChunkSpec;
using filegen::FileSpec;
using filegen::List;
using filegen::PageSpec;
using filegen::Row;
using filegen::Value;
using ::parquet::Encoding;
using ::parquet::Type;

FileSpec OneColumn(filegen::Node node, const std::vector<Value>& values, std::vector<PageSpec> pages) {
  FileSpec file;
  file.schema = {std::move(node)};
  std::vector<Row> rows;
  for (const Value& value : values) rows.push_back({value});
  auto& group = file.row_groups.emplace_back();
  group.row_count = static_cast<int64_t>(rows.size());
  group.chunks.push_back({.data = filegen::Shred(file.schema, rows).ValueOrDie()[0], .pages = std::move(pages)});
  return file;
}

// Row ordinals as INT64; every `null_every`-th is null when that is not 0.
FileSpec Ordinals(std::vector<PageSpec> pages, int null_every = 0) {
  std::vector<Value> values;
  int64_t row_count = 0;
  for (const PageSpec& page : pages) row_count += page.row_count;
  for (int64_t row = 0; row < row_count; ++row) {
    values.emplace_back();
    if (null_every == 0 || row % null_every != 0) values.back() = Value(row);
  }
  const auto repetition = null_every != 0 ? filegen::kOptional : filegen::kRequired;
  return OneColumn(filegen::Leaf("c", Type::INT64, repetition), values, std::move(pages));
}

// Row i holds i % 4 values that tell row and place.
std::vector<Value> Lists(int row_count) {
  std::vector<Value> values;
  for (int row = 0; row < row_count; ++row) {
    List list;
    for (int i = 0; i < row % 4; ++i) {
      list.items.emplace_back();
      if (i != 2) list.items.back() = Value(int64_t{row * 10 + i});
    }
    values.emplace_back();
    if (row % 7 != 5) values.back() = Value(std::move(list));
  }
  return values;
}

filegen::Node ListNode() { return filegen::ListOf("c", filegen::Leaf("element", Type::INT64)); }

// "3 4 null 9": the values of the selection, or the error.
std::string Read(const FileSpec& spec, const RowRanges& rows, ReadingOptions options = {}) {
  FileReading file(spec);
  auto array = file.Read(0, rows, options);
  if (!array.ok()) return array.status().message();
  std::string text;
  for (int64_t i = 0; i < (*array)->length(); ++i) {
    text += (i > 0 ? " " : "") + (*array)->GetScalar(i).ValueOrDie()->ToString();
  }
  return text;
}

TEST(LeafReader, TheLastSelectedRowLiesBeyondASkippedPage) {
  // Reported of another reader: payload pages of rows [0-2], [3-4], rows 0, 1 and 4 wanted.
  const auto spec = Ordinals({{.row_count = 3}, {.row_count = 2}});
  EXPECT_EQ(Read(spec, {{0, 2}, {4, 5}}), "0 1 4");
  EXPECT_EQ(Read(spec, {{0, 2}, {4, 5}}, {.use_index = false}), "0 1 4");
  EXPECT_EQ(Read(spec, {{0, 2}, {4, 5}}, {.batch_rows = 1}), "0 1 4");
}

TEST(LeafReader, SelectionsThatEndOnAPagesLastRow) {
  const auto spec = Ordinals({{.row_count = 3}, {.row_count = 3}, {.row_count = 1}, {.row_count = 3}}, 4);
  for (const bool use_index : {true, false}) {
    for (const int64_t batch_rows : {1, 2, 100}) {
      const ReadingOptions options{.use_index = use_index, .batch_rows = batch_rows};
      EXPECT_EQ(Read(spec, {{1, 3}}, options), "1 2");
      EXPECT_EQ(Read(spec, {{2, 3}, {5, 6}}, options), "2 5");
      EXPECT_EQ(Read(spec, {{2, 3}, {6, 7}}, options), "2 6");
      EXPECT_EQ(Read(spec, {{0, 1}, {9, 10}}, options), "null 9");
      EXPECT_EQ(Read(spec, {{0, 10}}, options), "null 1 2 3 null 5 6 7 null 9");
    }
  }
}

TEST(LeafReader, OneRowPages) {
  const auto spec = Ordinals(filegen::PagesOf(12, 1), 5);
  EXPECT_EQ(Read(spec, {{1, 2}, {3, 6}, {11, 12}}), "1 3 4 null 11");
  EXPECT_EQ(Read(spec, {{1, 2}, {3, 6}, {11, 12}}, {.batch_rows = 2}), "1 3 4 null 11");
}

TEST(LeafReader, PageVersionsAndEncodingsMixed) {
  std::vector<PageSpec> pages{{.row_count = 3, .encoding = Encoding::RLE_DICTIONARY},
                              {.row_count = 2, .version = 2, .encoding = Encoding::RLE_DICTIONARY},
                              {.row_count = 4, .encoding = Encoding::DELTA_BINARY_PACKED},
                              {.row_count = 1, .version = 2},
                              {.row_count = 2, .encoding = Encoding::RLE_DICTIONARY}};
  auto spec = Ordinals(pages, 3);
  for (const auto codec : {arrow::Compression::UNCOMPRESSED, arrow::Compression::SNAPPY}) {
    spec.row_groups[0].chunks[0].codec = codec;
    for (const bool use_index : {true, false}) {
      const ReadingOptions options{.use_index = use_index};
      EXPECT_EQ(Read(spec, {{2, 4}, {8, 12}}, options), "2 null 8 null 10 11");
      EXPECT_EQ(Read(spec, {{7, 8}}, options), "7");
      EXPECT_EQ(Read(spec, {{11, 12}}, options), "11");
    }
  }
}

TEST(LeafReader, EmptyPagesAnywhere) {
  std::vector<PageSpec> pages{{}, {}, {.row_count = 2}, {}, {.row_count = 1, .version = 2}, {.version = 2}};
  for (const bool use_index : {true, false}) {
    for (const bool listed : {true, false}) {
      auto spec = Ordinals(pages, 2);
      spec.row_groups[0].chunks[0].index.list_empty_pages = listed;
      EXPECT_EQ(Read(spec, {{0, 3}}, {.use_index = use_index}), "null 1 null");
      EXPECT_EQ(Read(spec, {{2, 3}}, {.use_index = use_index}), "null");
    }
  }
}

TEST(LeafReader, ListsSkipWholeRows) {
  std::vector<PageSpec> pages{{.row_count = 3}, {.row_count = 1}, {.row_count = 4, .version = 2}, {.row_count = 2}};
  const auto spec = OneColumn(ListNode(), Lists(10), pages);
  const std::string rows[] = {"list<element: int64>[]", "list<element: int64>[10]", "list<element: int64>[20, 21]"};
  EXPECT_EQ(Read(spec, {{0, 3}}), rows[0] + " " + rows[1] + " " + rows[2]);
  EXPECT_EQ(Read(spec, {{2, 3}}), rows[2]);
  EXPECT_EQ(Read(spec, {{2, 3}}, {.use_index = false}), rows[2]);
}

TEST(LeafReader, APageOfTooManyLevelsIsRefused) {
  const auto spec = OneColumn(ListNode(), Lists(10), {{.row_count = 10}});
  const int64_t levels = spec.row_groups[0].chunks[0].data.level_count();
  EXPECT_EQ(Read(spec, {{0, 1}}, {.pages = {.page_levels_max = levels}}), "list<element: int64>[]");
  const auto refused = FileReading(spec).Read(0, {{0, 1}}, {.pages = {.page_levels_max = levels - 1}});
  EXPECT_EQ(KindOf(refused.status()), ErrorKind::kBudget) << refused.status();
}

TEST(LeafReader, RowsThatSpanPages) {
  // 24 levels: pages of four end inside rows; only possible for V1 pages without an offset index.
  std::vector<Value> values = Lists(20);
  auto whole = OneColumn(ListNode(), values, {{.row_count = 20}});
  const int64_t levels = whole.row_groups[0].chunks[0].data.level_count();
  for (const int64_t page_levels : {1, 2, 3, 5}) {
    std::vector<PageSpec> pages;
    for (int64_t at = 0; at < levels; at += page_levels) {
      pages.push_back({.level_count = std::min(page_levels, levels - at)});
      if (at % 3 == 0) pages.push_back({.level_count = 0});  // empty, maybe inside a row
    }
    auto spec = OneColumn(ListNode(), values, pages);
    spec.row_groups[0].chunks[0].index = {.offset_index = false, .column_index = false};
    for (int begin = 0; begin < 20; ++begin) {
      const RowRanges rows{{begin, begin + 1}, {std::min(begin + 3, 20), 20}};
      EXPECT_EQ(Read(spec, rows), Read(whole, rows)) << page_levels << " levels a page, row " << begin;
      EXPECT_EQ(Read(spec, rows, {.batch_rows = 1}), Read(whole, rows)) << page_levels << " levels, row " << begin;
    }
  }
}

TEST(LeafReader, RowCountsInPageHeadersAreNotBelieved) {
  for (const int32_t wrong : {-1, 1}) {
    auto spec = OneColumn(ListNode(), Lists(9), filegen::PagesOf(9, 3, {.version = 2}));
    spec.row_groups[0].chunks[0].index = {.offset_index = false, .column_index = false};
    const std::string right = Read(spec, {{4, 5}, {8, 9}});
    spec.row_groups[0].chunks[0].pages[0].edit_header = [wrong](filegen::PageHeader& header) {
      header.num_rows += wrong;
    };
    EXPECT_EQ(Read(spec, {{4, 5}, {8, 9}}), right);
    EXPECT_EQ(Read(spec, {{0, 9}}, {.batch_rows = 2}), Read(spec, {{0, 9}}));
  }
}

TEST(LeafReader, UnwantedPagesAreNeitherFetchedNorDecompressed) {
  FileReading file(Ordinals(filegen::PagesOf(100, 10)));
  ASSERT_TRUE(file.Read(0, {{15, 16}, {95, 96}}).ok());
  EXPECT_EQ(file.requests().size(), 2u);
  EXPECT_EQ(file.states()[0]->pages_read, 2);
  EXPECT_EQ(file.states()[0]->pages_skipped, 0) << "they were not planned at all";
  file.Restart();
  ASSERT_TRUE(file.Read(0, {{15, 16}, {95, 96}}, {.use_index = false}).ok());
  EXPECT_EQ(file.states()[0]->pages_read, 2);
  EXPECT_EQ(file.states()[0]->pages_skipped, 8);
}

TEST(LeafReader, LevelsAreThoseOfTheBatch) {
  FileReading file(OneColumn(ListNode(), Lists(10), filegen::PagesOf(10, 3)));
  auto leaf = file.OpenLeaf(0, arrow::int64(), true, {{2, 4}, {5, 6}}).ValueOrDie();
  ASSERT_TRUE(leaf->Read({{2, 4}}).ok());
  EXPECT_EQ(leaf->row_count(), 2);
  ASSERT_EQ(leaf->level_count(), 5);
  EXPECT_EQ(std::vector<int16_t>(leaf->rep_levels(), leaf->rep_levels() + 5), (std::vector<int16_t>{0, 1, 0, 1, 1}));
  EXPECT_EQ(std::vector<int16_t>(leaf->def_levels(), leaf->def_levels() + 5), (std::vector<int16_t>{3, 3, 3, 3, 2}));
  // The values of a batch that nobody takes do not reach the next.
  ASSERT_TRUE(leaf->Read({{5, 6}}).ok());
  ASSERT_EQ(leaf->level_count(), 1);
  EXPECT_EQ(leaf->def_levels()[0], 0);

  FileReading flat(Ordinals({{.row_count = 4}}));
  auto required = flat.OpenLeaf(0, arrow::int64(), false, {{0, 4}}).ValueOrDie();
  ASSERT_TRUE(required->Read({{1, 2}}).ok());
  EXPECT_EQ(required->def_levels(), nullptr);
  EXPECT_EQ(required->rep_levels(), nullptr);
}

TEST(LeafReader, RowsMustAscend) {
  FileReading file(Ordinals({{.row_count = 4}}));
  auto leaf = file.OpenLeaf(0, arrow::int64(), false, {{0, 4}}).ValueOrDie();
  ASSERT_TRUE(leaf->Read({{2, 3}}).ok());
  EXPECT_EQ(KindOf(leaf->Read({{1, 2}})), ErrorKind::kInternal);
}

TEST(LeafReader, AChunkThatEndsEarlyIsAnError) {
  auto spec = Ordinals(filegen::PagesOf(20, 10));
  spec.row_groups[0].edit_metadata = [](filegen::RowGroupMetadata& group) { group.num_rows = 30; };
  FileReading file(spec);
  // Without the index which rows are missing is not known: none is given, early ones neither.
  for (const RowRange rows : {RowRange{5, 15}, RowRange{15, 25}, RowRange{25, 26}}) {
    const auto read = file.Read(0, {rows}, {.use_index = false});
    EXPECT_EQ(KindOf(read.status()), ErrorKind::kCorrupt) << read.status();
    EXPECT_NE(read.status().message().find("the pages hold 20 values, the footer says 30"), std::string::npos)
        << read.status();
  }
  // With the index, whose last page now claims the rows that are missing.
  EXPECT_NE(file.Read(0, {{25, 26}}).status().message().find("page holds 10 rows, its offset index says 20"),
            std::string::npos);
}

TEST(LeafReader, WhatCanNotBeReadIsRefusedBeforeAnyByte) {
  const auto refused = [](const std::function<void(filegen::ColumnChunkMetadata&)>& edit) {
    auto spec = Ordinals({{.row_count = 4}});
    spec.row_groups[0].chunks[0].edit_metadata = edit;
    FileReading file(spec);
    const auto plan = file.Plan(0, {{0, 1}});
    const auto leaf = LeafReader::Open(&file.footer(), file.reader(), plan, arrow::int64(), false, {});
    EXPECT_TRUE(file.requests().empty());
    return leaf.ok() ? "opened" : std::string(ErrorKindName(KindOf(leaf.status()))) + ": " + leaf.status().message();
  };
  EXPECT_EQ(refused([](filegen::ColumnChunkMetadata&) {}), "opened");
  EXPECT_EQ(refused([](filegen::ColumnChunkMetadata& chunk) { chunk.codec = 3; }),
            "unsupported: column c: compression codec 3 is not supported");
  EXPECT_EQ(refused([](filegen::ColumnChunkMetadata& chunk) { chunk.codec = 99; }),
            "unsupported: column c: compression codec 99 is not supported");
  EXPECT_EQ(refused([](filegen::ColumnChunkMetadata& chunk) { chunk.file_path = "other"; }),
            "unsupported: column c: the column's data lie in another file");
}

}  // namespace
}  // namespace frazil::parquet
