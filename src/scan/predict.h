// SPDX-License-Identifier: Apache-2.0
//
// A guess at which rows of a page match: in a page of an ordered column the values are taken to rise evenly from its
// least to its greatest bound. A right guess lets the output's pages be fetched together with the filter's, a round
// trip earlier; a wrong one costs their bytes, never a row, because the filter still decides.
#pragma once

#include "src/base/row_ranges.h"
#include "src/expr/predicate.h"
#include "src/parquet/page_index.h"

namespace frazil::scan {

// The rows of `rows` (ordinals in the row group) that may match `leaf` by interpolation, with a margin. All of `rows`
// where nothing can be guessed: bounds that are not ordered, not numbers, or absent, or more than a few pages.
RowRanges PredictRows(const parquet::OffsetIndex& offsets, const parquet::ColumnIndex& index, const expr::Leaf& leaf,
                      const RowRanges& rows);

}  // namespace frazil::scan
