// SPDX-License-Identifier: Apache-2.0
//
// How a REST catalog's client says who it is: the Authorization header, by OAuth2 client credentials (RFC 6749, 4.4), a
// given token, or a password.
#pragma once

#include <string>

#include <arrow/result.h>
#include <arrow/status.h>

#include "src/iceberg/catalog/config.h"
#include "src/io/http_client.h"

namespace frazil::iceberg {

class RestLogin {
 public:
  // From the user's own configuration; `token_url` is asked for tokens unless that names another.
  // Errors: usage and unsupported (auth.type).
  static arrow::Result<RestLogin> Make(const CatalogConfig& config, const std::string& token_url);

  // The value of the Authorization header; empty: none. Asks for a token when there is none yet.
  arrow::Result<std::string> Header(io::HttpClient* client);
  // After a refusal: forgets a token that was asked for. False when a new one can not be had.
  bool Forget();
  // The service gives another token.
  void UseToken(const std::string& token);

  // `status` without a secret in its words.
  arrow::Status HideSecrets(const arrow::Status& status) const;

 private:
  arrow::Status FetchToken(io::HttpClient* client);

  std::string token_url_, client_id_, client_secret_;
  bool secret_in_header_ = false;  // else in the form
  std::string form_;               // scope and the like
  std::string password_;
  std::string header_;
};

}  // namespace frazil::iceberg
