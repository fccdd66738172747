// SPDX-License-Identifier: Apache-2.0
#include "src/expr/interval_set.h"

#include <type_traits>
#include <utility>

namespace frazil::expr {

namespace {

// Whether an interval that ends at `a` ends before one that ends at `b`; unset is the greatest.
template <typename K>
bool EndsBefore(const std::optional<K>& a, const std::optional<K>& b) {
  return a.has_value() && (!b.has_value() || *a < *b);
}

// Appends an interval that begins no earlier than the last one; those that overlap or touch become one.
template <typename K>
void AppendMerged(std::vector<Interval<K>>& intervals, Interval<K> next) {
  if (intervals.empty()) {
    intervals.push_back(std::move(next));
    return;
  }
  Interval<K>& last = intervals.back();
  if (last.end.has_value() && *last.end < next.begin) {
    intervals.push_back(std::move(next));
  } else if (EndsBefore(last.end, next.end)) {
    last.end = std::move(next.end);
  }
}

}  // namespace

template <typename K>
IntervalSet<K> IntervalSet<K>::All() {
  return Range(Traits::Least(), std::nullopt);
}

template <typename K>
IntervalSet<K> IntervalSet<K>::Point(K key) {
  if constexpr (std::is_same_v<K, Int128>) {
    // The greatest integer has no successor; nothing lies above it either.
    if (key == std::numeric_limits<Int128>::max()) return Range(key, std::nullopt);
  }
  K end = Traits::Successor(key);
  return Range(std::move(key), std::move(end));
}

template <typename K>
IntervalSet<K> IntervalSet<K>::Range(K begin, std::optional<K> end) {
  IntervalSet result;
  if (!end.has_value() || begin < *end) result.intervals_.push_back({std::move(begin), std::move(end)});
  return result;
}

template <typename K>
IntervalSet<K> IntervalSet<K>::Points(std::vector<K> keys) {
  std::sort(keys.begin(), keys.end());
  IntervalSet result;
  result.intervals_.reserve(keys.size());
  for (K& key : keys) AppendMerged(result.intervals_, std::move(Point(std::move(key)).intervals_.front()));
  return result;
}

template <typename K>
IntervalSet<K> IntervalSet<K>::Union(const IntervalSet& other) const {
  IntervalSet result;
  result.intervals_.reserve(intervals_.size() + other.intervals_.size());
  auto a = intervals_.begin();
  auto b = other.intervals_.begin();
  while (a != intervals_.end() || b != other.intervals_.end()) {
    const bool take_a = b == other.intervals_.end() || (a != intervals_.end() && a->begin <= b->begin);
    AppendMerged(result.intervals_, take_a ? *a++ : *b++);
  }
  return result;
}

template <typename K>
IntervalSet<K> IntervalSet<K>::Intersect(const IntervalSet& other) const {
  IntervalSet result;
  if (empty() || other.empty()) return result;
  // Of thousands of points, mostly a few lie in a range: the others are stepped over at once.
  auto a = FirstEndingAfter(View(other.intervals_.front().begin));
  auto b = other.FirstEndingAfter(View(intervals_.front().begin));
  while (a != intervals_.end() && b != other.intervals_.end()) {
    const bool a_ends_first = EndsBefore(a->end, b->end);
    const K& begin = a->begin < b->begin ? b->begin : a->begin;
    const std::optional<K>& end = a_ends_first ? a->end : b->end;
    // Two cuts of disjoint, non-adjacent intervals stay so: no merging is needed.
    if (!end.has_value() || begin < *end) result.intervals_.push_back({begin, end});
    if (a_ends_first) {
      ++a;
    } else {
      ++b;
    }
  }
  return result;
}

template <typename K>
IntervalSet<K> IntervalSet<K>::Complement() const {
  IntervalSet result;
  result.intervals_.reserve(intervals_.size() + 1);
  std::optional<K> begin = Traits::Least();  // of the gap that is open; unset: the last interval had no end
  for (const Interval<K>& interval : intervals_) {
    if (*begin < interval.begin) result.intervals_.push_back({*begin, interval.begin});
    begin = interval.end;
  }
  if (begin.has_value()) result.intervals_.push_back({*std::move(begin), std::nullopt});
  return result;
}

template <typename K>
bool IntervalSet<K>::Contains(View key) const {
  auto interval = FirstEndingAfter(key);
  return interval != intervals_.end() && View(interval->begin) <= key;
}

template <typename K>
Overlap IntervalSet<K>::Judge(std::optional<View> min, std::optional<View> max) const {
  // Intervals are maximal, so the range lies inside the set only if it lies inside the first interval it can touch.
  const K least = Traits::Least();
  const View low = min.has_value() ? *min : View(least);
  auto interval = FirstEndingAfter(low);
  if (interval == intervals_.end()) return Overlap::kNone;
  if (max.has_value() && *max < View(interval->begin)) return Overlap::kNone;
  if (low < View(interval->begin)) return Overlap::kSome;
  if (!interval->end.has_value()) return Overlap::kAll;
  return max.has_value() && *max < View(*interval->end) ? Overlap::kAll : Overlap::kSome;
}

template class IntervalSet<Int128>;
template class IntervalSet<std::string>;

}  // namespace frazil::expr
