// SPDX-License-Identifier: Apache-2.0
//
// MissFilter: a small bit table in front of a hash table. Of the values asked of a long IN list nearly all are misses;
// one bit, in a table that fits the first-level cache, answers most of them without touching the list.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace frazil::expr {

// Mixes all of `word` into the high bits.
inline uint64_t MixedHash(uint64_t word) {
  word ^= word >> 32;
  return word * 0x9E3779B97F4A7C15ull;
}

// Cheap, and good enough for a filter: the length, the first and the last eight bytes.
inline uint64_t EndsHash(std::string_view text) {
  uint64_t first = 0;
  uint64_t last = 0;
  if (text.size() >= 8) {
    std::memcpy(&first, text.data(), 8);
    std::memcpy(&last, text.data() + text.size() - 8, 8);
  } else if (!text.empty()) {
    std::memcpy(&first, text.data(), text.size());
  }
  return MixedHash(MixedHash(first + text.size()) ^ last);
}

class MissFilter {
 public:
  // About 16 bits a member: some 6% of the misses get through.
  explicit MissFilter(size_t member_count = 0) {
    const size_t bit_count = std::bit_ceil(16 * member_count + 64);
    shift_ = 64 - std::countr_zero(bit_count);
    words_.assign(bit_count / 64, 0);
  }

  void Add(uint64_t hash) { words_[(hash >> shift_) / 64] |= uint64_t{1} << ((hash >> shift_) % 64); }
  bool MayHold(uint64_t hash) const { return (words_[(hash >> shift_) / 64] >> ((hash >> shift_) % 64)) & 1; }

 private:
  std::vector<uint64_t> words_;
  int shift_ = 58;
};

}  // namespace frazil::expr
