// SPDX-License-Identifier: Apache-2.0
//
// The metadata tables that are made of manifest entries: files and partitions.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <arrow/builder.h>
#include <arrow/table_builder.h>
#include <arrow/util/utf8.h>

#include "frazil/error.h"
#include "src/iceberg/arrow_type.h"
#include "src/iceberg/manifest.h"
#include "src/iceberg/partition_tuple.h"
#include "src/iceberg/partition_type.h"
#include "src/iceberg/single_value.h"
#include "src/scan/metadata_rows.h"

namespace frazil::scan {
namespace {

using Batch = arrow::Result<std::shared_ptr<arrow::RecordBatch>>;
using iceberg::ColumnMetrics;
using iceberg::FileContent;
using iceberg::ManifestEntry;
using iceberg::ManifestFile;
using iceberg::NestedField;

constexpr int64_t kBatchRows = 1024;
constexpr const char* kPartition = "partition";
constexpr const char* kReadableMetrics = "readable_metrics";

// The live entries of all manifests of a snapshot, one manifest read at a time.
class LiveEntries {
 public:
  LiveEntries(std::shared_ptr<const IcebergTable> table, std::shared_ptr<io::Trace> trace,
              iceberg::ManifestReadOptions options)
      : table_(std::move(table)), trace_(std::move(trace)), options_(std::move(options)) {}

  // Null after the last. Valid until the next call.
  arrow::Result<const ManifestEntry*> Next() {
    if (!listed_) {
      listed_ = true;
      ARROW_ASSIGN_OR_RAISE(manifests_, ListManifests(*table_, trace_, {}));
    }
    while (true) {
      if (!reader_) {
        while (next_ < manifests_.size() && !manifests_[next_].may_have_live_files()) ++next_;
        if (next_ == manifests_.size()) return nullptr;
        const arrow::Status opened = Open(manifests_[next_]);
        if (!opened.ok()) return AddPlace(opened, {.file = manifests_[next_].path});
      }
      auto entry = reader_->Next();
      if (!entry.ok()) return AddPlace(entry.status(), {.file = manifests_[next_].path});
      if (*entry != nullptr) return entry;
      reader_.reset();
      ++next_;
    }
  }

  // Of the last entry:
  int spec_id() const { return spec_id_; }
  // The values of the table's partition type (single_value.h); unset is null.
  arrow::Result<std::vector<std::optional<std::string>>> Partition(const ManifestEntry& entry) const {
    auto written = tuples_->Values(entry.partition);
    if (!written.ok()) return AddPlace(written.status(), {.file = std::string(entry.path)});
    std::vector<std::optional<std::string>> values(table_->partition_type.fields().size());
    for (size_t i = 0; i < places_.size(); ++i) {
      if (places_[i] >= 0) values[static_cast<size_t>(places_[i])] = std::move((*written)[i]);
    }
    return values;
  }

 private:
  arrow::Status Open(const ManifestFile& manifest) {
    ARROW_ASSIGN_OR_RAISE(const std::string address, table_->locations.Address(manifest.path));
    ARROW_ASSIGN_OR_RAISE(bytes_,
                          ReadWholeFile(*table_->stores, address, manifest.size_bytes, "manifests", trace_, {}));
    ARROW_RETURN_NOT_OK(CheckNotEncrypted(std::string_view(*bytes_), manifest));
    ARROW_ASSIGN_OR_RAISE(auto reader, iceberg::ManifestReader::Open(std::string_view(*bytes_), manifest, options_));
    ARROW_ASSIGN_OR_RAISE(const iceberg::PartitionSpec* spec,
                          SpecOfManifest(*table_, manifest.partition_spec_id, &reader.header()));
    spec_id_ = spec->spec_id;
    places_ = table_->partition_type.PlacesOf(*spec);
    tuples_.emplace(*spec, table_->schema, table_->metadata, reader.partition_fields());
    reader_.emplace(std::move(reader));
    return arrow::Status::OK();
  }

