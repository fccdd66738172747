// SPDX-License-Identifier: Apache-2.0
//
// What a store says beside the bytes: status and the headers that a ranged read is checked by.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace frazil::io {

struct HttpAnswer {
  int status = 0;
  std::string etag;           // with its quotes; empty: none
  std::string last_modified;  // as it came
  std::string content_range;
  std::optional<int64_t> content_bytes;  // Content-Length
  std::string date;
  std::string bucket_region;          // x-amz-bucket-region
  std::string location;               // of a redirect
  std::optional<int64_t> retry_in_s;  // Retry-After, in seconds
  std::string text;                   // of an answer that is no data; cut to kTextBytesMax
  static constexpr size_t kTextBytesMax = 16 << 10;

  // Takes one line of the header; a status line begins a new answer (as after a redirect).
  void TakeHeaderLine(std::string_view line);
};

// "bytes 4-9/100" or, for a range that can not be satisfied, "bytes */100".
struct ContentRange {
  int64_t offset = 0;
  int64_t length = 0;
  std::optional<int64_t> file_bytes;
};

// Nothing when it is malformed. Source: RFC 9110, section 14.4.
std::optional<ContentRange> ParseContentRange(std::string_view text);

}  // namespace frazil::io
