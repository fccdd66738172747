// SPDX-License-Identifier: Apache-2.0
#include "src/base/secret.h"

#include <gtest/gtest.h>

namespace frazil {
namespace {

TEST(IsSecretName, WordsThatStandForSecrets) {
  for (const char* name : {"token", "credential", "s3.secret-access-key", "s3.access-key-id", "s3.session-token",
                           "jdbc.password", "adls.connection-string", "adls.sas-token", "gcs.oauth2.token", "password",
                           "PASSWORD", "sslpassword", "auth.basic.password", "auth.oauth2.client_secret", "api_key",
                           "header.Authorization", "header.x-anything", "x.private_key", "pat"}) {
    EXPECT_TRUE(IsSecretName(name)) << name;
  }
}

TEST(IsSecretName, OtherNames) {
  for (const char* name : {"uri", "warehouse", "s3.endpoint", "s3.region", "type", "scope", "snapshot-loading-mode",
                           "header.X-Iceberg-Access-Delegation", "oauth2-server-uri", "auth.type", "path", "monkey",
                           "s3.path-style-access", "ssl.cabundle", ""}) {
    EXPECT_FALSE(IsSecretName(name)) << name;
  }
}

TEST(HideAddressSecrets, PasswordsAndParameters) {
  const std::pair<const char*, const char*> cases[] = {
      {"https://host/path", "https://host/path"},
      {"postgresql://me:pw@h:5432/db", "postgresql://me:***@h:5432/db"},
      {"postgresql://me:p@w/x@h/db?a=b", "postgresql://me:***@h/db?a=b"},
      {"postgresql+psycopg2://me:@h/db", "postgresql+psycopg2://me:***@h/db"},
      {"https://token@host/x", "https://***@host/x"},
      {"http://h/x?token=t&page=2&sig=abc", "http://h/x?token=***&page=2&sig=***"},
      {"jdbc:postgresql://h/d?user=u&password=pw", "jdbc:postgresql://h/d?user=u&password=***"},
      {"host=h password='p w' user=u", "host=h password=*** user=u"},
      {"host=h password=pw user=u", "host=h password=*** user=u"},
      {"DefaultEndpointsProtocol=https;AccountKey=abc==;x=y", "DefaultEndpointsProtocol=https;AccountKey=***;x=y"},
      {"sqlite:////tmp/a:b@c.db", "sqlite:////tmp/a:***@c.db"},
      {"/folder/of/tables", "/folder/of/tables"},
      {"", ""},
  };
  for (const auto& [address, shown] : cases) EXPECT_EQ(HideAddressSecrets(address), shown);
}

TEST(HideSecretsOf, ByName) {
  EXPECT_EQ(HideSecretsOf("token", "abc"), "***");
  EXPECT_EQ(HideSecretsOf("token", ""), "");
  EXPECT_EQ(HideSecretsOf("adls.connection-string", "AccountKey=abc"), "***");
  EXPECT_EQ(HideSecretsOf("uri", "http://a:b@c"), "http://a:***@c");
}

TEST(HideText, EveryOccurrence) {
  EXPECT_EQ(HideText("a pw b pw", "pw"), "a *** b ***");
  EXPECT_EQ(HideText("a", ""), "a");
  EXPECT_EQ(HideText("****", "*"), std::string(12, '*'));
}

}  // namespace
}  // namespace frazil
