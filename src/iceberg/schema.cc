// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/schema.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "frazil/error.h"
#include "src/base/text.h"
#include "src/iceberg/single_value.h"

namespace frazil::iceberg {
namespace {

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), LowerAscii);
  return lower;
}

arrow::Result<std::optional<DefaultValue>> ParseDefault(const JsonField& field, std::string_view name,
                                                        const Type& type) {
  ARROW_ASSIGN_OR_RAISE(const auto json, field.Find<JsonField>(name));
  if (!json) return std::nullopt;
  DefaultValue value;
  value.json = json->Dump();
  if (!type.is_nested()) {
    ARROW_ASSIGN_OR_RAISE(value.bytes, EncodeJsonValue(type, *json));
  } else if (type.id == TypeId::kStruct && value.json != "{}") {
    return json->Error("the default of a struct is {}, its members have their own");
  }
  return value;
}

arrow::Result<NestedField> ParseField(const JsonField& json) {
  NestedField field;
  ARROW_ASSIGN_OR_RAISE(field.id, json.Get<int32_t>("id"));
  ARROW_ASSIGN_OR_RAISE(field.name, json.Get<std::string>("name"));
  ARROW_ASSIGN_OR_RAISE(field.required, json.Get<bool>("required"));
  ARROW_ASSIGN_OR_RAISE(const JsonField type, json.Get<JsonField>("type"));
  ARROW_ASSIGN_OR_RAISE(field.type, ParseType(type));
  ARROW_ASSIGN_OR_RAISE(auto doc, json.Find<JsonField>("doc"));
  if (doc && doc->is_string()) {
    ARROW_ASSIGN_OR_RAISE(field.doc, doc->As<std::string>());
  }
  ARROW_ASSIGN_OR_RAISE(field.initial_default, ParseDefault(json, "initial-default", field.type));
  ARROW_ASSIGN_OR_RAISE(field.write_default, ParseDefault(json, "write-default", field.type));
  return field;
}

arrow::Result<std::vector<NestedField>> ParseFields(const JsonField& json) {
  ARROW_ASSIGN_OR_RAISE(const auto items, json.Get<std::vector<JsonField>>("fields"));
  std::vector<NestedField> fields;
  fields.reserve(items.size());
  for (const JsonField& item : items) {
    ARROW_ASSIGN_OR_RAISE(NestedField field, ParseField(item));
    fields.push_back(std::move(field));
  }
  return fields;
}

// "element", "key" or "value" of a list or map.
arrow::Result<NestedField> ParsePart(const JsonField& json, const std::string& name) {
  NestedField field;
  field.name = name;
  ARROW_ASSIGN_OR_RAISE(field.id, json.Get<int32_t>(name + "-id"));
  field.required = true;
  if (name != "key") {
    ARROW_ASSIGN_OR_RAISE(field.required, json.Get<bool>(name + "-required"));
  }
  ARROW_ASSIGN_OR_RAISE(const JsonField type, json.Get<JsonField>(name));
  ARROW_ASSIGN_OR_RAISE(field.type, ParseType(type));
  return field;
}

bool HasAnyOf(const NestedField& field, const std::set<int>& ids) {
  return ids.contains(field.id) || std::any_of(field.type.fields.begin(), field.type.fields.end(),
                                               [&](const NestedField& child) { return HasAnyOf(child, ids); });
}

std::vector<NestedField> Selected(const std::vector<NestedField>& fields, const std::set<int>& ids) {
  std::vector<NestedField> selected;
  for (const NestedField& field : fields) {
    if (!HasAnyOf(field, ids)) continue;
    selected.push_back(field);
    const bool in_part = field.type.id == TypeId::kStruct && !ids.contains(field.id);
    if (in_part) selected.back().type.fields = Selected(field.type.fields, ids);
  }
  return selected;
}

expr::Field FilterField(const NestedField& field, bool repeated) {
  expr::Field out;
  out.name = field.name;
  out.type = FilterType(field.type);
  out.ref = field.id;
  out.repeated = repeated;
  const bool children_repeat = repeated || field.type.id == TypeId::kList || field.type.id == TypeId::kMap;
  for (const NestedField& child : field.type.fields) out.children.push_back(FilterField(child, children_repeat));
  return out;
}

}  // namespace

arrow::Result<Schema> Schema::Make(std::vector<NestedField> fields, int schema_id,
                                   std::vector<int> identifier_field_ids) {
  Schema schema;
  schema.schema_id_ = schema_id;
  schema.identifier_field_ids_ = std::move(identifier_field_ids);
  schema.fields_ = std::move(fields);
  ARROW_RETURN_NOT_OK(schema.Index(schema.fields_, {}));
  for (const auto& [id, path] : schema.paths_) {
    const std::string name = schema.NameOf(id);
    schema.ids_by_name_.emplace(name, id);
    schema.ids_by_lower_name_.emplace(LowerCase(name), id);
  }
  return schema;
}

