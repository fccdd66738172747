// SPDX-License-Identifier: Apache-2.0
//
// The union of many interval sets, pairwise as a tree: thousands of them must not cost a square.
#pragma once

#include <span>

#include "src/expr/interval_set.h"

namespace frazil::expr {

template <typename K>
IntervalSet<K> UnionOf(std::span<const IntervalSet<K>> sets) {
  if (sets.empty()) return {};
  if (sets.size() == 1) return sets.front();
  const size_t middle = sets.size() / 2;
  return UnionOf(sets.first(middle)).Union(UnionOf(sets.subspan(middle)));
}

}  // namespace frazil::expr
