// SPDX-License-Identifier: Apache-2.0
//
// How S3 and stores like it are reached. The names are pyiceberg's; each value is taken from the first place that has
// one, and remembers which that was.
//
//   s3.endpoint           property, AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, the profile's services section, the profile;
//                         with AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=true only the property. None: AWS
//   s3.region             property (also client.region), AWS_REGION, AWS_DEFAULT_REGION, the profile; else us-east-1.
//                         Never asked for over the network
//   s3.access-key-id, s3.secret-access-key, s3.session-token
//                         together from one place: properties (also client.*), AWS_ACCESS_KEY_ID and so on, the profile
//                         in the credentials file, the profile in the config file, the container's endpoint
//   s3.anonymous          property, AWS_SKIP_SIGNATURE
//   s3.path-style-access  property (also s3.force-virtual-addressing, its opposite), AWS_VIRTUAL_HOSTED_STYLE_REQUEST,
//   the
//                         profile's s3.addressing_style; else true exactly for an endpoint of one's own
//   s3.requester-pays     property, AWS_REQUEST_PAYER=requester
//   s3.profile-name       property (also client.profile-name), AWS_PROFILE, AWS_DEFAULT_PROFILE; else default. One
//   given
//                         as a property goes before the keys in the environment
//   s3.connect-timeout, s3.request-timeout
//                         seconds, of a connection and of one range with all its tries; 5 and 60
//   s3.proxy-uri, s3.ca-bundle
//                         property; AWS_CA_BUNDLE. Proxies also come from the environment, as curl takes them
// Not there: web identity, single sign-on, assumed roles, credential_process, instance metadata.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/result.h>

#include "src/io/aws_signature.h"
#include "src/io/http_pool.h"

namespace frazil::io {

using StoreProperties = std::map<std::string, std::string>;

// Where settings come from beside properties.
struct StoreEnvironment {
  std::map<std::string, std::string> variables;
  std::string home_folder;

  // The value of a variable; an empty one counts as none.
  std::optional<std::string> Variable(const std::string& name) const;
};
StoreEnvironment StoreEnvironmentOfProcess();

struct StoreSetting {
  std::string text;
  std::string source;  // "property s3.endpoint", "variable AWS_REGION", "/home/a/.aws/config:4", "default"
};

struct S3Settings {
  StoreSetting endpoint;  // http(s)://HOST[:PORT][/PATH], no slash at its end; empty: AWS
  StoreSetting region;
  StoreSetting access_key;  // its text is empty: anonymous, or no credentials were found (key_places)
  AwsCredentials credentials;
  bool anonymous = false;
  bool path_style = false;
  bool requester_pays = false;
  std::string key_places;  // where credentials were looked for in vain
  HttpPoolSettings http;
  // Every value by its name, for config show; secrets are the caller's to hide.
  std::vector<std::pair<std::string, StoreSetting>> all;
};

// Errors: usage, for a malformed value, with its name and source; access, for a file that can not be read.
arrow::Result<S3Settings> ResolveS3Settings(const StoreProperties& properties, const StoreEnvironment& environment);

}  // namespace frazil::io
