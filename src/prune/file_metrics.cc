// SPDX-License-Identifier: Apache-2.0
#include "src/prune/file_metrics.h"

#include "src/iceberg/single_value.h"

namespace frazil::prune {
namespace {

expr::ColumnBounds BoundsOf(const iceberg::ManifestEntry& entry, const iceberg::ColumnMetrics& metrics,
                            const iceberg::NestedField& field, const std::string& path, Unusable* unusable) {
  expr::ColumnBounds known;
  if (!metrics.lower_bound && !metrics.upper_bound && !metrics.null_count && !metrics.value_count) {
    unusable->Add(path, "no metrics");
    return known;
  }
  if (FilterType(field.type).is_comparable()) {
    iceberg::Bounds bounds = iceberg::DecodeBounds(field.type, metrics.lower_bound, metrics.upper_bound);
    if (bounds.dropped != nullptr) unusable->Add(path, std::string("bounds: ") + bounds.dropped);
    known.min = std::move(bounds.lower);
    known.max = std::move(bounds.upper);
  }
  // Counts are believed together or not at all: a value for each row, of which so many are null or NaN.
  if (metrics.value_count && entry.record_count >= 0 && *metrics.value_count != entry.record_count) {
    unusable->Add(path, "as many values as the file has rows were expected");
    return known;
  }
  if (metrics.value_count) known.row_count = metrics.value_count;
  known.null_count = metrics.null_count;
  known.nan_count = metrics.nan_count;
  if (known.null_count && known.row_count && *known.null_count == *known.row_count && (known.min || known.max)) {
    unusable->Add(path, "bounds of a column that is said to be all null");
    return {};
  }
  return known;
}

}  // namespace

expr::Verdict JudgeFileMetrics(const iceberg::ManifestEntry& entry, const iceberg::Schema& schema,
                               const expr::BoundFilter& filter, const expr::Predicate& predicate, Unusable* unusable) {
  return expr::JudgePredicate(predicate, [&](const expr::Leaf& leaf) {
    const auto at = static_cast<size_t>(leaf.column);
    const expr::BoundColumn& column = filter.columns[at];
    const iceberg::NestedField* field = schema.FindById(column.ref);
    if (field == nullptr || at >= entry.metrics.size() || field->type.is_nested()) return expr::Verdict::kSome;
    const expr::ColumnBounds known = BoundsOf(entry, entry.metrics[at], *field, column.path, unusable);
    return expr::JudgeLeaf(leaf, column.type, known);
  });
}

}  // namespace frazil::prune
