// SPDX-License-Identifier: Apache-2.0
#include "src/scan/task_rows.h"

#include <random>

#include <gtest/gtest.h>

#include "src/io/trace.h"
#include "src/scan/open_file.h"
#include "tests/filegen/random_file.h"

namespace frazil::scan {
namespace {

std::shared_ptr<const parquet::Footer> FooterOf(const filegen::RandomFile& file) {
  const auto source = FromBuffer(file.bytes, "random");
  io::RangeReader reader(source, std::make_shared<io::Trace>());
  return OpenFile(source, &reader).ValueOrDie().footer;
}

// However the line of offsets is cut, each row stands in one part.
TEST(RowsOfTask, EveryRowStandsInOnePart) {
  const uint64_t first = std::random_device{}();
  std::printf("seed %llu\n", static_cast<unsigned long long>(first));
  std::mt19937_64 random(first);
  int64_t inside_row_groups = 0;
  for (int i = 0; i < 100; ++i) {
    const auto file = filegen::MakeRandomFile(random()).ValueOrDie();
    SCOPED_TRACE(file.Describe());
    const auto footer = FooterOf(file);
    const int64_t step = 1 + static_cast<int64_t>(random() % static_cast<uint64_t>(file.bytes->size()));
    RowRanges all;
    int64_t count = 0;
    int parts = 0;
    for (int64_t begin = 0; begin < file.bytes->size(); begin += step) {
      TaskRange range{begin, begin + step};
      if (*range.end >= file.bytes->size()) range.end.reset();
      const auto rows = RowsOfTask(*footer, std::nullopt, range).ValueOrDie();
      ASSERT_TRUE(rows.has_value());
      all = all.Union(*rows);
      count += rows->count();
      parts += rows->empty() ? 0 : 1;
    }
    EXPECT_EQ(all, RowRanges::Of(0, footer->row_count()));
    EXPECT_EQ(count, footer->row_count());
    inside_row_groups += parts > footer->row_group_count();
  }
  EXPECT_GT(inside_row_groups, 0);
}

TEST(RowsOfTask, ByOrdinalsOrAll) {
  const auto footer = FooterOf(filegen::MakeRandomFile(1).ValueOrDie());
  EXPECT_FALSE(RowsOfTask(*footer, std::nullopt, std::nullopt).ValueOrDie().has_value());
  EXPECT_EQ(*RowsOfTask(*footer, TaskRange{3, 9}, std::nullopt).ValueOrDie(), RowRanges::Of(3, 9));
  EXPECT_EQ(*RowsOfTask(*footer, TaskRange{3, std::nullopt}, std::nullopt).ValueOrDie(), RowRanges::Of(3, INT64_MAX));
}

}  // namespace
}  // namespace frazil::scan
