// SPDX-License-Identifier: Apache-2.0
//
// Opening an Iceberg table: from an address to the table's metadata, and to the snapshot that is asked for.
//
//   a folder          the one with metadata/ in it. The file that metadata/version-hint.text names, or a newer one that
//                     follows it (vN.metadata.json, vN.gz.metadata.json, vN.metadata.json.gz); without a usable hint,
//                     the file of the greatest version
//   *.metadata.json   that file (also .gz); also one of a store, whose folders are not looked into
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
#include "src/io/range_reader.h"
#include "src/io/stores.h"

namespace frazil::scan {

struct IcebergTable {
  std::string metadata_address;  // of the metadata file
  iceberg::TableMetadata metadata;
  iceberg::LocationMap locations;
  std::shared_ptr<io::Stores> stores;           // that its files are read from
  const iceberg::Snapshot* snapshot = nullptr;  // null: the table is empty
  iceberg::Schema schema;                       // that goes with the snapshot
  // `schema`, and behind it the columns that only other schemas of the table have: equality deletes may be by them.
  iceberg::Schema schema_with_dropped;
  std::optional<iceberg::NameMapping> name_mapping;
};

// Whether the address is that of an Iceberg table. Looks at names only.
bool IsIcebergAddress(const std::string& address);

// Reads the metadata file; its requests go to `trace`. Errors name the file.
arrow::Result<std::shared_ptr<const IcebergTable>> OpenIcebergTable(const std::string& address,
                                                                    const TableOptions& options,
                                                                    const std::shared_ptr<io::Trace>& trace);

// The whole of a file, as one round of requests. `size_bytes` <= 0: not known.
arrow::Result<std::shared_ptr<arrow::Buffer>> ReadWholeFile(io::Stores& stores, const std::string& address,
                                                            int64_t size_bytes, const std::string& purpose,
                                                            const std::shared_ptr<io::Trace>& trace,
                                                            io::ReadBudget budget);

}  // namespace frazil::scan
