// SPDX-License-Identifier: Apache-2.0
//
// Metadata tables and explain of an Iceberg table of our own, word for word; and what they read for it.
#include <set>
#include <string>

#include <arrow/array.h>
#include <arrow/table.h>
#include <gtest/gtest.h>

#include "frazil/explain.h"
#include "frazil/metadata_table.h"
#include "src/cli/report_json.h"
#include "tests/child_process.h"
#include "tests/golden_file.h"
#include "tests/small_table.h"

namespace frazil {
namespace {

std::string Inspected(const SmallTable& table, const std::string& what, const std::string& format) {
  const ChildResult result = RunChild({FRAZIL_BINARY, "inspect", table.folder().string(), what, "--format", format,
                                       "--rewrite-location", table.rewrite()});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  return table.Masked(result.output);
}

TEST(MetadataTables, AreWordForWord) {
  const SmallTable table;
  for (const std::string& what : MetadataTableNames()) {
    SCOPED_TRACE(what);
    ExpectGolden("inspect/" + what + ".jsonl", Inspected(table, what, "jsonl"));
  }
  for (const char* what : {"snapshots", "partitions", "specs"}) {
    ExpectGolden(std::string("inspect/") + what + ".txt", Inspected(table, what, "table"));
    ExpectGolden(std::string("inspect/") + what + ".csv", Inspected(table, what, "csv"));
  }
}

int64_t RowCount(const std::shared_ptr<Table>& table, const std::string& name, const MetadataTableOptions& options) {
  const auto reader = ReadMetadataTable(table, name, options);
  EXPECT_TRUE(reader.ok()) << reader.status();
  int64_t rows = 0;
  while (reader.ok()) {
    std::shared_ptr<arrow::RecordBatch> batch;
    EXPECT_TRUE((*reader)->ReadNext(&batch).ok());
    if (batch == nullptr) break;
    EXPECT_TRUE(batch->ValidateFull().ok()) << batch->ValidateFull();
    rows += batch->num_rows();
  }
  return rows;
}

TEST(MetadataTables, ReadNoMoreThanTheyNeed) {
  const SmallTable small;
  const auto table = small.Open();
  // A limit ends before the second manifest; without the data nothing is missing.
  std::filesystem::remove_all(small.folder() / "data");
  std::filesystem::remove(small.folder() / "metadata/y.avro");
  EXPECT_EQ(RowCount(table, "files", {.limit = 0}), 0);
  EXPECT_EQ(RowCount(table, "files", {.limit = 1}), 1);
  EXPECT_EQ(RowCount(table, "manifests", {}), 3);
  std::filesystem::remove_all(small.folder() / "metadata");
  for (const char* name : {"overview", "snapshots", "history", "refs", "schemas", "specs", "properties"}) {
    EXPECT_GT(RowCount(table, name, {}), 0) << name;
  }
  const auto manifests = ReadMetadataTable(table, "manifests", {});
  ASSERT_FALSE(manifests.ok());
  EXPECT_EQ(KindOf(manifests.status()), ErrorKind::kNotFound);
}

TEST(MetadataTables, GiveTheColumnsThatAreAskedFor) {
  const SmallTable small;
  const auto reader =
      ReadMetadataTable(small.Open(), "files", {.columns = {"record_count", "partition"}, .limit = 2}).ValueOrDie();
  EXPECT_EQ(reader->schema()->ToString(), "record_count: int64\npartition: struct<cat: string> not null");
  const auto rows = reader->ToTable().ValueOrDie();
  EXPECT_EQ(rows->num_rows(), 2);
  const auto unknown = ReadMetadataTable(small.Open(), "files", {.columns = {"nope"}});
  EXPECT_EQ(KindOf(unknown.status()), ErrorKind::kUsage);
  EXPECT_NE(unknown.status().message().find("file_path"), std::string::npos);
  EXPECT_EQ(KindOf(ReadMetadataTable(small.Open(), "entries", {}).status()), ErrorKind::kUsage);
}

TEST(MetadataTables, AreOfTheSnapshotThatIsAskedFor) {
  const SmallTable small;
  TableOptions options = small.options();
  options.ref = "first";
  const auto table = Table::Open({small.folder().string()}, options).ValueOrDie();
  EXPECT_EQ(RowCount(table, "files", {}), 2);
  EXPECT_EQ(RowCount(table, "manifests", {}), 2);
  EXPECT_EQ(RowCount(table, "snapshots", {}), 2);
}

std::string Explained(const SmallTable& small, ExplainLevel level, bool json) {
  ScanOptions options;
  options.filter = "id BETWEEN 70 AND 90 AND cat = 'x'";
  options.columns = {"amount"};
  auto report = ExplainScan(small.Open(), options, level).ValueOrDie();
  report.elapsed_ns = 0;
  return small.Masked(json ? cli::ReportToJson(report) + "\n" : ReportToText(report));
}

TEST(ExplainTable, IsWordForWord) {
  const SmallTable small;
  const std::pair<const char*, ExplainLevel> levels[] = {
      {"files", ExplainLevel::kFiles}, {"row_groups", ExplainLevel::kRowGroups}, {"pages", ExplainLevel::kPages}};
  for (const auto& [name, level] : levels) {
    SCOPED_TRACE(name);
    ExpectGolden(std::string("explain_table/") + name + ".txt", Explained(small, level, false));
    ExpectGolden(std::string("explain_table/") + name + ".json", Explained(small, level, true));
  }
}

TEST(ExplainTable, OpensNoDataFileUnlessAsked) {
  const SmallTable small;
  const auto table = small.Open();
  std::filesystem::remove_all(small.folder() / "data");
  const auto report = ExplainScan(table, {});
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->files_kept, 2);
  EXPECT_EQ(report->rows_total, 200);
  EXPECT_EQ(KindOf(ExplainScan(table, {}, ExplainLevel::kRowGroups).status()), ErrorKind::kNotFound);
  EXPECT_TRUE(table->NewScan().Explain().ok());
}

}  // namespace
}  // namespace frazil
