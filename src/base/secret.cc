// SPDX-License-Identifier: Apache-2.0
#include "src/base/secret.h"

#include <algorithm>
#include <array>

#include "src/base/text.h"

namespace frazil {
namespace {

// Anywhere in the name.
constexpr std::array kSecretParts{"token",   "secret",     "passw",         "passphrase", "credential",        "apikey",
                                  "private", "signature",  "authorization", "cookie",     "connection-string", "jwt",
                                  "bearer",  "accountkey", "accesskey"};
// As a word of its own.
constexpr std::array kSecretWords{"key", "keys", "pat", "auth", "pwd", "pass", "sas", "sig", "pin"};
constexpr std::array kHarmlessHeaders{"accept", "content-type", "user-agent", "x-iceberg-access-delegation"};
// Named like secrets, and none: ways and places.
constexpr std::array kHarmlessNames{"oauth2-server-uri",     "token-endpoint",     "auth.type",
                                    "auth.oauth2.token_url", "rest.sigv4-enabled", "ssl.client.key"};

bool IsWordByte(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

// Hides the values of secret names in "a=1&b=2" or "a=1 b=2".
std::string HideAssignments(std::string_view text) {
  std::string shown;
  size_t at = 0;
  while (at < text.size()) {
    const size_t end = std::min(text.find_first_of("&; \t\n", at), text.size());
    const std::string_view pair = text.substr(at, end - at);
    const size_t equals = pair.find('=');
    if (equals != std::string_view::npos && IsSecretName(pair.substr(0, equals))) {
      shown += std::string(pair.substr(0, equals + 1)) + kHidden;
      // A quoted value of a connection string may hold blanks.
      if (pair.size() > equals + 1 && pair[equals + 1] == '\'') {
        const size_t close = text.find('\'', at + equals + 2);
        at = close == std::string_view::npos ? text.size() : close + 1;
        continue;
      }
    } else {
      shown += pair;
    }
    if (end < text.size()) shown += text[end];
    at = end + 1;
  }
  return shown;
}

}  // namespace

bool IsSecretName(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), LowerAscii);
  constexpr std::string_view kHeader = "header.";
  if (lower.starts_with(kHeader)) {
    return std::find(kHarmlessHeaders.begin(), kHarmlessHeaders.end(), lower.substr(kHeader.size())) ==
           kHarmlessHeaders.end();
  }
  if (std::find(kHarmlessNames.begin(), kHarmlessNames.end(), lower) != kHarmlessNames.end()) return false;
  for (const char* part : kSecretParts) {
    if (lower.find(part) != std::string::npos) return true;
  }
  for (size_t at = 0; at < lower.size();) {
    size_t end = at;
    while (end < lower.size() && IsWordByte(lower[end])) ++end;
    if (std::find(kSecretWords.begin(), kSecretWords.end(), lower.substr(at, end - at)) != kSecretWords.end()) {
      return true;
    }
    at = end + 1;
  }
  return false;
}

std::string HideAddressSecrets(std::string_view address) {
  std::string shown;
  std::string_view rest = address;
  if (const size_t scheme = address.find("://"); scheme != std::string_view::npos) {
    const size_t begin = scheme + 3;
    // The last @ before the path: passwords that were not escaped may hold one, and a slash as well, so that the whole
    // text up to the query is looked at when there is no @ before the first slash but one behind a colon.
    const size_t query = std::min(address.find('?', begin), address.size());
    const std::string_view middle = address.substr(begin, query - begin);
    const size_t colon = middle.find(':');
    const size_t user_end = middle.rfind('@');
    if (colon != std::string_view::npos && user_end != std::string_view::npos && colon < user_end) {
      shown = std::string(address.substr(0, begin + colon + 1)) + kHidden;
      rest = address.substr(begin + user_end);
    } else if (user_end != std::string_view::npos && user_end < middle.find('/') && address.starts_with("http")) {
      shown = std::string(address.substr(0, begin)) + kHidden;  // a token in the place of the user
      rest = address.substr(begin + user_end);
    }
  }
  const size_t query = rest.find('?');
  if (query != std::string_view::npos) {
    return shown + std::string(rest.substr(0, query + 1)) + HideAssignments(rest.substr(query + 1));
  }
  return shown +
         (rest.find("://") == std::string_view::npos && shown.empty() ? HideAssignments(rest) : std::string(rest));
}

std::string HideSecretsOf(std::string_view name, std::string_view value) {
  if (value.empty()) return "";
  return IsSecretName(name) ? kHidden : HideAddressSecrets(value);
}

std::string HideText(std::string text, std::string_view secret) {
  if (secret.empty()) return text;
  const std::string hidden = kHidden;
  for (size_t at = text.find(secret); at != std::string::npos; at = text.find(secret, at + hidden.size())) {
    text.replace(at, secret.size(), hidden);
  }
  return text;
}

}  // namespace frazil
