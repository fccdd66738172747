// SPDX-License-Identifier: Apache-2.0
//
// How Iceberg tables are planned: the same rows in the same order whatever the threads, nothing read that a limit makes
// needless, nothing run after the end.
#include <string>
#include <vector>

#include <arrow/array.h>
#include <arrow/scalar.h>
#include <gtest/gtest.h>

#include "tests/outside_files.h"

namespace frazil {
namespace {

class IcebergPlanning : public OutsideFiles {
 protected:
  IcebergPlanning() : OutsideFiles("fixtures/iceberg-spark") {}

  std::shared_ptr<Table> Open(const std::string& name) const {
    TableOptions options;
    options.rewrite_locations = {{"file:/tmp/fixture/iceberg-spark", root().string()}};
    return Table::Open({(root() / name).string()}, options).ValueOrDie();
  }
};

struct Answer {
  std::vector<std::string> rows;  // as text, in their order
  ScanReport report;
};

arrow::Result<Answer> Read(const Scan& scan, int64_t batches_max = INT64_MAX) {
  auto report = std::make_shared<ScanReport>();
  ARROW_ASSIGN_OR_RAISE(auto reader, scan.ToReader(report));
  Answer answer;
  for (int64_t i = 0; i < batches_max; ++i) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
    if (batch == nullptr) break;
    for (int64_t row = 0; row < batch->num_rows(); ++row) {
      std::string text;
      for (const auto& column : batch->columns()) {
        ARROW_ASSIGN_OR_RAISE(const auto value, column->GetScalar(row));
        text += value->ToString() + "|";
      }
      answer.rows.push_back(std::move(text));
    }
  }
  ARROW_RETURN_NOT_OK(reader->Close());
  answer.report = *report;
  return answer;
}

int64_t Kept(const ScanReport& report, const std::string& level) {
  for (const LevelReport& of : report.levels) {
    if (of.name == level) return of.kept;
  }
  return -1;
}

TEST_F(IcebergPlanning, ThreadsDoNotChangeTheOrder) {
  for (const char* name : {"manifests/many", "multi/day_bucket_ident", "deletes/pos_v2", "deletes/dv_v3",
                           "eqdel/partitioned_v2", "pevol/day_hour"}) {
    SCOPED_TRACE(name);
    for (const char* filter : {"", "row_key < 700"}) {
      // Opened anew: the first scan of a table counts what opening it took.
      const auto read = [&](int threads) {
        const auto table = Open(name);
        Scan scan = table->NewScan();
        scan.Filter(filter).Select({"row_key", "_pos", "_file"}).Threads(threads);
        scan.options().batch_rows = 50;
        return Read(scan);
      };
      const auto alone = read(1);
      ASSERT_TRUE(alone.ok()) << alone.status();
      EXPECT_FALSE(alone->rows.empty());
      for (const int threads : {2, 8}) {
        const auto shared = read(threads);
        ASSERT_TRUE(shared.ok()) << shared.status();
        EXPECT_EQ(shared->rows, alone->rows);
        for (const LevelReport& level : alone->report.levels) {
          EXPECT_EQ(Kept(shared->report, level.name), level.kept) << level.name;
        }
        EXPECT_EQ(shared->report.requests, alone->report.requests);
        EXPECT_EQ(shared->report.bytes_read, alone->report.bytes_read);
      }
    }
  }
}

TEST_F(IcebergPlanning, ALimitStopsPlanning) {
  const auto table = Open("manifests/many");
  Scan scan = table->NewScan();
  scan.Select({"row_key"}).Threads(8);
  const auto all = Read(scan);
  ASSERT_TRUE(all.ok()) << all.status();
  ASSERT_GT(Kept(all->report, "manifest"), 5);
  const auto one = Read(Scan(scan).Limit(1));
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_EQ(one->rows.size(), 1U);
  EXPECT_EQ(one->rows[0], all->rows[0]);
  EXPECT_EQ(Kept(one->report, "manifest"), 1);
  EXPECT_EQ(one->report.files_kept, 1);
}

TEST_F(IcebergPlanning, AReaderThatIsClosedEarlyHasCountedAllItRead) {
  const auto table = Open("manifests/many");
  Scan scan = table->NewScan();
  scan.Select({"row_key"}).Threads(8);
  scan.options().batch_rows = 10;
  for (int round = 0; round < 20; ++round) {
    const auto some = Read(scan, /*batches_max=*/1);
    ASSERT_TRUE(some.ok()) << some.status();
    EXPECT_GT(some->rows.size(), 0U);
    EXPECT_LE(some->rows.size(), 10U);
    int64_t requests = 0;
    for (const IoStep& step : some->report.io) requests += step.requests;
    EXPECT_EQ(some->report.requests, requests);
    EXPECT_LE(some->report.files_kept, some->report.files_total);
  }
}

}  // namespace
}  // namespace frazil
