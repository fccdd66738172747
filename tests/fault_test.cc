// SPDX-License-Identifier: Apache-2.0
//
// Every request of every scenario, with every fault: the right rows, or a clear error that names the file; no crash,
// no hang, no other rows. Truncated files and wrong sizes besides.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <arrow/table.h>
#include <gtest/gtest.h>

#include "tests/faulty_source.h"
#include "tests/scenario.h"

namespace frazil {
namespace {

constexpr const char* kName = "lake/events.parquet";

struct Outcome {
  arrow::Status status;
  std::shared_ptr<arrow::Table> rows;  // null for a count
  int64_t count = -1;
};

Outcome RunOn(std::shared_ptr<ByteSource> source, const Scenario& scenario, int threads) {
  Outcome outcome;
  const auto run = [&]() -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(auto table, Table::OpenSources({std::move(source)}));
    Scan scan = table->NewScan();
    scan.options() = scenario.options;
    scan.options().threads = threads;
    scan.options().verify_checksums = true;
    if (scenario.count) return scan.Count().Value(&outcome.count);
    ARROW_ASSIGN_OR_RAISE(auto reader, scan.ToReader());
    return reader->ToTable().Value(&outcome.rows);
  };
  outcome.status = run();
  return outcome;
}

// Pages with checksums, so that bytes from elsewhere are told from right ones.
filegen::FileSpec WithChecksums(filegen::FileSpec file) {
  for (filegen::RowGroupSpec& group : file.row_groups) {
    for (filegen::ChunkSpec& chunk : group.chunks) {
      chunk.dictionary.crc = filegen::CrcPolicy::kRight;
      for (filegen::PageSpec& page : chunk.pages) page.crc = filegen::CrcPolicy::kRight;
    }
  }
  return file;
}

void ExpectClearError(const arrow::Status& status) {
  EXPECT_NE(status.message().find(kName), std::string::npos) << status;
  EXPECT_EQ(status.message().find('\n'), std::string::npos) << status;
  EXPECT_NE(KindOf(status), ErrorKind::kInternal) << status;
  EXPECT_NE(KindOf(status), ErrorKind::kUsage) << status;
}

std::string ScenarioName(const testing::TestParamInfo<Scenario>& info) { return info.param.name; }

class Faults : public testing::TestWithParam<Scenario> {};

TEST_P(Faults, OfEveryRequestGiveTheRowsOrAnError) {
  const Scenario& scenario = GetParam();
  auto bytes = filegen::WriteFile(WithChecksums(scenario.file));
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  auto sound = std::make_shared<FaultySource>(*bytes, kName, scenario.cost, Fault::kNull, -1);
  const Outcome want = RunOn(sound, scenario, 1);
  ASSERT_TRUE(want.status.ok()) << want.status;
  for (int at = 0; at < sound->requests(); ++at) {
    for (Fault fault : AllFaults()) {
      if (scenario.unchecked && !IsTold(fault)) continue;
      SCOPED_TRACE(testing::Message() << "request " << at << ", fault " << static_cast<int>(fault));
      const auto source = std::make_shared<FaultySource>(*bytes, kName, scenario.cost, fault, at);
      const Outcome got = RunOn(source, scenario, 1 + at % 2 * 3);
      if (!got.status.ok()) {
        ExpectClearError(got.status);
        if (fault == Fault::kUnavailable) {
          EXPECT_EQ(KindOf(got.status), ErrorKind::kUnavailable) << got.status;
        }
        if (fault == Fault::kCancelled) {
          EXPECT_EQ(KindOf(got.status), ErrorKind::kCancelled) << got.status;
        }
        continue;
      }
      // A fault that the source tells of may not be swallowed: it is not bad evidence, it is no evidence at all.
      EXPECT_FALSE(IsTold(fault));
      EXPECT_EQ(got.count, want.count);
      if (want.rows != nullptr) {
        EXPECT_TRUE(got.rows->Equals(*want.rows)) << got.rows->num_rows();
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, Faults, testing::ValuesIn(Scenarios()), ScenarioName);

const Scenario& ScenarioNamed(const std::string& name) {
  return *std::find_if(Scenarios().begin(), Scenarios().end(), [&](const Scenario& s) { return s.name == name; });
}

// A small file: 240 rows in two row groups.
std::shared_ptr<arrow::Buffer> SmallFile() {
  filegen::FileSpec file = EventsFile();
  const auto events = [](int64_t rows) {
    filegen::RowGroupSpec group;
    group.row_count = rows;
    std::vector<int64_t> ids;
    for (int64_t i = 0; i < rows; ++i) ids.push_back(i);
    for (int column = 0; column < 2; ++column) {
      filegen::ChunkSpec& chunk = group.chunks.emplace_back();
      chunk.data = filegen::RequiredColumn(ids);
      chunk.pages = filegen::PagesOf(rows, 30 + 10 * column);
    }
    return group;
  };
  file.schema.resize(2);
  file.row_groups = {events(120), events(120)};
  return filegen::WriteFile(file).ValueOrDie();
}

const Scenario& SmallQuery() {
  static const Scenario kScenario = [] {
    Scenario scenario;
    scenario.options.filter = "id BETWEEN 25 AND 65";
    return scenario;
  }();
  return kScenario;
}

TEST(Truncated, AtEveryLengthIsAnError) {
  const auto bytes = SmallFile();
  ASSERT_EQ(RunOn(FromBuffer(bytes, kName), SmallQuery(), 1).rows->num_rows(), 82);
  for (int64_t length = 0; length < bytes->size(); ++length) {
    SCOPED_TRACE(length);
    const Outcome got = RunOn(FromBuffer(arrow::SliceBuffer(bytes, 0, length), kName), SmallQuery(), 1);
    ASSERT_FALSE(got.status.ok());
    ExpectClearError(got.status);
    EXPECT_EQ(KindOf(got.status), ErrorKind::kCorrupt);
  }
}

// What is missing lies before the footer: a file whose middle was lost.
TEST(Truncated, InTheMiddleIsAnErrorOrHarmless) {
  const auto bytes = SmallFile();
  const std::string whole = bytes->ToString();
  const Outcome want = RunOn(FromBuffer(bytes, kName), SmallQuery(), 1);
  for (size_t lost = 1; lost < whole.size() / 2; lost += 7) {
    SCOPED_TRACE(lost);
    const auto cut = arrow::Buffer::FromString(whole.substr(0, 4) + whole.substr(4 + lost));
    const Outcome got = RunOn(FromBuffer(cut, kName), SmallQuery(), 1);
    ASSERT_FALSE(got.status.ok());
    ExpectClearError(got.status);
  }
}

TEST(WrongSize, IsAnError) {
  const auto bytes = SmallFile();
  for (int64_t off :
       {int64_t{-1}, int64_t{1}, int64_t{-8}, int64_t{8}, int64_t{1} << 40, -bytes->size(), -bytes->size() - 5}) {
    SCOPED_TRACE(off);
    const Outcome got = RunOn(std::make_shared<MisjudgedSource>(bytes, kName, bytes->size() + off), SmallQuery(), 1);
    ASSERT_FALSE(got.status.ok());
    ExpectClearError(got.status);
  }
  const Outcome failed =
      RunOn(std::make_shared<MisjudgedSource>(bytes, kName, arrow::Status::IOError("no answer")), SmallQuery(), 1);
  ASSERT_FALSE(failed.status.ok());
  ExpectClearError(failed.status);
  EXPECT_EQ(KindOf(failed.status), ErrorKind::kUnavailable);
}

// A budget is kept to, whatever it is, and is told as one.
TEST(Budget, OfEverySizeGivesTheRowsOrABudgetError) {
  for (const char* name : {"random_two_stages", "lying_offset_index", "many_row_groups", "far_index"}) {
    Scenario scenario = ScenarioNamed(name);
    const auto bytes = filegen::WriteFile(scenario.file).ValueOrDie();
    const auto source = [&] { return std::make_shared<FaultySource>(bytes, kName, scenario.cost, Fault::kNull, -1); };
    auto sound = source();
    const Outcome want = RunOn(sound, scenario, 1);
    for (int requests = 1; requests <= sound->requests(); ++requests) {
      SCOPED_TRACE(testing::Message() << name << ", " << requests << " requests");
      scenario.options.requests_max = requests;
      auto limited = source();
      const Outcome got = RunOn(limited, scenario, 1);
      EXPECT_LE(limited->requests(), requests);
      EXPECT_EQ(got.status.ok(), requests == sound->requests()) << got.status;
      if (!got.status.ok()) {
        ExpectClearError(got.status);
        EXPECT_EQ(KindOf(got.status), ErrorKind::kBudget) << got.status;
      } else {
        EXPECT_TRUE(got.rows->Equals(*want.rows));
      }
    }
  }
}

}  // namespace
}  // namespace frazil
