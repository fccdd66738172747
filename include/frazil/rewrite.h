// SPDX-License-Identifier: Apache-2.0
//
// Writing Parquet files whose rows are cheap to look up: sorted, with a page index, with bloom filters where wanted.
//
//   RewriteOptions options;
//   options.sort = {{.column = "customer_id"}, {.column = "at", .descending = true}};
//   options.write.bloom_columns = {"order_id"};
//   ARROW_ASSIGN_OR_RAISE(const auto table, Table::Open({"orders/"}));
//   ARROW_ASSIGN_OR_RAISE(const RewriteReport report, Rewrite(table->NewScan(), "sorted.parquet", options));
//
// Crash-safe: the file appears under its name when it is whole, and not before; what it replaces is there until then.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <arrow/result.h>

#include "frazil/report.h"
#include "frazil/table.h"

namespace frazil {

// A column to sort by. Numbers by value, floating-point ones in the total order of IEEE 754 (-NaN first, -0 before 0,
// NaN last), text and binary by unsigned bytes, false before true: the order of Iceberg's sort orders.
struct SortColumn {
  std::string column;  // a path: a field of a struct by dots, quoted when odd
  bool descending = false;
  bool nulls_first = true;  // whatever the direction
};

// How the file is written. Defaults are those of Iceberg's table properties of the same name (write.parquet.*).
struct WriteOptions {
  int64_t row_group_bytes = 128 << 20;  // of decoded rows, about: memory holds as much, twice
  int64_t row_group_rows = 0;           // at most; 0: no limit but the bytes
  int64_t page_bytes = 1 << 20;         // encoded, before compression
  int64_t page_rows = 20'000;
  int64_t dictionary_bytes = 2 << 20;      // of a column chunk's dictionary; 0: no dictionaries
  int page_version = 1;                    // 1 or 2
  std::string codec = "zstd";              // uncompressed, snappy, gzip, brotli, lz4, zstd
  int codec_level = 0;                     // 0: the codec's default
  bool checksums = false;                  // a CRC in every page
  std::vector<std::string> bloom_columns;  // paths of leaves that get a bloom filter in every row group
  double bloom_fpp = 0.01;                 // false-positive probability wanted of each
};

struct RewriteOptions {
  std::vector<SortColumn> sort;  // empty: the order of the source
  WriteOptions write;
  bool overwrite = false;            // an existing file is replaced; else it is an error (kind conflict)
  int64_t memory_bytes = 512 << 20;  // for sorting; more rows than that are sorted in runs on disk
  std::string spill_folder;          // for those runs; empty: TMPDIR, or /tmp
};

struct RewriteReport {
  int64_t rows = 0;
  int64_t row_groups = 0;
  int64_t bytes_written = 0;  // of the file
  int64_t runs_spilled = 0;   // 0: sorted in memory
  int64_t bytes_spilled = 0;
  int64_t elapsed_ns = 0;
  ScanReport scan;  // of the reading
};

// Sets the option that an Iceberg property names: "write.parquet.page-row-limit" and so on, the prefix may be left out.
// Errors: usage, for a name that is none (with near matches) and a value that it can not take.
arrow::Status SetWriteOption(const std::string& name, const std::string& value, WriteOptions* options);

// Writes the rows of `scan` to one file at the local path `destination`; its folder must exist. Equal rows keep the
// source's order. Field ids and the source's schema metadata are kept.
// Memory: memory_bytes when sorting, and two row groups. Disk: the runs, compressed, without names in the folder.
// Errors: usage (unknown columns, a column that has no order, options out of range), conflict (the file exists),
// access, unavailable (a full disk and other failures to write), and all of the scan. After an error no new file is
// there.
arrow::Result<RewriteReport> Rewrite(const Scan& scan, const std::string& destination, const RewriteOptions& options);

}  // namespace frazil
