// SPDX-License-Identifier: Apache-2.0
#include "src/io/s3_settings.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "frazil/error.h"
#include "src/io/aws_profile.h"
#include "src/io/s3_store.h"

namespace frazil::io {
namespace {

class S3SettingsTest : public testing::Test {
 protected:
  S3SettingsTest() : home_(testing::TempDir() + "frazil-s3-settings") {
    std::filesystem::remove_all(home_);
    std::filesystem::create_directories(home_ + "/.aws");
    environment_.home_folder = home_;
  }

  void WriteFile(const std::string& name, const std::string& text) { std::ofstream(home_ + "/.aws/" + name) << text; }
  S3Settings Resolve() { return ResolveS3Settings(properties_, environment_).ValueOrDie(); }
  std::string Refused() {
    const auto settings = ResolveS3Settings(properties_, environment_);
    EXPECT_FALSE(settings.ok());
    EXPECT_EQ(KindOf(settings.status()), ErrorKind::kUsage);
    return settings.status().message();
  }

  const std::string home_;
  StoreProperties properties_;
  StoreEnvironment environment_;
};

TEST_F(S3SettingsTest, TakesTheEndpointFromTheFirstPlaceThatHasOne) {
  EXPECT_EQ(Resolve().endpoint.text, "");
  EXPECT_FALSE(Resolve().path_style);
  WriteFile("config",
            "[default]\nendpoint_url = http://profile\nservices = local\n[services local]\ns3 =\n"
            "  endpoint_url = http://services # the section's own\n");
  EXPECT_EQ(Resolve().endpoint.text, "http://services");
  EXPECT_EQ(Resolve().endpoint.source, home_ + "/.aws/config:6");
  EXPECT_TRUE(Resolve().path_style);
  environment_.variables["AWS_ENDPOINT_URL"] = "http://variable/";
  EXPECT_EQ(Resolve().endpoint.text, "http://variable");
  environment_.variables["AWS_ENDPOINT_URL_S3"] = "http://variable-s3";
  EXPECT_EQ(Resolve().endpoint.source, "variable AWS_ENDPOINT_URL_S3");
  environment_.variables["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"] = "true";
  EXPECT_EQ(Resolve().endpoint.text, "");
  properties_["s3.endpoint"] = "http://property";
  EXPECT_EQ(Resolve().endpoint.source, "property s3.endpoint");
}

TEST_F(S3SettingsTest, TakesBothPartsOfAKeyFromOnePlace) {
  EXPECT_EQ(Resolve().access_key.text, "");
  EXPECT_NE(Resolve().key_places, "");
  WriteFile("config", "[profile lake]\naws_access_key_id=config\naws_secret_access_key=c\nregion=eu-west-1\n");
  environment_.variables["AWS_PROFILE"] = "lake";
  EXPECT_EQ(Resolve().credentials.access_key_id, "config");
  EXPECT_EQ(Resolve().region.text, "eu-west-1");
  WriteFile("credentials", "[lake]\naws_access_key_id = file\naws_secret_access_key = f\naws_session_token = t\n");
  EXPECT_EQ(Resolve().credentials.secret_access_key, "f");
  EXPECT_EQ(Resolve().credentials.session_token, "t");
  environment_.variables["AWS_ACCESS_KEY_ID"] = "variable";
  EXPECT_NE(Refused().find("only variable AWS_ACCESS_KEY_ID is given"), std::string::npos);
  environment_.variables["AWS_SECRET_ACCESS_KEY"] = "v";
  EXPECT_EQ(Resolve().credentials.access_key_id, "variable");
  // The token of another place does not go with this key.
  EXPECT_EQ(Resolve().credentials.session_token, "");
  properties_["s3.profile-name"] = "lake";
  EXPECT_EQ(Resolve().credentials.access_key_id, "file");
  properties_["client.access-key-id"] = "property";
  properties_["s3.secret-access-key"] = "p";
  EXPECT_EQ(Resolve().credentials.access_key_id, "property");
  properties_["s3.anonymous"] = "true";
  EXPECT_TRUE(Resolve().anonymous);
  EXPECT_EQ(Resolve().access_key.text, "");
}

TEST_F(S3SettingsTest, RefusesWhatItDoesNotUnderstand) {
  properties_["s3.endpoint"] = "127.0.0.1:9000";
  EXPECT_NE(Refused().find("property s3.endpoint"), std::string::npos);
  properties_ = {{"s3.anonymous", "perhaps"}};
  EXPECT_NE(Refused().find("true or false"), std::string::npos);
  properties_ = {{"s3.connect-timeout", "-1"}};
  EXPECT_NE(Refused().find("seconds"), std::string::npos);
  properties_ = {{"s3.profile-name", "nobody"}};
  EXPECT_NE(Refused().find("nobody"), std::string::npos);
}

TEST_F(S3SettingsTest, NamesWhatItDoesNotFollow) {
  WriteFile("config", "[default]\nsso_session = work\n");
  EXPECT_NE(Resolve().key_places.find("sso_session"), std::string::npos);
}

TEST_F(S3SettingsTest, MakesUrls) {
  const S3Address address{"lake", "a b/c+d/é"};
  EXPECT_EQ(S3Url(Resolve(), address), "https://lake.s3.us-east-1.amazonaws.com/a%20b/c%2Bd/%C3%A9");
  EXPECT_EQ(S3Url(Resolve(), {"my.lake", "k"}), "https://s3.us-east-1.amazonaws.com/my.lake/k");
  properties_["s3.region"] = "cn-north-1";
  EXPECT_EQ(S3Url(Resolve(), {"lake", "k"}), "https://lake.s3.cn-north-1.amazonaws.com.cn/k");
  properties_["s3.endpoint"] = "http://127.0.0.1:9000/";
  EXPECT_EQ(S3Url(Resolve(), {"lake", "k"}), "http://127.0.0.1:9000/lake/k");
  properties_["s3.force-virtual-addressing"] = "true";
  EXPECT_EQ(S3Url(Resolve(), {"lake", ""}), "http://lake.127.0.0.1:9000/");
}

TEST(S3Address, IsBucketAndRawKey) {
  const S3Address address = ParseS3Address("s3a://lake/a%20b/?c#d").ValueOrDie();
  EXPECT_EQ(address.bucket, "lake");
  EXPECT_EQ(address.key, "a%20b/?c#d");
  for (const char* bad : {"s3://", "s3:///a", "s3://key:secret@lake/a"}) {
    EXPECT_FALSE(ParseS3Address(bad).ok()) << bad;
  }
}

TEST(AwsProfile, PassesOverWhatIsNoSetting) {
  const AwsSections sections = ParseAwsFile(
      "# comment\nlost = 1\n[ profile   a ]\nregion = x ; comment\nnonsense\n; more\nNAME=v#1\n[b\nc = 2\n", "f");
  ASSERT_EQ(sections.size(), 1U);
  const AwsSection& section = sections.at("profile a");
  EXPECT_EQ(section.at("region").text, "x");
  EXPECT_EQ(section.at("name").text, "v#1");
  EXPECT_EQ(section.at("name").source, "f:7");
  EXPECT_EQ(section.size(), 2U);
}

}  // namespace
}  // namespace frazil::io
