// SPDX-License-Identifier: Apache-2.0
//
// ScanReader: the row groups of all files as one stream of batches in table order. Row groups are decoded in parallel,
// as many ahead as threads and the memory budget allow; each has at most two batches waiting. The caller pulls: nothing
// runs once it stops.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include <arrow/record_batch.h>

#include "src/scan/row_group_scan.h"

namespace frazil::scan {

// Plans the next file; null after the last.
using NextFile = std::function<arrow::Result<std::shared_ptr<FileScan>>()>;

class ScanReader : public arrow::RecordBatchReader {
 public:
  ScanReader(std::shared_ptr<const ScanContext> context, NextFile next_file, std::shared_ptr<ScanReport> report);
  ~ScanReader() override;

  std::shared_ptr<arrow::Schema> schema() const override { return context_->schema; }
  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override;
  arrow::Status Close() override;

 private:
  // One row group under way. Guarded by mutex_ but for `scan`, which only the running step touches.
  struct Item {
    std::unique_ptr<RowGroupScan> scan;
    std::deque<std::shared_ptr<arrow::RecordBatch>> batches;
    arrow::Status status;
    bool running = false;
    bool ended = false;
    int64_t memory_bytes = 0;  // that it may hold, about
  };

  arrow::Status FillWindow();
  arrow::Result<const RowGroupCandidate*> PeekCandidate();
  void StartStep(const std::shared_ptr<Item>& item);
  void RunStep(std::shared_ptr<Item> item);
  int64_t Wanted() const;

  std::shared_ptr<const ScanContext> context_;
  NextFile next_file_;
  std::shared_ptr<ScanReport> report_;
  std::shared_ptr<FileScan> file_;
  size_t next_candidate_ = 0;
  bool files_ended_ = false;
  bool parallel_ = false;
  int64_t rows_given_ = 0;
  bool closed_ = false;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Item>> items_;
  int steps_running_ = 0;
};

}  // namespace frazil::scan
