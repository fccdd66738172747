// SPDX-License-Identifier: Apache-2.0
//
// Finds the pages of a column chunk that has no usable offset index, by walking the page headers of its bytes. Headers
// alone tell the rows of a page only where the column is flat: each value slot is a row.
// Source: parquet.thrift PageHeader; parquet-format README "Data Pages".
#pragma once

#include <cstdint>
#include <string_view>

#include <arrow/result.h>

#include "src/parquet/page_index.h"

namespace frazil::parquet {

// `chunk` is the whole chunk, which begins at `chunk_offset` in the file. Pages of no values are left out. O(pages).
// Error (corrupt): a header is not decodable, a page ends behind the chunk, or the pages do not hold `row_count` rows.
// REQUIRES: the column is not repeated.
arrow::Result<OffsetIndex> WalkPages(std::string_view chunk, int64_t chunk_offset, int64_t row_count);

}  // namespace frazil::parquet
