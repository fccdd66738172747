// SPDX-License-Identifier: Apache-2.0
//
// Files built after reports of wrong, lost or needlessly read rows, with answers worked out from the written rows:
// counts, positions and values are right with every level on, with none, and with each level alone; and what must be
// pruned by bounds is pruned.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "src/expr/parse.h"
#include "tests/json_rows.h"
#include "tests/outside_files.h"

namespace frazil {
namespace {

class BugCases : public OutsideFiles, public testing::WithParamInterface<LevelSetting> {
 protected:
  BugCases() : OutsideFiles("fixtures/bug-cases/parquet") {}

  arrow::Result<std::shared_ptr<Table>> Open(const TsvLine& line) const {
    std::vector<std::string> paths;
    const std::string& files = line.at("files");
    for (size_t begin = 0; begin < files.size();) {
      const size_t end = std::min(files.size(), files.find(' ', begin));
      paths.push_back((root() / files.substr(begin, end - begin)).string());
      begin = end + 1;
    }
    return Table::Open(paths);
  }
};

struct CaseAnswer {
  Positions positions;
  ScanReport report;
  int64_t count = 0;
  std::string payload;
};

arrow::Result<CaseAnswer> AnswerOf(const Table& table, const TsvLine& line, const std::vector<Level>& disabled) {
  CaseAnswer answer;
  ARROW_ASSIGN_OR_RAISE(answer.positions, ScanPositions(table, line.at("where"), disabled, &answer.report));
  Scan scan = table.NewScan().Filter(line.at("where"));
  scan.options().disabled_levels = disabled;
  ARROW_ASSIGN_OR_RAISE(answer.count, scan.Count());
  ARROW_ASSIGN_OR_RAISE(auto paths, expr::ParseColumnList(line.at("select")));
  for (const auto& path : paths) scan.options().columns.push_back(path.ToString());
  ARROW_ASSIGN_OR_RAISE(auto reader, scan.ToReader());
  ARROW_ASSIGN_OR_RAISE(auto rows, reader->ToTable());
  if (rows->num_rows() != answer.positions.rows) return arrow::Status::UnknownError("a projection changes the rows");
  ARROW_ASSIGN_OR_RAISE(answer.payload, RowsToJson(*rows, 20));
  return answer;
}

TEST_P(BugCases, GiveTheWrittenRows) {
  int64_t at = 0;
  int64_t checked = 0;
  for (const TsvLine& line : ReadTsv(root() / "CASES.tsv")) {
    if (at++ % kSampleStep != 0) continue;
    SCOPED_TRACE(testing::Message() << line.at("case") << ' ' << line.at("files") << ": "
                                    << line.at("where").substr(0, 200) << " (" << line.at("note") << ')');
    ++checked;
    auto table = Open(line);
    auto got = table.ok() ? AnswerOf(**table, line, GetParam().disabled) : table.status();
    if (!got.ok()) {
      EXPECT_EQ(line.at("outcome"), "rows-or-error") << got.status();
      // An error must say which file.
      EXPECT_NE(got.status().message().find(".parquet"), std::string::npos) << got.status();
      continue;
    }
    EXPECT_EQ(got->positions.rows, std::stoll(line.at("rows")));
    EXPECT_EQ(got->count, std::stoll(line.at("rows")));
    EXPECT_TRUE(got->positions.ascending);
    const std::string& sum = line.at("positions_sum");
    if (!sum.empty()) {
      EXPECT_EQ(got->positions.sum, std::stoll(sum));
    }
    EXPECT_TRUE(SameJson(got->payload, line.at("payload"))) << got->payload << "\nwant " << line.at("payload");
  }
  EXPECT_GE(checked, 793 / kSampleStep);
}

INSTANTIATE_TEST_SUITE_P(, BugCases, testing::ValuesIn(LevelSettings()), LevelSettingName);

using BugCasesPruned = BugCases;

// "row group 0 must be pruned", "row groups 1 and 2 must be kept", "both row groups must be pruned": of one file.
// What takes a bloom filter is left out (C041b does too, for its member 7), and C133a: the bounds of a floating-point
// column say nothing about its NaN rows, which are greater than 2.
TEST_P(BugCasesPruned, WhereBoundsProveIt) {
  int64_t checked = 0;
  for (const TsvLine& line : ReadTsv(root() / "CASES.tsv")) {
    const std::string& words = line.at("may_prune");
    const bool pruned = words.find("must be pruned") != std::string::npos;
    const bool only = words.find("may be pruned") != std::string::npos;
    const bool kept = words.find("must be kept") != std::string::npos;
    if (!(pruned || kept || only) || words.find("bloom") != std::string::npos) continue;
    if (line.at("case") == "C041b" || line.at("case") == "C133a") continue;
    SCOPED_TRACE(testing::Message() << line.at("case") << ' ' << line.at("where").substr(0, 200) << ": " << words);
    std::set<int> named;
    for (char c : words) {
      if (c >= '0' && c <= '9') named.insert(c - '0');
    }
    if (words.find("both") != std::string::npos) named = {0, 1};
    ASSERT_FALSE(named.empty());
    auto table = Open(line);
    ASSERT_TRUE(table.ok()) << table.status();
    auto got = AnswerOf(**table, line, GetParam().disabled);
    ASSERT_TRUE(got.ok()) << got.status();
    std::set<int> left;
    for (const RowGroupReport& row_group : got->report.row_groups) left.insert(row_group.row_group);
    for (int row_group = 0; row_group < got->report.row_groups_total; ++row_group) {
      const bool is_named = named.count(row_group) > 0;
      const bool must_go = pruned && is_named;
      const bool must_stay = (kept && is_named) || (only && !is_named);
      if (must_go || must_stay) {
        EXPECT_EQ(left.count(row_group) > 0, must_stay) << row_group;
      }
    }
    ++checked;
  }
  EXPECT_GE(checked, 25);
}

INSTANTIATE_TEST_SUITE_P(, BugCasesPruned,
                         testing::Values(LevelSetting{"all", {}},
                                         LevelSetting{"only_row_group",
                                                      {Level::kFile, Level::kPageIndex, Level::kTwoStages}}),
                         LevelSettingName);

}  // namespace
}  // namespace frazil
