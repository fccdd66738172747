// SPDX-License-Identifier: Apache-2.0
//
// The metadata tables of an Iceberg table, batch by batch. See frazil/metadata_table.h.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <arrow/type.h>

#include "src/scan/iceberg_table.h"

namespace frazil::scan {

// A metadata table that is under way. `next` gives null after the last batch.
struct MetadataRows {
  std::shared_ptr<arrow::Schema> schema;
  std::function<arrow::Result<std::shared_ptr<arrow::RecordBatch>>()> next;
};

// Of one batch.
MetadataRows OneBatch(std::shared_ptr<arrow::RecordBatch> batch);

// What the metadata file alone tells: snapshots, history, refs, schemas, specs, properties, overview.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> SnapshotRows(const IcebergTable& table);
arrow::Result<std::shared_ptr<arrow::RecordBatch>> HistoryRows(const IcebergTable& table);
arrow::Result<std::shared_ptr<arrow::RecordBatch>> RefRows(const IcebergTable& table);
arrow::Result<std::shared_ptr<arrow::RecordBatch>> SchemaRows(const IcebergTable& table);
arrow::Result<std::shared_ptr<arrow::RecordBatch>> SpecRows(const IcebergTable& table);
arrow::Result<std::shared_ptr<arrow::RecordBatch>> PropertyRows(const IcebergTable& table);
arrow::Result<std::shared_ptr<arrow::RecordBatch>> OverviewRows(const IcebergTable& table);

// What the manifest list tells.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> ManifestRows(const IcebergTable& table,
                                                                const std::shared_ptr<io::Trace>& trace);

// What the manifests tell. `columns`: the names that are asked for, empty: all; others are null. `limit`: rows, and
// manifests, that nobody wants are not read; < 0: none.
arrow::Result<MetadataRows> FileRows(std::shared_ptr<const IcebergTable> table, std::shared_ptr<io::Trace> trace,
                                     const std::vector<std::string>& columns, int64_t limit);
arrow::Result<MetadataRows> PartitionRows(std::shared_ptr<const IcebergTable> table, std::shared_ptr<io::Trace> trace);

}  // namespace frazil::scan
