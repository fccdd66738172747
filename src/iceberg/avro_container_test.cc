// SPDX-License-Identifier: Apache-2.0

#include "src/iceberg/avro_container.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "src/iceberg/avro_decoder.h"
#include "src/iceberg/avro_for_test.h"

namespace frazil::iceberg {
namespace {

constexpr std::string_view kStrings = R"("string")";

// All strings of the file, or the error.
arrow::Result<std::vector<std::string>> Strings(std::string_view bytes) {
  ARROW_ASSIGN_OR_RAISE(AvroContainer file, AvroContainer::Open(bytes));
  std::vector<std::string> strings;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const auto block, file.NextBlock());
    if (!block) return strings;
    AvroDecoder in(block->bytes);
    for (int64_t i = 0; i < block->record_count; ++i) strings.emplace_back(in.Bytes());
    EXPECT_TRUE(in.ok());
  }
}

std::string Message(std::string_view bytes, ErrorKind kind = ErrorKind::kCorrupt) {
  const auto strings = Strings(bytes);
  if (strings.ok()) return "accepted";
  EXPECT_EQ(KindOf(strings.status()), kind);
  return strings.status().message();
}

TEST(AvroContainer, ReadsEveryCodec) {
  std::vector<std::string> written;
  std::vector<AvroTestBlock> blocks;
  for (int b = 0; b < 3; ++b) {
    AvroBytes bytes;
    for (int i = 0; i < 1000 * b; ++i) {
      written.push_back("value " + std::to_string(i) + std::string(static_cast<size_t>(i % 50), 'x'));
      bytes.Bytes(written.back());
    }
    blocks.push_back({.record_count = 1000 * b, .bytes = bytes.bytes()});
  }
  for (const std::string_view codec : {"null", "deflate", "snappy", "zstandard"}) {
    const auto read = Strings(AvroFile(kStrings, blocks, codec));
    ASSERT_TRUE(read.ok()) << codec << ": " << read.status().ToString();
    EXPECT_EQ(*read, written) << codec;
  }
}

TEST(AvroContainer, GivesItsMetadata) {
  const std::string bytes = AvroFile(kStrings, {}, "null", {{"key", "value"}, {"twice", "1"}, {"twice", "2"}});
  auto file = AvroContainer::Open(bytes);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->metadata("key"), "value");
  EXPECT_EQ(file->metadata("twice"), "2");
  EXPECT_EQ(file->metadata("absent"), std::nullopt);
  EXPECT_EQ(file->schema().root().kind, AvroKind::kString);
}

TEST(AvroContainer, TakesAFileWithoutACodec) {
  AvroBytes file;
  file.Raw({"Obj\x01", 4}).Long(-1).Long(21).Bytes("avro.schema").Bytes(kStrings).Long(0).Raw(kTestSync);
  file.Long(1).Bytes(AvroBytes().Bytes("a").bytes()).Raw(kTestSync);
  EXPECT_EQ(*Strings(file.bytes()), std::vector<std::string>{"a"});
}

TEST(AvroContainer, IgnoresBytesBehindADeflatedBlock) {
  // Some writers leave a part of zlib's checksum there.
  const std::string stored = CompressForTest("deflate", AvroBytes().Bytes("abc").bytes()) + "\x12\x34\x56";
  AvroBytes file;
  file.Raw(AvroHeader(kStrings, "deflate")).Long(1).Bytes(stored).Raw(kTestSync);
  EXPECT_EQ(*Strings(file.bytes()), std::vector<std::string>{"abc"});
}

TEST(AvroContainer, TakesSeveralZstandardFrames) {
  const std::string first = AvroBytes().Bytes("abc").bytes();
  const std::string second = AvroBytes().Bytes("de").bytes();
  AvroBytes file;
  file.Raw(AvroHeader(kStrings, "zstandard")).Long(2);
  file.Bytes(CompressForTest("zstandard", first) + CompressForTest("zstandard", second)).Raw(kTestSync);
  EXPECT_EQ(*Strings(file.bytes()), (std::vector<std::string>{"abc", "de"}));
}

TEST(AvroContainer, RefusesEveryCut) {
  const AvroBytes strings = AvroBytes().Bytes("abc").Bytes("defg");
  for (const std::string_view codec : {"null", "deflate", "snappy", "zstandard"}) {
    const std::string bytes = AvroFile(kStrings, {{2, strings.bytes()}}, codec);
    const size_t header = AvroHeader(kStrings, codec).size();
    for (size_t size = 0; size < bytes.size(); ++size) {
      const auto read = Strings(std::string_view(bytes).substr(0, size));
      // A file of a header alone is a sound file of no records.
      ASSERT_EQ(read.ok(), size == header) << codec << " cut to " << size;
      ASSERT_TRUE(read.ok() || KindOf(read.status()) == ErrorKind::kCorrupt);
    }
  }
}

