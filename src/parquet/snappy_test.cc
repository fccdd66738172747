// SPDX-License-Identifier: Apache-2.0
#include "src/parquet/snappy.h"

#include <memory>
#include <random>
#include <string>
#include <vector>

#include <arrow/util/compression.h>
#include <gtest/gtest.h>

namespace frazil::parquet {
namespace {

using Bytes = std::vector<uint8_t>;

// Exactly as many bytes on the heap as a block has, so that a sanitizer sees a step too far.
struct Exact {
  explicit Exact(size_t size_bytes) : size(size_bytes), data(new uint8_t[size_bytes]()) {}
  std::span<uint8_t> span() const { return {data.get(), size}; }
  size_t size;
  std::unique_ptr<uint8_t[]> data;
};

bool Decompress(const Bytes& block, size_t size, Bytes* out) {
  const Exact in(block.size());
  std::copy(block.begin(), block.end(), in.data.get());
  const Exact content(size);
  const bool ok = DecompressSnappy(in.span(), content.span());
  out->assign(content.data.get(), content.data.get() + size);
  return ok;
}

std::unique_ptr<arrow::util::Codec> ArrowCodec() {
  return arrow::util::Codec::Create(arrow::Compression::SNAPPY).ValueOrDie();
}

Bytes Compress(const Bytes& content) {
  const auto codec = ArrowCodec();
  Bytes block(static_cast<size_t>(codec->MaxCompressedLen(static_cast<int64_t>(content.size()), content.data())));
  block.resize(static_cast<size_t>(codec
                                       ->Compress(static_cast<int64_t>(content.size()), content.data(),
                                                  static_cast<int64_t>(block.size()), block.data())
                                       .ValueOrDie()));
  return block;
}

// Blocks by hand.
class Block {
 public:
  explicit Block(uint32_t length) { Varint(length); }
  Block& Literal(const std::string& text) {
    const auto length = static_cast<uint32_t>(text.size() - 1);
    if (length < 60) {
      Add(length << 2);
    } else {
      uint32_t operand_bytes = 1;
      while (operand_bytes < 4 && length >> (8 * operand_bytes) != 0) ++operand_bytes;
      Add((59 + operand_bytes) << 2);
      for (uint32_t i = 0; i < operand_bytes; ++i) Add(length >> (8 * i));
    }
    bytes.insert(bytes.end(), text.begin(), text.end());
    return *this;
  }
  Block& Copy1(uint32_t offset, uint32_t length) {
    Add(1 | ((length - 4) << 2) | ((offset >> 8) << 5));
    Add(offset);
    return *this;
  }
  Block& Copy2(uint32_t offset, uint32_t length) { return Copy(2, 2, offset, length); }
  Block& Copy4(uint32_t offset, uint32_t length) { return Copy(3, 4, offset, length); }

  Bytes bytes;

