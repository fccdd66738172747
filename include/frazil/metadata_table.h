// SPDX-License-Identifier: Apache-2.0
//
// Metadata tables: what the metadata of an Apache Iceberg table say, as rows. Columns are named as those of Iceberg's
// own metadata tables, and have values, not text: partition tuples are structs, bounds have the types of their columns.
//
//   name        a row for each                      reads, beside the metadata file
//   overview    thing worth knowing of the table    nothing
//   snapshots   snapshot                            nothing
//   history     change of the current snapshot      nothing
//   refs        branch and tag                      nothing
//   schemas     field of each schema                nothing
//   specs       field of each partition spec        nothing
//   properties  property                            nothing
//   manifests   manifest of the snapshot            the manifest list
//   files       live file of the snapshot           one manifest after the other, as rows are asked for
//   partitions  partition of the snapshot           every manifest, before the first row
// `files` holds data files and delete files (content 0 data, 1 position deletes and deletion vectors, 2 equality
// deletes). `overview`, `schemas`, `specs` and `properties` are not Iceberg's.
// The snapshot is the one that the table was opened with (TableOptions).
//
//   ARROW_ASSIGN_OR_RAISE(auto table, frazil::Table::Open({"warehouse/sales"}));
//   ARROW_ASSIGN_OR_RAISE(auto rows, frazil::ReadMetadataTable(table, "files", {.columns = {"file_path"}}));
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/record_batch.h>
#include <arrow/result.h>

#include "frazil/table.h"

namespace frazil {

struct MetadataTableOptions {
  // Columns at the top; empty: all. Of `files`, what is not asked for is not decoded.
  std::vector<std::string> columns = {};
  int64_t limit = -1;  // stop after so many rows, and read no manifest more; < 0: no limit
};

// The names above, in that order.
const std::vector<std::string>& MetadataTableNames();

// The rows, streamed: memory is bounded by one manifest and one batch, and of `partitions` by the partitions.
// Errors: usage (unknown name or column, a table that is no Iceberg table); those of reading metadata, which name the
// file.
arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> ReadMetadataTable(std::shared_ptr<const Table> table,
                                                                           std::string_view name,
                                                                           const MetadataTableOptions& options = {});

}  // namespace frazil
