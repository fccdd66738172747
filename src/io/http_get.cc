// SPDX-License-Identifier: Apache-2.0
#include "src/io/http_get.h"

#include <algorithm>

namespace frazil::io {
namespace {

constexpr long kReceiveBufferBytes = 128 << 10;
constexpr long kRedirectsMax = 5;

}  // namespace

curl_slist* SetUpGet(const Curl& curl, CURL* handle, const HttpGet& get, const HttpPoolSettings& settings) {
  const auto set = [&](CURLoption option, auto value) { curl.easy_setopt(handle, option, value); };
  curl_slist* headers = nullptr;
  for (const std::string& header : get.headers) headers = curl.slist_append(headers, header.c_str());
  curl.easy_reset(handle);
  set(CURLOPT_URL, get.url.c_str());
  set(CURLOPT_HTTPHEADER, headers);
  set(CURLOPT_RANGE, get.range.c_str());
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_REDIR_PROTOCOLS_STR, get.url.starts_with("https:") ? "https" : "http,https");
  set(CURLOPT_FOLLOWLOCATION, get.follows_redirects ? 1L : 0L);
  set(CURLOPT_MAXREDIRS, kRedirectsMax);
  set(CURLOPT_PATH_AS_IS, 1L);
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  set(CURLOPT_PIPEWAIT, get.shares_connections ? 1L : 0L);
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(settings.connect_timeout_ms));
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(get.timeout_ms));
  set(CURLOPT_LOW_SPEED_LIMIT, 1L);
  set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(std::max<int64_t>(1, settings.silence_timeout_ms / 1000)));
  set(CURLOPT_BUFFERSIZE, kReceiveBufferBytes);
  if (!settings.ca_file.empty()) set(CURLOPT_CAINFO, settings.ca_file.c_str());
  if (!settings.proxy.empty()) set(CURLOPT_PROXY, settings.proxy.c_str());
  return headers;
}

}  // namespace frazil::io
