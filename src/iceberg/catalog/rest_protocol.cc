// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/catalog/rest_protocol.h"

#include "frazil/error.h"
#include "src/base/text.h"
#include "src/iceberg/json.h"

namespace frazil::iceberg {
namespace {

constexpr size_t kShownBytesMax = 500;

std::string Joined(const Namespace& name, const std::string& separator) {
  std::string text;
  for (size_t i = 0; i < name.size(); ++i) text += (i > 0 ? separator : "") + name[i];
  return io::PercentEncode(text);
}

ErrorKind KindOfHttp(int status) {
  switch (status) {
    case 400:
    case 422:
      return ErrorKind::kUsage;
    case 401:
    case 403:
    case 407:
    case 419:
      return ErrorKind::kAccess;
    case 404:
      return ErrorKind::kNotFound;
    case 405:
    case 406:
    case 501:
      return ErrorKind::kUnsupported;
    case 409:
      return ErrorKind::kConflict;
    case 408:
    case 429:
      return ErrorKind::kUnavailable;
    default:
      if (status >= 500) return ErrorKind::kUnavailable;
      return status < 400 ? ErrorKind::kCorrupt : ErrorKind::kInternal;
  }
}

std::string TextOf(const JsonField& object, const char* name) {
  const auto value = object.Find<JsonField>(name);
  if (!value.ok() || !*value) return "";
  if (!(*value)->is_string()) return (*value)->Dump();
  return (*value)->As<std::string>().ValueOr("");
}

// The words of the service, from either of the two forms of its errors.
std::string ErrorWords(std::string_view body) {
  const auto document = JsonDocument::Parse(body, {.text_bytes_max = int64_t{1} << 20});
  if (document.ok() && document->root().is_object()) {
    const auto error = document->root().Find<JsonField>("error");
    if (error.ok() && *error && (*error)->is_object()) {
      const std::string type = TextOf(**error, "type");
      const std::string message = TextOf(**error, "message");
      return type + (type.empty() || message.empty() ? "" : ": ") + message;
    }
    if (error.ok() && *error && (*error)->is_string()) {  // of the token endpoint (RFC 6749, 5.2)
      const std::string description = TextOf(document->root(), "error_description");
      return TextOf(document->root(), "error") + (description.empty() ? "" : ": ") + description;
    }
  }
  return std::string(body.substr(0, kShownBytesMax));
}

// Text values as they are, others as JSON.
arrow::Result<Properties> ParseProperties(const JsonField& object, const char* name) {
  Properties properties;
  ARROW_ASSIGN_OR_RAISE(const auto member, object.Find<JsonField>(name));
  if (!member) return properties;
  ARROW_ASSIGN_OR_RAISE(const auto members, member->Members());
  for (const auto& [key, value] : members) {
    if (value.is_string()) {
      ARROW_ASSIGN_OR_RAISE(properties[key], value.As<std::string>());
    } else {
      properties[key] = value.Dump();
    }
  }
  return properties;
}

arrow::Result<Namespace> ParseLevels(const JsonField& array) {
  ARROW_ASSIGN_OR_RAISE(const auto levels, array.As<std::vector<JsonField>>());
  Namespace name;
  for (const JsonField& level : levels) {
    ARROW_ASSIGN_OR_RAISE(std::string text, level.As<std::string>());
    name.push_back(std::move(text));
  }
  return name;
}

arrow::Status ParseNextPage(const JsonField& root, NamesPage* page) {
  ARROW_ASSIGN_OR_RAISE(const auto token, root.Find<std::string>("next-page-token"));
  page->next_page_token = token.value_or("");
  return arrow::Status::OK();
}

}  // namespace

std::string RestRoutes::Config(const std::string& warehouse) const {
  const std::string url = uri + "/v1/config";
  return warehouse.empty() ? url : WithParameter(url, "warehouse", warehouse);
}

std::string RestRoutes::Tokens() const { return uri + "/v1/oauth/tokens"; }

std::string RestRoutes::Namespaces(const Namespace& parent) const {
  const std::string url = uri + "/v1/" + (prefix.empty() ? "" : prefix + "/") + "namespaces";
  if (parent.empty()) return url;
  return url + "?parent=" + Joined(parent, namespace_separator);
}

std::string RestRoutes::Tables(const Namespace& name_space) const {
  return Namespaces({}) + "/" + Joined(name_space, namespace_separator) + "/tables";
}

std::string RestRoutes::Table(const Namespace& name_space, const std::string& table,
                              const std::string& snapshots) const {
  const std::string url = Tables(name_space) + "/" + io::PercentEncode(table);
  return snapshots.empty() ? url : WithParameter(url, "snapshots", snapshots);
}

std::string RestRoutes::WithParameter(const std::string& url, std::string_view name, std::string_view value) {
  const char separator = url.find('?') == std::string::npos ? '?' : '&';
  return url + separator + std::string(name) + "=" + io::PercentEncode(value);
}

arrow::Status StatusOfAnswer(const io::HttpResponse& answer) {
  if (answer.status == 200) return arrow::Status::OK();
  const std::string words = Printable(ErrorWords(answer.body), kShownBytesMax);
  return MakeError(KindOfHttp(answer.status), "the catalog answers with status " + std::to_string(answer.status) +
                                                  (words.empty() ? "" : ": ") + words);
}

arrow::Result<RestConfig> ParseRestConfig(std::string_view json) {
  ARROW_ASSIGN_OR_RAISE(const auto document, JsonDocument::Parse(json, {}));
  RestConfig config;
  ARROW_ASSIGN_OR_RAISE(config.defaults, ParseProperties(document.root(), "defaults"));
  ARROW_ASSIGN_OR_RAISE(config.overrides, ParseProperties(document.root(), "overrides"));
  return config;
}

arrow::Result<std::string> ParseToken(std::string_view json) {
  ARROW_ASSIGN_OR_RAISE(const auto document, JsonDocument::Parse(json, {.text_bytes_max = int64_t{1} << 20}));
  ARROW_ASSIGN_OR_RAISE(auto token, document.root().Get<std::string>("access_token"));
  if (token.empty()) return MakeError(ErrorKind::kCorrupt, "access_token: empty");
  return token;
}

arrow::Result<CatalogTable> ParseTable(std::string_view json) {
  ARROW_ASSIGN_OR_RAISE(const auto document, JsonDocument::Parse(json, {}));
  const JsonField root = document.root();
  CatalogTable table;
  ARROW_ASSIGN_OR_RAISE(const auto location, root.Find<std::string>("metadata-location"));
  table.metadata_location = location.value_or("");
  ARROW_ASSIGN_OR_RAISE(const JsonField metadata, root.Get<JsonField>("metadata"));
  if (!metadata.is_object()) return metadata.Error("no object");
  table.metadata_json = metadata.Dump();
  ARROW_ASSIGN_OR_RAISE(table.properties, ParseProperties(root, "config"));
  ARROW_ASSIGN_OR_RAISE(const auto credentials, root.Find<std::vector<JsonField>>("storage-credentials"));
  for (const JsonField& field : credentials.value_or(std::vector<JsonField>())) {
    StorageCredential credential;
    ARROW_ASSIGN_OR_RAISE(credential.prefix, field.Get<std::string>("prefix"));
    ARROW_ASSIGN_OR_RAISE(credential.properties, ParseProperties(field, "config"));
    table.storage_credentials.push_back(std::move(credential));
  }
  return table;
}

arrow::Result<NamesPage> ParseTableNames(std::string_view json) {
  ARROW_ASSIGN_OR_RAISE(const auto document, JsonDocument::Parse(json, {}));
  ARROW_ASSIGN_OR_RAISE(const auto identifiers, document.root().Find<std::vector<JsonField>>("identifiers"));
  NamesPage page;
  for (const JsonField& identifier : identifiers.value_or(std::vector<JsonField>())) {
    ARROW_ASSIGN_OR_RAISE(const auto levels, identifier.Get<JsonField>("namespace"));
    ARROW_ASSIGN_OR_RAISE(Namespace name, ParseLevels(levels));
    ARROW_ASSIGN_OR_RAISE(std::string table, identifier.Get<std::string>("name"));
    name.push_back(std::move(table));
    page.names.push_back(std::move(name));
  }
  ARROW_RETURN_NOT_OK(ParseNextPage(document.root(), &page));
  return page;
}

arrow::Result<NamesPage> ParseNamespaceNames(std::string_view json) {
  ARROW_ASSIGN_OR_RAISE(const auto document, JsonDocument::Parse(json, {}));
  ARROW_ASSIGN_OR_RAISE(const auto namespaces, document.root().Find<std::vector<JsonField>>("namespaces"));
  NamesPage page;
  for (const JsonField& levels : namespaces.value_or(std::vector<JsonField>())) {
    ARROW_ASSIGN_OR_RAISE(Namespace name, ParseLevels(levels));
    page.names.push_back(std::move(name));
  }
  ARROW_RETURN_NOT_OK(ParseNextPage(document.root(), &page));
  return page;
}

}  // namespace frazil::iceberg
