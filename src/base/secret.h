// SPDX-License-Identifier: Apache-2.0
//
// What may be shown of settings and addresses: names that stand for secrets, and text with the secrets in it hidden.
//
//   HideSecretsOf("uri", "postgresql://ice:pw@db/ice?sslpassword=x") -> "postgresql://ice:***@db/ice?sslpassword=***"
//   HideSecretsOf("s3.secret-access-key", "abc") -> "***"
#pragma once

#include <string>
#include <string_view>

namespace frazil {

inline constexpr const char* kHidden = "***";

// Does a value of this name have to stay unseen? Judged by the words in the name, ASCII case ignored, in doubt yes:
// token, secret, password, credential, key, ... and every HTTP header (header.*) that is not known to be harmless.
bool IsSecretName(std::string_view name);

// The address without what is secret in it: the password of its user, the values of secret names in its query, and
// those of a list "name=value name=value". Text that is no address stays as it is.
std::string HideAddressSecrets(std::string_view address);

// The value as it may be shown: hidden whole when its name is secret (an empty one stays empty), else as an address.
std::string HideSecretsOf(std::string_view name, std::string_view value);

// `text` with every occurrence of `secret` hidden. An empty secret changes nothing.
std::string HideText(std::string text, std::string_view secret);

}  // namespace frazil
