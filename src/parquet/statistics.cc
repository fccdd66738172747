// SPDX-License-Identifier: Apache-2.0

#include "src/parquet/statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

namespace frazil::parquet {

namespace {

using expr::ColumnType;
using expr::Int128;
using expr::TypeKind;

constexpr size_t kWideDecimalBytes = 32;

static_assert(std::endian::native == std::endian::little, "PLAIN values are little-endian and copied as they are");

template <typename T>
bool ReadLittleEndian(std::string_view bytes, T* out) {
  if (bytes.size() != sizeof(T)) return false;
  std::memcpy(out, bytes.data(), sizeof(T));
  return true;
}

// Integers narrower than what holds them: a bound outside the type's range is no value of it.
bool IntegerKey(const ColumnType& type, int64_t value, int stored_bits, Int128* out) {
  if (type.kind == TypeKind::kUInt) {
    const uint64_t stored = stored_bits == 32 ? static_cast<uint32_t>(value) : static_cast<uint64_t>(value);
    *out = static_cast<Int128>(stored);
  } else {
    *out = value;
    if (type.kind != TypeKind::kInt) return true;  // dates, times, timestamps, decimals
  }
  const int value_bits = type.kind == TypeKind::kInt ? type.bit_width - 1 : type.bit_width;
  const Int128 limit = Int128{1} << value_bits;
  return *out < limit && *out >= (type.kind == TypeKind::kInt ? -limit : Int128{0});
}

// The two's complement big-endian integer without the leading bytes that only repeat its sign.
std::string_view WithoutSignExtension(std::string_view bytes) {
  while (bytes.size() > 1) {
    const char sign = static_cast<int8_t>(bytes[1]) < 0 ? '\xff' : '\0';
    if (bytes[0] != sign) break;
    bytes.remove_prefix(1);
  }
  return bytes;
}

// A decimal stored as bytes, minimal; empty when its width is wrong. A fixed width may be exceeded by sign extension
// only; anything shorter could be a truncated value, which means nothing for numbers.
std::string_view DecimalBytes(const BoundsDecoder& decoder, std::string_view bytes) {
  if (bytes.empty()) return {};
  if (decoder.physical_type != ::parquet::Type::FIXED_LEN_BYTE_ARRAY) return WithoutSignExtension(bytes);
  const auto width = static_cast<size_t>(std::max(decoder.type_length, 0));
  if (bytes.size() < width) return {};
  const std::string_view minimal = WithoutSignExtension(bytes);
  return minimal.size() <= width ? minimal : std::string_view();
}

bool DecimalKey(std::string_view minimal, Int128* out) {
  if (minimal.empty() || minimal.size() > sizeof(Int128)) return false;
  __extension__ typedef unsigned __int128 UInt128;
  UInt128 bits = static_cast<int8_t>(minimal[0]) < 0 ? ~UInt128{0} : UInt128{0};
  for (const char c : minimal) bits = (bits << 8) | static_cast<uint8_t>(c);
  *out = static_cast<Int128>(bits);
  return true;
}

// Bounds of the legacy fields are in signed order, whatever the type: usable only where that is the type's own.
bool HasSignedOrder(const BoundsDecoder& decoder) {
  switch (decoder.physical_type) {
    case ::parquet::Type::BOOLEAN:
    case ::parquet::Type::INT32:
    case ::parquet::Type::INT64:
      return decoder.type.kind != TypeKind::kUInt;
    case ::parquet::Type::FLOAT:
    case ::parquet::Type::DOUBLE:
      return true;
    default:
      return false;
  }
}

void Note(std::string* unusable, const char* reason) {
  if (unusable != nullptr && unusable->empty()) *unusable = reason;
}

struct StoredBounds {
  std::optional<std::string_view> min, max;
  bool legacy = false;

