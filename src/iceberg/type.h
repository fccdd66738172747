// SPDX-License-Identifier: Apache-2.0
//
// Iceberg's types, of format versions 1 to 3, and what they are to filters.
// Source: Iceberg table specification, "Schemas and Data Types", "Schema Evolution", Appendix C.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>

#include "src/expr/type.h"

namespace frazil::iceberg {

enum class TypeId {
  kBoolean,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kDecimal,  // precision 1..38, scale 0..precision
  kDate,
  kTime,           // microseconds
  kTimestamp,      // microseconds, local
  kTimestampTz,    // microseconds, UTC
  kTimestampNs,    // nanoseconds, local
  kTimestampTzNs,  // nanoseconds, UTC
  kString,
  kUuid,
  kFixed,  // length
  kBinary,
  kUnknown,    // always null
  kVariant,    // these three are opaque: only IS [NOT] NULL
  kGeometry,   // parameters
  kGeography,  // parameters
  kStruct,     // fields
  kList,       // fields[0] is "element"
  kMap,        // fields[0] is "key", fields[1] is "value"
};

struct NestedField;

struct Type {
  TypeId id = TypeId::kUnknown;
  int precision = 0;
  int scale = 0;
  int length = 0;
  std::string parameters;  // what stands between the parentheses, as written
  std::vector<NestedField> fields;

  bool is_nested() const { return id == TypeId::kStruct || id == TypeId::kList || id == TypeId::kMap; }
  // "decimal(9, 2)", "struct<1: a: optional int>", ...
  std::string ToString() const;
};

// A default of a field. `bytes` is the single-value serialisation (single_value.h) of a primitive's; unset for a
// struct's, which can only be {} (not null, every member by its own default), and for a list's or map's.
struct DefaultValue {
  std::string json;
  std::optional<std::string> bytes;
};

struct NestedField {
  int id = 0;
  std::string name;
  bool required = false;
  Type type;
  std::string doc;
  std::optional<DefaultValue> initial_default;  // of rows written before the field was there
  std::optional<DefaultValue> write_default;
};

bool SameType(const Type& a, const Type& b);

// "int", "decimal(9,2)", "fixed[16]", "geometry(OGC:CRS84)", ... Error: unsupported when the name is not known,
// corrupt when its parameters make no sense.
arrow::Result<Type> ParsePrimitive(std::string_view text);
Type Primitive(TypeId id);

// Whether a column may turn from the first type into the second without its files being rewritten: int to long, float
// to double, decimals of more digits, date to timestamp and timestamp_ns, unknown to anything; and a type to itself.
bool CanPromote(const Type& from, const Type& to);

// The type as filters see it. Nested types are kGroup; opaque ones and unknown are kUnsupported.
expr::ColumnType FilterType(const Type& type);

}  // namespace frazil::iceberg
