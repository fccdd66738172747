// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/column_resolution.h"

#include <utility>

#include "frazil/error.h"
#include "src/base/text.h"
#include "src/expr/literal.h"
#include "src/iceberg/single_value.h"

namespace frazil::iceberg {
namespace {

using ::parquet::schema::GroupNode;
using ::parquet::schema::Node;

// Where a field may be looked for: the nodes of one level, by their field ids.
using NodesById = std::map<int, const Node*>;

std::string Shown(const std::string& name) { return Printable(name, 200); }

class Resolver {
 public:
  Resolver(const Schema& schema, const ::parquet::SchemaDescriptor& file_schema, const FieldIds& ids,
           const IdentityValues& identity_values)
      : schema_(schema), file_schema_(file_schema), ids_(ids), identity_values_(identity_values) {}

  arrow::Result<std::vector<ResolvedColumn>> Fields(const std::vector<NestedField>& fields, const GroupNode& group) {
    std::vector<const Node*> nodes;
    for (int i = 0; i < group.field_count(); ++i) nodes.push_back(group.field(i).get());
    return Fields(fields, nodes);
  }

 private:
  arrow::Status Error(ErrorKind kind, const NestedField& field, const std::string& text) const {
    return MakeError(kind, "column " + Shown(schema_.NameOf(field.id)) + ": " + text);
  }

  arrow::Result<std::vector<ResolvedColumn>> Fields(const std::vector<NestedField>& fields,
                                                    const std::vector<const Node*>& nodes) {
    NodesById by_id;
    for (const Node* node : nodes) {
      const auto id = ids_.find(node);
      if (id == ids_.end()) continue;
      if (!by_id.emplace(id->second, node).second) {
        return MakeError(ErrorKind::kCorrupt, "two columns of the file have the field id " +
                                                  std::to_string(id->second) + "; one of them is " +
                                                  Shown(node->name()));
      }
    }
    std::vector<ResolvedColumn> columns;
    columns.reserve(fields.size());
    for (const NestedField& field : fields) {
      const auto node = by_id.find(field.id);
      ARROW_ASSIGN_OR_RAISE(ResolvedColumn column, node == by_id.end() ? Missing(field) : InFile(field, *node->second));
      columns.push_back(std::move(column));
    }
    return columns;
  }

  static ResolvedColumn Begin(const NestedField& field) {
    ResolvedColumn column;
    column.field_id = field.id;
    column.name = field.name;
    column.type = field.type;
    return column;
  }

  arrow::Result<ResolvedColumn> Missing(const NestedField& field) {
    ResolvedColumn column = Begin(field);
    const auto identity = identity_values_.find(field.id);
    if (identity != identity_values_.end() && !field.type.is_nested()) {
      if (!identity->second) return column;
      auto value = WidenSingleValue(field.type, *identity->second);
      if (!value.ok()) {
        return Error(ErrorKind::kCorrupt, field, "the partition value can not be read: " + value.status().message());
      }
      column.origin = ColumnOrigin::kConstant;
      column.constant = *std::move(value);
      return column;
    }
    if (field.initial_default) {
      if (field.initial_default->bytes) {
        column.origin = ColumnOrigin::kConstant;
        column.constant = *field.initial_default->bytes;
        return column;
      }
      if (field.type.id != TypeId::kStruct) {
        return Error(ErrorKind::kUnsupported, field,
                     "the file does not have it, and defaults of lists and maps can not be read");
      }
      column.origin = ColumnOrigin::kStruct;
      ARROW_ASSIGN_OR_RAISE(column.children, Fields(field.type.fields, std::vector<const Node*>()));
      return column;
    }
    if (field.required && field.type.id != TypeId::kUnknown) {
      return Error(ErrorKind::kCorrupt, field,
                   "the file does not have this required field, and it has no initial default");
    }
    return column;
  }

