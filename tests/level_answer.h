// SPDX-License-Identifier: Apache-2.0
//
// One filter over one file, with some levels on: the rows are those of a full read, and what one of the levels said.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <arrow/table.h>
#include <gtest/gtest.h>

#include "frazil/table.h"
#include "tests/filegen/write.h"

namespace frazil {

struct LevelAnswer {
  int64_t rows = -1;
  int64_t kept = -1;             // row groups that the level left
  int64_t row_groups_kept = -1;  // that were left in the end
  int64_t rows_proven = 0;
  std::string unusable;                 // of the level: "column: reason; "
  std::map<std::string, IoStep> steps;  // by purpose

  int64_t requests(const std::string& purpose) const {
    const auto step = steps.find(purpose);
    return step == steps.end() ? 0 : step->second.requests;
  }
};

// `level` is asked after; only `levels` are on.
inline LevelAnswer AskLevel(Level level, std::shared_ptr<ByteSource> source, const std::string& filter,
                            const std::vector<Level>& levels) {
  auto table = Table::OpenSources({std::move(source)}).ValueOrDie();
  Scan scan = table->NewScan().Filter(filter).Threads(1);
  Scan full = scan;
  for (Level other : AllLevels()) {
    if (std::find(levels.begin(), levels.end(), other) == levels.end()) scan.Disable(other);
  }
  full.options().disabled_levels = AllLevels();
  auto report = std::make_shared<ScanReport>();
  auto reader = scan.ToReader(report).ValueOrDie();
  const auto rows = reader->ToTable().ValueOrDie();
  EXPECT_TRUE(reader->Close().ok());
  const auto want = full.ToReader().ValueOrDie()->ToTable().ValueOrDie();
  EXPECT_TRUE(rows->Equals(*want, arrow::EqualOptions::Defaults().nans_equal(true)))
      << filter << ": " << rows->num_rows() << " rows, full read " << want->num_rows();
  LevelAnswer answer;
  answer.rows = rows->num_rows();
  answer.row_groups_kept = report->row_groups_kept;
  for (const LevelReport& of : report->levels) {
    if (of.name != LevelName(level)) continue;
    answer.kept = of.kept;
    for (const auto& unusable : of.unusable) answer.unusable += unusable.column + ": " + unusable.reason + "; ";
  }
  for (const auto& group : report->row_groups) answer.rows_proven += group.rows_proven;
  for (const IoStep& step : report->io) answer.steps[step.purpose] = step;
  return answer;
}

// The level alone, if `levels` does not say otherwise.
inline LevelAnswer AskLevel(Level level, const filegen::FileSpec& file, const std::string& filter,
                            const std::vector<Level>& levels = {}) {
  return AskLevel(level, FromBuffer(filegen::WriteFile(file).ValueOrDie(), "file.parquet"), filter,
                  levels.empty() ? std::vector<Level>{level} : levels);
}

}  // namespace frazil
