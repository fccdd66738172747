// SPDX-License-Identifier: Apache-2.0
//
// The output stage of a row group: reads the projected columns on the rows that are left and gives them batch by batch.
// Columns of a batch are decoded in parallel; where there are fewer columns than threads and pages allow, batches are.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <vector>

#include <arrow/record_batch.h>
#include <arrow/result.h>

#include "src/parquet/field_reader.h"
#include "src/scan/filter_stage.h"
#include "src/scan/row_group_plan.h"

namespace frazil::scan {

class OutputStage {
 public:
  // `rows` are ordinals in the row group; `known` holds, by leaf, the values that the filter stage hands on for all of
  // them. All references must outlive the stage. I/O: none yet.
  static arrow::Result<std::unique_ptr<OutputStage>> Open(const FileScan& file, const RowGroupPlan& plan,
                                                          RowRanges rows, std::map<int, arrow::ArrayVector> known,
                                                          const OpenPlannedLeaf& open_leaf);

  // The next batch; null at the end. I/O: the pages of the next batches, step by step.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next();

 private:
  // What one thread decodes with: a reader for each output column that is read from pages, null for the others.
  struct Worker {
    std::vector<std::unique_ptr<parquet::FieldReader>> fields;
  };

  OutputStage(const FileScan& file, const RowGroupPlan& plan, RowRanges rows, std::map<int, arrow::ArrayVector> known)
      : file_(file), plan_(plan), rows_(std::move(rows)), known_(std::move(known)) {}

  arrow::Status OpenWorkers(const OpenPlannedLeaf& open_leaf);
  // Decodes the next units, at least one, into ready_.
  arrow::Status Advance();
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> ReadUnit(const Worker& worker, size_t unit, int threads) const;
  arrow::Result<std::shared_ptr<arrow::Array>> ReadColumn(const OutputColumn& column, size_t unit) const;

  const FileScan& file_;
  const RowGroupPlan& plan_;
  const RowRanges rows_;
  const std::map<int, arrow::ArrayVector> known_;
  std::vector<int> leaves_;                // read from pages, ascending
  std::map<int, RowRanges> planned_rows_;  // leaf -> rows of its planned pages
  std::vector<RowRanges> units_;
  std::vector<int64_t> unit_ranks_;  // ordinal in rows_ of each unit's first row
  bool large_ = false;               // worth more than one thread
  bool apart_ = false;               // threads take whole units
  std::vector<Worker> workers_;
  size_t next_unit_ = 0;
  size_t fetched_ = 0;
  std::deque<std::shared_ptr<arrow::RecordBatch>> ready_;
};

}  // namespace frazil::scan
