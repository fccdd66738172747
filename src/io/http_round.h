// SPDX-License-Identifier: Apache-2.0
//
// One round of ranged GETs of one object, on libcurl's multi interface, in the calling thread: many under way at once,
// long ones in parts, failed ones again, slow ones a second time.
//
//   tried again   429, 500, 502, 503, 504; connections that broke, were refused or fell silent; bodies of another
//   length
//                 than promised. After a pause that doubles, of which a random part is waited, or as long as the store
//                 asks (Retry-After); at most tries_max times and deadline_ms each, and kRetriesSpare + 2 per request
//                 in a round, so that a store that is down is not stormed
//   hedged        small requests that have taken longer than 95 of 100 did: whichever of the two ends first is taken,
//                 the other is broken off
//   checked       status, Content-Range, length and version of every answer, by the object, before its body is taken
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/result.h>

#include "frazil/byte_source.h"
#include "src/io/http_answer.h"
#include "src/io/http_pool.h"

namespace frazil::io {

struct HttpWant {
  ByteRange range;
  bool is_tail = false;  // the last range.length bytes; offset means nothing
};

// What a round must know of the object. Called in the round's thread; several rounds of one object may run at once.
class HttpObject {
 public:
  virtual ~HttpObject() = default;
  virtual const std::string& url() const = 0;
  virtual bool follows_redirects() const = 0;
  // Of a request that is made now, each "Name: value".
  virtual arrow::Result<std::vector<std::string>> Headers() = 0;
  // Where in the file the body lies, judged by an answer of status 200, 206, 412 or 416. An error is final.
  virtual arrow::Result<ByteRange> Accept(const HttpAnswer& answer, const HttpWant& want) = 0;
  // The error for an answer of another status.
  virtual arrow::Status Refusal(const HttpAnswer& answer) const = 0;
  // The error when no answer came. `reason` is libcurl's.
  virtual arrow::Status Failure(CURLcode code, const std::string& reason) const = 0;
};

// Reads all of `wants`: buffers[i] are the bytes of wants[i], null where the round failed before. Errors: the object's;
// unavailable, when tries or time ran out, with the last reason; the monitor's. The error of the first request that
// failed for good ends the round, and what is under way then is broken off.
arrow::Status RunHttpRound(HttpPool& pool, HttpObject& object, const std::vector<HttpWant>& wants, ReadMonitor* monitor,
                           std::vector<std::shared_ptr<arrow::Buffer>>* buffers);

}  // namespace frazil::io
