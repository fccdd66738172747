// SPDX-License-Identifier: Apache-2.0
//
// config show: every value of the configuration of catalogs and stores, and where it comes from, secrets hidden.
#include "frazil/error.h"
#include "src/base/secret.h"
#include "src/cli/commands.h"
#include "src/cli/metadata_rows.h"
#include "src/iceberg/catalog/config.h"
#include "src/io/s3_settings.h"

namespace frazil::cli {
namespace {

constexpr const char* kDefaultSource = "default";

void AddCatalog(const iceberg::CatalogConfig& catalog, MetadataRows* rows) {
  for (const auto& [key, value] : catalog.values) {
    rows->Add({catalog.name, key, HideSecretsOf(key, value.text), value.source});
  }
  if (!catalog.Get("type").empty()) return;
  const auto type = iceberg::CatalogTypeOf(catalog);
  if (type.ok()) rows->Add({catalog.name, std::string("type"), *type, std::string("told by the uri")});
}

// How stores are reached by commands that name no catalog.
arrow::Status AddStores(const CommandOptions& options, MetadataRows* rows) {
  ARROW_ASSIGN_OR_RAISE(const TableOptions table, ToTableOptions(options));
  ARROW_ASSIGN_OR_RAISE(const io::S3Settings s3,
                        io::ResolveS3Settings(table.properties, io::StoreEnvironmentOfProcess()));
  for (const auto& [name, setting] : s3.all) {
    rows->Add({MetadataRows::Cell(), name, HideSecretsOf(name, setting.text), setting.source});
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Status RunConfigShow(const CommandOptions& options, const std::string& catalog_name) {
  Format format = Format::kTable;
  if (!options.format.empty()) {
    ARROW_ASSIGN_OR_RAISE(format, ParseFormat(options.format));
  }
  ARROW_ASSIGN_OR_RAISE(const iceberg::Config config, iceberg::LoadConfig(iceberg::ConfigPlacesOfProcess()));
  MetadataRows rows({{"catalog"}, {"key"}, {"value"}, {"source"}});
  if (catalog_name.empty()) {
    for (const auto& [key, value] : config.settings) {
      rows.Add({MetadataRows::Cell(), key, HideSecretsOf(key, value.text), value.source});
    }
    if (!config.settings.contains("default-catalog")) {
      rows.Add({MetadataRows::Cell(), std::string("default-catalog"), config.DefaultCatalogName(),
                std::string(kDefaultSource)});
    }
    for (const auto& [name, catalog] : config.catalogs) AddCatalog(catalog, &rows);
    ARROW_RETURN_NOT_OK(AddStores(options, &rows));
  } else {
    ARROW_ASSIGN_OR_RAISE(const iceberg::CatalogConfig catalog, config.FindCatalog(catalog_name));
    AddCatalog(catalog, &rows);
  }
  return PrintRows(rows, format);
}

}  // namespace frazil::cli
