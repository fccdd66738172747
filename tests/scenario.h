// SPDX-License-Identifier: Apache-2.0
//
// Named scenarios: one scan each over a file that is the same on every machine. What they read and what explain says of
// them is kept as goldens (trace_test.cc).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/result.h>

#include "frazil/table.h"
#include "tests/filegen/file_spec.h"
#include "tests/filegen/write.h"

namespace frazil {

struct Scenario {
  std::string name;   // of the golden
  std::string about;  // what it shows, in a line
  filegen::FileSpec file;
  ScanOptions options = {};
  bool count = false;  // Count() instead of a scan
  CostModel cost = {};
  bool unchecked = false;  // bytes are requested alone that nothing in the format checks
};

// 20,000 events. Columns, pages of so many rows:
//   id      required INT64, the row's ordinal                          1000
//   k       required INT64, every number below 20,000 in mixed order    700
//   name    optional text, 100 different ones, every 13th row null     2500, dictionary
//   amount  required DOUBLE                                             500
filegen::FileSpec EventsFile();

// The column of EventsFile by name; REQUIRES: there is one.
filegen::ChunkSpec& ChunkOf(filegen::FileSpec& file, const std::string& column);

const std::vector<Scenario>& Scenarios();

// "2 pages 3-5 of id; dictionary of name; footer": the parts of the file that lie wholly in the range.
std::string PartsIn(const filegen::FileSpec& file, const filegen::FileLayout& layout, ByteRange range);

}  // namespace frazil
