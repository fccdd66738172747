// SPDX-License-Identifier: Apache-2.0
//
// MurmurHash3_x86_32 with seed 0, after the description in the Iceberg table specification, Appendix B.
#include <bit>
#include <cstdint>
#include <string_view>

#include "src/iceberg/transform.h"

namespace frazil::iceberg {
namespace {

constexpr uint32_t kFactor1 = 0xcc9e2d51;
constexpr uint32_t kFactor2 = 0x1b873593;

uint32_t Scramble(uint32_t block) { return std::rotl(block * kFactor1, 15) * kFactor2; }

// Up to four bytes, the first one lowest.
uint32_t Block(std::string_view bytes) {
  uint32_t block = 0;
  for (size_t i = bytes.size(); i-- > 0;) block = block << 8 | static_cast<uint8_t>(bytes[i]);
  return block;
}

}  // namespace

uint32_t Murmur3(std::string_view bytes) {
  uint32_t hash = 0;
  const auto length = static_cast<uint32_t>(bytes.size());
  for (; bytes.size() >= 4; bytes.remove_prefix(4)) {
    hash = std::rotl(hash ^ Scramble(Block(bytes.substr(0, 4))), 13) * 5 + 0xe6546b64;
  }
  if (!bytes.empty()) hash ^= Scramble(Block(bytes));
  hash ^= length;
  hash = (hash ^ hash >> 16) * 0x85ebca6b;
  hash = (hash ^ hash >> 13) * 0xc2b2ae35;
  return hash ^ hash >> 16;
}

}  // namespace frazil::iceberg
