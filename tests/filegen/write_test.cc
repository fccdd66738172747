// SPDX-License-Identifier: Apache-2.0
#include "tests/filegen/write.h"

#include <cstring>
#include <memory>
#include <string>

#include <arrow/array.h>
#include <arrow/io/memory.h>
#include <arrow/table.h>
#include <gtest/gtest.h>
#include <parquet/arrow/reader.h>
#include <parquet/bloom_filter.h>
#include <parquet/bloom_filter_reader.h>
#include <parquet/column_page.h>
#include <parquet/column_reader.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/page_index.h>

#include "tests/filegen/model_to_arrow.h"

namespace frazil::filegen {
namespace {

using ::parquet::Encoding;
using ::parquet::Type;

// A file of one flat column "c".
FileSpec OneColumn(Node leaf, ColumnData data, std::vector<PageSpec> pages) {
  FileSpec file;
  leaf.name = "c";
  file.schema = {std::move(leaf)};
  RowGroupSpec& group = file.row_groups.emplace_back();
  for (int16_t rep : data.rep_levels) group.row_count += rep == 0 ? 1 : 0;
  ChunkSpec& chunk = group.chunks.emplace_back();
  chunk.data = std::move(data);
  chunk.pages = std::move(pages);
  return file;
}

FileSpec SixNumbers(std::vector<PageSpec> pages) {
  return OneColumn(Leaf("c", Type::INT64, kRequired), RequiredColumn<int64_t>({1, 2, 3, 4, 5, 6}), std::move(pages));
}

struct Written {
  std::shared_ptr<arrow::Buffer> bytes;
  FileLayout layout;
  std::unique_ptr<::parquet::ParquetFileReader> reader;

