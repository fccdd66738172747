// SPDX-License-Identifier: Apache-2.0
//
// Opening an Iceberg table: from an address to the table's metadata, and to the snapshot that is asked for.
//
//   a folder          the one with metadata/ in it: its current metadata file (iceberg/catalog/folder.h)
//   *.metadata.json   that file (also .gz)
//   a name            what the catalog says (catalog_address.h)
// Source: Iceberg table specification, "File System Tables", "Metastore Tables".
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/result.h>

#include "frazil/table.h"
#include "src/iceberg/location.h"
#include "src/iceberg/metadata.h"
#include "src/iceberg/name_mapping.h"
#include "src/iceberg/partition_type.h"
#include "src/io/range_reader.h"
#include "src/scan/catalog_address.h"

namespace frazil::scan {

struct IcebergTable {
  std::string metadata_address;  // of the metadata file
  iceberg::TableMetadata metadata;
  iceberg::LocationMap locations;
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

// The same of a table that a catalog knows. The catalog's requests are not in the trace: they are not made of files.
arrow::Result<std::shared_ptr<const IcebergTable>> OpenCatalogTable(const CatalogAddress& address,
                                                                    const TableOptions& options,
                                                                    const std::shared_ptr<io::Trace>& trace);

// The whole of a local file, as one round of requests.
arrow::Result<std::shared_ptr<arrow::Buffer>> ReadWholeFile(const std::string& address, const std::string& purpose,
                                                            const std::shared_ptr<io::Trace>& trace,
                                                            io::ReadBudget budget);

}  // namespace frazil::scan
