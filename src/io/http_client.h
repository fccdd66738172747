// SPDX-License-Identifier: Apache-2.0
//
// Small requests to HTTP services, such as catalogs: bounded answers, retries, timeouts. By libcurl, loaded when the
// first client is made. TLS certificates are always checked; proxies come from the environment, as curl takes them.
//
//   ARROW_ASSIGN_OR_RAISE(const auto client, HttpClient::Make({}));
//   ARROW_ASSIGN_OR_RAISE(const HttpResponse answer, client->Send({.url = "https://host/v1/config"}));
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <arrow/result.h>

namespace frazil::io {

struct HttpSettings {
  int64_t connect_timeout_ms = 10'000;
  int64_t silence_timeout_ms = 60'000;              // between two bytes of an answer; whole seconds, at least one
  int64_t total_timeout_ms = 300'000;               // of one try
  int64_t response_bytes_max = int64_t{256} << 20;  // of the body, decompressed
  int retries_max = 5;                              // after the first try
  int64_t first_pause_ms = 100;                     // doubled with every retry
  int64_t pause_ms_max = 10'000;                    // a server that asks for more (Retry-After) is not asked again
  int redirects_max = 3;
  std::string ca_file;                  // PEM; empty: those of the system
  std::string client_certificate_file;  // PEM; empty: none
  std::string client_key_file;          // empty: in the certificate's file
};

struct HttpRequest {
  std::string method = "GET";  // or POST
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
};

struct HttpResponse {
  int status = 0;
  std::string body;
};

// A connection is kept open between requests. Thread safety: one request at a time.
class HttpClient {
 public:
  virtual ~HttpClient() = default;

  // Errors: unsupported, when there is no libcurl.
  static arrow::Result<std::unique_ptr<HttpClient>> Make(const HttpSettings& settings);

  // The answer, whatever its status. 429 and 503 are asked again after a pause, and so is a GET whose connection broke.
  // GET follows redirects within one host and port, and from http to https of one host; others, and all of POST, are
  // errors, so that no header meets a stranger.
  // Errors: unavailable (no connection, timeout, broken off), access (TLS certificate), budget (a body above the
  // limit), unsupported (other schemes than http and https, a redirect that is not followed), usage (malformed URL or
  // header). None shows a secret of the URL.
  virtual arrow::Result<HttpResponse> Send(const HttpRequest& request) = 0;
};

// Text as part of a path or query: every byte but A-Z a-z 0-9 - . _ ~ as %XX (RFC 3986).
std::string PercentEncode(std::string_view text);
// %XX to bytes; what is no such escape stays.
std::string PercentDecode(std::string_view text);

}  // namespace frazil::io
