// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/single_value.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "frazil/error.h"
#include "src/base/text.h"
#include "src/expr/expression.h"
#include "src/expr/literal.h"

namespace frazil::iceberg {
namespace {

using expr::Int128;
using expr::Key;

constexpr const char* kWrongWidth = "wrong width";
constexpr const char* kNan = "NaN";
constexpr const char* kNoOrder = "no order";
constexpr const char* kInverted = "inverted";
constexpr const char* kUuidOrder = "UUID order";

constexpr int64_t kMicrosPerDay = int64_t{86400} * 1000000;
constexpr int64_t kNanosPerMicro = 1000;

uint64_t LittleEndian(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[i]);
  return value;
}

int64_t SignedLittleEndian(std::string_view bytes) {
  const uint64_t value = LittleEndian(bytes);
  return bytes.size() == 4 ? static_cast<int32_t>(static_cast<uint32_t>(value)) : static_cast<int64_t>(value);
}

std::string LittleEndianBytes(uint64_t value, size_t width) {
  std::string bytes;
  for (size_t i = 0; i < width; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
  return bytes;
}

// Bytes beyond the sixteenth may only repeat the sign.
bool BigEndian(std::string_view bytes, Int128* out) {
  if (bytes.empty()) return false;
  const bool negative = (static_cast<uint8_t>(bytes[0]) & 0x80) != 0;
  for (; bytes.size() > 16; bytes.remove_prefix(1)) {
    const bool next_negative = (static_cast<uint8_t>(bytes[1]) & 0x80) != 0;
    if (static_cast<uint8_t>(bytes[0]) != (negative ? 0xFF : 0) || next_negative != negative) return false;
  }
  expr::UInt128 value = negative ? ~expr::UInt128{0} : 0;
  for (const char byte : bytes) value = value << 8 | static_cast<uint8_t>(byte);
  *out = static_cast<Int128>(value);
  return true;
}

std::string BigEndianBytes(Int128 value) {
  std::string bytes;
  const Int128 sign = value < 0 ? -1 : 0;
  do {
    bytes.insert(bytes.begin(), static_cast<char>(static_cast<uint8_t>(value & 0xFF)));
    value >>= 8;
  } while (value != sign || ((static_cast<uint8_t>(bytes[0]) & 0x80) != 0) != (sign < 0));
  return bytes;
}

// Bytes of a value of the type; 0 when it varies.
size_t Width(const Type& type) {
  switch (type.id) {
    case TypeId::kBoolean:
      return 1;
    case TypeId::kInt:
    case TypeId::kDate:
    case TypeId::kFloat:
      return 4;
    case TypeId::kLong:
    case TypeId::kDouble:
    case TypeId::kTime:
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTzNs:
      return 8;
    case TypeId::kUuid:
      return 16;
    case TypeId::kFixed:
      return static_cast<size_t>(type.length);
    default:
      return 0;
  }
}

bool HasOrder(const Type& type) { return FilterType(type).is_comparable(); }

// REQUIRES: a type with Int128 keys, bytes of the type's own width.
bool ReadInt128(const Type& type, std::string_view bytes, Int128* key) {
  switch (type.id) {
    case TypeId::kBoolean:
      *key = bytes[0] != 0 ? 1 : 0;
      return true;
    case TypeId::kFloat:
      *key = expr::FloatKey(std::bit_cast<float>(static_cast<uint32_t>(LittleEndian(bytes))));
      return true;
    case TypeId::kDouble:
      *key = expr::DoubleKey(std::bit_cast<double>(LittleEndian(bytes)));
      return true;
    case TypeId::kDecimal:
      return BigEndian(bytes, key);
    default:
      *key = SignedLittleEndian(bytes);
      return true;
  }
}

// The narrower type that a bound of 4 bytes was written in.
std::optional<Type> NarrowType(const Type& type) {
  switch (type.id) {
    case TypeId::kLong:
      return Primitive(TypeId::kInt);
    case TypeId::kDouble:
      return Primitive(TypeId::kFloat);
    case TypeId::kTimestamp:
    case TypeId::kTimestampNs:
      return Primitive(TypeId::kDate);
    default:
      return std::nullopt;
  }
}

bool IsNan(const Type& type, Int128 key) {
  const expr::ColumnType filter_type = FilterType(type);
  return filter_type.is_floating() && key == expr::NanKey(filter_type);
}

// The sign of the half that begins at `at`, as Java's UUID.compareTo sees it.
bool HalfIsNegative(const std::string& uuid, size_t at) { return (static_cast<uint8_t>(uuid[at]) & 0x80) != 0; }

// What every writer's order agrees on. Writers compare 16 unsigned bytes, or two signed 64-bit halves, or merge the
// unsigned bounds of row groups by the signed order: a least one with the sign bit may hide smaller ones without it, a
// greatest one without it larger ones with it. Second halves may have been compared either way.
Bounds WidenUuids(std::optional<Key> lower, std::optional<Key> upper) {
  const int told = (lower ? 1 : 0) + (upper ? 1 : 0);
  Bounds bounds;
  if (lower && !HalfIsNegative(std::get<std::string>(*lower), 0)) {
    std::get<std::string>(*lower).replace(8, 8, 8, '\0');
    bounds.lower = std::move(lower);
  }
  if (upper && HalfIsNegative(std::get<std::string>(*upper), 0)) {
    std::get<std::string>(*upper).replace(8, 8, 8, '\xFF');
    bounds.upper = std::move(upper);
  }
  if (told != (bounds.lower ? 1 : 0) + (bounds.upper ? 1 : 0)) bounds.dropped = kUuidOrder;
  return bounds;
}

arrow::Result<std::string> HexBytes(const JsonField& json, const std::string& text) {
  std::string bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    if (HexValue(text[i]) < 0 || HexValue(text[i + 1]) < 0) break;
    bytes += static_cast<char>(HexValue(text[i]) * 16 + HexValue(text[i + 1]));
  }
  if (bytes.size() * 2 != text.size()) return json.Error("pairs of hexadecimal digits expected");
  return bytes;
}

// The literal of the filter language that says the same.
arrow::Result<expr::Literal> LiteralOf(const Type& type, const JsonField& json) {
  expr::Literal literal;
  if (type.id == TypeId::kBoolean) {
    literal.kind = expr::Literal::Kind::kBool;
    ARROW_ASSIGN_OR_RAISE(literal.boolean, json.As<bool>());
  } else if (type.id == TypeId::kInt || type.id == TypeId::kLong) {
    literal.kind = expr::Literal::Kind::kNumber;
    ARROW_RETURN_NOT_OK(json.As<int64_t>());
    literal.text = json.Dump();
  } else {
    literal.kind = type.id == TypeId::kDecimal ? expr::Literal::Kind::kNumber : expr::Literal::Kind::kString;
    ARROW_ASSIGN_OR_RAISE(literal.text, json.As<std::string>());
  }
  return literal;
}

std::string FloatBytes(const Type& type, double value) {
  if (type.id == TypeId::kDouble) return LittleEndianBytes(std::bit_cast<uint64_t>(value), 8);
  return LittleEndianBytes(std::bit_cast<uint32_t>(static_cast<float>(value)), 4);
}

}  // namespace

