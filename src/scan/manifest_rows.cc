// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <arrow/builder.h>
#include <arrow/table_builder.h>
#include <arrow/util/utf8.h>

#include "src/iceberg/partition_tuple.h"
#include "src/iceberg/single_value.h"
#include "src/iceberg/transform.h"
#include "src/scan/metadata_rows.h"

namespace frazil::scan {
namespace {

using iceberg::ManifestContent;
using iceberg::ManifestFile;
using iceberg::PartitionField;
using iceberg::PartitionFieldSummary;

arrow::FieldVector Fields() {
  const auto summary = arrow::struct_(
      {arrow::field("contains_null", arrow::boolean(), false), arrow::field("contains_nan", arrow::boolean()),
       arrow::field("lower_bound", arrow::utf8()), arrow::field("upper_bound", arrow::utf8())});
  return {arrow::field("content", arrow::int8(), false),
          arrow::field("path", arrow::utf8(), false),
          arrow::field("length", arrow::int64()),
          arrow::field("partition_spec_id", arrow::int32()),
          arrow::field("added_snapshot_id", arrow::int64()),
          arrow::field("added_data_files_count", arrow::int32()),
          arrow::field("existing_data_files_count", arrow::int32()),
          arrow::field("deleted_data_files_count", arrow::int32()),
          arrow::field("added_delete_files_count", arrow::int32()),
          arrow::field("existing_delete_files_count", arrow::int32()),
          arrow::field("deleted_delete_files_count", arrow::int32()),
          arrow::field("partition_summaries", arrow::list(summary)),
          arrow::field("sequence_number", arrow::int64()),
          arrow::field("min_sequence_number", arrow::int64()),
          arrow::field("first_row_id", arrow::int64())};
}

// A bound for people; unset when there is none that can be read.
std::optional<std::string> BoundText(const IcebergTable& table, const PartitionField& field,
                                     const std::optional<std::string>& bytes) {
  const auto type = iceberg::PartitionValueType(field, table.schema, table.metadata);
  if (!bytes || !type) return std::nullopt;
  const auto widened = iceberg::WidenSingleValue(*type, *bytes);
  if (!widened.ok()) return std::nullopt;
  const auto key = iceberg::DecodeSingleValue(*type, *widened);
  if (!key.ok()) return std::nullopt;
  std::string text = iceberg::PartitionText(field.transform, *type, *key);
  if (!arrow::util::ValidateUTF8(text)) return std::nullopt;
  return text;
}

class ManifestTable {
 public:
  explicit ManifestTable(const IcebergTable& table) : table_(table) {}

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Make(const std::vector<ManifestFile>& manifests) {
    ARROW_ASSIGN_OR_RAISE(builder_,
                          arrow::RecordBatchBuilder::Make(arrow::schema(Fields()), arrow::default_memory_pool()));
    for (const ManifestFile& manifest : manifests) ARROW_RETURN_NOT_OK(Append(manifest));
    return builder_->Flush();
  }

 private:
  template <typename Builder, typename T>
  arrow::Status Add(int column, const std::optional<T>& value) {
    auto* builder = builder_->GetFieldAs<Builder>(column);
    return value ? builder->Append(*value) : builder->AppendNull();
  }
  arrow::Status Count(int column, bool of_this_content, const std::optional<int64_t>& count) {
    std::optional<int32_t> shown = 0;
    if (of_this_content) {
      shown = count && *count <= INT32_MAX ? std::optional(static_cast<int32_t>(*count)) : std::nullopt;
    }
    return Add<arrow::Int32Builder>(column, shown);
  }

  arrow::Status Append(const ManifestFile& manifest) {
    // Of version 1 tables without a list.
    const bool listed = manifest.partition_spec_id >= 0;
    const auto known = [&](int64_t value) { return listed ? std::optional(value) : std::nullopt; };
    const bool is_data = manifest.content == ManifestContent::kData;
    ARROW_RETURN_NOT_OK(Add<arrow::Int8Builder>(0, std::optional(static_cast<int8_t>(manifest.content))));
    ARROW_RETURN_NOT_OK(Add<arrow::StringBuilder>(1, std::optional(manifest.path)));
    ARROW_RETURN_NOT_OK(Add<arrow::Int64Builder>(2, known(manifest.size_bytes)));
    ARROW_RETURN_NOT_OK(Add<arrow::Int32Builder>(3, listed ? std::optional(manifest.partition_spec_id) : std::nullopt));
    ARROW_RETURN_NOT_OK(Add<arrow::Int64Builder>(4, manifest.added_snapshot_id));
    for (const bool of_data : {true, false}) {
      const int first = of_data ? 5 : 8;
      const bool of_this_content = of_data == is_data;
      ARROW_RETURN_NOT_OK(Count(first, of_this_content, manifest.added_file_count));
      ARROW_RETURN_NOT_OK(Count(first + 1, of_this_content, manifest.existing_file_count));
      ARROW_RETURN_NOT_OK(Count(first + 2, of_this_content, manifest.deleted_file_count));
    }
    ARROW_RETURN_NOT_OK(AppendSummaries(manifest));
    ARROW_RETURN_NOT_OK(Add<arrow::Int64Builder>(12, known(manifest.sequence_number)));
    ARROW_RETURN_NOT_OK(Add<arrow::Int64Builder>(13, known(manifest.min_sequence_number)));
    return Add<arrow::Int64Builder>(14, manifest.first_row_id);
  }

  arrow::Status AppendSummaries(const ManifestFile& manifest) {
    auto* list = builder_->GetFieldAs<arrow::ListBuilder>(11);
    if (!manifest.partitions) return list->AppendNull();
    ARROW_RETURN_NOT_OK(list->Append());
    auto* summaries = static_cast<arrow::StructBuilder*>(list->value_builder());
    const iceberg::PartitionSpec* spec = table_.metadata.FindSpec(manifest.partition_spec_id);
    for (size_t i = 0; i < manifest.partitions->size(); ++i) {
      const PartitionFieldSummary& summary = (*manifest.partitions)[i];
      const PartitionField* field = spec != nullptr && i < spec->fields.size() ? &spec->fields[i] : nullptr;
      const auto text = [&](const std::optional<std::string>& bound) {
        return field == nullptr ? std::nullopt : BoundText(table_, *field, bound);
      };
      ARROW_RETURN_NOT_OK(summaries->Append());
      ARROW_RETURN_NOT_OK(
          static_cast<arrow::BooleanBuilder*>(summaries->field_builder(0))->Append(summary.contains_null));
      auto* nan = static_cast<arrow::BooleanBuilder*>(summaries->field_builder(1));
      ARROW_RETURN_NOT_OK(summary.contains_nan ? nan->Append(*summary.contains_nan) : nan->AppendNull());
      for (const int bound : {2, 3}) {
        auto* builder = static_cast<arrow::StringBuilder*>(summaries->field_builder(bound));
        const auto shown = text(bound == 2 ? summary.lower_bound : summary.upper_bound);
        ARROW_RETURN_NOT_OK(shown ? builder->Append(*shown) : builder->AppendNull());
      }
    }
    return arrow::Status::OK();
  }

  const IcebergTable& table_;
  std::unique_ptr<arrow::RecordBatchBuilder> builder_;
};

}  // namespace

arrow::Result<std::shared_ptr<arrow::RecordBatch>> ManifestRows(const IcebergTable& table,
                                                                const std::shared_ptr<io::Trace>& trace) {
  ARROW_ASSIGN_OR_RAISE(const auto manifests, ListManifests(table, trace, {}));
  return ManifestTable(table).Make(manifests);
}

}  // namespace frazil::scan
