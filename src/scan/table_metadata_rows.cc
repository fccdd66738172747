// SPDX-License-Identifier: Apache-2.0
//
// The metadata tables that the metadata file alone tells.
#include <set>
#include <string>
#include <utility>

#include <arrow/builder.h>
#include <arrow/table_builder.h>

#include "src/scan/metadata_rows.h"

namespace frazil::scan {
namespace {

using Batch = arrow::Result<std::shared_ptr<arrow::RecordBatch>>;
using iceberg::NestedField;
using iceberg::Schema;
using iceberg::Snapshot;
using iceberg::TableMetadata;

constexpr const char* kOperation = "operation";

std::shared_ptr<arrow::DataType> Instant() { return arrow::timestamp(arrow::TimeUnit::MILLI, "UTC"); }

std::shared_ptr<arrow::Field> Required(std::string name, std::shared_ptr<arrow::DataType> type) {
  return arrow::field(std::move(name), std::move(type), /*nullable=*/false);
}

// One builder a column, by its place.
class Rows {
 public:
  static arrow::Result<Rows> Make(arrow::FieldVector fields) {
    ARROW_ASSIGN_OR_RAISE(
        auto builder, arrow::RecordBatchBuilder::Make(arrow::schema(std::move(fields)), arrow::default_memory_pool()));
    return Rows(std::move(builder));
  }

  template <typename Builder>
  Builder* At(int column) {
    return builder_->GetFieldAs<Builder>(column);
  }
  arrow::Status Number(int column, const std::optional<int64_t>& value) {
    return Append<arrow::Int64Builder>(column, value);
  }
  arrow::Status Int(int column, const std::optional<int32_t>& value) {
    return Append<arrow::Int32Builder>(column, value);
  }
  arrow::Status Time(int column, const std::optional<int64_t>& milliseconds) {
    return Append<arrow::TimestampBuilder>(column, milliseconds);
  }
  arrow::Status Bool(int column, bool value) { return At<arrow::BooleanBuilder>(column)->Append(value); }
  arrow::Status Text(int column, const std::optional<std::string>& value) {
    return Append<arrow::StringBuilder>(column, value);
  }
  Batch Finish() { return builder_->Flush(); }

 private:
  explicit Rows(std::unique_ptr<arrow::RecordBatchBuilder> builder) : builder_(std::move(builder)) {}

  template <typename Builder, typename T>
  arrow::Status Append(int column, const std::optional<T>& value) {
    return value ? At<Builder>(column)->Append(*value) : At<Builder>(column)->AppendNull();
  }

