// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/catalog/rest.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "frazil/error.h"
#include "src/base/secret.h"
#include "src/base/text.h"
#include "src/base/version.h"
#include "src/iceberg/catalog/rest_login.h"
#include "src/iceberg/catalog/rest_protocol.h"

namespace frazil::iceberg {
namespace {

constexpr size_t kNamesMax = 1'000'000;
constexpr const char* kHeaderPrefix = "header.";
constexpr const char* kDelegationHeader = "x-iceberg-access-delegation";
constexpr int kUnauthorized = 401;
constexpr int kTokenExpired = 419;

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), LowerAscii);
  return text;
}

std::string WithoutSlash(std::string uri) {
  while (uri.ends_with('/')) uri.pop_back();
  return uri;
}

arrow::Status SetNumber(const CatalogConfig& config, const char* key, int64_t max, int64_t* number) {
  const std::string text = config.Get(key);
  if (text.empty()) return arrow::Status::OK();
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0 || value > max) {
    return MakeError(ErrorKind::kUsage, "catalog " + Printable(config.name, 60) + ": " + key +
                                            " must be a number from 0 to " + std::to_string(max));
  }
  *number = value;
  return arrow::Status::OK();
}

arrow::Result<io::HttpSettings> HttpSettingsOf(const CatalogConfig& config) {
  io::HttpSettings settings;
  int64_t retries = settings.retries_max;
  constexpr int64_t kDayMs = 86'400'000;
  ARROW_RETURN_NOT_OK(SetNumber(config, "rest.client.max-retries", 100, &retries));
  ARROW_RETURN_NOT_OK(SetNumber(config, "rest.client.connection-timeout-ms", kDayMs, &settings.connect_timeout_ms));
  ARROW_RETURN_NOT_OK(SetNumber(config, "rest.client.socket-timeout-ms", kDayMs, &settings.silence_timeout_ms));
  settings.retries_max = static_cast<int>(retries);
  settings.ca_file = config.Get("ssl.cabundle");
  settings.client_certificate_file = config.Get("ssl.client.cert");
  settings.client_key_file = config.Get("ssl.client.key");
  return settings;
}

// Properties of a stronger source over those of a weaker one.
void Override(const Properties& stronger, Properties* properties) {
  for (const auto& [key, value] : stronger) (*properties)[key] = value;
}

class RestCatalog : public Catalog {
 public:
  RestCatalog(std::unique_ptr<io::HttpClient> client, const CatalogConfig& config, RestLogin login)
      : client_(std::move(client)),
        own_(config.ToProperties()),
        properties_(own_),
        login_(std::move(login)),
        routes_{.uri = WithoutSlash(config.Get("uri"))} {}

  arrow::Result<CatalogTable> LoadTable(const Namespace& name_space, const std::string& table) override {
    ARROW_RETURN_NOT_OK(Configure());
    if (table.empty()) return MakeError(ErrorKind::kUsage, "a table needs a name");
    ARROW_RETURN_NOT_OK(CheckNamespace(name_space));
    const std::string snapshots = Get("snapshot-loading-mode");
    if (!snapshots.empty() && snapshots != "all" && snapshots != "refs") {
      return MakeError(ErrorKind::kUsage,
                       "snapshot-loading-mode is neither all nor refs but " + Printable(snapshots, 60));
    }
    const std::string url = routes_.Table(name_space, table, snapshots);
    ARROW_ASSIGN_OR_RAISE(const std::string body, Ask(url));
    auto loaded = ParseTable(body);
    if (!loaded.ok()) return Placed(loaded.status(), url);
    Properties merged = properties_;
    Override(loaded->properties, &merged);
    KeepEndpoints(&merged);
    loaded->properties = std::move(merged);
    for (StorageCredential& credential : loaded->storage_credentials) KeepEndpoints(&credential.properties);
    return loaded;
  }

  arrow::Result<std::vector<std::string>> ListTables(const Namespace& name_space) override {
    ARROW_RETURN_NOT_OK(Configure());
    ARROW_RETURN_NOT_OK(CheckNamespace(name_space));
    ARROW_ASSIGN_OR_RAISE(const auto found, AllPages(routes_.Tables(name_space), ParseTableNames));
    std::set<std::string> names;
    for (const Namespace& name : found) names.insert(name.back());
    return std::vector<std::string>(names.begin(), names.end());
  }

  arrow::Result<std::vector<Namespace>> ListNamespaces(const Namespace& parent) override {
    ARROW_RETURN_NOT_OK(Configure());
    if (!parent.empty()) ARROW_RETURN_NOT_OK(CheckNamespace(parent));
    ARROW_ASSIGN_OR_RAISE(const auto found, AllPages(routes_.Namespaces(parent), ParseNamespaceNames));
    return std::vector<Namespace>(found.begin(), found.end());
  }

 private:
  static arrow::Status CheckNamespace(const Namespace& name_space) {
    const bool bad = name_space.empty() || std::any_of(name_space.begin(), name_space.end(),
                                                       [](const std::string& level) { return level.empty(); });
    return bad ? MakeError(ErrorKind::kUsage, "a table is named namespace.table, without an empty part")
               : arrow::Status::OK();
  }

  std::string Get(const std::string& key) const {
    const auto found = properties_.find(key);
    return found == properties_.end() ? "" : found->second;
  }

  // Where the user says that files are read from, nobody else does.
  void KeepEndpoints(Properties* properties) const {
    for (const auto& [key, value] : own_) {
      if (key.ends_with(".endpoint") && !value.empty()) (*properties)[key] = value;
    }
  }

