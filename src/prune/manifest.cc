// SPDX-License-Identifier: Apache-2.0
#include "src/prune/manifest.h"

#include "src/expr/bounds.h"
#include "src/iceberg/partition_tuple.h"
#include "src/iceberg/single_value.h"

namespace frazil::prune {

using expr::Verdict;

bool ManifestMayMatch(const iceberg::ManifestFile& manifest, const iceberg::PartitionSpec& spec,
                      const iceberg::Schema& schema, const iceberg::TableMetadata& metadata,
                      const expr::BoundFilter& projected, Unusable* unusable) {
  if (projected.root.is_true()) return true;
  if (!manifest.partitions || manifest.partitions->size() != spec.fields.size()) {
    unusable->Add("partition", manifest.partitions ? "summaries of other fields than the spec has" : "no summaries");
    return !projected.root.is_false();
  }
  const Verdict verdict = expr::JudgePredicate(projected.root, [&](const expr::Leaf& leaf) {
    const expr::BoundColumn& column = projected.columns[static_cast<size_t>(leaf.column)];
    const auto field = static_cast<size_t>(column.ref);
    const iceberg::PartitionFieldSummary& summary = (*manifest.partitions)[field];
    const auto type = iceberg::PartitionValueType(spec.fields[field], schema, metadata);
    if (!type) return Verdict::kSome;
    const iceberg::Bounds bounds = iceberg::DecodeBounds(*type, summary.lower_bound, summary.upper_bound);
    if (bounds.dropped != nullptr) unusable->Add(column.path, std::string("summary: ") + bounds.dropped);
    expr::ColumnBounds known{bounds.lower, bounds.upper, std::nullopt, std::nullopt, std::nullopt};
    if (!summary.contains_null) known.null_count = 0;
    if (summary.contains_nan == false) known.nan_count = 0;
    return expr::JudgeLeaf(leaf, column.type, known);
  });
  return verdict != Verdict::kNone;
}

}  // namespace frazil::prune
