// SPDX-License-Identifier: Apache-2.0
//
// Opening one Parquet file: the tail, with luck everything that planning needs, in one request; never more than two.
#pragma once

#include <memory>

#include <arrow/buffer.h>
#include <arrow/result.h>

#include "frazil/byte_source.h"
#include "src/io/range_reader.h"
#include "src/parquet/footer.h"

namespace frazil::scan {

struct OpenedFile {
  std::shared_ptr<ByteSource> source;
  std::shared_ptr<const parquet::Footer> footer;
  int64_t tail_offset = 0;
  std::shared_ptr<arrow::Buffer> tail;  // bytes from tail_offset to the file's end
};

// Reads the footer through `reader`. The first request takes so many bytes of tail as one more request would cost
// (at least 48 KiB, at most 512 KiB), or the whole file when it is hardly larger. Errors name the file.
arrow::Result<OpenedFile> OpenFile(std::shared_ptr<ByteSource> source, io::RangeReader* reader);

}  // namespace frazil::scan
