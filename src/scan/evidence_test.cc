// SPDX-License-Identifier: Apache-2.0
#include "src/scan/evidence.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace frazil::scan {
namespace {

const LevelReport& LevelOf(const ScanReport& report, const std::string& name) {
  for (const LevelReport& level : report.levels) {
    if (level.name == name) return level;
  }
  ADD_FAILURE() << "no level " << name;
  return report.levels[0];
}

TEST(Evidence, SumsUp) {
  Evidence evidence({}, std::make_shared<io::Trace>());
  evidence.Count(Level::kRowGroup, 10, 3);
  evidence.Count(Level::kRowGroup, 5, 5);
  evidence.AddRows(1000, 0);
  evidence.AddRows(0, 70);
  evidence.AddPages(20, 4);
  evidence.AddMatched(9);
  evidence.AddFile(500, true);
  evidence.AddFile(300, false);
  evidence.SetRounds(2);
  evidence.SetRounds(1);
  const ScanReport report = evidence.Report(true);
  EXPECT_EQ(report.row_groups_total, 15);
  EXPECT_EQ(report.row_groups_kept, 8);
  EXPECT_EQ(report.rows_total, 1000);
  EXPECT_EQ(report.rows_selected, 70);
  EXPECT_EQ(report.rows_matched, 9);
  EXPECT_EQ(report.pages_total, 20);
  EXPECT_EQ(report.pages_kept, 4);
  EXPECT_EQ(report.files_total, 2);
  EXPECT_EQ(report.files_kept, 1);
  EXPECT_EQ(report.bytes_total, 800);
  EXPECT_EQ(report.rounds, 2) << "the longest chain";
  EXPECT_EQ(LevelOf(report, "filter").total, 70);
  EXPECT_EQ(LevelOf(report, "filter").kept, 9);
  EXPECT_GE(report.elapsed_ns, 0);
}

TEST(Evidence, LevelsAreNamedAlsoWhenTheyDidNothing) {
  ScanOptions options;
  options.disabled_levels = {Level::kPageIndex};
  const ScanReport report = Evidence(options, std::make_shared<io::Trace>()).Report(false);
  ASSERT_EQ(report.levels.size(), 5u) << "without the filter: nothing was read";
  EXPECT_EQ(report.levels[0].name, "file");
  EXPECT_EQ(report.levels[0].unit, "files");
  EXPECT_EQ(report.levels[1].unit, "row groups");
  EXPECT_EQ(report.levels[2].name, "bloom");
  EXPECT_EQ(report.levels[3].unit, "rows");
  EXPECT_EQ(report.levels[4].name, "dictionary");
  EXPECT_TRUE(report.levels[1].enabled);
  EXPECT_FALSE(report.levels[3].enabled);
  EXPECT_FALSE(report.analyzed);
}

TEST(Evidence, UnusableEvidenceIsCountedByColumnAndReason) {
  Evidence evidence({}, std::make_shared<io::Trace>());
  prune::Unusable unusable;
  unusable.Add("b", "no offset index");
  unusable.Add("a", "no statistics", 2);
  evidence.AddUnusable(Level::kPageIndex, unusable);
  evidence.AddUnusable(Level::kPageIndex, unusable);
  const auto report = evidence.Report(true);
  const auto& found = LevelOf(report, "page-index").unusable;
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].column, "a");
  EXPECT_EQ(found[0].count, 4);
  EXPECT_EQ(found[1].reason, "no offset index");
  EXPECT_EQ(found[1].count, 2);
}

TEST(Evidence, RequestsAreThoseOfTheTrace) {
  auto trace = std::make_shared<io::Trace>();
  Evidence evidence({}, trace);
  trace->Add({"f", {0, 100}, "footer", 0});
  trace->Add({"f", {0, 10}, "pages", 1});
  trace->Add({"f", {50, 20}, "pages", 1});
  const ScanReport report = evidence.Report(true);
  EXPECT_EQ(report.bytes_read, 130);
  EXPECT_EQ(report.requests, 3);
  ASSERT_EQ(report.io.size(), 2u);
  EXPECT_EQ(report.io[0].purpose, "footer");
  EXPECT_EQ(report.io[1].requests, 2);
  EXPECT_EQ(report.io[1].bytes, 30);
}

TEST(Evidence, RowGroupsAreShownUpToANumber) {
  Evidence evidence({}, std::make_shared<io::Trace>());
  for (int i = 0; i < 150; ++i) evidence.AddRowGroup({"f", i, 0, 0, 0, 0, 0, 0, ""});
  EXPECT_EQ(evidence.Report(true).row_groups.size(), ScanReport::kRowGroupsMax);
}

TEST(Evidence, ThreadsAddTogether) {
  Evidence evidence({}, std::make_shared<io::Trace>());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&evidence] {
      for (int turn = 0; turn < 1000; ++turn) {
        evidence.AddMatched(1);
        evidence.Count(Level::kFile, 2, 1);
        if (turn % 100 == 0) (void)evidence.Report(false);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const ScanReport report = evidence.Report(true);
  EXPECT_EQ(report.rows_matched, 4000);
  EXPECT_EQ(LevelOf(report, "file").total, 8000);
}

}  // namespace
}  // namespace frazil::scan
