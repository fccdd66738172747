// SPDX-License-Identifier: Apache-2.0
//
// RunTasks: tasks back to files of a scan, without the table that they are of.
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "frazil/error.h"
#include "frazil/scan_task.h"
#include "src/base/text.h"
#include "src/iceberg/json.h"
#include "src/iceberg/single_value.h"
#include "src/io/stores.h"
#include "src/scan/delete_files.h"
#include "src/scan/file_scan.h"
#include "src/scan/iceberg_binding.h"
#include "src/scan/scan_reader.h"
#include "src/scan/task_filter.h"
#include "src/scan/task_rows.h"

namespace frazil {
namespace {

using iceberg::DeleteFile;
using scan::FileScan;

arrow::Status TaskError(ErrorKind kind, const std::string& text, const ScanTask& task) {
  return MakeError(kind, "task: " + text, {.file = task.file});
}

// Whether both tasks can be of one plan: what all tasks of a plan have alike.
bool OfOnePlan(const ScanTask& a, const ScanTask& b) {
  if (a.columns != b.columns || a.column_types != b.column_types || a.filter != b.filter) return false;
  if (!a.iceberg || !b.iceberg) return a.iceberg.has_value() == b.iceberg.has_value();
  return a.iceberg->schema_json == b.iceberg->schema_json &&
         a.iceberg->name_mapping_json == b.iceberg->name_mapping_json &&
         a.iceberg->partition_type_json == b.iceberg->partition_type_json &&
         a.iceberg->relative_locations == b.iceberg->relative_locations &&
         a.iceberg->rewrite_locations == b.iceberg->rewrite_locations &&
         a.iceberg->snapshot_id == b.iceberg->snapshot_id;
}

arrow::Result<std::shared_ptr<scan::IcebergTable>> TableOf(
    const IcebergTask& task, const std::vector<std::pair<std::string, std::string>>& rewrite_locations,
    std::shared_ptr<io::Stores> stores) {
  auto table = std::make_shared<scan::IcebergTable>();
  table->stores = std::move(stores);
  ARROW_ASSIGN_OR_RAISE(table->schema, iceberg::ParseSchema(task.schema_json));
  table->schema_with_dropped = table->schema;
  if (!task.name_mapping_json.empty()) {
    ARROW_ASSIGN_OR_RAISE(table->name_mapping, iceberg::ParseNameMapping(task.name_mapping_json));
  }
  auto rewrites = rewrite_locations;
  for (const auto& rewrite : task.rewrite_locations) {
    const bool known =
        std::any_of(rewrites.begin(), rewrites.end(), [&](const auto& r) { return r.first == rewrite.first; });
    if (!known) rewrites.push_back(rewrite);
  }
  table->locations = iceberg::LocationMap(std::move(rewrites));
  const auto& [relative, folder] = task.relative_locations;
  if (!relative.empty() || !folder.empty()) table->locations.SetRelativeFolder(relative, folder);
  return table;
}

// The values of columns that the file may lack.
arrow::Result<iceberg::IdentityValues> IdentityOf(const ScanTask& task) {
  iceberg::IdentityValues values;
  for (const TaskPartitionValue& value : task.iceberg->partition) {
    const bool is_column = iceberg::ParseTransform(value.transform).kind == iceberg::TransformKind::kIdentity &&
                           value.source_ids.size() == 1;
    if (!is_column || value.type.empty()) continue;
    if (value.bytes) {
      ARROW_ASSIGN_OR_RAISE(const iceberg::Type type, iceberg::ParsePrimitive(value.type));
      ARROW_RETURN_NOT_OK(iceberg::DecodeSingleValue(type, *value.bytes));
    }
    values.emplace(value.source_ids[0], value.bytes);
  }
  return values;
}

arrow::Result<DeleteFile> DeleteOf(const TaskDeleteFile& file) {
  DeleteFile out;
  out.location = file.file;
  out.content = file.content == kEqualityDeletesContent ? iceberg::FileContent::kEqualityDeletes
                                                        : iceberg::FileContent::kPositionDeletes;
  out.format_name = file.format;
  out.format = EqualsIgnoreCase(file.format, "parquet")  ? iceberg::FileFormat::kParquet
               : EqualsIgnoreCase(file.format, "puffin") ? iceberg::FileFormat::kPuffin
                                                         : iceberg::FileFormat::kOther;
  out.sequence_number = file.sequence_number;
  out.record_count = file.record_count;
  out.equality_ids = file.equality_ids;
  out.content_offset = file.content_offset;
  out.content_size_bytes = file.content_size_bytes;
  if (out.content == iceberg::FileContent::kEqualityDeletes && (out.equality_ids.empty() || out.is_vector())) {
    return MakeError(ErrorKind::kCorrupt, "equality deletes need columns, and rows of them", {.file = file.file});
  }
  return out;
}

// Turns tasks into files, one after the other.
class TaskFiles {
 public:
  TaskFiles(std::vector<ScanTask> tasks, std::shared_ptr<scan::ScanContext> context,
            std::shared_ptr<const scan::IcebergTable> table, std::shared_ptr<io::Stores> stores)
      : tasks_(std::move(tasks)),
        context_(std::move(context)),
        table_(std::move(table)),
        stores_(std::move(stores)),
        delete_files_(table_, context_) {}

