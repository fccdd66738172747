// SPDX-License-Identifier: Apache-2.0
//
// Projection: from the condition on a column to conditions on the partition values made of it.
//
//   inclusive   the partition values that a matching row can have: others are skipped
//   strict      the partition values that only matching rows have: their rows need no test of this condition
//
// A condition is a set of keys (Leaf), so one question answers every operator: what partition values do the keys of a
// set have, its image? Inclusive is the image of the set; strict is the image less that of the other keys. Besides the
// specification's value, an image holds those that faulty writers are known to have stored:
//   year, month, hour, and day of timestamps   rounded towards 0 before 1970: one more than a negative value
//   truncate near the least int and long       wrapped around
// so that they lose no row. bucket has an image of its own only for text, bytes and sets of at most
// kBucketValuesMax numbers, dates or times, which are enumerated.
// Partition values and their bounds in manifest lists were written in the type that the column had then: promote values
// (PromoteKey) and decode bounds (DecodeBounds) to the result type of today's column first.
// Source: Iceberg table specification, "Scan Planning", "Partition Transforms".
#pragma once

#include <optional>

#include "src/expr/predicate.h"
#include "src/iceberg/partition_spec.h"
#include "src/iceberg/schema.h"
#include "src/iceberg/transform.h"

namespace frazil::iceberg {

inline constexpr int kBucketValuesMax = 65536;

// Partition values of one field; keys of the transform's result type.
struct PartitionKeys {
  expr::KeySet keys;
  bool matches_null = false;
};

// Unset: the transform says nothing about such a condition (void, unknown, a source it does not take).
// REQUIRES: leaf.keys are keys of `source`.
std::optional<PartitionKeys> ProjectInclusive(const Transform& transform, const Type& source, const expr::Leaf& leaf);
std::optional<PartitionKeys> ProjectStrict(const Transform& transform, const Type& source, const expr::Leaf& leaf);

enum class ProjectionKind { kInclusive, kStrict };

// A filter over the partition tuples of a spec: BoundColumn::ref is the index of a field in it. Every field of a column
// is used: inclusive ones must all hold, of strict ones one is enough. A condition on a column that no field is made
// of is true in the inclusive, false in the strict projection.
// `filter` is bound to `schema` (BoundColumn::ref is the field id). O(leaves * fields + enumerated values).
expr::BoundFilter ProjectFilter(const PartitionSpec& spec, const Schema& schema, const expr::BoundFilter& filter,
                                ProjectionKind kind);

// The keys that rows with this partition value can have: what is known of a column from the tuple alone.
// Unset: anything. REQUIRES: value is a key of the result type.
std::optional<expr::KeySet> SourceKeys(const Transform& transform, const Type& source, const expr::Key& value);

}  // namespace frazil::iceberg
