// SPDX-License-Identifier: Apache-2.0
//
// PlanTasks: the files of a scan, cut into tasks.
#include <algorithm>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "frazil/error.h"
#include "frazil/scan_task.h"
#include "src/base/text.h"
#include "src/iceberg/schema_json.h"
#include "src/scan/iceberg_planner.h"
#include "src/scan/table_impl.h"
#include "src/scan/table_scan.h"
#include "src/scan/task_filter.h"
#include "src/scan/task_rows.h"

namespace frazil {
namespace {

using iceberg::DeleteFile;
using iceberg::NestedField;
using scan::DataFile;

// The parts of one file. By the file's own numbers, which may be wrong: the last part has no end.
class Cuts {
 public:
  Cuts() = default;
  static arrow::Result<Cuts> Of(const TaskSplit& split, const ScanTask& file) {
    Cuts cuts;
    cuts.by_rows_ = split.rows > 0;
    cuts.step_ = std::max(split.rows, split.bytes);
    const int64_t total = cuts.by_rows_ ? file.record_count : file.file_size_bytes;
    if (cuts.step_ > 0 && total > 0) cuts.count_ = (total - 1) / cuts.step_ + 1;
    if (cuts.count_ <= kTasksOfFileMax) return cuts;
    return MakeError(ErrorKind::kBudget,
                     "the file would be cut into " + std::to_string(cuts.count_) + " tasks; at most " +
                         std::to_string(kTasksOfFileMax) + " are made: take a larger split",
                     {.file = file.file});
  }

  bool ended() const { return next_ == count_; }
  void CutNext(ScanTask* task) {
    const int64_t part = next_++;
    task->rows.reset();
    task->bytes.reset();
    if (count_ == 1) return;
    TaskRange range{part * step_, std::nullopt};
    if (next_ < count_) range.end = next_ * step_;
    (by_rows_ ? task->rows : task->bytes) = range;
  }

 private:
  bool by_rows_ = false;
  int64_t step_ = 0;
  int64_t count_ = 1;
  int64_t next_ = 0;
};

class Plan : public TaskPlan {
 public:
  Plan(std::shared_ptr<scan::ScanContext> context, TaskSplit split) : context_(std::move(context)), split_(split) {}

  arrow::Result<std::optional<ScanTask>> Next() final {
    while (true) {
      if (!file_ || cuts_.ended()) {
        ARROW_ASSIGN_OR_RAISE(file_, NextFile());
        if (!file_) return std::nullopt;
        ARROW_ASSIGN_OR_RAISE(cuts_, Cuts::Of(split_, *file_));
      }
      ScanTask task = *file_;
      cuts_.CutNext(&task);
      ARROW_ASSIGN_OR_RAISE(const bool wanted, MayMatch(task));
      if (wanted) return task;
    }
  }

  ScanReport Report() const final { return context_->evidence->Report(/*analyzed=*/false); }

 protected:
  // The task of a whole file; unset after the last.
  virtual arrow::Result<std::optional<ScanTask>> NextFile() = 0;
  // Of a part of the last file.
  virtual arrow::Result<bool> MayMatch(const ScanTask& part) const = 0;

  const std::shared_ptr<scan::ScanContext> context_;

 private:
  const TaskSplit split_;
  std::optional<ScanTask> file_;
  Cuts cuts_;
};

class PlainPlan final : public Plan {
 public:
  PlainPlan(const std::shared_ptr<const Table>& table, std::shared_ptr<scan::ScanContext> context, TaskSplit split)
      : Plan(context, split), next_file_(scan::FilesOf(table, context)) {}

