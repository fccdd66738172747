// SPDX-License-Identifier: Apache-2.0
//
// Tasks: the rows of all tasks of a plan are those of the scan, each once, in its order, however files are cut; over
// tables of real writers, with deletes, and over random files. Every task goes through its text.
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "frazil/scan_task.h"
#include "src/expr/expression.h"
#include "tests/child_process.h"
#include "tests/filegen/random_file.h"
#include "tests/golden_file.h"
#include "tests/outside_files.h"
#include "tests/small_table.h"

namespace frazil {
namespace {

using TablePtr = std::shared_ptr<arrow::Table>;

// The tasks of a plan, each written and read back.
arrow::Result<std::vector<ScanTask>> TasksOf(const std::shared_ptr<Table>& table, const ScanOptions& options,
                                             const TaskSplit& split) {
  ARROW_ASSIGN_OR_RAISE(auto plan, PlanTasks(table, options, split));
  std::vector<ScanTask> tasks;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const auto task, plan->Next());
    if (!task) return tasks;
    ARROW_ASSIGN_OR_RAISE(const std::string text, TaskToJson(*task));
    ARROW_ASSIGN_OR_RAISE(ScanTask read, TaskFromJson(text));
    ARROW_ASSIGN_OR_RAISE(const std::string again, TaskToJson(read));
    EXPECT_EQ(text, again);
    tasks.push_back(std::move(read));
  }
}

arrow::Result<TablePtr> RowsOf(std::vector<ScanTask> tasks, const ScanOptions& options = {}) {
  ARROW_ASSIGN_OR_RAISE(auto reader, RunTasks(std::move(tasks), options));
  return reader->ToTable();
}

bool SameRows(const arrow::Table& a, const arrow::Table& b) {
  return a.Equals(b, arrow::EqualOptions::Defaults().nans_equal(true).signed_zeros_equal(false));
}

// Every column, with file and position: equal rows are then rows of the same place.
std::vector<std::string> AllColumns(const Table& table) {
  std::vector<std::string> columns{"_file", "_pos"};
  for (const auto& field : table.schema()->fields()) {
    columns.push_back(expr::ColumnPath{{field->name()}, 0}.ToString());
  }
  return columns;
}

// Returns the number of tasks.
size_t CheckTasks(const std::shared_ptr<Table>& table, const ScanOptions& options, const TaskSplit& split) {
  Scan scan = table->NewScan();
  scan.options() = options;
  const auto reader = scan.ToReader();
  EXPECT_TRUE(reader.ok()) << reader.status();
  if (!reader.ok()) return 0;
  const auto rows = (*reader)->ToTable();
  EXPECT_TRUE(rows.ok()) << rows.status();
  const auto tasks = TasksOf(table, options, split);
  EXPECT_TRUE(tasks.ok()) << tasks.status();
  if (!rows.ok() || !tasks.ok()) return 0;
  if (tasks->empty()) {
    EXPECT_EQ((*rows)->num_rows(), 0);
    return 0;
  }
  const auto together = RowsOf(*tasks);
  EXPECT_TRUE(together.ok()) << together.status();
  if (together.ok()) {
    EXPECT_TRUE(SameRows(**together, **rows))
        << (*together)->num_rows() << " rows of tasks, not " << (*rows)->num_rows();
  }
  // Each in a run of its own, with pruning off: no task has rows of another.
  ScanOptions unpruned;
  unpruned.disabled_levels = AllLevels();
  std::vector<TablePtr> parts;
  for (const ScanTask& task : *tasks) {
    const auto part = RowsOf({task}, unpruned);
    EXPECT_TRUE(part.ok()) << part.status();
    if (part.ok()) parts.push_back(*part);
  }
  const auto apart = arrow::ConcatenateTables(parts);
  EXPECT_TRUE(apart.ok()) << apart.status();
  if (apart.ok()) {
    EXPECT_TRUE(SameRows(**apart, **rows)) << (*apart)->num_rows() << " rows, not " << (*rows)->num_rows();
  }
  return tasks->size();
}

class TasksOfFixtures : public OutsideFiles {
 protected:
  TasksOfFixtures() : OutsideFiles("fixtures/iceberg-spark") {}
};

