// SPDX-License-Identifier: Apache-2.0
//
// The examples of Amazon S3's own documentation ("Signature Calculations for the Authorization Header").
#include "src/io/aws_signature.h"

#include <gtest/gtest.h>

#include "src/io/digest.h"

namespace frazil::io {
namespace {

const AwsCredentials kExample{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ""};
constexpr int64_t kExampleTime = 1369353600;  // 2013-05-24T00:00:00Z

AwsRequest Example() {
  AwsRequest request;
  request.host = "examplebucket.s3.amazonaws.com";
  request.path = "/test.txt";
  request.region = "us-east-1";
  return request;
}

TEST(AwsSignature, SignsAnObject) {
  AwsRequest request = Example();
  request.headers = {{"range", "bytes=0-9"}};
  const auto lines = SignAwsRequest(request, kExample, kExampleTime).ValueOrDie();
  const std::vector<std::string> expected{
      "range: bytes=0-9", "x-amz-content-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      "x-amz-date: 20130524T000000Z",
      "Authorization: AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
      "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
      "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"};
  EXPECT_EQ(lines, expected);
}

TEST(AwsSignature, SignsAQuery) {
  AwsRequest request = Example();
  request.path = "/";
  request.query = "max-keys=2&prefix=J";
  const auto lines = SignAwsRequest(request, kExample, kExampleTime).ValueOrDie();
  EXPECT_NE(lines.back().find("Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
            std::string::npos)
      << lines.back();
}

TEST(AwsSignature, SignsASessionToken) {
  AwsCredentials credentials = kExample;
  credentials.session_token = "token";
  const auto lines = SignAwsRequest(Example(), credentials, kExampleTime).ValueOrDie();
  EXPECT_EQ(lines[2], "x-amz-security-token: token");
  EXPECT_NE(lines.back().find("SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,"),
            std::string::npos);
}

TEST(Digest, KnowsThePublishedValues) {
  EXPECT_EQ(Sha256Hex("abc").ValueOrDie(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  // RFC 4231, test case 2.
  EXPECT_EQ(Hex(HmacSha256("Jefe", "what do ya want for nothing?").ValueOrDie()),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

}  // namespace
}  // namespace frazil::io