  std::shared_ptr<const IcebergTable> table_;
  std::shared_ptr<io::Trace> trace_;
  iceberg::ManifestReadOptions options_;
  bool listed_ = false;
  std::vector<ManifestFile> manifests_;
  size_t next_ = 0;
  std::shared_ptr<arrow::Buffer> bytes_;
  std::optional<iceberg::ManifestReader> reader_;
  std::optional<iceberg::TupleReader> tuples_;
  int spec_id_ = 0;
  std::vector<int> places_;
};

// Partition values as a struct of the table's partition type.
class PartitionBuilder {
 public:
  static std::shared_ptr<arrow::DataType> TypeOf(const IcebergTable& table) {
    arrow::FieldVector fields;
    for (const NestedField& field : table.partition_type.fields()) {
      fields.push_back(arrow::field(field.name, iceberg::ArrowType(field.type)));
    }
    return arrow::struct_(std::move(fields));
  }

  static arrow::Result<PartitionBuilder> Make(const IcebergTable& table) {
    PartitionBuilder builder;
    builder.type_ = TypeOf(table);
    for (const NestedField& field : table.partition_type.fields()) {
      ARROW_ASSIGN_OR_RAISE(auto values, iceberg::ValueBuilder::Make(field.type));
      builder.builders_.push_back(std::move(values));
    }
    return builder;
  }

  arrow::Status Append(const std::vector<std::optional<std::string>>& values) {
    for (size_t i = 0; i < builders_.size(); ++i) ARROW_RETURN_NOT_OK(builders_[i].Append(values[i]));
    ++length_;
    return arrow::Status::OK();
  }

  arrow::Result<std::shared_ptr<arrow::Array>> Finish() {
    arrow::ArrayVector arrays;
    for (iceberg::ValueBuilder& builder : builders_) {
      ARROW_ASSIGN_OR_RAISE(auto array, builder.Finish());
      arrays.push_back(std::move(array));
    }
    return std::make_shared<arrow::StructArray>(type_, std::exchange(length_, 0), std::move(arrays));
  }

 private:
  std::shared_ptr<arrow::DataType> type_;
  std::vector<iceberg::ValueBuilder> builders_;
  int64_t length_ = 0;
};

// The primitive fields of a schema, those inside lists and maps too: all that manifests may have metrics of.
void AppendLeaves(const std::vector<NestedField>& fields, std::vector<const NestedField*>* leaves) {
  for (const NestedField& field : fields) {
    if (!field.type.is_nested()) leaves->push_back(&field);
    AppendLeaves(field.type.fields, leaves);
  }
}

// The type in which bounds are shown: that of the column where it has values of its own.
iceberg::Type BoundType(const iceberg::Type& type) {
  const bool opaque = type.id == iceberg::TypeId::kVariant || type.id == iceberg::TypeId::kGeometry ||
                      type.id == iceberg::TypeId::kGeography;
  return opaque ? iceberg::Primitive(iceberg::TypeId::kBinary) : type;
}

class FileTable {
 public:
  FileTable(std::shared_ptr<const IcebergTable> table, std::shared_ptr<io::Trace> trace,
            const std::vector<std::string>& columns, int64_t limit)
      : table_(std::move(table)), columns_(columns.begin(), columns.end()), rows_left_(limit < 0 ? INT64_MAX : limit) {
    // Metrics are there of fields that were dropped since, too.
    AppendLeaves(table_->schema.fields(), &leaves_);
    std::set<int32_t> ids;
    for (const NestedField* leaf : leaves_) {
      ids.insert(leaf->id);
      ids_.push_back(leaf->id);
    }
    for (const iceberg::Schema& schema : table_->metadata.schemas) {
      std::vector<const NestedField*> leaves;
      AppendLeaves(schema.fields(), &leaves);
      for (const NestedField* leaf : leaves) {
        if (ids.insert(leaf->id).second) ids_.push_back(leaf->id);
      }
    }
    // Columns of position delete files, and those of row lineage.
    for (const int32_t id : {iceberg::kDeletePathFieldId, iceberg::kDeletePosFieldId, iceberg::kRowIdFieldId,
                             iceberg::kLastUpdatedFieldId}) {
      ids_.push_back(id);
    }
    iceberg::ManifestReadOptions options;
    const bool readable = Wants(kReadableMetrics);
    options.column_sizes = readable || Wants("column_sizes");
    options.counts = readable || Wants("value_counts") || Wants("null_value_counts") || Wants("nan_value_counts");
    options.bounds = readable || Wants("lower_bounds") || Wants("upper_bounds");
    if (options.column_sizes || options.counts || options.bounds) options.metric_field_ids = ids_;
    entries_.emplace(table_, std::move(trace), std::move(options));
    schema_ = MakeSchema();
  }

