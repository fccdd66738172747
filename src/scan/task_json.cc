// SPDX-License-Identifier: Apache-2.0
//
// Tasks as lines of JSON. docs/reference/scan-task.md is the contract.
#include <charconv>
#include <string>
#include <utility>

#include <arrow/util/utf8.h>
#include <nlohmann/json.hpp>

#include "frazil/error.h"
#include "frazil/scan_task.h"
#include "src/base/text.h"
#include "src/iceberg/json.h"
#include "src/iceberg/single_value.h"
#include "src/iceberg/transform.h"
#include "src/scan/task_filter.h"

namespace frazil {
namespace {

using iceberg::JsonField;
using Json = nlohmann::ordered_json;

// A level of the residual is an object and a list.
constexpr iceberg::JsonLimits kLimits{
    .text_bytes_max = int64_t{64} << 20, .values_max = int64_t{2} << 20, .depth_max = 2 * scan::kResidualDepthMax + 20};

template <typename T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

template <typename T>
void AddIfSet(const char* name, const std::optional<T>& value, Json* json) {
  if (value) (*json)[name] = *value;
}

Json RangeToJson(const TaskRange& range) { return {{"begin", range.begin}, {"end", OrNull(range.end)}}; }

// The value for people; null when it is null, or can not be told.
Json ValueText(const TaskPartitionValue& value) {
  if (!value.bytes) return {};
  const auto type = iceberg::ParsePrimitive(value.type);
  if (!type.ok()) return {};
  const auto key = iceberg::DecodeSingleValue(*type, *value.bytes);
  if (!key.ok()) return {};
  const std::string text = iceberg::PartitionText(iceberg::ParseTransform(value.transform), *type, *key);
  return arrow::util::ValidateUTF8(text) ? Json(text) : Json();
}

Json PartitionToJson(const TaskPartitionValue& value) {
  Json json;
  json["field_id"] = value.field_id;
  json["name"] = value.name;
  json["source_ids"] = value.source_ids;
  json["transform"] = value.transform;
  json["type"] = value.type;
  json["value"] = ValueText(value);
  json["bytes"] = value.bytes ? Json(scan::HexOf(*value.bytes)) : Json();
  if (value.position >= 0) json["position"] = value.position;
  return json;
}

Json DeleteToJson(const TaskDeleteFile& file) {
  Json json;
  json["file"] = file.file;
  json["content"] = file.content;
  json["format"] = file.format;
  json["record_count"] = file.record_count;
  json["sequence_number"] = file.sequence_number;
  if (!file.equality_ids.empty()) json["equality_ids"] = file.equality_ids;
  AddIfSet("content_offset", file.content_offset, &json);
  AddIfSet("content_size_bytes", file.content_size_bytes, &json);
  return json;
}

// Text that is JSON itself, as part of the task.
arrow::Result<Json> Embedded(const std::string& text, const char* name) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return MakeError(ErrorKind::kUsage, std::string("task: ") + name + " is no JSON");
  return json;
}

arrow::Result<Json> IcebergToJson(const IcebergTask& task) {
  Json json;
  // As text: JSON numbers of many readers have 53 bits.
  json["snapshot_id"] = task.snapshot_id ? Json(std::to_string(*task.snapshot_id)) : Json();
  ARROW_ASSIGN_OR_RAISE(json["schema"], Embedded(task.schema_json, "the schema"));
  if (!task.name_mapping_json.empty()) {
    ARROW_ASSIGN_OR_RAISE(json["name_mapping"], Embedded(task.name_mapping_json, "the name mapping"));
  }
  if (!task.rewrite_locations.empty()) {
    Json& rewrites = json["rewrite_locations"] = Json::array();
    for (const auto& [from, to] : task.rewrite_locations) rewrites.push_back(Json::array({from, to}));
  }
  if (task.relative_locations != std::pair<std::string, std::string>()) {
    json["relative_locations"] = Json::array({task.relative_locations.first, task.relative_locations.second});
  }
  json["spec_id"] = task.spec_id;
  Json& partition = json["partition"] = Json::array();
  for (const TaskPartitionValue& value : task.partition) partition.push_back(PartitionToJson(value));
  if (!task.partition_type_json.empty()) {
    ARROW_ASSIGN_OR_RAISE(json["partition_type"], Embedded(task.partition_type_json, "the type of _partition"));
  }
  AddIfSet("data_sequence_number", task.data_sequence_number, &json);
  AddIfSet("first_row_id", task.first_row_id, &json);
  ARROW_ASSIGN_OR_RAISE(json["residual"], Embedded(task.residual_json, "the residual"));
  Json& deletes = json["delete_files"] = Json::array();
  for (const TaskDeleteFile& file : task.delete_files) deletes.push_back(DeleteToJson(file));
  return json;
}

template <typename T>
arrow::Status FindInto(const JsonField& json, const char* name, std::optional<T>* value) {
  ARROW_ASSIGN_OR_RAISE(*value, json.Find<T>(name));
  return arrow::Status::OK();
}

arrow::Result<std::vector<std::string>> Texts(const JsonField& json, const char* name) {
  std::vector<std::string> texts;
  ARROW_ASSIGN_OR_RAISE(const auto list, json.Find<std::vector<JsonField>>(name));
  if (!list) return texts;
  for (const JsonField& item : *list) {
    ARROW_ASSIGN_OR_RAISE(std::string text, item.As<std::string>());
    texts.push_back(std::move(text));
  }
  return texts;
}

arrow::Result<std::optional<TaskRange>> RangeOf(const JsonField& task, const char* name) {
  ARROW_ASSIGN_OR_RAISE(const auto json, task.Find<JsonField>(name));
  if (!json) return std::nullopt;
  TaskRange range;
  ARROW_ASSIGN_OR_RAISE(range.begin, json->Get<int64_t>("begin"));
  ARROW_RETURN_NOT_OK(FindInto(*json, "end", &range.end));
  if (range.begin < 0 || (range.end && *range.end < range.begin)) return json->Error("no range");
  return range;
}

arrow::Result<TaskPartitionValue> PartitionOf(const JsonField& json) {
  TaskPartitionValue value;
  ARROW_ASSIGN_OR_RAISE(value.field_id, json.Get<int32_t>("field_id"));
  ARROW_ASSIGN_OR_RAISE(value.name, json.Get<std::string>("name"));
  ARROW_ASSIGN_OR_RAISE(value.source_ids, json.Get<std::vector<int32_t>>("source_ids"));
  ARROW_ASSIGN_OR_RAISE(value.transform, json.Get<std::string>("transform"));
  ARROW_ASSIGN_OR_RAISE(value.type, json.Get<std::string>("type"));
  ARROW_ASSIGN_OR_RAISE(const auto position, json.Find<int32_t>("position"));
  value.position = position.value_or(-1);
  ARROW_ASSIGN_OR_RAISE(const auto digits, json.Find<std::string>("bytes"));
  if (!digits) return value;
  value.bytes = scan::BytesOfHex(*digits);
  if (!value.bytes) return json.Error("bytes: no hexadecimal digits: " + Printable(*digits, 64));
  return value;
}

arrow::Result<TaskDeleteFile> DeleteOf(const JsonField& json) {
  TaskDeleteFile file;
  ARROW_ASSIGN_OR_RAISE(file.file, json.Get<std::string>("file"));
  ARROW_ASSIGN_OR_RAISE(file.content, json.Get<std::string>("content"));
  ARROW_ASSIGN_OR_RAISE(file.format, json.Get<std::string>("format"));
  ARROW_ASSIGN_OR_RAISE(file.record_count, json.Get<int64_t>("record_count"));
  ARROW_ASSIGN_OR_RAISE(file.sequence_number, json.Get<int64_t>("sequence_number"));
  ARROW_ASSIGN_OR_RAISE(auto ids, json.Find<std::vector<int32_t>>("equality_ids"));
  if (ids) file.equality_ids = *std::move(ids);
  ARROW_RETURN_NOT_OK(FindInto(json, "content_offset", &file.content_offset));
  ARROW_RETURN_NOT_OK(FindInto(json, "content_size_bytes", &file.content_size_bytes));
  if (file.content != kPositionDeletesContent && file.content != kEqualityDeletesContent) {
    return json.Error("content: " + Printable(file.content, 64));
  }
  return file;
}

template <typename T, typename F>
arrow::Status ListInto(const JsonField& json, const char* name, F item_of, std::vector<T>* list) {
  ARROW_ASSIGN_OR_RAISE(const auto items, json.Find<std::vector<JsonField>>(name));
  if (!items) return arrow::Status::OK();
  for (const JsonField& item : *items) {
    ARROW_ASSIGN_OR_RAISE(T value, item_of(item));
    list->push_back(std::move(value));
  }
  return arrow::Status::OK();
}

arrow::Result<std::pair<std::string, std::string>> RewriteOf(const JsonField& json) {
  ARROW_ASSIGN_OR_RAISE(const auto ends, json.As<std::vector<JsonField>>());
  if (ends.size() != 2) return json.Error("not [from, to]");
  std::pair<std::string, std::string> rewrite;
  ARROW_ASSIGN_OR_RAISE(rewrite.first, ends[0].As<std::string>());
  ARROW_ASSIGN_OR_RAISE(rewrite.second, ends[1].As<std::string>());
  return rewrite;
}

arrow::Result<IcebergTask> IcebergOf(const JsonField& json) {
  IcebergTask task;
  ARROW_ASSIGN_OR_RAISE(const auto snapshot, json.Find<std::string>("snapshot_id"));
  if (snapshot) {
    int64_t id = 0;
    const auto [end, error] = std::from_chars(snapshot->data(), snapshot->data() + snapshot->size(), id);
    if (error != std::errc() || end != snapshot->data() + snapshot->size()) {
      return json.Error("snapshot_id: no whole number: " + Printable(*snapshot, 64));
    }
    task.snapshot_id = id;
  }
  ARROW_ASSIGN_OR_RAISE(const JsonField schema, json.Get<JsonField>("schema"));
  task.schema_json = schema.Dump();
  ARROW_ASSIGN_OR_RAISE(const auto mapping, json.Find<JsonField>("name_mapping"));
  if (mapping) task.name_mapping_json = mapping->Dump();
  ARROW_RETURN_NOT_OK(ListInto(json, "rewrite_locations", RewriteOf, &task.rewrite_locations));
  ARROW_ASSIGN_OR_RAISE(const auto relative, json.Find<JsonField>("relative_locations"));
  if (relative) {
    ARROW_ASSIGN_OR_RAISE(task.relative_locations, RewriteOf(*relative));
  }
  ARROW_ASSIGN_OR_RAISE(const auto partition_type, json.Find<JsonField>("partition_type"));
  if (partition_type) task.partition_type_json = partition_type->Dump();
  ARROW_ASSIGN_OR_RAISE(task.spec_id, json.Get<int32_t>("spec_id"));
  ARROW_RETURN_NOT_OK(ListInto(json, "partition", PartitionOf, &task.partition));
  ARROW_RETURN_NOT_OK(FindInto(json, "data_sequence_number", &task.data_sequence_number));
  ARROW_RETURN_NOT_OK(FindInto(json, "first_row_id", &task.first_row_id));
  ARROW_ASSIGN_OR_RAISE(const JsonField residual, json.Get<JsonField>("residual"));
  task.residual_json = residual.Dump();
  ARROW_RETURN_NOT_OK(ListInto(json, "delete_files", DeleteOf, &task.delete_files));
  return task;
}

arrow::Result<ScanTask> TaskOf(const JsonField& json) {
  ARROW_ASSIGN_OR_RAISE(const int64_t version, json.Get<int64_t>("version"));
  if (version != kScanTaskVersion) {
    return MakeError(ErrorKind::kUnsupported, "version " + std::to_string(version) + "; version " +
                                                  std::to_string(kScanTaskVersion) + " is what can be run");
  }
  ScanTask task;
  ARROW_ASSIGN_OR_RAISE(task.file, json.Get<std::string>("file"));
  ARROW_ASSIGN_OR_RAISE(task.format, json.Get<std::string>("format"));
  ARROW_ASSIGN_OR_RAISE(task.file_size_bytes, json.Get<int64_t>("file_size_bytes"));
  ARROW_ASSIGN_OR_RAISE(task.record_count, json.Get<int64_t>("record_count"));
  ARROW_ASSIGN_OR_RAISE(task.rows, RangeOf(json, "rows"));
  ARROW_ASSIGN_OR_RAISE(task.bytes, RangeOf(json, "bytes"));
  if (task.rows && task.bytes) return json.Error("rows and bytes: one of them is all there can be");
  ARROW_ASSIGN_OR_RAISE(const auto filter, json.Find<std::string>("filter"));
  task.filter = filter.value_or("");
  ARROW_ASSIGN_OR_RAISE(task.columns, Texts(json, "columns"));
  ARROW_ASSIGN_OR_RAISE(task.column_types, Texts(json, "column_types"));
  ARROW_ASSIGN_OR_RAISE(const auto iceberg, json.Find<JsonField>("iceberg"));
  if (iceberg) {
    ARROW_ASSIGN_OR_RAISE(task.iceberg, IcebergOf(*iceberg));
  }
  return task;
}

}  // namespace

