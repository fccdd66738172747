// SPDX-License-Identifier: Apache-2.0
//
// The REST catalog over a client that answers from a list; what a network does is in tests/catalogs.
#include "src/iceberg/catalog/rest.h"

#include <gtest/gtest.h>

#include "frazil/error.h"
#include "src/iceberg/catalog/rest_protocol.h"

namespace frazil::iceberg {
namespace {

class ScriptedClient : public io::HttpClient {
 public:
  explicit ScriptedClient(std::map<std::string, io::HttpResponse> answers, std::vector<std::string>* asked)
      : answers_(std::move(answers)), asked_(asked) {}

  arrow::Result<io::HttpResponse> Send(const io::HttpRequest& request) override {
    asked_->push_back(request.url);
    for (const auto& [name, value] : request.headers) {
      if (name == "Authorization") asked_->back() += " " + value;
    }
    const auto found = answers_.find(request.url);
    return found == answers_.end() ? io::HttpResponse{404, "{}"} : found->second;
  }

 private:
  const std::map<std::string, io::HttpResponse> answers_;
  std::vector<std::string>* const asked_;
};

CatalogConfig Configured(const Properties& properties) {
  CatalogConfig config;
  config.name = "c";
  for (const auto& [key, value] : properties) config.values[key] = {value, "test"};
  return config;
}

TEST(RestRoutes, Addresses) {
  const RestRoutes plain{.uri = "http://h/base"};
  EXPECT_EQ(plain.Config(""), "http://h/base/v1/config");
  EXPECT_EQ(plain.Config("s3://b/ü"), "http://h/base/v1/config?warehouse=s3%3A%2F%2Fb%2F%C3%BC");
  EXPECT_EQ(plain.Tokens(), "http://h/base/v1/oauth/tokens");
  EXPECT_EQ(plain.Namespaces({}), "http://h/base/v1/namespaces");
  EXPECT_EQ(plain.Namespaces({"a", "b"}), "http://h/base/v1/namespaces?parent=a%1Fb");
  EXPECT_EQ(plain.Tables({"a.b", "c/d"}), "http://h/base/v1/namespaces/a.b%1Fc%2Fd/tables");
  const RestRoutes prefixed{.uri = "http://h", .prefix = "p/q", .namespace_separator = "."};
  EXPECT_EQ(prefixed.Table({"a", "b"}, "t?x=1", ""), "http://h/v1/p/q/namespaces/a.b/tables/t%3Fx%3D1");
  EXPECT_EQ(prefixed.Table({"a"}, "..", "refs"), "http://h/v1/p/q/namespaces/a/tables/..?snapshots=refs");
  EXPECT_EQ(RestRoutes::WithParameter("u?a=b", "pageToken", "c&d"), "u?a=b&pageToken=c%26d");
}

TEST(PercentCoding, ThereAndBack) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(io::PercentDecode(io::PercentEncode(all)), all);
  EXPECT_EQ(io::PercentEncode("aZ9-._~ %\x1f"), "aZ9-._~%20%25%1F");
  EXPECT_EQ(io::PercentDecode("%2"), "%2");
  EXPECT_EQ(io::PercentDecode("%zz%1f"), "%zz\x1f");
}

TEST(StatusOfAnswer, KindsAndWords) {
  const auto words = [](int status, const std::string& body) {
    const arrow::Status answer = StatusOfAnswer({status, body});
    return answer.ok() ? "ok" : std::string(ErrorKindName(KindOf(answer))) + ": " + answer.message();
  };
  EXPECT_EQ(words(200, ""), "ok");
  EXPECT_EQ(words(404, R"({"error": {"type": "NoSuchTableException", "message": "no a.b", "code": 404}})"),
            "not found: the catalog answers with status 404: NoSuchTableException: no a.b");
  EXPECT_EQ(words(401, R"({"error": "invalid_client", "error_description": "who?"})"),
            "access: the catalog answers with status 401: invalid_client: who?");
  EXPECT_EQ(words(500, R"({"error": {"message": 5}})"), "unavailable: the catalog answers with status 500: 5");
  EXPECT_EQ(words(502, "<html>\n"), "unavailable: the catalog answers with status 502: <html>\\x0a");
  EXPECT_EQ(words(403, ""), "access: the catalog answers with status 403");
  EXPECT_EQ(words(409, "[]"), "conflict: the catalog answers with status 409: []");
  EXPECT_EQ(words(204, ""), "corrupt: the catalog answers with status 204");
  EXPECT_EQ(words(418, "{}"), "internal: the catalog answers with status 418: {}");
}

TEST(RestCatalog, AServiceMayNotLowerTheGuard) {
  std::vector<std::string> asked;
  const auto load = [&](const std::string& uri) {
    asked.clear();
    const std::map<std::string, io::HttpResponse> answers{
        {"https://h/v1/config", {200, R"({"overrides": {"uri": ")" + uri + R"("}})"}},
        {"https://other/v1/namespaces/a/tables/t", {200, R"({"metadata": {}})"}}};
    const auto catalog = MakeRestCatalog(std::make_unique<ScriptedClient>(answers, &asked),
                                         Configured({{"uri", "https://h/"}, {"token", "tok"}}));
    return (*catalog)->LoadTable({"a"}, "t").status();
  };
  EXPECT_TRUE(load("https://other").ok());
  EXPECT_EQ(asked, (std::vector<std::string>{"https://h/v1/config Bearer tok",
                                             "https://other/v1/namespaces/a/tables/t Bearer tok"}));
  EXPECT_EQ(KindOf(load("http://other")), ErrorKind::kAccess);
  EXPECT_EQ(asked.size(), 1);
}

TEST(RestCatalog, ATokenOfTheServiceIsUsed) {
  std::vector<std::string> asked;
  const std::map<std::string, io::HttpResponse> answers{
      {"http://h/v1/config", {200, R"({"defaults": {"token": "weak"}, "overrides": {"token": "theirs"}})"}},
      {"http://h/v1/namespaces", {200, R"({"namespaces": []})"}}};
  const auto catalog = MakeRestCatalog(std::make_unique<ScriptedClient>(answers, &asked),
                                       Configured({{"uri", "http://h"}, {"token", "mine"}}));
  ASSERT_TRUE((*catalog)->ListNamespaces({}).ok());
  EXPECT_EQ(asked,
            (std::vector<std::string>{"http://h/v1/config Bearer mine", "http://h/v1/namespaces Bearer theirs"}));
}

TEST(RestCatalog, NamesThatAreNone) {
  std::vector<std::string> asked;
  const std::map<std::string, io::HttpResponse> answers{{"http://h/v1/config", {200, "{}"}}};
  const auto catalog =
      MakeRestCatalog(std::make_unique<ScriptedClient>(answers, &asked), Configured({{"uri", "http://h"}}));
  EXPECT_EQ(KindOf((*catalog)->LoadTable({}, "t").status()), ErrorKind::kUsage);
  EXPECT_EQ(KindOf((*catalog)->LoadTable({"a", ""}, "t").status()), ErrorKind::kUsage);
  EXPECT_EQ(KindOf((*catalog)->LoadTable({"a"}, "").status()), ErrorKind::kUsage);
  EXPECT_EQ(KindOf((*catalog)->ListTables({}).status()), ErrorKind::kUsage);
}

TEST(ParseTable, NumbersStayExact) {
  const auto table = ParseTable(R"({"metadata": {"a": 9223372036854775807}, "config": {"n": 5, "b": true}})");
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->metadata_json, R"({"a":9223372036854775807})");
  EXPECT_EQ(table->properties, (Properties{{"n", "5"}, {"b", "true"}}));
}

}  // namespace
}  // namespace frazil::iceberg