  std::unique_ptr<arrow::RecordBatchBuilder> builder_;
};

std::optional<std::string> OperationOf(const Snapshot& snapshot) {
  const auto operation = snapshot.summary.find(kOperation);
  if (operation == snapshot.summary.end()) return std::nullopt;
  return operation->second;
}

arrow::Status AppendSummary(const Snapshot& snapshot, arrow::MapBuilder* map) {
  if (snapshot.summary.empty()) return map->AppendNull();
  auto* keys = static_cast<arrow::StringBuilder*>(map->key_builder());
  auto* values = static_cast<arrow::StringBuilder*>(map->item_builder());
  ARROW_RETURN_NOT_OK(map->Append());
  for (const auto& [key, value] : snapshot.summary) {
    if (key == kOperation) continue;
    ARROW_RETURN_NOT_OK(keys->Append(key));
    ARROW_RETURN_NOT_OK(values->Append(value));
  }
  return arrow::Status::OK();
}

// The current snapshot and those that it came from.
std::set<int64_t> CurrentAncestors(const TableMetadata& metadata) {
  std::set<int64_t> ids;
  std::optional<int64_t> id = metadata.current_snapshot_id;
  while (id && ids.insert(*id).second) {
    const Snapshot* snapshot = metadata.FindSnapshot(*id);
    id = snapshot == nullptr ? std::nullopt : snapshot->parent_snapshot_id;
  }
  return ids;
}

std::optional<std::string> JsonOf(const std::optional<iceberg::DefaultValue>& value) {
  if (!value) return std::nullopt;
  return value->json;
}

arrow::Status AppendField(const Schema& schema, bool is_current, const NestedField& field, Rows* rows) {
  const auto& identifiers = schema.identifier_field_ids();
  const bool identifies = std::find(identifiers.begin(), identifiers.end(), field.id) != identifiers.end();
  ARROW_RETURN_NOT_OK(rows->Int(0, schema.schema_id()));
  ARROW_RETURN_NOT_OK(rows->Bool(1, is_current));
  ARROW_RETURN_NOT_OK(rows->Int(2, field.id));
  ARROW_RETURN_NOT_OK(rows->Text(3, schema.NameOf(field.id)));
  ARROW_RETURN_NOT_OK(rows->Text(4, field.type.ToString()));
  ARROW_RETURN_NOT_OK(rows->Bool(5, field.required));
  ARROW_RETURN_NOT_OK(rows->Bool(6, identifies));
  ARROW_RETURN_NOT_OK(rows->Text(7, JsonOf(field.initial_default)));
  ARROW_RETURN_NOT_OK(rows->Text(8, JsonOf(field.write_default)));
  ARROW_RETURN_NOT_OK(rows->Text(9, field.doc.empty() ? std::nullopt : std::optional<std::string>(field.doc)));
  for (const NestedField& child : field.type.fields) {
    ARROW_RETURN_NOT_OK(AppendField(schema, is_current, child, rows));
  }
  return arrow::Status::OK();
}

// Today's name of a source column; of one that was dropped, the last that it had.
std::optional<std::string> SourceName(const TableMetadata& metadata, int field_id) {
  std::string name = metadata.current_schema().NameOf(field_id);
  for (auto schema = metadata.schemas.rbegin(); name.empty() && schema != metadata.schemas.rend(); ++schema) {
    name = schema->NameOf(field_id);
  }
  if (name.empty()) return std::nullopt;
  return name;
}

arrow::Status AppendSources(const TableMetadata& metadata, const std::vector<int>& source_ids, Rows* rows) {
  auto* ids = rows->At<arrow::ListBuilder>(6);
  auto* names = rows->At<arrow::ListBuilder>(7);
  ARROW_RETURN_NOT_OK(ids->Append());
  ARROW_RETURN_NOT_OK(names->Append());
  for (const int id : source_ids) {
    ARROW_RETURN_NOT_OK(static_cast<arrow::Int32Builder*>(ids->value_builder())->Append(id));
    auto* name_builder = static_cast<arrow::StringBuilder*>(names->value_builder());
    const auto name = SourceName(metadata, id);
    ARROW_RETURN_NOT_OK(name ? name_builder->Append(*name) : name_builder->AppendNull());
  }
  return arrow::Status::OK();
}

}  // namespace

Batch SnapshotRows(const IcebergTable& table) {
  ARROW_ASSIGN_OR_RAISE(Rows rows,
                        Rows::Make({Required("committed_at", Instant()), Required("snapshot_id", arrow::int64()),
                                    arrow::field("parent_id", arrow::int64()), arrow::field("operation", arrow::utf8()),
                                    arrow::field("manifest_list", arrow::utf8()),
                                    arrow::field("summary", arrow::map(arrow::utf8(), arrow::utf8()))}));
  for (const Snapshot& snapshot : table.metadata.snapshots) {
    ARROW_RETURN_NOT_OK(rows.Time(0, snapshot.timestamp_ms));
    ARROW_RETURN_NOT_OK(rows.Number(1, snapshot.snapshot_id));
    ARROW_RETURN_NOT_OK(rows.Number(2, snapshot.parent_snapshot_id));
    ARROW_RETURN_NOT_OK(rows.Text(3, OperationOf(snapshot)));
    const bool listed = !snapshot.manifest_list.empty();
    ARROW_RETURN_NOT_OK(rows.Text(4, listed ? std::optional(snapshot.manifest_list) : std::nullopt));
    ARROW_RETURN_NOT_OK(AppendSummary(snapshot, rows.At<arrow::MapBuilder>(5)));
  }
  return rows.Finish();
}

Batch HistoryRows(const IcebergTable& table) {
  ARROW_ASSIGN_OR_RAISE(
      Rows rows,
      Rows::Make({Required("made_current_at", Instant()), Required("snapshot_id", arrow::int64()),
                  arrow::field("parent_id", arrow::int64()), Required("is_current_ancestor", arrow::boolean())}));
  const std::set<int64_t> ancestors = CurrentAncestors(table.metadata);
  for (const iceberg::SnapshotLogEntry& entry : table.metadata.snapshot_log) {
    const Snapshot* snapshot = table.metadata.FindSnapshot(entry.snapshot_id);
    ARROW_RETURN_NOT_OK(rows.Time(0, entry.timestamp_ms));
    ARROW_RETURN_NOT_OK(rows.Number(1, entry.snapshot_id));
    ARROW_RETURN_NOT_OK(rows.Number(2, snapshot == nullptr ? std::nullopt : snapshot->parent_snapshot_id));
    ARROW_RETURN_NOT_OK(rows.Bool(3, ancestors.contains(entry.snapshot_id)));
  }
  return rows.Finish();
}

Batch RefRows(const IcebergTable& table) {
  ARROW_ASSIGN_OR_RAISE(Rows rows, Rows::Make({Required("name", arrow::utf8()), Required("type", arrow::utf8()),
                                               Required("snapshot_id", arrow::int64()),
                                               arrow::field("max_reference_age_in_ms", arrow::int64()),
                                               arrow::field("min_snapshots_to_keep", arrow::int32()),
                                               arrow::field("max_snapshot_age_in_ms", arrow::int64())}));
  for (const auto& [name, ref] : table.metadata.refs) {
    ARROW_RETURN_NOT_OK(rows.Text(0, name));
    ARROW_RETURN_NOT_OK(rows.Text(1, ref.is_branch ? "BRANCH" : "TAG"));
    ARROW_RETURN_NOT_OK(rows.Number(2, ref.snapshot_id));
    ARROW_RETURN_NOT_OK(rows.Number(3, ref.max_ref_age_ms));
    ARROW_RETURN_NOT_OK(rows.Int(4, ref.min_snapshots_to_keep));
    ARROW_RETURN_NOT_OK(rows.Number(5, ref.max_snapshot_age_ms));
  }
  return rows.Finish();
}

Batch SchemaRows(const IcebergTable& table) {
  ARROW_ASSIGN_OR_RAISE(
      Rows rows, Rows::Make({Required("schema_id", arrow::int32()), Required("is_current", arrow::boolean()),
                             Required("field_id", arrow::int32()), Required("name", arrow::utf8()),
                             Required("type", arrow::utf8()), Required("required", arrow::boolean()),
                             Required("identifier", arrow::boolean()), arrow::field("initial_default", arrow::utf8()),
                             arrow::field("write_default", arrow::utf8()), arrow::field("doc", arrow::utf8())}));
  for (const Schema& schema : table.metadata.schemas) {
    const bool is_current = schema.schema_id() == table.metadata.current_schema_id;
    for (const NestedField& field : schema.fields()) {
      ARROW_RETURN_NOT_OK(AppendField(schema, is_current, field, &rows));
    }
  }
  return rows.Finish();
}

Batch SpecRows(const IcebergTable& table) {
  ARROW_ASSIGN_OR_RAISE(Rows rows,
                        Rows::Make({Required("spec_id", arrow::int32()), Required("is_default", arrow::boolean()),
                                    arrow::field("position", arrow::int32()), arrow::field("field_id", arrow::int32()),
                                    arrow::field("name", arrow::utf8()), arrow::field("transform", arrow::utf8()),
                                    arrow::field("source_ids", arrow::list(arrow::int32())),
                                    arrow::field("source_names", arrow::list(arrow::utf8()))}));
  const TableMetadata& metadata = table.metadata;
  for (const iceberg::PartitionSpec& spec : metadata.partition_specs) {
    const size_t lines = std::max<size_t>(1, spec.fields.size());
    for (size_t i = 0; i < lines; ++i) {
      ARROW_RETURN_NOT_OK(rows.Int(0, spec.spec_id));
      ARROW_RETURN_NOT_OK(rows.Bool(1, spec.spec_id == metadata.default_spec_id));
      if (spec.fields.empty()) {
        for (const int column : {2, 3}) ARROW_RETURN_NOT_OK(rows.Int(column, std::nullopt));
        for (const int column : {4, 5}) ARROW_RETURN_NOT_OK(rows.Text(column, std::nullopt));
        for (const int column : {6, 7}) ARROW_RETURN_NOT_OK(rows.At<arrow::ListBuilder>(column)->AppendNull());
        continue;
      }
      const iceberg::PartitionField& field = spec.fields[i];
      ARROW_RETURN_NOT_OK(rows.Int(2, static_cast<int32_t>(i)));
      ARROW_RETURN_NOT_OK(rows.Int(3, field.field_id));
      ARROW_RETURN_NOT_OK(rows.Text(4, field.name));
      ARROW_RETURN_NOT_OK(rows.Text(5, field.transform.text));
      ARROW_RETURN_NOT_OK(AppendSources(metadata, field.source_ids, &rows));
    }
  }
  return rows.Finish();
}

Batch PropertyRows(const IcebergTable& table) {
  ARROW_ASSIGN_OR_RAISE(Rows rows, Rows::Make({Required("key", arrow::utf8()), Required("value", arrow::utf8())}));
  for (const auto& [key, value] : table.metadata.properties) {
    ARROW_RETURN_NOT_OK(rows.Text(0, key));
    ARROW_RETURN_NOT_OK(rows.Text(1, value));
  }
  return rows.Finish();
}

Batch OverviewRows(const IcebergTable& table) {
  ARROW_ASSIGN_OR_RAISE(Rows rows, Rows::Make({Required("name", arrow::utf8()), arrow::field("value", arrow::utf8())}));
  arrow::Status status;
  const auto add = [&](const char* name, const std::optional<std::string>& value) {
    if (status.ok()) status = rows.Text(0, name);
    if (status.ok()) status = rows.Text(1, value);
  };
  const auto instant = [](int64_t milliseconds) {
    expr::ColumnType type;
    type.kind = expr::TypeKind::kTimestamp;
    type.unit = expr::TimeUnit::kMilli;
    type.utc = true;
    return expr::KeyToString(expr::Key(expr::Int128{milliseconds}), type);
  };
  const TableMetadata& metadata = table.metadata;
  add("location", metadata.location);
  add("table_uuid", metadata.table_uuid);
  add("metadata_file", table.metadata_address);
  add("format_version", std::to_string(metadata.format_version));
  add("last_updated_at", instant(metadata.last_updated_ms));
  add("snapshots", std::to_string(metadata.snapshots.size()));
  std::string refs;
  for (const auto& [name, ref] : metadata.refs) refs += (refs.empty() ? "" : ", ") + name;
  add("refs", refs);
  add("schema_id", std::to_string(table.schema.schema_id()));
  add("columns", std::to_string(table.schema.fields().size()));
  const iceberg::PartitionSpec* spec = metadata.FindSpec(metadata.default_spec_id);
  add("default_spec", spec == nullptr ? std::nullopt : std::optional(spec->ToString(metadata.current_schema())));
  add("specs", std::to_string(metadata.partition_specs.size()));
  // Of the snapshot, by its own summary: nothing is counted here.
  if (table.snapshot != nullptr) {
    add("snapshot_id", std::to_string(table.snapshot->snapshot_id));
    add("committed_at", instant(table.snapshot->timestamp_ms));
    add("operation", OperationOf(*table.snapshot));
    for (const char* name : {"total-data-files", "total-delete-files", "total-records", "total-files-size",
                             "total-position-deletes", "total-equality-deletes"}) {
      const auto total = table.snapshot->summary.find(name);
      if (total != table.snapshot->summary.end()) add(name, total->second);
    }
  }
  for (const std::string& remark : metadata.remarks) add("remark", remark);
  ARROW_RETURN_NOT_OK(status);
  return rows.Finish();
}

}  // namespace frazil::scan
