// SPDX-License-Identifier: Apache-2.0
//
// Level "file-metrics": what a manifest says of the columns of a data file against the filter. Metrics are decoded for
// the filter's columns only. Safety rule: as expr/bounds.h; whatever contradicts itself is dropped and counted.
#pragma once

#include "src/expr/bounds.h"
#include "src/iceberg/manifest.h"
#include "src/iceberg/schema.h"
#include "src/prune/unusable.h"

namespace frazil::prune {

// `filter` is bound to `schema` (BoundColumn::ref is the field id); entry.metrics is parallel to filter.columns.
// `predicate` is over these columns.
expr::Verdict JudgeFileMetrics(const iceberg::ManifestEntry& entry, const iceberg::Schema& schema,
                               const expr::BoundFilter& filter, const expr::Predicate& predicate, Unusable* unusable);

}  // namespace frazil::prune
