// SPDX-License-Identifier: Apache-2.0
//
// The schema of a generated file: a tree of Nodes, written to the footer as it stands. The makers below give the
// usual shapes; a Node may also be filled in by hand to say what no sound writer would.
//
//   std::vector<Node> schema = {
//       Leaf("id", ::parquet::Type::INT64, kRequired),
//       StringLeaf("name"),
//       ListOf("tags", StringLeaf("element")),
//       MapOf("props", StringLeaf("key", kRequired), Leaf("value", ::parquet::Type::DOUBLE)),
//       StructOf("pos", {Leaf("x", ::parquet::Type::INT32), Leaf("y", ::parquet::Type::INT32)}),
//   };
//
// Source: parquet.thrift SchemaElement, LogicalType, ConvertedType, ColumnOrder; LogicalTypes.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <parquet/types.h>

namespace frazil::filegen {

inline constexpr auto kRequired = ::parquet::Repetition::REQUIRED;
inline constexpr auto kOptional = ::parquet::Repetition::OPTIONAL;
inline constexpr auto kRepeated = ::parquet::Repetition::REPEATED;

enum class TimeUnit { kMilli = 1, kMicro = 2, kNano = 3 };  // the numbers are the union members of parquet.thrift

// What a node means beyond its physical type.
struct Annotation {
  enum class Kind {
    kNone,
    kString,
    kEnum,
    kJson,
    kBson,
    kUuid,
    kFloat16,
    kDecimal,  // precision, scale
    kDate,
    kTime,       // unit, utc
    kTimestamp,  // unit, utc
    kInt,        // bit_width, is_signed
    kInterval,   // has only a converted type
    kList,
    kMap,
    kMapKeyValue,  // converted type only; a legacy mark on the repeated group of maps
    kNull,
  };
  // Which of the two generations of annotations is written. A kind that one of them lacks is written in the other.
  enum class Form { kBoth, kLogicalOnly, kConvertedOnly };

  Kind kind = Kind::kNone;
  Form form = Form::kBoth;
  int32_t precision = 0;
  int32_t scale = 0;
  TimeUnit unit = TimeUnit::kMicro;
  bool utc = false;
  int bit_width = 0;
  bool is_signed = true;
};

// The member of FileMetaData.column_orders written for a leaf.
enum class ColumnOrderKind : int16_t { kTypeDefined = 1, kIeee754Total = 2, kInt96Timestamp = 3, kUnknown = 99 };

// How a Value (value.h) of the node looks.
enum class Shape {
  kPlain,  // leaf: a scalar; group: a Struct with one field per child
  kList3,  // annotated group, repeated group, element: a List of element values
  kList2,  // annotated group, repeated element: a List of element values
  kMap,    // annotated group, repeated group, key, value: a List of Structs {key, value}
};

struct Node {
  std::string name = {};
  ::parquet::Repetition::type repetition = kOptional;
  std::optional<int32_t> field_id = {};
  std::optional<::parquet::Type::type> physical = {};  // unset: a group
  int32_t type_length = 0;                             // bytes of FIXED_LEN_BYTE_ARRAY
  Annotation annotation = {};
  Shape shape = Shape::kPlain;
  std::vector<Node> children = {};
  ColumnOrderKind order = ColumnOrderKind::kTypeDefined;  // leaves only

  bool is_leaf() const { return physical.has_value(); }
};

// Makers. All take the name first and end with the repetition (default: optional).
// A kRepeated node made by any of them is a bare repeated field: its Value is a List.
Node Leaf(std::string name, ::parquet::Type::type physical, ::parquet::Repetition::type repetition = kOptional);
Node FixedLeaf(std::string name, int32_t type_length, ::parquet::Repetition::type repetition = kOptional);
Node StringLeaf(std::string name, ::parquet::Repetition::type repetition = kOptional);
// bit_width 8 to 32 in INT32, 64 in INT64.
Node IntLeaf(std::string name, int bit_width, bool is_signed, ::parquet::Repetition::type repetition = kOptional);
// `type_length` is for FIXED_LEN_BYTE_ARRAY only.
Node DecimalLeaf(std::string name, ::parquet::Type::type physical, int32_t precision, int32_t scale,
                 int32_t type_length = 0, ::parquet::Repetition::type repetition = kOptional);
Node DateLeaf(std::string name, ::parquet::Repetition::type repetition = kOptional);
// Milliseconds in INT32, the others in INT64.
Node TimeLeaf(std::string name, TimeUnit unit, bool utc, ::parquet::Repetition::type repetition = kOptional);
Node TimestampLeaf(std::string name, TimeUnit unit, bool utc, ::parquet::Repetition::type repetition = kOptional);
Node UuidLeaf(std::string name, ::parquet::Repetition::type repetition = kOptional);
Node Float16Leaf(std::string name, ::parquet::Repetition::type repetition = kOptional);
Node StructOf(std::string name, std::vector<Node> children, ::parquet::Repetition::type repetition = kOptional);
// name (LIST) { repeated group list { element } }. REQUIRES: element (and a map's value) is not kRepeated; readers
// would take that for two lists.
Node ListOf(std::string name, Node element, ::parquet::Repetition::type repetition = kOptional);
// name (LIST) { repeated element }: the element's repetition is made kRepeated. A group element is called "array",
// so that readers do not take it for the middle level of three.
Node List2Of(std::string name, Node element, ::parquet::Repetition::type repetition = kOptional);
// name (MAP) { repeated group key_value { key; value } }
Node MapOf(std::string name, Node key, Node value, ::parquet::Repetition::type repetition = kOptional);

// One leaf column with what its place in the tree makes of it. Points into the schema.
struct LeafInfo {
  const Node* node = nullptr;
  std::vector<std::string> path = {};  // path_in_schema
  int16_t max_def_level = 0;
  int16_t max_rep_level = 0;
};

// The leaves in column order. `schema` holds the children of the root and must outlive the result.
std::vector<LeafInfo> Leaves(const std::vector<Node>& schema);

}  // namespace frazil::filegen
