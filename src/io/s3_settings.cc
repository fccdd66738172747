// SPDX-License-Identifier: Apache-2.0
#include "src/io/s3_settings.h"

#include <unistd.h>

#include <charconv>
#include <initializer_list>
#include <string_view>

#include "frazil/error.h"
#include "src/base/secret.h"
#include "src/base/text.h"
#include "src/io/aws_profile.h"

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace frazil::io {
namespace {

constexpr const char* kDefaultRegion = "us-east-1";
constexpr const char* kDefault = "default";
constexpr int64_t kSecondsMax = 86'400;

using Found = std::optional<StoreSetting>;

class Resolver {
 public:
  Resolver(const StoreProperties& properties, const StoreEnvironment& environment)
      : properties_(properties), environment_(environment) {}

  arrow::Result<S3Settings> Resolve() {
    ARROW_RETURN_NOT_OK(ReadProfile());
    ResolveEndpoint();
    if (!settings_.endpoint.text.empty()) ARROW_RETURN_NOT_OK(CheckEndpoint());
    settings_.region = First({Property({"s3.region", "client.region"}), Variable({"AWS_REGION", "AWS_DEFAULT_REGION"}),
                              Profile("region")})
                           .value_or(StoreSetting{kDefaultRegion, kDefault});
    Add("s3.region", settings_.region);
    ARROW_RETURN_NOT_OK(ResolveAddressing());
    ARROW_RETURN_NOT_OK(ResolveCredentials());
    ARROW_RETURN_NOT_OK(ResolveHttp());
    return std::move(settings_);
  }

 private:
  static Found First(std::initializer_list<Found> places) {
    for (const Found& place : places) {
      if (place) return place;
    }
    return std::nullopt;
  }

  Found Property(std::initializer_list<const char*> names) const {
    for (const char* name : names) {
      const auto found = properties_.find(name);
      if (found != properties_.end() && !found->second.empty()) {
        return StoreSetting{found->second, std::string("property ") + name};
      }
    }
    return std::nullopt;
  }

  Found Variable(std::initializer_list<const char*> names) const {
    for (const char* name : names) {
      if (auto text = environment_.Variable(name)) return StoreSetting{*text, std::string("variable ") + name};
    }
    return std::nullopt;
  }

  static Found In(const AwsSection& section, const std::string& name) {
    const auto found = section.find(name);
    if (found == section.end() || found->second.text.empty()) return std::nullopt;
    return StoreSetting{found->second.text, found->second.source};
  }
  Found Profile(const std::string& name) const { return First({In(credentials_, name), In(config_, name)}); }

  void Add(const char* name, const StoreSetting& setting) { settings_.all.emplace_back(name, setting); }

  static arrow::Status Malformed(const char* name, const StoreSetting& setting, const std::string& what) {
    return MakeError(ErrorKind::kUsage, std::string(name) + " (" + setting.source + ") " + what + ", not " +
                                            Printable(HideAddressSecrets(setting.text), 100));
  }

  static arrow::Result<bool> Truth(const char* name, const StoreSetting& setting) {
    for (const char* yes : {"true", "1", "yes", "on"}) {
      if (EqualsIgnoreCase(setting.text, yes)) return true;
    }
    for (const char* no : {"false", "0", "no", "off"}) {
      if (EqualsIgnoreCase(setting.text, no)) return false;
    }
    return Malformed(name, setting, "must be true or false");
  }

  arrow::Status ReadProfile() {
    const Found property = Property({"s3.profile-name", "client.profile-name"});
    profile_is_property_ = property.has_value();
    profile_ =
        First({property, Variable({"AWS_PROFILE", "AWS_DEFAULT_PROFILE"})}).value_or(StoreSetting{kDefault, kDefault});
    const std::string folder = environment_.home_folder + "/.aws/";
    const std::string config_file = environment_.Variable("AWS_CONFIG_FILE").value_or(folder + "config");
    const std::string credentials_file =
        environment_.Variable("AWS_SHARED_CREDENTIALS_FILE").value_or(folder + "credentials");
    ARROW_ASSIGN_OR_RAISE(sections_, ReadAwsFile(config_file));
    ARROW_ASSIGN_OR_RAISE(const AwsSections credentials, ReadAwsFile(credentials_file));
    bool exists = false;
    const auto take = [&](const AwsSections& sections, const std::string& name, AwsSection* section) {
      const auto found = sections.find(name);
      if (found == sections.end()) return;
      exists = true;
      *section = found->second;
    };
    take(sections_, "profile " + profile_.text, &config_);
    if (profile_.text == kDefault) take(sections_, kDefault, &config_);
    take(credentials, profile_.text, &credentials_);
    if (!exists && profile_.source != kDefault) {
      return MakeError(ErrorKind::kUsage, "there is no profile " + Printable(profile_.text, 60) + " (" +
                                              profile_.source + ") in " + config_file + " or " + credentials_file);
    }
    if (exists) Add("s3.profile-name", profile_);
    return arrow::Status::OK();
  }

  void ResolveEndpoint() {
    Found endpoint = Property({"s3.endpoint"});
    const auto ignore = environment_.Variable("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS");
    if (!endpoint && !(ignore && EqualsIgnoreCase(*ignore, "true"))) {
      Found of_services;
      if (const Found services = In(config_, "services")) {
        const auto section = sections_.find("services " + services->text);
        if (section != sections_.end()) of_services = In(section->second, "s3.endpoint_url");
      }
      endpoint = First({Variable({"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"}), of_services, Profile("endpoint_url")});
    }
    if (!endpoint) return;
    while (endpoint->text.ends_with('/')) endpoint->text.pop_back();
    settings_.endpoint = *endpoint;
    Add("s3.endpoint", *endpoint);
  }

  arrow::Status CheckEndpoint() const {
    const std::string& text = settings_.endpoint.text;
    const size_t begin = text.find("://");
    if ((text.starts_with("http://") || text.starts_with("https://")) && begin + 3 < text.size() &&
        text.find_first_of("?#@ ") == std::string::npos) {
      return arrow::Status::OK();
    }
    return Malformed("s3.endpoint", settings_.endpoint, "must be http://HOST[:PORT] or https://HOST[:PORT]");
  }

  arrow::Status ResolveAddressing() {
    settings_.path_style = !settings_.endpoint.text.empty();
    std::string source = kDefault;
    if (const Found style = Property({"s3.path-style-access"})) {
      ARROW_ASSIGN_OR_RAISE(settings_.path_style, Truth("s3.path-style-access", *style));
      source = style->source;
    } else if (const Found is_virtual =
                   First({Property({"s3.force-virtual-addressing"}), Variable({"AWS_VIRTUAL_HOSTED_STYLE_REQUEST"})})) {
      ARROW_ASSIGN_OR_RAISE(const bool truth, Truth("s3.force-virtual-addressing", *is_virtual));
      settings_.path_style = !truth && !settings_.endpoint.text.empty();
      source = is_virtual->source;
    } else if (const Found of_profile = In(config_, "s3.addressing_style"); of_profile && of_profile->text != "auto") {
      settings_.path_style = of_profile->text == "path";
      source = of_profile->source;
    }
    Add("s3.path-style-access", {settings_.path_style ? "true" : "false", source});
    if (const Found pays = Property({"s3.requester-pays"})) {
      ARROW_ASSIGN_OR_RAISE(settings_.requester_pays, Truth("s3.requester-pays", *pays));
      Add("s3.requester-pays", *pays);
    } else if (const Found payer = Variable({"AWS_REQUEST_PAYER"})) {
      settings_.requester_pays = EqualsIgnoreCase(payer->text, "requester") || EqualsIgnoreCase(payer->text, "true");
      Add("s3.requester-pays", {settings_.requester_pays ? "true" : "false", payer->source});
    }
    return arrow::Status::OK();
  }

  // True when this place has a key, and takes it together with its secret.
  arrow::Result<bool> TakeKeys(const Found& id, const Found& secret, const Found& token) {
    if (!id && !secret) return false;
    if (!id || !secret) {
      return MakeError(ErrorKind::kUsage, std::string("an access key needs both its parts; of them only ") +
                                              (id ? id->source : secret->source) + " is given");
    }
    settings_.access_key = *id;
    settings_.credentials = {id->text, secret->text, token ? token->text : std::string()};
    Add("s3.access-key-id", *id);
    Add("s3.secret-access-key", *secret);
    if (token) Add("s3.session-token", *token);
    return true;
  }

  arrow::Status ResolveCredentials() {
    if (const Found anonymous = First({Property({"s3.anonymous"}), Variable({"AWS_SKIP_SIGNATURE"})})) {
      ARROW_ASSIGN_OR_RAISE(settings_.anonymous, Truth("s3.anonymous", *anonymous));
      Add("s3.anonymous", *anonymous);
      if (settings_.anonymous) return arrow::Status::OK();
    }
    const auto properties = [&] {
      return TakeKeys(Property({"s3.access-key-id", "client.access-key-id"}),
                      Property({"s3.secret-access-key", "client.secret-access-key"}),
                      Property({"s3.session-token", "client.session-token"}));
    };
    const auto variables = [&] {
      return TakeKeys(Variable({"AWS_ACCESS_KEY_ID"}), Variable({"AWS_SECRET_ACCESS_KEY"}),
                      Variable({"AWS_SESSION_TOKEN"}));
    };
    ARROW_ASSIGN_OR_RAISE(bool found, properties());
    if (!found && !profile_is_property_) {
      ARROW_ASSIGN_OR_RAISE(found, variables());
    }
    for (const AwsSection* section : {&credentials_, &config_}) {
      if (found) break;
      ARROW_ASSIGN_OR_RAISE(found, TakeKeys(In(*section, "aws_access_key_id"), In(*section, "aws_secret_access_key"),
                                            In(*section, "aws_session_token")));
    }
    if (found) return arrow::Status::OK();
    settings_.key_places =
        "properties s3.access-key-id and s3.secret-access-key, variables AWS_ACCESS_KEY_ID and "
        "AWS_SECRET_ACCESS_KEY, profile " +
        Printable(profile_.text, 60) + " in the folder .aws";
    for (const char* other : {"sso_session", "sso_start_url", "role_arn", "credential_process"}) {
      if (const Found value = Profile(other)) {
        settings_.key_places += " (whose " + std::string(other) + ", " + value->source +
                                ", is not followed: aws configure export-credentials --format env tells keys)";
        break;
      }
    }
    return arrow::Status::OK();
  }

  arrow::Status ResolveHttp() {
    const auto seconds = [&](const char* name, int64_t* milliseconds) -> arrow::Status {
      const Found value = Property({name});
      if (!value) return arrow::Status::OK();
      double number = 0;
      const char* const end = value->text.data() + value->text.size();
      const auto [parsed, error] = std::from_chars(value->text.data(), end, number);
      if (error != std::errc() || parsed != end || !(number > 0) || number > kSecondsMax) {
        return Malformed(name, *value, "must be a number of seconds above 0");
      }
      *milliseconds = std::max<int64_t>(1, static_cast<int64_t>(number * 1000));
      Add(name, *value);
      return arrow::Status::OK();
    };
    ARROW_RETURN_NOT_OK(seconds("s3.connect-timeout", &settings_.http.connect_timeout_ms));
    ARROW_RETURN_NOT_OK(seconds("s3.request-timeout", &settings_.http.deadline_ms));
    if (const Found proxy = Property({"s3.proxy-uri"})) {
      settings_.http.proxy = proxy->text;
      Add("s3.proxy-uri", *proxy);
    }
    if (const Found bundle = First({Property({"s3.ca-bundle"}), Variable({"AWS_CA_BUNDLE"}), Profile("ca_bundle")})) {
      settings_.http.ca_file = bundle->text;
      Add("s3.ca-bundle", *bundle);
    }
    return arrow::Status::OK();
  }

  const StoreProperties& properties_;
  const StoreEnvironment& environment_;
  S3Settings settings_;
  StoreSetting profile_;
  bool profile_is_property_ = false;
  AwsSections sections_;  // of the config file
  AwsSection config_;
  AwsSection credentials_;
};

}  // namespace

std::optional<std::string> StoreEnvironment::Variable(const std::string& name) const {
  const auto found = variables.find(name);
  if (found == variables.end() || found->second.empty()) return std::nullopt;
  return found->second;
}

StoreEnvironment StoreEnvironmentOfProcess() {
  StoreEnvironment environment;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    environment.variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  environment.home_folder = environment.Variable("HOME").value_or("");
  return environment;
}

arrow::Result<S3Settings> ResolveS3Settings(const StoreProperties& properties, const StoreEnvironment& environment) {
  return Resolver(properties, environment).Resolve();
}

}  // namespace frazil::io
