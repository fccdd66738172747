// SPDX-License-Identifier: Apache-2.0
//
// The structures of a Parquet file as they are about to be written, and their Thrift. The hooks of file_spec.h get
// them to change: whatever is set is written as it stands, whatever is unset is left out. Nothing is checked.
//
// Names and meanings are those of parquet.thrift; numbers that are enums there are plain ints here, so that numbers
// without a meaning can be written too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/filegen/schema.h"

namespace frazil::filegen {

// Bounds are PLAIN without a length.
struct Statistics {
  std::optional<std::string> max = {};  // legacy
  std::optional<std::string> min = {};  // legacy
  std::optional<int64_t> null_count = {};
  std::optional<int64_t> distinct_count = {};
  std::optional<std::string> max_value = {};
  std::optional<std::string> min_value = {};
  std::optional<bool> is_max_value_exact = {};
  std::optional<bool> is_min_value_exact = {};
  std::optional<int64_t> nan_count = {};
};

struct SizeStatistics {
  std::optional<int64_t> unencoded_byte_array_data_bytes = {};
  std::optional<std::vector<int64_t>> repetition_level_histogram = {};
  std::optional<std::vector<int64_t>> definition_level_histogram = {};
};

inline constexpr int kDataPage = 0;
inline constexpr int kIndexPage = 1;
inline constexpr int kDictionaryPage = 2;
inline constexpr int kDataPageV2 = 3;

// All page headers in one: `type` says which of the fields are written.
struct PageHeader {
  int type = kDataPage;
  int32_t uncompressed_page_size = 0;
  int32_t compressed_page_size = 0;
  std::optional<uint32_t> crc = {};
  int32_t num_values = 0;
  int encoding = 0;
  int definition_level_encoding = 3;          // V1
  int repetition_level_encoding = 3;          // V1
  int32_t num_nulls = 0;                      // V2
  int32_t num_rows = 0;                       // V2
  int32_t definition_levels_byte_length = 0;  // V2
  int32_t repetition_levels_byte_length = 0;  // V2
  std::optional<bool> is_compressed = {};     // V2
  std::optional<bool> is_sorted = {};         // dictionary
  std::optional<Statistics> statistics = {};  // V1 and V2
};

struct PageLocation {
  int64_t offset = 0;
  int32_t compressed_page_size = 0;  // header included
  int64_t first_row_index = 0;       // in the row group
};

struct OffsetIndexSpec {
  std::vector<PageLocation> page_locations = {};
  std::optional<std::vector<int64_t>> unencoded_byte_array_data_bytes = {};
};

inline constexpr int kUnordered = 0;
inline constexpr int kAscending = 1;
inline constexpr int kDescending = 2;

struct ColumnIndexSpec {
  std::vector<bool> null_pages = {};
  std::vector<std::string> min_values = {};
  std::vector<std::string> max_values = {};
  int boundary_order = kUnordered;
  std::optional<std::vector<int64_t>> null_counts = {};
  std::optional<std::vector<int64_t>> repetition_level_histograms = {};
  std::optional<std::vector<int64_t>> definition_level_histograms = {};
  std::optional<std::vector<int64_t>> nan_counts = {};
};

struct PageEncodingStats {
  int page_type = 0;
  int encoding = 0;
  int32_t count = 0;
};

using KeyValues = std::vector<std::pair<std::string, std::string>>;

// ColumnChunk and the ColumnMetaData in it.
struct ColumnChunkMetadata {
  std::optional<std::string> file_path = {};
  int64_t file_offset = 0;
  bool has_meta_data = true;  // false: ColumnMetaData is left out
  int type = 0;
  std::vector<int> encodings = {};
  std::vector<std::string> path_in_schema = {};
  int codec = 0;
  int64_t num_values = 0;
  int64_t total_uncompressed_size = 0;
  int64_t total_compressed_size = 0;
  KeyValues key_value_metadata = {};  // empty: left out
  int64_t data_page_offset = 0;
  std::optional<int64_t> index_page_offset = {};
  std::optional<int64_t> dictionary_page_offset = {};
  std::optional<Statistics> statistics = {};
  std::vector<PageEncodingStats> encoding_stats = {};  // empty: left out
  std::optional<int64_t> bloom_filter_offset = {};
  std::optional<int32_t> bloom_filter_length = {};
  std::optional<SizeStatistics> size_statistics = {};
  std::optional<int64_t> offset_index_offset = {};
  std::optional<int32_t> offset_index_length = {};
  std::optional<int64_t> column_index_offset = {};
  std::optional<int32_t> column_index_length = {};
};

struct SortingColumn {
  int32_t column_idx = 0;
  bool descending = false;
  bool nulls_first = false;
};

struct RowGroupMetadata {
  std::vector<ColumnChunkMetadata> columns = {};
  int64_t total_byte_size = 0;
  int64_t num_rows = 0;
  std::vector<SortingColumn> sorting_columns = {};  // empty: left out
  std::optional<int64_t> file_offset = {};
  std::optional<int64_t> total_compressed_size = {};
  std::optional<int16_t> ordinal = {};
};

struct FileMetadata {
  int32_t version = 2;
  std::vector<Node> schema = {};  // the root's children
  int64_t num_rows = 0;
  std::vector<RowGroupMetadata> row_groups = {};
  KeyValues key_value_metadata = {};  // empty: left out
  std::optional<std::string> created_by = {};
  std::vector<int> column_orders = {};  // members of the union, by leaf; empty: left out
};

std::string Serialize(const PageHeader& header);
std::string Serialize(const OffsetIndexSpec& index);
std::string Serialize(const ColumnIndexSpec& index);
std::string Serialize(const FileMetadata& file);

}  // namespace frazil::filegen
