// SPDX-License-Identifier: Apache-2.0
//
// The filter stage of a row group: decodes the columns that each part of the rows still has to be asked, and evaluates
// the part's residual predicate. Threads share the units of work out among themselves where the pages of the columns
// allow; otherwise each column of a unit is decoded by a thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <arrow/array.h>
#include <arrow/result.h>

#include "src/parquet/leaf_reader.h"
#include "src/scan/row_group_plan.h"
#include "src/scan/work_units.h"

namespace frazil::scan {

// Makes the reader of a leaf of the row group for the pages of a plan.
using OpenPlannedLeaf = std::function<arrow::Result<std::unique_ptr<parquet::LeafReader>>(
    parquet::ChunkPlan plan, const std::shared_ptr<arrow::DataType>& type, bool nullable)>;

// What the values of a leaf are decoded to for the filter; `nullable` carries the nulls of the leaf's parents, too.
struct DecodedType {
  std::shared_ptr<arrow::DataType> type;
  bool nullable = true;
};
arrow::Result<DecodedType> DecodedTypeOf(const parquet::Footer& footer, int leaf);

// The filter's leaves whose values serve the output too, ascending: top-level columns that are read on every row that
// may match, and whose matching values are few enough to be kept in memory.
std::vector<int> LeavesHandedOn(const FileScan& file, const RowGroupPlan& plan);

class FilterStage {
 public:
  struct Answer {
    RowRanges matched;                         // of plan.filter_rows
    std::map<int, arrow::ArrayVector> values;  // of `handed_on`, for the matched rows, in order
  };

  // All must outlive the stage.
  FilterStage(const FileScan& file, const RowGroupPlan& plan, const std::vector<int>& handed_on,
              const OpenPlannedLeaf& open_leaf);

  // Runs the filter. `also` is fetched in the first round. With `rows_wanted` >= 0 the work stops when so many rows are
  // known to match, proven ones before them included. I/O: the pages of the filter's leaves, step by step.
  arrow::Result<Answer> Run(int64_t rows_wanted, std::vector<ByteRange> also, const std::string& purpose);

 private:
  // What one thread decodes with.
  struct Worker {
    std::map<int, std::unique_ptr<parquet::LeafReader>> readers;
    std::map<int, std::shared_ptr<arrow::Array>> values;  // of the unit at hand
  };
  struct UnitAnswer {
    RowRanges hits;
    std::map<int, std::shared_ptr<arrow::Array>> values;
  };

  arrow::Result<std::unique_ptr<Worker>> OpenWorker() const;
  // Cuts each part into units, in the order of their rows.
  void CutParts();
  bool PartsAreApart() const;
  // Whether pages were found, and the units cut anew.
  arrow::Result<bool> FindPages();
  arrow::Status RunUnits(size_t begin, size_t end, std::vector<UnitAnswer>* answers);
  arrow::Status MatchUnit(Worker* worker, size_t unit, int threads, UnitAnswer* answer) const;
  arrow::Result<std::shared_ptr<arrow::Array>> ColumnValues(Worker* worker, const expr::BoundColumn& column,
                                                            const RowRanges& unit) const;

  const FileScan& file_;
  RowGroupPlan plan_;  // a copy: offset indexes found by walking pages stay in here
  const std::vector<int>& handed_on_;
  const OpenPlannedLeaf& open_leaf_;
  const UnitSize unit_size_;
  std::vector<RowRanges> units_;
  std::vector<const FilterPart*> unit_parts_;  // the part that each unit lies in
  bool apart_ = false;                         // threads take whole units
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace frazil::scan
