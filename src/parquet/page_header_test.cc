// SPDX-License-Identifier: Apache-2.0
#include "src/parquet/page_header.h"

#include <string>

#include <gtest/gtest.h>

#include "frazil/error.h"

namespace frazil::parquet {
namespace {

using std::string_literals::operator""s;

// Compact Thrift: 0x15 is the next field as an I32, 0x2c the field after the next as a struct, 0 the end of a struct.
std::string DataV1(const std::string& fields) { return "\x15\x00\x15\x10\x15\x10\x2c"s + fields + "\x00\x00"s; }

TEST(PageHeader, DataV1) {
  auto header = ParsePageHeader(DataV1("\x15\x0a\x15\x00\x15\x06\x15\x06"s) + "body");
  ASSERT_TRUE(header.ok()) << header.status();
  ASSERT_TRUE(header->has_value());
  EXPECT_EQ((*header)->kind, PageHeader::Kind::kDataV1);
  EXPECT_EQ((*header)->num_values, 5);
  EXPECT_EQ((*header)->compressed_page_size, 8);
  EXPECT_EQ((*header)->header_bytes, 17);
}

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

TEST(PageHeader, MoreBytesMayHelp) {
  const std::string whole = DataV1("\x15\x0a\x15\x00\x15\x06\x15\x06"s);
  for (size_t length = 0; length < whole.size(); ++length) {
    auto header = ParsePageHeader(whole.substr(0, length));
    ASSERT_TRUE(header.ok()) << header.status();
    EXPECT_FALSE(header->has_value()) << length;
  }
}

}  // namespace
}  // namespace frazil::parquet
