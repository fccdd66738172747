// SPDX-License-Identifier: Apache-2.0
//
// Scans for tests/tables/test_random_tables.py: a query in a line of standard input, its parts separated by tabs, an
// answer in a line of standard output.
//
//   keys ADDRESS COLUMN FILTER          the values of a column of type long, in order: those of a scan with all levels
//                                       on, after one without levels and one with each level alone have given the same
//                                       rows, in order, and as many were counted
//   dump ADDRESS COLUMNS FILTER FILE    the rows as an Arrow stream; nothing else
// Answers begin with "ok", "differs" or "error".
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <arrow/array.h>
#include <arrow/io/file.h>
#include <arrow/ipc/writer.h>
#include <arrow/table.h>

#include "frazil/error.h"
#include "frazil/table.h"

namespace frazil {
namespace {

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

std::string Joined(const std::vector<Level>& levels) {
  std::string text;
  for (const Level level : levels) text += (text.empty() ? "" : ",") + std::string(LevelName(level));
  return text;
}

arrow::Result<std::shared_ptr<arrow::Table>> Rows(const Scan& scan) {
  ARROW_ASSIGN_OR_RAISE(auto reader, scan.ToReader());
  ARROW_ASSIGN_OR_RAISE(auto table, reader->ToTable());
  return table->CombineChunks();
}

arrow::Result<std::string> Keys(const std::vector<std::string>& words) {
  ARROW_ASSIGN_OR_RAISE(const auto table, Table::Open({words.at(1)}));
  Scan scan = table->NewScan();
  scan.Filter(words.size() > 3 ? words[3] : "").Select({words.at(2), "_file", "_pos"});
  ARROW_ASSIGN_OR_RAISE(const auto rows, Rows(scan));
  std::vector<std::vector<Level>> modes{{}, AllLevels()};
  for (const Level alone : AllLevels()) {
    modes.push_back(AllLevels());
    std::erase(modes.back(), alone);
  }
  for (const auto& disabled : modes) {
    scan.options().disabled_levels = disabled;
    ARROW_ASSIGN_OR_RAISE(const auto others, Rows(scan));
    if (!others->Equals(*rows))
      return "differs\twithout " + Joined(disabled) + ": " + std::to_string(others->num_rows()) + " rows instead of " +
             std::to_string(rows->num_rows());
    ARROW_ASSIGN_OR_RAISE(const int64_t count, scan.Count());
    if (count != rows->num_rows())
      return "differs\twithout " + Joined(disabled) + ": counts " + std::to_string(count) + " rows instead of " +
             std::to_string(rows->num_rows());
  }
  std::string text = "ok\t";
  for (const auto& chunk : rows->column(0)->chunks()) {
    const auto& keys = static_cast<const arrow::Int64Array&>(*chunk);
    for (int64_t row = 0; row < keys.length(); ++row) text += std::to_string(keys.Value(row)) + ",";
  }
  return text;
}

arrow::Result<std::string> Dump(const std::vector<std::string>& words) {
  ARROW_ASSIGN_OR_RAISE(const auto table, Table::Open({words.at(1)}));
  Scan scan = table->NewScan();
  scan.Filter(words.at(3)).Select(Split(words.at(2), ','));
  ARROW_ASSIGN_OR_RAISE(const auto rows, Rows(scan));
  ARROW_ASSIGN_OR_RAISE(const auto file, arrow::io::FileOutputStream::Open(words.at(4)));
  ARROW_ASSIGN_OR_RAISE(const auto writer, arrow::ipc::MakeStreamWriter(file, rows->schema()));
  ARROW_RETURN_NOT_OK(writer->WriteTable(*rows));
  ARROW_RETURN_NOT_OK(writer->Close());
  ARROW_RETURN_NOT_OK(file->Close());
  return "ok";
}

}  // namespace
}  // namespace frazil

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const auto words = frazil::Split(line, '\t');
    auto answer = words.at(0) == "dump" ? frazil::Dump(words) : frazil::Keys(words);
    std::cout << (answer.ok() ? *answer : "error\t" + answer.status().ToString()) << std::endl;
  }
  return 0;
}
