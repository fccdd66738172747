// SPDX-License-Identifier: Apache-2.0
#include "src/io/curl_library.h"

#include <algorithm>
#include <memory>

#include "src/base/secret.h"
#include "src/base/shared_library.h"
#include "src/base/text.h"

namespace frazil::io {
namespace {

arrow::Result<Curl> Load() {
  ARROW_ASSIGN_OR_RAISE(const SharedLibrary library,
                        SharedLibrary::Load({"libcurl.so.4", "libcurl-gnutls.so.4"}, "libcurl4"));
  Curl curl{};
  ARROW_RETURN_NOT_OK(library.Find("curl_global_init", &curl.global_init));
  ARROW_RETURN_NOT_OK(library.Find("curl_easy_init", &curl.easy_init));
  ARROW_RETURN_NOT_OK(library.Find("curl_easy_cleanup", &curl.easy_cleanup));
  ARROW_RETURN_NOT_OK(library.Find("curl_easy_reset", &curl.easy_reset));
  ARROW_RETURN_NOT_OK(library.Find("curl_easy_setopt", &curl.easy_setopt));
  ARROW_RETURN_NOT_OK(library.Find("curl_easy_getinfo", &curl.easy_getinfo));
  ARROW_RETURN_NOT_OK(library.Find("curl_easy_perform", &curl.easy_perform));
  ARROW_RETURN_NOT_OK(library.Find("curl_easy_strerror", &curl.easy_strerror));
  ARROW_RETURN_NOT_OK(library.Find("curl_multi_init", &curl.multi_init));
  ARROW_RETURN_NOT_OK(library.Find("curl_multi_cleanup", &curl.multi_cleanup));
  ARROW_RETURN_NOT_OK(library.Find("curl_multi_setopt", &curl.multi_setopt));
  ARROW_RETURN_NOT_OK(library.Find("curl_multi_add_handle", &curl.multi_add_handle));
  ARROW_RETURN_NOT_OK(library.Find("curl_multi_remove_handle", &curl.multi_remove_handle));
  ARROW_RETURN_NOT_OK(library.Find("curl_multi_perform", &curl.multi_perform));
  ARROW_RETURN_NOT_OK(library.Find("curl_multi_poll", &curl.multi_poll));
  ARROW_RETURN_NOT_OK(library.Find("curl_multi_info_read", &curl.multi_info_read));
  ARROW_RETURN_NOT_OK(library.Find("curl_slist_append", &curl.slist_append));
  ARROW_RETURN_NOT_OK(library.Find("curl_slist_free_all", &curl.slist_free_all));
  ARROW_RETURN_NOT_OK(library.Find("curl_url", &curl.url));
  ARROW_RETURN_NOT_OK(library.Find("curl_url_cleanup", &curl.url_cleanup));
  ARROW_RETURN_NOT_OK(library.Find("curl_url_set", &curl.url_set));
  ARROW_RETURN_NOT_OK(library.Find("curl_url_get", &curl.url_get));
  ARROW_RETURN_NOT_OK(library.Find("curl_free", &curl.free));
  if (curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    return MakeError(ErrorKind::kInternal, "libcurl does not start");
  }
  return curl;
}

}  // namespace

arrow::Result<const Curl*> LoadCurl() {
  static const arrow::Result<Curl> kCurl = Load();
  ARROW_RETURN_NOT_OK(kCurl);
  return &*kCurl;
}

arrow::Result<Origin> OriginOf(const Curl& curl, const std::string& url) {
  const std::unique_ptr<CURLU, decltype(curl.url_cleanup)> parsed(curl.url(), curl.url_cleanup);
  Origin origin;
  const auto part = [&](CURLUPart which, std::string* text) {
    char* found = nullptr;
    const bool ok = curl.url_get(parsed.get(), which, &found, CURLU_DEFAULT_PORT) == CURLUE_OK;
    if (ok) *text = found;
    curl.free(found);
    return ok;
  };
  if (curl.url_set(parsed.get(), CURLUPART_URL, url.c_str(), CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK ||
      !part(CURLUPART_SCHEME, &origin.scheme)) {
    return MakeError(ErrorKind::kUsage, "malformed URL " + Printable(HideAddressSecrets(url), 200));
  }
  if (origin.scheme != "http" && origin.scheme != "https") {
    return MakeError(ErrorKind::kUnsupported, "scheme " + Printable(origin.scheme, 40) + " is neither http nor https",
                     {.file = HideAddressSecrets(url)});
  }
  if (!part(CURLUPART_HOST, &origin.host) || !part(CURLUPART_PORT, &origin.port)) {
    return MakeError(ErrorKind::kUsage, "URL without a host: " + Printable(HideAddressSecrets(url), 200));
  }
  std::transform(origin.host.begin(), origin.host.end(), origin.host.begin(), LowerAscii);
  return origin;
}

ErrorKind KindOfCurl(CURLcode code) {
  switch (code) {
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_LOGIN_DENIED:
      return ErrorKind::kAccess;
    case CURLE_URL_MALFORMAT:
      return ErrorKind::kUsage;
    case CURLE_UNSUPPORTED_PROTOCOL:
      return ErrorKind::kUnsupported;
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_WEIRD_SERVER_REPLY:
      return ErrorKind::kCorrupt;
    default:
      return ErrorKind::kUnavailable;
  }
}

bool BrokeOff(CURLcode code) {
  return code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR || code == CURLE_GOT_NOTHING ||
         code == CURLE_PARTIAL_FILE || code == CURLE_HTTP2 || code == CURLE_HTTP2_STREAM;
}

}  // namespace frazil::io
