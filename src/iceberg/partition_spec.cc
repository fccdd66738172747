// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/partition_spec.h"

#include <algorithm>
#include <utility>

namespace frazil::iceberg {
namespace {

// "source-id", or "source-ids" of transforms with several.
arrow::Result<std::vector<int>> ParseSourceIds(const JsonField& json) {
  ARROW_ASSIGN_OR_RAISE(auto ids, json.Find<std::vector<int32_t>>("source-ids"));
  if (ids && !ids->empty()) return std::move(*ids);
  ARROW_ASSIGN_OR_RAISE(const int id, json.Get<int32_t>("source-id"));
  return std::vector<int>{id};
}

// "asc" or "desc", "nulls-first" or "nulls-last".
arrow::Result<bool> ParseChoice(const JsonField& json, std::string_view name, std::string_view yes,
                                std::string_view no) {
  ARROW_ASSIGN_OR_RAISE(const std::string word, json.Get<std::string>(name));
  if (word == yes) return true;
  if (word == no) return false;
  return json.Error(std::string(name) + " is neither " + std::string(yes) + " nor " + std::string(no));
}

}  // namespace

bool PartitionSpec::is_unpartitioned() const {
  return std::all_of(fields.begin(), fields.end(),
                     [](const PartitionField& field) { return field.transform.kind == TransformKind::kVoid; });
}

std::string PartitionSpec::ToString(const Schema& schema) const {
  std::string text;
  for (const PartitionField& field : fields) {
    if (!text.empty()) text += ", ";
    std::string sources;
    for (const int id : field.source_ids) {
      const std::string name = schema.NameOf(id);
      sources += (sources.empty() ? "" : ", ") + (name.empty() ? "#" + std::to_string(id) : name);
    }
    text += field.transform.text + "(" + sources + ")";
  }
  return "[" + text + "]";
}

arrow::Result<PartitionSpec> ParsePartitionFields(const JsonField& json, int spec_id) {
  PartitionSpec spec;
  spec.spec_id = spec_id;
  ARROW_ASSIGN_OR_RAISE(const auto items, json.As<std::vector<JsonField>>());
  for (const JsonField& item : items) {
    PartitionField field;
    ARROW_ASSIGN_OR_RAISE(field.source_ids, ParseSourceIds(item));
    ARROW_ASSIGN_OR_RAISE(const auto field_id, item.Find<int32_t>("field-id"));
    field.field_id = field_id.value_or(kPartitionFieldIdMin + static_cast<int>(spec.fields.size()));
    ARROW_ASSIGN_OR_RAISE(field.name, item.Get<std::string>("name"));
    ARROW_ASSIGN_OR_RAISE(const std::string transform, item.Get<std::string>("transform"));
    field.transform = ParseTransform(transform);
    spec.fields.push_back(std::move(field));
  }
  return spec;
}

arrow::Result<PartitionSpec> ParsePartitionFields(std::string_view json_text, int spec_id) {
  ARROW_ASSIGN_OR_RAISE(const JsonDocument document, JsonDocument::Parse(json_text, {}));
  return ParsePartitionFields(document.root(), spec_id);
}

arrow::Result<PartitionSpec> ParsePartitionSpec(const JsonField& json) {
  ARROW_ASSIGN_OR_RAISE(const int spec_id, json.Get<int32_t>("spec-id"));
  ARROW_ASSIGN_OR_RAISE(const JsonField fields, json.Get<JsonField>("fields"));
  return ParsePartitionFields(fields, spec_id);
}

arrow::Result<SortOrder> ParseSortOrder(const JsonField& json) {
  SortOrder order;
  ARROW_ASSIGN_OR_RAISE(order.order_id, json.Get<int32_t>("order-id"));
  ARROW_ASSIGN_OR_RAISE(const auto items, json.Get<std::vector<JsonField>>("fields"));
  for (const JsonField& item : items) {
    SortField field;
    ARROW_ASSIGN_OR_RAISE(field.source_ids, ParseSourceIds(item));
    ARROW_ASSIGN_OR_RAISE(const std::string transform, item.Get<std::string>("transform"));
    field.transform = ParseTransform(transform);
    ARROW_ASSIGN_OR_RAISE(field.ascending, ParseChoice(item, "direction", "asc", "desc"));
    ARROW_ASSIGN_OR_RAISE(field.nulls_first, ParseChoice(item, "null-order", "nulls-first", "nulls-last"));
    order.fields.push_back(std::move(field));
  }
  return order;
}

}  // namespace frazil::iceberg
