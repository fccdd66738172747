// SPDX-License-Identifier: Apache-2.0
//
// Readers that are closed, dropped or fail before their end: nothing hangs, nothing reads on, what came before is
// right.
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <arrow/array.h>
#include <arrow/table.h>
#include <gtest/gtest.h>

#include "tests/faulty_source.h"
#include "tests/recording_source.h"
#include "tests/scenario.h"

namespace frazil {
namespace {

// 40 row groups of 500 rows.
const Scenario& ManyRowGroups() {
  for (const Scenario& scenario : Scenarios()) {
    if (scenario.name == "many_row_groups") return scenario;
  }
  std::abort();
}

std::shared_ptr<arrow::Buffer> FileBytes() {
  static const auto kBytes = filegen::WriteFile(ManyRowGroups().file).ValueOrDie();
  return kBytes;
}

// Slow enough that reading is still under way when the reader goes.
class SlowSource : public RecordingSource {
 public:
  using RecordingSource::RecordingSource;
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(ByteRange range) override {
    std::this_thread::sleep_for(std::chrono::microseconds(300));
    return RecordingSource::Read(range);
  }
};

std::shared_ptr<arrow::RecordBatchReader> Open(std::shared_ptr<ByteSource> source, int threads,
                                               std::shared_ptr<ScanReport> report = nullptr, int64_t limit = -1) {
  auto table = Table::OpenSources({std::move(source)}).ValueOrDie();
  Scan scan = table->NewScan().Filter("id >= 0 AND k >= 0").Threads(threads).Limit(limit);
  scan.options().batch_rows = 100;
  return scan.ToReader(std::move(report)).ValueOrDie();
}

int64_t FirstId(const arrow::RecordBatch& batch) {
  return static_cast<const arrow::Int64Array&>(*batch.GetColumnByName("id")).Value(0);
}

class StopEarly : public testing::TestWithParam<int> {};

TEST_P(StopEarly, ClosedAfterAnyNumberOfBatches) {
  for (int batches : {0, 1, 2, 5, 17, 199, 200}) {
    SCOPED_TRACE(batches);
    auto source = std::make_shared<SlowSource>(FileBytes(), "events.parquet", ManyRowGroups().cost);
    auto report = std::make_shared<ScanReport>();
    auto reader = Open(source, GetParam(), report);
    std::shared_ptr<arrow::RecordBatch> batch;
    for (int i = 0; i < batches; ++i) {
      ASSERT_TRUE(reader->ReadNext(&batch).ok());
      ASSERT_NE(batch, nullptr);
      EXPECT_EQ(FirstId(*batch), 100 * i);
    }
    ASSERT_TRUE(reader->Close().ok());
    const size_t requests = source->requests().size();
    EXPECT_EQ(report->requests, static_cast<int64_t>(requests));
    // A bounded distance ahead: not the whole file when a little was asked for.
    if (batches <= 2) {
      EXPECT_LT(requests, 1 + 2 * static_cast<size_t>(3 + GetParam()) * 2);
    }
    ASSERT_TRUE(reader->ReadNext(&batch).ok());
    EXPECT_EQ(batch, nullptr);
    ASSERT_TRUE(reader->Close().ok());
    reader.reset();
    EXPECT_EQ(source->requests().size(), requests);
  }
}

TEST_P(StopEarly, DroppedWhileReadingAhead) {
  for (int batches : {0, 1, 3, 50}) {
    std::weak_ptr<ByteSource> source;
    {
      auto slow = std::make_shared<SlowSource>(FileBytes(), "events.parquet", ManyRowGroups().cost);
      source = slow;
      auto reader = Open(std::move(slow), GetParam());
      std::shared_ptr<arrow::RecordBatch> batch;
      for (int i = 0; i < batches; ++i) ASSERT_TRUE(reader->ReadNext(&batch).ok());
    }
    EXPECT_TRUE(source.expired());  // nothing holds on to it
  }
}

TEST_P(StopEarly, BatchesOutliveTheReader) {
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
  {
    auto reader = Open(FromBuffer(FileBytes(), "events.parquet"), GetParam());
    for (int i = 0; i < 12; ++i) ASSERT_TRUE(reader->ReadNext(&batches.emplace_back()).ok());
  }
  for (size_t i = 0; i < batches.size(); ++i) {
    EXPECT_EQ(FirstId(*batches[i]), static_cast<int64_t>(100 * i));
    EXPECT_TRUE(batches[i]->ValidateFull().ok());
  }
}

TEST_P(StopEarly, AnErrorComesAfterTheRowsBeforeIt) {
  auto sound = std::make_shared<FaultySource>(FileBytes(), "events.parquet", ManyRowGroups().cost, Fault::kNull, -1);
  ASSERT_TRUE(Open(sound, 1)->ToTable().ok());
  ASSERT_GT(sound->requests(), 10);
  for (int at = 1; at < sound->requests(); at += 3) {
    SCOPED_TRACE(at);
    auto reader = Open(
        std::make_shared<FaultySource>(FileBytes(), "events.parquet", ManyRowGroups().cost, Fault::kUnavailable, at),
        GetParam());
    std::shared_ptr<arrow::RecordBatch> batch;
    int64_t rows = 0;
    arrow::Status status;
    while ((status = reader->ReadNext(&batch)).ok() && batch != nullptr) {
      EXPECT_EQ(FirstId(*batch), rows);
      rows += batch->num_rows();
    }
    EXPECT_EQ(KindOf(status), ErrorKind::kUnavailable);
    // Said again to who asks again; closing is no error.
    EXPECT_FALSE(reader->ReadNext(&batch).ok());
    EXPECT_TRUE(reader->Close().ok());
  }
}

TEST_P(StopEarly, ALimitReadsNoFurther) {
  for (int64_t limit :
       {int64_t{0}, int64_t{1}, int64_t{100}, int64_t{101}, int64_t{500}, int64_t{501}, int64_t{1999}}) {
    SCOPED_TRACE(limit);
    auto source = std::make_shared<RecordingSource>(FileBytes(), "events.parquet", ManyRowGroups().cost);
    auto report = std::make_shared<ScanReport>();
    auto reader = Open(source, GetParam(), report, limit);
    EXPECT_EQ(reader->ToTable().ValueOrDie()->num_rows(), limit);
    ASSERT_TRUE(reader->Close().ok());
    // The footer, and of each row group that is needed at most a request for a column's pages and one for a dictionary.
    const int64_t row_groups = (limit + 499) / 500;
    EXPECT_LE(source->requests().size(), static_cast<size_t>(1 + 5 * row_groups));
    EXPECT_EQ(report->requests, static_cast<int64_t>(source->requests().size()));
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, StopEarly, testing::Values(1, 2, 6));

}  // namespace
}  // namespace frazil
