// SPDX-License-Identifier: Apache-2.0
#include "src/base/human_text.h"

#include <limits>

#include <gtest/gtest.h>

namespace frazil {
namespace {

TEST(HumanText, Bytes) {
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

TEST(HumanText, Count) {
  EXPECT_EQ(HumanCount(0), "0");
  EXPECT_EQ(HumanCount(999), "999");
  EXPECT_EQ(HumanCount(1'000), "1,000");
  EXPECT_EQ(HumanCount(-1'234'567), "-1,234,567");
  EXPECT_EQ(HumanCount(std::numeric_limits<int64_t>::min()), "-9,223,372,036,854,775,808");
}

TEST(HumanText, Counted) {
  EXPECT_EQ(Counted(0, "row"), "0 rows");
  EXPECT_EQ(Counted(1, "row"), "1 row");
  EXPECT_EQ(Counted(1'000, "row"), "1,000 rows");
}

}  // namespace
}  // namespace frazil
