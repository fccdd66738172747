// SPDX-License-Identifier: Apache-2.0
#include "frazil/metadata_table.h"

#include <algorithm>
#include <utility>

#include "frazil/error.h"
#include "src/base/text.h"
#include "src/scan/metadata_rows.h"
#include "src/scan/table_impl.h"

namespace frazil {
namespace {

using scan::MetadataRows;

constexpr size_t kShownBytesMax = 80;

std::string Listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

arrow::Result<MetadataRows> Rows(std::shared_ptr<const scan::IcebergTable> table, std::string_view name,
                                 const MetadataTableOptions& options) {
  const auto trace = std::make_shared<io::Trace>();
  if (name == "files") return scan::FileRows(std::move(table), trace, options.columns, options.limit);
  if (name == "partitions") return scan::PartitionRows(std::move(table), trace);
  auto batch = [&]() -> arrow::Result<std::shared_ptr<arrow::RecordBatch>> {
    if (name == "overview") return scan::OverviewRows(*table);
    if (name == "snapshots") return scan::SnapshotRows(*table);
    if (name == "history") return scan::HistoryRows(*table);
    if (name == "refs") return scan::RefRows(*table);
    if (name == "schemas") return scan::SchemaRows(*table);
    if (name == "specs") return scan::SpecRows(*table);
    if (name == "properties") return scan::PropertyRows(*table);
    return scan::ManifestRows(*table, trace);
  }();
  if (!batch.ok()) return AddPlace(batch.status(), {.file = table->metadata_address});
  return scan::OneBatch(*std::move(batch));
}

// The asked columns of the rows, and no more of them than asked for.
class Reader : public arrow::RecordBatchReader {
 public:
  Reader(MetadataRows rows, std::vector<int> columns, int64_t limit)
      : rows_(std::move(rows)), columns_(std::move(columns)), rows_left_(limit < 0 ? INT64_MAX : limit) {
    arrow::FieldVector fields;
    for (const int column : columns_) fields.push_back(rows_.schema->field(column));
    schema_ = arrow::schema(std::move(fields));
  }

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    batch->reset();
    if (rows_left_ == 0) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(auto rows, rows_.next());
    if (rows == nullptr) return arrow::Status::OK();
    const int64_t taken = std::min(rows_left_, rows->num_rows());
    rows_left_ -= taken;
    ARROW_ASSIGN_OR_RAISE(*batch, rows->Slice(0, taken)->SelectColumns(columns_));
    return arrow::Status::OK();
  }

 private:
  MetadataRows rows_;
  std::vector<int> columns_;
  std::shared_ptr<arrow::Schema> schema_;
  int64_t rows_left_;
};

}  // namespace

const std::vector<std::string>& MetadataTableNames() {
  static const std::vector<std::string> kNames{"overview", "snapshots",  "history",   "refs",  "schemas",
                                               "specs",    "properties", "manifests", "files", "partitions"};
  return kNames;
}

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> ReadMetadataTable(std::shared_ptr<const Table> table,
                                                                           std::string_view name,
                                                                           const MetadataTableOptions& options) {
  const auto& names = MetadataTableNames();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    return MakeError(ErrorKind::kUsage,
                     "unknown metadata table " + Printable(name, kShownBytesMax) + "; there are " + Listed(names));
  }
  if (table->impl().iceberg == nullptr) {
    return MakeError(ErrorKind::kUsage, "metadata tables are of Iceberg tables, which this is not");
  }
  ARROW_ASSIGN_OR_RAISE(MetadataRows rows, Rows(table->impl().iceberg, name, options));
  std::vector<int> columns;
  for (const std::string& column : options.columns) {
    columns.push_back(rows.schema->GetFieldIndex(column));
    if (columns.back() < 0) {
      return MakeError(ErrorKind::kUsage, "unknown column " + Printable(column, kShownBytesMax) + " of " +
                                              std::string(name) + "; the columns are " +
                                              Listed(rows.schema->field_names()));
    }
  }
  if (columns.empty()) {
    for (int i = 0; i < rows.schema->num_fields(); ++i) columns.push_back(i);
  }
  return std::make_shared<Reader>(std::move(rows), std::move(columns), options.limit);
}

namespace scan {

MetadataRows OneBatch(std::shared_ptr<arrow::RecordBatch> batch) {
  MetadataRows rows;
  rows.schema = batch->schema();
  rows.next = [batch = std::move(batch)]() mutable -> arrow::Result<std::shared_ptr<arrow::RecordBatch>> {
    return std::exchange(batch, nullptr);
  };
  return rows;
}

}  // namespace scan

}  // namespace frazil
