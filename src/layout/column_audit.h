// SPDX-License-Identifier: Apache-2.0
//
// Collects what footers and page indexes say of one column, file by file.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <arrow/result.h>

#include "frazil/audit.h"
#include "src/expr/number.h"
#include "src/io/range_reader.h"
#include "src/layout/clustering.h"
#include "src/parquet/footer.h"
#include "src/parquet/page_index.h"

namespace frazil::layout {

class ColumnCollector {
 public:
  explicit ColumnCollector(std::string path) { figures_.column = std::move(path); }

  const std::string& path() const { return figures_.column; }

  // The column's chunks of one file. The page indexes were fetched by `reader`. Errors: a damaged footer.
  arrow::Status AddFile(const parquet::Footer& footer, int leaf, const io::RangeReader& reader);

  // The figures, with medians and clustering. Call once, at the end.
  ColumnAudit Finish();

  // Reasons why page indexes could not be used, and of how many chunks.
  const std::map<std::string, int64_t>& unusable() const { return unusable_; }

 private:
  template <typename Key>
  struct AllBounds {
    BoundsList<Key> files, row_groups, pages;
  };

  arrow::Status AddChunk(const parquet::Footer& footer, int row_group, const parquet::ColumnChunk& chunk,
                         const parquet::BoundsDecoder& decoder, const io::RangeReader& reader);
  void AddEncodings(const parquet::ColumnChunk& chunk);
  void AddPages(const parquet::OffsetIndex& offsets, const parquet::ColumnIndex& index, bool bytes_keys);
  void AddAlike(const parquet::ColumnIndex& index);

  ColumnAudit figures_;
  AllBounds<expr::Int128> numbers_;
  AllBounds<std::string> texts_;
  std::vector<int64_t> page_rows_;
  std::vector<int64_t> page_bytes_;
  std::map<std::string, int64_t> unusable_;
};

}  // namespace frazil::layout
