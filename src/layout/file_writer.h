// SPDX-License-Identifier: Apache-2.0
//
// Writes one Parquet file: row groups cut by decoded bytes and rows, and the settings of WriteOptions. The encoding and
// the page index are those of Arrow's writer, with its limits: a column of which one page has a bound of more than
// `kBoundBytesMax` gets no column index, and bounds are not truncated.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/io/interfaces.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <parquet/arrow/writer.h>

#include "frazil/rewrite.h"

namespace frazil::layout {

class FileWriter {
 public:
  static constexpr int64_t kBoundBytesMax = 64 << 10;

  // `sorted_by` is written as the sorting columns of every row group. Errors: usage (an unknown column to filter, one
  // whose type can not have a filter, options out of range).
  static arrow::Result<std::unique_ptr<FileWriter>> Open(std::shared_ptr<arrow::Schema> schema,
                                                         std::shared_ptr<arrow::io::OutputStream> sink,
                                                         const WriteOptions& options,
                                                         const std::vector<SortColumn>& sorted_by);

  // Memory: the rows of one row group, and its encoded form.
  arrow::Status Write(std::shared_ptr<arrow::RecordBatch> batch);
  // Writes what is left, and the footer.
  arrow::Status Close();

  int64_t row_count() const { return row_count_; }
  int64_t row_group_count() const { return row_group_count_; }

 private:
  FileWriter() = default;
  arrow::Status WriteRowGroup();

  WriteOptions options_;
  std::shared_ptr<arrow::Schema> schema_;
  std::unique_ptr<::parquet::arrow::FileWriter> writer_;
  std::vector<std::shared_ptr<arrow::RecordBatch>> pending_;
  int64_t pending_bytes_ = 0;
  int64_t pending_rows_ = 0;
  int64_t row_count_ = 0;
  int64_t row_group_count_ = 0;
};

}  // namespace frazil::layout