 private:
  void Add(uint32_t byte) { bytes.push_back(static_cast<uint8_t>(byte)); }
  void Varint(uint32_t value) {
    for (; value > 127; value >>= 7) Add(value | 128);
    Add(value);
  }
  Block& Copy(uint32_t kind, uint32_t operand_bytes, uint32_t offset, uint32_t length) {
    Add(kind | ((length - 1) << 2));
    for (uint32_t i = 0; i < operand_bytes; ++i) Add(offset >> (8 * i));
    return *this;
  }
};

std::string Text(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }

// Content of some kind: noise, runs, sorted and random numbers, words.
Bytes RandomContent(std::mt19937_64& random) {
  Bytes content(random() % 5000);
  const uint64_t kind = random() % 5;
  const uint64_t period = 1 + random() % 70;
  for (size_t i = 0; i < content.size(); ++i) {
    const uint64_t number = kind == 2 ? i / 8 + 1'000'000 : (i / 8) * 0x9e3779b97f4a7c15u % 1'000'000;
    content[i] = static_cast<uint8_t>(kind == 0   ? random()
                                      : kind == 1 ? i % period
                                      : kind < 4  ? number >> (8 * (i % 8))
                                                  : (random() % 9 == 0 ? random() : i / 97));
  }
  return content;
}

TEST(Snappy, DecodesWhatArrowCompresses) {
  const uint64_t seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  for (int i = 0; i < 2000; ++i) {
    const Bytes content = RandomContent(random);
    Bytes out;
    ASSERT_TRUE(Decompress(Compress(content), content.size(), &out));
    ASSERT_EQ(out, content);
  }
}

TEST(Snappy, EveryCopyDistanceAndLengthAnywhere) {
  // In front of a tail that is long, the copy is decoded in steps; at the end it is decoded byte by byte.
  std::string head;
  for (int i = 0; i < 80; ++i) head += static_cast<char>('0' + i);
  for (const size_t tail_bytes : {0, 1, 300}) {
    const std::string tail(tail_bytes, '!');
    for (uint32_t offset = 1; offset <= 80; ++offset) {
      for (uint32_t length = 1; length <= 64; ++length) {
        std::string content = head;
        for (uint32_t i = 0; i < length; ++i) content += content[content.size() - offset];
        content += tail;
        std::vector<Block> blocks;
        const auto size = static_cast<uint32_t>(content.size());
        blocks.push_back(Block(size).Literal(head).Copy2(offset, length));
        blocks.push_back(Block(size).Literal(head).Copy4(offset, length));
        if (length >= 4 && length <= 11) blocks.push_back(Block(size).Literal(head).Copy1(offset, length));
        for (Block& block : blocks) {
          if (!tail.empty()) block.Literal(tail);
          Bytes out;
          ASSERT_TRUE(Decompress(block.bytes, content.size(), &out)) << offset << " " << length << " " << tail_bytes;
          ASSERT_EQ(Text(out), content) << offset << " " << length << " " << tail_bytes;
        }
      }
    }
  }
}

TEST(Snappy, LiteralsOfEveryLengthOfLength) {
  for (const size_t length : {1, 59, 60, 61, 255, 256, 257, 65536, 65537, 16777217}) {
    const std::string text(length, 'x');
    Bytes out;
    ASSERT_TRUE(Decompress(Block(static_cast<uint32_t>(length)).Literal(text).bytes, length, &out)) << length;
    EXPECT_EQ(Text(out), text);
  }
}

TEST(Snappy, NothingIsAContentToo) {
  Bytes out;
  EXPECT_TRUE(Decompress({0}, 0, &out));
  EXPECT_FALSE(Decompress({}, 0, &out));
  EXPECT_FALSE(Decompress({0, 0, 'a'}, 0, &out));
}

TEST(Snappy, RefusesMalformedBlocks) {
  const std::string text(200, 'x');
  Bytes out;
  EXPECT_FALSE(Decompress(Block(200).Literal(text).bytes, 199, &out)) << "another size than asked for";
  EXPECT_FALSE(Decompress(Block(201).Literal(text).bytes, 201, &out)) << "less than promised";
  EXPECT_FALSE(Decompress(Block(199).Literal(text).bytes, 199, &out)) << "more than promised";
  EXPECT_FALSE(Decompress(Block(464).Literal(text).Copy2(0, 64).Literal(text).bytes, 464, &out)) << "offset 0";
  EXPECT_FALSE(Decompress(Block(464).Literal(text).Copy2(201, 64).Literal(text).bytes, 464, &out)) << "before all";
  EXPECT_FALSE(Decompress(Block(264).Literal(text).Copy4(0x80000001, 64).bytes, 264, &out)) << "far before the start";
  EXPECT_FALSE(Decompress({0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, 10, &out)) << "length of more than 32 bits";
  Bytes endless = Block(300).Literal(text).bytes;
  endless.insert(endless.end(), {63 << 2, 0xff, 0xff, 0xff, 0xff});
  EXPECT_FALSE(Decompress(endless, 300, &out)) << "literal of 4 GiB";
}

TEST(Snappy, DamagedBlocksAreJudgedAsArrowDoes) {
  const uint64_t seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  const auto codec = ArrowCodec();
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    Bytes content = RandomContent(random);
    content.resize(std::min<size_t>(content.size(), 600));
    Bytes block = Compress(content);
    if (random() % 4 == 0) {
      block.resize(random() % (block.size() + 1));
    } else {
      for (uint64_t flips = 1 + random() % 3; flips > 0; --flips) block[random() % block.size()] ^= 1 << random() % 8;
    }
    Bytes out;
    const bool ok = Decompress(block, content.size(), &out);
    Bytes expected(content.size());
    const auto size = codec->Decompress(static_cast<int64_t>(block.size()), block.data(),
                                        static_cast<int64_t>(expected.size()), expected.data());
    ASSERT_EQ(ok, size.ok() && *size == static_cast<int64_t>(content.size()));
    if (ok) {
      ASSERT_EQ(out, expected);
    }
    refused += ok ? 0 : 1;
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace frazil::parquet
