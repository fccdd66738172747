// SPDX-License-Identifier: Apache-2.0
//
// One manifest of a scan: from its bytes to the data files that may hold a match, or to its delete files. Judged are
// the summaries in the manifest list, then the partition tuple of each entry, then the metrics of the filter's columns;
// of an entry that its tuple excludes no metrics are decoded.
// Source: Iceberg table specification, "Scan Planning".
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <arrow/result.h>

#include "src/iceberg/delete_index.h"
#include "src/iceberg/partition_residual.h"
#include "src/iceberg/partition_tuple.h"
#include "src/prune/file_metrics.h"
#include "src/scan/file_scan.h"
#include "src/scan/iceberg_binding.h"
#include "src/scan/iceberg_table.h"

namespace frazil::scan {

// A partition spec, and the filter in its terms; made once for all manifests of the spec.
struct SpecFilter {
  SpecFilter(const iceberg::PartitionSpec& of, const iceberg::Schema& schema, const expr::BoundFilter& filter);

  iceberg::PartitionSpec spec;
  expr::BoundFilter projected;
  iceberg::TupleFilter tuples;
};

// A data file that is left, not opened yet.
struct DataFile {
  std::string location;
  const SpecFilter* spec = nullptr;
  std::string scope;  // spec and tuple, where the snapshot has deletes
  iceberg::IdentityValues identity_values;
  std::optional<int64_t> sequence_number;
  std::shared_ptr<const expr::Predicate> residual;  // over the columns of the table's filter
  int64_t size_bytes = 0;                           // as the manifest has it
  int64_t record_count = -1;                        // likewise; -1: not known
  std::optional<int64_t> file_sequence_number;
  std::optional<int64_t> first_row_id;
  std::vector<std::optional<std::string>> partition;  // parallel to the fields of _partition, when it is used
  int64_t row_count = -1;  // when only rows are counted, and nothing contradicts what the manifest says
};

// Thread safety: all calls may be made from several threads at once.
class ManifestScan {
 public:
  ManifestScan(std::shared_ptr<const IcebergTable> table, std::shared_ptr<const TableBinding> binding,
               std::shared_ptr<const ScanContext> context);

  // Whether a manifest may hold files with matches, by what the list says of it. Counts data manifests.
  arrow::Result<bool> MayMatch(const iceberg::ManifestFile& manifest);

  // The data files that may hold a match, in the order of the manifest. `with_scopes`: for finding their deletes.
  // I/O: the manifest, as one request. Errors name the manifest, or the data file.
  arrow::Result<std::vector<DataFile>> DataFiles(const iceberg::ManifestFile& manifest, bool with_scopes);
  // Likewise, the delete files, all of them.
  arrow::Result<std::vector<iceberg::DeleteFile>> DeleteFiles(const iceberg::ManifestFile& manifest);

 private:
  arrow::Result<const SpecFilter*> SpecOf(int spec_id, const iceberg::ManifestHeader* header);
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadManifest(const iceberg::ManifestFile& manifest);
  arrow::Result<std::vector<DataFile>> DataEntries(std::string_view bytes, const iceberg::ManifestFile& manifest,
                                                   bool with_scopes);
  arrow::Result<std::vector<std::optional<std::string>>> PartitionOf(const iceberg::PartitionSpec& spec,
                                                                     const iceberg::TupleReader& tuples,
                                                                     const iceberg::ManifestEntry& entry) const;
  arrow::Result<std::vector<iceberg::DeleteFile>> DeleteEntries(std::string_view bytes,
                                                                const iceberg::ManifestFile& manifest);

  std::shared_ptr<const IcebergTable> table_;
  std::shared_ptr<const TableBinding> binding_;
  std::shared_ptr<const ScanContext> context_;
  prune::FileMetricsJudge metrics_;
  iceberg::AvroSchemas schemas_;
  std::mutex mutex_;
  std::map<int, std::unique_ptr<const SpecFilter>> specs_;  // guarded by mutex_; what they point to stays
};

}  // namespace frazil::scan
