// SPDX-License-Identifier: Apache-2.0
//
// The bloom filters of a file: which of the row groups that the footer left are asked, what is read for it, and which
// of them are left after it.
//
// Asked are the filters that could rule a row group out, given what the footer says of the rest of the scan's filter.
// Of a filter only its header and the blocks that the values map to are wanted; whether that is one request for
// everything between them or many small ones, the cost model decides for each file. All filters of a column are one
// round. Filters whose length the footer does not tell take a second one, after their headers.
#pragma once

#include <arrow/result.h>

#include "src/scan/file_scan.h"

namespace frazil::scan {

// Drops candidates that can not match, and sets the verdicts of leaves that match nothing in a row group to kNone.
// I/O: none when the level is switched off or no filter can help; else one or two rounds for each column, or for all of
// them together where that costs less than another round trip. Errors: the source's own and the budget's; filters that
// are damaged or unknown are counted as unusable.
arrow::Status ProbeBloomFilters(FileScan* scan);

}  // namespace frazil::scan
