// SPDX-License-Identifier: Apache-2.0
//
// How much the bounds of containers overlap.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "frazil/audit.h"

namespace frazil::layout {

// Bounds of containers of one column, as keys of either kind.
template <typename Key>
struct BoundsList {
  std::vector<Key> mins;
  std::vector<Key> maxs;

  void Add(Key min, Key max) {
    mins.push_back(std::move(min));
    maxs.push_back(std::move(max));
  }
};

// A value halfway between two bounds.
template <typename Number>
Number Middle(const Number& min, const Number& max) {
  return min / 2 + max / 2 + (min % 2 + max % 2) / 2;  // the difference may not fit
}
// Of text: halfway by the eight bytes behind what both begin with.
std::string Middle(const std::string& min, const std::string& max);

// Within how many containers' bounds lies the middle of a container's own? Not the bounds themselves, which lie at the
// edges of all when rows are mixed. O(n log n).
template <typename Key>
Clustering ClusteringOf(const BoundsList<Key>& bounds) {
  Clustering clustering;
  clustering.count = static_cast<int64_t>(bounds.mins.size());
  if (clustering.count == 0) return clustering;
  std::vector<Key> mins = bounds.mins;
  std::vector<Key> maxs = bounds.maxs;
  std::sort(mins.begin(), mins.end());
  std::sort(maxs.begin(), maxs.end());
  double hits = 0;
  for (size_t i = 0; i < bounds.mins.size(); ++i) {
    const Key middle = Middle(bounds.mins[i], bounds.maxs[i]);
    const auto begun = std::upper_bound(mins.begin(), mins.end(), middle) - mins.begin();
    const auto ended = std::lower_bound(maxs.begin(), maxs.end(), middle) - maxs.begin();
    hits += static_cast<double>(begun - ended);
  }
  clustering.hit_mean = hits / static_cast<double>(clustering.count);
  return clustering;
}

}  // namespace frazil::layout
