// SPDX-License-Identifier: Apache-2.0
#include "src/base/text.h"
#include "src/io/http_store.h"

namespace frazil::io {
namespace {

constexpr size_t kShownBytesMax = 200;

class PlainHttpStore : public HttpStore {
 public:
  arrow::Result<std::vector<std::string>> Headers(const std::string& /*url*/) const override {
    return std::vector<std::string>();
  }
  bool follows_redirects() const override { return true; }

  arrow::Status Refusal(const HttpAnswer& answer) const override {
    const std::string status = "the server answers with status " + std::to_string(answer.status);
    switch (answer.status) {
      case 401:
      case 403:
        return MakeError(ErrorKind::kAccess, status +
                                                 ": it wants other credentials; user and password, or the signature "
                                                 "of the URL, may be wrong or too old");
      case 404:
      case 410:
        return MakeError(ErrorKind::kNotFound, status + ": there is no such file");
      case 429:
      case 500:
      case 502:
      case 503:
      case 504:
        return MakeError(ErrorKind::kUnavailable, status);
      default:
        return MakeError(ErrorKind::kUnsupported, status + ", which is not followed");
    }
  }

  arrow::Status Failure(CURLcode code, const std::string& reason) const override {
    return MakeError(KindOfCurl(code), Printable(reason, kShownBytesMax));
  }
};

}  // namespace

std::shared_ptr<const HttpStore> MakePlainHttpStore() { return std::make_shared<PlainHttpStore>(); }

}  // namespace frazil::io
