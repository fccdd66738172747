// SPDX-License-Identifier: Apache-2.0
#include "src/scan/catalog_address.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "frazil/error.h"

namespace frazil::scan {
namespace {

std::string Parts(const std::string& address) {
  const auto parts = NamePartsOf(address);
  if (!parts) return "none";
  std::string text;
  for (const std::string& part : *parts) text += (text.empty() ? "" : "|") + part;
  return text;
}

TEST(CatalogAddress, Parts) {
  EXPECT_EQ(Parts("prod.sales.orders"), "prod|sales|orders");
  EXPECT_EQ(Parts("prod.sales.eu.orders"), "prod|sales|eu|orders");
  EXPECT_EQ(Parts(R"(prod."a.b"."with ""quotes"", and /")"), "prod|a.b|with \"quotes\", and /");
  for (const char* text : {"", "orders", "sales.orders", "a..b", ".a.b", "a.b.", "a/b.c.d", "./a.b.c", "/a.b.c",
                           R"(a."b.c)", R"(a."b"c.d)", R"(a.b"c".d)", R"(a."".b)"}) {
    EXPECT_EQ(Parts(text), "none") << text;
  }
}

TEST(CatalogAddress, APathIsAPath) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "frazil.catalog.address";
  std::filesystem::create_directories(folder);
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder);
  EXPECT_EQ(Parts("a.b.c"), "a|b|c");
  std::ofstream("a.b.c") << "x";
  EXPECT_EQ(Parts("a.b.c"), "none");
  std::filesystem::current_path(before);
  std::filesystem::remove_all(folder);
}

TEST(CatalogAddress, CatalogsOfTheCaller) {
  TableOptions options;
  options.catalogs = {{"Mine", {{"type", "hadoop"}, {"warehouse", "/no/such/folder"}}}};
  const auto found = FindCatalogAddress("mine.a.b.t", options);
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_TRUE(found->has_value());
  EXPECT_EQ((*found)->name_space, (iceberg::Namespace{"a", "b"}));
  EXPECT_EQ((*found)->table, "t");
  const arrow::Status status = LoadCatalogTable(**found).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kNotFound);
  for (const char* part :
       {"catalog mine (hadoop, /no/such/folder)", "table a.b.t", "frazil config show --catalog mine"}) {
    EXPECT_NE(status.message().find(part), std::string::npos) << status;
  }
}

TEST(CatalogAddress, WhatIsNoCatalog) {
  TableOptions options;
  options.catalogs = {{"mine", {{"type", "hadoop"}}}};
  const arrow::Status status = FindCatalogAddress("yours-frazil.a.t", options).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kNotFound);
  EXPECT_NE(status.message().find("no catalog yours-frazil is configured"), std::string::npos) << status;
  for (const char* text : {"no.such.parquet", "a.b.*", "plain"}) {
    const auto found = FindCatalogAddress(text, options);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_FALSE(found->has_value()) << text;
  }
}

}  // namespace
}  // namespace frazil::scan
