// SPDX-License-Identifier: Apache-2.0
//
// Decodes stored bounds into keys, or says why they can not be trusted. Everything that is stored about a
// chunk or page passes through here before any level judges by it.
// Source: parquet.thrift Statistics, ColumnOrder; reported traps in tests.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "src/expr/bounds.h"
#include "src/parquet/footer.h"

namespace frazil::parquet {

// How to read the PLAIN-encoded bounds of one leaf.
struct BoundsDecoder {
  expr::ColumnType type;
  int physical_type = 0;  // parquet.thrift Type
  int type_length = 0;    // FIXED_LEN_BYTE_ARRAY
  bool usable = true;     // false: no bound of this leaf means anything
  std::string reason;     // why not usable: "column order unknown", "INT96 has no order"
};

BoundsDecoder MakeBoundsDecoder(const ::parquet::ColumnDescriptor& leaf, ColumnOrder order);

// Decodes one bound. Unset when its width does not fit the type, when it is NaN, or when the decoder is not usable.
// Decimals in byte arrays of any length are accepted when the value fits 128 bits (precision <= 38), or 32 bytes.
std::optional<expr::Key> DecodeBound(const BoundsDecoder& decoder, std::string_view bytes);

// Fast paths of the same, for bulk decoding of page bounds. REQUIRES: type.has_byte_keys() is false / true.
// Returns false when the bound is unusable.
bool DecodeInt128Bound(const BoundsDecoder& decoder, std::string_view bytes, expr::Int128* out);
// `*out` may point into `bytes` or, for wide decimals, into `*scratch`.
bool DecodeBytesBound(const BoundsDecoder& decoder, std::string_view bytes, std::string* scratch,
                      std::string_view* out);

// The bounds of a column chunk for the evaluator, by these rules:
//   min_value/max_value when the column order is known; legacy min/max only for signed-ordered types (bool, signed
//   integers, floats, dates, times, timestamps, decimals stored as INT32/INT64), where all writers agree;
//   min above max: both ignored; negative or impossible counts: ignored; null_count above num_values: all ignored;
//   a null count that says "all null" beside bounds: all ignored.
// `row_count` is the row group's. A repeated leaf gets no bounds at all.
// `*unusable` (may be null) receives why something stored was not used; left empty otherwise.
expr::ColumnBounds ChunkBounds(const Footer& footer, const ColumnChunk& chunk, const BoundsDecoder& decoder,
                               int64_t row_count, std::string* unusable);

// How many rows of the chunk have definition level below `def_level` at a non-repeated ancestor: exact from the
// definition level histogram, 0 or all from null_count where that proves it, else unset. For IS NULL of groups.
std::optional<int64_t> NullGroupCount(const Footer& footer, const ColumnChunk& chunk, int16_t def_level,
                                      int64_t row_count);

}  // namespace frazil::parquet
