// SPDX-License-Identifier: Apache-2.0
#include "src/io/http_client.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <thread>

#include "frazil/error.h"
#include "src/base/secret.h"
#include "src/base/text.h"
#include "src/io/curl_library.h"

namespace frazil::io {
namespace {

constexpr int kTooManyRequests = 429;
constexpr int kServiceUnavailable = 503;

bool MayFollow(const Origin& from, const Origin& to) {
  const bool upgrade =
      from.host == to.host && from.scheme == "http" && to.scheme == "https" && from.port == "80" && to.port == "443";
  return from == to || upgrade;
}

struct Body {
  std::string bytes;
  int64_t bytes_max = 0;
  bool too_long = false;
};

size_t TakeBody(char* data, size_t, size_t count, void* target) {
  auto* body = static_cast<Body*>(target);
  if (static_cast<int64_t>(body->bytes.size() + count) > body->bytes_max) {
    body->too_long = true;
    return 0;  // curl ends the transfer
  }
  body->bytes.append(data, count);
  return count;
}

bool IsToken(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c < 0x7f && std::string_view("()<>@,;:\\\"/[]?={}").find(c) == std::string_view::npos;
  });
}

// One try: a response, or why there is none.
struct Try {
  CURLcode code = CURLE_OK;
  HttpResponse response;
  bool too_long = false;
  std::string reason;
  std::string redirect;
  int64_t wait_ms = 0;  // as the server asks
};

class CurlClient : public HttpClient {
 public:
  CurlClient(const Curl& curl, CURL* handle, HttpSettings settings)
      : curl_(curl), handle_(handle), settings_(std::move(settings)) {}
  ~CurlClient() override { curl_.easy_cleanup(handle_); }
  CurlClient(const CurlClient&) = delete;
  CurlClient& operator=(const CurlClient&) = delete;

  arrow::Result<HttpResponse> Send(const HttpRequest& request) override {
    for (const auto& [name, value] : request.headers) {
      if (!IsToken(name) || value.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos) {
        return MakeError(ErrorKind::kUsage, "header " + Printable(name, 60) + " is malformed");
      }
    }
    HttpRequest current = request;
    for (int redirects = 0;; ++redirects) {
      ARROW_ASSIGN_OR_RAISE(Try result, SendWithRetries(current));
      if (result.redirect.empty()) return std::move(result.response);
      ARROW_RETURN_NOT_OK(CheckRedirect(current, result.redirect, redirects));
      current.url = result.redirect;
    }
  }

 private:
  arrow::Status CheckRedirect(const HttpRequest& request, const std::string& target, int redirects) {
    const ErrorPlace place{.file = HideAddressSecrets(request.url)};
    if (redirects >= settings_.redirects_max) {
      return MakeError(ErrorKind::kUnavailable, "more than " + std::to_string(settings_.redirects_max) + " redirects",
                       place);
    }
    ARROW_ASSIGN_OR_RAISE(const Origin from, OriginOf(curl_, request.url));
    const auto to = OriginOf(curl_, target);
    if (request.method == "GET" && to.ok() && MayFollow(from, *to)) return arrow::Status::OK();
    return MakeError(ErrorKind::kUnsupported,
                     "the server redirects to " + Printable(HideAddressSecrets(target), 200) +
                         ", which is not followed: give that address itself if it is right",
                     place);
  }

  arrow::Result<Try> SendWithRetries(const HttpRequest& request) {
    ARROW_RETURN_NOT_OK(OriginOf(curl_, request.url));
    int64_t pause_ms = settings_.first_pause_ms;
    for (int tries = 0;; ++tries) {
      Try result = SendOnce(request);
      const bool busy = result.code == CURLE_OK &&
                        (result.response.status == kTooManyRequests || result.response.status == kServiceUnavailable);
      const bool again = busy || (BrokeOff(result.code) && request.method == "GET");
      const int64_t wait_ms = std::max(pause_ms, result.wait_ms);
      if (!again || tries >= settings_.retries_max || wait_ms > settings_.pause_ms_max) return Judge(request, result);
      std::this_thread::sleep_for(std::chrono::milliseconds(wait_ms));
      pause_ms = std::min(pause_ms * 2, settings_.pause_ms_max);
    }
  }

  arrow::Result<Try> Judge(const HttpRequest& request, Try& result) {
    const ErrorPlace place{.file = HideAddressSecrets(request.url)};
    if (result.too_long) {
      return MakeError(ErrorKind::kBudget,
                       "the answer has more than " + std::to_string(settings_.response_bytes_max) + " bytes", place);
    }
    if (result.code != CURLE_OK) return MakeError(KindOfCurl(result.code), result.reason, place);
    return std::move(result);
  }

  template <typename Value>
  void Set(CURLoption option, Value value) {
    curl_.easy_setopt(handle_, option, value);
  }