 protected:
  arrow::Result<std::optional<ScanTask>> NextFile() override {
    do {
      ARROW_ASSIGN_OR_RAISE(file_, next_file_());
      if (file_ == nullptr) return std::nullopt;
    } while (file_->candidates.empty());
    ScanTask task;
    task.file = file_->reader->name();
    task.file_size_bytes = file_->footer().file_size();
    task.record_count = file_->footer().row_count();
    if (context_->request.filter != nullptr) task.filter = context_->request.filter->ToString();
    for (const expr::ColumnPath& column : context_->request.columns) task.columns.push_back(column.ToString());
    for (const auto& field : context_->schema->fields()) task.column_types.push_back(field->ToString());
    return task;
  }

  arrow::Result<bool> MayMatch(const ScanTask& part) const override {
    ARROW_ASSIGN_OR_RAISE(const auto rows, scan::RowsOfTask(file_->footer(), part.rows, part.bytes));
    if (!rows) return true;
    return std::any_of(file_->candidates.begin(), file_->candidates.end(), [&](const auto& candidate) {
      const int64_t begin = file_->footer().row_group_first_row(candidate.row_group);
      return rows->Overlaps(begin, begin + file_->footer().row_group_row_count(candidate.row_group));
    });
  }

 private:
  scan::NextFile next_file_;
  std::shared_ptr<scan::FileScan> file_;
};

// The fields that have to be named for SelectFields to give just what `fields` holds.
void AppendIds(const std::vector<NestedField>& fields, std::vector<int>* ids) {
  for (const NestedField& field : fields) {
    if (field.type.id == iceberg::TypeId::kStruct && !field.type.fields.empty()) {
      AppendIds(field.type.fields, ids);
    } else {
      ids->push_back(field.id);
    }
  }
}

// With members in the order of their names, as they are read back: tasks of one plan are told by equal texts.
std::string JsonText(const nlohmann::ordered_json& json) {
  return nlohmann::json(json).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

TaskDeleteFile DeleteOf(const DeleteFile& file) {
  TaskDeleteFile out;
  out.file = file.location;
  out.content =
      file.content == iceberg::FileContent::kEqualityDeletes ? kEqualityDeletesContent : kPositionDeletesContent;
  for (const char letter : file.format_name) out.format += LowerAscii(letter);
  out.record_count = file.record_count;
  out.sequence_number = file.sequence_number;
  out.equality_ids = file.equality_ids;
  out.content_offset = file.content_offset;
  out.content_size_bytes = file.content_size_bytes;
  return out;
}

class IcebergPlan final : public Plan {
 public:
  IcebergPlan(std::shared_ptr<const scan::IcebergTable> table, std::shared_ptr<scan::ScanContext> context,
              TaskSplit split, bool uses_partition)
      : Plan(context, split),
        table_(std::move(table)),
        planner_(table_, context->table_binding, context),
        uses_partition_(uses_partition) {}

 protected:
  arrow::Result<std::optional<ScanTask>> NextFile() override {
    ARROW_ASSIGN_OR_RAISE(const auto file, planner_.NextDataFile());
    if (!file) return std::nullopt;
    if (!of_all_.iceberg) ARROW_RETURN_NOT_OK(BeginTasks());
    ScanTask task = of_all_;
    task.file = file->location;
    task.file_size_bytes = file->size_bytes;
    task.record_count = file->record_count;
    task.iceberg->spec_id = file->spec->spec.spec_id;
    task.iceberg->partition = PartitionOf(*file);
    task.iceberg->data_sequence_number = file->sequence_number;
    task.iceberg->first_row_id = file->first_row_id;
    ARROW_ASSIGN_OR_RAISE(const auto residual,
                          scan::ResidualToJson({*file->residual, context_->table_binding->filter.columns}));
    task.iceberg->residual_json = JsonText(residual);
    ARROW_ASSIGN_OR_RAISE(const auto deletes, planner_.DeletesOf(*file));
    for (const DeleteFile* one : deletes) task.iceberg->delete_files.push_back(DeleteOf(*one));
    return task;
  }

  arrow::Result<bool> MayMatch(const ScanTask&) const override { return true; }

 private:
  // What all tasks have alike. The planner has seen the deletes by then.
  arrow::Status BeginTasks() {
    const scan::TableBinding& binding = *context_->table_binding;
    if (context_->request.filter != nullptr) of_all_.filter = context_->request.filter->ToString();
    for (const expr::ColumnPath& column : context_->request.columns) of_all_.columns.push_back(column.ToString());
    if (of_all_.columns.empty()) {
      for (const NestedField& field : table_->schema.fields()) {
        of_all_.columns.push_back(expr::ColumnPath{{field.name}, 0}.ToString());
      }
    }
    IcebergTask& task = of_all_.iceberg.emplace();
    if (table_->snapshot != nullptr) task.snapshot_id = table_->snapshot->snapshot_id;
    std::vector<int> ids;
    AppendIds(binding.output.fields(), &ids);
    for (const expr::BoundColumn& column : binding.filter.columns) ids.push_back(column.ref);
    ids.insert(ids.end(), planner_.deletes().equality_ids().begin(), planner_.deletes().equality_ids().end());
    ARROW_ASSIGN_OR_RAISE(const iceberg::Schema schema, iceberg::SelectFields(table_->schema_with_dropped, ids));
    task.schema_json = JsonText(iceberg::SchemaToJson(schema));
    const auto mapping = table_->metadata.properties.find(iceberg::kNameMappingProperty);
    if (mapping != table_->metadata.properties.end()) task.name_mapping_json = mapping->second;
    task.rewrite_locations = table_->locations.rewrites();
    task.relative_locations = table_->locations.relative_folder();
    if (uses_partition_) {
      ARROW_ASSIGN_OR_RAISE(const auto fields, iceberg::Schema::Make(table_->partition_type.fields()));
      task.partition_type_json = JsonText(iceberg::SchemaToJson(fields));
    }
    return arrow::Status::OK();
  }

  std::vector<TaskPartitionValue> PartitionOf(const DataFile& file) const {
    std::vector<TaskPartitionValue> values;
    const auto& fields = file.spec->spec.fields;
    const std::vector<int> places = table_->partition_type.PlacesOf(file.spec->spec);
    for (size_t i = 0; i < fields.size(); ++i) {
      TaskPartitionValue& value = values.emplace_back();
      value.field_id = fields[i].field_id;
      value.name = fields[i].name;
      value.source_ids = fields[i].source_ids;
      value.transform = fields[i].transform.text;
      if (places[i] < 0) continue;
      const auto place = static_cast<size_t>(places[i]);
      value.type = table_->partition_type.fields()[place].type.ToString();
      value.bytes = file.partition[place];
      if (uses_partition_) value.position = places[i];
    }
    return values;
  }

  std::shared_ptr<const scan::IcebergTable> table_;
  scan::IcebergPlanner planner_;
  const bool uses_partition_;
  ScanTask of_all_;
};

}  // namespace

arrow::Result<std::unique_ptr<TaskPlan>> PlanTasks(std::shared_ptr<const Table> table, const ScanOptions& options,
                                                   const TaskSplit& split) {
  if (split.rows < 0 || split.bytes < 0 || (split.rows > 0 && split.bytes > 0)) {
    return MakeError(ErrorKind::kUsage, "tasks are split by rows or by bytes, a positive number of them");
  }
  ScanOptions unlimited = options;
  unlimited.limit = -1;
  ARROW_ASSIGN_OR_RAISE(auto context, scan::BindScan(*table, unlimited, /*count_only=*/false));
  context->depth = scan::PlanDepth::kRowGroups;
  if (table->impl().iceberg != nullptr) {
    // Tasks have the partition whether the scan asks for it or not.
    auto binding = std::make_shared<scan::TableBinding>(*context->table_binding);
    const bool uses_partition = std::exchange(binding->uses_partition, true);
    context->table_binding = std::move(binding);
    return std::make_unique<IcebergPlan>(table->impl().iceberg, std::move(context), split, uses_partition);
  }
  return std::make_unique<PlainPlan>(table, std::move(context), split);
}

}  // namespace frazil
