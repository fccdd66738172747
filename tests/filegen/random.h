// SPDX-License-Identifier: Apache-2.0
//
// Random: choices from a seed, the same on every machine and library (the standard distributions are not).
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <vector>

namespace frazil::filegen {

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}

  uint64_t Bits() { return engine_(); }
  // 0 to bound - 1. REQUIRES: bound > 0. The bias of the modulo is of no account here.
  int64_t Below(int64_t bound) { return static_cast<int64_t>(engine_() % static_cast<uint64_t>(bound)); }
  // low to high, both included.
  int64_t Between(int64_t low, int64_t high) { return low + Below(high - low + 1); }
  bool Percent(int percent) { return Below(100) < percent; }
  template <typename T>
  T Pick(std::initializer_list<T> choices) {
    return choices.begin()[Below(static_cast<int64_t>(choices.size()))];
  }
  template <typename T>
  const T& Pick(const std::vector<T>& choices) {
    return choices[static_cast<size_t>(Below(static_cast<int64_t>(choices.size())))];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace frazil::filegen
