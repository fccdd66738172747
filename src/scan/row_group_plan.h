// SPDX-License-Identifier: Apache-2.0
//
// The plan for one row group: which rows may match, which must, what is left to ask of the rest, and how each leaf can
// be read. No I/O: index pieces were fetched by the file's planning.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include <arrow/result.h>

#include "src/parquet/page_plan.h"
#include "src/prune/row_verdicts.h"
#include "src/scan/file_scan.h"

namespace frazil::scan {

// How one leaf of the row group can be read.
struct LeafAccess {
  parquet::ColumnChunk chunk;
  ByteRange range;
  std::shared_ptr<const parquet::OffsetIndex> offsets;  // null: as a whole
  bool index_distrusted = false;                        // there is an index, which contradicts the pages
};

// Rows of a row group that the filter stage asks the same.
struct FilterPart {
  RowRanges rows;
  expr::Predicate residual;  // what to ask of them
  std::vector<int> leaves;   // that it needs, ascending
};

struct RowGroupPlan {
  int row_group = 0;
  int64_t first_row = 0;  // in the file
  int64_t row_count = 0;
  prune::RowVerdicts rows;           // ordinals in the row group
  RowRanges filter_rows;             // maybe but not proven: the filter must run on them
  RowRanges predicted;               // of filter_rows, those that probably match; empty: no guess
  std::vector<FilterPart> parts;     // of filter_rows, disjoint
  std::vector<int> filter_leaves;    // leaves that any part needs, ascending
  std::map<int, LeafAccess> leaves;  // filter and output leaves

  // The rows on which the filter stage reads a leaf.
  RowRanges FilterRows(int leaf) const;
  parquet::ChunkPlan PlanLeaf(int leaf, const RowRanges& wanted) const;
};

// `distrusted`: leaves whose index was found to lie while reading; they are read without it.
// Evidence is counted only when `count_evidence` is set (once a row group, not again on a second attempt).
arrow::Result<RowGroupPlan> PlanRowGroup(const FileScan& file, const RowGroupCandidate& candidate,
                                         const std::set<int>& distrusted, bool count_evidence);

}  // namespace frazil::scan