  const std::shared_ptr<arrow::Schema>& schema() const { return schema_; }

  Batch Next() {
    arrow::ArrayVector arrays(static_cast<size_t>(schema_->num_fields()));
    ARROW_RETURN_NOT_OK(Begin());
    int64_t rows = 0;
    while (rows < std::min(kBatchRows, rows_left_)) {
      ARROW_ASSIGN_OR_RAISE(const ManifestEntry* entry, entries_->Next());
      if (entry == nullptr) break;
      ARROW_RETURN_NOT_OK(Append(*entry));
      ++rows;
    }
    rows_left_ -= rows;
    if (rows == 0) return nullptr;
    for (int i = 0; i < schema_->num_fields(); ++i) {
      ARROW_ASSIGN_OR_RAISE(arrays[static_cast<size_t>(i)], FinishColumn(schema_->field(i)->name(), rows));
    }
    return arrow::RecordBatch::Make(schema_, rows, std::move(arrays));
  }

 private:
  // Metrics of one column, readable.
  struct Readable {
    arrow::Int64Builder column_size, value_count, null_value_count, nan_value_count;
    std::optional<iceberg::ValueBuilder> lower_bound, upper_bound;
  };

  bool Wants(const std::string& column) const { return columns_.empty() || columns_.contains(column); }

  arrow::FieldVector ReadableFields(const NestedField& leaf) const {
    const auto bound = iceberg::ArrowType(BoundType(leaf.type));
    return {arrow::field("column_size", arrow::int64()),
            arrow::field("value_count", arrow::int64()),
            arrow::field("null_value_count", arrow::int64()),
            arrow::field("nan_value_count", arrow::int64()),
            arrow::field("lower_bound", bound),
            arrow::field("upper_bound", bound)};
  }

  std::shared_ptr<arrow::Schema> MakeSchema() const {
    const auto counts = arrow::map(arrow::int32(), arrow::int64());
    const auto bounds = arrow::map(arrow::int32(), arrow::binary());
    arrow::FieldVector fields{
        arrow::field("content", arrow::int8(), false), arrow::field("file_path", arrow::utf8(), false),
        arrow::field("file_format", arrow::utf8(), false), arrow::field("spec_id", arrow::int32(), false)};
    if (!table_->partition_type.fields().empty()) {
      fields.push_back(arrow::field(kPartition, PartitionBuilder::TypeOf(*table_), false));
    }
    const arrow::FieldVector others{arrow::field("record_count", arrow::int64()),
                                    arrow::field("file_size_in_bytes", arrow::int64(), false),
                                    arrow::field("column_sizes", counts),
                                    arrow::field("value_counts", counts),
                                    arrow::field("null_value_counts", counts),
                                    arrow::field("nan_value_counts", counts),
                                    arrow::field("lower_bounds", bounds),
                                    arrow::field("upper_bounds", bounds),
                                    arrow::field("key_metadata", arrow::binary()),
                                    arrow::field("split_offsets", arrow::list(arrow::int64())),
                                    arrow::field("equality_ids", arrow::list(arrow::int32())),
                                    arrow::field("sort_order_id", arrow::int32()),
                                    arrow::field("first_row_id", arrow::int64()),
                                    arrow::field("referenced_data_file", arrow::utf8()),
                                    arrow::field("content_offset", arrow::int64()),
                                    arrow::field("content_size_in_bytes", arrow::int64())};
    fields.insert(fields.end(), others.begin(), others.end());
    arrow::FieldVector readable;
    for (const NestedField* leaf : leaves_) {
      readable.push_back(arrow::field(table_->schema.NameOf(leaf->id), arrow::struct_(ReadableFields(*leaf)), false));
    }
    fields.push_back(arrow::field(kReadableMetrics, arrow::struct_(std::move(readable))));
    return arrow::schema(std::move(fields));
  }

