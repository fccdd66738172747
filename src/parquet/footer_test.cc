// SPDX-License-Identifier: Apache-2.0

#include "src/parquet/footer.h"

#include <random>
#include <thread>

#include <arrow/api.h>
#include <arrow/io/memory.h>
#include <gtest/gtest.h>
#include <parquet/arrow/writer.h>

#include "src/parquet/footer_for_test.h"

namespace frazil::parquet {
namespace {

// Two optional leaves: a INT32, b INT64.
FooterForTest TwoColumns() {
  FooterForTest footer;
  footer.schema = {LeafElement("a", 1), LeafElement("b", 2)};
  footer.root_children = 2;
  return footer;
}

ChunkForTest A() { return {.path = {"a"}, .type = 1}; }
ChunkForTest B() { return {.path = {"b"}, .type = 2, .data_page_offset = 200}; }

FooterForTest OneRowGroup() {
  FooterForTest footer = TwoColumns();
  footer.row_groups = {FooterForTest::RowGroup({A().Thrift(), B().Thrift()}, 10)};
  return footer;
}

std::shared_ptr<const Footer> Sound(const FooterForTest& footer) {
  auto parsed = footer.Parse();
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return parsed.ok() ? *parsed : nullptr;
}

void ExpectError(const arrow::Status& status, ErrorKind kind, const std::string& text) {
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(KindOf(status), kind) << status;
  EXPECT_NE(status.message().find(text), std::string::npos) << status;
}

TEST(Footer, RefusesARepetitionThatIsNotKnown) {
  for (const int repetition : {3, 77, -1}) {
    FooterForTest footer = OneRowGroup();
    footer.schema[1] = LeafElement("b", 2, repetition);
    ExpectError(footer.Parse().status(), ErrorKind::kUnsupported, "the repetition of b is not known");
    footer.schema = {GroupElement("g", 1), LeafElement("b", 2, repetition)};
    footer.root_children = 1;
    footer.row_groups = {FooterForTest::RowGroup({B().Thrift()}, 10)};
    ExpectError(footer.Parse().status(), ErrorKind::kUnsupported, "the repetition of b is not known");
  }
}

TEST(Footer, ReadsWhatArrowWrote) {
  const auto schema = arrow::schema({arrow::field("id", arrow::int64(), false), arrow::field("s", arrow::large_utf8()),
                                     arrow::field("d", arrow::duration(arrow::TimeUnit::MILLI))},
                                    arrow::key_value_metadata({"who"}, {"me"}));
  arrow::Int64Builder ids;
  arrow::LargeStringBuilder texts;
  arrow::DurationBuilder durations(schema->field(2)->type(), arrow::default_memory_pool());
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(ids.Append(i).ok());
    ASSERT_TRUE((i % 3 == 0 ? texts.AppendNull() : texts.Append("text" + std::to_string(i))).ok());
    ASSERT_TRUE(durations.Append(i).ok());
  }
  const auto table = arrow::Table::Make(schema, {*ids.Finish(), *texts.Finish(), *durations.Finish()});
  const auto sink = *arrow::io::BufferOutputStream::Create();
  const auto properties = ::parquet::WriterProperties::Builder().enable_write_page_index()->build();
  const auto arrow_properties = ::parquet::ArrowWriterProperties::Builder().store_schema()->build();
  ASSERT_TRUE(
      ::parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), sink, 40, properties, arrow_properties).ok());
  const auto file = *sink->Finish();

  int64_t needed = 0;
  const auto parsed = Footer::Parse(file, file->size(), {}, &needed);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  const Footer& footer = **parsed;
  EXPECT_TRUE(footer.arrow_schema()->Equals(*schema, true)) << footer.arrow_schema()->ToString(true);
  EXPECT_EQ(footer.row_count(), 100);
  ASSERT_EQ(footer.row_group_count(), 3);
  EXPECT_EQ(footer.row_group_row_count(2), 20);
  EXPECT_EQ(footer.row_group_first_row(2), 80);
  EXPECT_EQ(footer.leaf_count(), 3);
  EXPECT_EQ(footer.column_order(0), ColumnOrder::kTypeDefined);
  EXPECT_EQ(footer.key_values().at(0), (std::pair<std::string, std::string>("who", "me")));
  EXPECT_EQ(footer.leaf_path(1), "s");
  for (int row_group = 0; row_group < 3; ++row_group) {
    const auto chunk = footer.Chunk(row_group, 1);
    ASSERT_TRUE(chunk.ok()) << chunk.status();
    EXPECT_EQ(chunk->leaf, 1);
    EXPECT_EQ(chunk->num_values, footer.row_group_row_count(row_group));
    EXPECT_TRUE(chunk->statistics->min_value.has_value());
    EXPECT_EQ(chunk->statistics->null_count, row_group == 2 ? 7 : row_group == 1 ? 13 : 14);
    EXPECT_TRUE(chunk->dictionary_page_offset.has_value());
    EXPECT_TRUE(chunk->column_index.has_value());
    EXPECT_TRUE(chunk->offset_index.has_value());
    EXPECT_FALSE(chunk->bloom_filter_offset.has_value());
    EXPECT_FALSE(chunk->encrypted);
    EXPECT_FALSE(chunk->encoding_stats.empty());
    EXPECT_TRUE(ChunkRange(*chunk, footer.file_size()).ok());
    EXPECT_LE(ChunkRange(*chunk, footer.file_size())->end(), footer.footer_offset());
  }
}

