// SPDX-License-Identifier: Apache-2.0
//
// The footer (FileMetaData): the schema by Arrow's own reader, the row groups by ours. Row groups and column
// chunks are found by skipping through the Thrift bytes once; a column chunk is decoded only when asked for,
// so that planning over 10,000 row groups or 1,000 columns costs what it uses.
// Source: parquet.thrift FileMetaData, RowGroup, ColumnChunk, ColumnMetaData, Statistics, SizeStatistics.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/result.h>
#include <arrow/type.h>
#include <arrow/util/compression.h>
#include <parquet/arrow/schema.h>
#include <parquet/schema.h>

#include "frazil/error.h"
#include "src/parquet/schema.h"

namespace frazil::parquet {

class CompactReader;

// How the bounds of a leaf column are ordered (ColumnOrder). kUnknown bounds are unusable.
enum class ColumnOrder { kUndefined, kTypeDefined, kIeee754Total, kUnknown };

// Statistics as stored: views into the footer, undecoded. Unset: absent.
struct RawStatistics {
  std::optional<std::string_view> min;  // legacy
  std::optional<std::string_view> max;  // legacy
  std::optional<std::string_view> min_value;
  std::optional<std::string_view> max_value;
  std::optional<int64_t> null_count;
  std::optional<int64_t> distinct_count;
  std::optional<int64_t> nan_count;
  std::optional<bool> is_min_value_exact;
  std::optional<bool> is_max_value_exact;
};

// SizeStatistics. Empty vectors: absent.
struct RawSizeStatistics {
  std::optional<int64_t> unencoded_byte_array_data_bytes;
  std::vector<int64_t> repetition_level_histogram;
  std::vector<int64_t> definition_level_histogram;
};

struct PageEncodingStats {
  int page_type = 0;  // 0 data V1, 2 dictionary, 3 data V2
  int encoding = 0;   // parquet.thrift Encoding
  int count = 0;
};

// One decoded column chunk. Offsets and sizes are as stored: check before use (ChunkRange does).
struct ColumnChunk {
  int leaf = 0;  // leaf ordinal in the schema, found by position and verified by path
  int physical_type = 0;
  arrow::Compression::type codec = arrow::Compression::UNCOMPRESSED;
  bool codec_supported = true;
  int codec_number = 0;
  std::vector<int> encodings;
  int64_t num_values = 0;
  int64_t total_uncompressed_size = 0;
  int64_t total_compressed_size = 0;  // with the allowance for old writers that Footer::Chunk makes
  int64_t data_page_offset = 0;
  // Unset unless positive and below data_page_offset: anything else is a known fault of writers.
  std::optional<int64_t> dictionary_page_offset;
  std::optional<RawStatistics> statistics;
  std::vector<PageEncodingStats> encoding_stats;
  std::optional<RawSizeStatistics> size_statistics;
  std::optional<ByteRange> column_index;  // as stored, positive offset and length only
  std::optional<ByteRange> offset_index;
  std::optional<int64_t> bloom_filter_offset;  // positive only
  std::optional<int32_t> bloom_filter_length;
  bool encrypted = false;   // when true, everything but `leaf` and `physical_type` may be missing
  bool other_file = false;  // file_path is set: the data lie elsewhere
};

// Where the pages of a chunk lie: from the first page (the dictionary's, when there is one) for
// total_compressed_size bytes. Error (corrupt) when it does not lie inside the file, between the magic in front and the
// footer's frame; a chunk without values then counts as an empty range.
arrow::Result<ByteRange> ChunkRange(const ColumnChunk& chunk, int64_t file_size);

struct FooterOptions {
  // Footers larger than this are refused (kind budget).
  int64_t footer_bytes_max = int64_t{1} << 30;
};

class Footer {
 public:
  // `tail` holds the last bytes of the file (at least 8). When the footer does not lie inside it, returns the
  // number of bytes of tail that are needed in `*tail_bytes_needed` and a null pointer.
  static arrow::Result<std::shared_ptr<const Footer>> Parse(const std::shared_ptr<arrow::Buffer>& tail,
                                                            int64_t file_size, const FooterOptions& options,
                                                            int64_t* tail_bytes_needed);

