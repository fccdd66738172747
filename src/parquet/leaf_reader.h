// SPDX-License-Identifier: Apache-2.0
//
// One leaf column of one row group: decodes chosen rows, in ascending order, into levels and values. Arrow's
// RecordReader does the decoding; this class keeps it on the right row, whatever pages were left out.
//
// Row alignment, the invariant: `row_` is the ordinal (in the row group) of the next record the RecordReader will
// give. Skipping counts rows of planned pages only, because the others are not in the stream.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/array.h>
#include <arrow/result.h>
#include <parquet/column_reader.h>

#include "src/base/row_ranges.h"
#include "src/io/range_reader.h"
#include "src/parquet/footer.h"
#include "src/parquet/page_plan.h"
#include "src/parquet/page_reader.h"

namespace frazil::parquet {

class LeafReader {
 public:
  // `type` is the Arrow storage type to produce (no extension type). `reader` and `footer` must outlive the object.
  // No I/O. Errors: unsupported codec, encryption.
  static arrow::Result<std::unique_ptr<LeafReader>> Open(const Footer* footer, io::RangeReader* reader, ChunkPlan plan,
                                                         std::shared_ptr<arrow::DataType> type, bool nullable,
                                                         const PageReadOptions& options);

  // Starts a new batch: drops the last one and decodes the rows of `rows` (ordinals in the row group). Rows must lie
  // in the planned pages and after the rows of the last call. I/O: only pages not fetched yet.
  // Errors: corrupt data, with column and page.
  arrow::Status Read(const RowRanges& rows);

  // The values of the batch. For a leaf below lists, one value for each slot of the innermost list; else one for each
  // row, null where the leaf or a parent is null. Valid once after each Read.
  arrow::Result<std::shared_ptr<arrow::Array>> Values();

  // Levels of the batch; null when the column has none (required, not repeated). Valid until the next Read.
  const int16_t* def_levels() const;
  const int16_t* rep_levels() const;
  int64_t level_count() const { return record_reader_->levels_position(); }
  int64_t row_count() const { return batch_rows_; }

  int leaf() const { return plan_.chunk.leaf; }
  const ChunkPlan& plan() const { return plan_; }
  // What was read; outlives the reader.
  std::shared_ptr<const PageReadState> state() const { return state_; }

 private:
  LeafReader() = default;
  arrow::Status ReadUnchecked(const RowRanges& rows);
  arrow::Status MoveTo(int64_t row);
  arrow::Status Place(arrow::Status status) const;

  const Footer* footer_ = nullptr;
  ChunkPlan plan_;
  std::shared_ptr<arrow::DataType> type_;
  bool nullable_ = true;
  std::shared_ptr<PageReadState> state_;
  SelectedPageReader* pages_ = nullptr;  // owned by record_reader_
  std::shared_ptr<::parquet::internal::RecordReader> record_reader_;
  int64_t row_ = 0;
  int64_t batch_rows_ = 0;
  bool values_pending_ = false;  // read, and not taken by Values
};

}  // namespace frazil::parquet