arrow::Result<Key> DecodeSingleValue(const Type& type, std::string_view bytes) {
  if (!HasOrder(type)) {
    return MakeError(ErrorKind::kUnsupported, "values of type " + type.ToString() + " can not be compared");
  }
  const size_t width = Width(type);
  Int128 number = 0;
  const bool has_byte_keys = FilterType(type).has_byte_keys();
  const bool varies = type.id == TypeId::kDecimal || type.id == TypeId::kString || type.id == TypeId::kBinary;
  if ((!varies && bytes.size() != width) || (!has_byte_keys && !ReadInt128(type, bytes, &number))) {
    return MakeError(ErrorKind::kCorrupt,
                     std::to_string(bytes.size()) + " bytes can not be a value of type " + type.ToString());
  }
  if (has_byte_keys) return Key(std::string(bytes));
  return Key(number);
}

std::string EncodeSingleValue(const Type& type, const Key& key) {
  if (const auto* bytes = std::get_if<std::string>(&key)) return *bytes;
  const Int128 number = std::get<Int128>(key);
  switch (type.id) {
    case TypeId::kFloat:
      return FloatBytes(type, expr::FloatFromKey(static_cast<int32_t>(number)));
    case TypeId::kDouble:
      return FloatBytes(type, expr::DoubleFromKey(static_cast<int64_t>(number)));
    case TypeId::kDecimal:
      return BigEndianBytes(number);
    default:
      return LittleEndianBytes(static_cast<uint64_t>(number), Width(type));
  }
}

arrow::Result<std::string> EncodeJsonValue(const Type& type, const JsonField& json) {
  if (!HasOrder(type)) return json.Error("a field of type " + type.ToString() + " has no default but null");
  if (type.id == TypeId::kString) return json.As<std::string>();
  if ((type.id == TypeId::kFloat || type.id == TypeId::kDouble) && json.is_number()) {
    ARROW_ASSIGN_OR_RAISE(const double value, json.As<double>());
    return FloatBytes(type, value);
  }
  if (type.id == TypeId::kFixed || type.id == TypeId::kBinary) {
    ARROW_ASSIGN_OR_RAISE(const std::string text, json.As<std::string>());
    ARROW_ASSIGN_OR_RAISE(std::string bytes, HexBytes(json, text));
    if (type.id == TypeId::kFixed && bytes.size() != Width(type)) {
      return json.Error(std::to_string(bytes.size()) + " bytes for a " + type.ToString());
    }
    return bytes;
  }
  ARROW_ASSIGN_OR_RAISE(const expr::Literal literal, LiteralOf(type, json));
  const auto place = expr::PlaceLiteral(literal, FilterType(type));
  if (!place.ok()) return json.Error("no value of type " + type.ToString() + ": " + place.status().message());
  return std::visit(
      [&](const auto& typed) -> arrow::Result<std::string> {
        if (!typed.exact) return json.Error("no value of type " + type.ToString() + ": " + json.Dump());
        return EncodeSingleValue(type, Key(typed.key));
      },
      *place);
}