  arrow::Result<ResolvedColumn> InFile(const NestedField& field, const Node& node) {
    if (field.type.id == TypeId::kUnknown) return Begin(field);  // null, whatever a file says
    ResolvedColumn column = Begin(field);
    column.origin = ColumnOrigin::kFile;
    column.node = &node;
    if (field.type.is_nested()) {
      ARROW_ASSIGN_OR_RAISE(column.children, Parts(field, node));
      return column;
    }
    if (field.type.id == TypeId::kVariant) {
      return node.is_group() ? arrow::Result<ResolvedColumn>(std::move(column)) : Mismatch(field, node);
    }
    if (!node.is_primitive()) return Mismatch(field, node);
    column.leaf = file_schema_.ColumnIndex(node);
    column.file_type = parquet::LeafType(*file_schema_.Column(column.leaf));
    const expr::ColumnType table_type = FilterType(field.type);
    if (table_type.is_comparable() && !KeysInFile(expr::NoKeys(table_type), table_type, column.file_type)) {
      return Mismatch(field, node);
    }
    return column;
  }

  // The members of a struct, the element of a list, key and value of a map.
  arrow::Result<std::vector<ResolvedColumn>> Parts(const NestedField& field, const Node& node) {
    const Node* element = ListElement(node);
    const MapParts map = PartsOfMap(node);
    if (field.type.id == TypeId::kList) {
      if (node.is_repeated() && node.is_primitive()) {
        // No list around it: the values of a row are its elements, and a row has an empty list rather than none.
        ARROW_ASSIGN_OR_RAISE(ResolvedColumn only, InFile(field.type.fields[0], node));
        return std::vector<ResolvedColumn>{std::move(only)};
      }
      if (element == nullptr) return Mismatch(field, node);
      return Parts(field, std::vector<const Node*>{element});
    }
    if (field.type.id == TypeId::kMap) {
      if (map.key == nullptr || map.value == nullptr) return Mismatch(field, node);
      return Parts(field, {map.key, map.value});
    }
    if (!node.is_group() || node.is_repeated() || element != nullptr || map.key != nullptr) {
      return Mismatch(field, node);
    }
    const auto& group = static_cast<const GroupNode&>(node);
    for (int i = 0; i < group.field_count(); ++i) {
      if (ids_.contains(group.field(i).get())) return Fields(field.type.fields, group);
    }
    return NoIds(field);
  }

  // Element, or key and value: they are where they are; an id that differs means another schema.
  arrow::Result<std::vector<ResolvedColumn>> Parts(const NestedField& field, const std::vector<const Node*>& nodes) {
    std::vector<ResolvedColumn> parts;
    for (size_t i = 0; i < nodes.size(); ++i) {
      const auto id = ids_.find(nodes[i]);
      if (id == ids_.end()) return NoIds(field);
      if (id->second != field.type.fields[i].id) {
        return Error(ErrorKind::kUnsupported, field.type.fields[i],
                     "the file has the field id " + std::to_string(id->second) + " there, the table " +
                         std::to_string(field.type.fields[i].id));
      }
      ARROW_ASSIGN_OR_RAISE(ResolvedColumn part, InFile(field.type.fields[i], *nodes[i]));
      parts.push_back(std::move(part));
    }
    return parts;
  }

  // Position gives ids to columns, not to what is inside them.
  arrow::Status NoIds(const NestedField& field) const {
    return Error(ErrorKind::kUnsupported, field,
                 "its parts have no field ids in the file, and no name mapping of the table gives them any");
  }

  arrow::Status Mismatch(const NestedField& field, const Node& node) const {
    std::string found = "a group";
    if (node.is_primitive()) {
      const int leaf = file_schema_.ColumnIndex(node);
      found = parquet::LeafType(*file_schema_.Column(leaf)).ToString();
    }
    const std::string wanted = field.type.is_nested() ? (field.type.id == TypeId::kStruct ? "a struct"
                                                         : field.type.id == TypeId::kList ? "a list"
                                                                                          : "a map")
                                                      : field.type.ToString();
    return Error(ErrorKind::kUnsupported, field, "the file has " + found + ", the table " + wanted);
  }

  const Schema& schema_;
  const ::parquet::SchemaDescriptor& file_schema_;
  const FieldIds& ids_;
  const IdentityValues& identity_values_;
};

}  // namespace

arrow::Result<std::vector<ResolvedColumn>> ResolveColumns(const Schema& schema,
                                                          const ::parquet::SchemaDescriptor& file_schema,
                                                          const FieldIds& ids, const IdentityValues& identity_values) {
  return Resolver(schema, file_schema, ids, identity_values).Fields(schema.fields(), *file_schema.group_node());
}

}  // namespace frazil::iceberg
