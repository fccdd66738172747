// SPDX-License-Identifier: Apache-2.0
//
// Runs the plan of one row group, in stages:
//   filter  reads the residual's columns on the rows that are not proven, and evaluates it   (filter_stage.h)
//   output  reads the projected columns on the rows that are left, batch by batch            (output_stage.h)
// stage_plan.h decides what is fetched in the first round. Filter columns that are projected are not decoded twice.
//
// A page index that turns out to lie while pages are read is distrusted, and the row group is planned anew without it,
// unless rows were handed out already; then it is an error.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include <arrow/record_batch.h>
#include <arrow/result.h>

#include "src/scan/output_stage.h"
#include "src/scan/stage_plan.h"

namespace frazil::scan {

class RowGroupScan {
 public:
  // `limit`: rows wanted from here on at most; < 0: all.
  RowGroupScan(std::shared_ptr<const FileScan> file, RowGroupCandidate candidate, int64_t limit);

  // The next batch; null at the end.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next();

  // The number of matching rows, without reading output columns.
  arrow::Result<int64_t> CountRows();

  // Plans and reports without reading a page.
  arrow::Status ExplainOnly();

  // Counts what was read so far, if anything, and gives it back. Next calls it at the end.
  void Close();

 private:
  arrow::Status Start();
  arrow::Status Attempt(bool first);
  arrow::Status Plan(bool first);
  // Lets the dictionaries judge what the page index left, and plans anew where they decide something.
  arrow::Status AskDictionaries();
  arrow::Status RunFilter(std::map<int, arrow::ArrayVector>* values);
  bool Distrust();
  void CountPages() const;
  void ReportPlan() const;
  arrow::Status Place(arrow::Status status) const;

  std::shared_ptr<const FileScan> file_;
  RowGroupCandidate candidate_;
  int64_t limit_;
  std::set<int> distrusted_;

  RowGroupPlan plan_;
  std::vector<int> handed_on_;      // leaves whose values the filter stage hands on
  std::vector<int> output_leaves_;  // the others of the output
  StagePlan stages_;
  OpenPlannedLeaf open_leaf_;
  RowRanges final_rows_;
  std::unique_ptr<OutputStage> output_;
  std::vector<std::pair<int, std::shared_ptr<const parquet::PageReadState>>> states_;  // of every leaf opened
  bool started_ = false;
  bool finished_ = false;
  bool batches_given_ = false;
};

}  // namespace frazil::scan
