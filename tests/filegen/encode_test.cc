// SPDX-License-Identifier: Apache-2.0
#include "tests/filegen/encode.h"

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/filegen/bounds.h"
#include "tests/filegen/random.h"
#include "tests/filegen/thrift_writer.h"

namespace frazil::filegen {
namespace {

std::string Hex(const std::string& bytes) {
  static const char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (unsigned char byte : bytes) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

// A decoder that knows only the definition of the hybrid.
std::vector<uint32_t> DecodeHybrid(const std::string& bytes, int bit_width, size_t count) {
  std::vector<uint32_t> values;
  size_t at = 0;
  auto byte = [&] { return static_cast<uint8_t>(bytes.at(at++)); };
  while (values.size() < count) {
    uint64_t header = 0;
    for (int shift = 0;; shift += 7) {
      uint8_t next = byte();
      header |= static_cast<uint64_t>(next & 0x7F) << shift;
      if (next < 0x80) break;
    }
    if ((header & 1) == 0) {
      uint32_t value = 0;
      for (int bits = 0; bits < bit_width; bits += 8) value |= static_cast<uint32_t>(byte()) << bits;
      values.insert(values.end(), header >> 1, value);
      continue;
    }
    for (uint64_t group = 0; group < (header >> 1); ++group) {
      std::string packed = bytes.substr(at, static_cast<size_t>(bit_width));
      at += static_cast<size_t>(bit_width);
      for (int i = 0; i < 8; ++i) {
        uint32_t value = 0;
        for (int bit = 0; bit < bit_width; ++bit) {
          int position = i * bit_width + bit;
          value |= static_cast<uint32_t>((packed.at(position / 8) >> (position % 8)) & 1) << bit;
        }
        values.push_back(value);
      }
    }
  }
  EXPECT_EQ(at, bytes.size()) << "bytes left over";
  EXPECT_LT(values.size(), count + 8) << "padding of more than a group";
  values.resize(count);
  return values;
}

TEST(ThriftWriter, FieldsAndLists) {
  ThriftWriter w;
  w.BeginStruct();
  w.I32(1, -1);                               // delta 1, zigzag 1
  w.Bool(2, true);                            // the value lies in the type
  w.I64(20, 300);                             // delta 18 takes the long form
  w.Binary(3, "ab");                          // so does an id below the last one
  w.I64List(4, std::vector<int64_t>(15, 0));  // 15 elements take the long list header
  w.EmptyUnion(5, 2);
  w.EndStruct();
  EXPECT_EQ(Hex(w.Take()),
            "15"
            "01"
            "11"
            "06"
            "28"
            "d804"
            "08"
            "06"
            "026162"
            "19"
            "f60f" +
                std::string(30, '0') +
                "1c"
                "2c"
                "00"
                "00"
                "00");
}

TEST(Hybrid, IsDecodableInEveryStyleAndWidth) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    Random random(seed);
    int bit_width = static_cast<int>(random.Between(1, 32));
    std::vector<uint32_t> values;
    int64_t run_count = random.Between(0, 8);
    for (int64_t run = 0; run < run_count; ++run) {
      auto value = static_cast<uint32_t>(random.Bits() >> (64 - bit_width));
      values.insert(values.end(),
                    static_cast<size_t>(random.Percent(60) ? random.Between(1, 4) : random.Between(5, 300)), value);
    }
    for (RunStyle runs : {RunStyle::kHybrid, RunStyle::kRle, RunStyle::kBitPacked}) {
      std::string bytes;
      AppendHybrid(values, bit_width, runs, &bytes);
      EXPECT_EQ(DecodeHybrid(bytes, bit_width, values.size()), values) << "seed " << seed;
    }
  }
}

TEST(Hybrid, LongRunsAreRle) {
  std::string bytes;
  AppendHybrid(std::vector<uint32_t>(1000, 1), 1, RunStyle::kHybrid, &bytes);
  EXPECT_EQ(Hex(bytes), "d00f01");
}

TEST(Levels, AreAbsentWhereTheMaximumIsZero) {
  EXPECT_EQ(EncodeLevels(std::vector<int16_t>{0, 0}, 0, RunStyle::kHybrid), "");
}

TEST(Bounds, TextIsCutBetweenCharactersAndRoundedUp) {
  Node text = StringLeaf("t");
  EXPECT_EQ(TruncateMin(text, "abc", 3), "abc");
  EXPECT_EQ(TruncateMax(text, "abc", 3), "abc");
  EXPECT_EQ(TruncateMin(text, "abcd", 3), "abc");
  EXPECT_EQ(TruncateMax(text, "abcd", 3), "abd");
  EXPECT_EQ(TruncateMin(text, "a\xC3\xA9z", 2), "a");  // not inside é
  EXPECT_EQ(TruncateMax(text, "a\xC3\xA9z", 2), "b");
  EXPECT_EQ(TruncateMax(text, "a\xC3\xBFz", 3), "a\xC4\x80");        // U+00FF -> U+0100
  EXPECT_EQ(TruncateMax(text, "a\x7Fz", 2), "b");                    // U+0080 would be longer
  EXPECT_EQ(TruncateMax(text, "\xED\x9F\xBFz", 3), "\xEE\x80\x80");  // over the surrogates
  EXPECT_EQ(TruncateMax(text, "a\xF4\x8F\xBF\xBFz", 5), "b");        // nothing above U+10FFFF
  EXPECT_EQ(TruncateMax(text, "\xF4\x8F\xBF\xBFz", 4), "\xF4\x8F\xBF\xBFz");
  EXPECT_EQ(TruncateMin(text, "\xF0\x9F\x98\x80", 2), "");
}

TEST(Bounds, BytesAreCutAnywhere) {
  Node bytes = Leaf("b", ::parquet::Type::BYTE_ARRAY);
  EXPECT_EQ(TruncateMax(bytes, "a\xFFz", 2), "b");
  EXPECT_EQ(TruncateMax(bytes, "\xFF\xFFz", 2), "\xFF\xFFz");
  EXPECT_EQ(TruncateMin(bytes, "a\xFFz", 2), "a\xFF");
  Node fixed = FixedLeaf("f", 3);
  EXPECT_EQ(TruncateMax(fixed, "abc", 2), "abc");
  Node decimal = DecimalLeaf("d", ::parquet::Type::BYTE_ARRAY, 9, 2);
  EXPECT_EQ(TruncateMin(decimal, "abc", 2), "abc");
}

TEST(Bounds, RandomTextStaysInsideItsCutBounds) {
  Node text = StringLeaf("t");
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    Random random(seed);
    std::string value;
    int64_t length = random.Between(1, 6);
    for (int64_t i = 0; i < length; ++i) {
      value += random.Pick<const char*>(
          {"a", "\x7F", "\xC3\xA9", "\xDF\xBF", "\xED\x9F\xBF", "\xEF\xBF\xBF", "\xF4\x8F\xBF\xBF"});
    }
    auto bytes_max = static_cast<int>(random.Between(1, 8));
    std::string min = TruncateMin(text, value, bytes_max);
    std::string max = TruncateMax(text, value, bytes_max);
    EXPECT_LE(min, value) << "seed " << seed;
    EXPECT_GE(max, value) << "seed " << seed;
    EXPECT_LE(min.size(), static_cast<size_t>(bytes_max));
    EXPECT_TRUE(max == value || max.size() <= static_cast<size_t>(bytes_max)) << "seed " << seed;
  }
}

