// SPDX-License-Identifier: Apache-2.0
//
// Level "file-metrics": what a manifest says of the columns of a data file against the filter. Metrics are decoded for
// the filter's columns only. Safety rule: as expr/bounds.h; whatever contradicts itself is dropped and counted.
#pragma once

#include <vector>

#include "src/expr/bounds.h"
#include "src/iceberg/manifest.h"
#include "src/iceberg/schema.h"
#include "src/prune/unusable.h"

namespace frazil::prune {

// Judges data files by the metrics of a filter's columns. Immutable; used from several threads at once.
class FileMetricsJudge {
 public:
  // `filter` is bound to `schema` (BoundColumn::ref is the field id).
  FileMetricsJudge(const iceberg::Schema& schema, const expr::BoundFilter& filter);

  // entry.metrics is parallel to the filter's columns; `predicate` is over these columns.
  expr::Verdict Judge(const iceberg::ManifestEntry& entry, const expr::Predicate& predicate, Unusable* unusable) const;

 private:
  struct Column {
    std::string path;
    expr::ColumnType type;
    bool judged = false;        // there is such a field, and it is no nested one
    bool has_bounds = false;    // its values have an order
    iceberg::Type stored = {};  // what bounds are read as
  };
  static expr::ColumnBounds BoundsOf(const iceberg::ManifestEntry& entry, const iceberg::ColumnMetrics& metrics,
                                     const Column& column, Unusable* unusable);

  std::vector<Column> columns_;  // parallel to the filter's
};

}  // namespace frazil::prune
