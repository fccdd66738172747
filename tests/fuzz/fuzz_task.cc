// SPDX-License-Identifier: Apache-2.0
//
// A task: its text read, written and read again, and run. Whatever it says, it reads nothing but one file of ours.
#include <cstdlib>
#include <filesystem>

#include <arrow/api.h>
#include <arrow/io/file.h>
#include <parquet/arrow/writer.h>

#include "frazil/scan_task.h"
#include "tests/fuzz/target.h"

namespace frazil::fuzz {
namespace {

// A folder whose files tasks are led to, wherever they say that theirs lie.
const std::filesystem::path& Folder() {
  static const std::filesystem::path kFolder = [] {
    std::string name = (std::filesystem::temp_directory_path() / "frazil-fuzz-task-XXXXXX").string();
    Require(mkdtemp(name.data()) != nullptr, "there is a folder");
    arrow::Int64Builder values;
    for (int64_t row = 0; row < 60; ++row) Require(values.Append(row).ok(), "there is memory");
    const auto schema = arrow::schema({arrow::field("row", arrow::int64(), false)});
    const auto table = arrow::Table::Make(schema, {values.Finish().ValueOrDie()});
    const auto out = arrow::io::FileOutputStream::Open(name + "/a.parquet").ValueOrDie();
    ::parquet::WriterProperties::Builder properties;
    properties.enable_write_page_index()->write_batch_size(8)->data_pagesize(1);
    const auto pool = arrow::default_memory_pool();
    Require(::parquet::arrow::WriteTable(*table, pool, out, 40, properties.build()).ok(), "the file is written");
    Require(out->Close().ok(), "the file is written");
    return std::filesystem::path(name);
  }();
  return kFolder;
}

void Check(std::string_view text) {
  auto task = TaskFromJson(text);
  if (!task.ok()) {
    Require(!task.status().message().empty(), "a refusal says why");
    return;
  }
  const auto written = TaskToJson(*task);
  Require(written.ok(), "what was read can be written");
  const auto again = TaskFromJson(*written);
  Require(again.ok() && *again == *task, "what was written is read as it was");

  const auto lead = [](std::string* file) { *file = (Folder() / "a.parquet").string(); };
  lead(&task->file);
  if (task->iceberg) {
    task->iceberg->rewrite_locations.clear();
    for (TaskDeleteFile& file : task->iceberg->delete_files) lead(&file.file);
    if (task->iceberg->delete_files.size() > 4) task->iceberg->delete_files.resize(4);
  }
  ScanOptions options;
  options.threads = 1;
  const auto reader = RunTasks({*task}, options);
  if (!reader.ok()) return;
  std::shared_ptr<arrow::RecordBatch> batch;
  while ((*reader)->ReadNext(&batch).ok() && batch != nullptr) Require(batch->num_rows() > 0, "batches have rows");
}

}  // namespace
}  // namespace frazil::fuzz

FRAZIL_FUZZ_TARGET(task, frazil::fuzz::Check)
