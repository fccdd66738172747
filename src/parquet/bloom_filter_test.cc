// SPDX-License-Identifier: Apache-2.0
#include "src/parquet/bloom_filter.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <parquet/bloom_filter.h>

#include "src/parquet/thrift_for_test.h"

namespace frazil::parquet {
namespace {

template <typename T>
std::string Bytes(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

std::string Header(int64_t bitset_bytes, int algorithm = 1, int hash = 1, int compression = 1) {
  const auto one = [](int member) { return ThriftStruct().Struct(member, ThriftStruct()); };
  return ThriftStruct()
      .I32(1, bitset_bytes)
      .Struct(2, one(algorithm))
      .Struct(3, one(hash))
      .Struct(4, one(compression))
      .bytes();
}

void Insert(std::string* bitset, uint64_t hash) {
  const BloomFilterShape shape{0, 0, static_cast<int32_t>(bitset->size())};
  constexpr uint32_t kSalts[] = {0x47b6137bU, 0x44974d91U, 0x8824ad5bU, 0xa2b7289dU,
                                 0x705495c7U, 0x2df1424bU, 0x9efc4947U, 0x5c6bfb31U};
  for (int word = 0; word < 8; ++word) {
    const uint32_t bit = (static_cast<uint32_t>(hash) * kSalts[word]) >> 27;
    char& byte = (*bitset)[static_cast<size_t>(shape.block(hash) * 32 + word * 4 + bit / 8)];
    byte = static_cast<char>(byte | (1 << (bit % 8)));
  }
}

bool MayContain(std::string_view bitset, std::string_view value) {
  const BloomFilterShape shape{0, 0, static_cast<int32_t>(bitset.size())};
  const uint64_t hash = BloomHash(value);
  const ByteRange block = shape.block_range(shape.block(hash));
  return BlockMayContain(bitset.substr(static_cast<size_t>(block.offset), 32), hash);
}

TEST(BloomFilter, HashesOfKnownValues) {
  EXPECT_EQ(BloomHash(""), 0xef46db3751d8e999U);
  EXPECT_EQ(BloomHash("hello"), 0x26c7827d889f6da3U);
  EXPECT_EQ(BloomHash("parquet"), 0x3c9d29275c52e429U);
  EXPECT_EQ(BloomHash("bloom"), 0x50c8fb9e62dbc53cU);
  EXPECT_EQ(BloomHash("filter"), 0x2a5736cdfcd7a9a1U);
  EXPECT_EQ(BloomHash(Bytes(int32_t{1})), 0xf42f94001fcb5351U);
  EXPECT_EQ(BloomHash(Bytes(int64_t{1})), 0x9f29cb17a2a49995U);
  EXPECT_EQ(BloomHash(Bytes(int32_t{-1})), 0x7f78e4bda3addf93U);
  EXPECT_EQ(BloomHash(Bytes(1.5F)), 0x4f2d82595c483a0dU);
  EXPECT_EQ(BloomHash(Bytes(1.5)), 0x49f7b96b6b5ccaf9U);
  EXPECT_EQ(BloomHash(Bytes(0.0)), 0x34c96acdcadb1bbbU);
  EXPECT_EQ(BloomHash(Bytes(-0.0)), 0x3f425eacf01544e0U);
  const int64_t counted[] = {-1205034819632174695, -1642502924627794072, 5216751715308240086, -1889335612763511331};
  std::string bytes;
  for (const int64_t hash : counted) {
    EXPECT_EQ(static_cast<int64_t>(BloomHash(bytes)), hash);
    bytes.push_back(static_cast<char>(bytes.size()));
  }
}

TEST(BloomFilter, HeaderOfKnownBytes) {
  const std::string header("\x15\x80\x10\x1c\x1c\x00\x00\x1c\x1c\x00\x00\x1c\x1c\x00\x00\x00", 16);
  EXPECT_EQ(header, Header(1024));
  auto shape = ParseBloomFilterHeader(header + std::string(1024, '\0'), 100);
  ASSERT_TRUE(shape.ok()) << shape.status();
  EXPECT_EQ(*shape, (BloomFilterShape{100, 16, 1024}));
  const std::pair<const char*, int64_t> blocks[] = {{"hello", 4}, {"parquet", 7}, {"bloom", 10}, {"filter", 5}};
  for (const auto& [word, block] : blocks) EXPECT_EQ(shape->block(BloomHash(word)), block) << word;
  EXPECT_EQ(shape->block_range(3), (ByteRange{100 + 16 + 96, 32}));
}

TEST(BloomFilter, OneBlockOfAnotherWriter) {
  const unsigned char bytes[] = {0xc8, 0x01, 0x50, 0x14, 0x40, 0x44, 0x08, 0x6d, 0x06, 0x25, 0x04,
                                 0x43, 0x90, 0x50, 0x60, 0x20, 0x08, 0x84, 0x2b, 0x21, 0x00, 0x05,
                                 0x63, 0x41, 0x02, 0x00, 0xe0, 0x2c, 0x40, 0x4e, 0x60, 0x04};
  const std::string bitset(reinterpret_cast<const char*>(bytes), sizeof(bytes));
  std::string built(32, '\0');
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(MayContain(bitset, "a" + std::to_string(i)));
    Insert(&built, BloomHash("a" + std::to_string(i)));
  }
  EXPECT_EQ(built, bitset);
  EXPECT_FALSE(MayContain(bitset, "b0"));
}

TEST(BloomFilter, LengthTellsTheShape) {
  const std::pair<int64_t, int32_t> headers[] = {{32, 15},          {64, 16},       {96, 16},       {4096, 16},
                                                 {8192, 17},        {16384, 17},    {32768, 17},    {262144, 17},
                                                 {1024 * 1024, 18}, {64 << 20, 18}, {128 << 20, 19}};
  for (const auto& [bitset_bytes, header_bytes] : headers) {
    EXPECT_EQ(Header(bitset_bytes).size(), static_cast<size_t>(header_bytes));
    const auto shape = ShapeOfLength(7, bitset_bytes + header_bytes);
    ASSERT_TRUE(shape.has_value()) << bitset_bytes;
    EXPECT_EQ(*shape, (BloomFilterShape{7, header_bytes, static_cast<int32_t>(bitset_bytes)}));
    auto parsed = ParseBloomFilterHeader(Header(bitset_bytes), 7);
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(*parsed, *shape);
  }
  for (const int64_t length : {-1, 0, 15, 16, 32, 46, 48, 64 + 15, 4096 + 17, 16384, 16384 + 16}) {
    EXPECT_FALSE(ShapeOfLength(0, length).has_value()) << length;
  }
}

TEST(BloomFilter, HeadersThatAreNotUsed) {
  const auto reason = [](const std::string& bytes) {
    auto shape = ParseBloomFilterHeader(bytes, 0);
    return shape.ok() ? std::string() : shape.status().message();
  };
  EXPECT_EQ(reason(Header(64)), "");
  EXPECT_NE(reason(Header(64, 2)).find("algorithm"), std::string::npos);
  EXPECT_NE(reason(Header(64, 1, 2)).find("the hash"), std::string::npos);
  EXPECT_NE(reason(Header(64, 1, 1, 2)).find("compression"), std::string::npos);
  for (const int64_t bytes : {0, -32, 31, 33, 40}) {
    EXPECT_NE(reason(Header(bytes)).find("whole blocks"), std::string::npos) << bytes;
  }
  EXPECT_NE(reason(""), "");
  EXPECT_NE(reason(std::string(64, '\0')), "");
  EXPECT_NE(reason(std::string(64, '\xff')), "");
  const std::string whole = Header(1024);
  for (size_t size = 0; size < whole.size(); ++size) EXPECT_NE(reason(whole.substr(0, size)), "") << size;
  // No union, an empty one, and one with two members.
  EXPECT_NE(reason(ThriftStruct().I32(1, 64).bytes()), "");
  const ThriftStruct block = ThriftStruct().Struct(1, ThriftStruct());
  EXPECT_NE(reason(ThriftStruct().I32(1, 64).Struct(2, ThriftStruct()).Struct(3, block).Struct(4, block).bytes()), "");
  const ThriftStruct both = ThriftStruct().Struct(1, ThriftStruct()).Struct(2, ThriftStruct());
  EXPECT_NE(reason(ThriftStruct().I32(1, 64).Struct(2, both).Struct(3, block).Struct(4, block).bytes()), "");
  // A field that a later version may add.
  EXPECT_EQ(reason(ThriftStruct().I32(1, 64).Struct(2, block).Struct(3, block).Struct(4, block).I32(5, 7).bytes()), "");
}

TEST(BloomFilter, NoValueIsLostAtAnyNumberOfBlocks) {
  std::mt19937_64 random(20261130);
  for (const size_t blocks : {1, 2, 3, 31, 32, 100, 1001}) {
    std::string bitset(blocks * 32, '\0');
    std::vector<std::string> values;
    for (size_t i = 0; i < blocks * 8; ++i) {
      values.push_back("value " + std::to_string(random()));
      Insert(&bitset, BloomHash(values.back()));
    }
    for (const std::string& value : values) EXPECT_TRUE(MayContain(bitset, value));
    size_t false_positives = 0;
    for (int i = 0; i < 2000; ++i) false_positives += MayContain(bitset, "other " + std::to_string(random())) ? 1 : 0;
    EXPECT_LT(false_positives, 100U) << blocks;  // 32 bits a value: 0.003 % are expected
  }
}

TEST(BloomFilter, SameBitsAsArrow) {
  std::mt19937_64 random(7);
  ::parquet::BlockSplitBloomFilter arrow_filter;
  arrow_filter.Init(uint32_t{1024});
  std::string bitset(1024, '\0');
  for (int i = 0; i < 300; ++i) {
    const uint64_t hash = random();
    arrow_filter.InsertHash(hash);
    Insert(&bitset, hash);
  }
  const BloomFilterShape shape{0, 0, 1024};
  for (int i = 0; i < 5000; ++i) {
    const uint64_t hash = random();
    const auto block = static_cast<size_t>(shape.block(hash)) * 32;
    EXPECT_EQ(BlockMayContain(std::string_view(bitset).substr(block, 32), hash), arrow_filter.FindHash(hash));
  }
}

TEST(BloomFilter, BlocksAreWantedOnce) {
  const BloomFilterShape shape{1000, 16, 1024};
  const auto in_block = [](uint64_t block) { return (block << 59) | 1; };  // 32 blocks: the top five bits
  const std::vector<uint64_t> hashes{in_block(5), in_block(3), in_block(4), in_block(5), in_block(9)};
  EXPECT_EQ(BlockRanges(shape, hashes), (std::vector<ByteRange>{{1016 + 3 * 32, 96}, {1016 + 9 * 32, 32}}));
  EXPECT_TRUE(BlockRanges(shape, {}).empty());
}

}  // namespace
}  // namespace frazil::parquet
