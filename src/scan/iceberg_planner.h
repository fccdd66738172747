// SPDX-License-Identifier: Apache-2.0
//
// Planning a scan of an Iceberg table: manifest list, manifests, data files, with the deletes that are about each. It
// streams: a manifest is read when the files of those before it have been handed out, so that a limit stops planning;
// only the manifests of deletes are read at once, before the first file.
// Source: Iceberg table specification, "Scan Planning".
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/result.h>

#include "src/iceberg/delete_index.h"
#include "src/iceberg/partition_tuple.h"
#include "src/scan/delete_files.h"
#include "src/scan/file_scan.h"
#include "src/scan/iceberg_binding.h"
#include "src/scan/iceberg_table.h"

namespace frazil::scan {

class IcebergPlanner {
 public:
  IcebergPlanner(std::shared_ptr<const IcebergTable> table, std::shared_ptr<const TableBinding> binding,
                 std::shared_ptr<const ScanContext> context);

  // The next data file that may hold a match, opened and planned; null after the last. Errors name the file.
  arrow::Result<std::shared_ptr<FileScan>> Next();

 private:
  // A partition spec, and the filter in its terms.
  struct SpecFilter {
    iceberg::PartitionSpec spec;
    expr::BoundFilter projected;
  };
  // A data file that is left, not opened yet.
  struct DataFile {
    std::string location;
    int64_t size_bytes = 0;
    const SpecFilter* spec = nullptr;
    std::string scope;
    iceberg::IdentityValues identity_values;
    std::optional<int64_t> sequence_number;
    expr::Predicate residual;  // over the columns of the table's filter
  };

  arrow::Status Begin();
  arrow::Status ListManifests();
  arrow::Status ReadDeletes();
  bool MayMatch(const iceberg::ManifestFile& manifest, const SpecFilter& spec);
  void SkipManifest(const iceberg::ManifestFile& manifest);
  arrow::Result<const SpecFilter*> SpecOf(int spec_id, const iceberg::ManifestHeader* header);
  arrow::Status ReadDataManifest(const iceberg::ManifestFile& manifest);
  arrow::Status ReadDataEntries(std::string_view bytes, const iceberg::ManifestFile& manifest);
  arrow::Status ReadDeleteEntries(std::string_view bytes, const iceberg::ManifestFile& manifest);
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadFile(const std::string& location, int64_t size_bytes,
                                                         const char* purpose);
  arrow::Result<std::shared_ptr<FileScan>> Plan(const DataFile& file);
  io::ReadBudget budget() const { return {context_->options.bytes_max, context_->options.requests_max}; }

  std::shared_ptr<const IcebergTable> table_;
  std::shared_ptr<const TableBinding> binding_;
  std::shared_ptr<const ScanContext> context_;
  bool begun_ = false;
  std::vector<iceberg::ManifestFile> manifests_;
  size_t next_manifest_ = 0;
  std::deque<DataFile> files_;
  std::map<int, SpecFilter> specs_;
  iceberg::DeleteIndex deletes_;
  DeleteFiles delete_files_;
};

}  // namespace frazil::scan
