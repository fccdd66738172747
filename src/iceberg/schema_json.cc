// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/schema_json.h"

#include <string>

#include <nlohmann/json.hpp>

namespace frazil::iceberg {
namespace {

using Json = nlohmann::ordered_json;

Json FieldsToJson(const std::vector<NestedField>& fields);

Json TypeToJson(const Type& type) {
  Json json;
  switch (type.id) {
    case TypeId::kStruct:
      json["type"] = "struct";
      json["fields"] = FieldsToJson(type.fields);
      return json;
    case TypeId::kList:
      json["type"] = "list";
      json["element-id"] = type.fields[0].id;
      json["element"] = TypeToJson(type.fields[0].type);
      json["element-required"] = type.fields[0].required;
      return json;
    case TypeId::kMap:
      json["type"] = "map";
      json["key-id"] = type.fields[0].id;
      json["key"] = TypeToJson(type.fields[0].type);
      json["value-id"] = type.fields[1].id;
      json["value"] = TypeToJson(type.fields[1].type);
      json["value-required"] = type.fields[1].required;
      return json;
    default:
      return type.ToString();
  }
}

Json FieldsToJson(const std::vector<NestedField>& fields) {
  Json list = Json::array();
  for (const NestedField& field : fields) {
    Json json;
    json["id"] = field.id;
    json["name"] = field.name;
    json["required"] = field.required;
    json["type"] = TypeToJson(field.type);
    if (field.initial_default) {
      Json value = Json::parse(field.initial_default->json, nullptr, /*allow_exceptions=*/false);
      if (!value.is_discarded()) json["initial-default"] = std::move(value);
    }
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace

nlohmann::ordered_json SchemaToJson(const Schema& schema) {
  Json json;
  json["type"] = "struct";
  json["schema-id"] = schema.schema_id();
  json["fields"] = FieldsToJson(schema.fields());
  return json;
}

}  // namespace frazil::iceberg
