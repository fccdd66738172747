// SPDX-License-Identifier: Apache-2.0
#include "src/parquet/page_walk.h"

#include <string>

#include "frazil/error.h"
#include "src/parquet/page_header.h"

namespace frazil::parquet {

arrow::Result<OffsetIndex> WalkPages(std::string_view chunk, int64_t chunk_offset, int64_t row_count) {
  OffsetIndex index;
  index.row_count = row_count;
  int64_t first_row = 0;
  const auto chunk_bytes = static_cast<int64_t>(chunk.size());
  for (int64_t at = 0; at < chunk_bytes && first_row < row_count;) {
    ARROW_ASSIGN_OR_RAISE(const auto header, ParsePageHeader(chunk.substr(static_cast<size_t>(at))));
    if (!header || header->page_bytes() > chunk_bytes - at) {
      return MakeError(ErrorKind::kCorrupt, "no whole page lies there",
                       {.range = ByteRange{chunk_offset + at, chunk_bytes - at}});
    }
    if (header->is_data() && header->num_values > 0) {
      index.pages.push_back({chunk_offset + at, static_cast<int32_t>(header->page_bytes()), first_row});
      first_row += header->num_values;
    }
    at += header->page_bytes();
  }
  if (first_row != row_count) {
    return MakeError(ErrorKind::kCorrupt,
                     "the pages hold " + std::to_string(first_row) + " rows of " + std::to_string(row_count));
  }
  return index;
}

}  // namespace frazil::parquet