TEST(Bounds, DecimalsCompareByValueWhateverTheirLength) {
  std::string minus_one = "\xFF";
  std::string minus_one_wide = "\xFF\xFF\xFF";
  std::string two_hundred("\x00\xC8", 2);
  EXPECT_EQ(CompareBounds(SortOrder::kBigEndian, false, minus_one, minus_one_wide), 0);
  EXPECT_LT(CompareBounds(SortOrder::kBigEndian, false, minus_one, two_hundred), 0);
  EXPECT_GT(CompareBounds(SortOrder::kBigEndian, false, two_hundred, std::string("\x05")), 0);
}

TEST(Bounds, NanByPolicyAndZeroWidened) {
  ValueVector values = std::vector<double>{0.0, NAN, 3.0};
  auto at = [](const std::string& bound) {
    double value;
    memcpy(&value, bound.data(), sizeof(value));
    return value;
  };
  BoundsOfValues excluded = ComputeBounds(SortOrder::kDouble, false, NanPolicy::kExcluded, values, 0, 3);
  EXPECT_EQ(excluded.nan_count, 1);
  EXPECT_TRUE(std::signbit(at(excluded.bounds->min)));
  EXPECT_EQ(at(excluded.bounds->max), 3.0);
  EXPECT_TRUE(std::isnan(at(ComputeBounds(SortOrder::kDouble, false, NanPolicy::kPoison, values, 0, 3).bounds->min)));
  BoundsOfValues greatest = ComputeBounds(SortOrder::kDouble, false, NanPolicy::kGreatest, values, 0, 3);
  EXPECT_EQ(at(greatest.bounds->min), 0.0);
  EXPECT_TRUE(std::isnan(at(greatest.bounds->max)));
  EXPECT_FALSE(
      std::signbit(at(ComputeBounds(SortOrder::kDouble, true, NanPolicy::kExcluded, values, 0, 1).bounds->min)));
  EXPECT_FALSE(ComputeBounds(SortOrder::kDouble, false, NanPolicy::kExcluded, values, 1, 2).bounds.has_value());
  EXPECT_TRUE(ComputeBounds(SortOrder::kDouble, true, NanPolicy::kExcluded, values, 1, 2).bounds.has_value());
}

}  // namespace
}  // namespace frazil::filegen
