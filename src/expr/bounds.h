// SPDX-License-Identifier: Apache-2.0
//
// The one tri-state evaluator: given what is known of a container (partition, manifest, file, row group,
// page), do none, some or all of its rows match? Safety rule: kNone only if no row can match, kAll only if
// every row must; whatever is unknown makes kSome. Absent is never zero.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "src/expr/predicate.h"

namespace frazil::expr {

enum class Verdict { kNone, kSome, kAll };

// What is known about one column in one container. Unset: unknown.
// Bounds speak of values that are neither null nor NaN, and need not be reached (they may be truncated).
struct ColumnBounds {
  std::optional<Key> min;
  std::optional<Key> max;
  std::optional<int64_t> null_count;
  std::optional<int64_t> nan_count;  // floating-point columns only
  std::optional<int64_t> row_count;  // nulls included
};

// Judges one leaf. `type` is the leaf's column type; a min above the max is ignored.
Verdict JudgeLeaf(const Leaf& leaf, const ColumnType& type, const ColumnBounds& bounds);

// The part of JudgeLeaf after the key question, for callers that hold typed bounds in bulk.
// `keys`: how the non-null, non-NaN values relate to the leaf's keys (kSome when unknown).
Verdict FoldNulls(const Leaf& leaf, const ColumnType& type, Overlap keys, std::optional<int64_t> null_count,
                  std::optional<int64_t> nan_count, std::optional<int64_t> row_count);

// AND: none if any none, all if all all. OR: the reverse. `judge` is asked once per leaf reached.
Verdict JudgePredicate(const Predicate& predicate, const std::function<Verdict(const Leaf&)>& judge);

}  // namespace frazil::expr
