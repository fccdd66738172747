// SPDX-License-Identifier: Apache-2.0
//
// Catalogs behind the Iceberg REST protocol. Properties that count, as in pyiceberg:
//   uri, prefix, warehouse, snapshot-loading-mode (all, refs), namespace-separator
//   token; credential (id:secret), scope, audience, resource, oauth2-server-uri
//   auth.type (noop, basic, oauth2) with auth.basic.username ... and auth.oauth2.client_id ...
//   header.NAME: a header of every request; X-Iceberg-Access-Delegation is vended-credentials unless given
//   ssl.cabundle, ssl.client.cert, ssl.client.key
//   rest.client.max-retries, rest.client.connection-timeout-ms, rest.client.socket-timeout-ms
// The service's `defaults` yield to these, its `overrides` replace them - but for *.endpoint: where the user says
// explicitly where files are read from, that stands, against vended properties as well. The client's own credential
// goes to where the user's configuration says, never where the service does. A token that has expired is asked for once
// more.
#pragma once

#include <memory>

#include <arrow/result.h>

#include "src/iceberg/catalog/catalog.h"
#include "src/io/http_client.h"

namespace frazil::iceberg {

// Errors: usage and unsupported for properties that can not be followed.
arrow::Result<std::unique_ptr<Catalog>> OpenRestCatalog(const CatalogConfig& config);

// The same over a client of the caller's.
arrow::Result<std::unique_ptr<Catalog>> MakeRestCatalog(std::unique_ptr<io::HttpClient> client,
                                                        const CatalogConfig& config);

}  // namespace frazil::iceberg
