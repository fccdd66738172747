// SPDX-License-Identifier: Apache-2.0
//
// One column chunk: its pages, one after the other, and everything that is later said about them.
#pragma once

#include <optional>
#include <string>

#include <arrow/result.h>

#include "tests/filegen/file_spec.h"
#include "tests/filegen/format.h"
#include "tests/filegen/schema.h"
#include "tests/filegen/write.h"

namespace frazil::filegen {

struct WrittenChunk {
  ColumnChunkMetadata metadata;  // index and bloom filter places still unset
  // Serialised and already edited; unset: not written.
  std::optional<std::string> column_index;
  std::optional<std::string> offset_index;
  std::optional<std::string> bloom_filter;
  ChunkLayout layout;
};

// Appends the pages to `file`. `row_count` is that of the row group. Error: invalid.
arrow::Result<WrittenChunk> WriteChunk(const LeafInfo& leaf, const ChunkSpec& chunk, int64_t row_count,
                                       std::string* file);

}  // namespace frazil::filegen
