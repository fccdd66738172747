// SPDX-License-Identifier: Apache-2.0
//
// From a FileSpec to the bytes of a file, and the record of where everything went, so that tests can state which
// bytes a reader must and must not touch.
//
// Errors: invalid, when the spec contradicts itself (pages do not add up to the data, a split row where none may be,
// an encoding that the type does not have). What a hook changes is never checked.
// Cost: about 3 us a page; the file is held in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/result.h>

#include "frazil/error.h"
#include "tests/filegen/file_spec.h"

namespace frazil::filegen {

struct PageLayout {
  ByteRange range = {};  // header included
  int32_t header_bytes = 0;
  int64_t first_row = 0;  // in the row group: the first row that begins in the page, or would
  int64_t row_count = 0;  // rows that begin in the page
  int64_t level_count = 0;
  int64_t null_count = 0;
};

struct ChunkLayout {
  std::optional<ByteRange> dictionary = {};  // header included
  std::vector<PageLayout> pages = {};        // data pages, empty ones included
  ByteRange range = {};                      // from the first page of any type to the end of the last
  std::optional<ByteRange> bloom_filter = {};
  std::optional<ByteRange> column_index = {};
  std::optional<ByteRange> offset_index = {};
};

struct FileLayout {
  std::vector<std::vector<ChunkLayout>> chunks = {};  // [row group][leaf]
  ByteRange footer = {};                              // the Thrift bytes, without length and magic
};

// `layout` may be null. Places are those before FileSpec::edit_file.
arrow::Result<std::shared_ptr<arrow::Buffer>> WriteFile(const FileSpec& file, FileLayout* layout = nullptr);

}  // namespace frazil::filegen