  arrow::Result<std::shared_ptr<FileScan>> Next() {
    if (next_ == tasks_.size()) return nullptr;
    const ScanTask& task = tasks_[next_++];
    if (task.format != "parquet") {
      return TaskError(ErrorKind::kUnsupported, "data files of format " + Printable(task.format, 40) + " are not read",
                       task);
    }
    auto file = table_ != nullptr ? PlanOfTable(task) : PlanPlain(task);
    return file.ok() ? file : AddPlace(file.status(), {.file = task.file});
  }

  // What the file of the first task gives; for plain files, whose tasks hold no schema.
  arrow::Result<std::shared_ptr<arrow::Schema>> PlainSchema() {
    ARROW_RETURN_NOT_OK(Open(tasks_.front().file));
    ARROW_ASSIGN_OR_RAISE(const scan::Binding binding, BindPlain(tasks_.front(), *opened_.footer));
    return binding.schema;
  }

 private:
  // The file, with its footer; the last one is kept, because parts of a file come one after the other.
  arrow::Status Open(const std::string& address) {
    if (opened_.source != nullptr && address == opened_address_) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(auto source, stores_->Open(address));
    io::RangeReader reader(source, context_->trace,
                           io::ReadBudget{context_->options.bytes_max, context_->options.requests_max});
    opened_ = {};
    ARROW_ASSIGN_OR_RAISE(opened_, scan::OpenFile(source, &reader));
    opened_address_ = address;
    return arrow::Status::OK();
  }

  arrow::Result<scan::Binding> BindPlain(const ScanTask& task, const parquet::Footer& footer) const {
    ARROW_ASSIGN_OR_RAISE(scan::Binding binding, scan::Bind(context_->request, footer));
    std::vector<std::string> types;
    for (const auto& field : binding.schema->fields()) types.push_back(field->ToString());
    if (types != task.column_types) {
      return MakeError(ErrorKind::kUnsupported, "the columns of the file are not those that the task was planned with");
    }
    ARROW_ASSIGN_OR_RAISE(binding.rows, scan::RowsOfTask(footer, task.rows, task.bytes));
    return binding;
  }

  arrow::Result<std::shared_ptr<FileScan>> PlanPlain(const ScanTask& task) {
    ARROW_RETURN_NOT_OK(Open(task.file));
    return scan::PlanFile(context_, opened_.source, &opened_,
                          [&](const parquet::Footer& footer) { return BindPlain(task, footer); });
  }

  arrow::Result<std::shared_ptr<FileScan>> PlanOfTable(const ScanTask& task) {
    scan::DataFileFacts facts;
    facts.location = task.file;
    facts.spec_id = task.iceberg->spec_id;
    ARROW_ASSIGN_OR_RAISE(facts.identity_values, IdentityOf(task));
    facts.first_row_id = task.iceberg->first_row_id;
    facts.sequence_number = task.iceberg->data_sequence_number;
    ARROW_ASSIGN_OR_RAISE(facts.partition, PartitionOf(task));
    ARROW_ASSIGN_OR_RAISE(const auto document, iceberg::JsonDocument::Parse(task.iceberg->residual_json, {}));
    auto residual = scan::ResidualFromJson(document.root(), table_->schema, *context_->table_binding);
    if (!residual.ok()) {
      return TaskError(KindOf(residual.status()), "residual: " + residual.status().message(), task);
    }
    facts.filter = *std::move(residual);
    ARROW_ASSIGN_OR_RAISE(const auto deletes, DeletesOf(task));
    ARROW_RETURN_NOT_OK(delete_files_.Apply(deletes, &facts));
    ARROW_ASSIGN_OR_RAISE(const std::string address, table_->locations.Address(task.file));
    ARROW_RETURN_NOT_OK(Open(address));
    ARROW_ASSIGN_OR_RAISE(facts.rows, scan::RowsOfTask(*opened_.footer, task.rows, task.bytes));
    return scan::PlanFile(context_, opened_.source, &opened_, [&](const parquet::Footer& footer) {
      return scan::BindDataFile(*table_, *context_->table_binding, facts, footer);
    });
  }

