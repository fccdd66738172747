// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/catalog/config.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "frazil/byte_source.h"
#include "frazil/error.h"
#include "src/base/text.h"
#include "src/iceberg/catalog/config_yaml.h"

namespace frazil::iceberg {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFileName = ".pyiceberg.yaml";
constexpr const char* kVariablePrefix = "pyiceberg_";
constexpr const char* kCatalog = "catalog";
constexpr int64_t kFileBytesMax = int64_t{1} << 20;

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), LowerAscii);
  return text;
}

arrow::Result<std::string> ReadWhole(const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(const auto source, OpenLocalFile(path));
  ARROW_ASSIGN_OR_RAISE(const int64_t size_bytes, source->Size());
  if (size_bytes > kFileBytesMax) {
    return MakeError(ErrorKind::kUsage, "larger than " + std::to_string(kFileBytesMax) + " bytes", {.file = path});
  }
  ARROW_ASSIGN_OR_RAISE(const auto bytes, source->Read({0, size_bytes}));
  return bytes->ToString();
}

std::string Joined(const std::vector<std::string>& parts, size_t from) {
  std::string text;
  for (size_t i = from; i < parts.size(); ++i) text += (i > from ? "." : "") + parts[i];
  return text;
}

arrow::Status NeedsMap(const std::string& what, const std::string& source) {
  return MakeError(ErrorKind::kUsage, what + " needs keys below it, but it is a text", {.file = source});
}

// Puts a value where its path says. A map can not turn into a text, nor the other way.
arrow::Status Place(const std::vector<std::string>& path, ConfigValue value, Config* config) {
  if (path[0] != kCatalog) {
    config->settings[Joined(path, 0)] = std::move(value);
    return arrow::Status::OK();
  }
  // "catalog:" and "prod:" with nothing below them say nothing.
  if (path.size() < 3) {
    if (!value.text.empty()) return NeedsMap(Joined(path, 0), value.source);
    if (path.size() == 2) config->catalogs[path[1]].name = path[1];
    return arrow::Status::OK();
  }
  CatalogConfig& catalog = config->catalogs[path[1]];
  catalog.name = path[1];
  catalog.values[Joined(path, 2)] = std::move(value);
  return arrow::Status::OK();
}

arrow::Status LoadFile(const ConfigPlaces& places, const std::string& pyiceberg_home, Config* config) {
  for (const std::string& folder : {pyiceberg_home, places.home_folder, places.current_folder}) {
    const std::string path = (fs::path(folder) / kFileName).string();
    std::error_code error;
    if (folder.empty() || !fs::is_regular_file(path, error)) continue;
    ARROW_ASSIGN_OR_RAISE(const std::string text, ReadWhole(path));
    const auto values = ParseYaml(text);
    if (!values.ok()) return AddPlace(values.status(), {.file = path});
    if (values->empty()) continue;
    config->file = path;
    for (const YamlValue& value : *values) {
      ARROW_RETURN_NOT_OK(Place(value.path, {value.text, path + ":" + std::to_string(value.line)}, config));
    }
    break;
  }
  return arrow::Status::OK();
}

// PYICEBERG_CATALOG__MY_LAKE__S3__ACCESS_KEY_ID -> catalog, my-lake, s3.access-key-id
std::vector<std::string> PathOf(std::string key) {
  std::vector<std::string> path;
  while (path.size() < 2) {
    const size_t separator = key.find("__");
    if (separator == std::string::npos) break;
    path.push_back(key.substr(0, separator));
    key.erase(0, separator + 2);
  }
  path.push_back(std::move(key));
  for (std::string& part : path) {
    for (size_t at = part.find("__"); at != std::string::npos; at = part.find("__", at)) part.replace(at, 2, ".");
    std::replace(part.begin(), part.end(), '_', '-');
  }
  return path;
}

}  // namespace

std::string CatalogConfig::Get(std::string_view key) const {
  const auto found = values.find(std::string(key));
  return found == values.end() ? "" : found->second.text;
}

Properties CatalogConfig::ToProperties() const {
  Properties properties;
  for (const auto& [key, value] : values) properties[key] = value.text;
  return properties;
}

std::string Config::DefaultCatalogName() const {
  const auto found = settings.find("default-catalog");
  return found == settings.end() || found->second.text.empty() ? "default" : found->second.text;
}

arrow::Result<CatalogConfig> Config::FindCatalog(const std::string& name) const {
  const std::string wanted = name.empty() ? DefaultCatalogName() : name;
  if (const auto found = catalogs.find(Lower(wanted)); found != catalogs.end()) {
    CatalogConfig catalog = found->second;
    catalog.name = wanted;
    return catalog;
  }
  std::string names;
  for (const auto& [known, catalog] : catalogs) names += (names.empty() ? "" : ", ") + Printable(known, 60);
  return MakeError(ErrorKind::kNotFound,
                   "no catalog " + Printable(wanted, 60) + " is configured; " +
                       (names.empty() ? std::string("there is none in ") + (file.empty() ? kFileName : file) +
                                            " nor in variables PYICEBERG_CATALOG__NAME__KEY"
                                      : "the catalogs are " + names));
}

ConfigPlaces ConfigPlacesOfProcess() {
  ConfigPlaces places;
  std::error_code error;
  places.current_folder = fs::current_path(error).string();
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    places.variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    if (text.substr(0, equals) == "HOME") places.home_folder = text.substr(equals + 1);
  }
  if (places.home_folder.empty()) {
    if (const passwd* user = getpwuid(getuid()); user != nullptr) places.home_folder = user->pw_dir;
  }
  return places;
}

arrow::Result<Config> LoadConfig(const ConfigPlaces& places) {
  std::string pyiceberg_home;
  for (const auto& [name, value] : places.variables) {
    if (name == "PYICEBERG_HOME") pyiceberg_home = value;
  }
  Config config;
  ARROW_RETURN_NOT_OK(LoadFile(places, pyiceberg_home, &config));
  for (const auto& [name, value] : places.variables) {
    const std::string lower = Lower(name);
    if (!lower.starts_with(kVariablePrefix)) continue;
    ARROW_RETURN_NOT_OK(
        Place(PathOf(lower.substr(std::string_view(kVariablePrefix).size())), {value, "variable " + name}, &config));
  }
  return config;
}

arrow::Result<std::string> CatalogTypeOf(const CatalogConfig& config) {
  const std::string type = Lower(config.Get("type"));
  const std::string uri = config.Get("uri");
  const std::string name = "catalog " + Printable(config.name, 60);
  if (type == "rest" || type == "sql" || type == "hadoop") return type;
  if (!type.empty()) {
    return MakeError(ErrorKind::kUnsupported,
                     name + " is of type " + Printable(type, 60) + "; what can be read are rest, sql and hadoop");
  }
  if (uri.starts_with("http")) return "rest";
  for (const char* sql : {"sqlite", "postgresql", "postgres:", "jdbc:sqlite:", "jdbc:postgresql:"}) {
    if (uri.starts_with(sql)) return "sql";
  }
  if (uri.empty()) {
    return MakeError(ErrorKind::kUsage, name + " has neither a type nor a uri: set catalog." + config.name + ".uri");
  }
  return MakeError(ErrorKind::kUnsupported,
                   name + ": no type can be told from the scheme of its uri; set type to rest, sql or hadoop");
}

}  // namespace frazil::iceberg
