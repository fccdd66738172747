// SPDX-License-Identifier: Apache-2.0
//
// Files from outside the project, with right answers beside them: FRAZIL_SHARED says where they lie. Tests over them
// are skipped with a word when they are absent, and fail when CI=true.
//
//   class Predicates : public OutsideFiles { protected: Predicates() : OutsideFiles("corpus") {} };
//   TEST_F(Predicates, ...) { ReadTsv(root() / "PREDICATES.tsv") ... }
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "frazil/table.h"

namespace frazil {

class OutsideFiles : public testing::Test {
 protected:
  // `folder`: below FRAZIL_SHARED.
  explicit OutsideFiles(std::string folder);
  void SetUp() override;

  const std::filesystem::path& root() const { return root_; }

 private:
  std::filesystem::path root_;
};

// Of lines and files from outside, every so-manieth is taken: all, but few under a sanitizer, which is many times
// slower.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr int64_t kSampleStep = 16;
#else
inline constexpr int64_t kSampleStep = 1;
#endif

// The lines below the header, by column name. Fields are tab separated, without quoting.
using TsvLine = std::map<std::string, std::string>;
std::vector<TsvLine> ReadTsv(const std::filesystem::path& path);

// A way to run a scan: everything on, everything off, and each level alone.
struct LevelSetting {
  std::string name;  // "all", "none", "only_row_group", ...: fit for the name of a test
  std::vector<Level> disabled;
};
const std::vector<LevelSetting>& LevelSettings();
// For INSTANTIATE_TEST_SUITE_P.
std::string LevelSettingName(const testing::TestParamInfo<LevelSetting>& info);
void PrintTo(const LevelSetting& setting, std::ostream* out);

// What a scan of _pos alone gives.
struct Positions {
  int64_t rows = 0;
  int64_t sum = 0;
  int64_t min = -1;  // -1: no rows
  int64_t max = -1;
  bool ascending = true;  // within each file: never true of rows in another order than the file's

  bool operator==(const Positions&) const = default;
};
void PrintTo(const Positions& positions, std::ostream* out);
arrow::Result<Positions> ScanPositions(const Table& table, const std::string& filter,
                                       const std::vector<Level>& disabled, ScanReport* report = nullptr);

// "a.b" as a path of quoted names, for a filter.
std::string QuotedPath(const std::string& path);
std::string QuotedText(const std::string& text);

}  // namespace frazil
