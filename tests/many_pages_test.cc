// SPDX-License-Identifier: Apache-2.0
//
// A hundred thousand pages in one chunk: the plan finds the few that are wanted, and reads those bytes alone.
#include <memory>

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "frazil/byte_source.h"
#include "frazil/table.h"
#include "tests/filegen/write.h"

namespace frazil {
namespace {

constexpr int64_t kRows = 100'000;

// "k" holds the row's ordinal, a row a page; "v" the same in pages of seven rows; "r" numbers that are not ordered.
class ManyPages : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    filegen::FileSpec spec;
    std::vector<int64_t> ordinals;
    std::vector<int64_t> mixed;
    for (int64_t row = 0; row < kRows; ++row) {
      ordinals.push_back(row);
      mixed.push_back(row * 7919 % kRows);
    }
    auto& group = spec.row_groups.emplace_back();
    group.row_count = kRows;
    for (const char* name : {"k", "v", "r"}) {
      spec.schema.push_back(filegen::Leaf(name, ::parquet::Type::INT64, filegen::kRequired));
      group.chunks.push_back({.data = filegen::RequiredColumn(name[0] == 'r' ? mixed : ordinals),
                              .pages = filegen::PagesOf(kRows, name[0] == 'v' ? 7 : 1)});
    }
    shared_layout = new filegen::FileLayout();
    shared_bytes = new std::shared_ptr<arrow::Buffer>(filegen::WriteFile(spec, shared_layout).ValueOrDie());
  }
  static void TearDownTestSuite() {
    delete shared_bytes;
    delete shared_layout;
  }

  struct Answer {
    std::vector<int64_t> values;
    ScanReport report;
    int64_t page_bytes = 0;  // of data pages, as requested
    int64_t page_requests = 0;
  };

  static Answer Ask(const std::string& filter) {
    auto table = Table::OpenSources({FromBuffer(*shared_bytes, "f")}).ValueOrDie();
    Answer answer;
    auto report = std::make_shared<ScanReport>();
    auto reader = table->NewScan().Filter(filter).Select({"v"}).ToReader(report).ValueOrDie();
    const auto rows = reader->ToTable().ValueOrDie();
    EXPECT_TRUE(reader->Close().ok());
    for (const auto& chunk : rows->column(0)->chunks()) {
      for (int64_t i = 0; i < chunk->length(); ++i) {
        answer.values.push_back(static_cast<const arrow::Int64Array&>(*chunk).Value(i));
      }
    }
    answer.report = *report;
    for (const IoStep& step : report->io) {
      if (step.purpose == "footer" || step.purpose == "page index") continue;
      answer.page_bytes += step.bytes;
      answer.page_requests += step.requests;
    }
    return answer;
  }

  static int64_t PageBytes(int leaf, int64_t page) {
    return shared_layout->chunks[0][static_cast<size_t>(leaf)].pages[static_cast<size_t>(page)].range.length;
  }

  static inline filegen::FileLayout* shared_layout = nullptr;
  static inline std::shared_ptr<arrow::Buffer>* shared_bytes = nullptr;
};

TEST_F(ManyPages, OneRow) {
  const Answer answer = Ask("k = 54321");
  EXPECT_EQ(answer.values, (std::vector<int64_t>{54321}));
  // A page of one value is proven by its bounds: only the output's page is read.
  EXPECT_EQ(answer.page_bytes, PageBytes(1, 54321 / 7));
  EXPECT_EQ(answer.page_requests, 1);
  const auto& chunks = shared_layout->chunks[0];
  const int64_t index_bytes =
      chunks[0].column_index->length + chunks[0].offset_index->length + chunks[1].offset_index->length;
  int64_t read = 0;
  for (const IoStep& step : answer.report.io) read += step.purpose == "page index" ? step.bytes : 0;
  EXPECT_LE(read, index_bytes) << "no index of a column that is not needed";
  EXPECT_LE(answer.report.requests, 5);
  EXPECT_LE(answer.report.rounds, 3);
}

TEST_F(ManyPages, ManyValues) {
  std::string list;
  std::vector<int64_t> expected;
  for (int64_t value = 3; value < kRows; value += 20) {
    list += (list.empty() ? "" : ", ") + std::to_string(value);
    expected.push_back(value);
  }
  const Answer answer = Ask("k IN (" + list + ")");
  EXPECT_EQ(answer.values, expected);
  int64_t bytes = 0;
  int64_t last = -1;
  for (const int64_t value : expected) {
    if (value / 7 != last) bytes += PageBytes(1, value / 7);
    last = value / 7;
  }
  EXPECT_EQ(answer.page_bytes, bytes);
}

TEST_F(ManyPages, EveryOtherPageOfNoOrder) {
  const Answer answer = Ask("r < 50000 AND k < 20");
  std::vector<int64_t> expected;
  for (int64_t row = 0; row < 20; ++row) {
    if (row * 7919 % kRows < 50'000) expected.push_back(row);
  }
  EXPECT_EQ(answer.values, expected);
  EXPECT_EQ(answer.report.rows_selected, static_cast<int64_t>(expected.size())) << "proven by bounds of one row";
  int64_t kept = 0;
  for (const LevelReport& level : answer.report.levels) {
    if (level.name == "page-index") kept = level.kept;
  }
  EXPECT_EQ(kept, static_cast<int64_t>(expected.size()));
}

TEST_F(ManyPages, CountsComeFromTheIndexAlone) {
  auto table = Table::OpenSources({FromBuffer(*shared_bytes, "f")}).ValueOrDie();
  ScanReport report;
  EXPECT_EQ(table->NewScan().Filter("k <> 77 AND k >= 10").Count(&report).ValueOrDie(), kRows - 11);
  for (const IoStep& step : report.io) {
    EXPECT_TRUE(step.purpose == "footer" || step.purpose == "page index") << step.purpose;
  }
}

}  // namespace
}  // namespace frazil
