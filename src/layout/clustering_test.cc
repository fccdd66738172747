// SPDX-License-Identifier: Apache-2.0
#include "src/layout/clustering.h"

#include <limits>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace frazil::layout {
namespace {

TEST(Clustering, ContainersApartAreHitOneAtATime) {
  BoundsList<int> bounds;
  for (int i = 0; i < 10; ++i) bounds.Add(i * 10, i * 10 + 9);
  EXPECT_EQ(ClusteringOf(bounds).count, 10);
  EXPECT_EQ(ClusteringOf(bounds).hit_mean, 1);
}

TEST(Clustering, TheOrderDoesNotMatter) {
  BoundsList<int> bounds;
  for (int i : {3, 0, 2, 1}) bounds.Add(i * 10, i * 10 + 9);
  EXPECT_EQ(ClusteringOf(bounds).hit_mean, 1);
}

TEST(Clustering, RandomRowsHitEveryContainer) {
  BoundsList<int> bounds;  // each spans nearly everything, no two the same
  for (int i = 0; i < 20; ++i) bounds.Add(i, 1000 - i);
  EXPECT_EQ(ClusteringOf(bounds).hit_mean, 20);
}

TEST(Clustering, HalfAndHalf) {
  BoundsList<int> bounds;
  for (int i = 0; i < 10; ++i) bounds.Add(0, 100);
  for (int i = 0; i < 10; ++i) bounds.Add(1000 + i, 1000 + i);
  EXPECT_EQ(ClusteringOf(bounds).hit_mean, (10 * 10 + 10 * 1) / 20.0);
}

TEST(Clustering, SharedEdgesCountForBoth) {
  BoundsList<std::string> bounds;
  bounds.Add("a", "b");
  bounds.Add("b", "b");
  EXPECT_EQ(ClusteringOf(bounds).hit_mean, (1 + 2) / 2.0);
}

TEST(Clustering, TheMiddleLiesBetween) {
  EXPECT_EQ(Middle(-3, 7), 2);
  EXPECT_EQ(Middle(std::numeric_limits<int>::max() - 2, std::numeric_limits<int>::max()),
            std::numeric_limits<int>::max() - 1);
  EXPECT_EQ(Middle(std::string("a"), std::string("c")).substr(0, 1), "b");
  for (const auto& [min, max] : std::vector<std::pair<std::string, std::string>>{{"", "z"},
                                                                                 {"prefix-a", "prefix-b"},
                                                                                 {"a", "a"},
                                                                                 {"a", std::string("a\0", 2)},
                                                                                 {"aaaaaaaaaaaa", "aaaaaaaaaaab"}}) {
    const std::string middle = Middle(min, max);
    EXPECT_TRUE(min <= middle && middle <= max) << min << " " << middle << " " << max;
  }
}

TEST(Clustering, RandomTextHitsEveryContainer) {
  BoundsList<std::string> bounds;
  for (int i = 0; i < 20; ++i) bounds.Add("customer " + std::to_string(10 + i), "customer " + std::to_string(90 - i));
  EXPECT_EQ(ClusteringOf(bounds).hit_mean, 20);
}

TEST(Clustering, NoContainers) {
  EXPECT_EQ(ClusteringOf(BoundsList<int>()).count, 0);
  EXPECT_EQ(ClusteringOf(BoundsList<int>()).share(), 1);
}

}  // namespace
}  // namespace frazil::layout
