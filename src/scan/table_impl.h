// SPDX-License-Identifier: Apache-2.0
//
// What a Table holds.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "frazil/table.h"
#include "src/io/stores.h"
#include "src/io/trace.h"
#include "src/scan/iceberg_table.h"
#include "src/scan/open_file.h"

namespace frazil {

struct Table::Impl {
  std::vector<std::shared_ptr<ByteSource>> sources;
  // Files opened by their addresses, in place of the sources: when they are read, for a descriptor each is too many.
  std::shared_ptr<io::Stores> stores;
  std::vector<io::StoredFile> files;
  scan::OpenedFile first;
  // Set: the table is this one, and has no sources.
  std::shared_ptr<const scan::IcebergTable> iceberg;
  std::shared_ptr<arrow::Schema> iceberg_schema;
  // The requests that opening made; the first scan counts them as its own.
  std::vector<io::TraceEntry> opening;
  mutable std::atomic<bool> opening_counted{false};

  size_t file_count() const { return std::max(sources.size(), files.size()); }
  arrow::Result<std::shared_ptr<ByteSource>> Open(size_t file) const {
    if (file < sources.size()) return sources[file];
    return stores->Open(files[file].address, files[file].size_bytes);
  }
};

}  // namespace frazil
