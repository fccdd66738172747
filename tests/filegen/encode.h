// SPDX-License-Identifier: Apache-2.0
//
// The bytes of levels, dictionary indices and values. Values go through Arrow's encoders; the RLE / bit-packing hybrid
// is written here, because tests choose its runs.
// Source: Encodings.md of the Parquet format. Errors: invalid. Arrow's exceptions end here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include <arrow/result.h>
#include <arrow/util/compression.h>

#include "tests/filegen/column_data.h"
#include "tests/filegen/file_spec.h"
#include "tests/filegen/schema.h"

namespace frazil::filegen {

// Bits needed for values up to `max`; 0 for 0.
int BitWidth(uint32_t max);

// Appends runs of `values`, each of `bit_width` bits (1 to 32), without any length before them.
void AppendHybrid(std::span<const uint32_t> values, int bit_width, RunStyle runs, std::string* out);

// Levels without a length before them; empty when `max_level` is 0.
std::string EncodeLevels(std::span<const int16_t> levels, int16_t max_level, RunStyle runs);

// Values [begin, end) in any encoding but those by dictionary.
arrow::Result<std::string> EncodeValues(const Node& leaf, ::parquet::Encoding::type encoding, const ValueVector& values,
                                        int64_t begin, int64_t end);

// Numbers values by order of appearance; equal means equal bytes.
class DictionaryBuilder {
 public:
  explicit DictionaryBuilder(::parquet::Type::type physical) : entries_(EmptyValues(physical)) {}
  // The index of a value, which is added when new.
  uint32_t Index(const ValueVector& values, int64_t position);
  const ValueVector& entries() const { return entries_; }

 private:
  ValueVector entries_;
  std::unordered_map<std::string, uint32_t> index_;
};

// A page body of dictionary indices: their bit width, then the runs. `entry_count` is that of the whole dictionary.
std::string EncodeIndices(std::span<const uint32_t> indices, int64_t entry_count, RunStyle runs);

arrow::Result<std::string> Compress(::arrow::util::Codec* codec, std::string_view bytes);

// The number of a codec in parquet.thrift.
arrow::Result<int> CodecNumber(::arrow::Compression::type codec);

}  // namespace frazil::filegen
