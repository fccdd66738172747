// SPDX-License-Identifier: Apache-2.0
//
// Picks rows of decoded arrays by their ranks.
#pragma once

#include <memory>

#include <arrow/array.h>
#include <arrow/result.h>

#include "src/base/row_ranges.h"

namespace frazil::parquet {

// The elements of `array` at `ranks`, in order. One run is a slice, no copy; a few runs are joined slices; many go
// through Arrow's take kernel, whose first use in a process costs about 6 ms and is therefore avoided for few.
arrow::Result<std::shared_ptr<arrow::Array>> SelectRanks(const std::shared_ptr<arrow::Array>& array,
                                                         const RowRanges& ranks);

// `rows` with gaps shorter than `gap_rows` filled: decoding a few unwanted rows and dropping them is cheaper than
// a skip for each gap.
RowRanges FillGaps(const RowRanges& rows, int64_t gap_rows);

// The ranks that the rows of `subset` have within `rows`. REQUIRES: rows.Covers(subset).
RowRanges RanksWithin(const RowRanges& rows, const RowRanges& subset);

}  // namespace frazil::parquet
