// SPDX-License-Identifier: Apache-2.0
#include "src/scan/read_ahead.h"

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace frazil::scan {
namespace {

using Ahead = ReadAhead<int>;

// Turns that give 0 .. count - 1.
struct Turns {
  int count = 0;
  int64_t weight_bytes = 0;
  int fails_at = -1;
  int given = 0;
  std::atomic<int> ran{0};

  Ahead::NextTurn Next() {
    return [this]() -> arrow::Result<std::optional<Ahead::Turn>> {
      if (given == count) return std::nullopt;
      return Ahead::Turn{weight_bytes, [this, turn = given++]() -> arrow::Result<int> {
                           ++ran;
                           if (turn == fails_at) return arrow::Status::IOError("turn ", turn);
                           return turn;
                         }};
    };
  }
};

TEST(ReadAhead, EveryValueOnceInOrder) {
  for (const int threads : {1, 2, 8}) {
    for (const int count : {0, 1, 2, 500}) {
      Turns turns{.count = count};
      Ahead ahead(threads, {.turns = 5}, turns.Next());
      for (int i = 0; i < count; ++i) {
        const auto value = ahead.Next();
        ASSERT_TRUE(value.ok());
        EXPECT_EQ(*value, i);
      }
      EXPECT_EQ(ahead.Next().ValueOrDie(), std::nullopt);
      EXPECT_EQ(ahead.Next().ValueOrDie(), std::nullopt);
      EXPECT_EQ(turns.ran, count);
    }
  }
}

TEST(ReadAhead, OneThreadIsTheCallersAndReadsNothingAhead) {
  Turns turns{.count = 10};
  Ahead ahead(1, {.turns = 5}, turns.Next());
  EXPECT_EQ(ahead.Next().ValueOrDie(), 0);
  EXPECT_EQ(turns.given, 1);
  EXPECT_EQ(turns.ran, 1);
}

TEST(ReadAhead, StaysWithinItsLimits) {
  Turns few{.count = 100};
  Ahead by_turns(4, {.turns = 5}, few.Next());
  EXPECT_EQ(by_turns.Next().ValueOrDie(), 0);
  EXPECT_EQ(few.given, 5);
  EXPECT_EQ(by_turns.Next().ValueOrDie(), 1);
  EXPECT_EQ(few.given, 6);

  // Those under way weigh less than the limit when one more is begun.
  Turns heavy{.count = 100, .weight_bytes = 40};
  Ahead by_bytes(4, {.turns = 50, .bytes = 100}, heavy.Next());
  EXPECT_EQ(by_bytes.Next().ValueOrDie(), 0);
  EXPECT_EQ(heavy.given, 3);

  Turns one{.count = 3, .weight_bytes = 1000};
  Ahead alone(4, {.turns = 50, .bytes = 100}, one.Next());
  EXPECT_EQ(alone.Next().ValueOrDie(), 0);
  EXPECT_EQ(one.given, 1);
  EXPECT_EQ(alone.Next().ValueOrDie(), 1);
}

TEST(ReadAhead, AnErrorComesWhenItsTurnHasCome) {
  for (const int threads : {1, 4}) {
    Turns turns{.count = 10, .fails_at = 2};
    Ahead ahead(threads, {.turns = 8}, turns.Next());
    EXPECT_EQ(ahead.Next().ValueOrDie(), 0);
    EXPECT_EQ(ahead.Next().ValueOrDie(), 1);
    EXPECT_EQ(ahead.Next().status().message(), "turn 2");
  }
}

TEST(ReadAhead, AnErrorOfTheNextTurnComesAfterThoseBefore) {
  for (const int threads : {1, 4}) {
    int given = 0;
    Ahead ahead(threads, {.turns = 8}, [&]() -> arrow::Result<std::optional<Ahead::Turn>> {
      if (given == 2) return arrow::Status::IOError("no more");
      return Ahead::Turn{0, [turn = given++] { return arrow::Result<int>(turn); }};
    });
    EXPECT_EQ(ahead.Next().ValueOrDie(), 0);
    EXPECT_EQ(ahead.Next().ValueOrDie(), 1);
    EXPECT_EQ(ahead.Next().status().message(), "no more");
  }
}

// The pool has fewer threads than there are loops that wait inside of it.
TEST(ReadAhead, LoopsInsideLoopsEnd) {
  ReadAhead<int> outer(8, {.turns = 32}, [given = 0]() mutable -> arrow::Result<std::optional<ReadAhead<int>::Turn>> {
    if (given++ == 64) return std::nullopt;
    return ReadAhead<int>::Turn{0, []() -> arrow::Result<int> {
                                  Turns turns{.count = 20};
                                  Ahead inner(8, {.turns = 8}, turns.Next());
                                  int sum = 0;
                                  while (true) {
                                    ARROW_ASSIGN_OR_RAISE(const auto value, inner.Next());
                                    if (!value) return sum;
                                    sum += *value;
                                  }
                                }};
  });
  for (int i = 0; i < 64; ++i) EXPECT_EQ(outer.Next().ValueOrDie(), 190);
  EXPECT_EQ(outer.Next().ValueOrDie(), std::nullopt);
}

TEST(ReadAhead, NothingRunsAfterIt) {
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> ran{0};
    bool alive = true;
    {
      Ahead ahead(4, {.turns = 16}, [&, given = 0]() mutable -> arrow::Result<std::optional<Ahead::Turn>> {
        return Ahead::Turn{0, [&, turn = given++]() -> arrow::Result<int> {
                             EXPECT_TRUE(alive);
                             ++ran;
                             return turn;
                           }};
      });
      EXPECT_EQ(ahead.Next().ValueOrDie(), 0);
    }
    alive = false;
    EXPECT_LE(ran, 16);
  }
}

}  // namespace
}  // namespace frazil::scan
