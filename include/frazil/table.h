// SPDX-License-Identifier: Apache-2.0
//
// Table and Scan: the way in. A table is one or more Parquet files with the same columns, or an Apache Iceberg table; a
// scan reads the rows that a filter accepts, and only the manifests, files and pages that can hold them.
//
//   ARROW_ASSIGN_OR_RAISE(auto table, frazil::Table::Open({"events.parquet"}));
//   ARROW_ASSIGN_OR_RAISE(auto reader, table->NewScan().Filter("event_id = 42").Select({"amount"}).ToReader());
//   std::shared_ptr<arrow::RecordBatch> batch;
//   while (reader->ReadNext(&batch).ok() && batch) { ... }
//
// The answer is exactly that of a full read with the filter applied, rows in file order, whatever was skipped. Files of
// an Iceberg table come in the order of its manifests.
// Filters are text in the language of docs/reference/filters.md. Errors: frazil/error.h.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <arrow/type.h>

#include "frazil/byte_source.h"
#include "frazil/report.h"

namespace frazil {

// A skipping level, for switching it off.
enum class Level {
  // Of Iceberg tables:
  kManifest,     // partition summaries in the manifest list
  kPartition,    // partition values of data files
  kFileMetrics,  // counts and bounds of columns in manifests
  kDeleteFiles,  // paths in delete files that are about other data files
  // Of Parquet files:
  kFile,        // constants of the file: _file
  kRowGroup,    // footer statistics
  kBloom,       // bloom filters
  kPageIndex,   // column index and offset index; _pos; reading single pages
  kDictionary,  // dictionary pages of column chunks that are wholly dictionary-encoded
  kTwoStages,   // filter columns first, then only the pages that still hold rows
};

// "row-group" and so on; error (usage) naming the levels.
arrow::Result<Level> ParseLevel(std::string_view name);
const char* LevelName(Level level);
const std::vector<Level>& AllLevels();
// Those that Parquet files have without an Iceberg table around them.
const std::vector<Level>& FileLevels();

struct ScanOptions {
  // --- These change which rows come, or how many. ---
  std::string filter;                // empty: all rows
  std::vector<std::string> columns;  // paths; empty: all columns. _pos and _file may be named
  int64_t limit = -1;                // stop after so many rows; < 0: no limit

  // --- These change cost only, never the answer. ---
  std::vector<Level> disabled_levels;
  int threads = 0;                 // 0: as many as the machine has
  int64_t batch_rows = 128 << 10;  // rows of an Arrow batch, at most
  int64_t batch_bytes = 32 << 20;  // estimated bytes of an Arrow batch; at least one row
  int64_t unit_bytes = 1 << 20;    // encoded bytes that one thread decodes in one go, about; less uses one thread
  // Fetched and decoded bytes allocated at once, about; bounds read-ahead and batches. At least one row group's
  // dictionaries, one page of each column and one row are held, whatever the budget. Resident memory is more:
  // allocators keep some of what is given back.
  int64_t memory_bytes = 1 << 30;
  bool verify_checksums = false;  // check page CRCs where the file has them
  int64_t bytes_max = 0;          // stop with an error (kind budget) before reading more; 0: no limit
  int64_t requests_max = 0;
};

// Which snapshot of an Iceberg table is read, where its files are, and how stores are reached. For other tables, all
// but the last must be unset.
struct TableOptions {
  // At most one of these; none: the current snapshot.
  std::optional<int64_t> snapshot_id;
  std::optional<std::string> ref;   // a branch or a tag
  std::optional<int64_t> as_of_ms;  // since 1970-01-01 UTC: what was the current snapshot then

  // A table that was copied elsewhere: locations in its metadata that begin with the first are read from the second.
  // The longest one that fits is taken. One without scheme and host fits locations of any.
  std::vector<std::pair<std::string, std::string>> rewrite_locations;

  // Catalogs by name, with their properties (docs/reference/catalogs.md), for addresses that name a table in one. They
  // replace what .pyiceberg.yaml and PYICEBERG_CATALOG__... in the environment say, property by property.
  std::map<std::string, std::map<std::string, std::string>> catalogs;

  // How stores are reached, by pyiceberg's names: s3.endpoint, s3.region, s3.access-key-id, ...
  // (docs/reference/stores.md). What is not said here comes from the environment, as for the AWS tools. They hold for
  // files and tables.
  std::map<std::string, std::string> properties;
};

class Table;

// A scan in the making: a value, copied freely. The calls that run it may be made any number of times.
class Scan {
 public:
  Scan& Filter(std::string text) {
    options_.filter = std::move(text);
    return *this;
  }
  Scan& Select(std::vector<std::string> columns) {
    options_.columns = std::move(columns);
    return *this;
  }
  Scan& Limit(int64_t rows) {
    options_.limit = rows;
    return *this;
  }
  Scan& Threads(int threads) {
    options_.threads = threads;
    return *this;
  }
  Scan& Disable(Level level) {
    options_.disabled_levels.push_back(level);
    return *this;
  }
  ScanOptions& options() { return options_; }
  const ScanOptions& options() const { return options_; }

  // Streams the rows. Reading happens as batches are asked for, a bounded distance ahead. When `report` is given, it
  // is filled in when the reader ends or is closed.
  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> ToReader(std::shared_ptr<ScanReport> report = nullptr) const;

  // The number of rows, reading as little as the filter allows: nothing but footers and indexes where they prove it.
  arrow::Result<int64_t> Count(ScanReport* report = nullptr) const;

  // Plans without reading any data page.
  arrow::Result<ScanReport> Explain() const;

 private:
  friend class Table;
  Scan(std::shared_ptr<const Table> table, ScanOptions options)
      : table_(std::move(table)), options_(std::move(options)) {}

  std::shared_ptr<const Table> table_;
  ScanOptions options_;
};

// Files to read together. Immutable; may be used from several threads.
class Table : public std::enable_shared_from_this<Table> {
 public:
  ~Table();

  // Local paths, globs (* ? [..] and ** for folders) and folders (every *.parquet below, hidden names skipped), sorted
  // by name within each address. Reads one footer, for the schema. Errors: not found (also when a glob matches
  // nothing).
  // Files of stores: s3://BUCKET/KEY, http://, https://. Of S3 also globs, and folders, which end with a slash; only
  // these are listed.
  // Or one Iceberg table: its folder (the one with metadata/ in it) or one of its metadata files (*.metadata.json).
  // Reads the metadata file. Of a folder, the one that version-hint.text names, or the newest. Or its name in a
  // catalog, catalog.namespace.table, when no file is called so; the catalog is asked once, here.
  static arrow::Result<std::shared_ptr<Table>> Open(const std::vector<std::string>& addresses,
                                                    const TableOptions& options = {});
  // Files from anywhere.
  static arrow::Result<std::shared_ptr<Table>> OpenSources(std::vector<std::shared_ptr<ByteSource>> sources);

  // The schema of the first file: what pyarrow gives for it. Of an Iceberg table, the one that goes with the snapshot.
  const std::shared_ptr<arrow::Schema>& schema() const;
  // 0 for an Iceberg table: a scan counts its files.
  int file_count() const;

  Scan NewScan() const;

  // Internal: the byte sources and the first file's footer.
  struct Impl;
  const Impl& impl() const { return *impl_; }

 private:
  Table();
  std::unique_ptr<Impl> impl_;
};

}  // namespace frazil