  // The values of _partition, whose type is of the binding.
  arrow::Result<std::vector<std::optional<std::string>>> PartitionOf(const ScanTask& task) const {
    std::vector<std::optional<std::string>> values;
    const iceberg::NestedField* partition = context_->table_binding->metadata.FindById(iceberg::kPartitionFieldId);
    if (partition == nullptr) return values;
    const auto& fields = partition->type.fields;
    values.resize(fields.size());
    for (const TaskPartitionValue& value : task.iceberg->partition) {
      if (value.position < 0 || static_cast<size_t>(value.position) >= fields.size() || !value.bytes) continue;
      const auto place = static_cast<size_t>(value.position);
      ARROW_RETURN_NOT_OK(iceberg::DecodeSingleValue(fields[place].type, *value.bytes));
      values[place] = value.bytes;
    }
    return values;
  }

  // The same delete file is the same for all tasks, so that it is read once.
  arrow::Result<std::vector<const DeleteFile*>> DeletesOf(const ScanTask& task) {
    std::vector<const DeleteFile*> files;
    for (const TaskDeleteFile& one : task.iceberg->delete_files) {
      auto known =
          std::find_if(deletes_.begin(), deletes_.end(), [&](const auto& other) { return other.first == one; });
      if (known == deletes_.end()) {
        ARROW_ASSIGN_OR_RAISE(DeleteFile file, DeleteOf(one));
        context_->evidence->Count(Level::kDeleteFiles, 1, 0);
        deletes_.emplace_back(one, std::make_unique<const DeleteFile>(std::move(file)));
        known = std::prev(deletes_.end());
      }
      files.push_back(known->second.get());
    }
    return files;
  }

  const std::vector<ScanTask> tasks_;
  const std::shared_ptr<scan::ScanContext> context_;
  const std::shared_ptr<const scan::IcebergTable> table_;
  const std::shared_ptr<io::Stores> stores_;
  scan::DeleteFiles delete_files_;
  std::vector<std::pair<TaskDeleteFile, std::unique_ptr<const DeleteFile>>> deletes_;
  size_t next_ = 0;
  scan::OpenedFile opened_;
  std::string opened_address_;
};

void SetTexts(const ScanTask& task, scan::ScanContext* context) {
  std::vector<std::string> columns;
  for (const auto& field : context->schema->fields()) columns.push_back(field->name());
  context->evidence->SetTexts(task.filter, task.filter, columns);
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> RunTasks(std::vector<ScanTask> tasks,
                                                                  const ScanOptions& options,
                                                                  const TableOptions& table_options,
                                                                  std::shared_ptr<ScanReport> report) {
  if (table_options.snapshot_id || table_options.ref || table_options.as_of_ms) {
    return MakeError(ErrorKind::kUsage, "tasks are of the snapshot that they were planned for");
  }
  if (!options.filter.empty() || !options.columns.empty()) {
    return MakeError(ErrorKind::kUsage, "tasks have a filter and columns of their own");
  }
  if (tasks.empty()) return arrow::RecordBatchReader::Make({}, arrow::schema({}));
  const ScanTask first = tasks.front();
  for (const ScanTask& task : tasks) {
    if (!OfOnePlan(task, first)) return TaskError(ErrorKind::kUsage, "it is of another plan than the first", task);
  }
  ScanOptions scan_options = options;
  scan_options.columns = first.columns;
  if (!first.iceberg) scan_options.filter = first.filter;
  auto bound = scan::NewContext(scan_options);
  if (!bound.ok()) return TaskError(ErrorKind::kCorrupt, bound.status().message(), first);
  const std::shared_ptr<scan::ScanContext> context = *std::move(bound);
  const auto stores = std::make_shared<io::Stores>(table_options.properties);
  std::shared_ptr<const scan::IcebergTable> table;
  if (first.iceberg) {
    auto made = TableOf(*first.iceberg, table_options.rewrite_locations, stores);
    if (!made.ok()) return TaskError(KindOf(made.status()), made.status().message(), first);
    table = *std::move(made);
    iceberg::Schema partition;
    if (!first.iceberg->partition_type_json.empty()) {
      auto parsed = iceberg::ParseSchema(first.iceberg->partition_type_json);
      if (!parsed.ok()) return TaskError(ErrorKind::kCorrupt, "partition_type: " + parsed.status().message(), first);
      partition = *std::move(parsed);
    }
    auto binding = scan::BindTable(context->request, table->schema, partition.fields());
    if (!binding.ok()) return TaskError(ErrorKind::kCorrupt, binding.status().message(), first);
    context->schema = binding->schema;
    context->table_binding = std::make_shared<const scan::TableBinding>(*std::move(binding));
  }
  const auto files = std::make_shared<TaskFiles>(std::move(tasks), context, table, stores);
  if (table == nullptr) {
    auto schema = files->PlainSchema();
    if (!schema.ok()) return AddPlace(schema.status(), {.file = first.file});
    context->schema = *std::move(schema);
  }
  SetTexts(first, context.get());
  return std::make_shared<scan::ScanReader>(
      context, [files] { return files->Next(); }, std::move(report));
}

}  // namespace frazil
