// SPDX-License-Identifier: Apache-2.0
//
// Single values as Iceberg stores them: bounds in manifests, defaults in schemas, and what filters compare them by.
//
//   boolean 1 byte, 0 is false | int, date 4 | long, time, timestamps 8 | float 4 | double 8: little-endian
//   decimal: the unscaled value, two's complement, big-endian, as few bytes as hold it | uuid 16, big-endian
//   string UTF-8 | fixed, binary as they are
// A constant is a value itself. A bound was written in the type the column had then, may be cut, and may be nonsense:
// a bound that can not be trusted is dropped, with a reason, and costs speed only.
// Source: Iceberg table specification, Appendix D "Single-value serialization", "Schema Evolution".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <arrow/result.h>

#include "src/expr/type.h"
#include "src/iceberg/json.h"
#include "src/iceberg/type.h"

namespace frazil::iceberg {

// The key of a stored value. Error: corrupt when it has not the width of the type; types without keys are unsupported.
arrow::Result<expr::Key> DecodeSingleValue(const Type& type, std::string_view bytes);

// The bytes of a value. NaN becomes the quiet NaN, zero +0.0. REQUIRES: the key is one of the type's own.
std::string EncodeSingleValue(const Type& type, const expr::Key& key);

// A value written in JSON: numbers, text for decimals, dates, times, timestamps, UUIDs and (in hexadecimal digits)
// bytes. Source: Appendix D "JSON single-value serialization". REQUIRES: type is no nested one.
arrow::Result<std::string> EncodeJsonValue(const Type& type, const JsonField& json);

// A value of a type that was promoted (CanPromote), as a value of the type it was promoted to. Unset when there is no
// such promotion or the value has no key.
std::optional<expr::Key> PromoteKey(const Type& from, const Type& to, const expr::Key& key);

// The bytes, as of `type`, of a value that may have been written in a narrower one (its width tells, as for bounds).
// Unlike a way through keys, it keeps -0.0 and every NaN. Error: corrupt.
arrow::Result<std::string> WidenSingleValue(const Type& type, std::string_view bytes);

// A stored bound as a key of the column's type today. Its width tells the type it was written in: 4 bytes for a long
// are an int, 4 for a double a float, 4 for a timestamp or timestamp_ns a date; decimals are of any width.
struct Bound {
  std::optional<expr::Key> key;
  const char* dropped = nullptr;  // why there is no key: "wrong width", "NaN", "no order"
};
Bound DecodeBound(const Type& type, std::string_view bytes);

// The same for types with Int128 keys, for many. False: `*dropped` says why.
bool DecodeInt128Bound(const Type& type, std::string_view bytes, expr::Int128* key, const char** dropped);

// Both bounds of a column. Besides what DecodeBound drops: a lower above the upper drops both ("inverted"); UUIDs are
// widened to what holds in either order that writers sort them by, unsigned bytes or two signed halves.
struct Bounds {
  std::optional<expr::Key> lower;
  std::optional<expr::Key> upper;
  const char* dropped = nullptr;
};
Bounds DecodeBounds(const Type& type, std::optional<std::string_view> lower, std::optional<std::string_view> upper);

}  // namespace frazil::iceberg
