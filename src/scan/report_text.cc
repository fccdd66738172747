// SPDX-License-Identifier: Apache-2.0
//
// ReportToText: explain for people. One line a level, total -> kept, with what could not be used below it.
#include <algorithm>
#include <cstdio>
#include <string>

#include "frazil/report.h"
#include "src/base/human_text.h"

namespace frazil {
namespace {

void AppendLevel(const LevelReport& level, std::string* out) {
  char line[160];
  if (!level.enabled) {
    std::snprintf(line, sizeof(line), "  %-12s switched off\n", level.name.c_str());
    *out += line;
    return;
  }
  // Long names take the room of the number behind them.
  constexpr int kNameColumns = 12;
  const int number_columns = 14 - std::max(0, static_cast<int>(level.name.size()) - kNameColumns);
  std::snprintf(line, sizeof(line), "  %-12s %*s -> %-12s %s\n", level.name.c_str(), number_columns,
                HumanCount(level.total).c_str(), HumanCount(level.kept).c_str(), level.unit.c_str());
  *out += line;
  for (const UnusableEvidence& unusable : level.unusable) {
    *out += "                 not used: " + unusable.column + ": " + unusable.reason;
    if (unusable.count > 1) *out += " (" + HumanCount(unusable.count) + " times)";
    *out += "\n";
  }
}

void AppendRowGroup(const RowGroupReport& row_group, std::string* out) {
  *out += "  " + row_group.file + " row group " + std::to_string(row_group.row_group) + ": " +
          HumanCount(row_group.rows_selected) + " of " + HumanCount(row_group.rows_total) + " rows";
  if (row_group.rows_proven > 0) *out += " (" + HumanCount(row_group.rows_proven) + " proven by the index)";
  if (row_group.pages_total > 0) {
    *out += ", " + HumanCount(row_group.pages_kept) + " of " + HumanCount(row_group.pages_total) + " pages";
  }
  *out += ", " + HumanBytes(row_group.bytes_planned) + "\n    " + row_group.stages + "\n";
}

}  // namespace

std::string ReportToText(const ScanReport& report) {
  std::string out;
  out += "filter    " + (report.filter.empty() ? std::string("none") : report.filter) + "\n";
  out += "residual  " + (report.residual.empty() ? std::string("none") : report.residual) + "\n";
  out += "columns   ";
  for (size_t i = 0; i < report.columns.size(); ++i) out += (i > 0 ? ", " : "") + report.columns[i];
  out += "\n\nlevels             total -> kept\n";
  for (const LevelReport& level : report.levels) AppendLevel(level, &out);
  if (!report.row_groups.empty()) out += "\nplan\n";
  constexpr size_t kShown = 10;
  for (size_t i = 0; i < report.row_groups.size() && i < kShown; ++i) AppendRowGroup(report.row_groups[i], &out);
  if (report.row_groups_kept > static_cast<int64_t>(kShown) && report.row_groups.size() > kShown) {
    out += "  and " + HumanCount(report.row_groups_kept - static_cast<int64_t>(kShown)) + " more row groups\n";
  }
  out += report.analyzed ? "\nread\n" : "\nread for this plan (no data page)\n";
  for (const IoStep& step : report.io) {
    char line[120];
    std::snprintf(line, sizeof(line), "  %-13s %6s %-8s  %10s\n", step.purpose.c_str(),
                  HumanCount(step.requests).c_str(), step.requests == 1 ? "request" : "requests",
                  HumanBytes(step.bytes).c_str());
    out += line;
  }
  out += "  in all " + Counted(report.requests, "request") + ", " + HumanBytes(report.bytes_read) + " of " +
         HumanBytes(report.bytes_total) + ", " + Counted(report.rounds, "round") + "\n";
  return out;
}

}  // namespace frazil