  void SetUp(const HttpRequest& request) {
    curl_.easy_reset(handle_);
    Set(CURLOPT_URL, request.url.c_str());
    Set(CURLOPT_NOSIGNAL, 1L);
    Set(CURLOPT_PROTOCOLS_STR, "http,https");
    Set(CURLOPT_PATH_AS_IS, 1L);  // a namespace may be called ".."
    Set(CURLOPT_FOLLOWLOCATION, 0L);
    Set(CURLOPT_ACCEPT_ENCODING, "");  // what this curl can decode
    Set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(settings_.connect_timeout_ms));
    Set(CURLOPT_TIMEOUT_MS, static_cast<long>(settings_.total_timeout_ms));
    Set(CURLOPT_LOW_SPEED_LIMIT, 1L);
    Set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(std::max<int64_t>(1, settings_.silence_timeout_ms / 1000)));
    if (!settings_.ca_file.empty()) Set(CURLOPT_CAINFO, settings_.ca_file.c_str());
    if (!settings_.client_certificate_file.empty()) {
      Set(CURLOPT_SSLCERT, settings_.client_certificate_file.c_str());
      Set(CURLOPT_SSLKEY, settings_.client_key_file.empty() ? settings_.client_certificate_file.c_str()
                                                            : settings_.client_key_file.c_str());
    }
    if (request.method == "POST") {
      Set(CURLOPT_POST, 1L);
      Set(CURLOPT_POSTFIELDSIZE, static_cast<long>(request.body.size()));
      Set(CURLOPT_POSTFIELDS, request.body.c_str());
    }
  }

  Try SendOnce(const HttpRequest& request) {
    Try result;
    SetUp(request);
    curl_slist* headers = nullptr;
    for (const auto& [name, value] : request.headers) {
      // A header without a value is written "name;".
      headers = curl_.slist_append(headers, (value.empty() ? name + ";" : name + ": " + value).c_str());
    }
    char reason[CURL_ERROR_SIZE] = "";
    Body body{.bytes = {}, .bytes_max = settings_.response_bytes_max};
    Set(CURLOPT_HTTPHEADER, headers);
    Set(CURLOPT_ERRORBUFFER, reason);
    Set(CURLOPT_WRITEFUNCTION, TakeBody);
    Set(CURLOPT_WRITEDATA, &body);
    result.code = curl_.easy_perform(handle_);
    result.too_long = body.too_long;
    result.response.body = std::move(body.bytes);
    result.reason = reason[0] != '\0' ? reason : curl_.easy_strerror(result.code);
    if (result.code == CURLE_OK) {
      long status = 0;
      char* redirect = nullptr;
      curl_off_t wait_s = 0;
      curl_.easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &status);
      curl_.easy_getinfo(handle_, CURLINFO_REDIRECT_URL, &redirect);
      curl_.easy_getinfo(handle_, CURLINFO_RETRY_AFTER, &wait_s);
      result.response.status = static_cast<int>(status);
      if (redirect != nullptr) result.redirect = redirect;
      result.wait_ms = std::min<int64_t>(wait_s, 1'000'000) * 1000;
    }
    Set(CURLOPT_HTTPHEADER, static_cast<curl_slist*>(nullptr));
    Set(CURLOPT_ERRORBUFFER, static_cast<char*>(nullptr));
    curl_.slist_free_all(headers);
    return result;
  }

  const Curl& curl_;
  CURL* const handle_;
  const HttpSettings settings_;
};

}  // namespace

arrow::Result<std::unique_ptr<HttpClient>> HttpClient::Make(const HttpSettings& settings) {
  ARROW_ASSIGN_OR_RAISE(const Curl* const curl, LoadCurl());
  CURL* const handle = curl->easy_init();
  if (handle == nullptr) return MakeError(ErrorKind::kInternal, "libcurl gives no handle");
  return std::make_unique<CurlClient>(*curl, handle, settings);
}

std::string PercentEncode(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    const bool plain = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '.' || c == '_' || c == '~';
    if (plain) {
      encoded += c;
    } else {
      const unsigned byte = static_cast<unsigned char>(c);
      encoded += '%';
      for (const unsigned digit : {byte >> 4U, byte & 15U}) {
        const char hex = HexDigit(digit);
        encoded += hex >= 'a' ? static_cast<char>(hex - 'a' + 'A') : hex;
      }
    }
  }
  return encoded;
}

std::string PercentDecode(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && HexValue(text[i + 1]) >= 0 && HexValue(text[i + 2]) >= 0) {
      decoded += static_cast<char>(HexValue(text[i + 1]) * 16 + HexValue(text[i + 2]));
      i += 2;
    } else {
      decoded += text[i];
    }
  }
  return decoded;
}

}  // namespace frazil::io
