// SPDX-License-Identifier: Apache-2.0
#include "src/io/s3_store.h"

#include <cstdlib>
#include <ctime>
#include <utility>

#include "src/base/secret.h"
#include "src/base/text.h"
#include "src/io/http_client.h"

namespace frazil::io {
namespace {

constexpr size_t kShownBytesMax = 200;

// The text of the first element of this name, as it is written; "" when there is none.
std::string ElementText(std::string_view xml, const std::string& name) {
  const std::string open = "<" + name + ">";
  const size_t begin = xml.find(open);
  if (begin == std::string_view::npos) return "";
  const size_t end = xml.find('<', begin + open.size());
  if (end == std::string_view::npos) return "";
  return std::string(xml.substr(begin + open.size(), end - begin - open.size()));
}

// "in 12 s" between this machine's clock and the store's; 0 when the store's is not known.
int64_t ClockDifferenceSeconds(const std::string& date) {
  std::tm parts{};
  if (date.empty() || strptime(date.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts) == nullptr) return 0;
  return static_cast<int64_t>(std::time(nullptr)) - static_cast<int64_t>(timegm(&parts));
}

class S3Store : public HttpStore {
 public:
  S3Store(S3Settings settings, std::string bucket) : settings_(std::move(settings)), bucket_(std::move(bucket)) {}

  bool follows_redirects() const override { return false; }

  arrow::Result<std::vector<std::string>> Headers(const std::string& url) const override {
    std::vector<std::pair<std::string, std::string>> headers;
    if (settings_.requester_pays) headers.emplace_back("x-amz-request-payer", "requester");
    if (settings_.anonymous) {
      std::vector<std::string> lines;
      for (const auto& [name, value] : headers) lines.push_back(name + ": " + value);
      return lines;
    }
    if (settings_.access_key.text.empty()) {
      return MakeError(ErrorKind::kAccess,
                       "no credentials for S3 were found: looked at " + settings_.key_places +
                           "; for a public bucket set s3.anonymous=true or AWS_SKIP_SIGNATURE=true");
    }
    const size_t host = url.find("://") + 3;
    const size_t path = url.find('/', host);
    const size_t query = std::min(url.find('?', path), url.size());
    AwsRequest request;
    request.host = url.substr(host, path - host);
    request.path = url.substr(path, query - path);
    request.query = query < url.size() ? url.substr(query + 1) : std::string();
    request.headers = std::move(headers);
    request.region = settings_.region.text;
    return SignAwsRequest(request, settings_.credentials, static_cast<int64_t>(std::time(nullptr)));
  }

  arrow::Status Refusal(const HttpAnswer& answer) const override {
    const std::string code = ElementText(answer.text, "Code");
    const std::string said = Said(answer, code);
    const std::string region =
        !answer.bucket_region.empty() ? answer.bucket_region : ElementText(answer.text, "Region");
    const bool moved = answer.status == 301 || answer.status == 307 || code == "AuthorizationHeaderMalformed" ||
                       code == "IllegalLocationConstraintException";
    if (moved && !region.empty() && region != settings_.region.text) {
      return MakeError(ErrorKind::kUsage, "bucket " + Shown(bucket_) + " is in region " + Shown(region) +
                                              ", and was asked for in " + Of(settings_.region) +
                                              ": set s3.region or AWS_REGION to " + Shown(region));
    }
    if (moved) {
      return MakeError(ErrorKind::kUsage, "the store says that bucket " + Shown(bucket_) + " is elsewhere (" + said +
                                              "): set s3.region or AWS_REGION, now " + Of(settings_.region) +
                                              ", or s3.endpoint, now " + EndpointText());
    }
    if (code == "InvalidAccessKeyId" || code == "InvalidClientTokenId" || code == "XAdminUserNotFound") {
      return MakeError(ErrorKind::kAccess,
                       "the store at " + EndpointText() + " knows no such access key (" + settings_.access_key.source +
                           "): give that of this store, or the endpoint of the key's own (" + said + ")");
    }
    if (code == "SignatureDoesNotMatch") {
      return MakeError(ErrorKind::kAccess, "the secret access key does not belong to the access key (" +
                                               settings_.access_key.source + "), or region " + Of(settings_.region) +
                                               " is wrong (" + said + ")");
    }
    if (code == "RequestTimeTooSkewed" || code == "RequestExpired") {
      const int64_t seconds = ClockDifferenceSeconds(answer.date);
      return MakeError(ErrorKind::kAccess, "the clock of this machine is " + std::to_string(std::abs(seconds)) + " s " +
                                               (seconds < 0 ? "behind" : "ahead of") +
                                               " the store's, too far for signatures: set it (" + said + ")");
    }
    if (code == "ExpiredToken" || code == "InvalidToken" || code == "TokenRefreshRequired") {
      return MakeError(ErrorKind::kAccess, "the session token that goes with the access key (" +
                                               settings_.access_key.source +
                                               ") is not valid, or no longer: get new "
                                               "credentials (" +
                                               said + ")");
    }
    if (code == "NoSuchBucket") {
      return MakeError(ErrorKind::kNotFound, "there is no bucket " + Shown(bucket_) + " at " + EndpointText());
    }
    switch (answer.status) {
      case 401:
      case 403:
        return MakeError(ErrorKind::kAccess, Forbidden() + " (" + said + ")");
      case 404:
        if (code.empty() || code == "NoSuchKey" || code == "NoSuchVersion") {
          return MakeError(ErrorKind::kNotFound, "there is no such file in bucket " + Shown(bucket_) + " at " +
                                                     EndpointText() + (code.empty() ? " (" + said + ")" : ""));
        }
        return MakeError(ErrorKind::kNotFound, said);
      case 429:
      case 500:
      case 502:
      case 503:
      case 504:
        return MakeError(ErrorKind::kUnavailable, "the store is busy or out of order (" + said + ")");
      default:
        return MakeError(ErrorKind::kUnsupported,
                         "what answers at " + EndpointText() + " may be no S3 store (" + said + "): see s3.endpoint");
    }
  }