  arrow::Status Begin() {
    builders_.clear();
    readable_.clear();
    partition_.reset();
    for (const auto& field : schema_->fields()) {
      if (!Wants(field->name())) continue;
      if (field->name() == kPartition) {
        ARROW_ASSIGN_OR_RAISE(partition_, PartitionBuilder::Make(*table_));
      } else if (field->name() == kReadableMetrics) {
        ARROW_RETURN_NOT_OK(BeginReadable());
      } else {
        ARROW_ASSIGN_OR_RAISE(builders_[field->name()], arrow::MakeBuilder(field->type()));
      }
    }
    return arrow::Status::OK();
  }

  arrow::Status BeginReadable() {
    for (const NestedField* leaf : leaves_) {
      readable_.push_back(std::make_unique<Readable>());
      for (auto* bound : {&readable_.back()->lower_bound, &readable_.back()->upper_bound}) {
        ARROW_ASSIGN_OR_RAISE(auto builder, iceberg::ValueBuilder::Make(BoundType(leaf->type)));
        bound->emplace(std::move(builder));
      }
    }
    return arrow::Status::OK();
  }

  template <typename Builder>
  Builder* At(const char* column) {
    const auto found = builders_.find(column);
    return found == builders_.end() ? nullptr : static_cast<Builder*>(found->second.get());
  }
  template <typename Builder, typename T>
  arrow::Status Add(const char* column, const std::optional<T>& value) {
    Builder* builder = At<Builder>(column);
    if (builder == nullptr) return arrow::Status::OK();
    return value ? builder->Append(*value) : builder->AppendNull();
  }
  template <typename ValueBuilder, typename T>
  arrow::Status AddList(const char* column, const std::vector<T>& values) {
    auto* list = At<arrow::ListBuilder>(column);
    if (list == nullptr) return arrow::Status::OK();
    if (values.empty()) return list->AppendNull();
    ARROW_RETURN_NOT_OK(list->Append());
    return static_cast<ValueBuilder*>(list->value_builder())->AppendValues(values);
  }

  // The columns of which the metric is known, by their ids in ascending order.
  template <typename ValueBuilder, typename Member>
  arrow::Status AddMap(const char* column, const std::vector<ColumnMetrics>& metrics, Member member) {
    auto* map = At<arrow::MapBuilder>(column);
    if (map == nullptr) return arrow::Status::OK();
    std::map<int32_t, const ColumnMetrics*> known;
    for (size_t i = 0; i < metrics.size(); ++i) {
      if (metrics[i].*member) known.emplace(ids_[i], &metrics[i]);
    }
    if (known.empty()) return map->AppendNull();
    ARROW_RETURN_NOT_OK(map->Append());
    for (const auto& [id, of_column] : known) {
      ARROW_RETURN_NOT_OK(static_cast<arrow::Int32Builder*>(map->key_builder())->Append(id));
      ARROW_RETURN_NOT_OK(static_cast<ValueBuilder*>(map->item_builder())->Append(*(of_column->*member)));
    }
    return arrow::Status::OK();
  }

