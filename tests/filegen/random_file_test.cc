// SPDX-License-Identifier: Apache-2.0
//
// Random files against Arrow's own reader: what it reads, in whole, is what the model holds. And against themselves:
// layouts are where the pages are, indexes of pages begin at rows.
#include "tests/filegen/random_file.h"

#include <memory>
#include <set>
#include <string>

#include <arrow/compare.h>
#include <arrow/io/memory.h>
#include <arrow/table.h>
#include <gtest/gtest.h>
#include <parquet/arrow/reader.h>
#include <parquet/file_reader.h>

#include "tests/filegen/model_to_arrow.h"

namespace frazil::filegen {
namespace {

arrow::Result<std::shared_ptr<arrow::Table>> ReadWithArrow(const std::shared_ptr<arrow::Buffer>& bytes) {
  ::parquet::ReaderProperties properties;
  properties.set_page_checksum_verification(true);
  ::parquet::arrow::FileReaderBuilder builder;
  ARROW_RETURN_NOT_OK(builder.Open(std::make_shared<arrow::io::BufferReader>(bytes), properties));
  std::unique_ptr<::parquet::arrow::FileReader> reader;
  ARROW_RETURN_NOT_OK(builder.Build(&reader));
  std::shared_ptr<arrow::Table> table;
  ARROW_ASSIGN_OR_RAISE(table, reader->ReadTable());
  return table->CombineChunks();
}

void ExpectReadsAsModel(const RandomFile& file) {
  auto schema = ArrowSchemaOf(file.spec);
  ASSERT_TRUE(schema.ok()) << schema.status();
  auto expected_batch = ModelToArrow(*schema, file.rows);
  ASSERT_TRUE(expected_batch.ok()) << expected_batch.status();
  auto expected = arrow::Table::FromRecordBatches(*schema, {*expected_batch});
  ASSERT_TRUE(expected.ok()) << expected.status();
  auto actual = ReadWithArrow(file.bytes);
  ASSERT_TRUE(actual.ok()) << actual.status();
  ASSERT_TRUE((*actual)->schema()->Equals(**schema, true)) << (*actual)->schema()->ToString() << "\n"
                                                           << (*schema)->ToString();
  ASSERT_EQ((*actual)->num_rows(), static_cast<int64_t>(file.rows.size()));
  auto equal = arrow::EqualOptions::Defaults().nans_equal(true).signed_zeros_equal(false);
  for (int i = 0; i < (*schema)->num_fields(); ++i) {
    EXPECT_TRUE((*actual)->column(i)->Equals(*(*expected)->column(i), equal))
        << "column " << i << " " << (*schema)->field(i)->ToString();
  }
}

class RandomFiles : public ::testing::TestWithParam<int> {};

TEST_P(RandomFiles, ReadByArrowAsTheModelSays) {
  constexpr uint64_t kSeedsPerCase = 25;
  for (uint64_t i = 0; i < kSeedsPerCase; ++i) {
    uint64_t seed = static_cast<uint64_t>(GetParam()) * kSeedsPerCase + i;
    auto file = MakeRandomFile(seed);
    ASSERT_TRUE(file.ok()) << "seed " << seed << ": " << file.status();
    SCOPED_TRACE(file->Describe());
    ExpectReadsAsModel(*file);
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomFiles, ::testing::Range(0, 16));

TEST(RandomFile, IsAFunctionOfItsSeed) {
  for (uint64_t seed : {1u, 77u, 1234u}) {
    auto first = MakeRandomFile(seed);
    auto second = MakeRandomFile(seed);
    ASSERT_TRUE(first.ok() && second.ok());
    EXPECT_TRUE((*first).bytes->Equals(*(*second).bytes)) << "seed " << seed;
  }
}

// Every feature that the header promises occurs within a few hundred seeds.
TEST(RandomFile, ReachesEveryFeature) {
  std::set<std::string> seen;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    RandomFileOptions options;
    options.hard_empty_pages = seed % 2 == 1;
    auto file = MakeRandomFile(seed, options);
    ASSERT_TRUE(file.ok()) << "seed " << seed << ": " << file.status();
    for (size_t group = 0; group < file->spec.row_groups.size(); ++group) {
      if (file->spec.row_groups[group].row_count == 0) seen.insert("empty row group");
      for (size_t leaf = 0; leaf < file->spec.row_groups[group].chunks.size(); ++leaf) {
        const ChunkSpec& chunk = file->spec.row_groups[group].chunks[leaf];
        const ChunkLayout& layout = file->layout.chunks[group][leaf];
        std::set<int> versions;
        std::set<int> encodings;
        for (size_t i = 0; i < chunk.pages.size(); ++i) {
          versions.insert(chunk.pages[i].version);
          encodings.insert(chunk.pages[i].encoding);
          seen.insert("encoding " + std::to_string(chunk.pages[i].encoding));
          if (chunk.pages[i].level_count && layout.pages[i].row_count == 0) seen.insert("page inside a row");
          if (layout.pages[i].level_count == 0) seen.insert(i == 0 ? "leading empty page" : "empty page");
        }
        seen.insert("codec " + std::to_string(chunk.codec));
        if (versions.size() == 2) seen.insert("mixed versions");
        if (encodings.count(8) == 1 && encodings.size() > 1) seen.insert("fallback");
        if (layout.dictionary && chunk.dictionary.placement != DictionarySpec::Placement::kDeclared) {
          seen.insert("undeclared dictionary");
        }
        if (layout.offset_index && layout.column_index) seen.insert("both indexes");
        if (layout.offset_index && !layout.column_index) seen.insert("offset index alone");
        if (!layout.offset_index && !chunk.pages.empty()) seen.insert("no index");
        if (layout.bloom_filter) seen.insert("bloom filter");
      }
    }
  }
  for (const char* feature :
       {"empty row group", "page inside a row", "empty page", "leading empty page", "mixed versions", "fallback",
        "undeclared dictionary", "both indexes", "offset index alone", "no index", "bloom filter", "encoding 0",
        "encoding 2", "encoding 3", "encoding 5", "encoding 6", "encoding 7", "encoding 8", "encoding 9"}) {
    EXPECT_EQ(seen.count(feature), 1u) << feature;
  }
}

TEST(RandomFile, OptionsAreKept) {
  RandomFileOptions options;
  options.nested = options.page_indexes = options.row_number_column = options.bloom_filters = false;
  options.empty_row_groups = false;
  options.column_count_max = 2;
  options.row_count_max = 10;
  options.codecs = {::arrow::Compression::ZSTD};
  for (uint64_t seed = 0; seed < 50; ++seed) {
    auto file = MakeRandomFile(seed, options);
    ASSERT_TRUE(file.ok()) << file.status();
    ASSERT_LE(file->spec.schema.size(), 2u);
    for (const RowGroupSpec& group : file->spec.row_groups) {
      EXPECT_TRUE(group.row_count >= 1 && group.row_count <= 10);
      for (const ChunkSpec& chunk : group.chunks) {
        EXPECT_EQ(chunk.codec, ::arrow::Compression::ZSTD);
        EXPECT_FALSE(chunk.index.offset_index || chunk.index.column_index);
        EXPECT_EQ(chunk.bloom_filter.bitset_bytes, 0);
      }
    }
  }
}

}  // namespace
}  // namespace frazil::filegen
