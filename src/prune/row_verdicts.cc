// SPDX-License-Identifier: Apache-2.0
#include "src/prune/row_verdicts.h"

#include <utility>
#include <vector>

namespace frazil::prune {

using expr::Predicate;
using expr::Verdict;

RowVerdicts RowVerdicts::Of(Verdict verdict, int64_t row_count) {
  RowVerdicts rows;
  if (verdict != Verdict::kNone) rows.maybe = RowRanges::Of(0, row_count);
  if (verdict == Verdict::kAll) rows.proven = rows.maybe;
  return rows;
}

RowVerdicts And(const RowVerdicts& a, const RowVerdicts& b) {
  return {a.maybe.Intersect(b.maybe), a.proven.Intersect(b.proven)};
}

RowVerdicts Or(const RowVerdicts& a, const RowVerdicts& b) {
  return {a.maybe.Union(b.maybe), a.proven.Union(b.proven)};
}

RowVerdicts Combine(const Predicate& predicate, int64_t row_count,
                    const std::function<RowVerdicts(const expr::Leaf&)>& judge) {
  switch (predicate.kind) {
    case Predicate::Kind::kTrue:
      return RowVerdicts::Of(Verdict::kAll, row_count);
    case Predicate::Kind::kFalse:
      return {};
    case Predicate::Kind::kLeaf:
      return judge(predicate.leaf);
    case Predicate::Kind::kAnd: {
      RowVerdicts all = RowVerdicts::Of(Verdict::kAll, row_count);
      for (const Predicate& child : predicate.children) {
        all = And(all, Combine(child, row_count, judge));
        if (all.maybe.empty()) break;
      }
      return all;
    }
    case Predicate::Kind::kOr: {
      RowVerdicts any;
      for (const Predicate& child : predicate.children) any = Or(any, Combine(child, row_count, judge));
      return any;
    }
  }
  return RowVerdicts::Unknown(row_count);
}

Predicate Simplify(const Predicate& predicate, const RowRanges& rows,
                   const std::function<RowVerdicts(const expr::Leaf&)>& judge) {
  if (predicate.kind == Predicate::Kind::kLeaf) {
    const RowVerdicts verdicts = judge(predicate.leaf);
    if (verdicts.proven.Covers(rows)) return Predicate::True();
    if (!verdicts.maybe.Overlaps(rows)) return Predicate::False();
    return predicate;
  }
  std::vector<Predicate> children;
  for (const Predicate& child : predicate.children) children.push_back(Simplify(child, rows, judge));
  if (predicate.kind == Predicate::Kind::kAnd) return Predicate::And(std::move(children));
  if (predicate.kind == Predicate::Kind::kOr) return Predicate::Or(std::move(children));
  return predicate;
}

bool CanBeNone(const Predicate& predicate, const std::function<bool(const expr::Leaf&)>& can_be_none,
               std::vector<const expr::Leaf*>* needed) {
  if (predicate.kind == Predicate::Kind::kTrue) return false;
  if (predicate.kind == Predicate::Kind::kFalse) return true;
  if (predicate.kind == Predicate::Kind::kLeaf) {
    const bool none = can_be_none(predicate.leaf);
    if (none) needed->push_back(&predicate.leaf);
    return none;
  }
  const size_t before = needed->size();
  const bool is_and = predicate.kind == Predicate::Kind::kAnd;
  bool none = !is_and;
  for (const Predicate& child : predicate.children) {
    const bool of_child = CanBeNone(child, can_be_none, needed);
    none = is_and ? none || of_child : none && of_child;
  }
  if (!none) needed->resize(before);
  return none;
}

std::vector<const expr::Leaf*> LeavesOf(const Predicate& predicate) {
  std::vector<const expr::Leaf*> leaves;
  if (predicate.kind == Predicate::Kind::kLeaf) leaves.push_back(&predicate.leaf);
  for (const Predicate& child : predicate.children) {
    const auto of_child = LeavesOf(child);
    leaves.insert(leaves.end(), of_child.begin(), of_child.end());
  }
  return leaves;
}

}  // namespace frazil::prune