  const ChunkLayout& chunk() const { return layout.chunks[0][0]; }
  std::shared_ptr<::parquet::ColumnIndex> column_index() const {
    return reader->GetPageIndexReader()->RowGroup(0)->GetColumnIndex(0);
  }
  std::shared_ptr<::parquet::OffsetIndex> offset_index() const {
    return reader->GetPageIndexReader()->RowGroup(0)->GetOffsetIndex(0);
  }
  std::unique_ptr<::parquet::ColumnChunkMetaData> metadata() const {
    return reader->metadata()->RowGroup(0)->ColumnChunk(0);
  }
};

Written Write(const FileSpec& file) {
  Written written;
  auto bytes = WriteFile(file, &written.layout);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  written.bytes = *bytes;
  written.reader = ::parquet::ParquetFileReader::Open(std::make_shared<arrow::io::BufferReader>(written.bytes));
  return written;
}

std::vector<int64_t> ReadNumbers(const Written& written) {
  std::unique_ptr<::parquet::arrow::FileReader> reader;
  ::parquet::arrow::FileReaderBuilder builder;
  EXPECT_TRUE(builder.Open(std::make_shared<arrow::io::BufferReader>(written.bytes)).ok());
  EXPECT_TRUE(builder.Build(&reader).ok());
  auto table = reader->ReadTable();
  EXPECT_TRUE(table.ok()) << table.status();
  std::vector<int64_t> numbers;
  for (const auto& chunk : (*table)->column(0)->chunks()) {
    const auto& array = static_cast<const arrow::Int64Array&>(*chunk);
    for (int64_t i = 0; i < array.length(); ++i) numbers.push_back(array.Value(i));
  }
  return numbers;
}

int64_t Number(const std::string& bound) {
  int64_t value = 0;
  std::memcpy(&value, bound.data(), sizeof(value));
  return value;
}

TEST(WriteFile, PagesLieWhereTheLayoutSays) {
  PageSpec plain{.row_count = 1};
  PageSpec v2{.row_count = 3, .version = 2, .encoding = Encoding::RLE_DICTIONARY};
  PageSpec delta{.row_count = 2, .encoding = Encoding::DELTA_BINARY_PACKED, .gap_before_bytes = 100};
  Written written = Write(SixNumbers({plain, v2, delta}));
  const ChunkLayout& chunk = written.chunk();
  ASSERT_EQ(chunk.pages.size(), 3u);
  ASSERT_TRUE(chunk.dictionary.has_value());
  EXPECT_EQ(chunk.dictionary->offset, 4);
  EXPECT_EQ(chunk.pages[0].range.offset, chunk.dictionary->end());
  EXPECT_EQ(chunk.pages[1].range.offset, chunk.pages[0].range.end());
  EXPECT_GT(chunk.pages[2].range.offset, chunk.pages[1].range.end() + 100);
  EXPECT_EQ(chunk.pages[2].range.end(), chunk.range.end());
  EXPECT_EQ(chunk.pages[2].first_row, 4);
  auto index = written.offset_index();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(index->page_locations()[i].offset, chunk.pages[i].range.offset);
    EXPECT_EQ(index->page_locations()[i].compressed_page_size, chunk.pages[i].range.length);
    EXPECT_EQ(index->page_locations()[i].first_row_index, chunk.pages[i].first_row);
  }
  EXPECT_EQ(written.metadata()->dictionary_page_offset(), 4);
  EXPECT_EQ(written.metadata()->data_page_offset(), chunk.pages[0].range.offset);
  EXPECT_EQ(written.metadata()->total_compressed_size(), chunk.range.length);
  EXPECT_EQ(written.metadata()->GetColumnIndexLocation()->offset, chunk.column_index->offset);
  EXPECT_EQ(written.metadata()->GetOffsetIndexLocation()->length, chunk.offset_index->length);
  EXPECT_EQ(written.layout.footer.end() + 8, written.bytes->size());
  EXPECT_EQ(ReadNumbers(written), (std::vector<int64_t>{1, 2, 3, 4, 5, 6}));
}

TEST(WriteFile, ColumnIndexSpeaksOfItsPages) {
  FileSpec file =
      OneColumn(Leaf("c", Type::INT64), OptionalColumn<int64_t>({5, {}, {}, {}, 7, 9, {}, 8}), PagesOf(8, 2));
  file.row_groups[0].chunks[0].pages.push_back({});
  file.row_groups[0].chunks[0].index.level_histograms = true;
  Written written = Write(file);
  auto index = written.column_index();
  EXPECT_EQ(index->null_pages(), (std::vector<bool>{false, true, false, false, true}));
  EXPECT_EQ(index->null_counts(), (std::vector<int64_t>{1, 2, 0, 1, 0}));
  EXPECT_EQ(Number(index->encoded_min_values()[2]), 7);
  EXPECT_EQ(Number(index->encoded_max_values()[2]), 9);
  EXPECT_EQ(index->encoded_min_values()[1], "");
  EXPECT_EQ(index->boundary_order(), ::parquet::BoundaryOrder::Unordered);  // max 9, then 8
  EXPECT_EQ(index->definition_level_histograms(), (std::vector<int64_t>{1, 1, 2, 0, 0, 2, 1, 1, 0, 0}));
  EXPECT_EQ(written.offset_index()->page_locations().size(), 5u);

  file.row_groups[0].chunks[0].index.list_empty_pages = false;
  file.row_groups[0].chunks[0].index.null_counts = false;
  written = Write(file);
  EXPECT_EQ(written.column_index()->null_pages().size(), 4u);
  EXPECT_FALSE(written.column_index()->has_null_counts());
  EXPECT_EQ(written.offset_index()->page_locations().size(), 4u);
  EXPECT_EQ(written.chunk().pages.size(), 5u);
}

TEST(WriteFile, BoundaryOrderIsComputedOrForced) {
  FileSpec file = SixNumbers(PagesOf(6, 2));
  EXPECT_EQ(Write(file).column_index()->boundary_order(), ::parquet::BoundaryOrder::Ascending);
  file.row_groups[0].chunks[0].data = RequiredColumn<int64_t>({6, 5, 4, 3, 2, 1});
  EXPECT_EQ(Write(file).column_index()->boundary_order(), ::parquet::BoundaryOrder::Descending);
  file.row_groups[0].chunks[0].index.boundary_order = kAscending;
  EXPECT_EQ(Write(file).column_index()->boundary_order(), ::parquet::BoundaryOrder::Ascending);
}

TEST(WriteFile, HooksChangeStructuresAndBytes) {
  FileSpec file = SixNumbers(PagesOf(6, 2));
  ChunkSpec& chunk = file.row_groups[0].chunks[0];
  chunk.index.edit_column_index = [](ColumnIndexSpec& index) { std::swap(index.min_values, index.max_values); };
  chunk.index.edit_offset_index = [](OffsetIndexSpec& index) { index.page_locations[1].first_row_index = 77; };
  chunk.edit_metadata = [](ColumnChunkMetadata& metadata) { metadata.num_values = 99; };
  Written written = Write(file);
  EXPECT_EQ(Number(written.column_index()->encoded_min_values()[0]), 2);
  EXPECT_EQ(written.offset_index()->page_locations()[1].first_row_index, 77);
  EXPECT_EQ(written.metadata()->num_values(), 99);

  int64_t whole = written.chunk().offset_index->length;
  chunk.index.edit_offset_index_bytes = [](std::string& bytes) { bytes.resize(bytes.size() / 2); };
  chunk.edit_metadata = [](ColumnChunkMetadata& metadata) { metadata.column_index_offset = int64_t{1} << 40; };
  written = Write(file);
  EXPECT_EQ(written.chunk().offset_index->length, whole / 2);
  EXPECT_EQ(written.metadata()->GetColumnIndexLocation()->offset, int64_t{1} << 40);
  EXPECT_THROW(written.offset_index(), ::parquet::ParquetException);
}

TEST(WriteFile, PageHooksAndChecksums) {
  auto read = [](CrcPolicy crc) {
    Written written = Write(SixNumbers({{.row_count = 6, .crc = crc}}));
    ::parquet::ReaderProperties properties;
    properties.set_page_checksum_verification(true);
    auto reader =
        ::parquet::ParquetFileReader::Open(std::make_shared<arrow::io::BufferReader>(written.bytes), properties);
    return reader->RowGroup(0)->GetColumnPageReader(0)->NextPage();
  };
  EXPECT_NE(read(CrcPolicy::kNone), nullptr);
  EXPECT_NE(read(CrcPolicy::kRight), nullptr);
  EXPECT_THROW(read(CrcPolicy::kWrong), ::parquet::ParquetException);

  PageSpec page{.row_count = 6};
  page.edit_body = [](std::string& body) { body[0] = 42; };
  EXPECT_EQ(ReadNumbers(Write(SixNumbers({page})))[0], 42);
  page.edit_header = [](PageHeader& header) { header.num_values = 5; };
  Written written = Write(SixNumbers({page}));
  EXPECT_EQ(written.reader->RowGroup(0)->GetColumnPageReader(0)->NextPage()->size(), 48);
}

TEST(WriteFile, RowsMaySpanV1PagesOnly) {
  std::vector<Node> schema = {ListOf("c", Leaf("element", Type::INT32))};
  std::vector<Row> rows;
  for (int32_t i = 0; i < 3; ++i) rows.push_back({Value(List{{Value(i), Value(i), Value(i), Value(i)}})});
  auto columns = Shred(schema, rows);
  ASSERT_TRUE(columns.ok());
  FileSpec file = OneColumn(schema[0], (*columns)[0], {{.level_count = 3}, {.level_count = 2}, {.level_count = 7}});
  EXPECT_TRUE(WriteFile(file).status().IsInvalid());
  file.row_groups[0].chunks[0].index.offset_index = file.row_groups[0].chunks[0].index.column_index = false;
  Written written = Write(file);
  EXPECT_EQ(written.chunk().pages[0].row_count, 1);
  EXPECT_EQ(written.chunk().pages[1].row_count, 1);
  EXPECT_EQ(written.chunk().pages[1].first_row, 1);
  EXPECT_EQ(written.chunk().pages[2].row_count, 1);
  file.row_groups[0].chunks[0].pages[1].version = 2;
  EXPECT_TRUE(WriteFile(file).status().IsInvalid());
  file.row_groups[0].chunks[0].pages = {{.row_count = 3, .version = 2}};
  EXPECT_TRUE(WriteFile(file).ok());
}

TEST(WriteFile, RefusesPagesThatDoNotFitTheData) {
  EXPECT_TRUE(WriteFile(SixNumbers(PagesOf(5, 2))).status().IsInvalid());
  EXPECT_TRUE(WriteFile(SixNumbers(PagesOf(7, 2))).status().IsInvalid());
  EXPECT_TRUE(WriteFile(SixNumbers({{.row_count = 6, .encoding = Encoding::DELTA_BYTE_ARRAY}})).status().IsInvalid());
  FileSpec file = SixNumbers(PagesOf(6, 2));
  file.row_groups[0].row_count = 7;
  EXPECT_TRUE(WriteFile(file).status().IsInvalid());
  file.row_groups[0].row_count = 6;
  file.row_groups[0].chunks[0].data.values = std::vector<int32_t>(6, 0);
  EXPECT_TRUE(WriteFile(file).status().IsInvalid());
}

TEST(WriteFile, StatisticsFollowTheirPolicy) {
  FileSpec file =
      OneColumn(StringLeaf("c"), OptionalColumn<std::string>({"banana", "apple", {}, "cherry"}), PagesOf(4, 4));
  ChunkSpec& chunk = file.row_groups[0].chunks[0];
  chunk.statistics.bounds = StatisticsPolicy::Bounds::kTruncated;
  chunk.statistics.truncate_bytes = 2;
  chunk.statistics.null_count.kind = CountPolicy::Kind::kAbsent;
  std::optional<Statistics> seen;
  chunk.edit_metadata = [&seen](ColumnChunkMetadata& metadata) { seen = metadata.statistics; };
  Write(file);
  EXPECT_EQ(seen->min_value, "ap");
  EXPECT_EQ(seen->max_value, "ci");
  EXPECT_EQ(seen->is_max_value_exact, false);
  EXPECT_FALSE(seen->null_count.has_value());
  chunk.statistics = {.bounds = StatisticsPolicy::Bounds::kLegacy, .null_count = {CountPolicy::Kind::kValue, 3}};
  Write(file);
  EXPECT_EQ(seen->min, "apple");
  EXPECT_FALSE(seen->min_value.has_value());
  EXPECT_EQ(seen->null_count, 3);
  chunk.statistics.present = false;
  EXPECT_FALSE(Write(file).metadata()->is_stats_set());
}

TEST(WriteFile, DictionaryPlacements) {
  using Placement = DictionarySpec::Placement;
  for (Placement placement : {Placement::kDeclared, Placement::kUndeclared, Placement::kZero}) {
    FileSpec file = SixNumbers(PagesOf(6, 3, {.encoding = Encoding::RLE_DICTIONARY}));
    DictionarySpec& dictionary = file.row_groups[0].chunks[0].dictionary;
    dictionary.placement = placement;
    dictionary.unused_entries = std::vector<int64_t>{100, 101};
    dictionary.gap_after_bytes = 5000;
    Written written = Write(file);
    EXPECT_EQ(written.metadata()->has_dictionary_page(), placement != Placement::kUndeclared);
    EXPECT_GT(written.chunk().pages[0].range.offset, written.chunk().dictionary->end() + 5000);
    EXPECT_EQ(ReadNumbers(written), (std::vector<int64_t>{1, 2, 3, 4, 5, 6}));
  }
}

TEST(WriteFile, BloomFilterHoldsEveryValue) {
  FileSpec file = SixNumbers(PagesOf(6, 3));
  file.row_groups[0].chunks[0].bloom_filter.bitset_bytes = 64;
  Written written = Write(file);
  auto filter = written.reader->GetBloomFilterReader().RowGroup(0)->GetColumnBloomFilter(0);
  ASSERT_NE(filter, nullptr);
  for (int64_t value = 1; value <= 6; ++value) EXPECT_TRUE(filter->FindHash(filter->Hash(value)));
  int false_positives = 0;
  for (int64_t value = 1000; value < 1100; ++value) false_positives += filter->FindHash(filter->Hash(value)) ? 1 : 0;
  EXPECT_LT(false_positives, 50);
}

TEST(WriteFile, BloomFiltersLieWhereTheyAreToLie) {
  for (BloomPlacement placement :
       {BloomPlacement::kAfterRowGroup, BloomPlacement::kBesideChunk, BloomPlacement::kAfterData,
        BloomPlacement::kColumnMajor, BloomPlacement::kAfterIndexes, BloomPlacement::kBackwards}) {
    FileSpec file = SixNumbers(PagesOf(6, 3));
    file.row_groups[0].chunks[0].bloom_filter.bitset_bytes = 64;
    file.row_groups.push_back(file.row_groups[0]);
    file.bloom_placement = placement;
    Written written = Write(file);
    const auto& first = written.layout.chunks[0][0];
    const auto& second = written.layout.chunks[1][0];
    EXPECT_EQ(first.bloom_filter->length, 16 + 64);
    const bool between = placement == BloomPlacement::kAfterRowGroup || placement == BloomPlacement::kBesideChunk;
    EXPECT_EQ(first.bloom_filter->offset < second.range.offset, between);
    EXPECT_EQ(first.bloom_filter->offset > second.bloom_filter->offset, placement == BloomPlacement::kBackwards);
    EXPECT_EQ(first.bloom_filter->offset > second.offset_index->offset, placement == BloomPlacement::kAfterIndexes);
    EXPECT_EQ(written.metadata()->bloom_filter_offset(), first.bloom_filter->offset);
  }
}

TEST(WriteFile, HundredThousandPagesOfOneRow) {
  constexpr int64_t kRows = 100'000;
  std::vector<int64_t> numbers(kRows);
  for (int64_t i = 0; i < kRows; ++i) numbers[i] = i;
  Written written =
      Write(OneColumn(Leaf("c", Type::INT64, kRequired), RequiredColumn<int64_t>(numbers), PagesOf(kRows, 1)));
  EXPECT_EQ(written.chunk().pages.size(), static_cast<size_t>(kRows));
  EXPECT_EQ(written.offset_index()->page_locations().size(), static_cast<size_t>(kRows));
  EXPECT_EQ(written.column_index()->boundary_order(), ::parquet::BoundaryOrder::Ascending);
  EXPECT_EQ(ReadNumbers(written), numbers);
}

}  // namespace
}  // namespace frazil::filegen
