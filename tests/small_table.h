// SPDX-License-Identifier: Apache-2.0
//
// A small Iceberg table of our own, the same on every machine but for where its files lie: for goldens.
//
//   200 rows: id 0 to 199, cat 'x' below 100, 'y' from 100 on, amount id / 4
//   partitioned by identity(cat); before, by nothing. Two data files of 100 rows, each with two row groups and pages of
//   10 rows; position deletes of ids 3 and 77; a branch and a tag. Sizes and times in the metadata are made up.
#pragma once

#include <filesystem>
#include <string>

#include "frazil/table.h"

namespace frazil {

class SmallTable {
 public:
  SmallTable();   // writes it into a folder of its own
  ~SmallTable();  // removes it
  SmallTable(const SmallTable&) = delete;
  SmallTable& operator=(const SmallTable&) = delete;

  std::filesystem::path folder() const { return folder_; }
  // FROM=TO, for --rewrite-location.
  std::string rewrite() const { return std::string(kLocation) + "=" + folder_.string(); }
  TableOptions options() const { return {.rewrite_locations = {{kLocation, folder_.string()}}}; }
  std::shared_ptr<Table> Open() const;
  // `text` with the folder's name taken out.
  std::string Masked(std::string text) const;

  static constexpr const char* kLocation = "/warehouse/small";

 private:
  std::filesystem::path folder_;
};

}  // namespace frazil