  ~Footer();

  const ::parquet::SchemaDescriptor& schema() const;
  const ::parquet::arrow::SchemaManifest& manifest() const;
  // The schema that pyarrow gives: ARROW:schema honoured, file metadata attached.
  const std::shared_ptr<arrow::Schema>& arrow_schema() const;
  const FilterSchema& filter_schema() const;

  int leaf_count() const;
  int row_group_count() const { return static_cast<int>(row_groups_.size()); }
  // The rows that the row groups add up to (FileMetaData.num_rows is not believed).
  int64_t row_count() const { return row_count_; }
  int64_t row_group_row_count(int row_group) const { return row_groups_[row_group].num_rows; }
  // File row ordinal of the row group's first row.
  int64_t row_group_first_row(int row_group) const { return row_groups_[row_group].first_row; }

  // Decodes one column chunk. Error: corrupt, with row group and column. Cost: the Thrift of that chunk alone. Chunks
  // that are not in the order of the schema are found by their path, in one pass over their row group.
  // total_compressed_size of old parquet-mr files lacks the dictionary page's header (PARQUET-816): up to 100 bytes
  // are added there.
  // Thread-safe. REQUIRES: 0 <= row_group < row_group_count(), 0 <= leaf < leaf_count().
  arrow::Result<ColumnChunk> Chunk(int row_group, int leaf) const;

  ColumnOrder column_order(int leaf) const;
  const std::string& created_by() const { return created_by_; }
  int32_t version() const { return version_; }
  // Key-value metadata, in file order.
  const std::vector<std::pair<std::string, std::string>>& key_values() const { return key_values_; }
  int64_t file_size() const { return file_size_; }
  // Offset of the first byte of the footer's Thrift.
  int64_t footer_offset() const { return footer_offset_; }
  // Path of a leaf as filters write it: "a.b", odd names quoted.
  const std::string& leaf_path(int leaf) const { return leaf_paths_[leaf]; }

 private:
  Footer() = default;

  struct RowGroup {
    int64_t num_rows = 0;
    int64_t first_row = 0;
    size_t first_chunk = 0;  // in chunk_starts_
    uint32_t column_count = 0;
  };
  struct Schema;
  struct ChunkPaths;

  // Walks FileMetaData: fills in what is ours, and returns the Thrift bytes that are left to Arrow.
  arrow::Result<std::string> Walk(std::string_view thrift);
  arrow::Status ReadSchema(const std::string& thrift);
  arrow::Status ReadRowGroup(CompactReader& reader);
  arrow::Status CheckRowGroups() const;
  std::string_view ChunkThrift(const RowGroup& row_group, int ordinal) const;
  arrow::Result<ColumnChunk> FindChunk(int row_group, int leaf) const;
  // Ordinal of the chunk with the leaf's path.
  arrow::Result<int> ChunkByPath(int row_group, int leaf) const;
  void PadCompressedSize(ColumnChunk* chunk) const;

  std::shared_ptr<arrow::Buffer> bytes_;
  std::unique_ptr<Schema> schema_;
  std::vector<RowGroup> row_groups_;
  std::vector<ColumnOrder> column_orders_;
  std::vector<std::string> leaf_paths_;
  std::vector<std::pair<std::string, std::string>> key_values_;
  std::vector<uint32_t> chunk_starts_;  // where each column chunk begins in bytes_, row group by row group
  std::unique_ptr<ChunkPaths> chunk_paths_;
  std::string created_by_;
  int32_t version_ = 0;
  int64_t row_count_ = 0;
  int64_t file_size_ = 0;
  int64_t footer_offset_ = 0;
};

}  // namespace frazil::parquet
