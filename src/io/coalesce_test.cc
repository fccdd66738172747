// SPDX-License-Identifier: Apache-2.0
#include "src/io/coalesce.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace frazil::io {
namespace {

// Gaps of up to 100 bytes are read through, requests are at most 1,000 bytes.
CostModel SmallCost() {
  CostModel cost;
  cost.latency_ns = 100;
  cost.bandwidth_bytes_per_s = 1'000'000'000;
  cost.request_bytes_max = 1000;
  return cost;
}

std::string Plan(std::vector<ByteRange> wanted) {
  std::string text;
  for (const ByteRange& request : Coalesce(std::move(wanted), SmallCost())) {
    text += "[" + std::to_string(request.offset) + "," + std::to_string(request.end()) + ")";
  }
  return text;
}

TEST(Coalesce, GapOfTheSmallCost) { EXPECT_EQ(SmallCost().gap_bytes(), 100); }

TEST(Coalesce, NothingWanted) {
  EXPECT_EQ(Plan({}), "");
  EXPECT_EQ(Plan({{5, 0}, {9, 0}}), "");
}

TEST(Coalesce, GapDecides) {
  EXPECT_EQ(Plan({{0, 10}, {110, 10}}), "[0,120)");
  EXPECT_EQ(Plan({{0, 10}, {111, 10}}), "[0,10)[111,121)");
}

TEST(Coalesce, AdjacentRangesJoinEvenWhereARequestCostsNothing) {
  EXPECT_EQ(Coalesce({{0, 10}, {10, 10}, {21, 1}}, CostModel::Memory()), (std::vector<ByteRange>{{0, 20}, {21, 1}}));
}

TEST(Coalesce, AnyOrderOverlapsAndDuplicates) {
  EXPECT_EQ(Plan({{500, 10}, {0, 10}, {5, 10}, {500, 10}, {2, 3}}), "[0,15)[500,510)");
}

TEST(Coalesce, LongRunsAreSplitBetweenRanges) {
  EXPECT_EQ(Plan({{0, 600}, {600, 400}, {1000, 1}}), "[0,1000)[1000,1001)");
  EXPECT_EQ(Plan({{0, 600}, {600, 401}}), "[0,600)[600,1001)");
}

TEST(Coalesce, AWantedRangeIsNeverSplit) {
  EXPECT_EQ(Plan({{0, 5000}, {5000, 10}}), "[0,5000)[5000,5010)");
  EXPECT_EQ(Plan({{0, 900}, {800, 900}}), "[0,1700)");
}

TEST(Coalesce, RandomRequestsKeepTheirPromises) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 2000; ++round) {
    std::vector<ByteRange> wanted(random() % 12);
    for (ByteRange& range : wanted) {
      range = {static_cast<int64_t>(random() % 4000), static_cast<int64_t>(random() % 300)};
    }
    const std::vector<ByteRange> requests = Coalesce(wanted, SmallCost());
    for (size_t i = 1; i < requests.size(); ++i) ASSERT_GE(requests[i].offset, requests[i - 1].end());
    for (const ByteRange& range : wanted) {
      if (range.length == 0) continue;
      int holders = 0;
      for (const ByteRange& request : requests) {
        holders += request.offset <= range.offset && range.end() <= request.end();
      }
      ASSERT_EQ(holders, 1);
    }
    for (const ByteRange& request : requests) {
      // Both ends are wanted, and no gap inside is longer than allowed.
      int64_t reached = request.offset;
      bool grew = true;
      while (grew && reached < request.end()) {
        grew = false;
        for (const ByteRange& range : wanted) {
          if (range.length > 0 && range.offset >= request.offset && range.end() <= request.end() &&
              range.offset <= reached + 100 && range.end() > reached) {
            reached = range.end();
            grew = true;
          }
        }
      }
      ASSERT_EQ(reached, request.end());
    }
  }
}

TEST(Coalesce, WithAGapOfItsOwn) {
  const std::vector<ByteRange> wanted{{0, 10}, {20, 10}, {1000, 10}};
  EXPECT_EQ(Coalesce(wanted, 0, 1 << 20), wanted);
  EXPECT_EQ(Coalesce(wanted, 10, 1 << 20), (std::vector<ByteRange>{{0, 30}, {1000, 10}}));
  EXPECT_EQ(Coalesce(wanted, 5000, 1 << 20), (std::vector<ByteRange>{{0, 1010}}));
}

TEST(EstimatedTime, IsLatencyInTurnsAndBytes) {
  const CostModel cost{1'000'000, 1'000'000'000, 1 << 20, 2};
  EXPECT_EQ(EstimatedTimeNs({}, cost), 0);
  EXPECT_EQ(EstimatedTimeNs({{0, 1'000'000}}, cost), 2'000'000);
  EXPECT_EQ(EstimatedTimeNs({{0, 500}, {9000, 500}}, cost), 1'001'000);
  EXPECT_EQ(EstimatedTimeNs({{0, 500}, {9000, 500}, {20'000, 0}}, cost), 2'001'000);
}

}  // namespace
}  // namespace frazil::io
