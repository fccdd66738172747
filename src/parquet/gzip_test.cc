// SPDX-License-Identifier: Apache-2.0
#include "src/parquet/gzip.h"

#include <string>
#include <vector>

#include <arrow/util/compression.h>
#include <gtest/gtest.h>

namespace frazil::parquet {
namespace {

using Bytes = std::vector<uint8_t>;
using Format = arrow::util::GZipFormat;

Bytes Compress(const std::string& content, Format format) {
  arrow::util::GZipCodecOptions options;
  options.gzip_format = format;
  const auto codec = arrow::util::Codec::Create(arrow::Compression::GZIP, options);
  const auto size = static_cast<int64_t>(content.size());
  const auto* data = reinterpret_cast<const uint8_t*>(content.data());
  Bytes block(static_cast<size_t>((*codec)->MaxCompressedLen(size, data)));
  block.resize(static_cast<size_t>(*(*codec)->Compress(size, data, static_cast<int64_t>(block.size()), block.data())));
  return block;
}

// What comes out when there is room for `room` bytes, or "malformed".
std::string Inflate(Bytes in, size_t room) {
  in.shrink_to_fit();  // a sanitizer then sees a step too far
  Bytes out(room);
  GzipDecompressor decompressor;
  const std::optional<int64_t> size = decompressor.Run(in, out);
  return size ? std::string(out.begin(), out.begin() + *size) : "malformed";
}

Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const std::string kText = "one page, one page, one page";

TEST(GzipDecompressor, GzipAndZlib) {
  EXPECT_EQ(Inflate(Compress(kText, Format::GZIP), kText.size()), kText);
  EXPECT_EQ(Inflate(Compress(kText, Format::ZLIB), kText.size()), kText);
  EXPECT_EQ(Inflate(Compress("", Format::GZIP), 0), "");
}

TEST(GzipDecompressor, MembersOneAfterTheOther) {
  const Bytes two = Compress("one ", Format::GZIP) + Compress("two", Format::GZIP);
  EXPECT_EQ(Inflate(two, 7), "one two");
  EXPECT_EQ(Inflate(two, 4), "one ");       // the room is full: what follows is not looked at
  EXPECT_EQ(Inflate(two, 6), "malformed");  // the second would not fit
}

TEST(GzipDecompressor, LessThanTheRoomIsTold) {
  EXPECT_EQ(Inflate(Compress(kText, Format::GZIP), kText.size() + 1), kText);
}

TEST(GzipDecompressor, EveryTruncationIsMalformed) {
  for (const Format format : {Format::GZIP, Format::ZLIB}) {
    const Bytes whole = Compress(kText, format);
    for (size_t size = 0; size < whole.size(); ++size) {
      EXPECT_EQ(Inflate(Bytes(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size)), kText.size()), "malformed")
          << size << " bytes";
    }
  }
}

TEST(GzipDecompressor, NoFlippedBitGivesOtherBytes) {
  const Bytes whole = Compress(kText, Format::GZIP);
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    Bytes flipped = whole;
    flipped[bit / 8] ^= static_cast<uint8_t>(1U << (bit % 8));
    const std::string out = Inflate(flipped, kText.size());
    EXPECT_TRUE(out == kText || out == "malformed") << "bit " << bit;
  }
}

TEST(GzipDecompressor, IsUsedAgainAfterAFailure) {
  GzipDecompressor decompressor;
  const Bytes block = Compress(kText, Format::GZIP);
  Bytes out(kText.size());
  EXPECT_FALSE(decompressor.Run(std::span(block).first(9), out).has_value());
  EXPECT_EQ(decompressor.Run(block, out), static_cast<int64_t>(kText.size()));
}

}  // namespace
}  // namespace frazil::parquet
