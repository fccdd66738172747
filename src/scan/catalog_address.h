// SPDX-License-Identifier: Apache-2.0
//
// Addresses that are the name of a table in a catalog: catalog.namespace.table. A part with a dot in it is put in
// double quotes (prod.sales."2024.q1"), a quote in it is doubled; namespaces may have several levels. What exists as a
// path is a path, whatever it looks like.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <arrow/result.h>

#include "frazil/table.h"
#include "src/iceberg/catalog/catalog.h"

namespace frazil::scan {

struct CatalogAddress {
  iceberg::CatalogConfig catalog;
  iceberg::Namespace name_space;
  std::string table;
};

// The parts, when the address may be a name: at least three, none empty, no '/' outside of quotes, no file of this
// name.
std::optional<std::vector<std::string>> NamePartsOf(const std::string& address);

// Unset when the address is no name in a catalog: it is no such text, or looks like a file (*.parquet) and no catalog
// is called so. Loads the configuration, over which options.catalogs go. Errors: not found, with the catalogs there
// are; usage, of the configuration.
arrow::Result<std::optional<CatalogAddress>> FindCatalogAddress(const std::string& address,
                                                                const TableOptions& options);

// Asks the catalog. Errors say which catalog was asked, where, and for what.
arrow::Result<iceberg::CatalogTable> LoadCatalogTable(const CatalogAddress& address);

}  // namespace frazil::scan
