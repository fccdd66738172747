// SPDX-License-Identifier: Apache-2.0
//
// From row ranges to pages to byte ranges, for one column chunk. No I/O.
//
// With an OffsetIndex only the pages that overlap the wanted rows are planned, and the dictionary page is a range of
// its own: planned only when a selected page is predicted to use it. Without one the chunk is planned whole.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "frazil/error.h"
#include "src/base/row_ranges.h"
#include "src/parquet/footer.h"
#include "src/parquet/page_index.h"

namespace frazil::parquet {

struct ChunkPlan {
  ColumnChunk chunk;
  ByteRange chunk_range;                       // every page of the chunk, dictionary included
  std::shared_ptr<const OffsetIndex> offsets;  // null: read from the chunk's start to its end
  std::vector<int> pages;                      // with offsets: selected data pages, ascending
  RowRanges page_rows;                         // rows of the row group that the planned pages hold
  // With offsets: where the dictionary page lies, if there is one (the bytes before the first data page).
  std::optional<ByteRange> dictionary_range;
  bool dictionary_predicted = false;  // plan it together with the pages
  int64_t row_count = 0;              // of the row group
  // The chunk's index and its pages contradict each other: either may lie, so the pages must prove themselves.
  bool index_distrusted = false;

  // Byte ranges to fetch, ascending.
  std::vector<ByteRange> Ranges() const;
  int64_t RangeBytes() const;
  // Data pages in the chunk; 0 when unknown.
  int64_t page_count_total() const { return offsets ? offsets->page_count() : 0; }
};

// `rows` are ordinals in the row group. `offsets` may be null.
ChunkPlan PlanChunk(ColumnChunk chunk, const ByteRange& chunk_range, std::shared_ptr<const OffsetIndex> offsets,
                    const RowRanges& rows, int64_t row_count);

// Ordinals of the pages that overlap `rows`, ascending. O(runs log pages + selected).
std::vector<int> PagesOf(const OffsetIndex& offsets, const RowRanges& rows);

}  // namespace frazil::parquet