TEST(Footer, AsksForMoreTailWhenTheFooterIsLonger) {
  const std::string file = OneRowGroup().File();
  const auto tail = [&](int64_t bytes) { return arrow::Buffer::FromString(file.substr(file.size() - bytes)); };
  int64_t needed = 0;
  const auto short_tail = Footer::Parse(tail(8), file.size(), {}, &needed);
  ASSERT_TRUE(short_tail.ok()) << short_tail.status();
  EXPECT_EQ(*short_tail, nullptr);
  EXPECT_EQ(needed, static_cast<int64_t>(OneRowGroup().Thrift().size()) + 8);
  const auto whole = Footer::Parse(tail(needed), file.size(), {}, &needed);
  ASSERT_TRUE(whole.ok()) << whole.status();
  ASSERT_NE(*whole, nullptr);
  EXPECT_EQ((*whole)->footer_offset(), 1004);
}

TEST(Footer, RefusesFilesThatAreNotParquet) {
  ExpectError(FooterForTest::Parse("PAR1").status(), ErrorKind::kCorrupt, "not a Parquet file");
  ExpectError(FooterForTest::Parse("PAR1 text text text").status(), ErrorKind::kCorrupt, "does not end in PAR1");
  ExpectError(FooterForTest::Parse(FooterForTest::Frame("")).status(), ErrorKind::kCorrupt, "the footer is empty");
  ExpectError(FooterForTest::Parse(std::string("PAR1\xff\xff\xff\xffPAR1")).status(), ErrorKind::kCorrupt,
              "does not fit into the file");
  ExpectError(FooterForTest::Parse(FooterForTest::Frame("xxxx", "PARE")).status(), ErrorKind::kUnsupported,
              "the footer is encrypted");
  const std::string file = OneRowGroup().File();
  int64_t needed = 0;
  ExpectError(Footer::Parse(arrow::Buffer::FromString(file), file.size(), {.footer_bytes_max = 16}, &needed).status(),
              ErrorKind::kBudget, "more than the 16 allowed");
}

TEST(Footer, RefusesAFooterCutAnywhere) {
  const std::string thrift = OneRowGroup().Thrift();
  for (size_t size = 1; size < thrift.size(); ++size) {
    const auto parsed = FooterForTest::Parse(FooterForTest::Frame(thrift.substr(0, size)));
    ASSERT_FALSE(parsed.ok()) << size;
    EXPECT_EQ(KindOf(parsed.status()), ErrorKind::kCorrupt) << parsed.status();
  }
}

TEST(Footer, BelievesRowGroupsNotTheFileTotal) {
  FooterForTest footer = TwoColumns();
  footer.row_groups = {FooterForTest::RowGroup({A().Thrift(), B().Thrift()}, 10),
                       FooterForTest::RowGroup({A().Thrift(), B().Thrift()}, 0),
                       FooterForTest::RowGroup({A().Thrift(), B().Thrift()}, 5)};
  const auto parsed = Sound(footer);
  EXPECT_EQ(parsed->row_count(), 15);
  EXPECT_EQ(parsed->row_group_first_row(2), 10);
  footer.row_groups.clear();
  EXPECT_EQ(Sound(footer)->row_count(), 0);
}