  arrow::Status Failure(CURLcode code, const std::string& reason) const override {
    const std::string said = Printable(reason, kShownBytesMax);
    switch (code) {
      case CURLE_COULDNT_RESOLVE_HOST:
      case CURLE_COULDNT_CONNECT:
        return MakeError(ErrorKind::kUnavailable, "nothing answers at " + EndpointText() + ": see s3.endpoint" +
                                                      (settings_.endpoint.text.empty() ? " and s3.region" : "") + " (" +
                                                      said + ")");
      case CURLE_SSL_CONNECT_ERROR:
        return MakeError(ErrorKind::kUnavailable,
                         "what answers at " + EndpointText() + " may not speak TLS: see s3.endpoint (" + said + ")");
      case CURLE_PEER_FAILED_VERIFICATION:
      case CURLE_SSL_CACERT_BADFILE:
        return MakeError(ErrorKind::kAccess,
                         "the certificate of " + EndpointText() + " is not trusted: see s3.ca-bundle (" + said + ")");
      default:
        return MakeError(KindOfCurl(code), said);
    }
  }

 private:
  static std::string Shown(const std::string& text) { return Printable(text, kShownBytesMax); }
  static std::string Of(const StoreSetting& setting) { return Shown(setting.text) + " (" + setting.source + ")"; }

  std::string EndpointText() const {
    return settings_.endpoint.text.empty() ? "AWS in region " + Of(settings_.region) : Of(settings_.endpoint);
  }

  std::string Forbidden() const {
    if (settings_.anonymous) {
      return "the file can not be read without credentials, or is not there: without s3.anonymous they are looked for";
    }
    return "the access key (" + settings_.access_key.source +
           ") may not read this file, or, unless it may list bucket " + Shown(bucket_) + ", the file is not there";
  }

  // What the store says of it, without what could be secret: some repeat what was signed.
  static std::string Said(const HttpAnswer& answer, const std::string& code) {
    std::string said = "status " + std::to_string(answer.status);
    if (!code.empty()) said += ", " + Shown(code);
    return said;
  }

  const S3Settings settings_;
  const std::string bucket_;
};

}  // namespace

bool IsS3Address(std::string_view address) {
  return address.starts_with("s3://") || address.starts_with("s3a://") || address.starts_with("s3n://");
}

arrow::Result<S3Address> ParseS3Address(std::string_view address) {
  const std::string_view rest = address.substr(std::min(address.find("://") + 3, address.size()));
  const size_t slash = std::min(rest.find('/'), rest.size());
  S3Address parsed{std::string(rest.substr(0, slash)), std::string(rest.substr(std::min(slash + 1, rest.size())))};
  if (parsed.bucket.empty() || parsed.bucket.find_first_of("@:?#%") != std::string::npos) {
    return MakeError(ErrorKind::kUsage, "an address of S3 is s3://BUCKET/KEY, not " +
                                            Printable(HideAddressSecrets(address), kShownBytesMax));
  }
  return parsed;
}

std::string S3Url(const S3Settings& settings, const S3Address& address) {
  std::string base = settings.endpoint.text;
  if (base.empty()) {
    base = "https://s3." + settings.region.text + ".amazonaws.com";
    if (settings.region.text.starts_with("cn-")) base += ".cn";
  }
  const bool dotted = address.bucket.find('.') != std::string::npos && base.starts_with("https:");
  std::string url;
  if (settings.path_style || dotted) {
    url = base + "/" + PercentEncode(address.bucket);
  } else {
    const size_t host = base.find("://") + 3;
    url = base.substr(0, host) + address.bucket + "." + base.substr(host);
  }
  std::string_view key = address.key;
  url += '/';
  while (true) {
    const size_t slash = std::min(key.find('/'), key.size());
    url += PercentEncode(std::string(key.substr(0, slash)));
    if (slash == key.size()) break;
    url += '/';
    key.remove_prefix(slash + 1);
  }
  return url;
}

std::shared_ptr<const HttpStore> MakeS3Store(S3Settings settings, std::string bucket) {
  return std::make_shared<S3Store>(std::move(settings), std::move(bucket));
}

}  // namespace frazil::io
