// SPDX-License-Identifier: Apache-2.0
//
// A ranged GET as libcurl is told of it: everything but who takes the answer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/io/curl_library.h"
#include "src/io/http_pool.h"

namespace frazil::io {

struct HttpGet {
  const std::string& url;
  const std::string& range;                 // "0-9" or "-10"
  const std::vector<std::string>& headers;  // each "Name: value"
  int64_t timeout_ms = 0;
  bool follows_redirects = false;  // from https to https only
  // Rather wait for a connection that is being made, which may speak HTTP/2, than make another.
  bool shares_connections = false;
};

// Sets the options of `handle`, all others as they are by default: no signals, HTTP/2 where TLS offers it, paths as
// they are, no content encoding. The headers are to be freed when the request is over.
curl_slist* SetUpGet(const Curl& curl, CURL* handle, const HttpGet& get, const HttpPoolSettings& settings);

}  // namespace frazil::io
