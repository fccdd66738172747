// SPDX-License-Identifier: Apache-2.0
//
// How a scan's budget, ScanOptions::memory_bytes, is shared out. Sizes are estimates from the footer: a
// dictionary-coded text takes more when decoded than its pages say.
#pragma once

#include <cstdint>

#include "src/scan/file_scan.h"

namespace frazil::scan {

// Encoded pages of one row group that are held at once: a share of the budget, and no more than keeps the store busy.
int64_t FetchBytesMax(const FileScan& file);

// Values of filter columns of one row group that are kept for the output.
int64_t KeptBytesMax(const ScanOptions& options);

struct BatchSize {
  int64_t rows = 1;   // at most
  int64_t bytes = 1;  // of encoded pages, at most, but for one page
};

// The batches of a row group: as the options say, and no more than a share of the budget.
arrow::Result<BatchSize> PlanBatches(const FileScan& file, int row_group);

// What reading a row group holds at once: fetched pages, decoded batches that wait, and those in the making.
arrow::Result<int64_t> RowGroupBytes(const FileScan& file, int row_group, int batches_waiting);

}  // namespace frazil::scan
