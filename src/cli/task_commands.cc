// SPDX-License-Identifier: Apache-2.0
//
// plan: the tasks of a scan as lines of JSON. scan --task: runs such lines.
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <istream>
#include <string>
#include <utility>
#include <vector>

#include "frazil/error.h"
#include "src/cli/commands.h"
#include "src/cli/format/sink.h"

namespace frazil::cli {
namespace {

constexpr const char* kStandardInput = "-";

arrow::Result<std::vector<ScanTask>> ReadTasks(std::istream& in, const std::string& name) {
  std::vector<ScanTask> tasks;
  std::string line;
  for (int64_t number = 1; std::getline(in, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    auto task = TaskFromJson(line);
    if (!task.ok()) {
      return MakeError(KindOf(task.status()), "line " + std::to_string(number) + ": " + task.status().message(),
                       {.file = name});
    }
    tasks.push_back(*std::move(task));
  }
  if (in.bad()) return MakeError(ErrorKind::kInternal, "can not be read", {.file = name});
  return tasks;
}

arrow::Result<std::vector<ScanTask>> TasksOf(const std::string& file) {
  if (file == kStandardInput) return ReadTasks(std::cin, "standard input");
  std::ifstream in(file);
  if (!in) return MakeError(ErrorKind::kNotFound, std::string("can not open: ") + std::strerror(errno), {.file = file});
  return ReadTasks(in, file);
}

}  // namespace

arrow::Status RunPlan(const CommandOptions& options, const TaskSplit& split) {
  if (!options.format.empty() && options.format != "jsonl") {
    return MakeError(ErrorKind::kUsage, "plan prints jsonl, not " + options.format);
  }
  if (options.limit >= 0) {
    return MakeError(ErrorKind::kUsage, "a limit is of all tasks together: give it to scan --task");
  }
  std::shared_ptr<Table> table;
  ARROW_ASSIGN_OR_RAISE(const Scan scan, OpenScan(options, &table));
  ARROW_ASSIGN_OR_RAISE(const auto plan, PlanTasks(table, scan.options(), split));
  OutputSink sink(STDOUT_FILENO);
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const auto task, plan->Next());
    if (!task) break;
    ARROW_ASSIGN_OR_RAISE(const std::string line, TaskToJson(*task));
    ARROW_RETURN_NOT_OK(sink.Write(line + "\n"));
  }
  ARROW_RETURN_NOT_OK(sink.Flush());
  return WriteStats(options, plan->Report());
}

arrow::Status RunTaskScan(const CommandOptions& options, const std::string& task_file) {
  if (!options.sources.empty() || !options.where.empty() || !options.select.empty()) {
    return MakeError(ErrorKind::kUsage,
                     "tasks say what is read: --task goes with neither SRC nor --where nor --select");
  }
  ARROW_ASSIGN_OR_RAISE(const Format format, OutputFormat(options));
  ARROW_ASSIGN_OR_RAISE(const ScanOptions scan_options, ToScanOptions(options));
  ARROW_ASSIGN_OR_RAISE(const TableOptions table_options, ToTableOptions(options));
  ARROW_ASSIGN_OR_RAISE(auto tasks, TasksOf(task_file));
  auto report = std::make_shared<ScanReport>();
  ARROW_ASSIGN_OR_RAISE(auto reader, RunTasks(std::move(tasks), scan_options, table_options, report));
  ARROW_RETURN_NOT_OK(WriteRows(reader.get(), format));
  return WriteStats(options, *report);
}

}  // namespace frazil::cli
