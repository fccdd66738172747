// SPDX-License-Identifier: Apache-2.0
//
// The filter stage of a row group: decodes the columns that the residual predicate needs and evaluates it.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include <arrow/array.h>
#include <arrow/result.h>

#include "src/parquet/field_reader.h"
#include "src/scan/row_group_plan.h"

namespace frazil::scan {

class FilterStage {
 public:
  // Both must outlive the stage.
  FilterStage(const FileScan& file, const RowGroupPlan& plan) : file_(file), plan_(plan) {}

  arrow::Status Open(const parquet::OpenLeaf& open_leaf);

  // Ranks within `slice` of the rows that match. Slices must ascend. I/O: pages not fetched yet.
  arrow::Result<RowRanges> Match(const RowRanges& slice);

  // The values of `leaf` in the last slice, in the storage type of its column.
  const std::shared_ptr<arrow::Array>& Values(int leaf) const { return values_.at(leaf); }

 private:
  arrow::Result<std::shared_ptr<arrow::Array>> ColumnValues(const expr::BoundColumn& column, const RowRanges& slice);

  const FileScan& file_;
  const RowGroupPlan& plan_;
  std::map<int, std::unique_ptr<parquet::LeafReader>> readers_;
  std::map<int, std::shared_ptr<arrow::Array>> values_;
};

}  // namespace frazil::scan
