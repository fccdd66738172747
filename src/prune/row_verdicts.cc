// SPDX-License-Identifier: Apache-2.0
#include "src/prune/row_verdicts.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace frazil::prune {

using expr::Predicate;
using expr::Verdict;

namespace {

constexpr size_t kPartsMax = 32;
constexpr int64_t kFewRuns = 16;

// `rows` cut so that each leaf has one verdict on all rows of a part.
std::vector<RowRanges> PartByVerdicts(const Predicate& predicate, const RowRanges& rows,
                                      const std::function<RowVerdicts(const expr::Leaf&)>& judge) {
  std::vector<RowRanges> parts{rows};
  for (const expr::Leaf* leaf : LeavesOf(predicate)) {
    const RowVerdicts verdicts = judge(*leaf);
    std::vector<RowRanges> finer;
    for (const RowRanges& part : parts) {
      const RowRanges maybe = part.Intersect(verdicts.maybe);
      for (RowRanges& piece : std::vector<RowRanges>{part.Difference(maybe), maybe.Intersect(verdicts.proven),
                                                     maybe.Difference(verdicts.proven)}) {
        if (!piece.empty()) finer.push_back(std::move(piece));
      }
    }
    parts = std::move(finer);
    if (parts.size() > kPartsMax) return {rows};
  }
  return parts;
}

}  // namespace

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

std::vector<RowsToAsk> PartByResidual(const Predicate& predicate, const RowRanges& rows,
                                      const std::function<RowVerdicts(const expr::Leaf&)>& judge,
                                      int64_t run_rows_min) {
  if (rows.empty()) return {};
  RowsToAsk whole{rows, Simplify(predicate, rows, judge)};
  const std::vector<int> columns = whole.residual.Columns();
  if (columns.size() < 2) return {std::move(whole)};
  std::vector<RowsToAsk> parts;
  RowRanges need_all;
  for (RowRanges& part : PartByVerdicts(predicate, rows, judge)) {
    Predicate residual = Simplify(predicate, part, judge);
    if (residual.Columns() == columns) {
      need_all = need_all.Union(part);
    } else {
      parts.push_back({std::move(part), std::move(residual)});
    }
  }
  if (!need_all.empty()) {
    Predicate residual = Simplify(predicate, need_all, judge);
    parts.push_back({std::move(need_all), std::move(residual)});
  }
  int64_t run_count = 0;
  for (const RowsToAsk& part : parts) run_count += static_cast<int64_t>(part.rows.runs().size());
  if (run_count > kFewRuns && rows.count() / run_count < run_rows_min) return {std::move(whole)};
  std::sort(parts.begin(), parts.end(), [](const RowsToAsk& a, const RowsToAsk& b) {
    return a.rows.runs().front().begin < b.rows.runs().front().begin;
  });
  return parts;
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