TEST_F(TasksOfFixtures, GiveTheRowsOfTheScan) {
  constexpr size_t kQueriesOfTable = 2;
  std::map<std::string, std::vector<std::string>> filters;
  for (const TsvLine& query : ReadTsv(root() / "QUERIES.tsv")) {
    std::vector<std::string>& of_table = filters[query.at("table")];
    const bool wanted = query.at("snapshot") == "current" && query.at("table").rfind("formats", 0) != 0;
    if (wanted && of_table.size() < kQueriesOfTable) of_table.push_back(query.at("predicate"));
  }
  size_t tables = 0;
  size_t cut = 0;
  for (const auto& [name, of_table] : filters) {
    if (of_table.empty()) continue;
    if (static_cast<int64_t>(tables++) % kSampleStep != 0) continue;
    TableOptions table_options;
    table_options.rewrite_locations = {{"file:/tmp/fixture/iceberg-spark", root().string()}};
    const auto table = Table::Open({(root() / name).string()}, table_options);
    ASSERT_TRUE(table.ok()) << name << ": " << table.status();
    ScanOptions options;
    options.threads = 2;
    options.columns = AllColumns(**table);
    for (const std::string& filter : of_table) {
      SCOPED_TRACE(name + ": " + filter);
      options.filter = filter;
      const size_t whole = CheckTasks(*table, options, {});
      cut += CheckTasks(*table, options, {.rows = 70}) > whole;
      cut += CheckTasks(*table, options, {.bytes = 900}) > whole;
    }
  }
  EXPECT_GT(tables, 80U);
  if (kSampleStep == 1) {
    EXPECT_GT(cut, 120U);
  }
}

TEST_F(TasksOfFixtures, RefuseOtherFormatsByName) {
  TableOptions table_options;
  table_options.rewrite_locations = {{"file:/tmp/fixture/iceberg-spark", root().string()}};
  for (const char* name : {"formats/orc", "formats/avro", "formats/mixed"}) {
    const auto table = Table::Open({(root() / name).string()}, table_options);
    ASSERT_TRUE(table.ok()) << table.status();
    const auto reader = (*table)->NewScan().ToReader();
    ASSERT_TRUE(reader.ok()) << reader.status();
    const auto rows = (*reader)->ToTable();
    ASSERT_FALSE(rows.ok()) << name;
    EXPECT_EQ(KindOf(rows.status()), ErrorKind::kUnsupported);
    EXPECT_NE(rows.status().message().find("/data/"), std::string::npos) << rows.status();
    EXPECT_NE(rows.status().message().find("data files of format "), std::string::npos) << rows.status();
    EXPECT_FALSE(TasksOf(*table, {}, {}).ok()) << name;
  }
}

