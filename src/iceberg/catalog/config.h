// SPDX-License-Identifier: Apache-2.0
//
// Which catalogs there are, configured as for pyiceberg: the file .pyiceberg.yaml and variables of the environment.
//
//   catalog:                                  PYICEBERG_CATALOG__PROD__URI=https://catalog
//     prod:                                   PYICEBERG_CATALOG__PROD__S3__ACCESS_KEY_ID=...
//       uri: https://catalog
//       credential: id:secret
// The first of PYICEBERG_HOME, the home folder and the current folder that holds a file which says something: that file
// alone counts. A variable replaces what the file says. Names are in lower case; in a variable's name "__" separates
// (behind the catalog's name it is "."), "_" is "-". Maps in maps are flattened ("auth: {type: basic}" is auth.type),
// lists joined by blanks. All values are text as written. Source: the behaviour of pyiceberg 0.12, utils/config.py.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/result.h>

namespace frazil::iceberg {

using Properties = std::map<std::string, std::string>;

struct ConfigValue {
  std::string text;    // may be a secret: show it by HideSecretsOf (src/base/secret.h)
  std::string source;  // "/home/a/.pyiceberg.yaml:4", "variable PYICEBERG_CATALOG__PROD__URI"
};

struct CatalogConfig {
  std::string name;  // as asked for; the SQL catalogs' rows carry it
  std::map<std::string, ConfigValue> values;

  // The value, or "" when there is none. An empty one counts as none.
  std::string Get(std::string_view key) const;
  Properties ToProperties() const;
};

struct Config {
  std::string file;                             // that was read; empty: none
  std::map<std::string, ConfigValue> settings;  // outside of the catalogs, such as default-catalog
  std::map<std::string, CatalogConfig> catalogs;

  // What default-catalog says, else "default".
  std::string DefaultCatalogName() const;
  // The catalog of this name, ASCII case ignored; the default one for "". Error: not found, with the names there are.
  arrow::Result<CatalogConfig> FindCatalog(const std::string& name) const;
};

// Where configuration comes from.
struct ConfigPlaces {
  std::string home_folder;  // $HOME
  std::string current_folder;
  std::vector<std::pair<std::string, std::string>> variables;  // of the environment, in its order
};
ConfigPlaces ConfigPlacesOfProcess();

// Errors of kind usage: a file that is no YAML of maps, lists and text (anchors, aliases and tags are refused, as
// pyiceberg does), or larger than 1 MiB; a value where a map is needed. They name file and line, or variable.
arrow::Result<Config> LoadConfig(const ConfigPlaces& places);

// "rest", "sql" or "hadoop", as the key `type` says, or else the uri (http..., sqlite..., postgresql...).
// Errors: usage, when there is neither; unsupported, for other types.
arrow::Result<std::string> CatalogTypeOf(const CatalogConfig& config);

}  // namespace frazil::iceberg