std::optional<Key> PromoteKey(const Type& from, const Type& to, const Key& key) {
  if (!CanPromote(from, to) || from.id == TypeId::kUnknown) return std::nullopt;
  if (from.id == to.id || from.id == TypeId::kInt) return key;
  const Int128 number = std::get<Int128>(key);
  if (from.id == TypeId::kFloat) {
    return Key(Int128{expr::DoubleKey(static_cast<double>(expr::FloatFromKey(static_cast<int32_t>(number))))});
  }
  return Key(number * kMicrosPerDay * (to.id == TypeId::kTimestampNs ? kNanosPerMicro : 1));
}

arrow::Result<std::string> WidenSingleValue(const Type& type, std::string_view bytes) {
  const auto as_it_is = DecodeSingleValue(type, bytes);
  if (as_it_is.ok()) return std::string(bytes);
  const std::optional<Type> narrow = bytes.size() == 4 ? NarrowType(type) : std::nullopt;
  if (!narrow) return as_it_is.status();
  if (narrow->id == TypeId::kFloat) {
    return FloatBytes(type, std::bit_cast<float>(static_cast<uint32_t>(LittleEndian(bytes))));
  }
  ARROW_ASSIGN_OR_RAISE(const Key key, DecodeSingleValue(*narrow, bytes));
  const Int128 wide = std::get<Int128>(*PromoteKey(*narrow, type, key));
  if (wide < std::numeric_limits<int64_t>::min() || wide > std::numeric_limits<int64_t>::max()) {
    return MakeError(ErrorKind::kCorrupt, "a date that no " + type.ToString() + " reaches");
  }
  return EncodeSingleValue(type, Key(wide));
}

bool DecodeInt128Bound(const Type& type, std::string_view bytes, Int128* key, const char** dropped) {
  if (bytes.size() == Width(type) || type.id == TypeId::kDecimal) {
    if (!ReadInt128(type, bytes, key)) {
      *dropped = kWrongWidth;
      return false;
    }
    if (IsNan(type, *key)) {
      *dropped = kNan;
      return false;
    }
    return true;
  }
  const std::optional<Type> narrow = bytes.size() == 4 ? NarrowType(type) : std::nullopt;
  if (!narrow) {
    *dropped = kWrongWidth;
    return false;
  }
  if (!DecodeInt128Bound(*narrow, bytes, key, dropped)) return false;
  *key = std::get<Int128>(*PromoteKey(*narrow, type, Key(*key)));
  return true;
}

Bound DecodeBound(const Type& type, std::string_view bytes) {
  Bound bound;
  if (!HasOrder(type)) {
    bound.dropped = kNoOrder;
  } else if (!FilterType(type).has_byte_keys()) {
    Int128 key = 0;
    if (DecodeInt128Bound(type, bytes, &key, &bound.dropped)) bound.key = key;
  } else if ((type.id == TypeId::kUuid && bytes.size() != 16) ||
             (type.id == TypeId::kFixed && bytes.size() > Width(type))) {
    bound.dropped = kWrongWidth;  // a shorter one of a fixed column is a bound that was cut
  } else {
    bound.key = std::string(bytes);
  }
  return bound;
}

Bounds DecodeBounds(const Type& type, std::optional<std::string_view> lower, std::optional<std::string_view> upper) {
  Bounds bounds;
  if (lower) {
    Bound bound = DecodeBound(type, *lower);
    bounds.lower = std::move(bound.key);
    bounds.dropped = bound.dropped;
  }
  if (upper) {
    Bound bound = DecodeBound(type, *upper);
    bounds.upper = std::move(bound.key);
    if (bounds.dropped == nullptr) bounds.dropped = bound.dropped;
  }
  if (type.id == TypeId::kUuid && bounds.dropped == nullptr) {
    return WidenUuids(std::move(bounds.lower), std::move(bounds.upper));
  }
  if (type.id == TypeId::kUuid || (bounds.lower && bounds.upper && *bounds.lower > *bounds.upper)) {
    bounds.lower.reset();
    bounds.upper.reset();
    if (bounds.dropped == nullptr) bounds.dropped = kInverted;
  }
  return bounds;
}

}  // namespace frazil::iceberg
