// SPDX-License-Identifier: Apache-2.0
//
// What a Table holds.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "frazil/table.h"
#include "src/io/trace.h"
#include "src/scan/iceberg_table.h"
#include "src/scan/open_file.h"

namespace frazil {

struct Table::Impl {
  std::vector<std::shared_ptr<ByteSource>> sources;
  scan::OpenedFile first;
  // Set: the table is this one, and has no sources.
  std::shared_ptr<const scan::IcebergTable> iceberg;
  std::shared_ptr<arrow::Schema> iceberg_schema;
  // The requests that opening made; the first scan counts them as its own.
  std::vector<io::TraceEntry> opening;
  mutable std::atomic<bool> opening_counted{false};
};

}  // namespace frazil