TEST(Footer, RefusesRowGroupsThatMakeNoSense) {
  FooterForTest footer = TwoColumns();
  const ThriftStruct sound = FooterForTest::RowGroup({A().Thrift(), B().Thrift()}, 10);
  footer.row_groups = {sound, FooterForTest::RowGroup({A().Thrift()}, 10)};
  ExpectError(footer.Parse().status(), ErrorKind::kCorrupt, "row group 1: 1 column chunks for the 2 columns");
  footer.row_groups = {sound, FooterForTest::RowGroup({A().Thrift(), B().Thrift()}, -1)};
  ExpectError(footer.Parse().status(), ErrorKind::kCorrupt, "row group 1: negative num_rows -1");
  footer.row_groups = {sound, FooterForTest::RowGroup({A().Thrift(), B().Thrift()}, INT64_MAX)};
  ExpectError(footer.Parse().status(), ErrorKind::kCorrupt, "row group 1: the rows up to here");
  footer.row_groups = {ThriftStruct().Structs(1, {A().Thrift(), B().Thrift()})};
  ExpectError(footer.Parse().status(), ErrorKind::kCorrupt, "row group 0: its metadata lacks num_rows");
  footer.row_groups = {ThriftStruct().I64(3, 1)};
  ExpectError(footer.Parse().status(), ErrorKind::kCorrupt, "row group 0: its metadata lacks columns");
}

TEST(Footer, RefusesSchemasThatArrowRefuses) {
  FooterForTest footer = TwoColumns();
  footer.root_children = 3;
  ExpectError(footer.Parse().status(), ErrorKind::kCorrupt, "the schema: ");
  footer.schema = {LeafElement("a", 77)};
  footer.root_children = 1;
  ExpectError(footer.Parse().status(), ErrorKind::kUnsupported, "the schema: ");
}

// Hive annotates groups as UNKNOWN, the type of columns that are always null; Arrow refuses any such annotation.
TEST(Footer, ReadsGroupsThatAreSaidToBeNull) {
  const ThriftStruct unknown = ThriftStruct().Struct(11, ThriftStruct());
  const auto with = [](const ThriftStruct& annotation) {
    FooterForTest footer;
    footer.schema = {GroupElement("s", 2).I32(9, 1).Struct(10, annotation), LeafElement("x", 1).I32(9, 2),
                     GroupElement("t", 1).Struct(10, annotation), LeafElement("y", 1).Struct(10, annotation)};
    footer.row_groups = {FooterForTest::RowGroup({A().Thrift(), B().Thrift()}, 10)};
    return footer;
  };
  const auto parsed = with(unknown).Parse();
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  const auto& root = *(*parsed)->schema().group_node();
  EXPECT_EQ(root.field(0)->field_id(), 1);
  EXPECT_EQ((*parsed)->leaf_path(1), "s.t.y");
  EXPECT_TRUE((*parsed)->schema().Column(1)->logical_type()->is_null());  // of a leaf it says something
  ExpectError(with(ThriftStruct().Struct(1, ThriftStruct())).Parse().status(), ErrorKind::kCorrupt, "the schema: ");
}

TEST(Footer, ColumnOrders) {
  FooterForTest footer = OneRowGroup();
  EXPECT_EQ(Sound(footer)->column_order(0), ColumnOrder::kUndefined);
  footer.column_orders = {{FooterForTest::Order(1), FooterForTest::Order(2)}};
  EXPECT_EQ(Sound(footer)->column_order(0), ColumnOrder::kTypeDefined);
  EXPECT_EQ(Sound(footer)->column_order(1), ColumnOrder::kIeee754Total);
  footer.column_orders = {{FooterForTest::Order(3), ThriftStruct()}};  // a later member; none
  EXPECT_EQ(Sound(footer)->column_order(0), ColumnOrder::kUnknown);
  EXPECT_EQ(Sound(footer)->column_order(1), ColumnOrder::kUnknown);
  footer.column_orders = {{FooterForTest::Order(1)}};  // too few
  EXPECT_EQ(Sound(footer)->column_order(0), ColumnOrder::kUnknown);
}

TEST(Footer, ChunksInAnotherOrderAreFoundByPath) {
  FooterForTest footer = TwoColumns();
  footer.row_groups = {FooterForTest::RowGroup({A().Thrift(), B().Thrift()}, 10),
                       FooterForTest::RowGroup({B().Thrift(), A().Thrift()}, 10)};
  const auto parsed = Sound(footer);
  for (int row_group = 0; row_group < 2; ++row_group) {
    EXPECT_EQ(parsed->Chunk(row_group, 0)->data_page_offset, 4);
    EXPECT_EQ(parsed->Chunk(row_group, 1)->data_page_offset, 200);
    EXPECT_EQ(parsed->Chunk(row_group, 1)->leaf, 1);
  }
}