  arrow::Status Append(const ManifestEntry& entry) {
    using Numbers = arrow::Int64Builder;
    ARROW_RETURN_NOT_OK(Add<arrow::Int8Builder>("content", std::optional(static_cast<int8_t>(entry.content))));
    ARROW_RETURN_NOT_OK(Add<arrow::StringBuilder>("file_path", std::optional(entry.path)));
    ARROW_RETURN_NOT_OK(Add<arrow::StringBuilder>("file_format", std::optional(entry.format_name)));
    ARROW_RETURN_NOT_OK(Add<arrow::Int32Builder>("spec_id", std::optional(entries_->spec_id())));
    if (partition_) {
      ARROW_ASSIGN_OR_RAISE(const auto values, entries_->Partition(entry));
      ARROW_RETURN_NOT_OK(partition_->Append(values));
    }
    const auto rows = entry.record_count >= 0 ? std::optional(entry.record_count) : std::nullopt;
    ARROW_RETURN_NOT_OK(Add<Numbers>("record_count", rows));
    ARROW_RETURN_NOT_OK(Add<Numbers>("file_size_in_bytes", std::optional(entry.size_bytes)));
    ARROW_RETURN_NOT_OK(AddMap<Numbers>("column_sizes", entry.metrics, &ColumnMetrics::column_size_bytes));
    ARROW_RETURN_NOT_OK(AddMap<Numbers>("value_counts", entry.metrics, &ColumnMetrics::value_count));
    ARROW_RETURN_NOT_OK(AddMap<Numbers>("null_value_counts", entry.metrics, &ColumnMetrics::null_count));
    ARROW_RETURN_NOT_OK(AddMap<Numbers>("nan_value_counts", entry.metrics, &ColumnMetrics::nan_count));
    ARROW_RETURN_NOT_OK(AddMap<arrow::BinaryBuilder>("lower_bounds", entry.metrics, &ColumnMetrics::lower_bound));
    ARROW_RETURN_NOT_OK(AddMap<arrow::BinaryBuilder>("upper_bounds", entry.metrics, &ColumnMetrics::upper_bound));
    ARROW_RETURN_NOT_OK(Add<arrow::BinaryBuilder>("key_metadata", entry.key_metadata));
    ARROW_RETURN_NOT_OK(AddList<Numbers>("split_offsets", entry.split_offsets));
    ARROW_RETURN_NOT_OK(AddList<arrow::Int32Builder>("equality_ids", entry.equality_ids));
    ARROW_RETURN_NOT_OK(Add<arrow::Int32Builder>("sort_order_id", entry.sort_order_id));
    ARROW_RETURN_NOT_OK(Add<Numbers>("first_row_id", entry.first_row_id));
    ARROW_RETURN_NOT_OK(Add<arrow::StringBuilder>("referenced_data_file", entry.referenced_data_file));
    ARROW_RETURN_NOT_OK(Add<Numbers>("content_offset", entry.content_offset));
    ARROW_RETURN_NOT_OK(Add<Numbers>("content_size_in_bytes", entry.content_size_bytes));
    for (size_t i = 0; i < readable_.size(); ++i) {
      ARROW_RETURN_NOT_OK(AppendReadable(BoundType(leaves_[i]->type), entry.metrics[i], readable_[i].get()));
    }
    return arrow::Status::OK();
  }

  static arrow::Status AppendReadable(const iceberg::Type& type, const ColumnMetrics& metrics, Readable* out) {
    const auto add = [](const std::optional<int64_t>& value, arrow::Int64Builder* builder) {
      return value ? builder->Append(*value) : builder->AppendNull();
    };
    ARROW_RETURN_NOT_OK(add(metrics.column_size_bytes, &out->column_size));
    ARROW_RETURN_NOT_OK(add(metrics.value_count, &out->value_count));
    ARROW_RETURN_NOT_OK(add(metrics.null_count, &out->null_value_count));
    ARROW_RETURN_NOT_OK(add(metrics.nan_count, &out->nan_value_count));
    ARROW_RETURN_NOT_OK(AppendBound(type, metrics.lower_bound, &*out->lower_bound));
    return AppendBound(type, metrics.upper_bound, &*out->upper_bound);
  }

  // As of today's type, whatever it was written in; what can not be read as such is null.
  static arrow::Status AppendBound(const iceberg::Type& type, const std::optional<std::string_view>& bytes,
                                   iceberg::ValueBuilder* out) {
    if (!bytes) return out->Append(std::nullopt);
    const auto widened = iceberg::WidenSingleValue(type, *bytes);
    const bool is_text = type.id == iceberg::TypeId::kString;
    if (!widened.ok() || (is_text && !arrow::util::ValidateUTF8(*widened))) return out->Append(std::nullopt);
    const arrow::Status appended = out->Append(std::string_view(*widened));
    return appended.ok() ? appended : out->Append(std::nullopt);
  }

  arrow::Result<std::shared_ptr<arrow::Array>> FinishColumn(const std::string& name, int64_t rows) {
    if (!Wants(name)) return arrow::MakeArrayOfNull(schema_->GetFieldByName(name)->type(), rows);
    if (name == kPartition) return partition_->Finish();
    if (name != kReadableMetrics) return builders_.at(name)->Finish();
    arrow::ArrayVector columns;
    for (size_t i = 0; i < readable_.size(); ++i) {
      Readable& metrics = *readable_[i];
      arrow::ArrayVector members(6);
      ARROW_ASSIGN_OR_RAISE(members[0], metrics.column_size.Finish());
      ARROW_ASSIGN_OR_RAISE(members[1], metrics.value_count.Finish());
      ARROW_ASSIGN_OR_RAISE(members[2], metrics.null_value_count.Finish());
      ARROW_ASSIGN_OR_RAISE(members[3], metrics.nan_value_count.Finish());
      ARROW_ASSIGN_OR_RAISE(members[4], metrics.lower_bound->Finish());
      ARROW_ASSIGN_OR_RAISE(members[5], metrics.upper_bound->Finish());
      ARROW_ASSIGN_OR_RAISE(auto column, arrow::StructArray::Make(std::move(members), ReadableFields(*leaves_[i])));
      columns.push_back(std::move(column));
    }
    return std::make_shared<arrow::StructArray>(schema_->GetFieldByName(name)->type(), rows, std::move(columns));
  }

