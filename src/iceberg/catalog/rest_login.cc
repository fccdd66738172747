// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/catalog/rest_login.h"

#include <arrow/util/base64.h>

#include "frazil/error.h"
#include "src/base/secret.h"
#include "src/base/text.h"
#include "src/iceberg/catalog/rest_protocol.h"

namespace frazil::iceberg {
namespace {

constexpr const char* kBearer = "Bearer ";
constexpr const char* kBasic = "Basic ";

void AddToForm(std::string* form, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  *form += (form->empty() ? "" : "&") + std::string(name) + "=" + io::PercentEncode(value);
}

// Keys below auth. have underscores in a file, dashes when they come from a variable.
std::string GetEither(const CatalogConfig& config, const std::string& start, const std::string& underscored) {
  const std::string value = config.Get(start + underscored);
  if (!value.empty()) return value;
  std::string dashed = underscored;
  for (char& c : dashed) c = c == '_' ? '-' : c;
  return config.Get(start + dashed);
}

}  // namespace

arrow::Result<RestLogin> RestLogin::Make(const CatalogConfig& config, const std::string& token_url) {
  RestLogin login;
  login.token_url_ = token_url;
  const std::string type = config.Get("auth.type");
  if (type == "noop") return login;
  if (type == "basic") {
    login.password_ = config.Get("auth.basic.password");
    login.header_ = kBasic + arrow::util::base64_encode(config.Get("auth.basic.username") + ":" + login.password_);
    return login;
  }
  if (type == "oauth2") {
    login.client_id_ = GetEither(config, "auth.oauth2.", "client_id");
    login.client_secret_ = GetEither(config, "auth.oauth2.", "client_secret");
    login.token_url_ = GetEither(config, "auth.oauth2.", "token_url");
    login.secret_in_header_ = true;
    AddToForm(&login.form_, "scope", config.Get("auth.oauth2.scope"));
    if (login.client_secret_.empty() || login.token_url_.empty()) {
      return MakeError(ErrorKind::kUsage,
                       "auth.type oauth2 needs auth.oauth2.client_id, auth.oauth2.client_secret and "
                       "auth.oauth2.token_url");
    }
    return login;
  }
  if (!type.empty()) {
    return MakeError(ErrorKind::kUnsupported,
                     "auth.type " + Printable(type, 60) + "; what can be used are noop, basic and oauth2");
  }
  const std::string credential = config.Get("credential");
  if (credential.empty()) {
    if (const std::string token = config.Get("token"); !token.empty()) login.header_ = kBearer + token;
    return login;
  }
  const size_t colon = credential.find(':');
  if (colon != std::string::npos) login.client_id_ = credential.substr(0, colon);
  login.client_secret_ = colon == std::string::npos ? credential : credential.substr(colon + 1);
  if (const std::string url = config.Get("oauth2-server-uri"); !url.empty()) login.token_url_ = url;
  const std::string scope = config.Get("scope");
  AddToForm(&login.form_, "scope", scope.empty() ? "catalog" : scope);
  AddToForm(&login.form_, "audience", config.Get("audience"));
  AddToForm(&login.form_, "resource", config.Get("resource"));
  return login;
}

arrow::Status RestLogin::FetchToken(io::HttpClient* client) {
  io::HttpRequest request{.method = "POST", .url = token_url_};
  request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}, {"Accept", "application/json"}};
  AddToForm(&request.body, "grant_type", "client_credentials");
  if (secret_in_header_) {
    request.headers.emplace_back("Authorization",
                                 kBasic + arrow::util::base64_encode(client_id_ + ":" + client_secret_));
  } else {
    AddToForm(&request.body, "client_id", client_id_);
    AddToForm(&request.body, "client_secret", client_secret_);
  }
  if (!form_.empty()) request.body += "&" + form_;
  ARROW_ASSIGN_OR_RAISE(const io::HttpResponse answer, client->Send(request));
  const ErrorPlace place{.file = HideAddressSecrets(token_url_)};
  const arrow::Status status = StatusOfAnswer(answer);
  // 400 is how OAuth2 refuses a client, too (RFC 6749, 5.2).
  if (answer.status == 400) {
    const auto* detail = static_cast<const ErrorDetail*>(status.detail().get());
    return MakeError(ErrorKind::kAccess, "no token: " + detail->text(), place);
  }
  ARROW_RETURN_NOT_OK(AddPlace(status, place));
  const auto token = ParseToken(answer.body);
  if (!token.ok()) return AddPlace(token.status(), place);
  UseToken(*token);
  return arrow::Status::OK();
}

arrow::Result<std::string> RestLogin::Header(io::HttpClient* client) {
  if (header_.empty() && !client_secret_.empty()) ARROW_RETURN_NOT_OK(FetchToken(client));
  return header_;
}

bool RestLogin::Forget() {
  if (client_secret_.empty()) return false;
  header_.clear();
  return true;
}

void RestLogin::UseToken(const std::string& token) { header_ = kBearer + token; }

arrow::Status RestLogin::HideSecrets(const arrow::Status& status) const {
  if (status.ok()) return status;
  const auto* detail = dynamic_cast<const ErrorDetail*>(status.detail().get());
  std::string text = detail == nullptr ? status.message() : detail->text();
  std::string token = header_;
  if (const size_t space = token.find(' '); space != std::string::npos) token.erase(0, space + 1);
  for (const std::string& secret : {token, client_secret_, password_}) text = HideText(std::move(text), secret);
  return MakeError(KindOf(status), std::move(text), detail == nullptr ? ErrorPlace{} : detail->place());
}

}  // namespace frazil::iceberg
