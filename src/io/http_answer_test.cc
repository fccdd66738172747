// SPDX-License-Identifier: Apache-2.0
#include "src/io/http_answer.h"

#include <gtest/gtest.h>

namespace frazil::io {
namespace {

TEST(ContentRange, IsReadExactly) {
  const auto range = ParseContentRange("bytes 4-9/100");
  ASSERT_TRUE(range);
  EXPECT_EQ(range->offset, 4);
  EXPECT_EQ(range->length, 6);
  EXPECT_EQ(range->file_bytes, 100);
  EXPECT_EQ(ParseContentRange("bytes */7")->file_bytes, 7);
  EXPECT_EQ(ParseContentRange("bytes */7")->length, 0);
  EXPECT_FALSE(ParseContentRange("bytes 0-0/*")->file_bytes);
}

TEST(ContentRange, RefusesWhatIsNone) {
  for (const char* text :
       {"", "bytes", "bytes 4-9", "bytes 9-4/100", "bytes 4-100/100", "bytes -4-9/100", "bytes */*", "items 4-9/100",
        "bytes 4-/100", "bytes 4-9/x", "bytes 4 - 9/100", "bytes 0-9223372036854775808/9223372036854775809"}) {
    EXPECT_FALSE(ParseContentRange(text)) << text;
  }
}

TEST(HttpAnswer, KeepsTheLastOfSeveralHeaders) {
  HttpAnswer answer;
  answer.TakeHeaderLine("HTTP/1.1 302 Found\r\n");
  answer.TakeHeaderLine("Location: http://b/\r\n");
  answer.TakeHeaderLine("ETag: \"old\"\r\n");
  answer.TakeHeaderLine("HTTP/2 206 \r\n");
  answer.TakeHeaderLine("eTag:   \"new\"  \r\n");
  answer.TakeHeaderLine("content-length: 12\r\n");
  answer.TakeHeaderLine("retry-after: Mon, 30 Nov 2026 10:00:00 GMT\r\n");
  EXPECT_EQ(answer.status, 206);
  EXPECT_EQ(answer.etag, "\"new\"");
  EXPECT_EQ(answer.location, "");
  EXPECT_EQ(answer.content_bytes, 12);
  EXPECT_FALSE(answer.retry_in_s);
}

}  // namespace
}  // namespace frazil::io
