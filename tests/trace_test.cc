// SPDX-License-Identifier: Apache-2.0
//
// What named scenarios read, request by request, and what explain says of them, as goldens. The product's trace and
// counters equal what the byte source saw.
#include <set>
#include <string>
#include <vector>

#include <arrow/table.h>
#include <gtest/gtest.h>

#include "src/cli/report_json.h"
#include "tests/golden_file.h"
#include "tests/recording_source.h"
#include "tests/scenario.h"

namespace frazil {
namespace {

std::string ScenarioName(const testing::TestParamInfo<Scenario>& info) { return info.param.name; }

class Traces : public testing::TestWithParam<Scenario> {
 protected:
  void SetUp() override {
    auto bytes = filegen::WriteFile(GetParam().file, &layout_);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    source_ = std::make_shared<RecordingSource>(*bytes, "events.parquet", GetParam().cost);
    auto table = Table::OpenSources({source_});
    ASSERT_TRUE(table.ok()) << table.status();
    table_ = *table;
  }

  Scan MakeScan() const {
    Scan scan = table_->NewScan();
    scan.options() = GetParam().options;
    scan.options().threads = 1;
    return scan;
  }

  // Runs the scenario; the number of rows.
  int64_t Run(ScanReport* report) const {
    if (GetParam().count) return MakeScan().Count(report).ValueOrDie();
    auto shared = std::make_shared<ScanReport>();
    auto reader = MakeScan().ToReader(shared).ValueOrDie();
    const int64_t rows = reader->ToTable().ValueOrDie()->num_rows();
    EXPECT_TRUE(reader->Close().ok());
    *report = *shared;
    return rows;
  }

  void ExpectCountersOfTheSource(const ScanReport& report) const {
    const std::vector<ByteRange> seen = source_->requests();
    int64_t bytes = 0;
    for (const ByteRange& range : seen) bytes += range.length;
    EXPECT_EQ(report.requests, static_cast<int64_t>(seen.size()));
    EXPECT_EQ(report.bytes_read, bytes);
    ASSERT_EQ(report.trace.size(), seen.size());
    for (size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(report.trace[i].range, seen[i]) << i;
    int64_t step_requests = 0;
    int64_t step_bytes = 0;
    for (const IoStep& step : report.io) {
      step_requests += step.requests;
      step_bytes += step.bytes;
    }
    EXPECT_EQ(step_requests, report.requests);
    EXPECT_EQ(step_bytes, bytes);
    // Rounds are dense from 0.
    int64_t last = -1;
    for (const IoRequest& request : report.trace) {
      EXPECT_TRUE(request.round == last || request.round == last + 1) << request.round;
      last = request.round;
    }
    EXPECT_EQ(report.rounds, last + 1);
  }

  filegen::FileLayout layout_;
  std::shared_ptr<RecordingSource> source_;
  std::shared_ptr<Table> table_;
};

TEST_P(Traces, AreAsKept) {
  const Scenario& scenario = GetParam();
  ScanReport report;
  const int64_t rows = Run(&report);
  EXPECT_GE(report.rows_matched, rows);
  ExpectCountersOfTheSource(report);
  std::string text = "# " + scenario.about + "\n";
  text += "filter   " + (scenario.options.filter.empty() ? "none" : scenario.options.filter) + "\n";
  text += std::string("columns  ") + (scenario.count ? "none, a count" : "");
  if (!scenario.count && scenario.options.columns.empty()) text += "all";
  for (size_t i = 0; i < scenario.options.columns.size(); ++i)
    text += (i > 0 ? ", " : "") + scenario.options.columns[i];
  if (scenario.options.limit >= 0) text += "\nlimit    " + std::to_string(scenario.options.limit);
  text += "\nrows     " + std::to_string(rows) + "\n\nround purpose offset+length: what lies in it\n";
  for (const IoRequest& request : report.trace) {
    text += std::to_string(request.round) + ' ' + request.purpose + ' ' + std::to_string(request.range.offset) + '+' +
            std::to_string(request.range.length) + ": " + PartsIn(scenario.file, layout_, request.range) + "\n";
  }
  text += "\n" + std::to_string(report.requests) + " requests, " + std::to_string(report.bytes_read) + " bytes of " +
          std::to_string(report.bytes_total) + ", " + std::to_string(report.rounds) + " rounds\n";
  for (const LevelReport& level : report.levels) {
    for (const UnusableEvidence& unusable : level.unusable) {
      text += level.name + ": not used: " + unusable.column + ": " + unusable.reason + "\n";
    }
  }
  ExpectGolden("trace/" + scenario.name + ".txt", text);
}

TEST_P(Traces, ExplainIsAsKeptAndReadsNoDataPage) {
  auto report = MakeScan().Explain();
  ASSERT_TRUE(report.ok()) << report.status();
  ExpectCountersOfTheSource(*report);
  EXPECT_EQ(report->rows_matched, 0);
  for (const IoRequest& request : report->trace) {
    const std::set<std::string> evidence{"footer", "bloom filters", "page index", "dictionaries"};
    EXPECT_EQ(evidence.count(request.purpose), 1U) << request.purpose;
  }
  report->elapsed_ns = 0;
  ExpectGolden("explain/" + GetParam().name + ".txt", ReportToText(*report));
  // As JSON a few, which have every member between them.
  const std::set<std::string> as_json{"contradicting_column_index", "limit_with_filter", "no_index", "sorted_lookup"};
  if (as_json.count(GetParam().name) > 0) {
    ExpectGolden("explain/" + GetParam().name + ".json", cli::ReportToJson(*report) + "\n");
  }
}

// What is skipped never changes the rows: each scenario with every level off.
TEST_P(Traces, RowsAreThoseOfAFullRead) {
  Scan full = MakeScan();
  full.options().disabled_levels = AllLevels();
  if (GetParam().count) {
    EXPECT_EQ(MakeScan().Count().ValueOrDie(), full.Count().ValueOrDie());
    return;
  }
  auto want = full.ToReader().ValueOrDie()->ToTable().ValueOrDie();
  auto got = MakeScan().ToReader().ValueOrDie()->ToTable().ValueOrDie();
  EXPECT_TRUE(got->Equals(*want)) << got->num_rows() << " rows, full read " << want->num_rows();
}

INSTANTIATE_TEST_SUITE_P(, Traces, testing::ValuesIn(Scenarios()), ScenarioName);

}  // namespace

void PrintTo(const Scenario& scenario, std::ostream* out);
void PrintTo(const Scenario& scenario, std::ostream* out) { *out << scenario.name; }

}  // namespace frazil