  std::shared_ptr<const IcebergTable> table_;
  std::set<std::string> columns_;
  int64_t rows_left_;                       // that are wanted
  std::vector<const NestedField*> leaves_;  // of the snapshot's schema
  std::vector<int32_t> ids_;                // theirs, and those of other schemas
  std::optional<LiveEntries> entries_;
  std::shared_ptr<arrow::Schema> schema_;
  std::unordered_map<std::string, std::unique_ptr<arrow::ArrayBuilder>> builders_;
  std::optional<PartitionBuilder> partition_;
  std::vector<std::unique_ptr<Readable>> readable_;
};

class PartitionTable {
 public:
  PartitionTable(std::shared_ptr<const IcebergTable> table, std::shared_ptr<io::Trace> trace)
      : table_(std::move(table)), entries_(table_, std::move(trace), {}) {
    arrow::FieldVector fields;
    if (partitioned()) {
      fields = {arrow::field(kPartition, PartitionBuilder::TypeOf(*table_), false),
                arrow::field("spec_id", arrow::int32(), false)};
    }
    for (const char* name :
         {"record_count", "file_count", "total_data_file_size_in_bytes", "position_delete_record_count",
          "position_delete_file_count", "equality_delete_record_count", "equality_delete_file_count"}) {
      const bool is_file_count = std::string_view(name).ends_with("file_count");
      fields.push_back(arrow::field(name, is_file_count ? arrow::int32() : arrow::int64(), false));
    }
    fields.push_back(arrow::field("last_updated_at", arrow::timestamp(arrow::TimeUnit::MILLI, "UTC")));
    fields.push_back(arrow::field("last_updated_snapshot_id", arrow::int64()));
    schema_ = arrow::schema(std::move(fields));
  }

  const std::shared_ptr<arrow::Schema>& schema() const { return schema_; }

  Batch Next() {
    if (!counted_) ARROW_RETURN_NOT_OK(CountAll());
    if (next_ == partitions_.size()) return nullptr;
    const size_t begin = next_;
    next_ = std::min(partitions_.size(), begin + static_cast<size_t>(kBatchRows));
    return Rows(begin, next_);
  }

 private:
  struct Counts {
    int64_t records = 0;
    int32_t files = 0;
  };
  struct Partition {
    int spec_id = 0;  // of the latest update
    std::vector<std::optional<std::string>> values;
    Counts counts[3];  // by content
    int64_t data_bytes = 0;
    const iceberg::Snapshot* updated = nullptr;
  };

  bool partitioned() const { return !table_->partition_type.fields().empty(); }

  arrow::Status CountAll() {
    counted_ = true;
    std::unordered_map<std::string, size_t> places;
    while (true) {
      ARROW_ASSIGN_OR_RAISE(const ManifestEntry* entry, entries_.Next());
      if (entry == nullptr) return arrow::Status::OK();
      // One partition is what has the same values in all columns, under whatever spec.
      ARROW_ASSIGN_OR_RAISE(auto values, entries_.Partition(*entry));
      const auto [place, is_new] = places.try_emplace(KeyOf(values), partitions_.size());
      if (is_new) {
        Partition& partition = partitions_.emplace_back();
        partition.spec_id = entries_.spec_id();
        partition.values = std::move(values);
      }
      Add(*entry, &partitions_[place->second]);
    }
  }

  static std::string KeyOf(const std::vector<std::optional<std::string>>& values) {
    std::string key;
    for (const auto& value : values) key += value ? std::to_string(value->size()) + ":" + *value : "-";
    return key;
  }

