// SPDX-License-Identifier: Apache-2.0
//
// IntProbe: membership of native integers in a set of closed intervals, in bulk. Chooses once between a loop over few
// intervals (branch-free), a hash table (IN lists and their complements) and binary search.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "src/expr/miss_filter.h"
#include "src/expr/type.h"

namespace frazil::expr {

__extension__ typedef unsigned __int128 UInt128;

// Values from lo to hi, both included.
template <typename T>
struct ClosedInterval {
  T lo;
  T hi;
  bool operator==(const ClosedInterval&) const = default;
};

template <typename T>
struct UnsignedOf {
  using Type = std::make_unsigned_t<T>;
};
template <>
struct UnsignedOf<Int128> {
  using Type = UInt128;
};

// Calls body(i) for each i below count, in steps of a constant length: such loops are vectorised at -O2 too.
template <typename Body>
inline void ForEachRow(int64_t count, const Body& body) {
  constexpr int64_t kStep = 64;
  int64_t i = 0;
  for (; i + kStep <= count; i += kStep) {
    for (int64_t j = 0; j < kStep; ++j) body(i + j);
  }
  for (; i < count; ++i) body(i);
}

// What ProbeInterval does with out[i], given whether values[i] lies in the interval.
enum class ProbeMode { kSet, kSetNot, kOr };

template <ProbeMode mode, typename T>
inline void ProbeInterval(const T* __restrict values, int64_t count, ClosedInterval<T> interval,
                          uint8_t* __restrict out) {
  using U = typename UnsignedOf<T>::Type;
  // One unsigned comparison instead of two signed ones: values below lo wrap around to great numbers.
  const U lo = static_cast<U>(interval.lo);
  const U span = static_cast<U>(static_cast<U>(interval.hi) - lo);
  ForEachRow(count, [=](int64_t i) {
    const U distance = static_cast<U>(static_cast<U>(values[i]) - lo);
    if constexpr (mode == ProbeMode::kSet) out[i] = distance <= span;
    if constexpr (mode == ProbeMode::kSetNot) out[i] = distance > span;
    if constexpr (mode == ProbeMode::kOr) out[i] = static_cast<uint8_t>(out[i] | (distance <= span));
  });
}

template <typename T>
class IntProbe {
 public:
  using U = typename UnsignedOf<T>::Type;

  // Up to this many intervals are tried one after the other.
  static constexpr size_t kLoopIntervalsMax = 6;

  // `intervals`: ascending, disjoint, not adjacent.
  explicit IntProbe(std::vector<ClosedInterval<T>> intervals) : intervals_(std::move(intervals)) {
    if (intervals_.size() <= kLoopIntervalsMax) {
      // "Not in one interval" is cheaper than "in one of two".
      const std::vector<ClosedInterval<T>> gaps = Complement(intervals_);
      if (intervals_.size() == 2 && gaps.size() == 1) {
        intervals_ = gaps;
        way_ = Way::kGap;
      }
    } else if (MakeTable(intervals_)) {
      way_ = Way::kTable;
    } else if (MakeTable(Complement(intervals_))) {
      way_ = Way::kTableOfOthers;
    } else {
      way_ = Way::kSearch;
    }
  }

  void Match(const T* values, int64_t count, uint8_t* out) const {
    switch (way_) {
      case Way::kLoop:
        return MatchLoop(values, count, out);
      case Way::kGap:
        return ProbeInterval<ProbeMode::kSetNot>(values, count, intervals_[0], out);
      case Way::kTable:
        for (int64_t i = 0; i < count; ++i) out[i] = InTable(values[i]);
        return;
      case Way::kTableOfOthers:
        for (int64_t i = 0; i < count; ++i) out[i] = !InTable(values[i]);
        return;
      case Way::kSearch:
        for (int64_t i = 0; i < count; ++i) out[i] = Search(values[i]);
        return;
    }
  }

 private:
  enum class Way { kLoop, kGap, kTable, kTableOfOthers, kSearch };

