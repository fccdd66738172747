// SPDX-License-Identifier: Apache-2.0
#include "src/prune/file_metrics.h"

#include <string>

#include "src/iceberg/single_value.h"

namespace frazil::prune {

FileMetricsJudge::FileMetricsJudge(const iceberg::Schema& schema, const expr::BoundFilter& filter) {
  for (const expr::BoundColumn& bound : filter.columns) {
    Column& column = columns_.emplace_back();
    column.path = bound.path;
    column.type = bound.type;
    const iceberg::NestedField* field = schema.FindById(bound.ref);
    if (field == nullptr || field->type.is_nested()) continue;
    column.judged = true;
    column.has_bounds = FilterType(field->type).is_comparable();
    column.stored = field->type;
  }
}

expr::ColumnBounds FileMetricsJudge::BoundsOf(const iceberg::ManifestEntry& entry,
                                              const iceberg::ColumnMetrics& metrics, const Column& column,
                                              Unusable* unusable) {
  expr::ColumnBounds known;
  if (!metrics.lower_bound && !metrics.upper_bound && !metrics.null_count && !metrics.value_count) {
    unusable->Add(column.path, "no metrics");
    return known;
  }
  if (column.has_bounds) {
    iceberg::Bounds bounds = iceberg::DecodeBounds(column.stored, metrics.lower_bound, metrics.upper_bound);
    if (bounds.dropped != nullptr) unusable->Add(column.path, std::string("bounds: ") + bounds.dropped);
    known.min = std::move(bounds.lower);
    known.max = std::move(bounds.upper);
  }
  // Counts are believed together or not at all: a value for each row, of which so many are null or NaN.
  if (metrics.value_count && entry.record_count >= 0 && *metrics.value_count != entry.record_count) {
    unusable->Add(column.path, "as many values as the file has rows were expected");
    return known;
  }
  if (metrics.value_count) known.row_count = metrics.value_count;
  known.null_count = metrics.null_count;
  known.nan_count = metrics.nan_count;
  if (known.null_count && known.row_count && *known.null_count == *known.row_count && (known.min || known.max)) {
    unusable->Add(column.path, "bounds of a column that is said to be all null");
    return {};
  }
  return known;
}

expr::Verdict FileMetricsJudge::Judge(const iceberg::ManifestEntry& entry, const expr::Predicate& predicate,
                                      Unusable* unusable) const {
  return expr::JudgePredicate(predicate, [&](const expr::Leaf& leaf) {
    const auto at = static_cast<size_t>(leaf.column);
    const Column& column = columns_[at];
    if (!column.judged || at >= entry.metrics.size()) return expr::Verdict::kSome;
    return expr::JudgeLeaf(leaf, column.type, BoundsOf(entry, entry.metrics[at], column, unusable));
  });
}

}  // namespace frazil::prune
