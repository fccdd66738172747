// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/transform.h"

#include <array>
#include <charconv>
#include <utility>

#include "src/base/text.h"
#include "src/expr/datetime.h"
#include "src/iceberg/calendar.h"
#include "src/iceberg/single_value.h"

namespace frazil::iceberg {
namespace {

using expr::Int128;
using expr::Key;

constexpr std::array<std::pair<std::string_view, TransformKind>, 6> kPlainNames = {{
    {"identity", TransformKind::kIdentity},
    {"year", TransformKind::kYear},
    {"month", TransformKind::kMonth},
    {"day", TransformKind::kDay},
    {"hour", TransformKind::kHour},
    {"void", TransformKind::kVoid},
}};

// The number of "name[number]", when it is positive.
std::optional<int> Parameter(std::string_view text, std::string_view name) {
  if (!text.starts_with(name) || !text.ends_with(']')) return std::nullopt;
  text = text.substr(name.size(), text.size() - name.size() - 1);
  int width = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
  if (error != std::errc() || end != text.data() + text.size() || width <= 0) return std::nullopt;
  return width;
}

bool IsTimestamp(const Type& type) {
  return type.id == TypeId::kTimestamp || type.id == TypeId::kTimestampTz || type.id == TypeId::kTimestampNs ||
         type.id == TypeId::kTimestampTzNs;
}

// Integers as 8 bytes, little-endian.
uint32_t HashLong(int64_t value) {
  std::array<char, 8> bytes;
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(static_cast<uint64_t>(value) >> (8 * i));
  return Murmur3({bytes.data(), bytes.size()});
}

std::string Truncated(const Type& source, const std::string& value, int width) {
  if (source.id != TypeId::kString) return value.substr(0, static_cast<size_t>(width));
  const auto bytes = CharactersBytes(value, width);
  return bytes ? value.substr(0, *bytes) : value;
}

// "2024-01-31-23", cut to what the unit tells; years beyond four digits are as long as they are.
std::string TimeText(TransformKind kind, Int128 ordinal) {
  constexpr int kYearDigits = 4;
  const Int128 per_year = kind == TransformKind::kYear ? 1 : 12;
  if (kind == TransformKind::kHour) {
    expr::ColumnType date;
    date.kind = expr::TypeKind::kDate;
    const auto hour = static_cast<int>(ordinal - FloorDiv(ordinal, 24) * 24);
    return expr::KeyToString(Key(FloorDiv(ordinal, 24)), date) + (hour < 10 ? "-0" : "-") + std::to_string(hour);
  }
  const Int128 year = 1970 + FloorDiv(ordinal, per_year);
  std::string digits = expr::Int128ToString(year < 0 ? -year : year);
  if (digits.size() < kYearDigits) digits.insert(0, kYearDigits - digits.size(), '0');
  std::string text = (year < 0 ? "-" : "") + digits;
  if (kind == TransformKind::kYear) return text;
  const auto month = static_cast<int>(ordinal - FloorDiv(ordinal, per_year) * per_year) + 1;
  return text + (month < 10 ? "-0" : "-") + std::to_string(month);
}

}  // namespace

std::string PartitionText(const Transform& transform, const Type& result, const expr::Key& key) {
  if (transform.kind == TransformKind::kYear || transform.kind == TransformKind::kMonth ||
      transform.kind == TransformKind::kHour) {
    return TimeText(transform.kind, std::get<Int128>(key));
  }
  if (result.id == TypeId::kString) return std::get<std::string>(key);
  return expr::KeyToString(key, FilterType(result), INT32_MAX);
}

std::optional<size_t> CharactersBytes(std::string_view text, int characters) {
  size_t at = 0;
  for (; characters > 0; --characters) {
    const size_t bytes = at < text.size() ? Utf8CharacterBytes(text, at) : 0;
    if (bytes == 0) return std::nullopt;
    at += bytes;
  }
  return at;
}

Transform ParseTransform(std::string_view text) {
  Transform transform;
  transform.text = text;
  for (const auto& [name, kind] : kPlainNames) {
    if (name == text) transform.kind = kind;
  }
  if (const auto width = Parameter(text, "bucket[")) {
    transform.kind = TransformKind::kBucket;
    transform.width = *width;
  } else if (const auto length = Parameter(text, "truncate[")) {
    transform.kind = TransformKind::kTruncate;
    transform.width = *length;
  }
  return transform;
}

bool CanTransform(const Transform& transform, const Type& source) {
  switch (transform.kind) {
    case TransformKind::kIdentity:
      return FilterType(source).is_comparable();
    case TransformKind::kBucket:
      return FilterType(source).is_comparable() && source.id != TypeId::kBoolean && source.id != TypeId::kFloat &&
             source.id != TypeId::kDouble;
    case TransformKind::kTruncate:
      return source.id == TypeId::kInt || source.id == TypeId::kLong || source.id == TypeId::kDecimal ||
             source.id == TypeId::kString || source.id == TypeId::kBinary;
    case TransformKind::kYear:
    case TransformKind::kMonth:
    case TransformKind::kDay:
      return source.id == TypeId::kDate || IsTimestamp(source);
    case TransformKind::kHour:
      return IsTimestamp(source);
    case TransformKind::kVoid:
      return true;
    case TransformKind::kUnknown:
      break;
  }
  return false;
}

std::optional<Type> ResultType(const Transform& transform, const Type& source) {
  if (!CanTransform(transform, source)) return std::nullopt;
  if (auto type = ResultType(transform)) return type;
  return source;
}

std::optional<Type> ResultType(const Transform& transform) {
  switch (transform.kind) {
    case TransformKind::kBucket:
    case TransformKind::kYear:
    case TransformKind::kMonth:
    case TransformKind::kHour:
      return Primitive(TypeId::kInt);
    case TransformKind::kDay:
      return Primitive(TypeId::kDate);
    default:
      return std::nullopt;
  }
}

int32_t BucketHash(const Type& source, const Key& key) {
  if (const auto* bytes = std::get_if<std::string>(&key)) return static_cast<int32_t>(Murmur3(*bytes));
  const Int128 number = std::get<Int128>(key);
  switch (source.id) {
    case TypeId::kDecimal:
      return static_cast<int32_t>(Murmur3(EncodeSingleValue(source, key)));
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTzNs:
      return static_cast<int32_t>(HashLong(static_cast<int64_t>(FloorDiv(number, 1000))));
    case TypeId::kFloat: {
      // As a double, so that promotion does not change it.
      const Key wide = *PromoteKey(source, Primitive(TypeId::kDouble), key);
      return static_cast<int32_t>(Murmur3(EncodeSingleValue(Primitive(TypeId::kDouble), wide)));
    }
    case TypeId::kDouble:
      return static_cast<int32_t>(Murmur3(EncodeSingleValue(source, key)));
    default:
      return static_cast<int32_t>(HashLong(static_cast<int64_t>(number)));
  }
}

std::optional<Key> ApplyTransform(const Transform& transform, const Type& source, const Key& key) {
  switch (transform.kind) {
    case TransformKind::kIdentity:
      return key;
    case TransformKind::kBucket:
      return Key(Int128{(BucketHash(source, key) & 0x7fffffff) % transform.width});
    case TransformKind::kTruncate: {
      if (const auto* bytes = std::get_if<std::string>(&key)) return Key(Truncated(source, *bytes, transform.width));
      return Key(FloorDiv(std::get<Int128>(key), transform.width) * transform.width);
    }
    case TransformKind::kYear:
    case TransformKind::kMonth:
    case TransformKind::kDay:
    case TransformKind::kHour:
      return Key(TimeOrdinal(transform.kind, source, std::get<Int128>(key)));
    case TransformKind::kVoid:
    case TransformKind::kUnknown:
      break;
  }
  return std::nullopt;
}

}  // namespace frazil::iceberg
