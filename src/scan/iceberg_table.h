// SPDX-License-Identifier: Apache-2.0
//
// Opening an Iceberg table: from an address to the table's metadata, and to the snapshot that is asked for.
//
//   a folder          the one with metadata/ in it: its current metadata file (iceberg/catalog/folder.h)
//   *.metadata.json   that file (also .gz); also one of a store, whose folders are not looked into
//   a name            what the catalog says (catalog_address.h)
// Source: Iceberg table specification, "File System Tables", "Metastore Tables".
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>

#include "frazil/table.h"
#include "src/iceberg/location.h"
#include "src/iceberg/manifest.h"
#include "src/iceberg/manifest_list.h"
#include "src/iceberg/metadata.h"
#include "src/iceberg/name_mapping.h"
#include "src/iceberg/partition_type.h"
#include "src/io/range_reader.h"
#include "src/io/stores.h"
#include "src/scan/catalog_address.h"

namespace frazil::scan {

struct IcebergTable {
  std::string metadata_address;  // of the metadata file
  iceberg::TableMetadata metadata;
  iceberg::LocationMap locations;
  // That its files are read from, with the credentials that its catalog gave.
  std::shared_ptr<io::Stores> stores = std::make_shared<io::Stores>();
  const iceberg::Snapshot* snapshot = nullptr;  // null: the table is empty
  iceberg::Schema schema;                       // that goes with the snapshot
  // `schema`, and behind it the columns that only other schemas of the table have: equality deletes may be by them.
  iceberg::Schema schema_with_dropped;
  std::optional<iceberg::NameMapping> name_mapping;
  iceberg::PartitionType partition_type;  // of _partition
};

// Whether the address is that of an Iceberg table. Looks at names only.
bool IsIcebergAddress(const std::string& address);

// Reads the metadata file; its requests go to `trace`. Errors name the file.
arrow::Result<std::shared_ptr<const IcebergTable>> OpenIcebergTable(const std::string& address,
                                                                    const TableOptions& options,
                                                                    const std::shared_ptr<io::Trace>& trace);

// The manifests of the table's snapshot, in the order of its list; none of a table that is empty. Of version 1 tables
// without a list nothing but the path is known of each, and partition_spec_id is -1.
arrow::Result<std::vector<iceberg::ManifestFile>> ListManifests(const IcebergTable& table,
                                                                const std::shared_ptr<io::Trace>& trace,
                                                                io::ReadBudget budget);

// Key metadata alone say nothing: writers leave them on files that anybody can read. Encrypted Parquet files have a
// magic number of their own, and are refused where they are opened. Error: unsupported.
arrow::Status CheckNotEncrypted(std::string_view bytes, const iceberg::ManifestFile& manifest);

// The spec of a manifest; of one that no list describes (spec_id < 0), what its header says. Error: corrupt.
arrow::Result<const iceberg::PartitionSpec*> SpecOfManifest(const IcebergTable& table, int spec_id,
                                                            const iceberg::ManifestHeader* header);

// The same of a table that a catalog knows. The catalog's requests are not in the trace: they are not made of files.
arrow::Result<std::shared_ptr<const IcebergTable>> OpenCatalogTable(const CatalogAddress& address,
                                                                    const TableOptions& options,
                                                                    const std::shared_ptr<io::Trace>& trace);

// The whole of a file, as one round of requests. `size_bytes` <= 0: not known.
arrow::Result<std::shared_ptr<arrow::Buffer>> ReadWholeFile(io::Stores& stores, const std::string& address,
                                                            int64_t size_bytes, const std::string& purpose,
                                                            const std::shared_ptr<io::Trace>& trace,
                                                            io::ReadBudget budget);

}  // namespace frazil::scan
