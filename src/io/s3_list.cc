// SPDX-License-Identifier: Apache-2.0
#include "src/io/s3_list.h"

#include <charconv>
#include <optional>
#include <utility>

#include "frazil/error.h"
#include "src/io/http_client.h"
#include "src/io/s3_store.h"

namespace frazil::io {
namespace {

constexpr int kOk = 200;

// The content of the next element of this name from `*at` on, which moves behind it.
std::optional<std::string_view> NextElement(std::string_view xml, const std::string& name, size_t* at) {
  const std::string open = "<" + name + ">";
  const std::string close = "</" + name + ">";
  const size_t begin = xml.find(open, *at);
  if (begin == std::string_view::npos) return std::nullopt;
  const size_t end = xml.find(close, begin);
  if (end == std::string_view::npos) return std::nullopt;
  *at = end + close.size();
  return xml.substr(begin + open.size(), end - begin - open.size());
}

std::optional<std::string_view> Element(std::string_view xml, const std::string& name) {
  size_t at = 0;
  return NextElement(xml, name, &at);
}

void AppendUtf8(uint32_t point, std::string* text) {
  if (point < 0x80) {
    *text += static_cast<char>(point);
  } else if (point < 0x800) {
    *text += static_cast<char>(0xc0 | (point >> 6));
    *text += static_cast<char>(0x80 | (point & 0x3f));
  } else if (point < 0x10000) {
    *text += static_cast<char>(0xe0 | (point >> 12));
    *text += static_cast<char>(0x80 | ((point >> 6) & 0x3f));
    *text += static_cast<char>(0x80 | (point & 0x3f));
  } else {
    *text += static_cast<char>(0xf0 | (point >> 18));
    *text += static_cast<char>(0x80 | ((point >> 12) & 0x3f));
    *text += static_cast<char>(0x80 | ((point >> 6) & 0x3f));
    *text += static_cast<char>(0x80 | (point & 0x3f));
  }
}

// Text of XML as it is meant; nothing for an entity that XML does not define itself.
std::optional<std::string> Unescape(std::string_view xml) {
  std::string text;
  while (!xml.empty()) {
    const size_t begin = std::min(xml.find('&'), xml.size());
    text += xml.substr(0, begin);
    xml.remove_prefix(begin);
    if (xml.empty()) break;
    const size_t end = xml.find(';');
    if (end == std::string_view::npos) return std::nullopt;
    std::string_view entity = xml.substr(1, end - 1);
    xml.remove_prefix(end + 1);
    if (entity == "amp") {
      text += '&';
    } else if (entity == "lt") {
      text += '<';
    } else if (entity == "gt") {
      text += '>';
    } else if (entity == "quot") {
      text += '"';
    } else if (entity == "apos") {
      text += '\'';
    } else if (entity.starts_with('#')) {
      entity.remove_prefix(1);
      const bool is_hex = entity.starts_with('x');
      if (is_hex) entity.remove_prefix(1);
      uint32_t point = 0;
      const char* const last = entity.data() + entity.size();
      const auto [parsed, error] = std::from_chars(entity.data(), last, point, is_hex ? 16 : 10);
      if (error != std::errc() || parsed != last || point == 0 || point > 0x10ffff) return std::nullopt;
      AppendUtf8(point, &text);
    } else {
      return std::nullopt;
    }
  }
  return text;
}

arrow::Status NoListing(const std::string& what) {
  return MakeError(ErrorKind::kCorrupt, "the store's listing " + what);
}

}  // namespace

arrow::Result<S3ListPage> ParseS3ListPage(std::string_view xml) {
  if (xml.find("<ListBucketResult") == std::string_view::npos) return NoListing("is none");
  S3ListPage page;
  size_t at = 0;
  while (const auto contents = NextElement(xml, "Contents", &at)) {
    const auto key = Element(*contents, "Key");
    const auto size = Element(*contents, "Size");
    const auto name = key ? Unescape(*key) : std::nullopt;
    if (!name || !size) return NoListing("has an object without a key or size");
    S3Object object{*name, 0};
    const auto [end, error] = std::from_chars(size->data(), size->data() + size->size(), object.size_bytes);
    if (error != std::errc() || end != size->data() + size->size() || object.size_bytes < 0) {
      return NoListing("has a malformed size");
    }
    page.objects.push_back(std::move(object));
  }
  if (const auto more = Element(xml, "IsTruncated"); more && *more == "true") {
    const auto token = Element(xml, "NextContinuationToken");
    const auto text = token ? Unescape(*token) : std::nullopt;
    if (!text || text->empty()) return NoListing("ends without saying where it goes on");
    page.next_token = *text;
  }
  return page;
}

arrow::Result<std::vector<S3Object>> ListS3(const S3Settings& settings, const std::string& bucket,
                                            const std::string& prefix,
                                            const std::function<void(int64_t answer_bytes)>& on_request) {
  HttpSettings http;
  http.connect_timeout_ms = settings.http.connect_timeout_ms;
  http.total_timeout_ms = settings.http.deadline_ms;
  http.ca_file = settings.http.ca_file;
  ARROW_ASSIGN_OR_RAISE(const auto client, HttpClient::Make(http));
  const auto store = MakeS3Store(settings, bucket);
  std::string base = S3Url(settings, {bucket, ""});
  std::vector<S3Object> objects;
  std::string token;
  do {
    std::string url = base + "?";
    if (!token.empty()) url += "continuation-token=" + PercentEncode(token) + "&";
    url += "list-type=2&prefix=" + PercentEncode(prefix);
    HttpRequest request;
    request.url = url;
    ARROW_ASSIGN_OR_RAISE(const auto headers, store->Headers(url));
    for (const std::string& header : headers) {
      const size_t colon = header.find(": ");
      request.headers.emplace_back(header.substr(0, colon), header.substr(colon + 2));
    }
    ARROW_ASSIGN_OR_RAISE(const HttpResponse response, client->Send(request));
    on_request(static_cast<int64_t>(response.body.size()));
    if (response.status != kOk) {
      HttpAnswer answer;
      answer.status = response.status;
      answer.text = response.body.substr(0, HttpAnswer::kTextBytesMax);
      return store->Refusal(answer);
    }
    ARROW_ASSIGN_OR_RAISE(S3ListPage page, ParseS3ListPage(response.body));
    if (page.next_token == token && !token.empty()) return NoListing("goes in a circle");
    token = page.next_token;
    if (objects.size() + page.objects.size() > kS3ObjectsMax) {
      return MakeError(ErrorKind::kBudget, "more than " + std::to_string(kS3ObjectsMax) + " files are listed");
    }
    for (S3Object& object : page.objects) objects.push_back(std::move(object));
  } while (!token.empty());
  return objects;
}

}  // namespace frazil::io
