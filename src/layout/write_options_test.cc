// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "frazil/error.h"
#include "frazil/rewrite.h"

namespace frazil {
namespace {

TEST(WriteOptions, PropertiesByIcebergsNames) {
  WriteOptions options;
  ASSERT_TRUE(SetWriteOption("write.parquet.row-group-size-bytes", "1000", &options).ok());
  ASSERT_TRUE(SetWriteOption("page-row-limit", "7", &options).ok());  // the prefix may be left out
  ASSERT_TRUE(SetWriteOption("write.parquet.page-version", "v2", &options).ok());
  ASSERT_TRUE(SetWriteOption("write.parquet.compression-codec", "snappy", &options).ok());
  ASSERT_TRUE(SetWriteOption("write.parquet.compression-level", "-3", &options).ok());
  ASSERT_TRUE(SetWriteOption("write.parquet.dict-size-bytes", "0", &options).ok());
  EXPECT_EQ(options.row_group_bytes, 1000);
  EXPECT_EQ(options.page_rows, 7);
  EXPECT_EQ(options.page_version, 2);
  EXPECT_EQ(options.codec, "snappy");
  EXPECT_EQ(options.codec_level, -3);
  EXPECT_EQ(options.dictionary_bytes, 0);
}

TEST(WriteOptions, BloomFiltersByColumn) {
  WriteOptions options;
  ASSERT_TRUE(SetWriteOption("write.parquet.bloom-filter-enabled.column.a.b", "true", &options).ok());
  ASSERT_TRUE(SetWriteOption("write.parquet.bloom-filter-enabled.column.c", "true", &options).ok());
  ASSERT_TRUE(SetWriteOption("write.parquet.bloom-filter-enabled.column.a.b", "false", &options).ok());
  EXPECT_EQ(options.bloom_columns, std::vector<std::string>{"c"});
}

std::string Refusal(const std::string& name, const std::string& value) {
  WriteOptions options;
  const arrow::Status status = SetWriteOption(name, value, &options);
  EXPECT_EQ(KindOf(status), ErrorKind::kUsage);
  return status.message();
}

TEST(WriteOptions, Refusals) {
  EXPECT_EQ(Refusal("write.parquet.page-row-limits", "5"),
            "unknown option write.parquet.page-row-limits; did you mean write.parquet.page-row-limit?");
  EXPECT_EQ(Refusal("page-row-limit", "0"), "write.parquet.page-row-limit takes a number of rows, not 0");
  EXPECT_EQ(Refusal("page-row-limit", "5x"), "write.parquet.page-row-limit takes a number of rows, not 5x");
  EXPECT_EQ(Refusal("page-version", "3"), "write.parquet.page-version takes v1 or v2, not 3");
  EXPECT_EQ(Refusal("compression-codec", "zip"),
            "write.parquet.compression-codec takes uncompressed, snappy, gzip, brotli, lz4 or zstd, not zip");
}

}  // namespace
}  // namespace frazil
