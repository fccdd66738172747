// SPDX-License-Identifier: Apache-2.0
#include "src/cli/format/text_table.h"

#include <limits>

#include <gtest/gtest.h>

namespace frazil::cli {
namespace {

TEST(TextTable, AlignsUnderTheHeader) {
  TextTable table({{"column"}, {"pages", Align::kRight}, {"note"}});
  table.AddRow({"id", "7", "x"});
  table.AddRow({"event_time", "12,345"});
  std::string out = "before\n";
  table.AppendTo(out, 2);
  EXPECT_EQ(out,
            "before\n"
            "  column       pages  note\n"
            "  id               7  x\n"
            "  event_time  12,345\n");
  EXPECT_EQ(table.row_count(), 2U);
}

TEST(TextTable, WithoutNamesThereIsNoHeader) {
  TextTable table({{""}, {""}});
  table.AddRow({"a", "b"});
  table.AddRow({"", ""});
  std::string out;
  table.AppendTo(out, 1);
  EXPECT_EQ(out, " a  b\n\n");
}

TEST(TextTable, ForeignTextIsEscapedAndCut) {
  TextTable table({{"na\nme", Align::kLeft, 8}});
  table.AddRow({"日本語日本語"});
  table.AddRow({"\x1b[2J"});
  std::string out;
  table.AppendTo(out);
  EXPECT_EQ(out, "na\\nme\n日本語…\n\\u001b[…\n");
}

TEST(TextTable, HumanBytes) {
  EXPECT_EQ(HumanBytes(0), "0 B");
  EXPECT_EQ(HumanBytes(999), "999 B");
  EXPECT_EQ(HumanBytes(1'000), "1.0 kB");
  EXPECT_EQ(HumanBytes(122'400), "122.4 kB");
  EXPECT_EQ(HumanBytes(1'049), "1.0 kB");
  EXPECT_EQ(HumanBytes(1'050), "1.1 kB");
  EXPECT_EQ(HumanBytes(999'949), "999.9 kB");
  EXPECT_EQ(HumanBytes(999'950), "1.0 MB");
  EXPECT_EQ(HumanBytes(999'999'999'999), "1.0 TB");
  EXPECT_EQ(HumanBytes(std::numeric_limits<int64_t>::max()), "9.2 EB");
  EXPECT_EQ(HumanBytes(std::numeric_limits<int64_t>::min()), "-9.2 EB");
}

TEST(TextTable, HumanCount) {
  EXPECT_EQ(HumanCount(0), "0");
  EXPECT_EQ(HumanCount(999), "999");
  EXPECT_EQ(HumanCount(1'000), "1,000");
  EXPECT_EQ(HumanCount(-1'234'567), "-1,234,567");
  EXPECT_EQ(HumanCount(std::numeric_limits<int64_t>::min()), "-9,223,372,036,854,775,808");
}

TEST(TextTable, HumanDuration) {
  EXPECT_EQ(HumanDuration(0), "0 ns");
  EXPECT_EQ(HumanDuration(999), "999 ns");
  EXPECT_EQ(HumanDuration(1'000), "1.0 us");
  EXPECT_EQ(HumanDuration(999'949), "999.9 us");
  EXPECT_EQ(HumanDuration(999'950), "1.0 ms");
  EXPECT_EQ(HumanDuration(1'234'000'000), "1.23 s");
  EXPECT_EQ(HumanDuration(59'994'999'999), "59.99 s");
  EXPECT_EQ(HumanDuration(59'995'000'000), "1 min 00 s");
  EXPECT_EQ(HumanDuration(125'000'000'000), "2 min 05 s");
  EXPECT_EQ(HumanDuration(11'220'000'000'000), "3 h 07 min");
  EXPECT_EQ(HumanDuration(-5), "-5 ns");
}

}  // namespace
}  // namespace frazil::cli
