// SPDX-License-Identifier: Apache-2.0
//
// Level "row-group": footer statistics of one row group against the filter. Free: the footer is read anyway.
// Safety rule: as expr/bounds.h; bounds pass through parquet::ChunkBounds, which drops what can not be trusted.
#pragma once

#include <string>

#include <arrow/result.h>

#include "src/expr/bounds.h"
#include "src/expr/predicate.h"
#include "src/parquet/footer.h"
#include "src/prune/unusable.h"

namespace frazil::prune {

// What the footer says of the values of a chunk. `*reason` receives why something stored was not used.
expr::ColumnBounds LeafBounds(const parquet::Footer& footer, int row_group, const parquet::ColumnChunk& chunk,
                              std::string* reason);

// Judges one leaf whose column is a leaf or group of the Parquet schema. Error: the chunk's metadata is damaged.
arrow::Result<expr::Verdict> JudgeRowGroup(const parquet::Footer& footer, int row_group,
                                           const expr::BoundColumn& column, const expr::Leaf& leaf, Unusable* unusable);

}  // namespace frazil::prune