arrow::Status Schema::Index(const std::vector<NestedField>& fields, const std::vector<int>& path) {
  std::vector<std::string_view> names;
  names.reserve(fields.size());
  for (size_t i = 0; i < fields.size(); ++i) {
    const NestedField& field = fields[i];
    std::vector<int> field_path = path;
    field_path.push_back(static_cast<int>(i));
    if (field.id < 0) {
      return MakeError(ErrorKind::kCorrupt,
                       "field " + Printable(field.name, 64) + " has the id " + std::to_string(field.id));
    }
    ARROW_RETURN_NOT_OK(Index(field.type.fields, field_path));
    if (!paths_.emplace(field.id, std::move(field_path)).second) {
      return MakeError(ErrorKind::kCorrupt, "two fields have the id " + std::to_string(field.id) + "; one of them is " +
                                                Printable(field.name, 64));
    }
    names.push_back(field.name);
  }
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice == names.end()) return arrow::Status::OK();
  return MakeError(ErrorKind::kCorrupt, "two fields of one struct are named " + Printable(*twice, 64));
}

std::vector<const NestedField*> Schema::PathTo(int id) const {
  std::vector<const NestedField*> out;
  const auto found = paths_.find(id);
  if (found == paths_.end()) return out;
  const std::vector<NestedField>* fields = &fields_;
  for (const int index : found->second) {
    out.push_back(&(*fields)[index]);
    fields = &out.back()->type.fields;
  }
  return out;
}

const NestedField* Schema::FindById(int id) const {
  const auto path = PathTo(id);
  return path.empty() ? nullptr : path.back();
}

std::string Schema::NameOf(int id) const {
  std::string name;
  for (const NestedField* field : PathTo(id)) name += (name.empty() ? "" : ".") + field->name;
  return name;
}

const NestedField* Schema::FindByName(std::string_view name, bool case_sensitive) const {
  const auto [begin, end] =
      case_sensitive ? ids_by_name_.equal_range(name) : ids_by_lower_name_.equal_range(LowerCase(name));
  if (begin == end) return nullptr;
  if (std::next(begin) == end) return FindById(begin->second);
  if (!case_sensitive) return nullptr;
  const NestedField* best = nullptr;
  size_t best_depth = 0;
  for (auto it = begin; it != end; ++it) {
    const auto path = PathTo(it->second);
    if (best == nullptr || path.size() < best_depth) {
      best = path.back();
      best_depth = path.size();
    }
  }
  return best;
}

expr::FieldTree Schema::FilterTree() const {
  expr::FieldTree tree;
  tree.fields.reserve(fields_.size());
  for (const NestedField& field : fields_) tree.fields.push_back(FilterField(field, false));
  return tree;
}

arrow::Result<Schema> SelectFields(const Schema& schema, const std::vector<int>& field_ids) {
  return Schema::Make(Selected(schema.fields(), {field_ids.begin(), field_ids.end()}), schema.schema_id());
}

arrow::Result<Type> ParseType(const JsonField& json) {
  if (json.is_string()) {
    ARROW_ASSIGN_OR_RAISE(const std::string name, json.As<std::string>());
    auto type = ParsePrimitive(name);
    if (type.ok()) return type;
    return MakeError(KindOf(type.status()), json.path() + ": " + type.status().message());
  }
  ARROW_ASSIGN_OR_RAISE(const std::string name, json.Get<std::string>("type"));
  Type type;
  if (name == "struct") {
    type.id = TypeId::kStruct;
    ARROW_ASSIGN_OR_RAISE(type.fields, ParseFields(json));
    return type;
  }
  if (name != "list" && name != "map") return json.Error("no type is called '" + Printable(name, 64) + "'");
  type.id = name == "list" ? TypeId::kList : TypeId::kMap;
  const std::vector<std::string> parts =
      name == "list" ? std::vector<std::string>{"element"} : std::vector<std::string>{"key", "value"};
  for (const std::string& part : parts) {
    ARROW_ASSIGN_OR_RAISE(NestedField field, ParsePart(json, part));
    type.fields.push_back(std::move(field));
  }
  return type;
}

arrow::Result<Schema> ParseSchema(const JsonField& json) {
  ARROW_ASSIGN_OR_RAISE(const auto schema_id, json.Find<int32_t>("schema-id"));
  ARROW_ASSIGN_OR_RAISE(std::vector<NestedField> fields, ParseFields(json));
  ARROW_ASSIGN_OR_RAISE(auto identifiers, json.Find<std::vector<int32_t>>("identifier-field-ids"));
  auto schema = Schema::Make(std::move(fields), schema_id.value_or(0),
                             identifiers ? std::move(*identifiers) : std::vector<int>());
  if (!schema.ok()) return json.Error(schema.status().message());
  return schema;
}

arrow::Result<Schema> ParseSchema(std::string_view json_text) {
  ARROW_ASSIGN_OR_RAISE(const JsonDocument document, JsonDocument::Parse(json_text, {}));
  return ParseSchema(document.root());
}

}  // namespace frazil::iceberg
