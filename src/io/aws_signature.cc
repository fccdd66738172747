// SPDX-License-Identifier: Apache-2.0
#include "src/io/aws_signature.h"

#include <algorithm>
#include <ctime>

#include "src/io/digest.h"

namespace frazil::io {
namespace {

constexpr const char* kAlgorithm = "AWS4-HMAC-SHA256";
constexpr const char* kEmptyBodySha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

// "20130524T000000Z".
std::string DateOf(int64_t time_s) {
  const auto time = static_cast<std::time_t>(time_s);
  std::tm parts{};
  gmtime_r(&time, &parts);
  char text[32];
  const size_t length = std::strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &parts);
  return {text, length};
}

}  // namespace

arrow::Result<std::vector<std::string>> SignAwsRequest(const AwsRequest& request, const AwsCredentials& credentials,
                                                       int64_t time_s) {
  const std::string date = DateOf(time_s);
  const std::string day = date.substr(0, 8);
  std::vector<std::pair<std::string, std::string>> headers = request.headers;
  headers.emplace_back("x-amz-content-sha256", kEmptyBodySha256);
  headers.emplace_back("x-amz-date", date);
  if (!credentials.session_token.empty()) headers.emplace_back("x-amz-security-token", credentials.session_token);
  std::vector<std::string> lines;
  for (const auto& [name, value] : headers) lines.push_back(name + ": " + value);
  headers.emplace_back("host", request.host);
  std::sort(headers.begin(), headers.end());

  std::string canonical_headers;
  std::string names;
  for (const auto& [name, value] : headers) {
    canonical_headers += name;
    canonical_headers += ':';
    canonical_headers += value;
    canonical_headers += '\n';
    names += (names.empty() ? "" : ";") + name;
  }
  const std::string canonical =
      "GET\n" + request.path + "\n" + request.query + "\n" + canonical_headers + "\n" + names + "\n" + kEmptyBodySha256;
  const std::string scope = day + "/" + request.region + "/" + request.service + "/aws4_request";
  ARROW_ASSIGN_OR_RAISE(const std::string canonical_sha256, Sha256Hex(canonical));
  const std::string to_sign = std::string(kAlgorithm) + "\n" + date + "\n" + scope + "\n" + canonical_sha256;

  ARROW_ASSIGN_OR_RAISE(std::string key, HmacSha256("AWS4" + credentials.secret_access_key, day));
  for (const std::string& step : {request.region, request.service, std::string("aws4_request"), to_sign}) {
    ARROW_ASSIGN_OR_RAISE(key, HmacSha256(key, step));
  }
  lines.push_back(std::string("Authorization: ") + kAlgorithm + " Credential=" + credentials.access_key_id + "/" +
                  scope + ",SignedHeaders=" + names + ",Signature=" + Hex(key));
  return lines;
}

}  // namespace frazil::io
