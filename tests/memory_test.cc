// SPDX-License-Identifier: Apache-2.0
//
// The memory of a scan is bounded by its budget, not by its file: what Arrow's pool has allocated, looked at whenever
// bytes are read or a batch is handed out.
#include <algorithm>
#include <atomic>
#include <memory>

#include <arrow/api.h>
#include <arrow/io/memory.h>
#include <gtest/gtest.h>
#include <parquet/arrow/writer.h>

#include "frazil/byte_source.h"
#include "frazil/table.h"

namespace frazil {
namespace {

// Looks at the pool at every read.
class WatchingSource : public ByteSource {
 public:
  explicit WatchingSource(std::shared_ptr<arrow::Buffer> bytes) : source_(FromBuffer(std::move(bytes), "watched")) {}

  const std::string& name() const override { return source_->name(); }
  arrow::Result<int64_t> Size() override { return source_->Size(); }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(ByteRange range) override {
    // A copy, because a view of the file in memory would cost nothing.
    ARROW_ASSIGN_OR_RAISE(auto view, source_->Read(range));
    ARROW_ASSIGN_OR_RAISE(auto copy, view->CopySlice(0, view->size()));
    Look();
    return copy;
  }

  void Look() {
    const int64_t now = arrow::default_memory_pool()->bytes_allocated();
    int64_t seen = peak_bytes_;
    while (seen < now && !peak_bytes_.compare_exchange_weak(seen, now)) {
    }
  }
  int64_t peak_bytes() const { return peak_bytes_; }

 private:
  std::shared_ptr<ByteSource> source_;
  std::atomic<int64_t> peak_bytes_{0};
};

constexpr int64_t kRows = 2'000'000;
constexpr int64_t kRowGroupRows = 100'000;

// 48 MB of numbers and texts in 20 row groups.
std::shared_ptr<arrow::Buffer> MakeFile() {
  arrow::Int64Builder ids;
  arrow::StringBuilder texts;
  for (int64_t row = 0; row < kRows; ++row) {
    EXPECT_TRUE(ids.Append(row * 2654435761 % 1000003).ok());
    EXPECT_TRUE(texts.Append("text " + std::to_string(row * 7919 % 999983)).ok());
  }
  auto table =
      arrow::Table::Make(arrow::schema({arrow::field("id", arrow::int64()), arrow::field("text", arrow::utf8())}),
                         {ids.Finish().ValueOrDie(), texts.Finish().ValueOrDie()});
  auto out = arrow::io::BufferOutputStream::Create().ValueOrDie();
  const auto properties = ::parquet::WriterProperties::Builder()
                              .disable_dictionary()
                              ->enable_write_page_index()
                              ->data_pagesize(64 << 10)
                              ->build();
  EXPECT_TRUE(::parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), out, kRowGroupRows, properties).ok());
  return out->Finish().ValueOrDie();
}

// The growth of the pool while `scan` streams.
int64_t PeakBytes(const std::shared_ptr<arrow::Buffer>& file, const std::string& filter, int64_t memory_bytes,
                  int64_t* rows) {
  auto source = std::make_shared<WatchingSource>(file);
  const int64_t before = arrow::default_memory_pool()->bytes_allocated();
  auto table = Table::OpenSources({source}).ValueOrDie();
  Scan scan = table->NewScan();
  scan.Filter(filter).Threads(4);
  scan.options().memory_bytes = memory_bytes;
  auto reader = scan.ToReader().ValueOrDie();
  std::shared_ptr<arrow::RecordBatch> batch;
  *rows = 0;
  do {
    EXPECT_TRUE(reader->ReadNext(&batch).ok());
    source->Look();
    if (batch) *rows += batch->num_rows();
  } while (batch);
  return source->peak_bytes() - before;
}

TEST(Memory, AScanStaysWithinItsBudget) {
  const auto file = MakeFile();
  constexpr int64_t kBudget = 8 << 20;
  for (const char* filter : {"", "id >= 500000", "text < 'text 5'"}) {
    SCOPED_TRACE(filter);
    int64_t rows = 0;
    int64_t rows_with_room = 0;
    EXPECT_LE(PeakBytes(file, filter, kBudget, &rows), kBudget);
    // Without the budget it takes more: so the budget is what bounds it.
    EXPECT_GT(PeakBytes(file, filter, int64_t{1} << 30, &rows_with_room), kBudget);
    EXPECT_EQ(rows, rows_with_room);
  }
}

}  // namespace
}  // namespace frazil
