// SPDX-License-Identifier: Apache-2.0
#include "src/base/row_ranges.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace frazil {

namespace {

using Runs = std::vector<RowRange>;

// The first run whose end lies above `row`: the only one that can hold it.
Runs::const_iterator FirstEndingAfter(const Runs& runs, int64_t row) {
  return std::partition_point(runs.begin(), runs.end(), [row](const RowRange& run) { return run.end <= row; });
}

}  // namespace

RowRanges::RowRanges(std::initializer_list<RowRange> runs) : RowRanges(FromUnsorted(Runs(runs))) {}

RowRanges RowRanges::FromUnsorted(std::vector<RowRange> runs) {
  std::erase_if(runs, [](const RowRange& run) { return run.begin >= run.end; });
  std::sort(runs.begin(), runs.end(), [](const RowRange& a, const RowRange& b) { return a.begin < b.begin; });
  size_t kept = 0;  // runs[0, kept) are normal
  for (const RowRange& run : runs) {
    if (kept > 0 && run.begin <= runs[kept - 1].end) {
      runs[kept - 1].end = std::max(runs[kept - 1].end, run.end);
    } else {
      runs[kept++] = run;
    }
  }
  runs.resize(kept);
  RowRanges result;
  result.runs_ = std::move(runs);
  return result;
}

RowRanges RowRanges::Of(int64_t begin, int64_t end) {
  RowRanges result;
  result.Append(begin, end);
  return result;
}

void RowRanges::Append(int64_t begin, int64_t end) {
  if (begin >= end) return;
  assert(runs_.empty() || begin >= runs_.back().end);
  if (!runs_.empty() && begin == runs_.back().end) {
    runs_.back().end = end;
  } else {
    runs_.push_back({begin, end});
  }
}

int64_t RowRanges::count() const {
  int64_t rows = 0;
  for (const RowRange& run : runs_) rows += run.count();
  return rows;
}

bool RowRanges::Contains(int64_t row) const {
  auto run = FirstEndingAfter(runs_, row);
  return run != runs_.end() && run->begin <= row;
}

bool RowRanges::Covers(const RowRanges& other) const {
  // Runs are maximal, so each run of `other` must lie inside a single run of this set.
  auto run = runs_.begin();
  for (const RowRange& wanted : other.runs_) {
    while (run != runs_.end() && run->end < wanted.end) ++run;
    if (run == runs_.end() || run->begin > wanted.begin) return false;
  }
  return true;
}

bool RowRanges::Overlaps(const RowRanges& other) const {
  auto a = runs_.begin();
  auto b = other.runs_.begin();
  while (a != runs_.end() && b != other.runs_.end()) {
    if (a->end <= b->begin) {
      ++a;
    } else if (b->end <= a->begin) {
      ++b;
    } else {
      return true;
    }
  }
  return false;
}

bool RowRanges::Overlaps(int64_t begin, int64_t end) const {
  if (begin >= end) return false;
  auto run = FirstEndingAfter(runs_, begin);
  return run != runs_.end() && run->begin < end;
}

RowRanges RowRanges::Union(const RowRanges& other) const {
  RowRanges result;
  result.runs_.reserve(runs_.size() + other.runs_.size());
  auto a = runs_.begin();
  auto b = other.runs_.begin();
  while (a != runs_.end() || b != other.runs_.end()) {
    const bool take_a = b == other.runs_.end() || (a != runs_.end() && a->begin <= b->begin);
    const RowRange next = take_a ? *a++ : *b++;
    if (!result.runs_.empty() && next.begin <= result.runs_.back().end) {
      result.runs_.back().end = std::max(result.runs_.back().end, next.end);
    } else {
      result.runs_.push_back(next);
    }
  }
  return result;
}

RowRanges RowRanges::Intersect(const RowRanges& other) const {
  RowRanges result;
  auto a = runs_.begin();
  auto b = other.runs_.begin();
  while (a != runs_.end() && b != other.runs_.end()) {
    result.Append(std::max(a->begin, b->begin), std::min(a->end, b->end));
    if (a->end < b->end) {
      ++a;
    } else {
      ++b;
    }
  }
  return result;
}

RowRanges RowRanges::Difference(const RowRanges& other) const {
  RowRanges result;
  auto hole = other.runs_.begin();
  for (const RowRange& run : runs_) {
    int64_t begin = run.begin;
    while (hole != other.runs_.end() && hole->end <= begin) ++hole;
    // A hole that reaches past this run is looked at again for the next one.
    for (auto h = hole; h != other.runs_.end() && h->begin < run.end; ++h) {
      result.Append(begin, h->begin);
      begin = h->end;
      hole = h;
    }
    result.Append(begin, run.end);
  }
  return result;
}

RowRanges RowRanges::Slice(int64_t begin, int64_t end) const {
  RowRanges result;
  for (auto run = FirstEndingAfter(runs_, begin); run != runs_.end() && run->begin < end; ++run) {
    result.Append(std::max(run->begin, begin), std::min(run->end, end));
  }
  return result;
}

RowRanges RowRanges::First(int64_t row_count) const { return SliceByRank(0, row_count); }

RowRanges RowRanges::SliceByRank(int64_t begin_rank, int64_t end_rank) const {
  begin_rank = std::max<int64_t>(begin_rank, 0);
  RowRanges result;
  int64_t rank = 0;  // of the run's first row
  for (const RowRange& run : runs_) {
    if (rank >= end_rank) break;
    const int64_t skip = std::max<int64_t>(begin_rank - rank, 0);
    const int64_t stop = std::min(run.count(), end_rank - rank);
    if (skip < stop) result.Append(run.begin + skip, run.begin + stop);
    rank += run.count();
  }
  return result;
}

RowRanges RowRanges::Shift(int64_t offset) const {
  RowRanges result = *this;
  for (RowRange& run : result.runs_) {
    run.begin += offset;
    run.end += offset;
  }
  return result;
}

RowRanges RowRanges::Select(const RowRanges& ranks) const {
  RowRanges result;
  int64_t rank = 0;  // of the run's first row
  auto wanted = ranks.runs_.begin();
  for (const RowRange& run : runs_) {
    const int64_t end_rank = rank + run.count();
    while (wanted != ranks.runs_.end() && wanted->begin < end_rank) {
      const int64_t first = std::max(wanted->begin, rank);
      const int64_t last = std::min(wanted->end, end_rank);
      if (first < last) result.Append(run.begin + (first - rank), run.begin + (last - rank));
      if (wanted->end > end_rank) break;  // goes on in the next run
      ++wanted;
    }
    rank = end_rank;
  }
  return result;
}

std::string RowRanges::ToString() const {
  std::string text;
  for (const RowRange& run : runs_) {
    if (!text.empty()) text += ' ';
    text += '[' + std::to_string(run.begin) + ',' + std::to_string(run.end) + ')';
  }
  return text;
}

}  // namespace frazil
