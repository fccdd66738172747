// SPDX-License-Identifier: Apache-2.0
//
// Split-block bloom filters. A filter is a Thrift header and a bitset of blocks of 32 bytes; a value maps to one block,
// in which it sets eight bits. So a question needs the header and 32 bytes, wherever the rest lies.
//
// Any number of blocks is read, not only powers of two. What is hashed is the value's PLAIN encoding without a length:
// prune/bloom.h makes it. No I/O here.
// Source: parquet-format BloomFilter.md; parquet.thrift BloomFilterHeader, ColumnMetaData.bloom_filter_offset, _length.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <arrow/result.h>

#include "frazil/error.h"

namespace frazil::parquet {

inline constexpr int64_t kBloomBlockBytes = 32;
// A header is 15 to 19 bytes as every known writer encodes it; one that does not end within so many is refused.
inline constexpr int64_t kBloomHeaderBytesMax = 64;

// Where the parts of a filter lie in the file.
struct BloomFilterShape {
  int64_t offset = 0;        // of the header
  int32_t header_bytes = 0;  // the bitset follows
  int32_t bitset_bytes = 0;  // a positive multiple of 32

  int64_t block_count() const { return bitset_bytes / kBloomBlockBytes; }
  ByteRange header() const { return {offset, header_bytes}; }
  ByteRange range() const { return {offset, int64_t{header_bytes} + bitset_bytes}; }
  // The block that a hash maps to.
  int64_t block(uint64_t hash) const {
    return static_cast<int64_t>(((hash >> 32) * static_cast<uint64_t>(block_count())) >> 32);
  }
  ByteRange block_range(int64_t block) const { return {offset + header_bytes + block * kBloomBlockBytes, 32}; }
  bool operator==(const BloomFilterShape&) const = default;
};

// The shape that a filter of `length` bytes (header and bitset) has when its header is encoded as Thrift's writers do:
// the length of the header depends on the size of the bitset alone. Unset: no such header has this length.
std::optional<BloomFilterShape> ShapeOfLength(int64_t offset, int64_t length);

// Decodes the header at the front of `bytes`, which lie at `offset`. Errors: corrupt, for what is no header, and sizes
// that are no positive multiple of 32; unsupported, for an algorithm, hash or compression other than split blocks,
// XXH64 and none. Their text is the reason.
arrow::Result<BloomFilterShape> ParseBloomFilterHeader(std::string_view bytes, int64_t offset);

// The ranges of the blocks that `hashes` map to, each block once, ascending; neighbours are one range.
std::vector<ByteRange> BlockRanges(const BloomFilterShape& shape, std::span<const uint64_t> hashes);

// XXH64 with seed 0.
uint64_t BloomHash(std::string_view bytes);

// False: no value with this hash is in the filter. REQUIRES: `block` is the 32 bytes of the hash's block.
bool BlockMayContain(std::string_view block, uint64_t hash);

}  // namespace frazil::parquet