TEST(AvroContainer, SaysWhatIsWrongWithAHeader) {
  EXPECT_EQ(Message(""), "the file is empty, not an Avro file");
  EXPECT_EQ(Message("PAR1"), "this is no Avro file: it does not begin with Obj");
  EXPECT_EQ(Message(AvroFile(kStrings, {}, "bzip2"), ErrorKind::kUnsupported),
            "the Avro codec 'bzip2' is not read; null, deflate, snappy and zstandard are");
  EXPECT_EQ(Message(AvroBytes().Raw({"Obj\x01", 4}).Long(0).Raw(kTestSync).bytes()),
            "the Avro header has no avro.schema");
  EXPECT_EQ(Message(AvroFile("\"null\"", {})), "the Avro schema is one of values that take no bytes");
  EXPECT_EQ(Message(AvroBytes().Raw({"Obj\x01", 4}).Long(int64_t{1} << 50).Raw(kTestSync).bytes()),
            "the Avro header is malformed, or the file ends inside it");
  // Two bytes a pair, and far more memory.
  const auto of_pairs = [](int64_t count) {
    const std::string pairs(static_cast<size_t>(2 * count), '\0');
    return Message(AvroBytes().Raw({"Obj\x01", 4}).Long(count).Raw(pairs).Long(0).Raw(kTestSync).bytes());
  };
  EXPECT_EQ(of_pairs(65'536), "the Avro header has no avro.schema");
  EXPECT_EQ(of_pairs(65'537), "the Avro header is malformed, or the file ends inside it");
  EXPECT_EQ(Message("AGS1" + std::string(100, 'x'), ErrorKind::kUnsupported),
            "the file is encrypted (AES GCM stream); encrypted metadata is not read");
}

TEST(AvroContainer, SaysWhereABlockIsWrong) {
  const std::string header = AvroHeader(kStrings, "null");
  const auto message = [&](const AvroBytes& block) { return Message(header + block.bytes()); };
  const std::string at = " bytes at " + std::to_string(header.size()) + ": ";
  EXPECT_EQ(message(AvroBytes().Long(-1).Bytes("").Raw(kTestSync)),
            "18" + at + "an Avro block is malformed, or the file ends inside it");
  EXPECT_EQ(message(AvroBytes().Long(1).Long(int64_t{1} << 30).Raw(kTestSync)),
            "22" + at + "an Avro block is malformed, or the file ends inside it");
  const std::string inside = " bytes at " + std::to_string(header.size() + 2) + ": ";
  EXPECT_EQ(message(AvroBytes().Long(1).Bytes("abc").Raw("0123456789abcdeF")),
            "3" + inside + "the marker after an Avro block is not the file's");
  EXPECT_EQ(message(AvroBytes().Long(4).Bytes("abc").Raw(kTestSync)),
            "3" + inside + "an Avro block of 3 bytes claims 4 records");
}

TEST(AvroContainer, ChecksCompressedBytes) {
  const auto message = [](std::string_view codec, std::string_view stored) {
    const std::string text =
        Message(AvroBytes().Raw(AvroHeader(kStrings, codec)).Long(1).Bytes(stored).Raw(kTestSync).bytes());
    return text.substr(text.find(": ") + 2);
  };
  const std::string plain = AvroBytes().Bytes("abcabcabcabcabcabc").bytes();
  EXPECT_EQ(message("deflate", "\xff\xff"), "deflate bytes are malformed, or end too soon");
  EXPECT_EQ(message("deflate", ""), "deflate bytes are malformed, or end too soon");
  EXPECT_EQ(message("zstandard", "\xff\xff\xff\xff\xff\xff"), "zstandard bytes are malformed");
  EXPECT_EQ(message("snappy", "abc"), "a snappy block has no room for its checksum");
  std::string snappy = CompressForTest("snappy", plain);
  snappy.back() ^= 1;
  EXPECT_EQ(message("snappy", snappy), "the checksum of a snappy block is wrong");
  EXPECT_EQ(message("snappy",
                    "\xff\xff\xff\xff\x0f"
                    "abcdefgh"),
            "a snappy block of 9 bytes claims to hold 4294967295");
  EXPECT_EQ(message("snappy",
                    "\x03"
                    "\xff"
                    "0000"),
            "a snappy block is malformed");
}

TEST(Decompressor, StopsAtItsBound) {
  const std::string zeros(10'000'000, '\0');
  for (const auto& [compression, codec] :
       {std::pair{Compression::kDeflate, "deflate"}, std::pair{Compression::kZstd, "zstandard"},
        std::pair{Compression::kLz4Frame, "lz4"}}) {
    const std::string stored = CompressForTest(codec, zeros);
    auto decompressor = Decompressor::Make(compression).ValueOrDie();
    const auto refused = decompressor.Run(stored, 1'000'000);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(KindOf(refused.status()), ErrorKind::kBudget);
    EXPECT_EQ(refused.status().message(),
              "more than 1000000 bytes come out of " + std::string(CompressionName(compression)) + " in one piece");
    // The same object serves again.
    const auto all = decompressor.Run(stored, 20'000'000);
    ASSERT_TRUE(all.ok()) << all.status().ToString();
    EXPECT_EQ(*all, zeros);
  }
}

}  // namespace
}  // namespace frazil::iceberg
