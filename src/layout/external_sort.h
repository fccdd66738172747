// SPDX-License-Identifier: Apache-2.0
//
// Sorts any number of rows in bounded memory: rows are collected into runs, each sorted in memory; when there is more
// than one, runs lie on disk as compressed Arrow IPC and are merged. The files have no names (they are removed when
// they are made), so that a killed process leaves nothing.
//
//   ExternalSorter sorter(schema, std::move(encoder), {.memory_bytes = 64 << 20});
//   for (...) ARROW_RETURN_NOT_OK(sorter.Add(batch));
//   ARROW_ASSIGN_OR_RAISE(auto sorted, sorter.Finish());
//
// Stable: rows of equal keys keep the order in which they came.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/record_batch.h>
#include <arrow/result.h>

#include "src/layout/sort_key.h"

namespace frazil::layout {

struct ExternalSortOptions {
  int64_t memory_bytes = 512 << 20;  // about; at least a batch of input and one of each run merged are held
  std::string spill_folder = "/tmp";
  int64_t batch_rows = 64 << 10;  // of the output
};

class ExternalSorter {
 public:
  ExternalSorter(std::shared_ptr<arrow::Schema> schema, SortKeyEncoder encoder, ExternalSortOptions options);
  ~ExternalSorter();

  // I/O: writes a run when a third of the memory is full; the rest is for sorting it. Errors: unavailable (the disk is
  // full), access (the folder).
  arrow::Status Add(std::shared_ptr<arrow::RecordBatch> batch);

  // The rows in order. Call once, after the last Add; the reader must not outlive the sorter. Memory: a third for the
  // batches of the runs that are merged; runs beyond what fits there, and beyond 64, are merged beforehand.
  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Finish();

  int64_t runs_spilled() const { return runs_spilled_; }
  int64_t bytes_spilled() const { return bytes_spilled_; }

 private:
  struct Run;
  class MemoryReader;
  class MergeReader;

  arrow::Status Spill();
  arrow::Status SpillFrom(arrow::RecordBatchReader* reader);
  arrow::Status MergeOldest(size_t count);
  size_t FanIn() const;

  std::shared_ptr<arrow::Schema> schema_;
  SortKeyEncoder encoder_;
  ExternalSortOptions options_;
  std::vector<std::shared_ptr<arrow::RecordBatch>> pending_;
  SortKeys pending_keys_;
  int64_t pending_bytes_ = 0;
  int64_t row_bytes_ = 1;  // of the largest run so far, about
  std::vector<std::unique_ptr<Run>> runs_;
  int64_t runs_spilled_ = 0;
  int64_t bytes_spilled_ = 0;
};

}  // namespace frazil::layout
