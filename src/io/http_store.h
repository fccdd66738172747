// SPDX-License-Identifier: Apache-2.0
//
// Files of stores that speak HTTP, read by ranged GETs. What is common to all of them is in HttpSource; a store says
// what a request must carry and what its refusals mean.
//
// One version: the ETag of the first answer goes with every later request as If-Match and is compared with every later
// answer's (where there is none, Last-Modified is), so that an object that was replaced is an error of kind conflict,
// and bytes of two versions are never mixed. Size: where it was not told, the first read should be a tail, which learns
// it from Content-Range; where it was told (a listing, a manifest), a store that says otherwise is an error of kind
// corrupt.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "frazil/byte_source.h"
#include "src/io/http_pool.h"
#include "src/io/http_round.h"

namespace frazil::io {

// Thread safety: all calls may be made from several threads at once.
class HttpStore {
 public:
  virtual ~HttpStore() = default;
  // Of a request for `url` that is made now, each "Name: value". May be used for kHeadersSeconds.
  virtual arrow::Result<std::vector<std::string>> Headers(const std::string& url) const = 0;
  static constexpr int kHeadersSeconds = 60;
  virtual bool follows_redirects() const = 0;
  // The error for an answer that is no data; without a file name.
  virtual arrow::Status Refusal(const HttpAnswer& answer) const = 0;
  // The error when no answer came; `reason` is libcurl's.
  virtual arrow::Status Failure(CURLcode code, const std::string& reason) const = 0;
};

// Any server, without credentials but those in the URL. Follows redirects, from https to https only.
std::shared_ptr<const HttpStore> MakePlainHttpStore();

// `name` is for messages and the _file column, without secrets. `size_bytes` < 0: not known.
std::shared_ptr<ByteSource> MakeHttpSource(std::shared_ptr<HttpPool> pool, std::shared_ptr<const HttpStore> store,
                                           std::string url, std::string name, int64_t size_bytes = -1);

}  // namespace frazil::io
