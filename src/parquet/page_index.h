// SPDX-License-Identifier: Apache-2.0
//
// The page index of one column chunk: OffsetIndex (where the pages are and which rows they hold) and ColumnIndex
// (what they hold). Both are validated here, before anything trusts them; an index that fails is reported with
// its reason and not used, for that column only.
// Source: parquet.thrift OffsetIndex, ColumnIndex; PageIndex.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>

#include "frazil/error.h"
#include "src/parquet/statistics.h"

namespace frazil::parquet {

struct PageLocation {
  int64_t offset = 0;                // in the file
  int32_t compressed_page_size = 0;  // header included
  int64_t first_row_index = 0;       // in the row group
};

struct OffsetIndex {
  std::vector<PageLocation> pages;
  int64_t row_count = 0;  // of the row group: the end of the last page

  int page_count() const { return static_cast<int>(pages.size()); }
  int64_t first_row(int page) const { return pages[page].first_row_index; }
  int64_t end_row(int page) const { return page + 1 < page_count() ? pages[page + 1].first_row_index : row_count; }
  ByteRange range(int page) const { return {pages[page].offset, pages[page].compressed_page_size}; }
};

// `chunk_range` bounds the page offsets. Validated: decodable, at least one page unless there are no rows, first
// row 0, rows never falling (equal only for pages of no rows) and not above `row_count` (equal only for trailing pages
// of no rows), sizes positive, offsets inside the chunk, ascending and not overlapping. Error: kind corrupt, its text
// is the reason.
arrow::Result<OffsetIndex> ParseOffsetIndex(std::string_view bytes, const ByteRange& chunk_range, int64_t row_count);

enum class BoundaryOrder { kUnordered, kAscending, kDescending };

// What one column says of each of its pages. Bounds are keys of the column's type, in one of the two vectors;
// entries of pages without usable bounds are unset in `has_bounds`.
struct ColumnIndex {
  BoundaryOrder order = BoundaryOrder::kUnordered;  // as verified: a false claim makes it kUnordered
  std::vector<uint8_t> null_pages;                  // 1: every value is null (or the page has no rows)
  std::vector<uint8_t> has_bounds;
  std::vector<expr::Int128> int_min, int_max;          // when !type.has_byte_keys()
  std::vector<std::string_view> bytes_min, bytes_max;  // otherwise; views into the parsed bytes or `arena`
  std::vector<int64_t> null_counts;                    // empty: unknown; -1: unknown for that page
  std::vector<int64_t> nan_counts;                     // likewise
  std::vector<int64_t> definition_level_histograms;    // page_count x (max_definition_level + 1), or empty
  std::vector<std::string> arena;                      // storage of bounds that had to be converted
  bool claimed_order_was_false = false;

  int page_count() const { return static_cast<int>(null_pages.size()); }
};

// Validated: decodable; as many entries in every list as `offsets` has pages; null counts within the page's rows;
// a null page with rows must not claim fewer nulls than rows nor have bounds (zero bytes are filler, not a bound), a
// page whose null count is its row count must be a null page; min not above max; a claimed order is checked against
// the bounds (O(pages)) before any binary search.
// A page whose bounds are of the wrong width or NaN has no bounds; the others keep theirs. Level histograms that do not
// add up to the rows are left out; sound ones stand in for null counts that are absent. With a decoder that is not
// usable the nulls are still told. Of a required column the null counts are 0, stored or not.
// REQUIRES: the leaf is not repeated. Error: kind corrupt, its text is the reason. `bytes` must outlive the result.
arrow::Result<ColumnIndex> ParseColumnIndex(std::string_view bytes, const BoundsDecoder& decoder,
                                            const OffsetIndex& offsets, int max_definition_level);

}  // namespace frazil::parquet
