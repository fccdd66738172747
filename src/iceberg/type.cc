// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/type.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "frazil/error.h"
#include "src/base/text.h"

namespace frazil::iceberg {
namespace {

constexpr std::array<std::pair<TypeId, std::string_view>, 16> kPlainNames = {{
    {TypeId::kBoolean, "boolean"},
    {TypeId::kInt, "int"},
    {TypeId::kLong, "long"},
    {TypeId::kFloat, "float"},
    {TypeId::kDouble, "double"},
    {TypeId::kDate, "date"},
    {TypeId::kTime, "time"},
    {TypeId::kTimestamp, "timestamp"},
    {TypeId::kTimestampTz, "timestamptz"},
    {TypeId::kTimestampNs, "timestamp_ns"},
    {TypeId::kTimestampTzNs, "timestamptz_ns"},
    {TypeId::kString, "string"},
    {TypeId::kUuid, "uuid"},
    {TypeId::kBinary, "binary"},
    {TypeId::kUnknown, "unknown"},
    {TypeId::kVariant, "variant"},
}};

constexpr int kDecimalPrecisionMax = 38;

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::optional<int> WholeNumber(std::string_view text) {
  text = Trimmed(text);
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// `text` is name + open + what is returned + close.
std::optional<std::string_view> Parameters(std::string_view text, std::string_view name, char open, char close) {
  if (!text.starts_with(name)) return std::nullopt;
  text = Trimmed(text.substr(name.size()));
  if (!text.starts_with(open) || !text.ends_with(close) || text.size() < 2) return std::nullopt;
  return text.substr(1, text.size() - 2);
}

arrow::Status BadParameters(std::string_view text) {
  return MakeError(ErrorKind::kCorrupt, "the type '" + Printable(text, 80) + "' makes no sense");
}

arrow::Result<Type> ParseDecimal(std::string_view text, std::string_view parameters) {
  const size_t comma = parameters.find(',');
  if (comma == std::string_view::npos) return BadParameters(text);
  const auto precision = WholeNumber(parameters.substr(0, comma));
  const auto scale = WholeNumber(parameters.substr(comma + 1));
  if (!precision || !scale || *precision < 1 || *precision > kDecimalPrecisionMax || *scale < 0 ||
      *scale > *precision) {
    return BadParameters(text);
  }
  Type type = Primitive(TypeId::kDecimal);
  type.precision = *precision;
  type.scale = *scale;
  return type;
}

std::string FieldsToString(const Type& type) {
  std::string text;
  for (const NestedField& field : type.fields) {
    if (!text.empty()) text += ", ";
    text += std::to_string(field.id) + ": " + field.name + ": " + (field.required ? "required " : "optional ") +
            field.type.ToString();
  }
  return text;
}

expr::ColumnType Timestamp(expr::TimeUnit unit, bool utc) {
  expr::ColumnType type;
  type.kind = expr::TypeKind::kTimestamp;
  type.unit = unit;
  type.utc = utc;
  return type;
}

}  // namespace

std::string Type::ToString() const {
  for (const auto& [plain, name] : kPlainNames) {
    if (plain == id) return std::string(name);
  }
  switch (id) {
    case TypeId::kDecimal:
      return "decimal(" + std::to_string(precision) + ", " + std::to_string(scale) + ")";
    case TypeId::kFixed:
      return "fixed[" + std::to_string(length) + "]";
    case TypeId::kGeometry:
      return parameters.empty() ? "geometry" : "geometry(" + parameters + ")";
    case TypeId::kGeography:
      return parameters.empty() ? "geography" : "geography(" + parameters + ")";
    case TypeId::kStruct:
      return "struct<" + FieldsToString(*this) + ">";
    case TypeId::kList:
      return "list<" + FieldsToString(*this) + ">";
    default:
      return "map<" + FieldsToString(*this) + ">";
  }
}

Type Primitive(TypeId id) {
  Type type;
  type.id = id;
  return type;
}

bool SameType(const Type& a, const Type& b) {
  return a.id == b.id && a.precision == b.precision && a.scale == b.scale && a.length == b.length &&
         a.parameters == b.parameters &&
         std::equal(a.fields.begin(), a.fields.end(), b.fields.begin(), b.fields.end(),
                    [](const NestedField& x, const NestedField& y) {
                      return x.id == y.id && x.name == y.name && x.required == y.required && SameType(x.type, y.type);
                    });
}

arrow::Result<Type> ParsePrimitive(std::string_view text) {
  for (const auto& [id, name] : kPlainNames) {
    if (name == text) return Primitive(id);
  }
  if (const auto parameters = Parameters(text, "decimal", '(', ')')) return ParseDecimal(text, *parameters);
  if (const auto parameters = Parameters(text, "fixed", '[', ']')) {
    const auto length = WholeNumber(*parameters);
    if (!length || *length < 0) return BadParameters(text);
    Type type = Primitive(TypeId::kFixed);
    type.length = *length;
    return type;
  }
  for (const auto& [id, name] : {std::pair<TypeId, std::string_view>{TypeId::kGeometry, "geometry"},
                                 std::pair<TypeId, std::string_view>{TypeId::kGeography, "geography"}}) {
    Type type = Primitive(id);
    if (text == name) return type;
    if (const auto parameters = Parameters(text, name, '(', ')')) {
      type.parameters = *parameters;
      return type;
    }
  }
  return MakeError(ErrorKind::kUnsupported, "the type '" + Printable(text, 80) + "' is not known");
}

bool CanPromote(const Type& from, const Type& to) {
  switch (from.id) {
    case TypeId::kInt:
      return to.id == TypeId::kInt || to.id == TypeId::kLong;
    case TypeId::kFloat:
      return to.id == TypeId::kFloat || to.id == TypeId::kDouble;
    case TypeId::kDate:
      return to.id == TypeId::kDate || to.id == TypeId::kTimestamp || to.id == TypeId::kTimestampNs;
    case TypeId::kDecimal:
      return to.id == TypeId::kDecimal && to.scale == from.scale && to.precision >= from.precision;
    case TypeId::kUnknown:
      return true;
    default:
      return SameType(from, to);
  }
}

expr::ColumnType FilterType(const Type& type) {
  using expr::TypeKind;
  expr::ColumnType result;
  switch (type.id) {
    case TypeId::kBoolean:
      result.kind = TypeKind::kBool;
      break;
    case TypeId::kInt:
    case TypeId::kLong:
      result.kind = TypeKind::kInt;
      result.bit_width = type.id == TypeId::kInt ? 32 : 64;
      break;
    case TypeId::kFloat:
      result.kind = TypeKind::kFloat;
      break;
    case TypeId::kDouble:
      result.kind = TypeKind::kDouble;
      break;
    case TypeId::kDecimal:
      result.kind = TypeKind::kDecimal;
      result.precision = type.precision;
      result.scale = type.scale;
      break;
    case TypeId::kDate:
      result.kind = TypeKind::kDate;
      break;
    case TypeId::kTime:
      result.kind = TypeKind::kTime;
      break;
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
      return Timestamp(expr::TimeUnit::kMicro, type.id == TypeId::kTimestampTz);
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTzNs:
      return Timestamp(expr::TimeUnit::kNano, type.id == TypeId::kTimestampTzNs);
    case TypeId::kString:
      result.kind = TypeKind::kString;
      break;
    case TypeId::kUuid:
      result.kind = TypeKind::kUuid;
      break;
    case TypeId::kFixed:
      result.kind = TypeKind::kFixed;
      result.byte_width = type.length;
      break;
    case TypeId::kBinary:
      result.kind = TypeKind::kBinary;
      break;
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap:
      result.kind = TypeKind::kGroup;
      break;
    default:
      break;
  }
  return result;
}

}  // namespace frazil::iceberg
