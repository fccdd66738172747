// SPDX-License-Identifier: Apache-2.0
//
// The REST catalog protocol without its connection: addresses, answers, errors.
// Source: Iceberg REST catalog OpenAPI specification.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>
#include <arrow/status.h>

#include "src/iceberg/catalog/catalog.h"
#include "src/io/http_client.h"

namespace frazil::iceberg {

// Where a catalog's resources are.
struct RestRoutes {
  std::string uri;                           // of the service, without /v1
  std::string prefix = {};                   // as the service's configuration says; may be empty
  std::string namespace_separator = "\x1f";  // between levels, before it is escaped

  std::string Config(const std::string& warehouse) const;
  std::string Tokens() const;
  std::string Namespaces(const Namespace& parent) const;
  std::string Tables(const Namespace& name_space) const;
  // `snapshots` is "all", "refs" or empty.
  std::string Table(const Namespace& name_space, const std::string& table, const std::string& snapshots) const;
  // `url` with one query parameter more.
  static std::string WithParameter(const std::string& url, std::string_view name, std::string_view value);
};

// OK for 200. Else the words of the service and its status: 401, 403 and 419 are access, 404 not found, 400 and 422
// usage, 405, 406 and 501 unsupported, 409 conflict, 429 and 5xx unavailable, others internal; a success that is no
// 200, corrupt.
arrow::Status StatusOfAnswer(const io::HttpResponse& answer);

// What the service's configuration says: `defaults` yield to the client's own, `overrides` do not.
struct RestConfig {
  Properties defaults;
  Properties overrides;
};

// Parsers of answers. Errors: corrupt, naming the member of the JSON; budget above the limits of JsonLimits.
arrow::Result<RestConfig> ParseRestConfig(std::string_view json);
arrow::Result<std::string> ParseToken(std::string_view json);
arrow::Result<CatalogTable> ParseTable(std::string_view json);

// One page of names; next_page_token is empty on the last one.
struct NamesPage {
  std::vector<Namespace> names;  // of tables: their namespace, then their name
  std::string next_page_token;
};
arrow::Result<NamesPage> ParseTableNames(std::string_view json);
arrow::Result<NamesPage> ParseNamespaceNames(std::string_view json);

}  // namespace frazil::iceberg
