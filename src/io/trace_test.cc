// SPDX-License-Identifier: Apache-2.0
#include "src/io/trace.h"

#include <thread>

#include <gtest/gtest.h>

namespace frazil::io {
namespace {

TEST(Trace, CountsEveryEntryInOrder) {
  Trace trace;
  EXPECT_EQ(trace.totals().requests, 0);
  trace.Add({"a", {0, 10}, "footer", 0});
  trace.Add({"b", {5, 7}, "pages", 1});
  EXPECT_EQ(trace.totals().requests, 2);
  EXPECT_EQ(trace.totals().bytes_read, 17);
  ASSERT_EQ(trace.entries().size(), 2u);
  EXPECT_EQ(trace.entries()[1].file, "b");
  EXPECT_EQ(trace.entries()[1].range, (ByteRange{5, 7}));
}

TEST(Trace, LimitsAreReachedButNotPassed) {
  Trace trace;
  EXPECT_TRUE(trace.AddWithin({"a", {0, 10}, "pages", 0}, {.bytes_read = 10, .requests = 0}));
  EXPECT_FALSE(trace.AddWithin({"a", {0, 1}, "pages", 0}, {.bytes_read = 10, .requests = 0}));
  EXPECT_TRUE(trace.AddWithin({"a", {0, 1}, "pages", 0}, {.bytes_read = 0, .requests = 2}));
  EXPECT_FALSE(trace.AddWithin({"a", {0, 1}, "pages", 0}, {.bytes_read = 0, .requests = 2}));
  EXPECT_TRUE(trace.AddWithin({"a", {0, INT64_MAX - 11}, "pages", 0}, {}));
  EXPECT_FALSE(trace.AddWithin({"a", {0, INT64_MAX}, "pages", 0}, {.bytes_read = INT64_MAX, .requests = 0}));
  EXPECT_EQ(trace.totals().requests, 3);
}

TEST(Trace, EntriesAreBoundedTotalsAreNot) {
  Trace trace;
  const auto entry_count = static_cast<int64_t>(Trace::kEntriesMax) + 5;
  for (int64_t i = 0; i < entry_count; ++i) trace.Add({"", {i, 2}, "", 0});
  EXPECT_EQ(trace.entries().size(), Trace::kEntriesMax);
  EXPECT_EQ(trace.totals().requests, entry_count);
  EXPECT_EQ(trace.totals().bytes_read, 2 * entry_count);
}

TEST(Trace, ThreadsTogetherStayWithinTheLimit) {
  Trace trace;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&trace] {
      for (int i = 0; i < 1000; ++i) trace.AddWithin({"a", {i, 1}, "pages", 0}, {.bytes_read = 0, .requests = 1500});
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(trace.totals().requests, 1500);
  EXPECT_EQ(trace.totals().bytes_read, 1500);
}

}  // namespace
}  // namespace frazil::io
