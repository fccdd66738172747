// SPDX-License-Identifier: Apache-2.0
//
// One page: body, checksum, header. Appends it to a file that is a growing string.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <arrow/result.h>
#include <arrow/util/compression.h>

#include "tests/filegen/bounds.h"
#include "tests/filegen/column_data.h"
#include "tests/filegen/file_spec.h"
#include "tests/filegen/schema.h"

namespace frazil::filegen {

// Which part of a chunk a page holds.
struct PageSpan {
  int64_t level_begin = 0;
  int64_t level_end = 0;
  int64_t value_begin = 0;
  int64_t value_end = 0;
  int64_t first_row = 0;  // rows that began before the page
  int64_t row_count = 0;  // rows that begin in the page

  int64_t level_count() const { return level_end - level_begin; }
  int64_t value_count() const { return value_end - value_begin; }
  int64_t null_count() const { return level_count() - value_count(); }
};

// Where a page went.
struct PagePlace {
  int64_t offset = 0;
  int32_t header_bytes = 0;
  int32_t body_bytes = 0;               // on disk
  int32_t uncompressed_body_bytes = 0;  // as the header says

  int32_t page_bytes() const { return header_bytes + body_bytes; }
};

struct ChunkContext {
  const LeafInfo* leaf = nullptr;
  const ChunkSpec* chunk = nullptr;
  ::arrow::util::Codec* codec = nullptr;  // null: uncompressed
  std::span<const uint32_t> indices;      // of all values of the chunk, where dictionary-encoded
  int64_t dictionary_entry_count = 0;
};

inline bool UsesDictionary(::parquet::Encoding::type encoding) {
  return encoding == ::parquet::Encoding::RLE_DICTIONARY || encoding == ::parquet::Encoding::PLAIN_DICTIONARY;
}

// Statistics by a policy, of values [value_begin, value_end) and the `null_count` nulls among them.
Statistics MakeStatistics(const StatisticsPolicy& policy, const ChunkContext& context, int64_t null_count,
                          int64_t value_begin, int64_t value_end);

arrow::Result<PagePlace> WriteDataPage(const PageSpec& page, const PageSpan& span, const ChunkContext& context,
                                       std::string* file);
arrow::Result<PagePlace> WriteDictionaryPage(const ValueVector& entries, const ChunkContext& context,
                                             std::string* file);
// A page of type INDEX_PAGE with `body_bytes` bytes that mean nothing.
PagePlace WriteGap(int32_t body_bytes, std::string* file);

}  // namespace frazil::filegen