arrow::Result<std::string> TaskToJson(const ScanTask& task) {
  Json json;
  json["version"] = kScanTaskVersion;
  json["file"] = task.file;
  json["format"] = task.format;
  json["file_size_bytes"] = task.file_size_bytes;
  json["record_count"] = task.record_count;
  if (task.rows) json["rows"] = RangeToJson(*task.rows);
  if (task.bytes) json["bytes"] = RangeToJson(*task.bytes);
  json["filter"] = task.filter;
  json["columns"] = task.columns;
  if (!task.column_types.empty()) json["column_types"] = task.column_types;
  if (task.iceberg) {
    ARROW_ASSIGN_OR_RAISE(json["iceberg"], IcebergToJson(*task.iceberg));
  }
  try {
    return json.dump();
  } catch (const Json::exception&) {
    return MakeError(ErrorKind::kUnsupported, "a name in the task is not UTF-8, so that it can not be written as JSON",
                     {.file = task.file});
  }
}

arrow::Result<ScanTask> TaskFromJson(std::string_view text) {
  auto task = [&]() -> arrow::Result<ScanTask> {
    ARROW_ASSIGN_OR_RAISE(const auto document, iceberg::JsonDocument::Parse(text, kLimits));
    return TaskOf(document.root());
  }();
  if (task.ok()) return task;
  return MakeError(KindOf(task.status()), "task: " + task.status().message());
}

}  // namespace frazil
