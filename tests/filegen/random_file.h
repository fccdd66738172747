// SPDX-License-Identifier: Apache-2.0
//
// Random files that are true: any reader that keeps to the format must find exactly `rows` in them, whatever it skips.
// They are ugly in every way the format allows: page borders unaligned between columns, V1 and V2 pages in one chunk,
// dictionary fallback in mid-chunk, one-row pages, empty pages, rows that span V1 pages, page indexes here and there,
// bounds cut short, missing counts, undeclared dictionaries, indexes far from the footer.
//
//   ARROW_ASSIGN_OR_RAISE(RandomFile file, MakeRandomFile(seed, {}));
//   SCOPED_TRACE(file.Describe());     // the seed and the layout in a few lines
//
// A file is a function of seed and options.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/result.h>
#include <arrow/util/compression.h>

#include "tests/filegen/file_spec.h"
#include "tests/filegen/value.h"
#include "tests/filegen/write.h"

namespace frazil::filegen {

struct RandomFileOptions {
  int column_count_max = 10;      // at least one; the row number column is extra
  int row_group_count_max = 3;    // at least one
  int row_count_max = 300;        // per row group; some have none
  bool row_number_column = true;  // first column "row": required INT64, the row's ordinal in the file
  bool nested = true;             // structs, lists, maps, at every level
  bool nan = true;                // NaN values
  bool empty_row_groups = true;
  bool empty_pages = true;  // pages of no values between others
  // Also ahead of all others, several in a row, and inside a row: there Arrow's own reader fails or loses rows.
  bool hard_empty_pages = false;
  bool row_spanning_pages = true;  // in chunks of repeated leaves that have no offset index
  bool page_indexes = true;        // false: no chunk has any
  bool bloom_filters = true;
  bool arrow_schema = true;  // now and then an ARROW:schema entry that turns text columns into large_string
  std::vector<::arrow::Compression::type> codecs = {::arrow::Compression::UNCOMPRESSED, ::arrow::Compression::SNAPPY,
                                                    ::arrow::Compression::GZIP,         ::arrow::Compression::ZSTD,
                                                    ::arrow::Compression::LZ4,          ::arrow::Compression::BROTLI};
};

struct RandomFile {
  uint64_t seed = 0;
  FileSpec spec;
  std::vector<Row> rows;  // of the whole file
  std::vector<int64_t> row_group_row_counts;
  std::shared_ptr<arrow::Buffer> bytes;
  FileLayout layout;

  // Seed, columns, and the pages of each chunk as "version/encoding/rows": for messages of failing tests.
  std::string Describe() const;
};

arrow::Result<RandomFile> MakeRandomFile(uint64_t seed, const RandomFileOptions& options = {});

}  // namespace frazil::filegen
