// SPDX-License-Identifier: Apache-2.0
//
// IntervalSet: the set of keys that a comparison accepts, as sorted, disjoint, non-adjacent half-open
// intervals. Every comparison of the filter language is one of these: "x <> 3" is two intervals, an IN list
// of 5,000 values 5,000 points, LIKE 'ab%' is ['ab','ac'). Pruning and row filtering then are interval
// questions, asked in O(log intervals).
//
// K is Int128 or std::string; a string's successor is itself followed by a zero byte, so that half-open
// intervals express every open and closed bound.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/expr/type.h"

namespace frazil::expr {

// How a set of keys relates to a closed range of them.
enum class Overlap { kNone, kSome, kAll };

template <typename K>
struct KeyTraits;

template <>
struct KeyTraits<Int128> {
  using View = Int128;
  // No key of any type lies below: a decimal of 38 digits reaches -10^38, and 16 stored bytes reach -2^127.
  static constexpr Int128 kLeast = std::numeric_limits<Int128>::min();
  static Int128 Least() { return kLeast; }
  static Int128 Successor(Int128 key) { return key + 1; }
  // Whether nothing lies between `key` and `next`: next == Successor(key).
  static bool IsSuccessor(Int128 key, Int128 next) { return key + 1 == next; }
};

template <>
struct KeyTraits<std::string> {
  using View = std::string_view;
  static std::string Least() { return {}; }
  static std::string Successor(std::string_view key) { return std::string(key) + '\0'; }
  static bool IsSuccessor(std::string_view key, std::string_view next) {
    return next.size() == key.size() + 1 && next.back() == '\0' && next.substr(0, key.size()) == key;
  }
};

template <typename K>
struct Interval {
  K begin = KeyTraits<K>::Least();
  std::optional<K> end;  // unset: no upper bound

  bool operator==(const Interval&) const = default;
  // True when the interval holds one key.
  bool is_point() const { return end.has_value() && KeyTraits<K>::IsSuccessor(begin, *end); }
};

template <typename K>
class IntervalSet {
 public:
  using Traits = KeyTraits<K>;
  using View = typename Traits::View;

  IntervalSet() = default;
  static IntervalSet All();
  static IntervalSet None() { return {}; }
  static IntervalSet Point(K key);
  // Keys in [begin, end); end unset means no upper bound.
  static IntervalSet Range(K begin, std::optional<K> end);
  static IntervalSet Points(std::vector<K> keys);  // any order, duplicates allowed

  IntervalSet Union(const IntervalSet& other) const;
  IntervalSet Intersect(const IntervalSet& other) const;
  IntervalSet Complement() const;

  bool empty() const { return intervals_.empty(); }
  bool is_all() const { return intervals_.size() == 1 && intervals_[0].begin == Traits::Least() && !intervals_[0].end; }
  const std::vector<Interval<K>>& intervals() const { return intervals_; }

  bool Contains(View key) const;
  // How the closed range [min, max] relates to this set; an unset bound is infinite.
  // O(log intervals). REQUIRES: min <= max when both are set.
  Overlap Judge(std::optional<View> min, std::optional<View> max) const;

  bool operator==(const IntervalSet&) const = default;

 private:
  // The first interval whose end lies above `key`.
  typename std::vector<Interval<K>>::const_iterator FirstEndingAfter(View key) const {
    return std::partition_point(intervals_.begin(), intervals_.end(), [&](const Interval<K>& interval) {
      return interval.end.has_value() && View(*interval.end) <= key;
    });
  }

  std::vector<Interval<K>> intervals_;
};

extern template class IntervalSet<Int128>;
extern template class IntervalSet<std::string>;

}  // namespace frazil::expr
