// SPDX-License-Identifier: Apache-2.0
//
// RowRanges: a set of row ordinals as sorted, disjoint, non-empty, non-adjacent half-open runs. The one
// currency below a file: pages, row groups, splits, deletes, limits and secondary indexes all speak it.
//
//   RowRanges a{{0, 10}, {20, 30}};
//   a.Intersect(RowRanges::Of(5, 25))   ->  {5,10} {20,25}
//
// A value: cheap to move, never changed behind a caller's back. All operations are linear in the runs.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace frazil {

struct RowRange {
  int64_t begin = 0;
  int64_t end = 0;

  int64_t count() const { return end - begin; }
  bool operator==(const RowRange&) const = default;
};

class RowRanges {
 public:
  RowRanges() = default;
  // Any order, overlaps and empty runs allowed: they are normalised.
  RowRanges(std::initializer_list<RowRange> runs);
  static RowRanges FromUnsorted(std::vector<RowRange> runs);
  // One run; empty when begin >= end.
  static RowRanges Of(int64_t begin, int64_t end);

  // Appends a run at the end; adjacent runs are merged, an empty run is ignored.
  // REQUIRES: begin >= the end of the last run.
  void Append(int64_t begin, int64_t end);

  bool empty() const { return runs_.empty(); }
  // Number of rows (not of runs).
  int64_t count() const;
  const std::vector<RowRange>& runs() const& { return runs_; }
  // Of a temporary: moved out, so that `for (run : a.Union(b).runs())` does not dangle.
  std::vector<RowRange> runs() && { return std::move(runs_); }
  bool Contains(int64_t row) const;
  // True when every row of `other` is in this set.
  bool Covers(const RowRanges& other) const;
  bool Overlaps(const RowRanges& other) const;
  bool Overlaps(int64_t begin, int64_t end) const;

  RowRanges Union(const RowRanges& other) const;
  RowRanges Intersect(const RowRanges& other) const;
  RowRanges Difference(const RowRanges& other) const;
  // Rows of this set inside [begin, end).
  RowRanges Slice(int64_t begin, int64_t end) const;
  // The first `row_count` rows.
  RowRanges First(int64_t row_count) const;
  // Rows of this set by rank: those whose ordinal within the set is in [begin_rank, end_rank).
  RowRanges SliceByRank(int64_t begin_rank, int64_t end_rank) const;
  // Every row moved by `offset`.
  RowRanges Shift(int64_t offset) const;
  // `ranks` are ordinals within this set; the rows that they name. Inverse of ranking.
  RowRanges Select(const RowRanges& ranks) const;

  bool operator==(const RowRanges&) const = default;
  // "[0,10) [20,30)"
  std::string ToString() const;

 private:
  std::vector<RowRange> runs_;
};

}  // namespace frazil
