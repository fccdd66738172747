// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/name_mapping.h"

#include <algorithm>
#include <set>
#include <utility>

#include "src/base/text.h"
#include "src/iceberg/json.h"

namespace frazil::iceberg {
namespace {

using ::parquet::schema::GroupNode;
using ::parquet::schema::Node;

const GroupNode& AsGroup(const Node& node) { return static_cast<const GroupNode&>(node); }

bool IsAnnotated(const Node& node, ::parquet::LogicalType::Type::type type, ::parquet::ConvertedType::type converted) {
  return node.is_group() && ((node.logical_type() != nullptr && node.logical_type()->type() == type) ||
                             node.converted_type() == converted);
}

bool IsList(const Node& node) {
  return IsAnnotated(node, ::parquet::LogicalType::Type::LIST, ::parquet::ConvertedType::LIST);
}

bool IsMap(const Node& node) {
  return IsAnnotated(node, ::parquet::LogicalType::Type::MAP, ::parquet::ConvertedType::MAP) ||
         IsAnnotated(node, ::parquet::LogicalType::Type::MAP, ::parquet::ConvertedType::MAP_KEY_VALUE);
}

// The one repeated child of a group that is not repeated itself.
const Node* RepeatedChild(const Node& node) {
  if (!node.is_group() || AsGroup(node).field_count() != 1) return nullptr;
  const Node* child = AsGroup(node).field(0).get();
  return child->is_repeated() ? child : nullptr;
}

arrow::Result<NameMapping> ParseFields(const JsonField& json) {
  NameMapping fields;
  std::set<std::string> names;
  ARROW_ASSIGN_OR_RAISE(const auto items, json.As<std::vector<JsonField>>());
  for (const JsonField& item : items) {
    MappedField field;
    ARROW_ASSIGN_OR_RAISE(field.field_id, item.Find<int32_t>("field-id"));
    ARROW_ASSIGN_OR_RAISE(const auto name_items, item.Get<std::vector<JsonField>>("names"));
    for (const JsonField& name_item : name_items) {
      ARROW_ASSIGN_OR_RAISE(std::string name, name_item.As<std::string>());
      if (!names.insert(name).second) return name_item.Error("the name " + Printable(name, 64) + " is there twice");
      field.names.push_back(std::move(name));
    }
    ARROW_ASSIGN_OR_RAISE(const auto children, item.Find<JsonField>("fields"));
    if (children) {
      ARROW_ASSIGN_OR_RAISE(field.fields, ParseFields(*children));
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

const MappedField* FindMapped(const NameMapping& fields, const std::string& name) {
  for (const MappedField& field : fields) {
    if (std::find(field.names.begin(), field.names.end(), name) != field.names.end()) return &field;
  }
  return nullptr;
}

void MapNode(const Node& node, const std::string& name, const NameMapping& mapping, FieldIds* ids);

void MapChildren(const Node& node, const NameMapping& mapping, FieldIds* ids) {
  if (const Node* element = ListElement(node)) {
    MapNode(*element, "element", mapping, ids);
    return;
  }
  if (const MapParts parts = PartsOfMap(node); parts.key != nullptr) {
    MapNode(*parts.key, "key", mapping, ids);
    if (parts.value != nullptr) MapNode(*parts.value, "value", mapping, ids);
    return;
  }
  if (!node.is_group()) return;
  for (int i = 0; i < AsGroup(node).field_count(); ++i) {
    const Node& child = *AsGroup(node).field(i);
    MapNode(child, child.name(), mapping, ids);
  }
}

void MapNode(const Node& node, const std::string& name, const NameMapping& mapping, FieldIds* ids) {
  const MappedField* mapped = FindMapped(mapping, name);
  if (mapped == nullptr) return;
  if (mapped->field_id) ids->emplace(&node, *mapped->field_id);
  MapChildren(node, mapped->fields, ids);
}

void CollectOwn(const Node& node, FieldIds* ids) {
  if (node.field_id() >= 0) ids->emplace(&node, node.field_id());
  if (!node.is_group()) return;
  for (int i = 0; i < AsGroup(node).field_count(); ++i) CollectOwn(*AsGroup(node).field(i), ids);
}

}  // namespace

arrow::Result<NameMapping> ParseNameMapping(std::string_view json_text) {
  ARROW_ASSIGN_OR_RAISE(const JsonDocument document, JsonDocument::Parse(json_text, {}));
  return ParseFields(document.root());
}

const Node* ListElement(const Node& node) {
  if (!IsList(node)) return nullptr;
  const Node* repeated = RepeatedChild(node);
  if (repeated == nullptr) return nullptr;
  // Two levels, as old writers have it: the repeated node is the element itself.
  const bool is_element = repeated->is_primitive() || AsGroup(*repeated).field_count() != 1 ||
                          AsGroup(*repeated).field(0)->is_repeated() || repeated->name() == "array" ||
                          repeated->name() == node.name() + "_tuple";
  return is_element ? repeated : AsGroup(*repeated).field(0).get();
}

MapParts PartsOfMap(const Node& node) {
  if (!IsMap(node)) return {};
  const Node* repeated = RepeatedChild(node);
  if (repeated == nullptr || repeated->is_primitive()) return {};
  const GroupNode& pair = AsGroup(*repeated);
  if (pair.field_count() < 1 || pair.field_count() > 2) return {};
  return {pair.field(0).get(), pair.field_count() == 2 ? pair.field(1).get() : nullptr};
}

FieldIds OwnFieldIds(const ::parquet::SchemaDescriptor& schema) {
  FieldIds ids;
  const GroupNode& root = *schema.group_node();
  // The root may carry a number of its own; it is no field.
  for (int i = 0; i < root.field_count(); ++i) CollectOwn(*root.field(i), &ids);
  return ids;
}

FieldIds MappedFieldIds(const ::parquet::SchemaDescriptor& schema, const NameMapping& mapping) {
  FieldIds ids;
  const GroupNode& root = *schema.group_node();
  for (int i = 0; i < root.field_count(); ++i) MapNode(*root.field(i), root.field(i)->name(), mapping, &ids);
  return ids;
}

FieldIds PositionFieldIds(const ::parquet::SchemaDescriptor& schema) {
  FieldIds ids;
  const GroupNode& root = *schema.group_node();
  for (int i = 0; i < root.field_count(); ++i) ids.emplace(root.field(i).get(), i + 1);
  return ids;
}

FieldIds FieldIdsOf(const ::parquet::SchemaDescriptor& schema, const NameMapping* mapping) {
  FieldIds own = OwnFieldIds(schema);
  if (!own.empty()) return own;
  return mapping != nullptr ? MappedFieldIds(schema, *mapping) : PositionFieldIds(schema);
}

}  // namespace frazil::iceberg
