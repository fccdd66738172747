// SPDX-License-Identifier: Apache-2.0
//
// What a skipping level says of the rows of one row group: which may match, and which must. Every level below the file
// answers in these terms, leaf by leaf; the tree of the predicate combines them: AND intersects, OR unions, both for
// "may" and for "must". So an OR across columns prunes pages, and a row proven by every part needs no filter.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "src/base/row_ranges.h"
#include "src/expr/bounds.h"
#include "src/expr/predicate.h"

namespace frazil::prune {

// Rows are ordinals in the row group. Invariant: maybe covers proven.
struct RowVerdicts {
  RowRanges maybe;
  RowRanges proven;

  static RowVerdicts Of(expr::Verdict verdict, int64_t row_count);
  static RowVerdicts Unknown(int64_t row_count) { return Of(expr::Verdict::kSome, row_count); }
};

RowVerdicts And(const RowVerdicts& a, const RowVerdicts& b);
RowVerdicts Or(const RowVerdicts& a, const RowVerdicts& b);

// Combines the verdicts of the leaves. AND stops early when nothing is left.
RowVerdicts Combine(const expr::Predicate& predicate, int64_t row_count,
                    const std::function<RowVerdicts(const expr::Leaf&)>& judge);

// The predicate that is left to ask of `rows`: leaves proven on all of them become true, leaves that match none of
// them become false. What remains names the columns that still have to be read.
expr::Predicate Simplify(const expr::Predicate& predicate, const RowRanges& rows,
                         const std::function<RowVerdicts(const expr::Leaf&)>& judge);

// Rows that are asked the same.
struct RowsToAsk {
  RowRanges rows;
  expr::Predicate residual;
};

// Parts `rows` by what is left to ask of them, so that no column is read where it is settled: of `a = 1 OR b = 2`, the
// rows that a excludes are asked b alone; of `a > 1 AND b = 2`, those on which a is proven. Disjoint, their union is
// `rows`, ordered by their first rows. Rows that need every column stay together, and so does everything when the parts
// would have more than a few runs of fewer than `run_rows_min` rows on average: such crumbs cost more than they save.
std::vector<RowsToAsk> PartByResidual(const expr::Predicate& predicate, const RowRanges& rows,
                                      const std::function<RowVerdicts(const expr::Leaf&)>& judge,
                                      int64_t run_rows_min = 512);

// Whether a row group is ruled out if every question that can still be asked of it is answered with no. `can_be_none`:
// of one leaf. The leaves that it takes are appended to `needed`; for an AND, those of every side that would do.
bool CanBeNone(const expr::Predicate& predicate, const std::function<bool(const expr::Leaf&)>& can_be_none,
               std::vector<const expr::Leaf*>* needed);

// The leaves of the tree, from left to right.
std::vector<const expr::Leaf*> LeavesOf(const expr::Predicate& predicate);

}  // namespace frazil::prune
