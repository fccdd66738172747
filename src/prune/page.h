// SPDX-License-Identifier: Apache-2.0
//
// Level "page-index": the page index of one column chunk against one leaf of the filter.
// Safety rule: as expr/bounds.h, page by page; the index was validated by parquet::ParseColumnIndex.
#pragma once

#include "src/expr/predicate.h"
#include "src/parquet/page_index.h"
#include "src/prune/row_verdicts.h"

namespace frazil::prune {

// Judges every page. Where the bounds are ordered, pages outside the leaf's hull are found by binary search and not
// looked at. O(log pages + pages inside the hull x log intervals); IN lists of thousands of values are intervals.
RowVerdicts JudgePages(const parquet::OffsetIndex& offsets, const parquet::ColumnIndex& index,
                       const expr::ColumnType& type, const expr::Leaf& leaf);

// IS [NOT] NULL of a group: `leaf_index` is the index of the leaf that stands for it, `def_level` the definition level
// from which the group is not null, `max_definition_level` the leaf's. The leaf is not repeated.
RowVerdicts JudgeGroupPages(const parquet::OffsetIndex& offsets, const parquet::ColumnIndex& leaf_index,
                            int16_t def_level, int16_t max_definition_level, const expr::Leaf& leaf);

}  // namespace frazil::prune