TEST(Footer, RefusesChunksWhosePathsDoNotFitTheSchema) {
  FooterForTest footer = TwoColumns();
  footer.row_groups = {FooterForTest::RowGroup({A().Thrift(), A().Thrift()}, 10)};
  auto parsed = Sound(footer);
  EXPECT_TRUE(parsed->Chunk(0, 0).ok());
  ExpectError(parsed->Chunk(0, 1).status(), ErrorKind::kCorrupt, "row group 0: column b: the row group has no chunk");
  // Where the position already fits, a second chunk of that path does no harm; searched for, it does.
  footer.schema.push_back(LeafElement("c", 1));
  footer.root_children = 3;
  ChunkForTest c = A();
  c.path = {"c"};
  footer.row_groups = {FooterForTest::RowGroup({c.Thrift(), B().Thrift(), c.Thrift()}, 10)};
  parsed = Sound(footer);
  EXPECT_TRUE(parsed->Chunk(0, 2).ok());
  footer.row_groups = {FooterForTest::RowGroup({c.Thrift(), c.Thrift(), B().Thrift()}, 10)};
  ExpectError(Sound(footer)->Chunk(0, 2).status(), ErrorKind::kCorrupt, "several chunks have the path");
}

TEST(Footer, ChunkWithoutPathIsTakenByPosition) {
  FooterForTest footer = TwoColumns();
  ChunkForTest a = A(), b = B();
  a.path = b.path = {};
  footer.row_groups = {FooterForTest::RowGroup({a.Thrift(), b.Thrift()}, 10)};
  EXPECT_EQ(Sound(footer)->Chunk(0, 1)->data_page_offset, 200);
}

TEST(Footer, RefusesChunksThatMakeNoSense) {
  FooterForTest footer = TwoColumns();
  ChunkForTest wrong = B();
  const auto error = [&](const ThriftStruct& thrift) {
    footer.row_groups = {FooterForTest::RowGroup({A().Thrift(), thrift}, 10)};
    return Sound(footer)->Chunk(0, 1).status();
  };
  wrong.type = 5;
  ExpectError(error(wrong.Thrift()), ErrorKind::kCorrupt, "physical type 5 is not the schema's 2");
  wrong.type = 2;
  wrong.num_values = -3;
  ExpectError(error(wrong.Thrift()), ErrorKind::kCorrupt, "column b: negative num_values -3");
  ExpectError(error(ThriftStruct().I64(2, 0)), ErrorKind::kCorrupt, "column b: column chunk has no metadata");
  ExpectError(error(ThriftStruct().Struct(3, ThriftStruct().I32(1, 2))), ErrorKind::kCorrupt,
              "column metadata lacks codec");
}

TEST(Footer, EncryptedAndForeignChunks) {
  FooterForTest footer = TwoColumns();
  footer.row_groups = {FooterForTest::RowGroup(
      {ThriftStruct().I64(2, 0).Struct(8, ThriftStruct().Struct(2, ThriftStruct().Binaries(1, {"a"}))).Binary(9, "xyz"),
       ThriftStruct().Binary(1, "other.parquet").I64(2, 0).Struct(3, B().MetaData())},
      10)};
  const auto parsed = Sound(footer);
  const auto encrypted = parsed->Chunk(0, 0);
  ASSERT_TRUE(encrypted.ok()) << encrypted.status();
  EXPECT_TRUE(encrypted->encrypted);
  EXPECT_EQ(encrypted->physical_type, 1);
  EXPECT_TRUE(parsed->Chunk(0, 1)->other_file);
}

TEST(Footer, OldParquetMrSizesArePadded) {
  FooterForTest footer = OneRowGroup();
  footer.created_by = "parquet-mr version 1.2.5 (build abc)";
  EXPECT_EQ(Sound(footer)->Chunk(0, 0)->total_compressed_size, 200);
  EXPECT_EQ(Sound(footer)->created_by(), *footer.created_by);
  ChunkForTest last = B();
  last.data_page_offset = 874;  // the data end at 1004
  footer.row_groups = {FooterForTest::RowGroup({A().Thrift(), last.Thrift()}, 10)};
  EXPECT_EQ(Sound(footer)->Chunk(0, 1)->total_compressed_size, 130);
  footer.created_by = "parquet-mr version 1.8.0 (build abc)";
  EXPECT_EQ(Sound(footer)->Chunk(0, 0)->total_compressed_size, 100);
}

