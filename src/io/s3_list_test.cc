// SPDX-License-Identifier: Apache-2.0
#include "src/io/s3_list.h"

#include <gtest/gtest.h>

#include "frazil/error.h"

namespace frazil::io {
namespace {

TEST(S3ListPage, IsRead) {
  const S3ListPage page =
      ParseS3ListPage(
          "<?xml version=\"1.0\"?><ListBucketResult xmlns=\"x\"><IsTruncated>true</IsTruncated>"
          "<NextContinuationToken>a&amp;b</NextContinuationToken>"
          "<Contents><Key>d/x &lt;&#233;&#x1F600;&gt;.parquet</Key><ETag>&quot;e&quot;</ETag><Size>12</Size></Contents>"
          "<Contents><Size>0</Size><Key>d/y</Key></Contents></ListBucketResult>")
          .ValueOrDie();
  ASSERT_EQ(page.objects.size(), 2U);
  EXPECT_EQ(page.objects[0].key, "d/x <é😀>.parquet");
  EXPECT_EQ(page.objects[0].size_bytes, 12);
  EXPECT_EQ(page.objects[1].key, "d/y");
  EXPECT_EQ(page.next_token, "a&b");
  EXPECT_TRUE(ParseS3ListPage("<ListBucketResult/>").ValueOrDie().objects.empty());
}

TEST(S3ListPage, RefusesWhatIsNone) {
  for (const char* xml : {
           "",
           "<html></html>",
           "<ListBucketResult><Contents><Key>a</Key></Contents></ListBucketResult>",
           "<ListBucketResult><Contents><Key>a</Key><Size>-1</Size></Contents></ListBucketResult>",
           "<ListBucketResult><Contents><Key>a</Key><Size>1x</Size></Contents></ListBucketResult>",
           "<ListBucketResult><Contents><Key>&nbsp;</Key><Size>1</Size></Contents></ListBucketResult>",
           "<ListBucketResult><Contents><Key>&#0;</Key><Size>1</Size></Contents></ListBucketResult>",
           "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
       }) {
    const auto page = ParseS3ListPage(xml);
    EXPECT_FALSE(page.ok()) << xml;
    EXPECT_EQ(KindOf(page.status()), ErrorKind::kCorrupt) << xml;
  }
}

}  // namespace
}  // namespace frazil::io
