// SPDX-License-Identifier: Apache-2.0
//
// FileSpec: a Parquet file described page by page, with every choice that a writer has and many that no sound writer
// would take. WriteFile (write.h) turns it into bytes. The defaults give a plain, truthful file.
//
//   FileSpec file;
//   file.schema = {Leaf("id", ::parquet::Type::INT64, kRequired)};
//   RowGroupSpec& group = file.row_groups.emplace_back();
//   group.row_count = 4;
//   ChunkSpec& chunk = group.chunks.emplace_back();
//   chunk.data = RequiredColumn<int64_t>({1, 2, 3, 4});
//   chunk.pages = {{.row_count = 1}, {.row_count = 3, .version = 2}};
//   chunk.index.edit_column_index = [](ColumnIndexSpec& index) { std::swap(index.min_values, index.max_values); };
//
// Knobs first make a truthful structure; then the edit_ hooks change it (format.h); then it is written. Hooks run once
// per structure and in file order.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <arrow/util/compression.h>
#include <parquet/types.h>

#include "tests/filegen/column_data.h"
#include "tests/filegen/format.h"
#include "tests/filegen/schema.h"

namespace frazil::filegen {

enum class CrcPolicy { kNone, kRight, kWrong };

// How levels and dictionary indices are cut into runs of the RLE / bit-packing hybrid. All are valid.
enum class RunStyle {
  kHybrid,     // runs of 8 and more as RLE, the rest bit-packed
  kRle,        // every run as RLE, also runs of one
  kBitPacked,  // one bit-packed run, padded to a multiple of 8
};

// A count that is stored beside bounds.
struct CountPolicy {
  enum class Kind { kRight, kAbsent, kValue };
  Kind kind = Kind::kRight;
  int64_t value = 0;  // kValue
};

// Statistics of a chunk or in a page header.
struct StatisticsPolicy {
  enum class Bounds {
    kNone,
    kExact,      // min_value and max_value, as they are
    kTruncated,  // min_value and max_value cut to truncate_bytes (see MayTruncate in bounds.h; others stay)
    kLegacy,     // min and max only, by signed comparison
    kBoth,       // min_value and max_value, and also min and max by signed comparison
    kRaw,        // raw_min and raw_max as min_value and max_value, whatever they are
  };
  bool present = true;  // false: no Statistics structure at all
  Bounds bounds = Bounds::kExact;
  int truncate_bytes = 16;
  bool exactness_flags = true;  // is_min_value_exact, is_max_value_exact
  std::optional<std::string> raw_min = {};
  std::optional<std::string> raw_max = {};
  CountPolicy null_count = {};
  CountPolicy nan_count = {};  // floating-point leaves only, whatever the policy, unless kValue
  std::optional<int64_t> distinct_count = {};
};

// What bounds say of NaN. Zero bounds are always widened to -0.0 (min) and +0.0 (max), as the format asks.
enum class NanPolicy {
  kExcluded,  // as the format asks: bounds come from the other values; if there are none, type-defined order has no
              // bounds (and no column index), IEEE order the NaNs themselves
  kPoison,    // faulty writers of old: a NaN in the values makes both bounds NaN
  kGreatest,  // NaN is the max wherever there is one
};

struct PageSpec {
  // Rows in the page. 0: an empty page (no levels, no values).
  int64_t row_count = 0;
  // Instead: level entries in the page, which may end inside a row. The page then takes what rows it takes.
  // Only V1 pages of a chunk without an offset index may split rows; WriteFile refuses anything else.
  std::optional<int64_t> level_count = {};
  int version = 1;  // 1: DATA_PAGE, 2: DATA_PAGE_V2
  // PLAIN, RLE_DICTIONARY, PLAIN_DICTIONARY, RLE (BOOLEAN), DELTA_BINARY_PACKED, DELTA_LENGTH_BYTE_ARRAY,
  // DELTA_BYTE_ARRAY, BYTE_STREAM_SPLIT.
  ::parquet::Encoding::type encoding = ::parquet::Encoding::PLAIN;
  // V2 only: whether the values are compressed with the chunk's codec; written as is_compressed when false or when
  // `state_compressed` is set (absent means true).
  bool compressed = true;
  bool state_compressed = true;
  // V2 only: values of zero bytes are not run through the codec, so that the body holds levels only.
  bool omit_empty_body = false;
  CrcPolicy crc = CrcPolicy::kNone;
  RunStyle runs = RunStyle::kHybrid;
  std::optional<StatisticsPolicy> statistics = {};  // in the page header; unset: none
  // Bytes of a page of type INDEX_PAGE before this page (readers skip it; the offset index does not list it). 0: none.
  int32_t gap_before_bytes = 0;
  std::function<void(PageHeader&)> edit_header = {};
  std::function<void(std::string&)> edit_body =
      {};  // last of all; sizes and checksum in the header stay those of before
};

// Row counts `rows_per_page`, ..., the last page with what is left; all else as in `prototype`.
std::vector<PageSpec> PagesOf(int64_t row_count, int64_t rows_per_page, const PageSpec& prototype = {});

// The dictionary is made from the values of the dictionary-encoded pages, in order of appearance.
struct DictionarySpec {
  enum class Placement {
    kDeclared,          // dictionary_page_offset is right
    kUndeclared,        // absent; data_page_offset is that of the dictionary page
    kZero,              // 0; data_page_offset is that of the dictionary page
    kUndeclaredHidden,  // absent; data_page_offset is that of the first data page (most readers fail)
  };
  Placement placement = Placement::kDeclared;
  // A dictionary page also when no page uses it.
  bool always = false;
  // Entries that no page uses, put first.
  ValueVector unused_entries = {};
  // Bytes of a page of type INDEX_PAGE between the dictionary and the first data page. 0: none.
  int32_t gap_after_bytes = 0;
  ::parquet::Encoding::type encoding = ::parquet::Encoding::PLAIN;  // or PLAIN_DICTIONARY, as old writers say
  CrcPolicy crc = CrcPolicy::kNone;
  std::function<void(PageHeader&)> edit_header = {};
  std::function<void(std::string&)> edit_body = {};
};

struct PageIndexPolicy {
  bool offset_index = true;
  bool column_index = true;
  // Column index fields. nan_counts are for floating-point leaves only.
  bool null_counts = true;
  bool nan_counts = true;
  bool level_histograms = false;
  bool unencoded_sizes = false;  // in the offset index of BYTE_ARRAY leaves
  // Bounds of pages: cut as StatisticsPolicy::truncate_bytes says. 0: never.
  int truncate_bytes = 0;
  // Unset: computed from the bounds.
  std::optional<int> boundary_order = {};
  // Pages of no rows are listed (as null pages) or left out of both indexes.
  bool list_empty_pages = true;
  // Decoded structures, just before they are written.
  std::function<void(OffsetIndexSpec&)> edit_offset_index = {};
  std::function<void(ColumnIndexSpec&)> edit_column_index = {};
  // Their bytes: cut, junk, trailing bytes.
  std::function<void(std::string&)> edit_offset_index_bytes = {};
  std::function<void(std::string&)> edit_column_index_bytes = {};
};

struct BloomFilterSpec {
  int32_t bitset_bytes = 0;  // 0: no filter; else any multiple of 32
  bool declare_length = true;
  std::function<void(std::string&)> edit_bytes = {};  // header and bitset
};

enum class BloomPlacement {
  kAfterRowGroup,  // of each row group behind its chunks
  kBesideChunk,    // behind its chunk
  kAfterData,      // of all row groups together, row group by row group
  kColumnMajor,    // together, column by column
  kAfterIndexes,   // together, behind the page indexes
  kBackwards,      // together, the last one first
};

struct ChunkSpec {
  ColumnData data = {};
  // In order; together they must hold all levels of `data`.
  std::vector<PageSpec> pages = {};
  ::arrow::Compression::type codec = ::arrow::Compression::UNCOMPRESSED;
  DictionarySpec dictionary = {};
  StatisticsPolicy statistics = {};
  NanPolicy nan = NanPolicy::kExcluded;  // chunk, page header and column index bounds
  PageIndexPolicy index = {};
  BloomFilterSpec bloom_filter = {};
  bool encoding_stats = true;
  bool size_statistics = false;
  // The chunk's metadata with all offsets final (page indexes beyond the file, lying sizes, other codec, ...).
  std::function<void(ColumnChunkMetadata&)> edit_metadata = {};
};

struct RowGroupSpec {
  int64_t row_count = 0;
  std::vector<ChunkSpec> chunks = {};  // one per leaf
  std::vector<SortingColumn> sorting_columns = {};
  std::function<void(RowGroupMetadata&)> edit_metadata = {};
};

struct FileSpec {
  std::vector<Node> schema = {};  // the root's children
  std::vector<RowGroupSpec> row_groups = {};
  int32_t version = 2;
  std::optional<std::string> created_by = "frazil-filegen version 1.0.0";
  KeyValues key_value_metadata = {};
  bool column_orders = true;  // false: left out. Which order: Node::order
  // All column indexes of the file, then all offset indexes (false), or both next to the chunk (true).
  bool indexes_beside_chunks = false;
  BloomPlacement bloom_placement = BloomPlacement::kAfterRowGroup;
  // Bytes of zeros between the last index and the footer, so that indexes lie far from the tail.
  int64_t footer_gap_bytes = 0;
  std::function<void(FileMetadata&)> edit_footer = {};
  std::function<void(std::string&)> edit_footer_bytes = {};  // before the length and the magic bytes
  std::function<void(std::string&)> edit_file = {};          // the whole file, last of all
};

}  // namespace frazil::filegen