// A file on disk that goes with the test.
class TemporaryFile {
 public:
  explicit TemporaryFile(const arrow::Buffer& bytes) {
    path_ = (std::filesystem::temp_directory_path() / "frazil-task-XXXXXX").string();
    const int descriptor = mkstemp(path_.data());
    EXPECT_GE(descriptor, 0);
    close(descriptor);
    std::ofstream(path_, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(Tasks, GiveTheRowsOfRandomFiles) {
  const char* fixed = std::getenv("FRAZIL_SEED");
  const uint64_t first = fixed != nullptr ? std::strtoull(fixed, nullptr, 10) : std::random_device{}();
  std::printf("seed %llu\n", static_cast<unsigned long long>(first));
  std::mt19937_64 random(first);
  size_t cut = 0;
  for (int64_t i = 0; i < 24; i += kSampleStep) {
    const uint64_t seed = random();
    const auto file = filegen::MakeRandomFile(seed);
    ASSERT_TRUE(file.ok()) << file.status();
    SCOPED_TRACE(file->Describe());
    const TemporaryFile on_disk(*file->bytes);
    const auto table = Table::Open({on_disk.path()});
    ASSERT_TRUE(table.ok()) << table.status();
    const auto row_count = static_cast<int64_t>(file->rows.size());
    const int64_t a = static_cast<int64_t>(random() % static_cast<uint64_t>(row_count + 1));
    const int64_t b = static_cast<int64_t>(random() % static_cast<uint64_t>(row_count + 1));
    ScanOptions options;
    options.columns = AllColumns(**table);
    for (const std::string& filter :
         {std::string(), "\"row\" BETWEEN " + std::to_string(std::min(a, b)) + " AND " + std::to_string(std::max(a, b)),
          "\"row\" <> " + std::to_string(a)}) {
      SCOPED_TRACE(filter);
      options.filter = filter;
      CheckTasks(*table, options, {});
      cut += CheckTasks(*table, options, {.rows = 1 + static_cast<int64_t>(random() % 60)}) > 1;
      const int64_t split_bytes = 1 + file->bytes->size() / (2 + static_cast<int64_t>(random() % 20));
      cut += CheckTasks(*table, options, {.bytes = split_bytes}) > 1;
    }
  }
  if (kSampleStep == 1) {
    EXPECT_GT(cut, 80U);
  }
}

TEST(Tasks, OfASmallTable) {
  const SmallTable small;
  ScanOptions options;
  options.filter = "id BETWEEN 70 AND 120 AND cat = 'x'";
  options.columns = {"amount", "_pos"};
  std::string lines;
  const auto tasks = TasksOf(small.Open(), options, {.rows = 60});
  ASSERT_TRUE(tasks.ok()) << tasks.status();
  for (const ScanTask& task : *tasks) lines += TaskToJson(task).ValueOrDie() + "\n";
  ExpectGolden("task/small_table.jsonl", small.Masked(lines));
  const auto rows = RowsOf(*tasks);
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ((*rows)->num_rows(), 29);  // 70 to 99 without 77
}

TEST(Tasks, RunInAnotherProcess) {
  const SmallTable small;
  const ChildResult plan = RunChild({FRAZIL_BINARY, "plan", small.folder().string(), "--rewrite-location",
                                     small.rewrite(), "--where", "id < 30 OR id >= 150", "--split-bytes", "1000"});
  ASSERT_EQ(plan.exit_code, 0) << plan.errors;
  EXPECT_GT(plan.output_lines, 4);
  const std::filesystem::path file = small.folder() / "tasks.jsonl";
  std::ofstream(file) << plan.output;
  // Neither metadata nor manifests are needed any more.
  std::filesystem::remove_all(small.folder() / "metadata");
  const ChildResult scan = RunChild({FRAZIL_BINARY, "scan", "--task", file.string(), "--format", "csv"});
  ASSERT_EQ(scan.exit_code, 0) << scan.errors;
  EXPECT_EQ(scan.output_lines, 1 + 29 + 50);  // the header; id 3 is deleted
  const ChildResult limited = RunChild({FRAZIL_BINARY, "scan", "--task", file.string(), "--limit", "7"});
  EXPECT_EQ(limited.output_lines, 7);
}

TEST(Tasks, ReadAPartOfARowGroupByItsPages) {
  const SmallTable small;
  const auto tasks = TasksOf(small.Open(), {}, {.rows = 10});
  ASSERT_TRUE(tasks.ok()) << tasks.status();
  ASSERT_EQ(tasks->size(), 20U);
  auto report = std::make_shared<ScanReport>();
  const auto reader = RunTasks({(*tasks)[12]}, {}, {}, report);
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ((*reader)->ToTable().ValueOrDie()->num_rows(), 10);
  ASSERT_TRUE((*reader)->Close().ok());
  EXPECT_EQ(report->rows_total, 10);
  EXPECT_EQ(report->row_groups_total, 1);
  EXPECT_EQ(report->pages_kept, 3);  // one of each column
  EXPECT_EQ(report->pages_total, 15);
}

TEST(Tasks, ReadADeleteFileOnceForAllOfThem) {
  const SmallTable small;
  ScanOptions options;
  options.filter = "cat = 'x'";
  const auto tasks = TasksOf(small.Open(), options, {.rows = 20});
  ASSERT_TRUE(tasks.ok()) << tasks.status();
  ASSERT_EQ(tasks->size(), 5U);
  auto report = std::make_shared<ScanReport>();
  const auto reader = RunTasks(*tasks, {}, {}, report);
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ((*reader)->ToTable().ValueOrDie()->num_rows(), 98);
  std::set<int64_t> offsets;
  int64_t requests = 0;
  for (const IoRequest& request : report->trace) {
    if (request.file.find("deletes.parquet") == std::string::npos) continue;
    offsets.insert(request.range.offset);
    ++requests;
  }
  EXPECT_GT(requests, 0);
  EXPECT_EQ(requests, static_cast<int64_t>(offsets.size()));
}

TEST(Tasks, NothingIsPlannedForAFilterThatNothingMatches) {
  const SmallTable small;
  ScanOptions options;
  options.filter = "id > 500";
  const auto tasks = TasksOf(small.Open(), options, {});
  ASSERT_TRUE(tasks.ok()) << tasks.status();
  EXPECT_TRUE(tasks->empty());
  const auto reader = RunTasks({});
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ((*reader)->ToTable().ValueOrDie()->num_rows(), 0);
}

TEST(Tasks, RowsThatTheManifestDoesNotKnowOfAreRead) {
  const SmallTable small;
  // As if the manifest said that there are 30 rows, or none, or far too many.
  for (const int64_t claimed : {30, 0, 1'000'000}) {
    auto tasks = TasksOf(small.Open(), {}, {.rows = 25}).ValueOrDie();
    std::vector<ScanTask> of_file;
    for (int64_t begin = 0; begin == 0 || begin < claimed; begin += 250'000) {
      of_file.push_back(tasks.back());
      of_file.back().rows = TaskRange{begin, begin + 250'000};
    }
    of_file.back().rows->end.reset();
    EXPECT_EQ(RowsOf(of_file).ValueOrDie()->num_rows(), 100) << claimed;
  }
}

TEST(Tasks, SayWhatIsWrong) {
  const SmallTable small;
  const auto table = small.Open();
  const auto kind = [&](const ScanOptions& options, const TaskSplit& split) {
    const auto plan = PlanTasks(table, options, split);
    return plan.ok() ? ErrorKind::kInternal : KindOf(plan.status());
  };
  EXPECT_EQ(kind({}, {.rows = 1, .bytes = 1}), ErrorKind::kUsage);
  EXPECT_EQ(kind({}, {.rows = -1}), ErrorKind::kUsage);
  ScanOptions unknown;
  unknown.columns = {"nope"};
  EXPECT_EQ(kind(unknown, {}), ErrorKind::kUsage);

  const ScanTask good = TasksOf(table, {}, {}).ValueOrDie().front();
  const auto refused = [&](const auto& change) {
    ScanTask task = good;
    change(&task);
    const auto reader = RunTasks({task});
    const arrow::Status status = reader.ok() ? (*reader)->ToTable().status() : reader.status();
    EXPECT_FALSE(status.ok());
    return status.ok() ? std::string() : std::string(ErrorKindName(KindOf(status))) + ": " + status.message();
  };
  EXPECT_NE(refused([](ScanTask* task) { task->format = "orc"; }).find("x.parquet: task: data files of format orc"),
            std::string::npos);
  EXPECT_NE(refused([](ScanTask* task) { task->columns = {"other"}; }).find("unknown column other"), std::string::npos);
  EXPECT_NE(refused([](ScanTask* task) { task->file = "/warehouse/small/data/gone.parquet"; }).find("not found"),
            std::string::npos);
  EXPECT_NE(refused([](ScanTask* task) { task->iceberg->residual_json = R"({"field_id": 9})"; }).find("corrupt"),
            std::string::npos);
  EXPECT_NE(refused([](ScanTask* task) { task->iceberg->schema_json = "[]"; }).find("corrupt"), std::string::npos);
  EXPECT_NE(refused([](ScanTask* task) { task->iceberg->delete_files[0].file = "/nowhere"; }).find("not found"),
            std::string::npos);
  EXPECT_NE(refused([](ScanTask* task) { task->iceberg.reset(); }).find("not found"), std::string::npos);

  ScanTask other = good;
  other.columns = {"id"};
  EXPECT_EQ(KindOf(RunTasks({good, other}).status()), ErrorKind::kUsage);
  ScanOptions filtered;
  filtered.filter = "id = 1";
  EXPECT_EQ(KindOf(RunTasks({good}, filtered).status()), ErrorKind::kUsage);
}

}  // namespace
}  // namespace frazil
