// SPDX-License-Identifier: Apache-2.0
//
// Iceberg tables of real writers, from the folder with data from outside, with right answers that no Iceberg reader
// gave: the rows of each query, with every level on, each one alone, and none.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/scalar.h>
#include <arrow/table.h>
#include <gtest/gtest.h>

#include "tests/outside_files.h"

namespace frazil {
namespace {

// Every query is run; the levels are taken apart for each of so many.
constexpr size_t kQueriesApart = 12;

struct Answer {
  int64_t rows = 0;
  int64_t sum = 0;  // of row_key
};

arrow::Result<Answer> Run(const Table& table, const std::string& filter, const std::vector<Level>& disabled) {
  Scan scan = table.NewScan();
  scan.Filter(filter).Select({"row_key"}).Threads(1);
  scan.options().disabled_levels = disabled;
  ARROW_ASSIGN_OR_RAISE(auto reader, scan.ToReader());
  Answer answer;
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
    if (batch == nullptr) break;
    const arrow::Array& column = *batch->column(0);
    for (int64_t row = 0; row < column.length(); ++row) {
      answer.sum += column.type_id() == arrow::Type::INT64 ? static_cast<const arrow::Int64Array&>(column).Value(row)
                                                           : static_cast<const arrow::Int32Array&>(column).Value(row);
    }
    answer.rows += column.length();
  }
  ARROW_ASSIGN_OR_RAISE(const int64_t count, scan.Count());
  if (count != answer.rows) return arrow::Status::Invalid("counted ", count, ", but scanned ", answer.rows);
  return answer;
}

void Check(const Table& table, const TsvLine& query, const std::string& filter, const std::vector<Level>& disabled) {
  const auto answer = Run(table, filter, disabled);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(std::to_string(answer->rows), query.at("rows"));
  if (answer->rows > 0) {
    EXPECT_EQ(std::to_string(answer->sum), query.at("checksum"));
  }
}

// `location`: where the tables lay when they were written. Returns the number of queries.
size_t CheckAll(const std::filesystem::path& root, const std::vector<TsvLine>& queries, const std::string& location,
                const std::string& filter_name) {
  size_t checked = 0;
  for (const TsvLine& query : queries) {
    const std::string& filter = query.at(filter_name);
    SCOPED_TRACE(query.at("table") + ": " + filter);
    TableOptions options;
    options.rewrite_locations = {{"file:" + location, root.string()}};
    if (query.at("snapshot") != "current") options.snapshot_id = std::stoll(query.at("snapshot"));
    const auto table = Table::Open({(root / query.at("table")).string()}, options);
    EXPECT_TRUE(table.ok()) << table.status();
    if (!table.ok()) continue;
    Check(**table, query, filter, {});
    if (checked++ % kQueriesApart != 0) continue;
    Check(**table, query, filter, AllLevels());
    for (const Level alone : AllLevels()) {
      SCOPED_TRACE(LevelName(alone));
      std::vector<Level> others = AllLevels();
      std::erase(others, alone);
      Check(**table, query, filter, others);
    }
  }
  return checked;
}

class IcebergFixtures : public OutsideFiles {
 protected:
  IcebergFixtures() : OutsideFiles("fixtures/iceberg-spark") {}
};

TEST_F(IcebergFixtures, Queries) {
  std::vector<TsvLine> queries = ReadTsv(root() / "QUERIES.tsv");
  std::erase_if(queries, [](const TsvLine& query) { return query.at("table").rfind("formats", 0) == 0; });
  EXPECT_GT(CheckAll(root(), queries, "/tmp/fixture/iceberg-spark", "predicate"), 2000U);
}

TableOptions MovedFrom(const std::filesystem::path& root) {
  TableOptions options;
  options.rewrite_locations = {{"file:/tmp/fixture/iceberg-spark", root.string()}};
  return options;
}

int64_t CountOf(const Table& table, const std::vector<Level>& disabled, ScanReport* report) {
  Scan scan = table.NewScan();
  scan.options().disabled_levels = disabled;
  const auto rows = scan.Count(report);
  EXPECT_TRUE(rows.ok()) << rows.status();
  return rows.ok() ? *rows : -1;
}

// What every row got from Iceberg Java, and conditions on it.
TEST_F(IcebergFixtures, RowLineage) {
  std::map<std::string, std::map<int64_t, std::pair<int64_t, int64_t>>> by_snapshot;
  for (const TsvLine& line : ReadTsv(root() / "LINEAGE.tsv")) {
    by_snapshot[line.at("snapshot")][std::stoll(line.at("row_key"))] = {
        std::stoll(line.at("row_id")), std::stoll(line.at("last_updated_sequence_number"))};
  }
  ASSERT_FALSE(by_snapshot.empty());
  for (const auto& [snapshot, rows] : by_snapshot) {
    SCOPED_TRACE(snapshot);
    TableOptions options = MovedFrom(root());
    if (snapshot != "current") options.snapshot_id = std::stoll(snapshot);
    const auto table = Table::Open({(root() / "v3/lineage").string()}, options);
    ASSERT_TRUE(table.ok()) << table.status();
    for (const std::vector<Level>& disabled : {std::vector<Level>{}, AllLevels()}) {
      for (const char* filter : {"", "_row_id BETWEEN 300 AND 600", "_last_updated_sequence_number >= 3"}) {
        SCOPED_TRACE(filter);
        Scan scan = (*table)->NewScan();
        scan.Filter(filter).Select({"row_key", "_row_id", "_last_updated_sequence_number"});
        scan.options().disabled_levels = disabled;
        const auto reader = scan.ToReader();
        ASSERT_TRUE(reader.ok()) << reader.status();
        const auto all = (*reader)->ToTable();
        ASSERT_TRUE(all.ok()) << all.status();
        const auto batch = (*all)->CombineChunksToBatch().ValueOrDie();
        const auto value = [&](int column, int64_t row) {
          const auto scalar = batch->column(column)->GetScalar(row).ValueOrDie();
          return static_cast<const arrow::Int64Scalar&>(*scalar->CastTo(arrow::int64()).ValueOrDie()).value;
        };
        int64_t wanted = 0;
        for (const auto& [key, of_row] : rows) {
          const bool is_in = *filter == '\0'    ? true
                             : filter[1] == 'r' ? of_row.first >= 300 && of_row.first <= 600
                                                : of_row.second >= 3;
          wanted += is_in ? 1 : 0;
        }
        EXPECT_EQ(batch->num_rows(), wanted);
        for (int64_t row = 0; row < batch->num_rows(); ++row) {
          EXPECT_EQ(std::pair(value(1, row), value(2, row)), rows.at(value(0, row)));
        }
      }
    }
  }
}

TEST_F(IcebergFixtures, CountsFromMetadata) {
  const auto open = [&](const char* name) {
    return Table::Open({(root() / name).string()}, MovedFrom(root())).ValueOrDie();
  };
  ScanReport report;
  EXPECT_EQ(CountOf(*open("broken/base"), {}, &report), 1200);
  EXPECT_EQ(report.files_counted, 8);
  EXPECT_EQ(report.rows_matched, 1200);
  for (const IoStep& step : report.io) EXPECT_NE(step.purpose, "footer");
  EXPECT_EQ(CountOf(*open("broken/base"), {Level::kFileMetrics}, &report), 1200);
  EXPECT_EQ(report.files_counted, 0);
  // Values and list contradict one record count: the files of that manifest are opened.
  EXPECT_EQ(CountOf(*open("broken/record_count_wrong"), {}, &report), 1200);
  EXPECT_EQ(report.files_counted, 4);
  // What nobody needs may be missing.
  EXPECT_EQ(CountOf(*open("broken/data_file_missing"), {}, &report), 1200);
  EXPECT_EQ(report.files_counted, 8);
}

class IcebergBugs : public OutsideFiles {
 protected:
  IcebergBugs() : OutsideFiles("fixtures/bug-cases/iceberg") {}
};

TEST_F(IcebergBugs, ReportedCases) {
  std::vector<TsvLine> queries = ReadTsv(root() / "CASES.tsv");
  std::erase_if(queries, [](const TsvLine& query) { return query.at("outcome") != "rows"; });
  EXPECT_GT(CheckAll(root(), queries, "/tmp/fixture/bug-cases/iceberg", "where"), 500U);
}

}  // namespace
}  // namespace frazil
