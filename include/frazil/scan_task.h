// SPDX-License-Identifier: Apache-2.0
//
// ScanTask: a part of a scan that any process can run. A scan is planned once, by whoever holds the table; each task
// names one data file, or a part of one, with all that reading it needs: which rows to ask for, which columns to give,
// which deletes apply, what stands for columns that the file lacks. Whoever runs it reads that file and its deletes,
// no table metadata, no manifest.
//
//   // Here:
//   ARROW_ASSIGN_OR_RAISE(auto plan, frazil::PlanTasks(table, scan.options(), {.rows = 1'000'000}));
//   while (true) {
//     ARROW_ASSIGN_OR_RAISE(std::optional<frazil::ScanTask> task, plan->Next());
//     if (!task) break;
//     ARROW_ASSIGN_OR_RAISE(std::string line, frazil::TaskToJson(*task));   // sent to a worker
//   }
//   // There:
//   ARROW_ASSIGN_OR_RAISE(frazil::ScanTask task, frazil::TaskFromJson(line));
//   ARROW_ASSIGN_OR_RAISE(auto reader, frazil::RunTasks({task}));
//
// The rows of all tasks of a plan are the rows of the scan, each once, whatever the split: also when it is smaller than
// a row group. Run in the order of the plan, they come in the scan's order. _pos is the row's place in its file.
// A limit is not part of a task: it is of all of them together.
//
// Which task has which row. With `rows`, by the row's ordinal in the file. With `bytes`, by where it stands in the
// file: a row group reaches from the first page of its first column to that of the next row group (the last to the
// footer). When the first column chunk has an offset index, row r of its n rows stands at begin + floor((end - begin) *
// r / n); without one all its rows stand at its begin, because a part of a chunk could only be read as the whole. The
// first task of a file takes what stands before it, the last what stands behind: counts and sizes in manifests may be
// wrong, and no row is lost by it.
//
// A task as text is one line of JSON (TaskToJson); docs/reference/scan-task.md says what each member means. It holds no
// credentials: a worker has its own. Tasks are input like any other: a worker checks them, and a task that was tampered
// with ends in an error, or reads what it says. Only run tasks of planners that may read what the worker may read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/record_batch.h>
#include <arrow/result.h>

#include "frazil/report.h"
#include "frazil/table.h"

namespace frazil {

inline constexpr int kScanTaskVersion = 1;

// Half open. An unset end is the end of the file.
struct TaskRange {
  int64_t begin = 0;
  std::optional<int64_t> end;

  bool operator==(const TaskRange&) const = default;
};

// A value of the file's partition.
struct TaskPartitionValue {
  int32_t field_id = 0;
  std::string name;
  std::vector<int32_t> source_ids;   // field ids of the columns that it is made of
  std::string transform;             // "day", "bucket[16]", ...
  std::string type;                  // Iceberg's name of the value's type; empty: not known, and so is the value
  std::optional<std::string> bytes;  // single-value serialisation of the type; unset: null, or not known
  int32_t position = -1;             // among the fields of partition_type_json; -1: none

  bool operator==(const TaskPartitionValue&) const = default;
};

// A delete file that applies to the data file.
inline constexpr const char* kPositionDeletesContent = "position-deletes";
inline constexpr const char* kEqualityDeletesContent = "equality-deletes";
struct TaskDeleteFile {
  std::string file;             // as the table names it
  std::string content;          // one of the two above; deletion vectors are position deletes
  std::string format;           // "parquet", "puffin", ...
  int64_t record_count = -1;    // -1: not known
  int64_t sequence_number = 0;  // of the data
  std::vector<int32_t> equality_ids;
  std::optional<int64_t> content_offset;  // of a deletion vector, where in the file it lies
  std::optional<int64_t> content_size_bytes;

