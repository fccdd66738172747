// SPDX-License-Identifier: Apache-2.0

#include "src/iceberg/deletion_vector.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <arrow/util/crc32.h>
#include <gtest/gtest.h>

#include "frazil/error.h"

namespace frazil::iceberg {
namespace {

template <typename T>
std::string Little(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

std::string Big32(uint32_t value) {
  std::string bytes = Little(value);
  std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

struct TestContainer {
  uint16_t key = 0;
  uint32_t cardinality = 0;  // as told
  bool runs = false;
  std::string bytes;
};

TestContainer List(uint16_t key, const std::vector<uint16_t>& positions) {
  TestContainer made{.key = key, .cardinality = static_cast<uint32_t>(positions.size()), .bytes = {}};
  for (const uint16_t position : positions) made.bytes += Little(position);
  return made;
}

TestContainer Runs(uint16_t key, const std::vector<std::pair<uint16_t, uint16_t>>& first_and_more) {
  TestContainer made{.key = key, .runs = true, .bytes = Little(static_cast<uint16_t>(first_and_more.size()))};
  for (const auto& [first, more] : first_and_more) {
    made.bytes += Little(first) + Little(more);
    made.cardinality += more + 1U;
  }
  return made;
}

TestContainer Bits(uint16_t key, const std::set<uint32_t>& positions) {
  TestContainer made{
      .key = key, .cardinality = static_cast<uint32_t>(positions.size()), .bytes = std::string(8192, '\0')};
  for (const uint32_t position : positions) {
    made.bytes[position / 8] = static_cast<char>(static_cast<uint8_t>(made.bytes[position / 8]) | 1U << position % 8);
  }
  return made;
}

std::string Bitmap32(const std::vector<TestContainer>& containers) {
  const auto count = static_cast<uint32_t>(containers.size());
  const bool runs = std::any_of(containers.begin(), containers.end(), [](const TestContainer& c) { return c.runs; });
  std::string bytes = runs ? Little(uint32_t{12347} | (count - 1) << 16) : Little(uint32_t{12346}) + Little(count);
  if (runs) {
    std::string flags((count + 7) / 8, '\0');
    for (uint32_t i = 0; i < count; ++i) {
      if (containers[i].runs) flags[i / 8] = static_cast<char>(static_cast<uint8_t>(flags[i / 8]) | 1U << i % 8);
    }
    bytes += flags;
  }
  for (const TestContainer& c : containers) bytes += Little(c.key) + Little(static_cast<uint16_t>(c.cardinality - 1));
  if (!runs || count >= 4) bytes += std::string(size_t{count} * 4, '\xee');  // offsets, which are not believed
  for (const TestContainer& c : containers) bytes += c.bytes;
  return bytes;
}

std::string Bitmap64(const std::vector<std::pair<uint32_t, std::string>>& bitmaps) {
  std::string bytes = Little(static_cast<uint64_t>(bitmaps.size()));
  for (const auto& [key, bitmap] : bitmaps) bytes += Little(key) + bitmap;
  return bytes;
}

std::string Blob(const std::string& bitmap64) {
  const std::string checked = "\xD1\xD3\x39\x64" + bitmap64;
  return Big32(static_cast<uint32_t>(checked.size())) + checked +
         Big32(arrow::internal::crc32(0, checked.data(), checked.size()));
}

std::string Message(const std::string& bitmap64) {
  const auto rows = DecodeRoaring64(bitmap64);
  if (rows.ok()) return "accepted";
  EXPECT_EQ(KindOf(rows.status()), ErrorKind::kCorrupt);
  const std::string& text = rows.status().message();
  return text.substr(text.find(": ") + 2);
}

TEST(DeletionVector, DecodesEveryContainer) {
  std::set<uint32_t> many;
  for (uint32_t i = 0; i < 5000; ++i) many.insert(64 + i * 2);
  many.insert({65, 67, 65535});  // 64 to 68 is one run
  const std::string bitmap =
      Bitmap32({List(0, {0, 1, 7}), Bits(2, many), Runs(3, {{0, 9}, {20, 0}, {65530, 5}}), List(4, {0})});
  const auto rows =
      DecodeDeletionVector(Blob(Bitmap64({{0, bitmap}, {5, Bitmap32({Runs(0, {{0, 65535}})})}})), std::nullopt);
  ASSERT_TRUE(rows.ok()) << rows.status().ToString();
  const int64_t second = 2 << 16, third = 3 << 16, far = int64_t{5} << 32;
  RowRanges expected{{0, 2}, {7, 8}, {second + 64, second + 69}};
  for (const uint32_t position : many) {
    if (position > 68 && position < 65535) expected.Append(second + position, second + position + 1);
  }
  expected.Append(second + 65535, third + 10);  // across containers
  expected.Append(third + 20, third + 21);
  expected.Append(third + 65530, third + 65537);
  expected.Append(far, far + 65536);
  EXPECT_EQ(*rows, expected);
}

TEST(DeletionVector, DecodesRandomSets) {
  const uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 10; ++round) {
    std::vector<TestContainer> containers;
    RowRanges expected;
    for (uint16_t key = 0; key < 6; ++key) {
      std::set<uint32_t> positions;
      const bool dense = random() % 2 == 0;
      const size_t count = dense ? 4097 + random() % 50'000 : 1 + random() % 4096;
      while (positions.size() < count) positions.insert(static_cast<uint32_t>(random() % 65536));
      for (const uint32_t p : positions) expected.Append((int64_t{key} << 16) + p, (int64_t{key} << 16) + p + 1);
      containers.push_back(dense ? Bits(key, positions) : List(key, {positions.begin(), positions.end()}));
    }
    const auto rows = DecodeDeletionVector(Blob(Bitmap64({{0, Bitmap32(containers)}})), expected.count());
    ASSERT_TRUE(rows.ok()) << rows.status().ToString();
    ASSERT_EQ(*rows, expected);
  }
}

TEST(DeletionVector, DecodesEmptyOnes) {
  EXPECT_TRUE(DecodeDeletionVector(Blob(Bitmap64({})), 0)->empty());
  EXPECT_TRUE(DecodeDeletionVector(Blob(Bitmap64({{0, Bitmap32({})}})), 0)->empty());
}

TEST(DeletionVector, ChecksItsEnvelope) {
  const std::string sound = Blob(Bitmap64({{0, Bitmap32({List(0, {3, 4, 9})})}}));
  EXPECT_EQ(*DecodeDeletionVector(sound, 3), (RowRanges{{3, 5}, {9, 10}}));
  const auto message = [](const std::string& blob, std::optional<int64_t> cardinality = std::nullopt) {
    const auto rows = DecodeDeletionVector(blob, cardinality);
    if (rows.ok()) return std::string("accepted");
    EXPECT_EQ(KindOf(rows.status()), ErrorKind::kCorrupt);
    return rows.status().message().substr(std::string("the deletion vector is malformed: ").size());
  };
  EXPECT_EQ(message(sound, 4), "it has 3 rows, its manifest entry tells of 4");
  EXPECT_EQ(message(""), "it has 0 bytes");
  EXPECT_EQ(message(sound + "x"), "it tells a length of 38 in a blob of 47 bytes");
  std::string magic = sound;
  magic[4] ^= 1;
  EXPECT_EQ(message(magic), "it does not begin with its magic number");
  for (size_t at = 8; at < sound.size(); ++at) {
    std::string damaged = sound;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    EXPECT_EQ(message(damaged), "its checksum is wrong") << at;
  }
}

TEST(DeletionVector, RefusesMalformedBitmaps) {
  EXPECT_EQ(Message(Bitmap64({{1, Bitmap32({List(0, {1})})}, {1, Bitmap32({List(0, {1})})}})),
            "its bitmaps are not sorted");
  EXPECT_EQ(Message(Bitmap64({{0x80000000U, Bitmap32({List(0, {1})})}})), "a position is above all that are possible");
  EXPECT_EQ(Message(Bitmap64({{0, Bitmap32({List(3, {1}), List(3, {2})})}})), "its containers are not sorted");
  EXPECT_EQ(Message(Bitmap64({{0, Bitmap32({List(0, {1, 1})})}})), "its positions are not sorted");
  EXPECT_EQ(Message(Bitmap64({{0, Bitmap32({Runs(0, {{0, 5}, {5, 1}})})}})),
            "its runs overlap or leave their container");
  EXPECT_EQ(Message(Bitmap64({{0, Bitmap32({Runs(0, {{65530, 6}})})}})), "its runs overlap or leave their container");
  EXPECT_EQ(Message(Bitmap64({{0, Little(uint32_t{7})}})), "it holds no Roaring bitmap");
  EXPECT_EQ(Message(Bitmap64({{0, Little(uint32_t{12346}) + Little(uint32_t{65537})}})),
            "a bitmap claims 65537 containers");
  EXPECT_EQ(Message(Bitmap64({{0, Bitmap32({List(0, {1})})}}) + "xy"), "2 bytes are left over");
  EXPECT_EQ(Message(Little(uint64_t{1} << 60)), "it ends too soon");
  TestContainer told = Runs(0, {{0, 5}});
  ++told.cardinality;
  EXPECT_EQ(Message(Bitmap64({{0, Bitmap32({told})}})), "a container has another number of rows than it tells");
  std::set<uint32_t> many;
  for (uint32_t i = 0; i < 5000; ++i) many.insert(i);
  TestContainer bits = Bits(0, many);
  --bits.cardinality;
  EXPECT_EQ(Message(Bitmap64({{0, Bitmap32({bits})}})), "a container has another number of rows than it tells");
  const std::string sound = Bitmap64({{0, Bitmap32({List(0, {1, 2}), Runs(1, {{0, 1}}), Bits(2, many)})}});
  ASSERT_TRUE(DecodeRoaring64(sound).ok());
  for (size_t size = 0; size < sound.size(); ++size) {
    ASSERT_FALSE(DecodeRoaring64(sound.substr(0, size)).ok()) << "cut to " << size;
  }
}

// Files of Iceberg's own tests.
TEST(DeletionVector, DecodesWhatIcebergWrites) {
  const char* shared = std::getenv("FRAZIL_SHARED");
  const auto folder = std::filesystem::path(shared == nullptr ? "" : shared) /
                      "corpus/iceberg/apache-iceberg/org/apache/iceberg/deletes";
  if (shared == nullptr || !std::filesystem::exists(folder)) GTEST_SKIP() << "no data from outside";
  const auto read = [&](const std::string& name) {
    std::ifstream in(folder / name, std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  };
  const auto vector = [&](const std::string& name, int64_t cardinality) {
    const auto rows = DecodeDeletionVector(read(name), cardinality);
    EXPECT_TRUE(rows.ok()) << rows.status().ToString();
    return rows.ok() ? rows->ToString() : "";
  };
  const auto bitmap = [&](const std::string& name) {
    const auto rows = DecodeRoaring64(read(name));
    EXPECT_TRUE(rows.ok()) << rows.status().ToString();
    return rows.ok() ? rows->ToString() : "";
  };
  EXPECT_EQ(vector("empty-position-index.bin", 0), "");
  EXPECT_EQ(vector("small-alternating-values-position-index.bin", 5), "[1,2) [3,4) [5,6) [7,8) [9,10)");
  EXPECT_EQ(vector("small-and-large-values-position-index.bin", 4), "[100,102) [2147483747,2147483749)");
  EXPECT_EQ(vector("all-container-types-position-index.bin", 132561),
            "[5,6) [7,8) [65537,66536) [131073,196607) [4294967306,4294967307) [4294967316,4294967317) "
            "[4295032842,4295033332) [4295098369,4295163903)");
  RowRanges spread;
  for (int64_t key = 0; key < 10; ++key) spread.Append(key << 32, (key << 32) + 10);
  EXPECT_EQ(bitmap("64mapspreadvals.bin"), spread.ToString());
  EXPECT_EQ(bitmap("64mapempty.bin"), "");
  EXPECT_EQ(bitmap("64map32bitvals.bin"), "[0,10)");
}

}  // namespace
}  // namespace frazil::iceberg
