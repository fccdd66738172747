// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/metadata.h"

#include <algorithm>
#include <set>
#include <utility>

#include "frazil/error.h"
#include "src/base/text.h"

namespace frazil::iceberg {
namespace {

using StringMap = std::map<std::string, std::string>;

// Values that are not text are kept as JSON: some writers store numbers.
arrow::Result<StringMap> ParseStringMap(const JsonField& json, std::string_view name) {
  StringMap map;
  ARROW_ASSIGN_OR_RAISE(const auto object, json.Find<JsonField>(name));
  if (!object) return map;
  ARROW_ASSIGN_OR_RAISE(const auto members, object->Members());
  for (const auto& [key, value] : members) {
    if (value.is_string()) {
      ARROW_ASSIGN_OR_RAISE(map[key], value.As<std::string>());
    } else {
      map[key] = value.Dump();
    }
  }
  return map;
}

// Applies `parse` to every item of the array `name`; an absent one is empty.
template <typename T, typename F>
arrow::Result<std::vector<T>> ParseList(const JsonField& json, std::string_view name, F parse) {
  std::vector<T> list;
  ARROW_ASSIGN_OR_RAISE(const auto items, json.Find<std::vector<JsonField>>(name));
  if (!items) return list;
  list.reserve(items->size());
  for (const JsonField& item : *items) {
    ARROW_ASSIGN_OR_RAISE(T value, parse(item));
    list.push_back(std::move(value));
  }
  return list;
}

// A member that version 2 requires and version 1 does not have.
template <typename T>
arrow::Result<T> GetSince2(const JsonField& json, std::string_view name, int format_version, T otherwise) {
  if (format_version >= 2) return json.Get<T>(name);
  ARROW_ASSIGN_OR_RAISE(auto value, json.Find<T>(name));
  return value ? std::move(*value) : std::move(otherwise);
}

arrow::Result<std::optional<int64_t>> FindSnapshotId(const JsonField& json, std::string_view name) {
  ARROW_ASSIGN_OR_RAISE(const auto field, json.Find<JsonField>(name));
  if (!field) return std::nullopt;
  const auto as_signed = field->As<int64_t>();
  if (as_signed.ok()) return std::optional<int64_t>(*as_signed);
  const auto as_unsigned = field->As<uint64_t>();
  if (as_unsigned.ok()) return std::optional<int64_t>(static_cast<int64_t>(*as_unsigned));
  return as_signed.status();
}

arrow::Result<int64_t> GetSnapshotId(const JsonField& json) {
  ARROW_ASSIGN_OR_RAISE(const auto snapshot_id, FindSnapshotId(json, "snapshot-id"));
  if (!snapshot_id) return json.Get<int64_t>("snapshot-id");
  return *snapshot_id;
}

template <typename T, typename F>
arrow::Status CheckUnique(const std::vector<T>& list, std::string_view name, std::string_view id_name, F id_of) {
  std::set<int64_t> ids;
  for (size_t i = 0; i < list.size(); ++i) {
    if (ids.insert(id_of(list[i])).second) continue;
    return MakeError(ErrorKind::kCorrupt, std::string(name) + "[" + std::to_string(i) + "]." + std::string(id_name) +
                                              ": " + std::to_string(id_of(list[i])) + " is there twice");
  }
  return arrow::Status::OK();
}

arrow::Result<Snapshot> ParseSnapshot(const JsonField& json, int format_version) {
  Snapshot snapshot;
  ARROW_ASSIGN_OR_RAISE(snapshot.snapshot_id, GetSnapshotId(json));
  ARROW_ASSIGN_OR_RAISE(snapshot.parent_snapshot_id, FindSnapshotId(json, "parent-snapshot-id"));
  // A table that was upgraded still has snapshots of version 1.
  ARROW_ASSIGN_OR_RAISE(const auto sequence_number, json.Find<int64_t>("sequence-number"));
  snapshot.sequence_number = sequence_number.value_or(0);
  ARROW_ASSIGN_OR_RAISE(snapshot.timestamp_ms, json.Get<int64_t>("timestamp-ms"));
  ARROW_ASSIGN_OR_RAISE(auto manifest_list, json.Find<std::string>("manifest-list"));
  if (manifest_list) {
    snapshot.manifest_list = std::move(*manifest_list);
  } else if (format_version == 1) {
    ARROW_ASSIGN_OR_RAISE(const auto items, json.Get<std::vector<JsonField>>("manifests"));
    for (const JsonField& item : items) {
      ARROW_ASSIGN_OR_RAISE(std::string path, item.As<std::string>());
      snapshot.manifests.push_back(std::move(path));
    }
  } else {
    return json.Get<std::string>("manifest-list").status();
  }
  ARROW_ASSIGN_OR_RAISE(snapshot.summary, ParseStringMap(json, "summary"));
  ARROW_ASSIGN_OR_RAISE(snapshot.schema_id, json.Find<int32_t>("schema-id"));
  ARROW_ASSIGN_OR_RAISE(snapshot.first_row_id, json.Find<int64_t>("first-row-id"));
  ARROW_ASSIGN_OR_RAISE(snapshot.added_rows, json.Find<int64_t>("added-rows"));
  ARROW_ASSIGN_OR_RAISE(snapshot.key_id, json.Find<std::string>("key-id"));
  return snapshot;
}

arrow::Result<SnapshotLogEntry> ParseSnapshotLogEntry(const JsonField& json) {
  SnapshotLogEntry entry;
  ARROW_ASSIGN_OR_RAISE(entry.timestamp_ms, json.Get<int64_t>("timestamp-ms"));
  ARROW_ASSIGN_OR_RAISE(entry.snapshot_id, GetSnapshotId(json));
  return entry;
}

arrow::Result<MetadataLogEntry> ParseMetadataLogEntry(const JsonField& json) {
  MetadataLogEntry entry;
  ARROW_ASSIGN_OR_RAISE(entry.timestamp_ms, json.Get<int64_t>("timestamp-ms"));
  ARROW_ASSIGN_OR_RAISE(entry.metadata_file, json.Get<std::string>("metadata-file"));
  return entry;
}

arrow::Result<BlobMetadata> ParseBlob(const JsonField& json) {
  BlobMetadata blob;
  ARROW_ASSIGN_OR_RAISE(blob.type, json.Get<std::string>("type"));
  ARROW_ASSIGN_OR_RAISE(blob.snapshot_id, GetSnapshotId(json));
  ARROW_ASSIGN_OR_RAISE(blob.sequence_number, json.Get<int64_t>("sequence-number"));
  ARROW_ASSIGN_OR_RAISE(blob.fields, json.Get<std::vector<int32_t>>("fields"));
  ARROW_ASSIGN_OR_RAISE(blob.properties, ParseStringMap(json, "properties"));
  return blob;
}

arrow::Result<StatisticsFile> ParseStatistics(const JsonField& json) {
  StatisticsFile file;
  ARROW_ASSIGN_OR_RAISE(file.snapshot_id, GetSnapshotId(json));
  ARROW_ASSIGN_OR_RAISE(file.path, json.Get<std::string>("statistics-path"));
  ARROW_ASSIGN_OR_RAISE(file.size_bytes, json.Get<int64_t>("file-size-in-bytes"));
  ARROW_ASSIGN_OR_RAISE(file.footer_size_bytes, json.Get<int64_t>("file-footer-size-in-bytes"));
  ARROW_ASSIGN_OR_RAISE(file.blobs, ParseList<BlobMetadata>(json, "blob-metadata", ParseBlob));
  return file;
}

arrow::Result<PartitionStatisticsFile> ParsePartitionStatistics(const JsonField& json) {
  PartitionStatisticsFile file;
  ARROW_ASSIGN_OR_RAISE(file.snapshot_id, GetSnapshotId(json));
  ARROW_ASSIGN_OR_RAISE(file.path, json.Get<std::string>("statistics-path"));
  ARROW_ASSIGN_OR_RAISE(file.size_bytes, json.Get<int64_t>("file-size-in-bytes"));
  return file;
}

arrow::Status ParseSchemas(const JsonField& json, TableMetadata* metadata) {
  ARROW_ASSIGN_OR_RAISE(metadata->schemas,
                        ParseList<Schema>(json, "schemas", [](const JsonField& item) { return ParseSchema(item); }));
  if (metadata->schemas.empty() && metadata->format_version == 1) {
    ARROW_ASSIGN_OR_RAISE(const JsonField single, json.Get<JsonField>("schema"));
    ARROW_ASSIGN_OR_RAISE(Schema schema, ParseSchema(single));
    metadata->current_schema_id = schema.schema_id();
    metadata->schemas.push_back(std::move(schema));
    return arrow::Status::OK();
  }
  if (metadata->schemas.empty()) {
    ARROW_RETURN_NOT_OK(json.Get<JsonField>("schemas"));
    return json.Error("schemas: empty");
  }
  ARROW_RETURN_NOT_OK(
      CheckUnique(metadata->schemas, "schemas", "schema-id", [](const Schema& schema) { return schema.schema_id(); }));
  ARROW_ASSIGN_OR_RAISE(metadata->current_schema_id, json.Get<int32_t>("current-schema-id"));
  if (metadata->FindSchema(metadata->current_schema_id) != nullptr) return arrow::Status::OK();
  return json.Error("current-schema-id: there is no schema " + std::to_string(metadata->current_schema_id));
}

arrow::Status ParseSpecs(const JsonField& json, TableMetadata* metadata) {
  ARROW_ASSIGN_OR_RAISE(metadata->partition_specs,
                        ParseList<PartitionSpec>(json, "partition-specs", ParsePartitionSpec));
  if (metadata->partition_specs.empty() && metadata->format_version == 1) {
    ARROW_ASSIGN_OR_RAISE(const JsonField single, json.Get<JsonField>("partition-spec"));
    ARROW_ASSIGN_OR_RAISE(PartitionSpec spec, ParsePartitionFields(single, 0));
    metadata->partition_specs.push_back(std::move(spec));
    return arrow::Status::OK();
  }
  if (metadata->partition_specs.empty()) {
    ARROW_RETURN_NOT_OK(json.Get<JsonField>("partition-specs"));
    return json.Error("partition-specs: empty");
  }
  ARROW_RETURN_NOT_OK(CheckUnique(metadata->partition_specs, "partition-specs", "spec-id",
                                  [](const PartitionSpec& spec) { return spec.spec_id; }));
  ARROW_ASSIGN_OR_RAISE(metadata->default_spec_id, json.Get<int32_t>("default-spec-id"));
  if (metadata->FindSpec(metadata->default_spec_id) != nullptr) return arrow::Status::OK();
  return json.Error("default-spec-id: there is no partition spec " + std::to_string(metadata->default_spec_id));
}

arrow::Status ParseSortOrders(const JsonField& json, TableMetadata* metadata) {
  ARROW_ASSIGN_OR_RAISE(metadata->sort_orders, ParseList<SortOrder>(json, "sort-orders", ParseSortOrder));
  if (metadata->format_version >= 2) ARROW_RETURN_NOT_OK(json.Get<JsonField>("sort-orders"));
  ARROW_ASSIGN_OR_RAISE(metadata->default_sort_order_id,
                        GetSince2<int32_t>(json, "default-sort-order-id", metadata->format_version, 0));
  return CheckUnique(metadata->sort_orders, "sort-orders", "order-id",
                     [](const SortOrder& order) { return order.order_id; });
}

arrow::Status ParseRefs(const JsonField& json, TableMetadata* metadata) {
  ARROW_ASSIGN_OR_RAISE(const auto object, json.Find<JsonField>("refs"));
  if (object) {
    ARROW_ASSIGN_OR_RAISE(const auto members, object->Members());
    for (const auto& [name, member] : members) {
      SnapshotRef ref;
      ARROW_ASSIGN_OR_RAISE(ref.snapshot_id, GetSnapshotId(member));
      ARROW_ASSIGN_OR_RAISE(const JsonField type_field, member.Get<JsonField>("type"));
      ARROW_ASSIGN_OR_RAISE(const std::string type, type_field.As<std::string>());
      if (type != "branch" && type != "tag") {
        return type_field.Error("neither branch nor tag: " + Printable(type, 64));
      }
      ref.is_branch = type == "branch";
      ARROW_ASSIGN_OR_RAISE(ref.max_ref_age_ms, member.Find<int64_t>("max-ref-age-ms"));
      ARROW_ASSIGN_OR_RAISE(ref.min_snapshots_to_keep, member.Find<int32_t>("min-snapshots-to-keep"));
      ARROW_ASSIGN_OR_RAISE(ref.max_snapshot_age_ms, member.Find<int64_t>("max-snapshot-age-ms"));
      metadata->refs[name] = ref;
    }
  }
  const auto main = metadata->refs.find(kMainBranch);
  if (main == metadata->refs.end()) {
    if (metadata->current_snapshot_id) metadata->refs[kMainBranch] = {*metadata->current_snapshot_id, true};
    return arrow::Status::OK();
  }
  if (main->second.snapshot_id == metadata->current_snapshot_id) return arrow::Status::OK();
  return json.Error("refs.main: not the snapshot of current-snapshot-id");
}

arrow::Status ParseSnapshots(const JsonField& json, TableMetadata* metadata) {
  ARROW_ASSIGN_OR_RAISE(metadata->current_snapshot_id, FindSnapshotId(json, "current-snapshot-id"));
  if (metadata->current_snapshot_id == -1) metadata->current_snapshot_id.reset();  // how early writers said "none"
  ARROW_ASSIGN_OR_RAISE(metadata->snapshots, ParseList<Snapshot>(json, "snapshots", [&](const JsonField& item) {
                          return ParseSnapshot(item, metadata->format_version);
                        }));
  ARROW_RETURN_NOT_OK(CheckUnique(metadata->snapshots, "snapshots", "snapshot-id",
                                  [](const Snapshot& snapshot) { return snapshot.snapshot_id; }));
  ARROW_ASSIGN_OR_RAISE(metadata->snapshot_log,
                        ParseList<SnapshotLogEntry>(json, "snapshot-log", ParseSnapshotLogEntry));
  ARROW_ASSIGN_OR_RAISE(metadata->metadata_log,
                        ParseList<MetadataLogEntry>(json, "metadata-log", ParseMetadataLogEntry));
  return ParseRefs(json, metadata);
}

arrow::Result<int> ParseVersion(const JsonField& json) {
  ARROW_ASSIGN_OR_RAISE(const int version, json.Get<int32_t>("format-version"));
  if (version > kFormatVersionMax) {
    return MakeError(ErrorKind::kUnsupported, "table format version " + std::to_string(version) + "; versions up to " +
                                                  std::to_string(kFormatVersionMax) + " can be read");
  }
  if (version < 1) return json.Error("format-version: " + std::to_string(version));
  return version;
}

template <typename T, typename F>
const T* FindIn(const std::vector<T>& list, F matches) {
  const auto found = std::find_if(list.begin(), list.end(), matches);
  return found == list.end() ? nullptr : &*found;
}

}  // namespace

const Schema* TableMetadata::FindSchema(int schema_id) const {
  return FindIn(schemas, [&](const Schema& schema) { return schema.schema_id() == schema_id; });
}

const PartitionSpec* TableMetadata::FindSpec(int spec_id) const {
  return FindIn(partition_specs, [&](const PartitionSpec& spec) { return spec.spec_id == spec_id; });
}

const Snapshot* TableMetadata::FindSnapshot(int64_t snapshot_id) const {
  return FindIn(snapshots, [&](const Snapshot& snapshot) { return snapshot.snapshot_id == snapshot_id; });
}

const Schema& TableMetadata::current_schema() const { return *FindSchema(current_schema_id); }

arrow::Result<TableMetadata> ParseMetadata(std::string_view json_text, const JsonLimits& limits) {
  ARROW_ASSIGN_OR_RAISE(const JsonDocument document, JsonDocument::Parse(json_text, limits));
  const JsonField json = document.root();
  TableMetadata metadata;
  ARROW_ASSIGN_OR_RAISE(metadata.format_version, ParseVersion(json));
  const int version = metadata.format_version;
  ARROW_ASSIGN_OR_RAISE(metadata.table_uuid, GetSince2<std::string>(json, "table-uuid", version, ""));
  ARROW_ASSIGN_OR_RAISE(metadata.location, json.Get<std::string>("location"));
  ARROW_ASSIGN_OR_RAISE(metadata.last_sequence_number, GetSince2<int64_t>(json, "last-sequence-number", version, 0));
  ARROW_ASSIGN_OR_RAISE(metadata.last_updated_ms, json.Get<int64_t>("last-updated-ms"));
  ARROW_ASSIGN_OR_RAISE(metadata.last_column_id, json.Get<int32_t>("last-column-id"));
  ARROW_RETURN_NOT_OK(ParseSchemas(json, &metadata));
  ARROW_RETURN_NOT_OK(ParseSpecs(json, &metadata));
  ARROW_ASSIGN_OR_RAISE(metadata.last_partition_id, GetSince2<int32_t>(json, "last-partition-id", version, 0));
  ARROW_RETURN_NOT_OK(ParseSortOrders(json, &metadata));
  ARROW_ASSIGN_OR_RAISE(metadata.properties, ParseStringMap(json, "properties"));
  ARROW_RETURN_NOT_OK(ParseSnapshots(json, &metadata));
  ARROW_ASSIGN_OR_RAISE(metadata.statistics, ParseList<StatisticsFile>(json, "statistics", ParseStatistics));
  ARROW_ASSIGN_OR_RAISE(metadata.partition_statistics,
                        ParseList<PartitionStatisticsFile>(json, "partition-statistics", ParsePartitionStatistics));
  ARROW_ASSIGN_OR_RAISE(metadata.next_row_id, json.Find<int64_t>("next-row-id"));
  ARROW_ASSIGN_OR_RAISE(const auto keys, json.Find<JsonField>("encryption-keys"));
  if (keys) metadata.remarks.emplace_back("encryption keys are ignored");
  return metadata;
}

}  // namespace frazil::iceberg
