// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/catalog/config.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "frazil/error.h"
#include "src/iceberg/catalog/config_yaml.h"

namespace frazil::iceberg {
namespace {

namespace fs = std::filesystem;

class ConfigFiles : public testing::Test {
 protected:
  ConfigFiles() {
    places_.home_folder = Folder("home");
    places_.current_folder = Folder("current");
  }
  ~ConfigFiles() override { fs::remove_all(root_); }

  std::string Folder(const std::string& name) {
    fs::create_directories(root_ / name);
    return (root_ / name).string();
  }
  std::string Write(const std::string& folder, const std::string& text) {
    const fs::path file = root_ / folder / ".pyiceberg.yaml";
    std::ofstream(file) << text;
    return file.string();
  }
  Config Load() {
    auto config = LoadConfig(places_);
    EXPECT_TRUE(config.ok()) << config.status().ToString();
    return config.ok() ? *config : Config();
  }

  const fs::path root_ = fs::path(testing::TempDir()) / ("frazil-config-" + std::to_string(getpid()));
  ConfigPlaces places_;
};

TEST_F(ConfigFiles, TheFirstFileThatSaysSomethingCountsAlone) {
  Write("current", "catalog:\n  c:\n    uri: current\n    only: here\n");
  EXPECT_EQ(Load().catalogs["c"].Get("uri"), "current");
  Write("home", "");
  EXPECT_EQ(Load().catalogs["c"].Get("uri"), "current");
  const std::string home = Write("home", "catalog:\n  c:\n    uri: home\n");
  EXPECT_EQ(Load().file, home);
  EXPECT_EQ(Load().catalogs["c"].Get("uri"), "home");
  EXPECT_EQ(Load().catalogs["c"].Get("only"), "");
  places_.variables = {{"PYICEBERG_HOME", Folder("explicit")}};
  EXPECT_EQ(Load().catalogs["c"].Get("uri"), "home");
  Write("explicit", "catalog:\n  c:\n    uri: explicit\n");
  EXPECT_EQ(Load().catalogs["c"].Get("uri"), "explicit");
}

TEST_F(ConfigFiles, VariablesReplaceTheFileAndKnowTheirSource) {
  const std::string file = Write("home", "catalog:\n  My-Lake:\n    URI: file\n    s3.access-key-id: file\n");
  places_.variables = {{"PYICEBERG_CATALOG__MY_LAKE__S3__ACCESS_KEY_ID", "variable"},
                       {"pyiceberg_catalog__other__a__b__c_d", "x"},
                       {"OTHER_CATALOG__MY_LAKE__URI", "no"}};
  const Config config = Load();
  const auto lake = config.FindCatalog("MY-lake");
  ASSERT_TRUE(lake.ok());
  EXPECT_EQ(lake->name, "MY-lake");
  EXPECT_EQ(lake->values.at("uri").text, "file");
  EXPECT_EQ(lake->values.at("uri").source, file + ":3");
  EXPECT_EQ(lake->values.at("s3.access-key-id").text, "variable");
  EXPECT_EQ(lake->values.at("s3.access-key-id").source, "variable PYICEBERG_CATALOG__MY_LAKE__S3__ACCESS_KEY_ID");
  EXPECT_EQ(config.FindCatalog("other")->Get("a.b.c-d"), "x");
}

TEST_F(ConfigFiles, TheDefaultCatalog) {
  EXPECT_EQ(Load().DefaultCatalogName(), "default");
  Write("home", "default-catalog: prod\ncatalog:\n  prod:\n    uri: http://p\n");
  EXPECT_EQ(Load().FindCatalog("")->Get("uri"), "http://p");
  places_.variables = {{"PYICEBERG_DEFAULT_CATALOG", "test"}};
  const auto missing = Load().FindCatalog("");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(KindOf(missing.status()), ErrorKind::kNotFound);
  EXPECT_NE(missing.status().message().find("no catalog test is configured; the catalogs are prod"), std::string::npos);
}

TEST_F(ConfigFiles, ATextWhereAMapIsNeeded) {
  places_.variables = {{"PYICEBERG_CATALOG__A", "hush"}};
  const auto config = LoadConfig(places_);
  ASSERT_FALSE(config.ok());
  EXPECT_EQ(KindOf(config.status()), ErrorKind::kUsage);
  EXPECT_NE(config.status().message().find("variable PYICEBERG_CATALOG__A"), std::string::npos);
  EXPECT_EQ(config.status().message().find("hush"), std::string::npos);
}

TEST(CatalogTypeOf, ByTypeOrUri) {
  const auto type = [](const std::string& key, const std::string& value) {
    CatalogConfig config{.name = "c", .values = {{key, {value, ""}}}};
    const auto found = CatalogTypeOf(config);
    return found.ok() ? *found : ErrorKindName(KindOf(found.status()));
  };
  EXPECT_EQ(type("uri", "https://h"), "rest");
  EXPECT_EQ(type("uri", "sqlite:///x"), "sql");
  EXPECT_EQ(type("uri", "postgresql+psycopg2://h/d"), "sql");
  EXPECT_EQ(type("uri", "thrift://h"), "unsupported");
  EXPECT_EQ(type("type", "Hadoop"), "hadoop");
  EXPECT_EQ(type("type", "glue"), "unsupported");
  EXPECT_EQ(type("x", "y"), "usage");
}

TEST(ParseYaml, ValuesAsWritten) {
  const auto values = ParseYaml("a: 0017\nB:\n  c: 'x: y'\n  d:\n  e: {F: yes}\n  g: [1, 2]\nh: ~\n");
  ASSERT_TRUE(values.ok()) << values.status().ToString();
  std::string text;
  for (const YamlValue& value : *values) {
    for (const std::string& key : value.path) text += key + "/";
    text += "=" + value.text + "@" + std::to_string(value.line) + " ";
  }
  EXPECT_EQ(text, "a/=0017@1 b/c/=x: y@3 b/d/=@4 b/e/f/=yes@5 b/g/=1 2@6 h/=~@7 ");
}

TEST(ParseYaml, AliasesDoNotMultiply) {
  std::string bomb = "a: &a [x, x]\n";
  for (char c = 'b'; c < 'z'; ++c)
    bomb += std::string(1, c) + ": &" + c + " [*" + char(c - 1) + ", *" + char(c - 1) + "]\n";
  const auto values = ParseYaml(bomb);
  ASSERT_FALSE(values.ok());
  EXPECT_EQ(values.status().message(), "line 1: anchors are not supported");
}

TEST(ParseYaml, DeepOnesEnd) {
  EXPECT_FALSE(ParseYaml(std::string(100'000, '[')).ok());
  EXPECT_FALSE(ParseYaml("a: " + std::string(100'000, '{')).ok());
}

}  // namespace
}  // namespace frazil::iceberg
