// SPDX-License-Identifier: Apache-2.0
//
// The header of a bloom filter, and the filter behind it as far as the bytes go: what is parsed is bounded, depends on
// the header's own bytes alone, and every block lies in the filter.
#include "src/parquet/bloom_filter.h"

#include "tests/fuzz/target.h"

namespace frazil::fuzz {
namespace {

void Check(std::string_view bytes) {
  constexpr int64_t kOffset = 1000;
  const auto shape = parquet::ParseBloomFilterHeader(bytes, kOffset);
  if (!shape.ok()) return;
  Require(shape->header_bytes > 0 && static_cast<size_t>(shape->header_bytes) <= bytes.size(),
          "the header lies in the bytes");
  Require(shape->header_bytes <= parquet::kBloomHeaderBytesMax, "the header is short");
  Require(shape->bitset_bytes > 0 && shape->bitset_bytes % parquet::kBloomBlockBytes == 0, "whole blocks");
  const auto alone =
      parquet::ParseBloomFilterHeader(bytes.substr(0, static_cast<size_t>(shape->header_bytes)), kOffset);
  Require(alone.ok() && *alone == *shape, "what follows the header does not matter");
  Require(!parquet::ParseBloomFilterHeader(bytes.substr(0, static_cast<size_t>(shape->header_bytes) - 1), 0).ok(),
          "a header that is cut short is refused");
  const auto by_length = parquet::ShapeOfLength(kOffset, shape->range().length);
  Require(!by_length || shape->header_bytes > 19 || shape->header_bytes < 15 || *by_length == *shape,
          "the length tells the shape");
  const std::string_view bitset = bytes.substr(static_cast<size_t>(shape->header_bytes));
  std::vector<uint64_t> hashes{0, 1, UINT64_MAX, UINT64_MAX - 1, uint64_t{1} << 32};
  for (size_t i = 0; i < bitset.size() && i < 64; ++i) hashes.push_back(parquet::BloomHash(bitset.substr(0, i)));
  for (const uint64_t hash : hashes) {
    const int64_t block = shape->block(hash);
    Require(block >= 0 && block < shape->block_count(), "the block is one of the filter's");
    const ByteRange range = shape->block_range(block);
    Require(range.offset >= shape->header().end() && range.end() <= shape->range().end(),
            "the block lies in the filter");
    const auto begin = static_cast<size_t>(block * parquet::kBloomBlockBytes);
    if (begin + 32 <= bitset.size()) parquet::BlockMayContain(bitset.substr(begin, 32), hash);
  }
  int64_t wanted = 0;
  int64_t end = 0;
  for (const ByteRange& range : parquet::BlockRanges(*shape, hashes)) {
    Require(range.offset > end, "ranges ascend and do not touch");
    end = range.end();
    wanted += range.length;
  }
  Require(wanted <= static_cast<int64_t>(hashes.size()) * parquet::kBloomBlockBytes, "a block is wanted once");
}

}  // namespace
}  // namespace frazil::fuzz

FRAZIL_FUZZ_TARGET(bloom_filter, frazil::fuzz::Check)