TEST(ChunkRange, BeginsAtTheDictionaryWhenThatIsBelieved) {
  FooterForTest footer = TwoColumns();
  const auto chunk_of = [&](std::optional<int64_t> dictionary_page_offset, int64_t data_page_offset) {
    ChunkForTest a = A();
    a.dictionary_page_offset = dictionary_page_offset;
    a.data_page_offset = data_page_offset;
    footer.row_groups = {FooterForTest::RowGroup({a.Thrift(), B().Thrift()}, 10)};
    return *Sound(footer)->Chunk(0, 0);
  };
  EXPECT_EQ(*ChunkRange(chunk_of(std::nullopt, 50), 2000), (ByteRange{50, 100}));
  EXPECT_EQ(*ChunkRange(chunk_of(20, 50), 2000), (ByteRange{20, 100}));
  EXPECT_EQ(*ChunkRange(chunk_of(0, 50), 2000), (ByteRange{50, 100}));
  EXPECT_EQ(*ChunkRange(chunk_of(-1, 50), 2000), (ByteRange{50, 100}));
  EXPECT_EQ(*ChunkRange(chunk_of(60, 50), 2000), (ByteRange{50, 100}));
  EXPECT_FALSE(chunk_of(60, 50).dictionary_page_offset.has_value());
}

TEST(ChunkRange, RefusesRangesOutsideTheFile) {
  ColumnChunk chunk;
  chunk.num_values = 1;
  chunk.data_page_offset = 4;
  chunk.total_compressed_size = 88;
  EXPECT_TRUE(ChunkRange(chunk, 100).ok());
  EXPECT_FALSE(ChunkRange(chunk, 99).ok());
  for (const auto& [offset, size] :
       std::vector<std::pair<int64_t, int64_t>>{{3, 10}, {4, 0}, {4, -1}, {-5, 10}, {INT64_MAX, 10}, {4, INT64_MAX}}) {
    chunk.data_page_offset = offset;
    chunk.total_compressed_size = size;
    ExpectError(ChunkRange(chunk, 100).status(), ErrorKind::kCorrupt, "does not lie inside the file");
  }
  // Chunks of row groups without rows may say anything.
  chunk.num_values = 0;
  chunk.data_page_offset = 0;
  chunk.total_compressed_size = 14;
  EXPECT_EQ(*ChunkRange(chunk, 10), (ByteRange{0, 0}));
}

TEST(Footer, QuotesOddNamesInPaths) {
  FooterForTest footer;
  footer.schema = {GroupElement("odd name", 1), LeafElement("x.y", 1)};
  footer.row_groups = {};
  EXPECT_EQ(Sound(footer)->leaf_path(0), "\"odd name\".\"x.y\"");
}

TEST(Footer, ChunkIsThreadSafe) {
  FooterForTest footer = TwoColumns();
  for (int i = 0; i < 50; ++i) {
    footer.row_groups.push_back(i % 2 == 0 ? FooterForTest::RowGroup({A().Thrift(), B().Thrift()}, 10)
                                           : FooterForTest::RowGroup({B().Thrift(), A().Thrift()}, 10));
  }
  const auto parsed = Sound(footer);
  std::vector<std::thread> threads;
  std::vector<int> found(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int row_group = 0; row_group < 50; ++row_group) {
        found[t] += parsed->Chunk(row_group, 0)->data_page_offset == 4;
        found[t] += parsed->Chunk(row_group, 1)->data_page_offset == 200;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(found, std::vector<int>(4, 100));
}

TEST(Footer, FlippedBytesNeverCrash) {
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  FooterForTest footer = OneRowGroup();
  footer.column_orders = {{FooterForTest::Order(1), FooterForTest::Order(1)}};
  footer.key_values = {{"k", "v"}};
  const std::string thrift = footer.Thrift();
  for (int round = 0; round < 3000; ++round) {
    std::string flipped = thrift;
    for (int flips = 0; flips < 2; ++flips) flipped[random() % flipped.size()] = static_cast<char>(random());
    const auto parsed = FooterForTest::Parse(FooterForTest::Frame(flipped));
    if (!parsed.ok()) continue;
    for (int row_group = 0; row_group < (*parsed)->row_group_count(); ++row_group) {
      for (int leaf = 0; leaf < (*parsed)->leaf_count(); ++leaf) {
        const auto chunk = (*parsed)->Chunk(row_group, leaf);
        if (!chunk.ok()) continue;
        const auto range = ChunkRange(*chunk, (*parsed)->file_size());
        if (range.ok()) {
          ASSERT_GE(range->offset, 0);
          ASSERT_LE(range->end(), (*parsed)->file_size());
        }
      }
    }
  }
}

}  // namespace
}  // namespace frazil::parquet
