// SPDX-License-Identifier: Apache-2.0
//
// Asks a catalog one question and prints the answer as JSON; the configuration is that of the environment.
//
//   catalog_probe CATALOG config                  the configuration, secrets and all
//   catalog_probe CATALOG table NAMESPACE TABLE   levels of a namespace are separated by '/'
//   catalog_probe CATALOG tables NAMESPACE
//   catalog_probe CATALOG namespaces [NAMESPACE]
//   catalog_probe - metadata FOLDER               the metadata file of a table's folder
// Exit code and words of an error are those of the command line.
#include <cstdio>
#include <string>
#include <vector>

#include "frazil/error.h"
#include "src/cli/format/json_text.h"
#include "src/iceberg/catalog/catalog.h"
#include "src/iceberg/catalog/folder.h"

namespace frazil {
namespace {

using cli::JsonText;
using iceberg::Namespace;
using iceberg::Properties;

Namespace Levels(const std::string& text) {
  Namespace levels;
  for (size_t begin = 0; begin <= text.size() && !text.empty();) {
    const size_t end = std::min(text.find('/', begin), text.size());
    levels.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return levels;
}

void Write(const Properties& properties, JsonText* json) {
  json->BeginObject();
  for (const auto& [key, value] : properties) json->Field(key, value);
  json->EndObject();
}

void Write(const iceberg::CatalogTable& table, JsonText* json) {
  json->BeginObject().Field("metadata_location", table.metadata_location).Field("metadata_json", table.metadata_json);
  Write(table.properties, &json->Key("properties"));
  json->Key("credentials").BeginArray();
  for (const auto& credential : table.storage_credentials) {
    json->BeginObject().Field("prefix", credential.prefix);
    Write(credential.properties, &json->Key("properties"));
    json->EndObject();
  }
  json->EndArray();
  Write(table.StorageProperties(table.metadata_location), &json->Key("storage_properties"));
  json->EndObject();
}

arrow::Status Answer(const std::vector<std::string>& words, JsonText* json) {
  const std::string& question = words[1];
  if (question == "metadata") {
    ARROW_ASSIGN_OR_RAISE(const std::string path, iceberg::FindMetadataFile(words.at(2)));
    json->Value(path);
    return arrow::Status::OK();
  }
  ARROW_ASSIGN_OR_RAISE(const auto config, iceberg::LoadConfig(iceberg::ConfigPlacesOfProcess()));
  ARROW_ASSIGN_OR_RAISE(const auto catalog_config, config.FindCatalog(words[0]));
  if (question == "config") {
    Write(catalog_config.ToProperties(), json);
    return arrow::Status::OK();
  }
  ARROW_ASSIGN_OR_RAISE(const auto catalog, iceberg::OpenCatalog(catalog_config));
  if (question == "table") {
    ARROW_ASSIGN_OR_RAISE(const auto table, catalog->LoadTable(Levels(words.at(2)), words.at(3)));
    Write(table, json);
  } else if (question == "tables") {
    ARROW_ASSIGN_OR_RAISE(const auto names, catalog->ListTables(Levels(words.at(2))));
    json->BeginArray();
    for (const std::string& name : names) json->Value(name);
    json->EndArray();
  } else {
    ARROW_ASSIGN_OR_RAISE(const auto names, catalog->ListNamespaces(Levels(words.size() > 2 ? words[2] : "")));
    json->BeginArray();
    for (const Namespace& name : names) {
      json->BeginArray();
      for (const std::string& level : name) json->Value(level);
      json->EndArray();
    }
    json->EndArray();
  }
  return arrow::Status::OK();
}

}  // namespace
}  // namespace frazil

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 2) return static_cast<int>(frazil::ErrorKind::kUsage);
  frazil::cli::JsonText json;
  const arrow::Status status = frazil::Answer(words, &json);
  if (status.ok()) {
    std::puts(json.Take().c_str());
    return 0;
  }
  std::fprintf(stderr, "%s: %s\n", frazil::ErrorKindName(frazil::KindOf(status)), status.message().c_str());
  return frazil::ExitCodeOf(status);
}
