// SPDX-License-Identifier: Apache-2.0
//
// Field ids of the columns of a Parquet file: its own, those that a table's name mapping gives to a file that has none,
// or those that columns have by their place.
// Source: Iceberg table specification, "Column Projection", "Name Mapping Serialization"; Parquet LogicalTypes.md,
// "Nested Types", for the layouts of lists and maps.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <arrow/result.h>
#include <parquet/schema.h>

namespace frazil::iceberg {

// The table property that holds the mapping.
inline constexpr const char* kNameMappingProperty = "schema.name-mapping.default";

struct MappedField {
  std::optional<int> field_id;     // unset: the columns of these names are no fields of the table
  std::vector<std::string> names;  // what the field is or was called
  std::vector<MappedField> fields;
};
using NameMapping = std::vector<MappedField>;

// Errors name the place: "[2].fields[0].names: missing". A name twice in one list of fields is an error.
arrow::Result<NameMapping> ParseNameMapping(std::string_view json_text);

// The nodes that have an id. Pointers into the schema.
using FieldIds = std::unordered_map<const ::parquet::schema::Node*, int>;

// Ids as the file has them. Empty when it has none at all.
FieldIds OwnFieldIds(const ::parquet::SchemaDescriptor& schema);
// By name, case-sensitive; the parts of lists and maps are called element, key and value whatever the file calls them.
FieldIds MappedFieldIds(const ::parquet::SchemaDescriptor& schema, const NameMapping& mapping);
// 1, 2, ... for the columns in the order of the file, their parts without: how files are read that have neither ids nor
// a mapping.
FieldIds PositionFieldIds(const ::parquet::SchemaDescriptor& schema);

// The first of these that there is.
FieldIds FieldIdsOf(const ::parquet::SchemaDescriptor& schema, const NameMapping* mapping);

// The element of a LIST, of three levels or two; null when the group has no such shape.
const ::parquet::schema::Node* ListElement(const ::parquet::schema::Node& node);
// The key and the value of a MAP; nulls when the group has no such shape. A map without values has a null value.
struct MapParts {
  const ::parquet::schema::Node* key = nullptr;
  const ::parquet::schema::Node* value = nullptr;
};
MapParts PartsOfMap(const ::parquet::schema::Node& node);

}  // namespace frazil::iceberg
