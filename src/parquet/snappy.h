// SPDX-License-Identifier: Apache-2.0
//
// Decompression of Snappy blocks, Parquet's most common codec. Ours, because a selective read spends most of its time
// here: about twice as fast as the decoder in Arrow's libraries on columns of numbers (bench/snappy_loop.cc compares
// them). Gzip goes through libdeflate (gzip.h), everything else through Arrow's codecs.
// Source: Snappy's format_description.txt.
#pragma once

#include <cstdint>
#include <span>

namespace frazil::parquet {

// Decompresses the block `in` to exactly `out.size()` bytes. False when the block is malformed, or of another size;
// `out` then holds anything. Reads and writes nothing outside the two spans.
bool DecompressSnappy(std::span<const uint8_t> in, std::span<uint8_t> out);

}  // namespace frazil::parquet
