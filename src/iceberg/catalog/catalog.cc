// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/catalog/catalog.h"

#include "src/iceberg/catalog/folder.h"
#include "src/iceberg/catalog/rest.h"
#include "src/iceberg/catalog/sql.h"

namespace frazil::iceberg {

Properties CatalogTable::StorageProperties(const std::string& location) const {
  const StorageCredential* best = nullptr;
  for (const StorageCredential& credential : storage_credentials) {
    const bool better = best == nullptr || credential.prefix.size() > best->prefix.size();
    if (location.starts_with(credential.prefix) && better) best = &credential;
  }
  Properties merged = properties;
  if (best != nullptr) {
    for (const auto& [key, value] : best->properties) merged[key] = value;
  }
  return merged;
}

std::string NamespaceText(const Namespace& name) {
  std::string text;
  for (const std::string& level : name) text += (text.empty() ? "" : ".") + level;
  return text;
}

arrow::Result<std::unique_ptr<Catalog>> OpenCatalog(const CatalogConfig& config) {
  ARROW_ASSIGN_OR_RAISE(const std::string type, CatalogTypeOf(config));
  if (type == "rest") return OpenRestCatalog(config);
  if (type == "sql") return OpenSqlCatalog(config);
  return OpenFolderCatalog(config);
}

}  // namespace frazil::iceberg
