// SPDX-License-Identifier: Apache-2.0
#include "src/expr/bounds.h"

#include <string_view>
#include <type_traits>

namespace frazil::expr {

namespace {

// Counts that passed the checks; unset where unknown or not to be believed.
struct Counts {
  std::optional<int64_t> nulls;
  std::optional<int64_t> nans;
  std::optional<int64_t> rows;
};

// Drops negative and contradictory counts. The row count comes from a better place than the others, so it stays.
Counts CheckedCounts(const ColumnType& type, std::optional<int64_t> null_count, std::optional<int64_t> nan_count,
                     std::optional<int64_t> row_count) {
  Counts counts{null_count, type.is_floating() ? nan_count : std::nullopt, row_count};
  for (std::optional<int64_t>* count : {&counts.nulls, &counts.nans, &counts.rows}) {
    if (*count && **count < 0) count->reset();
  }
  if (!counts.rows) return counts;
  if (counts.nulls && *counts.nulls > *counts.rows) counts.nulls.reset();
  if (counts.nans && *counts.nans > *counts.rows) counts.nans.reset();
  if (counts.nulls && counts.nans && *counts.nans > *counts.rows - *counts.nulls) {
    // One of them lies, and nothing says which.
    counts.nulls.reset();
    counts.nans.reset();
  }
  return counts;
}

// The three sorts of values that a container may hold. True unless proven absent.
struct Content {
  bool nulls = true;
  bool nans = true;
  bool ordinary = true;  // neither null nor NaN
};

Content ContentOf(const ColumnType& type, const Counts& counts) {
  Content content;
  content.nulls = counts.nulls != 0;
  const bool all_null = counts.nulls && counts.rows && *counts.nulls == *counts.rows;
  content.nans = type.is_floating() && !all_null && counts.nans != 0;
  const bool all_nan_or_null =
      counts.nans && counts.rows &&
      (*counts.nans == *counts.rows || (counts.nulls && *counts.nans == *counts.rows - *counts.nulls));
  content.ordinary = !all_null && !all_nan_or_null;
  // Every row is a NaN: then none is null, whether or not anybody counted nulls.
  if (counts.nans && counts.rows && *counts.nans == *counts.rows) content.nulls = false;
  return content;
}

bool HoldsNan(const Leaf& leaf, const ColumnType& type) {
  const auto* keys = std::get_if<IntervalSet<Int128>>(&leaf.keys);
  return keys != nullptr && keys->Contains(NanKey(type));
}

template <typename K>
Overlap JudgeKeys(const IntervalSet<K>& keys, const ColumnType& type, const ColumnBounds& bounds) {
  using View = typename IntervalSet<K>::View;
  std::optional<View> min;
  std::optional<View> max;
  // A bound of the other key space is none at all.
  if (bounds.min) {
    if (const K* key = std::get_if<K>(&*bounds.min)) min = *key;
  }
  if (bounds.max) {
    if (const K* key = std::get_if<K>(&*bounds.max)) max = *key;
  }
  if constexpr (std::is_same_v<K, Int128>) {
    if (type.is_floating()) {
      // Some writers let NaN into bounds; then the bound says nothing about the ordinary values.
      if (min && *min >= NanKey(type)) min.reset();
      if (max && *max >= NanKey(type)) max.reset();
    }
  }
  if (min && max && *max < *min) {
    min.reset();
    max.reset();
  }
  if constexpr (std::is_same_v<K, Int128>) {
    // What is known without any bound: ordinary values lie below NaN.
    if (type.is_floating() && !max) max = NanKey(type) - 1;
  }
  return keys.Judge(min, max);
}

}  // namespace

Verdict JudgeLeaf(const Leaf& leaf, const ColumnType& type, const ColumnBounds& bounds) {
  const Overlap keys = std::visit([&](const auto& set) { return JudgeKeys(set, type, bounds); }, leaf.keys);
  return FoldNulls(leaf, type, keys, bounds.null_count, bounds.nan_count, bounds.row_count);
}

Verdict FoldNulls(const Leaf& leaf, const ColumnType& type, Overlap keys, std::optional<int64_t> null_count,
                  std::optional<int64_t> nan_count, std::optional<int64_t> row_count) {
  const Counts counts = CheckedCounts(type, null_count, nan_count, row_count);
  if (counts.rows == 0) return Verdict::kNone;
  // The leaf itself may know more than the bounds did.
  if (leaf.keys_empty()) keys = Overlap::kNone;
  if (leaf.keys_all()) keys = Overlap::kAll;

  const Content content = ContentOf(type, counts);
  const bool nan_matches = content.nans && HoldsNan(leaf, type);
  const bool any = (content.ordinary && keys != Overlap::kNone) || nan_matches || (content.nulls && leaf.matches_null);
  if (!any) return Verdict::kNone;

  // The keys of an inexact leaf are a superset of its matches, so they can never prove that all match.
  const bool every_ordinary = !content.ordinary || (leaf.is_exact() && keys == Overlap::kAll);
  const bool every_nan = !content.nans || (leaf.is_exact() && nan_matches);
  const bool every_null = !content.nulls || leaf.matches_null;
  return every_ordinary && every_nan && every_null ? Verdict::kAll : Verdict::kSome;
}

Verdict JudgePredicate(const Predicate& predicate, const std::function<Verdict(const Leaf&)>& judge) {
  switch (predicate.kind) {
    case Predicate::Kind::kTrue:
      return Verdict::kAll;
    case Predicate::Kind::kFalse:
      return Verdict::kNone;
    case Predicate::Kind::kLeaf:
      return judge(predicate.leaf);
    case Predicate::Kind::kAnd:
    case Predicate::Kind::kOr:
      break;
  }
  const bool is_and = predicate.kind == Predicate::Kind::kAnd;
  const Verdict decides = is_and ? Verdict::kNone : Verdict::kAll;
  Verdict result = is_and ? Verdict::kAll : Verdict::kNone;
  for (const Predicate& child : predicate.children) {
    const Verdict verdict = JudgePredicate(child, judge);
    if (verdict == decides) return decides;
    if (verdict == Verdict::kSome) result = Verdict::kSome;
  }
  return result;
}

}  // namespace frazil::expr
