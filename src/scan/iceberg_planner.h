// SPDX-License-Identifier: Apache-2.0
//
// Planning a scan of an Iceberg table: manifest list, manifests, data files, with the deletes that are about each. It
// streams, in the order of the manifests: they are decoded, and data files opened, on several threads, a bounded
// distance ahead of what is handed out; with a limit on the rows nothing is read ahead. The manifests of deletes are
// all read before the first data file.
// Source: Iceberg table specification, "Scan Planning".
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <arrow/result.h>

#include "src/iceberg/delete_index.h"
#include "src/scan/delete_files.h"
#include "src/scan/manifest_scan.h"
#include "src/scan/read_ahead.h"

namespace frazil::scan {

class IcebergPlanner {
 public:
  IcebergPlanner(std::shared_ptr<const IcebergTable> table, std::shared_ptr<const TableBinding> binding,
                 std::shared_ptr<const ScanContext> context);

  // The next data file that may hold a match, opened and planned; null after the last. Errors name the file.
  arrow::Result<std::shared_ptr<FileScan>> Next();
  // The same, not opened; unset after the last. A planner is asked for the one or for the other.
  arrow::Result<std::optional<DataFile>> NextDataFile();
  // The delete files that apply to it, unread; valid as long as the planner.
  arrow::Result<std::vector<const iceberg::DeleteFile*>> DeletesOf(const DataFile& file) const;
  // All deletes of the snapshot that may apply to something; known once a data file was asked for.
  const iceberg::DeleteIndex& deletes() const { return deletes_; }

 private:
  using FilesAhead = ReadAhead<std::shared_ptr<FileScan>>;
  using ManifestsAhead = ReadAhead<std::vector<DataFile>>;

  arrow::Status Begin();
  arrow::Status ReadDeletes();
  // The next manifest of this content that may hold matches; null after the last.
  arrow::Result<const iceberg::ManifestFile*> NextManifest(iceberg::ManifestContent content, size_t* next);
  arrow::Result<std::shared_ptr<FileScan>> Open(const DataFile& file);
  int threads_ahead() const;

  std::shared_ptr<const IcebergTable> table_;
  std::shared_ptr<const TableBinding> binding_;
  std::shared_ptr<const ScanContext> context_;
  ManifestScan manifest_scan_;
  bool begun_ = false;
  std::vector<iceberg::ManifestFile> manifests_;
  size_t next_manifest_ = 0;
  iceberg::DeleteIndex deletes_;
  DeleteFiles delete_files_;
  std::vector<DataFile> files_;  // of the manifest that was decoded last
  size_t next_file_ = 0;
  // Last: what runs ahead ends before the rest is gone.
  ManifestsAhead manifests_ahead_;
  FilesAhead files_ahead_;
};

}  // namespace frazil::scan
