// SPDX-License-Identifier: Apache-2.0
#include "src/parquet/page_header.h"

#include <gtest/gtest.h>

#include "frazil/error.h"
#include "src/parquet/thrift_for_test.h"

namespace frazil::parquet {
namespace {

ThriftStruct Sizes(int type, int64_t uncompressed = 100, int64_t compressed = 60) {
  return ThriftStruct().I32(1, type).I32(2, uncompressed).I32(3, compressed);
}
ThriftStruct V1(int64_t values = 10, int64_t encoding = 0) {
  return ThriftStruct().I32(1, values).I32(2, encoding).I32(3, 3).I32(4, 4);
}
ThriftStruct V2(int64_t values, int64_t nulls, int64_t rows, int64_t def_bytes = 5, int64_t rep_bytes = 6) {
  return ThriftStruct().I32(1, values).I32(2, nulls).I32(3, rows).I32(4, 8).I32(5, def_bytes).I32(6, rep_bytes);
}

PageHeader Parsed(const ThriftStruct& thrift) {
  auto header = ParsePageHeader(thrift.bytes());
  EXPECT_TRUE(header.ok()) << header.status();
  EXPECT_TRUE(header.ok() && header->has_value());
  return header.ok() && header->has_value() ? **header : PageHeader{};
}

// The error's words, after its kind.
std::string Refused(const ThriftStruct& thrift) {
  auto header = ParsePageHeader(thrift.bytes());
  if (header.ok()) return header->has_value() ? "parsed" : "wants more";
  return std::string(ErrorKindName(KindOf(header.status()))) + ": " + header.status().message();
}

TEST(PageHeader, DataPageV1) {
  ThriftStruct thrift = Sizes(0);
  thrift.I32(4, -2).Struct(5, V1(10, 2));
  const PageHeader header = Parsed(thrift);
  EXPECT_EQ(header.kind, PageHeader::Kind::kDataV1);
  EXPECT_TRUE(header.is_data());
  EXPECT_EQ(header.header_bytes, static_cast<int32_t>(thrift.bytes().size()));
  EXPECT_EQ(header.uncompressed_page_size, 100);
  EXPECT_EQ(header.compressed_page_size, 60);
  EXPECT_EQ(header.page_bytes(), header.header_bytes + 60);
  EXPECT_EQ(header.crc, 0xFFFFFFFEu) << "stored as a signed number";
  EXPECT_EQ(header.num_values, 10);
  EXPECT_TRUE(UsesDictionary(header.encoding));
  EXPECT_EQ(header.repetition_level_encoding, 4);
}

TEST(PageHeader, DataPageV2) {
  ThriftStruct data = V2(10, 3, 7);
  const PageHeader header = Parsed(Sizes(3).Struct(8, data));
  EXPECT_EQ(header.kind, PageHeader::Kind::kDataV2);
  EXPECT_EQ(header.num_nulls, 3);
  EXPECT_EQ(header.num_rows, 7);
  EXPECT_EQ(header.definition_levels_byte_length, 5);
  EXPECT_EQ(header.repetition_levels_byte_length, 6);
  EXPECT_TRUE(header.is_compressed) << "when absent";
  EXPECT_FALSE(header.crc.has_value());
  data.Bool(7, false);
  EXPECT_FALSE(Parsed(Sizes(3).Struct(8, data)).is_compressed);
}

TEST(PageHeader, DictionaryAndOthers) {
  const PageHeader dictionary = Parsed(Sizes(2).Struct(7, ThriftStruct().I32(1, 4).I32(2, 0).Bool(3, true)));
  EXPECT_EQ(dictionary.kind, PageHeader::Kind::kDictionary);
  EXPECT_FALSE(dictionary.is_data());
  EXPECT_EQ(dictionary.num_values, 4);
  EXPECT_TRUE(dictionary.is_sorted);
  // An index page, and a type that nobody knows yet.
  EXPECT_EQ(Parsed(Sizes(1).Struct(6, ThriftStruct())).kind, PageHeader::Kind::kOther);
  EXPECT_EQ(Parsed(Sizes(9)).kind, PageHeader::Kind::kOther);
}

TEST(PageHeader, StatisticsInsideAreSkipped) {
  ThriftStruct data = V1();
  data.Struct(5, ThriftStruct().Binary(1, std::string(300, 'x')).I64(3, 1));
  const ThriftStruct thrift = Sizes(0).Struct(5, data);
  EXPECT_EQ(Parsed(thrift).header_bytes, static_cast<int32_t>(thrift.bytes().size()));
}

TEST(PageHeader, WantsMoreWhereverItIsCut) {
  const std::string whole = Sizes(3).Struct(8, V2(10, 3, 7)).bytes();
  for (size_t size = 0; size < whole.size(); ++size) {
    const auto header = ParsePageHeader(whole.substr(0, size));
    ASSERT_TRUE(header.ok()) << size;
    EXPECT_FALSE(header->has_value()) << size;
  }
  EXPECT_EQ(Refused(ThriftStruct().I32(5, 1)), "wants more") << "a number where a struct should be";
}

TEST(PageHeader, RefusesNumbersThatCanNotBe) {
  EXPECT_EQ(Refused(Sizes(0, -1).Struct(5, V1())), "corrupt: page header: uncompressed_page_size is -1");
  EXPECT_EQ(Refused(Sizes(0, 1, -7).Struct(5, V1())), "corrupt: page header: compressed_page_size is -7");
  EXPECT_EQ(Refused(Sizes(0).Struct(5, V1(-1))), "corrupt: page header: num_values is -1");
  EXPECT_EQ(Refused(Sizes(3).Struct(8, V2(10, 11, 7))), "corrupt: page header: num_nulls is 11");
  EXPECT_EQ(Refused(Sizes(3).Struct(8, V2(10, -1, 7))), "corrupt: page header: num_nulls is -1");
  EXPECT_EQ(Refused(Sizes(3).Struct(8, V2(10, 0, 11))), "corrupt: page header: num_rows is 11");
  EXPECT_EQ(Refused(Sizes(3).Struct(8, V2(10, 0, 7, -5, 6))), "corrupt: page header: length of levels is 1");
  EXPECT_EQ(Refused(Sizes(3).Struct(8, V2(10, 0, 7, 55, 6))), "corrupt: page header: length of levels is 61");
  // Lengths that overflow 32 bits together.
  EXPECT_EQ(Refused(Sizes(3).Struct(8, V2(10, 0, 7, 0x7fffffff, 0x7fffffff))),
            "corrupt: page header: length of levels is 4294967294");
}

TEST(PageHeader, TheTypeAndTheHeaderMustAgree) {
  EXPECT_EQ(Refused(Sizes(0).Struct(8, V2(10, 3, 7))), "corrupt: page header: page type is 0");
  EXPECT_EQ(Refused(Sizes(2).Struct(5, V1())), "corrupt: page header: page type is 2");
  EXPECT_EQ(Refused(Sizes(0)), "corrupt: page header: page type is 0");
}

TEST(PageHeader, UnknownEncodingsAreUnsupported) {
  EXPECT_EQ(Refused(Sizes(0).Struct(5, V1(10, 1))), "unsupported: page header: encoding 1 is not known");
  EXPECT_EQ(Refused(Sizes(0).Struct(5, V1(10, 77))), "unsupported: page header: encoding 77 is not known");
  EXPECT_EQ(Refused(Sizes(0).Struct(5, V1(10, -1))), "unsupported: page header: encoding -1 is not known");
}

using std::string_literals::operator""s;

// Compact Thrift: 0x15 is the next field as an I32, 0x2c the field after the next as a struct, 0 the end of a struct.
std::string DataV1(const std::string& fields) { return "\x15\x00\x15\x10\x15\x10\x2c"s + fields + "\x00\x00"s; }

// Else a page that was never written (zeros) would pass for many small pages of no values, and rows would move up.
TEST(PageHeader, RequiredFieldsMustBeThere) {
  const std::string missing[] = {
      std::string(100, '\0'),
      "\x15\x00\x15\x10\x00"s,                          // no compressed_page_size
      DataV1(""),                                       // nothing
      DataV1("\x25\x00\x15\x06\x15\x06"s),              // no num_values
      DataV1("\x15\x0a\x15\x00\x15\x06"s),              // no repetition_level_encoding
      "\x15\x04\x15\x10\x15\x10\x4c\x15\x0a\x00\x00"s,  // a dictionary without an encoding
      "\x15\x06\x15\x10\x15\x10\x5c\x15\x0a\x15\x00\x15\x0a\x15\x00\x15\x00\x00\x00"s,  // V2 without repetition levels
  };
  for (const std::string& bytes : missing) {
    auto header = ParsePageHeader(bytes);
    ASSERT_FALSE(header.ok());
    EXPECT_EQ(KindOf(header.status()), ErrorKind::kCorrupt);
    EXPECT_NE(header.status().message().find("required field"), std::string::npos) << header.status();
  }
}

}  // namespace
}  // namespace frazil::parquet
