// SPDX-License-Identifier: Apache-2.0
//
// Schema: the columns of a table at one time. A field is known by its id for ever; names may change or come back.
//
//   ARROW_ASSIGN_OR_RAISE(const Schema schema, ParseSchema(json_text));
//   const NestedField* field = schema.FindById(3);
// Source: Iceberg table specification, "Schemas and Data Types", Appendix C "Schemas".
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <arrow/result.h>

#include "src/expr/bind.h"
#include "src/iceberg/json.h"
#include "src/iceberg/type.h"

namespace frazil::iceberg {

// Copies and moves are safe; pointers into one are valid while it stays where it is.
class Schema {
 public:
  Schema() = default;  // without fields
  // Error (corrupt): an id twice or negative, a name twice in one struct.
  static arrow::Result<Schema> Make(std::vector<NestedField> fields, int schema_id = 0,
                                    std::vector<int> identifier_field_ids = {});

  int schema_id() const { return schema_id_; }
  const std::vector<NestedField>& fields() const { return fields_; }
  const std::vector<int>& identifier_field_ids() const { return identifier_field_ids_; }

  // Null when there is none.
  const NestedField* FindById(int id) const;
  // By full name: "a", "point.x", "points.element.x", "counts.key". When names meet ("a.b" the column and a's b), the
  // top-level column is found. Without case: only when it is one field alone.
  const NestedField* FindByName(std::string_view name, bool case_sensitive = true) const;
  // "points.element.x". Empty when there is none.
  std::string NameOf(int id) const;
  // The fields from the top to the one of this id, both included. Empty when there is none.
  std::vector<const NestedField*> PathTo(int id) const;

  // The schema as filters see it: Field::ref is the field id.
  expr::FieldTree FilterTree() const;

 private:
  arrow::Status Index(const std::vector<NestedField>& fields, const std::vector<int>& path);

  std::vector<NestedField> fields_;
  int schema_id_ = 0;
  std::vector<int> identifier_field_ids_;
  // Id to the indexes that lead to the field: they survive a copy.
  std::unordered_map<int, std::vector<int>> paths_;
  std::multimap<std::string, int, std::less<>> ids_by_name_;
  std::multimap<std::string, int, std::less<>> ids_by_lower_name_;
};

// The schema with these fields alone, in its own order: a field that is named with all that is in it, a struct around
// one with that one only. Lists and maps are named as a whole, or by a part (then they are there as a whole). Ids that
// there are not are passed over.
arrow::Result<Schema> SelectFields(const Schema& schema, const std::vector<int>& field_ids);

// Of an object with "type": "struct" and "fields". `schema-id` may be missing (0).
arrow::Result<Schema> ParseSchema(const JsonField& json);
// The same from text, as manifests carry it.
arrow::Result<Schema> ParseSchema(std::string_view json_text);

// A type in JSON: a name, or an object for struct, list and map.
arrow::Result<Type> ParseType(const JsonField& json);

}  // namespace frazil::iceberg
