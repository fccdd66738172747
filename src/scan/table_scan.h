// SPDX-License-Identifier: Apache-2.0
//
// From a table and options to the files of a scan: what reading, counting, explaining and planning share.
#pragma once

#include <memory>

#include <arrow/result.h>

#include "frazil/table.h"
#include "src/scan/file_scan.h"
#include "src/scan/scan_reader.h"

namespace frazil::scan {

// Filter and projection bound to the table. The first context that a table gives counts the requests of opening it.
arrow::Result<std::shared_ptr<ScanContext>> BindScan(const Table& table, const ScanOptions& options, bool count_only);

// The files of the scan in the order of the table.
NextFile FilesOf(std::shared_ptr<const Table> table, std::shared_ptr<const ScanContext> context);

}  // namespace frazil::scan
