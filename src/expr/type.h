// SPDX-License-Identifier: Apache-2.0
//
// The types that filters speak, and the two ordered key spaces all their values are mapped into.
//
// Every comparable type is mapped, order-preserving and one to one on what SQL calls equal, into one of
//   Int128 keys  bool (0, 1), integers, dates, times, timestamps (in the column's unit), decimals with at
//                most 38 digits (unscaled), floats (FloatKey: -0.0 and +0.0 share a key, all NaNs share the
//                greatest key)
//   byte keys    text, binary, fixed, UUID (as they are, compared as unsigned bytes); decimals of more than
//                38 digits (WideDecimalKey: 32 big-endian bytes with the sign bit flipped)
// so that one interval algebra serves every type, statistic, page bound and row.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace frazil::expr {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

enum class TypeKind {
  kBool,
  kInt,   // signed, bit_width 8..64
  kUInt,  // unsigned, bit_width 8..64
  kFloat16,
  kFloat,
  kDouble,
  kDecimal,  // precision, scale
  kString,   // also enum and json
  kBinary,
  kFixed,  // byte_width
  kUuid,
  kDate,        // days since 1970-01-01
  kTime,        // unit since midnight
  kTimestamp,   // unit since 1970-01-01T00:00:00; utc says whether an instant; bit_width 96 when wider than int64
  kGroup,       // struct, list or map: only IS [NOT] NULL
  kUnsupported  // interval, variant, geometry, ...: only IS [NOT] NULL
};

enum class TimeUnit { kMilli, kMicro, kNano };

struct ColumnType {
  TypeKind kind = TypeKind::kUnsupported;
  int bit_width = 0;
  int byte_width = 0;
  int precision = 0;
  int scale = 0;
  TimeUnit unit = TimeUnit::kMicro;
  bool utc = false;

  bool operator==(const ColumnType&) const = default;

  bool is_floating() const {
    return kind == TypeKind::kFloat16 || kind == TypeKind::kFloat || kind == TypeKind::kDouble;
  }
  bool is_comparable() const { return kind != TypeKind::kGroup && kind != TypeKind::kUnsupported; }
  // True when values are byte keys, false when Int128 keys. REQUIRES: is_comparable().
  bool has_byte_keys() const {
    return kind == TypeKind::kString || kind == TypeKind::kBinary || kind == TypeKind::kFixed ||
           kind == TypeKind::kUuid || (kind == TypeKind::kDecimal && precision > 38);
  }
  // "decimal(9,2)", "timestamp[us, UTC]", "int64": the words used in messages.
  std::string ToString() const;
};

// Order-preserving keys of floating-point values. NaN of any sign and payload -> kNanKey*, the greatest;
// -0.0 and +0.0 -> 0.
inline constexpr int64_t kNanKey64 = INT64_MAX;
inline constexpr int32_t kNanKey32 = INT32_MAX;
inline constexpr int16_t kNanKey16 = INT16_MAX;
int64_t DoubleKey(double value);
int32_t FloatKey(float value);
int16_t HalfKey(uint16_t bits);
// Inverse of the above, for printing. kNanKey* -> a quiet NaN.
double DoubleFromKey(int64_t key);
float FloatFromKey(int32_t key);
uint16_t HalfFromKey(int16_t key);
// The NaN key of a floating-point type. REQUIRES: type.is_floating().
Int128 NanKey(const ColumnType& type);

// 32 bytes whose unsigned order is the order of the two's complement big-endian integer in `bytes`
// (1 to 32 bytes).
std::string WideDecimalKey(std::string_view big_endian);

// A key of either space.
using Key = std::variant<Int128, std::string>;

// Prints a key as a person would write the value of `type`: 42, 1.50, 2024-01-02, 2024-01-02T03:04:05.000001Z,
// text quoted with ' and cut to `text_bytes_max` bytes (never inside a character), binary as X'0a0b'.
std::string KeyToString(const Key& key, const ColumnType& type, int text_bytes_max = 64);

std::string Int128ToString(Int128 value);

}  // namespace frazil::expr
