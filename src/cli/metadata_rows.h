// SPDX-License-Identifier: Apache-2.0
//
// A small table of metadata: rows of text, numbers and truth values, built row by row and given out as one
// Arrow batch, so that it prints in every format that rows of data do.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <arrow/record_batch.h>
#include <arrow/result.h>

#include "src/cli/format/writer.h"

namespace frazil::cli {

class MetadataRows {
 public:
  using Cell = std::variant<std::monostate, int64_t, std::string, bool>;

  enum class Kind { kText, kNumber, kBool };
  struct Column {
    std::string name;
    Kind kind = Kind::kText;
  };

  explicit MetadataRows(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // REQUIRES: one cell a column, of the column's kind or std::monostate (null).
  void Add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> ToBatch() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

// Prints every row to standard output.
arrow::Status PrintRows(const MetadataRows& rows, Format format);

// A count as a cell; null when unknown.
inline MetadataRows::Cell CellOf(const std::optional<int64_t>& value) {
  return value ? MetadataRows::Cell(*value) : MetadataRows::Cell();
}

}  // namespace frazil::cli