  bool any() const { return min.has_value() || max.has_value(); }
  // Writers leave empty bounds beside chunks of nulls; those say nothing.
  bool any_bytes() const { return !min.value_or("").empty() || !max.value_or("").empty(); }
};

StoredBounds ChooseBounds(const RawStatistics& statistics) {
  if (statistics.min_value || statistics.max_value) return {statistics.min_value, statistics.max_value, false};
  return {statistics.min, statistics.max, true};
}

// The nulls of a leaf that is not repeated, when the stored counts agree with each other. `*contradiction` is set when
// they do not.
std::optional<int64_t> CheckedNullCount(const ColumnChunk& chunk, int max_definition_level, int64_t row_count,
                                        const char** contradiction) {
  if (chunk.num_values != row_count) {
    *contradiction = "num_values is not the row count";
    return std::nullopt;
  }
  std::optional<int64_t> null_count;
  if (chunk.statistics) null_count = chunk.statistics->null_count;
  if (null_count && (*null_count < 0 || *null_count > row_count)) {
    *contradiction = *null_count < 0 ? "negative null_count" : "null_count above the row count";
    return std::nullopt;
  }
  if (max_definition_level == 0) {
    if (null_count.value_or(0) != 0) {
      *contradiction = "null_count of a required column";
      return std::nullopt;
    }
    return 0;  // by the schema: no level can say null
  }
  if (!chunk.size_statistics) return null_count;
  const std::vector<int64_t>& levels = chunk.size_statistics->definition_level_histogram;
  if (levels.size() != static_cast<size_t>(max_definition_level) + 1) return null_count;
  Int128 sum = 0;
  for (const int64_t count : levels) {
    if (count < 0) return null_count;
    sum += count;
  }
  if (sum != row_count) return null_count;  // filler
  const int64_t from_levels = row_count - levels.back();
  if (null_count && *null_count != from_levels) {
    *contradiction = "the level histogram contradicts the counts";
    return std::nullopt;
  }
  return from_levels;
}

bool IsNan(const BoundsDecoder& decoder, std::string_view bytes) {
  float single = 0;
  double wide = 0;
  uint16_t half = 0;
  switch (decoder.type.kind) {
    case TypeKind::kFloat:
      return ReadLittleEndian(bytes, &single) && std::isnan(single);
    case TypeKind::kDouble:
      return ReadLittleEndian(bytes, &wide) && std::isnan(wide);
    case TypeKind::kFloat16:
      return ReadLittleEndian(bytes, &half) && expr::HalfKey(half) == expr::kNanKey16;
    default:
      return false;
  }
}

// Decodes one stored bound into `*out`. False when its bytes are no value of the type, which makes the other bound
// of the pair doubtful too. NaN is left unset, but harms only itself.
bool DecodeStored(const BoundsDecoder& decoder, std::optional<std::string_view> bytes, std::optional<expr::Key>* out,
                  std::string* unusable) {
  if (!bytes) return true;
  *out = DecodeBound(decoder, *bytes);
  if (out->has_value()) return true;
  if (IsNan(decoder, *bytes)) {
    Note(unusable, "NaN as a bound");
    return true;
  }
  Note(unusable, "a bound is no value of the type");
  return false;
}

// Fills in min and max of `bounds`.
void DecodePair(const BoundsDecoder& decoder, const StoredBounds& stored, expr::ColumnBounds* bounds,
                std::string* unusable) {
  BoundsDecoder own = decoder;
  if (stored.legacy) {
    own.usable = HasSignedOrder(decoder);
    own.reason = "legacy bounds of a type that is not in signed order";
  }
  if (!own.usable) return Note(unusable, own.reason.c_str());
  std::optional<expr::Key> min, max;
  if (!DecodeStored(own, stored.min, &min, unusable) || !DecodeStored(own, stored.max, &max, unusable)) return;
  if (min && max && *max < *min) return Note(unusable, "min above max");
  bounds->min = std::move(min);
  bounds->max = std::move(max);
}

}  // namespace

BoundsDecoder MakeBoundsDecoder(const ::parquet::ColumnDescriptor& leaf, ColumnOrder order) {
  BoundsDecoder decoder;
  decoder.type = LeafType(leaf);
  decoder.physical_type = leaf.physical_type();
  decoder.type_length = leaf.type_length();
  if (decoder.physical_type == ::parquet::Type::INT96) {
    decoder.reason = "INT96 has no order";
  } else if (!decoder.type.is_comparable()) {
    decoder.reason = "the type has no order";
  } else if (order == ColumnOrder::kUndefined) {
    decoder.reason = "column order not given";
  } else if (order == ColumnOrder::kUnknown) {
    decoder.reason = "column order unknown";
  } else if (order == ColumnOrder::kIeee754Total && !decoder.type.is_floating()) {
    decoder.reason = "floating-point order on another type";
  }
  decoder.usable = decoder.reason.empty();
  return decoder;
}

bool DecodeInt128Bound(const BoundsDecoder& decoder, std::string_view bytes, Int128* out) {
  if (!decoder.usable) return false;
  switch (decoder.physical_type) {
    case ::parquet::Type::BOOLEAN: {
      if (bytes.size() != 1 || static_cast<uint8_t>(bytes[0]) > 1) return false;
      *out = bytes[0];
      return true;
    }
    case ::parquet::Type::INT32: {
      int32_t value = 0;
      return ReadLittleEndian(bytes, &value) && IntegerKey(decoder.type, value, 32, out);
    }
    case ::parquet::Type::INT64: {
      int64_t value = 0;
      return ReadLittleEndian(bytes, &value) && IntegerKey(decoder.type, value, 64, out);
    }
    case ::parquet::Type::FLOAT: {
      float value = 0;
      if (!ReadLittleEndian(bytes, &value) || std::isnan(value)) return false;
      *out = expr::FloatKey(value);
      return true;
    }
    case ::parquet::Type::DOUBLE: {
      double value = 0;
      if (!ReadLittleEndian(bytes, &value) || std::isnan(value)) return false;
      *out = expr::DoubleKey(value);
      return true;
    }
    case ::parquet::Type::BYTE_ARRAY:
    case ::parquet::Type::FIXED_LEN_BYTE_ARRAY: {
      if (decoder.type.kind == TypeKind::kDecimal) return DecimalKey(DecimalBytes(decoder, bytes), out);
      uint16_t half = 0;
      if (decoder.type.kind != TypeKind::kFloat16 || !ReadLittleEndian(bytes, &half)) return false;
      *out = expr::HalfKey(half);
      return *out != expr::kNanKey16;
    }
    default:
      return false;
  }
}

bool DecodeBytesBound(const BoundsDecoder& decoder, std::string_view bytes, std::string* scratch,
                      std::string_view* out) {
  if (!decoder.usable) return false;
  if (decoder.type.kind == TypeKind::kDecimal) {
    const std::string_view minimal = DecimalBytes(decoder, bytes);
    if (minimal.empty() || minimal.size() > kWideDecimalBytes) return false;
    *scratch = expr::WideDecimalKey(minimal);
    *out = *scratch;
    return true;
  }
  if (decoder.physical_type == ::parquet::Type::FIXED_LEN_BYTE_ARRAY) {
    if (bytes.size() != static_cast<size_t>(std::max(decoder.type_length, 0))) return false;
  } else if (decoder.physical_type != ::parquet::Type::BYTE_ARRAY) {
    return false;
  }
  *out = bytes;
  return true;
}

std::optional<expr::Key> DecodeBound(const BoundsDecoder& decoder, std::string_view bytes) {
  if (!decoder.usable) return std::nullopt;
  if (!decoder.type.has_byte_keys()) {
    Int128 key = 0;
    if (!DecodeInt128Bound(decoder, bytes, &key)) return std::nullopt;
    return key;
  }
  std::string scratch;
  std::string_view key;
  if (!DecodeBytesBound(decoder, bytes, &scratch, &key)) return std::nullopt;
  return std::string(key);
}

expr::ColumnBounds ChunkBounds(const Footer& footer, const ColumnChunk& chunk, const BoundsDecoder& decoder,
                               int64_t row_count, std::string* unusable) {
  if (unusable != nullptr) unusable->clear();
  const ::parquet::ColumnDescriptor& leaf = *footer.schema().Column(chunk.leaf);
  if (leaf.max_repetition_level() > 0 || chunk.encrypted) return {};
  expr::ColumnBounds bounds;
  bounds.row_count = row_count;
  const StoredBounds stored = chunk.statistics ? ChooseBounds(*chunk.statistics) : StoredBounds{};
  const char* contradiction = nullptr;
  const std::optional<int64_t> null_count =
      CheckedNullCount(chunk, leaf.max_definition_level(), row_count, &contradiction);
  if (contradiction == nullptr && null_count == row_count && row_count > 0 && stored.any_bytes()) {
    contradiction = "every value is null by null_count, yet there are bounds";
  }
  std::optional<int64_t> nan_count;
  if (decoder.type.is_floating() && chunk.statistics && chunk.statistics->nan_count) {
    nan_count = chunk.statistics->nan_count;
    if (*nan_count < 0 || *nan_count > row_count - null_count.value_or(0)) {
      Note(unusable, "impossible nan_count");
      nan_count.reset();
    }
  }
  if (contradiction != nullptr) {
    Note(unusable, contradiction);
    return bounds;
  }
  bounds.null_count = null_count;
  bounds.nan_count = nan_count;
  const bool all_nan = row_count > 0 && nan_count.value_or(0) > 0 && *nan_count + null_count.value_or(0) == row_count;
  // NaN bounds beside nothing but NaN are what the IEEE 754 order asks for.
  if (all_nan && IsNan(decoder, stored.min.value_or("")) && IsNan(decoder, stored.max.value_or(""))) return bounds;
  if (stored.any()) DecodePair(decoder, stored, &bounds, unusable);
  if (all_nan && (bounds.min || bounds.max)) {
    Note(unusable, "every value is NaN or null by the counts, yet there are bounds");
    bounds = {};
    bounds.row_count = row_count;
  }
  return bounds;
}

std::optional<int64_t> NullGroupCount(const Footer& footer, const ColumnChunk& chunk, int16_t def_level,
                                      int64_t row_count) {
  if (def_level <= 0) return 0;  // required, or repeated: never null
  const ::parquet::ColumnDescriptor& leaf = *footer.schema().Column(chunk.leaf);
  if (chunk.encrypted) return std::nullopt;
  const int max_definition_level = leaf.max_definition_level();
  if (leaf.max_repetition_level() == 0) {
    const char* contradiction = nullptr;
    const std::optional<int64_t> null_count = CheckedNullCount(chunk, max_definition_level, row_count, &contradiction);
    if (contradiction != nullptr) return std::nullopt;
    // A leaf that is required in its group is null exactly where the group is; one that is never null proves that the
    // group never is.
    if (null_count && (max_definition_level == def_level || *null_count == 0)) return null_count;
  }
  if (!chunk.size_statistics) return std::nullopt;
  // A null group that is not repeated is one level entry of its row, also above a repeated leaf.
  const std::vector<int64_t>& levels = chunk.size_statistics->definition_level_histogram;
  if (levels.size() != static_cast<size_t>(max_definition_level) + 1 || def_level > max_definition_level) {
    return std::nullopt;
  }
  if (std::any_of(levels.begin(), levels.end(), [](int64_t count) { return count < 0; })) return std::nullopt;
  const Int128 sum = std::accumulate(levels.begin(), levels.end(), Int128{0});
  const Int128 below = std::accumulate(levels.begin(), levels.begin() + def_level, Int128{0});
  if (sum != chunk.num_values || below > row_count) return std::nullopt;
  return static_cast<int64_t>(below);
}

}  // namespace frazil::parquet