  void Add(const ManifestEntry& entry, Partition* partition) const {
    Counts& counts = partition->counts[static_cast<size_t>(entry.content)];
    counts.records = Sum(counts.records, entry.record_count);
    ++counts.files;
    if (entry.content == FileContent::kData) partition->data_bytes = Sum(partition->data_bytes, entry.size_bytes);
    const iceberg::Snapshot* snapshot = entry.snapshot_id ? table_->metadata.FindSnapshot(*entry.snapshot_id) : nullptr;
    if (snapshot == nullptr) return;
    if (partition->updated == nullptr || partition->updated->timestamp_ms < snapshot->timestamp_ms) {
      partition->updated = snapshot;
      partition->spec_id = entries_.spec_id();
    }
  }

  // Counts in manifests can be anything.
  static int64_t Sum(int64_t sum, int64_t more) {
    int64_t result = 0;
    return __builtin_add_overflow(sum, std::max<int64_t>(0, more), &result) ? INT64_MAX : result;
  }

  Batch Rows(size_t begin, size_t end) const {
    ARROW_ASSIGN_OR_RAISE(auto tuples, PartitionBuilder::Make(*table_));
    arrow::Int32Builder spec_ids;
    arrow::Int64Builder records[3];
    arrow::Int32Builder files[3];
    arrow::Int64Builder data_bytes;
    arrow::TimestampBuilder updated(schema_->GetFieldByName("last_updated_at")->type(), arrow::default_memory_pool());
    arrow::Int64Builder snapshot_ids;
    for (size_t i = begin; i < end; ++i) {
      const Partition& partition = partitions_[i];
      ARROW_RETURN_NOT_OK(tuples.Append(partition.values));
      ARROW_RETURN_NOT_OK(spec_ids.Append(partition.spec_id));
      for (size_t content = 0; content < 3; ++content) {
        ARROW_RETURN_NOT_OK(records[content].Append(partition.counts[content].records));
        ARROW_RETURN_NOT_OK(files[content].Append(partition.counts[content].files));
      }
      ARROW_RETURN_NOT_OK(data_bytes.Append(partition.data_bytes));
      const iceberg::Snapshot* snapshot = partition.updated;
      ARROW_RETURN_NOT_OK(snapshot == nullptr ? updated.AppendNull() : updated.Append(snapshot->timestamp_ms));
      ARROW_RETURN_NOT_OK(snapshot == nullptr ? snapshot_ids.AppendNull() : snapshot_ids.Append(snapshot->snapshot_id));
    }
    arrow::ArrayVector arrays;
    const auto finish = [&](arrow::ArrayBuilder* builder) -> arrow::Status {
      ARROW_ASSIGN_OR_RAISE(auto array, builder->Finish());
      arrays.push_back(std::move(array));
      return arrow::Status::OK();
    };
    if (partitioned()) {
      ARROW_ASSIGN_OR_RAISE(auto array, tuples.Finish());
      arrays.push_back(std::move(array));
      ARROW_RETURN_NOT_OK(finish(&spec_ids));
    }
    for (arrow::ArrayBuilder* builder :
         std::initializer_list<arrow::ArrayBuilder*>{&records[0], &files[0], &data_bytes, &records[1], &files[1],
                                                     &records[2], &files[2], &updated, &snapshot_ids}) {
      ARROW_RETURN_NOT_OK(finish(builder));
    }
    return arrow::RecordBatch::Make(schema_, static_cast<int64_t>(end - begin), std::move(arrays));
  }

  std::shared_ptr<const IcebergTable> table_;
  LiveEntries entries_;
  std::shared_ptr<arrow::Schema> schema_;
  bool counted_ = false;
  std::vector<Partition> partitions_;
  size_t next_ = 0;
};

}  // namespace

arrow::Result<MetadataRows> FileRows(std::shared_ptr<const IcebergTable> table, std::shared_ptr<io::Trace> trace,
                                     const std::vector<std::string>& columns, int64_t limit) {
  auto rows = std::make_shared<FileTable>(std::move(table), std::move(trace), columns, limit);
  return MetadataRows{rows->schema(), [rows] { return rows->Next(); }};
}

arrow::Result<MetadataRows> PartitionRows(std::shared_ptr<const IcebergTable> table, std::shared_ptr<io::Trace> trace) {
  auto rows = std::make_shared<PartitionTable>(std::move(table), std::move(trace));
  return MetadataRows{rows->schema(), [rows] { return rows->Next(); }};
}

}  // namespace frazil::scan
