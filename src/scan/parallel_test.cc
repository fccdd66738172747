// SPDX-License-Identifier: Apache-2.0
#include "src/scan/parallel.h"

#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include <gtest/gtest.h>

namespace frazil::scan {
namespace {

TEST(ParallelFor, EveryTurnOnce) {
  for (const int threads : {1, 2, 8}) {
    for (const int count : {0, 1, 2, 100}) {
      std::vector<std::atomic<int>> taken(static_cast<size_t>(count));
      const auto status = ParallelFor(threads, count, [&](int turn) {
        ++taken[static_cast<size_t>(turn)];
        return arrow::Status::OK();
      });
      EXPECT_TRUE(status.ok());
      for (const auto& times : taken) EXPECT_EQ(times, 1);
    }
  }
}

TEST(ParallelFor, OneThreadIsTheCallersAndInOrder) {
  std::vector<int> turns;
  const auto caller = std::this_thread::get_id();
  EXPECT_TRUE(ParallelFor(1, 4, [&](int turn) {
                EXPECT_EQ(std::this_thread::get_id(), caller);
                turns.push_back(turn);
                return arrow::Status::OK();
              }).ok());
  EXPECT_EQ(turns, (std::vector<int>{0, 1, 2, 3}));
}

TEST(ParallelFor, TheErrorOfTheLowestTurn) {
  for (const int threads : {1, 4}) {
    const auto status = ParallelFor(threads, 20, [](int turn) {
      return turn == 7 || turn == 13 ? arrow::Status::Invalid(turn) : arrow::Status::OK();
    });
    EXPECT_EQ(status.message(), "7") << threads;
  }
}

TEST(ParallelFor, NeverMoreThreadsThanAsked) {
  std::atomic<int> now{0};
  std::atomic<int> most{0};
  EXPECT_TRUE(ParallelFor(2, 200, [&](int) {
                const int running = ++now;
                for (int seen = most; running > seen && !most.compare_exchange_weak(seen, running);) continue;
                std::this_thread::yield();
                --now;
                return arrow::Status::OK();
              }).ok());
  EXPECT_LE(most, 2);
}

// More loops than the pool has threads, one inside the other: the callers work too, so nobody waits for ever.
TEST(ParallelFor, LoopsInsideLoopsEnd) {
  std::atomic<int> turns{0};
  const auto status = ParallelFor(8, 8, [&](int) {
    return ParallelFor(8, 8, [&](int) {
      return ParallelFor(8, 8, [&](int) {
        ++turns;
        return arrow::Status::OK();
      });
    });
  });
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(turns, 512);
}

}  // namespace
}  // namespace frazil::scan
