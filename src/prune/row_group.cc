// SPDX-License-Identifier: Apache-2.0
#include "src/prune/row_group.h"

#include <string>

#include "src/parquet/statistics.h"

namespace frazil::prune {

using expr::ColumnBounds;
using expr::Verdict;

ColumnBounds LeafBounds(const parquet::Footer& footer, int row_group, const parquet::ColumnChunk& chunk,
                        std::string* reason) {
  const int64_t row_count = footer.row_group_row_count(row_group);
  const auto decoder = parquet::MakeBoundsDecoder(*footer.schema().Column(chunk.leaf), footer.column_order(chunk.leaf));
  ColumnBounds bounds = parquet::ChunkBounds(footer, chunk, decoder, row_count, reason);
  bounds.row_count = row_count;
  return bounds;
}

arrow::Result<Verdict> JudgeRowGroup(const parquet::Footer& footer, int row_group, const expr::BoundColumn& column,
                                     const expr::Leaf& leaf, Unusable* unusable) {
  ColumnBounds bounds;
  if (column.ref >= 0) {
    ARROW_ASSIGN_OR_RAISE(auto chunk, footer.Chunk(row_group, column.ref));
    std::string reason;
    bounds = LeafBounds(footer, row_group, chunk, &reason);
    if (!reason.empty()) {
      unusable->Add(column.path, reason);
    } else if (!bounds.min && !bounds.max && !bounds.null_count) {
      unusable->Add(column.path, "no statistics");
    }
  } else {
    const auto& group = footer.filter_schema().GroupOf(column.ref);
    ARROW_ASSIGN_OR_RAISE(auto chunk, footer.Chunk(row_group, group.leaf));
    bounds.row_count = footer.row_group_row_count(row_group);
    bounds.null_count = parquet::NullGroupCount(footer, chunk, group.def_level, *bounds.row_count);
    if (!bounds.null_count) unusable->Add(column.path, "no level histogram");
  }
  return expr::JudgeLeaf(leaf, column.type, bounds);
}

}  // namespace frazil::prune