  // Once: asks the service for its configuration.
  arrow::Status Configure() {
    if (configured_) return arrow::Status::OK();
    const std::string url = routes_.Config(Get("warehouse"));
    ARROW_ASSIGN_OR_RAISE(const std::string body, Ask(url));
    const auto config = ParseRestConfig(body);
    if (!config.ok()) return Placed(config.status(), url);
    properties_ = config->defaults;
    Override(own_, &properties_);
    Override(config->overrides, &properties_);
    KeepEndpoints(&properties_);
    const std::string uri = WithoutSlash(Get("uri"));
    if (uri != routes_.uri && routes_.uri.starts_with("https:") && !uri.starts_with("https:")) {
      return MakeError(ErrorKind::kAccess,
                       "the service sends its clients from https to " + Printable(HideAddressSecrets(uri), 200) +
                           ", which is not followed",
                       {.file = HideAddressSecrets(url)});
    }
    routes_.uri = uri;
    routes_.prefix = Get("prefix");
    if (const std::string separator = Get("namespace-separator"); !separator.empty()) {
      routes_.namespace_separator = io::PercentDecode(separator);
    }
    const auto given = config->overrides.find("token");
    if (given != config->overrides.end() && !given->second.empty()) login_.UseToken(given->second);
    configured_ = true;
    return arrow::Status::OK();
  }

  arrow::Result<std::string> Ask(const std::string& url) {
    auto answer = AskOnce(url);
    const bool refused = answer.ok() && (answer->status == kUnauthorized || answer->status == kTokenExpired);
    if (refused && login_.Forget()) answer = AskOnce(url);
    if (!answer.ok()) return login_.HideSecrets(answer.status());
    const arrow::Status status = StatusOfAnswer(*answer);
    if (!status.ok()) return login_.HideSecrets(Placed(status, url));
    return std::move(answer->body);
  }

  arrow::Result<io::HttpResponse> AskOnce(const std::string& url) {
    io::HttpRequest request{.method = "GET", .url = url};
    ARROW_ASSIGN_OR_RAISE(const std::string authorization, login_.Header(client_.get()));
    bool delegation = false;
    for (const auto& [key, value] : properties_) {
      if (!key.starts_with(kHeaderPrefix)) continue;
      const std::string name = key.substr(std::string_view(kHeaderPrefix).size());
      delegation = delegation || Lower(name) == kDelegationHeader;
      request.headers.emplace_back(name, value);
    }
    if (!delegation) request.headers.emplace_back(kDelegationHeader, "vended-credentials");
    request.headers.emplace_back("Accept", "application/json");
    request.headers.emplace_back("User-Agent", std::string("frazil/") + kVersion);
    if (!authorization.empty()) request.headers.emplace_back("Authorization", authorization);
    return client_->Send(request);
  }

  arrow::Result<std::set<Namespace>> AllPages(const std::string& url,
                                              arrow::Result<NamesPage> (*parse)(std::string_view)) {
    std::set<Namespace> names;
    std::set<std::string> tokens;
    std::string page_url = url;
    while (true) {
      ARROW_ASSIGN_OR_RAISE(const std::string body, Ask(page_url));
      auto page = parse(body);
      if (!page.ok()) return Placed(page.status(), url);
      names.insert(std::make_move_iterator(page->names.begin()), std::make_move_iterator(page->names.end()));
      if (page->next_page_token.empty()) return names;
      if (!tokens.insert(page->next_page_token).second) {
        return Placed(MakeError(ErrorKind::kCorrupt, "the pages of the list go in a circle"), url);
      }
      if (names.size() > kNamesMax || tokens.size() > kNamesMax) {
        return Placed(MakeError(ErrorKind::kBudget, "more than " + std::to_string(kNamesMax) + " names"), url);
      }
      page_url = RestRoutes::WithParameter(url, "pageToken", page->next_page_token);
    }
  }

  static arrow::Status Placed(const arrow::Status& status, const std::string& url) {
    return AddPlace(status, {.file = HideAddressSecrets(url)});
  }

  const std::unique_ptr<io::HttpClient> client_;
  const Properties own_;   // as the user configured them
  Properties properties_;  // merged with the service's
  RestLogin login_;
  RestRoutes routes_;
  bool configured_ = false;
};

}  // namespace

arrow::Result<std::unique_ptr<Catalog>> MakeRestCatalog(std::unique_ptr<io::HttpClient> client,
                                                        const CatalogConfig& config) {
  const std::string uri = WithoutSlash(config.Get("uri"));
  const std::string name = "catalog " + Printable(config.name, 60);
  if (uri.empty()) return MakeError(ErrorKind::kUsage, name + " of type rest needs a uri");
  if (Lower(config.Get("rest.sigv4-enabled")) == "true") {
    return MakeError(ErrorKind::kUnsupported, name + ": requests signed by rest.sigv4-enabled");
  }
  ARROW_ASSIGN_OR_RAISE(RestLogin login, RestLogin::Make(config, RestRoutes{.uri = uri}.Tokens()));
  return std::make_unique<RestCatalog>(std::move(client), config, std::move(login));
}

arrow::Result<std::unique_ptr<Catalog>> OpenRestCatalog(const CatalogConfig& config) {
  ARROW_ASSIGN_OR_RAISE(const io::HttpSettings settings, HttpSettingsOf(config));
  ARROW_ASSIGN_OR_RAISE(auto client, io::HttpClient::Make(settings));
  return MakeRestCatalog(std::move(client), config);
}

}  // namespace frazil::iceberg
