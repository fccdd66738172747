// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "frazil/report.h"

namespace frazil {
namespace {

TEST(ReportText, OfNothing) {
  EXPECT_EQ(ReportToText({}),
            "filter    none\n"
            "residual  none\n"
            "columns   \n"
            "\n"
            "levels             total -> kept\n"
            "\n"
            "read for this plan (no data page)\n"
            "  in all 0 requests, 0 B of 0 B, 0 rounds\n");
}

ScanReport Example() {
  ScanReport report;
  report.filter = "a = 1";
  report.residual = "a = 1";
  report.columns = {"a", "b"};
  report.levels = {{"file", "files", 1, 1, true, {}},
                   {"row-group", "row groups", 1200, 30, true, {{"b", "no statistics", 1200}, {"c", "why", 1}}},
                   {"page-index", "rows", 1'234'567, 890, false, {}}};
  report.row_groups = {{"f", 3, 1'000, 40, 0, 0, 0, 999, "one stage"}, {"f", 4, 1'000, 40, 7, 12, 2, 1000, "two"}};
  report.row_groups_kept = 2;
  report.io = {{"footer", 1, 49'152}, {"pages", 1234, 5'000'000}};
  report.requests = 1235;
  report.bytes_read = 5'049'152;
  report.bytes_total = 9'999'999'999;
  report.rounds = 2;
  report.analyzed = true;
  return report;
}

TEST(ReportText, EveryPart) {
  EXPECT_EQ(ReportToText(Example()),
            "filter    a = 1\n"
            "residual  a = 1\n"
            "columns   a, b\n"
            "\n"
            "levels             total -> kept\n"
            "  file                      1 -> 1            files\n"
            "  row-group             1,200 -> 30           row groups\n"
            "                 not used: b: no statistics (1,200 times)\n"
            "                 not used: c: why\n"
            "  page-index   switched off\n"
            "\n"
            "plan\n"
            "  f row group 3: 40 of 1,000 rows, 999 B\n"
            "    one stage\n"
            "  f row group 4: 40 of 1,000 rows (7 proven by the index), 2 of 12 pages, 1.0 kB\n"
            "    two\n"
            "\n"
            "read\n"
            "  footer             1 request      49.2 kB\n"
            "  pages          1,234 requests      5.0 MB\n"
            "  in all 1,235 requests, 5.0 MB of 10.0 GB, 2 rounds\n");
}

TEST(ReportText, LongPlansAreCut) {
  ScanReport report;
  for (int i = 0; i < 30; ++i) report.row_groups.push_back({"f", i, 1, 1, 0, 0, 0, 0, "s"});
  report.row_groups_kept = 5000;
  const std::string text = ReportToText(report);
  EXPECT_NE(text.find("f row group 9:"), std::string::npos);
  EXPECT_EQ(text.find("f row group 10:"), std::string::npos);
  EXPECT_NE(text.find("  and 4,990 more row groups\n"), std::string::npos) << text;
}

TEST(ReportText, UnitsOfBytes) {
  const auto shown = [](int64_t bytes) {
    ScanReport report;
    report.bytes_read = bytes;
    const std::string text = ReportToText(report);
    const size_t at = text.find("requests, ") + 10;
    return text.substr(at, text.find(" of ", at) - at);
  };
  EXPECT_EQ(shown(999), "999 B");
  EXPECT_EQ(shown(1000), "1.0 kB");
  EXPECT_EQ(shown(999'949), "999.9 kB");
  EXPECT_EQ(shown(999'950), "1.0 MB") << "never 1000.0 kB";
  EXPECT_EQ(shown(9'223'372'036'854'775'807), "9.2 EB");
}

}  // namespace
}  // namespace frazil
