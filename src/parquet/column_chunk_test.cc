// SPDX-License-Identifier: Apache-2.0

#include "src/parquet/column_chunk.h"

#include <gtest/gtest.h>

#include "src/parquet/footer_for_test.h"
#include "src/parquet/thrift.h"

namespace frazil::parquet {
namespace {

DecodedChunk Decode(const ThriftStruct& thrift) {
  // Paths are views into the bytes.
  static std::string bytes;
  bytes = thrift.bytes();
  auto decoded = DecodeColumnChunk(bytes);
  EXPECT_TRUE(decoded.ok()) << decoded.status();
  return std::move(decoded).ValueOr(DecodedChunk{});
}

ThriftStruct WithMetaData(const ThriftStruct& meta) { return ThriftStruct().I64(2, 0).Struct(3, meta); }

TEST(DecodeColumnChunk, ReadsEveryField) {
  ThriftStruct meta = ChunkForTest{.path = {"a", "b.c"}, .type = 2, .codec = 6, .data_page_offset = 40}.MetaData();
  meta.I64(11, 20)
      .Struct(12, ThriftStruct()
                      .Binary(1, "max")
                      .Binary(2, "min")
                      .I64(3, 1)
                      .I64(4, 2)
                      .Binary(5, "max_value")
                      .Binary(6, "")
                      .Bool(7, true)
                      .Bool(8, false)
                      .I64(9, 3))
      .Structs(13, {ThriftStruct().I32(1, 2).I32(2, 0).I32(3, 1), ThriftStruct().I32(1, 0).I32(2, 8).I32(3, 5)})
      .I64(14, 700)
      .I32(15, 64)
      .Struct(16, ThriftStruct().I64(1, 99).I64s(2, {1, 2}).I64s(3, {3, 4, 5}));
  const DecodedChunk decoded = Decode(WithMetaData(meta).I64(4, 800).I32(5, 10).I64(6, 900).I32(7, 20));
  const ColumnChunk& chunk = decoded.chunk;
  EXPECT_TRUE(decoded.has_meta_data);
  EXPECT_EQ(decoded.path, (std::vector<std::string_view>{"a", "b.c"}));
  EXPECT_EQ(chunk.physical_type, 2);
  EXPECT_EQ(chunk.encodings, (std::vector<int>{0, 3}));
  EXPECT_EQ(chunk.codec, arrow::Compression::ZSTD);
  EXPECT_EQ(chunk.num_values, 10);
  EXPECT_EQ(chunk.dictionary_page_offset, 20);
  EXPECT_EQ(chunk.statistics->max, "max");
  EXPECT_EQ(chunk.statistics->min, "min");
  EXPECT_EQ(chunk.statistics->null_count, 1);
  EXPECT_EQ(chunk.statistics->distinct_count, 2);
  EXPECT_EQ(chunk.statistics->max_value, "max_value");
  EXPECT_EQ(chunk.statistics->min_value, "");  // stored, and empty
  EXPECT_EQ(chunk.statistics->is_max_value_exact, true);
  EXPECT_EQ(chunk.statistics->is_min_value_exact, false);
  EXPECT_EQ(chunk.statistics->nan_count, 3);
  ASSERT_EQ(chunk.encoding_stats.size(), 2u);
  EXPECT_EQ(chunk.encoding_stats[1].encoding, 8);
  EXPECT_EQ(chunk.encoding_stats[1].count, 5);
  EXPECT_EQ(chunk.bloom_filter_offset, 700);
  EXPECT_EQ(chunk.bloom_filter_length, 64);
  EXPECT_EQ(chunk.size_statistics->unencoded_byte_array_data_bytes, 99);
  EXPECT_EQ(chunk.size_statistics->repetition_level_histogram, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(chunk.size_statistics->definition_level_histogram, (std::vector<int64_t>{3, 4, 5}));
  EXPECT_EQ(chunk.offset_index, (ByteRange{800, 10}));
  EXPECT_EQ(chunk.column_index, (ByteRange{900, 20}));
}

TEST(DecodeColumnChunk, OptionalFieldsThatMakeNoSenseAreAbsent) {
  ThriftStruct zeros = ChunkForTest{}.MetaData();
  zeros.I64(14, 0).I32(15, 64);  // no bloom filter at offset 0, though there is a length
  ColumnChunk chunk = Decode(WithMetaData(zeros).I64(4, 0).I32(5, 10).I64(6, 50).I32(7, 0)).chunk;
  EXPECT_FALSE(chunk.bloom_filter_offset.has_value());
  EXPECT_FALSE(chunk.bloom_filter_length.has_value());
  EXPECT_FALSE(chunk.offset_index.has_value());
  EXPECT_FALSE(chunk.column_index.has_value());

  ThriftStruct odd = ChunkForTest{}.MetaData();
  odd.I64(12, 5).I32s(13, {1}).I64(14, -7).I64(16, 1);  // wrong types, a negative offset
  chunk = Decode(WithMetaData(odd).I64(4, INT64_MAX).I32(5, 10).I64(6, 300)).chunk;
  EXPECT_FALSE(chunk.statistics.has_value());
  EXPECT_TRUE(chunk.encoding_stats.empty());
  EXPECT_FALSE(chunk.bloom_filter_offset.has_value());
  EXPECT_FALSE(chunk.size_statistics.has_value());
  EXPECT_FALSE(chunk.offset_index.has_value());  // its end is beyond 64 bits
  EXPECT_FALSE(chunk.column_index.has_value());  // no length

  ThriftStruct mixed = ChunkForTest{}.MetaData();
  mixed.Struct(12, ThriftStruct().I64(1, 5).Binary(3, "x").Binary(5, "kept"));
  mixed.Structs(13, {ThriftStruct().I32(1, 0).I32(2, 8).I32(3, 5), ThriftStruct().I32(1, 0)});
  chunk = Decode(WithMetaData(mixed)).chunk;
  EXPECT_FALSE(chunk.statistics->max.has_value());
  EXPECT_FALSE(chunk.statistics->null_count.has_value());
  EXPECT_EQ(chunk.statistics->max_value, "kept");
  EXPECT_TRUE(chunk.encoding_stats.empty());  // half a list proves nothing
}

TEST(DecodeColumnChunk, Codecs) {
  const std::vector<std::pair<int, arrow::Compression::type>> codecs{
      {0, arrow::Compression::UNCOMPRESSED}, {1, arrow::Compression::SNAPPY},     {2, arrow::Compression::GZIP},
      {4, arrow::Compression::BROTLI},       {5, arrow::Compression::LZ4_HADOOP}, {6, arrow::Compression::ZSTD},
      {7, arrow::Compression::LZ4}};
  for (const auto& [number, type] : codecs) {
    const ColumnChunk chunk = Decode(ChunkForTest{.codec = number}.Thrift()).chunk;
    EXPECT_EQ(chunk.codec, type);
    EXPECT_EQ(chunk.codec_number, number);
  }
  EXPECT_TRUE(Decode(ChunkForTest{.codec = 0}.Thrift()).chunk.codec_supported);
  for (const int number : {3, 8, -1, 99}) {
    EXPECT_FALSE(Decode(ChunkForTest{.codec = number}.Thrift()).chunk.codec_supported) << number;
  }
}

TEST(DecodeColumnChunk, RefusesWhatIsCutOrLacksRequiredFields) {
  const std::string whole = ChunkForTest{.path = {"a"}}.Thrift().bytes();
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);
    EXPECT_FALSE(DecodeColumnChunk(cut).ok()) << size;
  }
  const std::string no_offset = WithMetaData(ThriftStruct().I32(1, 1).I32(4, 0).I64(5, 1).I64(6, 1).I64(7, 1)).bytes();
  const arrow::Status status = DecodeColumnChunk(no_offset).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt);
  EXPECT_EQ(status.message(), "column metadata lacks data_page_offset");
}

TEST(DecodeChunkPath, ReadsThePathAlone) {
  const std::string bytes = ChunkForTest{.path = {"a", "list", "element"}}.Thrift().bytes();
  EXPECT_EQ(DecodeChunkPath(bytes), (std::vector<std::string_view>{"a", "list", "element"}));
  EXPECT_TRUE(DecodeChunkPath(ThriftStruct().I64(2, 0).bytes()).empty());
}

}  // namespace
}  // namespace frazil::parquet
