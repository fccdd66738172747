// SPDX-License-Identifier: Apache-2.0
//
// Catalogs: from the name of a table to its metadata file. Read only.
//
//   ARROW_ASSIGN_OR_RAISE(const Config config, LoadConfig(ConfigPlacesOfProcess()));
//   ARROW_ASSIGN_OR_RAISE(const CatalogConfig prod, config.FindCatalog("prod"));
//   ARROW_ASSIGN_OR_RAISE(const auto catalog, OpenCatalog(prod));
//   ARROW_ASSIGN_OR_RAISE(const CatalogTable table, catalog->LoadTable({"sales"}, "orders"));
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/result.h>

#include "src/iceberg/catalog/config.h"

namespace frazil::iceberg {

// Properties for the files below a prefix.
struct StorageCredential {
  std::string prefix;
  Properties properties;
};

struct CatalogTable {
  // Where the metadata file lies: a path or URI. Empty only when metadata_json is there.
  std::string metadata_location;
  // The content of that file, when the catalog sends it: with snapshot-loading-mode refs, without the snapshots that no
  // ref names.
  std::optional<std::string> metadata_json;
  // The catalog's configuration, and what it says for this table over it.
  Properties properties;
  std::vector<StorageCredential> storage_credentials;

  // The properties to read the file at `location` with: those of the storage credential with the longest prefix of it,
  // over `properties`.
  Properties StorageProperties(const std::string& location) const;
};

// The levels of a namespace's name, outermost first; the empty one holds the outermost namespaces.
using Namespace = std::vector<std::string>;

// "sales.eu" for messages.
std::string NamespaceText(const Namespace& name);

// Thread safety: one call at a time.
class Catalog {
 public:
  virtual ~Catalog() = default;

  // Errors: not found (the table, with what the catalog says); unsupported (a view); access, unavailable, corrupt and
  // budget as the catalog's service or file gives rise to.
  virtual arrow::Result<CatalogTable> LoadTable(const Namespace& name_space, const std::string& table) = 0;
  // The names of the tables in a namespace, sorted. Error: not found, for a namespace that the catalog does not know.
  virtual arrow::Result<std::vector<std::string>> ListTables(const Namespace& name_space) = 0;
  // The namespaces right below `parent`, as whole names, sorted.
  virtual arrow::Result<std::vector<Namespace>> ListNamespaces(const Namespace& parent) = 0;
};

// Errors: usage and unsupported, for a configuration that makes no catalog. Nothing is connected to before the first
// question; the libraries for HTTP and SQL are loaded here, when the type needs them.
arrow::Result<std::unique_ptr<Catalog>> OpenCatalog(const CatalogConfig& config);

}  // namespace frazil::iceberg
