// SPDX-License-Identifier: Apache-2.0
#include "src/parquet/page_walk.h"

#include <gtest/gtest.h>

#include "src/parquet/thrift_for_test.h"

namespace frazil::parquet {
namespace {

// A page of `value_count` values and a body of `body_bytes`. Kinds: 0 data V1, 2 dictionary.
std::string Page(int kind, int64_t value_count, int64_t body_bytes) {
  ThriftStruct header;
  header.I32(1, kind).I32(2, body_bytes).I32(3, body_bytes);
  if (kind == 0) {
    header.Struct(5, ThriftStruct().I32(1, value_count).I32(2, 0).I32(3, 3).I32(4, 3));
  } else {
    header.Struct(7, ThriftStruct().I32(1, value_count).I32(2, 0));
  }
  return header.bytes() + std::string(static_cast<size_t>(body_bytes), 'v');
}

TEST(WalkPages, FindsDataPagesBehindADictionary) {
  const std::string dictionary = Page(2, 3, 24);
  const std::string first = Page(0, 10, 80);
  const std::string second = Page(0, 5, 40);
  auto index = WalkPages(dictionary + first + Page(0, 0, 0) + second, 1000, 15);
  ASSERT_TRUE(index.ok()) << index.status();
  ASSERT_EQ(index->page_count(), 2);
  EXPECT_EQ(index->row_count, 15);
  EXPECT_EQ(index->range(0),
            (ByteRange{1000 + static_cast<int64_t>(dictionary.size()), static_cast<int64_t>(first.size())}));
  EXPECT_EQ(index->first_row(0), 0);
  EXPECT_EQ(index->first_row(1), 10);
  EXPECT_EQ(index->range(1).length, static_cast<int64_t>(second.size()));
}

TEST(WalkPages, BytesBehindTheLastRowAreNotLookedAt) {
  auto index = WalkPages(Page(0, 10, 80) + "garbage", 4, 10);
  ASSERT_TRUE(index.ok()) << index.status();
  EXPECT_EQ(index->page_count(), 1);
}

TEST(WalkPages, RefusesWhatIsNoChunkOfSoManyRows) {
  const std::string pages = Page(0, 10, 80) + Page(0, 5, 40);
  EXPECT_FALSE(WalkPages(pages, 0, 14).ok());
  EXPECT_FALSE(WalkPages(pages, 0, 16).ok());
  EXPECT_FALSE(WalkPages(pages.substr(0, pages.size() - 1), 0, 15).ok());
  EXPECT_FALSE(WalkPages(std::string(20, '\xff'), 0, 15).ok());
  EXPECT_FALSE(WalkPages("", 0, 15).ok());
}

}  // namespace
}  // namespace frazil::parquet
