// SPDX-License-Identifier: Apache-2.0
//
// AWS Signature Version 4 of GET requests. Of our own, because what CURLOPT_AWS_SIGV4 signs differs between the
// versions of libcurl in use: 7.88 neither sorts nor encodes the query, and 8.x changed how paths are encoded. A
// signature here covers no Range and no If-Match, so that one serves all ranges of an object as long as its date is
// fresh. Source: AWS General Reference, "Create a signed AWS API request"; Amazon S3, "Authenticating Requests (AWS
// Signature Version 4)".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/result.h>

namespace frazil::io {

struct AwsCredentials {
  std::string access_key_id;
  std::string secret_access_key;
  std::string session_token;  // empty: none
};

// A GET without a body.
struct AwsRequest {
  std::string host;   // as in the Host header: with its port when that is not the scheme's own
  std::string path;   // begins with /, as it is sent: each segment percent-encoded once
  std::string query;  // as it is sent: NAME=VALUE&..., both percent-encoded, sorted by name; empty: none
  std::vector<std::pair<std::string, std::string>> headers;  // to sign as well; names in lower case
  std::string region;
  std::string service = "s3";
};

// How far a signature's date may be from the store's clock, by AWS.
inline constexpr int64_t kAwsClockSkewSecondsMax = 15 * 60;

// The headers that the request needs beyond Host, each "name: value": Authorization, x-amz-date, x-amz-content-sha256,
// x-amz-security-token where there is one, and `request.headers`. `time_s`: since 1970-01-01 UTC.
arrow::Result<std::vector<std::string>> SignAwsRequest(const AwsRequest& request, const AwsCredentials& credentials,
                                                       int64_t time_s);

}  // namespace frazil::io
