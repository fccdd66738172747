// SPDX-License-Identifier: Apache-2.0
//
// Units of decoding: consecutive parts of a row group's rows, small enough to be decoded in one go, cut where pages end
// so that two units share as few pages as can be. Units are what threads share out among themselves, and what is
// fetched, decoded and released step by step, so that a row group of any size takes bounded memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <arrow/result.h>

#include "src/scan/row_group_plan.h"

namespace frazil::scan {

struct UnitSize {
  int64_t rows_max = 0;
  int64_t bytes_max = 0;  // of encoded pages, about; a single page may be more
};

// Cuts `rows` into units, ascending, for reading `leaves`. Cuts lie where pages of the leaf with the most bytes end;
// only a page of more than `rows_max` rows is cut inside. Without an offset index the units have equally many rows.
std::vector<RowRanges> CutUnits(const RowGroupPlan& plan, const std::vector<int>& leaves, const RowRanges& rows,
                                UnitSize size);

// True when threads may take units in any order at little cost: every leaf has an offset index and at least two planned
// pages for each unit, so that few pages are decompressed by two threads.
bool UnitsAreApart(const RowGroupPlan& plan, const std::vector<int>& leaves, const RowRanges& rows, size_t unit_count);

// Encoded bytes of the pages that hold `rows` of the leaves.
int64_t PlannedBytes(const RowGroupPlan& plan, const std::vector<int>& leaves, const RowRanges& rows);

// Encoded bytes of the pages that the filter stage reads.
int64_t FilterBytes(const RowGroupPlan& plan);

// The byte ranges of the pages that hold `rows` of the leaves.
std::vector<ByteRange> PlannedRanges(const RowGroupPlan& plan, const std::vector<int>& leaves, const RowRanges& rows);

// The leaves that a unit is read for, by its ordinal.
using LeavesOfUnit = std::function<const std::vector<int>&(size_t unit)>;

// Fetches what the units from `first` on need, as many units as fit into `bytes_max`, at least one, in one round,
// together with `also`. Returns the end of the units fetched. A chunk without offset index comes as a whole with the
// first unit of all, unless it is larger than `bytes_max`: then it is left to the reading of it, which goes window by
// window.
arrow::Result<size_t> FetchUnits(io::RangeReader* reader, const RowGroupPlan& plan, const std::vector<RowRanges>& units,
                                 const LeavesOfUnit& leaves_of, size_t first, int64_t bytes_max,
                                 std::vector<ByteRange> also, const std::string& purpose);

// Forgets the data pages of the leaves that end at or before `row`; dictionaries stay, later pages may use them.
void ReleaseBefore(io::RangeReader* reader, const RowGroupPlan& plan, const std::vector<int>& leaves, int64_t row);

}  // namespace frazil::scan
