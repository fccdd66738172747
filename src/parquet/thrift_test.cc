// SPDX-License-Identifier: Apache-2.0

#include "src/parquet/thrift.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace frazil::parquet {
namespace {

using Type = CompactReader::Type;
using std::string_literals::operator""s;

TEST(CompactReader, ReadsFieldsByDeltaAndByLongId) {
  // 1: i32 -3; 2: true; 3: false; 20 (long form): binary "ab"; stop; one byte that belongs to somebody else.
  const std::string bytes =
      "\x15\x05\x11\x12\x08\x28\x02"
      "ab\x00\x7f"s;
  CompactReader r(bytes);
  int32_t number = 0;
  bool yes = false, no = true;
  std::string_view text;
  int count = 0;
  for (CompactReader::Fields f(r); f.Next(); ++count) {
    switch (f.id()) {
      case 1:
        number = r.I32(f.type());
        break;
      case 2:
        yes = r.Bool(f.type());
        break;
      case 3:
        no = r.Bool(f.type());
        break;
      case 20:
        text = r.Binary(f.type());
        break;
      default:
        r.Skip(f.type());
    }
  }
  EXPECT_TRUE(r.ok());
  EXPECT_EQ(count, 4);
  EXPECT_EQ(number, -3);
  EXPECT_TRUE(yes);
  EXPECT_FALSE(no);
  EXPECT_EQ(text, "ab");
  EXPECT_EQ(r.remaining(), 1);
}

TEST(CompactReader, ReadsTheExtremesOfI64) {
  const std::string bytes =
      "\x16\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
      "\x16\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00"s;
  CompactReader r(bytes);
  CompactReader::Fields f(r);
  ASSERT_TRUE(f.Next());
  EXPECT_EQ(r.I64(f.type()), INT64_MIN);
  ASSERT_TRUE(f.Next());
  EXPECT_EQ(r.I64(f.type()), INT64_MAX);
  EXPECT_FALSE(f.Next());
  EXPECT_TRUE(r.ok());
}

TEST(CompactReader, VarintOfMoreThan64BitsFails) {
  for (const std::string& bytes :
       {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"s, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s, "\x80"s, ""s}) {
    CompactReader r(bytes);
    EXPECT_EQ(r.I64(), 0);
    EXPECT_FALSE(r.ok());
    EXPECT_EQ(r.remaining(), 0);
  }
}

TEST(CompactReader, AnotherTypeThanAskedForFails) {
  const std::string bytes = "\x15\x02\x00"s;
  CompactReader r(bytes);
  CompactReader::Fields f(r);
  ASSERT_TRUE(f.Next());
  EXPECT_EQ(r.I64(f.type()), 0);
  EXPECT_FALSE(r.ok());
  EXPECT_FALSE(f.Next());
}

TEST(CompactReader, UnknownTypeFails) {
  const std::string bytes = "\x1d\x00\x00"s;
  CompactReader r(bytes);
  CompactReader::Fields f(r);
  EXPECT_FALSE(f.Next());
  EXPECT_FALSE(r.ok());
}

TEST(CompactReader, BinaryLongerThanTheBytesFails) {
  const std::string bytes =
      "\x05"
      "abcd"s;
  CompactReader r(bytes);
  EXPECT_EQ(r.Binary(), "");
  EXPECT_FALSE(r.ok());
}

TEST(CompactReader, ListHeaders) {
  {
    const std::string bytes = "\x25\x02\x04"s;  // two i32
    CompactReader r(bytes);
    const auto list = r.ListHeader(Type::kList);
    EXPECT_EQ(list.type, Type::kI32);
    ASSERT_EQ(list.size, 2u);
    EXPECT_EQ(r.I32(), 1);
    EXPECT_EQ(r.I32(), 2);
  }
  {
    std::string bytes = "\xf3\x10"s + std::string(16, 'x');  // sixteen bytes, the long form
    CompactReader r(bytes);
    EXPECT_EQ(r.ListHeader(Type::kList).size, 16u);
    bytes.pop_back();  // one element more than bytes
    CompactReader cut(bytes);
    EXPECT_EQ(cut.ListHeader(Type::kList).size, 0u);
    EXPECT_FALSE(cut.ok());
  }
  {
    const std::string bytes = "\x00"s;  // an empty list may name no type
    CompactReader r(bytes);
    EXPECT_EQ(r.ListHeader(Type::kList).size, 0u);
    EXPECT_TRUE(r.ok());
  }
  {
    const std::string bytes = "\xf8\xff\xff\xff\xff\x0f"s;  // 2^32 - 1 strings
    CompactReader r(bytes);
    r.ListHeader(Type::kList);
    EXPECT_FALSE(r.ok());
  }
}

TEST(CompactReader, BoolElementsComeInBothForms) {
  const std::string bytes = "\x01\x00\x02\x03"s;
  CompactReader r(bytes);
  EXPECT_TRUE(r.BoolElement());
  EXPECT_FALSE(r.BoolElement());
  EXPECT_FALSE(r.BoolElement());
  EXPECT_TRUE(r.ok());
  EXPECT_FALSE(r.BoolElement());
  EXPECT_FALSE(r.ok());
}

TEST(CompactReader, SkipsEveryType) {
  // 1 true, 2 false, 3 byte, 4 i16, 5 i32, 6 i64 of ten bytes, 7 double, 8 binary, 9 list of bool, 10 set of i32,
  // 11 map i32 -> struct{1: true}, 12 struct { 1: list of struct {} }, stop.
  const std::string bytes =
      "\x11\x12\x13\x7f\x14\x80\x01\x15\x02\x16\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x17"
      "12345678\x18\x03"
      "abc\x19\x31\x01\x02\x00\x1a\x15\x06\x1b\x02\x5c\x02\x11\x00\x04\x11\x00\x1c\x19\x2c\x00\x00\x00\x00"s;
  CompactReader r(bytes);
  r.Skip(Type::kStruct);
  EXPECT_TRUE(r.ok());
  EXPECT_EQ(r.remaining(), 0);
  // Cut anywhere, it is malformed: never read past the end, never taken for whole.
  for (size_t size = 0; size < bytes.size(); ++size) {
    const std::string cut = bytes.substr(0, size);
    CompactReader c(cut);
    c.Skip(Type::kStruct);
    EXPECT_FALSE(c.ok()) << size;
  }
}

TEST(CompactReader, SkippedFieldsLeaveTheReaderAtTheNextField) {
  const std::string bytes = "\x1c\x15\x02\x00\x19\x18\x01x\x15\x0e\x00"s;
  CompactReader r(bytes);
  int32_t third = 0;
  for (CompactReader::Fields f(r); f.Next();) {
    if (f.id() == 3) {
      third = r.I32(f.type());
    } else {
      r.Skip(f.type());
    }
  }
  EXPECT_TRUE(r.ok());
  EXPECT_EQ(third, 7);
}

TEST(CompactReader, FieldsOfAnotherTypeAreSkippedWhenThatIsAskedFor) {
  // 1: i32 1 (asked for as i64); 2: i64 2; 3: list<i32> [3, 4] (asked for as list<i64>); 4: list<i64> [5, 6].
  const std::string bytes = "\x15\x02\x16\x04\x19\x25\x06\x08\x19\x26\x0a\x0c\x00"s;
  CompactReader r(bytes);
  std::optional<int64_t> first = 9, second;
  std::vector<int64_t> third, fourth;
  bool third_read = true, fourth_read = false;
  for (CompactReader::Fields f(r); f.Next();) {
    switch (f.id()) {
      case 1:
        first = r.I64If(f);
        break;
      case 2:
        second = r.I64If(f);
        break;
      case 3:
        third_read = r.ForEach(f, Type::kI64, [&] { third.push_back(r.I64()); });
        break;
      case 4:
        fourth_read = r.ForEach(f, Type::kI64, [&] { fourth.push_back(r.I64()); });
        break;
      default:
        r.Skip(f.type());
    }
  }
  EXPECT_TRUE(r.ok());
  EXPECT_EQ(first, std::nullopt);
  EXPECT_EQ(second, 2);
  EXPECT_FALSE(third_read);
  EXPECT_TRUE(third.empty());
  EXPECT_TRUE(fourth_read);
  EXPECT_EQ(fourth, (std::vector<int64_t>{5, 6}));
}

TEST(CompactReader, NestingBeyondTheDepthFails) {
  const auto nested = [](int depth) {
    std::string bytes(depth - 1, '\x1c');
    return bytes + std::string(depth, '\0');
  };
  const std::string deep = nested(CompactReader::kDepthMax), deeper = nested(CompactReader::kDepthMax + 1);
  CompactReader fits(deep);
  fits.Skip(Type::kStruct);
  EXPECT_TRUE(fits.ok());
  CompactReader refused(deeper);
  refused.Skip(Type::kStruct);
  EXPECT_FALSE(refused.ok());
  // Lists count too.
  const std::string lists(100000, '\x19');
  CompactReader r(lists);
  r.Skip(Type::kList);
  EXPECT_FALSE(r.ok());
}

TEST(CompactReader, RandomBytesNeverCrash) {
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 20000; ++round) {
    std::string bytes(random() % 64, '\0');
    for (char& c : bytes) c = static_cast<char>(random() % 3 == 0 ? random() % 256 : 0x15 + random() % 8);
    CompactReader r(bytes);
    r.Skip(Type::kStruct);
    CompactReader fields(bytes);
    int64_t count = 0;
    for (CompactReader::Fields f(fields); f.Next(); ++count) fields.Skip(f.type());
    // What walks field by field also skips whole, to the same end. (Skipping does not look at field ids, so it
    // accepts a little more.)
    if (fields.ok()) {
      ASSERT_TRUE(r.ok());
      ASSERT_EQ(r.remaining(), fields.remaining());
    }
    ASSERT_LE(count, static_cast<int64_t>(bytes.size()));
  }
}

}  // namespace
}  // namespace frazil::parquet
