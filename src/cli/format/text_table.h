// SPDX-License-Identifier: Apache-2.0
//
// Plain-text tables and numbers for people, as printed by inspect, explain and stats.
//
//   TextTable table({{"column"}, {"pages", Align::kRight}});
//   table.AddRow({"event_id", HumanCount(1234)});
//   table.AppendTo(text);
//
//   column    pages
//   event_id  1,234
//
// Cells may hold text from files: control characters are escaped. Widths are in terminal columns, see display_text.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/cli/format/display_text.h"

namespace frazil::cli {

struct TextColumn {
  std::string name;
  Align align = Align::kLeft;
  size_t columns_max = kColumnsUnlimited;  // longer cells are cut with "…"
};

class TextTable {
 public:
  explicit TextTable(std::vector<TextColumn> columns);

  // Missing cells at the end are empty. REQUIRES: no more cells than columns.
  void AddRow(std::vector<std::string> cells);
  size_t row_count() const { return rows_.size(); }

  // Appends the header and the rows, each line after `indent` spaces. Without any column name there is no header.
  void AppendTo(std::string& out, size_t indent = 0) const;

 private:
  std::vector<TextColumn> columns_;
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

// Decimal units, one digit behind the point from 1 kB on: "0 B", "999 B", "1.0 kB", "122.4 kB", "9.2 EB".
std::string HumanBytes(int64_t bytes);

// "12,345"
std::string HumanCount(int64_t count);

// "850 ns", "12.3 us", "4.5 ms", "1.23 s", "2 min 05 s", "3 h 07 min".
std::string HumanDuration(int64_t duration_ns);

}  // namespace frazil::cli
