// SPDX-License-Identifier: Apache-2.0
//
// Runs the plan of one row group, in stages:
//   filter  reads the residual's columns on the rows that are not proven, and evaluates it
//   output  reads the projected columns on the rows that are left, batch by batch
// When the output pages are few, both stages' pages are fetched in one round; when many, the output stage waits for the
// filter and asks only for the pages that still hold rows. Filter columns that are projected are not decoded twice.
//
// A page index that turns out to lie while pages are read is distrusted, and the row group is planned anew without it,
// unless rows were handed out already; then it is an error.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include <arrow/record_batch.h>
#include <arrow/result.h>

#include "src/parquet/field_reader.h"
#include "src/scan/row_group_plan.h"

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

 private:
  arrow::Status Start();
  arrow::Status Attempt(bool first);
  arrow::Status RunFilter();
  arrow::Status FetchFirst();
  arrow::Status OpenOutput();
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> ReadBatch();
  arrow::Result<std::shared_ptr<arrow::Array>> ReadColumn(const OutputColumn& column, const RowRanges& rows);
  arrow::Result<std::unique_ptr<parquet::LeafReader>> OpenLeaf(int leaf, const std::shared_ptr<arrow::DataType>& type,
                                                               bool nullable, const RowRanges& wanted);
  bool Distrust();
  bool Reusable(int leaf) const;
  int64_t BatchRows() const;
  void Finish();
  void CountPages() const;
  void ReportPlan() const;
  const ScanContext& context() const { return *file_->context; }

  std::shared_ptr<const FileScan> file_;
  RowGroupCandidate candidate_;
  int64_t limit_;
  std::set<int> distrusted_;

  RowGroupPlan plan_;
  bool started_ = false;
  bool finished_ = false;
  bool two_stages_ = false;
  RowRanges final_rows_;
  std::map<int, arrow::ArrayVector> reused_;                   // leaf -> values of the final rows
  std::vector<std::unique_ptr<parquet::FieldReader>> fields_;  // by output column; null when not read
  std::vector<std::pair<int, std::shared_ptr<const parquet::PageReadState>>> states_;  // of every leaf opened
  std::map<int, RowRanges> planned_rows_;  // leaf -> rows of its planned output pages
  int64_t next_rank_ = 0;
  int64_t batches_given_ = 0;
};

}  // namespace frazil::scan
