// SPDX-License-Identifier: Apache-2.0
//
// Reading delete files: each once for all data files that it is about, when the first of them is planned.
// Thread safety: all calls may be made from several threads at once; who needs a file that is being read waits for it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <arrow/result.h>

#include "src/iceberg/delete_index.h"
#include "src/scan/file_scan.h"
#include "src/scan/iceberg_binding.h"
#include "src/scan/iceberg_table.h"

namespace frazil::scan {

class DeleteFiles {
 public:
  DeleteFiles(std::shared_ptr<const IcebergTable> table, std::shared_ptr<const ScanContext> context)
      : table_(std::move(table)), context_(std::move(context)) {}

  // Takes the deleted rows out of what is to be read of a data file: into its deleted rows, its filter.
  arrow::Status Apply(const std::vector<const iceberg::DeleteFile*>& files, DataFileFacts* data);

  // The rows of the data file that position deletes or a vector take away. Errors name the delete file.
  arrow::Result<RowRanges> DeletedRows(const iceberg::DeleteFile& file, const std::string& data_location);

  // Adds to `filter` (over the table, BoundColumn::ref is the field id) that no row of the equality delete file equals
  // the row: null equals null. Errors name the delete file.
  arrow::Status KeepOthers(const iceberg::DeleteFile& file, expr::BoundFilter* filter);

 private:
  using Tuple = std::vector<std::optional<expr::Key>>;
  struct EqualityDeletes {
    std::vector<int> field_ids;
    std::vector<iceberg::Type> types;
    std::vector<Tuple> tuples;  // sorted, without duplicates
  };
  // Rows by the path part of the data file's location, then by the whole.
  using Positions = std::map<std::string, std::map<std::string, RowRanges>, std::less<>>;

  using OnBatch = std::function<arrow::Status(const arrow::RecordBatch&)>;
  arrow::Status ReadColumns(const iceberg::DeleteFile& file, const iceberg::Schema& columns,
                            const iceberg::NameMapping* mapping, const OnBatch& on_batch);
  arrow::Result<RowRanges> ReadVector(const iceberg::DeleteFile& file);
  arrow::Result<Positions> ReadPositions(const iceberg::DeleteFile& file);
  arrow::Result<EqualityDeletes> ReadEquality(const iceberg::DeleteFile& file);

  std::shared_ptr<const IcebergTable> table_;
  std::shared_ptr<const ScanContext> context_;
  // What a delete file holds, or why it could not be read; made by who asks first.
  template <typename T>
  struct Once {
    std::once_flag flag;
    arrow::Result<T> content = arrow::Status::UnknownError("");
  };
  template <typename T>
  using ByFile = std::map<const iceberg::DeleteFile*, Once<T>>;
  template <typename T>
  const arrow::Result<T>& Read(const iceberg::DeleteFile& file, ByFile<T>* files,
                               arrow::Result<T> (DeleteFiles::*read)(const iceberg::DeleteFile&));

  std::mutex mutex_;  // over the maps, not over what they hold
  ByFile<Positions> positions_;
  ByFile<EqualityDeletes> equality_;
};

}  // namespace frazil::scan
