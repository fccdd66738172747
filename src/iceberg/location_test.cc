// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/location.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "frazil/error.h"

namespace frazil::iceberg {
namespace {

std::string Parts(std::string_view location) {
  const LocationParts parts = SplitLocation(location);
  return std::string(parts.scheme) + "|" + std::string(parts.authority) + "|" + std::string(parts.path);
}

TEST(Location, Parts) {
  EXPECT_EQ(Parts("hdfs://host:20500/a/b"), "hdfs|host:20500|/a/b");
  EXPECT_EQ(Parts("file:/a"), "file||/a");
  EXPECT_EQ(Parts("file:///a"), "file||/a");
  EXPECT_EQ(Parts("/a/x:y"), "||/a/x:y");
  EXPECT_EQ(Parts("a/b"), "||a/b");
  EXPECT_EQ(Parts("s3://bucket"), "s3|bucket|");
}

TEST(Location, Same) {
  EXPECT_TRUE(SameLocation("hdfs://localhost:20500/w/a", "/w/a"));
  EXPECT_TRUE(SameLocation("s3a://b/a", "s3://b/a"));
  EXPECT_TRUE(SameLocation("file:/a", "file:///a"));
  EXPECT_FALSE(SameLocation("s3://one/a", "s3://two/a"));
  EXPECT_FALSE(SameLocation("s3://one/a", "gs://one/a"));
  EXPECT_FALSE(SameLocation("/w/a", "/w/b"));
}

std::string Moved(const LocationMap& map, std::string_view location) {
  const auto address = map.Address(location);
  return address.ok() ? *address : ErrorKindName(KindOf(address.status()));
}

TEST(LocationMap, TheLongestBeginningThatFits) {
  const LocationMap map({{"file:/w", "/x"}, {"file:/w/t", "/y"}, {"s3://b/", "/z/"}, {"./r", "/q"}});
  EXPECT_EQ(Moved(map, "file:/w/a"), "/x/a");
  EXPECT_EQ(Moved(map, "file:/w/t/a"), "/y/a");
  EXPECT_EQ(Moved(map, "file:/w/tt"), "/x/tt");
  EXPECT_EQ(Moved(map, "file:/ww/a"), "/ww/a");
  EXPECT_EQ(Moved(map, "file:///w/a"), "/x/a");
  EXPECT_EQ(Moved(map, "s3://b/k"), "/z/k");
  EXPECT_EQ(Moved(map, "s3a://b/k"), "/z/k");
  EXPECT_EQ(Moved(map, "s3://other/k"), "s3://other/k");
  EXPECT_EQ(Moved(map, "gs://b/k"), "unsupported");
  EXPECT_EQ(Moved(map, "r/k"), "/q/k");
}

TEST(LocationMap, RelativeOnesFromWhereTheTableIs) {
  const auto moved = [](const char* relative_folder, const char* folder, const char* location) {
    LocationMap map(std::vector<std::pair<std::string, std::string>>{{"rewritten", "/x"}});
    map.SetRelativeFolder(relative_folder, folder);
    return Moved(map, location);
  };
  EXPECT_EQ(moved("data/t", "/c/t", "data/t/metadata/a"), "/c/t/metadata/a");
  EXPECT_EQ(moved("data/t", "/c/t", "data/beside/a"), "/c/beside/a");
  EXPECT_EQ(moved("./data/t/", "/c/u", "data/t/a"), "/c/u/a");
  EXPECT_EQ(moved("data/t", "/c/u", "data/beside/a"), "data/beside/a");
  EXPECT_EQ(moved("w/t", "/c/w/t", "other/a"), "/c/other/a");
  EXPECT_EQ(moved("t", "t", "t/a"), "t/a");
  EXPECT_EQ(moved("w/t", "/c/t", "/w/t/a"), "/w/t/a");
  EXPECT_EQ(moved("rewritten", "/c/rewritten", "rewritten/a"), "/x/a");
  EXPECT_EQ(moved("../t", "/c/t", "../t/a"), "/c/t/a");
}

TEST(LocationMap, APathAloneFitsAnyHost) {
  const LocationMap map(std::vector<std::pair<std::string, std::string>>{{"/w", "/x"}});
  EXPECT_EQ(Moved(map, "hdfs://localhost:20500/w/a"), "/x/a");
  EXPECT_EQ(Moved(map, "/w/a"), "/x/a");
  EXPECT_EQ(Moved(LocationMap(), "file:///w/a"), "/w/a");
}

}  // namespace
}  // namespace frazil::iceberg
