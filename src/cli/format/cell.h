// SPDX-License-Identifier: Apache-2.0
//
// CellAppender: the text of one column of one batch, cell by cell. Made once a batch, it knows the column's type, so
// that a row costs one virtual call a column: no scalar is made, nothing is allocated but the output's own growth.
//
//   auto cell = MakeCellAppender(batch->column(0), {CellStyle::kCsv});
//   (*cell)->AppendCell(row, line);
//
// Dictionary-encoded, run-end-encoded and extension arrays show the values they stand for; a UUID shows its canonical
// text, any other extension its storage. Structs are JSON objects, lists JSON arrays, maps JSON arrays of
// [key, value] pairs, in every style.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/array.h>
#include <arrow/result.h>
#include <arrow/type.h>

namespace frazil::cli {

enum class CellStyle {
  kJson,  // a JSON value; null is null
  kCsv,   // a field of RFC 4180; null is nothing, an empty text is ""
  kText,  // raw text for people; null is NULL; control characters are the caller's business
};

struct CellOptions {
  CellStyle style = CellStyle::kJson;
  // Where a cell may stop: a longer text is cut somewhere behind this many bytes, even in mid-value. For previews.
  size_t cell_bytes_max = static_cast<size_t>(-1);
};

class CellAppender {
 public:
  virtual ~CellAppender() = default;

  // REQUIRES: 0 <= row < length of the array.
  virtual void AppendCell(int64_t row, std::string& out) = 0;
  // True when the value itself is null, also behind a dictionary.
  virtual bool IsNull(int64_t row) const { return !IsValidAt(row); }

 protected:
  CellAppender(std::shared_ptr<arrow::Array> array, CellStyle style);

  // By the array's own validity bitmap.
  bool IsValidAt(int64_t row) const {
    if (validity_ == nullptr) return true;
    const int64_t bit = row + bit_offset_;
    return (validity_[bit >> 3] >> (bit & 7) & 1) != 0;
  }
  void AppendNull(std::string& out) const { out += null_text_; }

 private:
  std::shared_ptr<arrow::Array> array_;  // keeps the buffers alive
  const uint8_t* validity_;
  int64_t bit_offset_;
  std::string_view null_text_;
};

// Errors: unsupported for a type that CheckPrintable refuses.
arrow::Result<std::unique_ptr<CellAppender>> MakeCellAppender(const std::shared_ptr<arrow::Array>& array,
                                                              const CellOptions& options);

// One appender for each column of a batch.
arrow::Result<std::vector<std::unique_ptr<CellAppender>>> MakeCellAppenders(const arrow::RecordBatch& batch,
                                                                            const CellOptions& options);

// Whether columns of this type have a text. Errors: unsupported for unions, decimals of absurd scale and types nested
// more than kTypeDepthMax deep.
inline constexpr int kTypeDepthMax = 128;
arrow::Status CheckPrintable(const arrow::DataType& type);
// The same for each field; the error names the column.
arrow::Status CheckPrintable(const arrow::Schema& schema);

}  // namespace frazil::cli
