// SPDX-License-Identifier: Apache-2.0
//
// The row filter: which rows of decoded columns match a predicate. Always runs on the rows that no level has
// proven. A hot path: typed loops over values, no row-at-a-time dispatch.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/array.h>
#include <arrow/result.h>

#include "src/base/row_ranges.h"
#include "src/expr/predicate.h"

namespace frazil::expr {

// Evaluates the predicate over `row_count` rows. `columns[i]` holds the values of BoundFilter::columns[i] (null
// where the predicate does not use it), each of length `row_count`, in the Arrow type that Parquet columns of
// its ColumnType decode to (dictionary-encoded and extension arrays included). A struct, list or map array serves
// leaves of kind kGroup; the array of a field inside structs must already carry its parents' nulls.
// Returns ranks [0, row_count) that match.
arrow::Result<RowRanges> MatchRows(const BoundFilter& filter, const Predicate& predicate,
                                   const std::vector<std::shared_ptr<arrow::Array>>& columns, int64_t row_count);

}  // namespace frazil::expr