  bool operator==(const TaskDeleteFile&) const = default;
};

// What a task of an Iceberg table has beside.
struct IcebergTask {
  std::optional<int64_t> snapshot_id;
  // The columns that the scan uses, and those of its equality deletes, by their ids: an Iceberg schema in JSON.
  std::string schema_json;
  std::string name_mapping_json;  // for data files without field ids; empty: none
  // Where locations lie (TableOptions::rewrite_locations), as the planner was told.
  std::vector<std::pair<std::string, std::string>> rewrite_locations;
  // Where relative locations are: below the second what the metadata say is below the first. Two empty ones: nowhere.
  std::pair<std::string, std::string> relative_locations;
  int32_t spec_id = 0;
  std::vector<TaskPartitionValue> partition;
  // The fields of _partition, when the scan uses it: a schema in JSON. Empty: it does not.
  std::string partition_type_json;
  std::optional<int64_t> data_sequence_number;
  std::optional<int64_t> first_row_id;
  // What is left to ask of the rows after the partition has answered what it can, in JSON ("Residual" in the
  // reference).
  std::string residual_json = "true";
  std::vector<TaskDeleteFile> delete_files;

  bool operator==(const IcebergTask&) const = default;
};

struct ScanTask {
  std::string file;  // what _file is: an address, of an Iceberg table the location as its manifest has it
  std::string format = "parquet";
  int64_t file_size_bytes = -1;  // as the plan knew it; -1: not known
  int64_t record_count = -1;     // of the whole file, likewise
  // At most one of them; neither: the whole file.
  std::optional<TaskRange> rows;   // ordinals
  std::optional<TaskRange> bytes;  // offsets
  // The scan's filter as text. Of an Iceberg table for people only: the residual is run.
  std::string filter;
  std::vector<std::string> columns;  // paths, as for ScanOptions::columns; empty, of plain files: all
  // Of plain files: name and type of each column of the result. A file that gives others is refused.
  std::vector<std::string> column_types;
  std::optional<IcebergTask> iceberg;

  bool operator==(const ScanTask&) const = default;
};

// How files are cut. At most one; neither: a task a file.
struct TaskSplit {
  int64_t rows = 0;   // rows of a task at most, but for the last of a file; 0: not by rows
  int64_t bytes = 0;  // bytes of file that a task covers; 0: not by bytes
};
// A file is cut into at most so many tasks; more is an error (budget).
inline constexpr int64_t kTasksOfFileMax = 1 << 20;

// The tasks of a scan, one after the other.
class TaskPlan {
 public:
  virtual ~TaskPlan() = default;
  // Unset after the last.
  virtual arrow::Result<std::optional<ScanTask>> Next() = 0;
  // What planning read and skipped so far.
  virtual ScanReport Report() const = 0;
};

// Plans as the scan itself would, and streams. Of an Iceberg table no data file is opened; of plain files each footer
// is read, and a file, or a part, whose row groups can not match gets no task. `options.limit` is ignored.
// Errors: usage (filter, columns, two splits, negative ones); those of planning a scan.
arrow::Result<std::unique_ptr<TaskPlan>> PlanTasks(std::shared_ptr<const Table> table, const ScanOptions& options,
                                                   const TaskSplit& split = {});

// One line, without the line end. Error: unsupported, when a name is not UTF-8.
arrow::Result<std::string> TaskToJson(const ScanTask& task);
// Members that are not known are passed over. Errors: corrupt, naming the member; unsupported for another version.
// Memory is bounded by the text, which may have 64 MiB.
arrow::Result<ScanTask> TaskFromJson(std::string_view text);

// Runs tasks of one plan: their rows as one stream, in the order of the tasks. A delete file of several of them is read
// once. Of `options` the filter and the columns must be empty: the tasks have them; the others hold as for a scan, the
// limit over all tasks. Of `table_options` the properties of stores hold, and the rewritten locations, which go before
// those of the tasks; the snapshot is that of the tasks.
// Errors: usage (tasks of several plans, options); corrupt or unsupported for tasks that can not be; those of a scan.
arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> RunTasks(std::vector<ScanTask> tasks,
                                                                  const ScanOptions& options = {},
                                                                  const TableOptions& table_options = {},
                                                                  std::shared_ptr<ScanReport> report = nullptr);

}  // namespace frazil