  void MatchLoop(const T* values, int64_t count, uint8_t* out) const {
    if (intervals_.empty()) {
      std::fill_n(out, count, uint8_t{0});
      return;
    }
    ProbeInterval<ProbeMode::kSet>(values, count, intervals_[0], out);
    for (size_t k = 1; k < intervals_.size(); ++k) ProbeInterval<ProbeMode::kOr>(values, count, intervals_[k], out);
  }

  bool Search(T value) const {
    auto interval = std::partition_point(intervals_.begin(), intervals_.end(),
                                         [value](const ClosedInterval<T>& i) { return i.hi < value; });
    return interval != intervals_.end() && interval->lo <= value;
  }

  static std::vector<ClosedInterval<T>> Complement(const std::vector<ClosedInterval<T>>& intervals) {
    std::vector<ClosedInterval<T>> gaps;
    T begin = std::numeric_limits<T>::min();
    for (const ClosedInterval<T>& interval : intervals) {
      if (begin < interval.lo) gaps.push_back({begin, static_cast<T>(interval.lo - 1)});
      if (interval.hi == std::numeric_limits<T>::max()) return gaps;
      begin = static_cast<T>(interval.hi + 1);
    }
    gaps.push_back({begin, std::numeric_limits<T>::max()});
    return gaps;
  }

  // False when the intervals hold too many values for a table of each. Neighbours in an IN list make short intervals
  // of more than one value, hence the allowance.
  bool MakeTable(const std::vector<ClosedInterval<T>>& intervals) {
    const size_t value_count_max = 2 * intervals.size() + 64;
    std::vector<T> members;
    for (const ClosedInterval<T>& interval : intervals) {
      const U span = static_cast<U>(static_cast<U>(interval.hi) - static_cast<U>(interval.lo));
      if (span >= value_count_max - members.size()) return false;
      for (U k = 0; k <= span; ++k) members.push_back(static_cast<T>(static_cast<U>(interval.lo) + k));
    }
    if (!FindEmptyMark(members)) return false;
    const size_t slot_count = std::bit_ceil(2 * members.size() + 1);
    shift_ = 64 - std::countr_zero(slot_count);
    slots_.assign(slot_count, empty_);
    filter_ = MissFilter(members.size());
    for (const T member : members) {
      filter_.Add(HashOf(member));
      size_t slot = HashOf(member) >> shift_;
      while (slots_[slot] != empty_) slot = (slot + 1) & (slot_count - 1);
      slots_[slot] = member;
    }
    return true;
  }

  // A value that is no member marks free slots: the first gap of `members`, which are ascending.
  bool FindEmptyMark(const std::vector<T>& members) {
    empty_ = std::numeric_limits<T>::min();
    for (const T member : members) {
      if (member != empty_) return true;
      if (empty_ == std::numeric_limits<T>::max()) return false;
      ++empty_;
    }
    return true;
  }

  // The high bits are the mixed ones.
  static uint64_t HashOf(T value) {
    const auto word = static_cast<U>(value);
    if constexpr (sizeof(T) > 8) {
      return MixedHash(MixedHash(static_cast<uint64_t>(word)) ^ static_cast<uint64_t>(word >> 64));
    } else {
      return MixedHash(static_cast<uint64_t>(word));
    }
  }

  bool InTable(T value) const {
    const uint64_t hash = HashOf(value);
    if (!filter_.MayHold(hash)) return false;
    size_t slot = hash >> shift_;
    while (slots_[slot] != empty_) {
      if (slots_[slot] == value) return true;
      slot = (slot + 1) & (slots_.size() - 1);
    }
    return false;
  }

  std::vector<ClosedInterval<T>> intervals_;
  Way way_ = Way::kLoop;
  MissFilter filter_;
  std::vector<T> slots_;  // a power of two, at most half full
  T empty_{};
  int shift_ = 64;
};

}  // namespace frazil::expr
