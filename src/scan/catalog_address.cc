// SPDX-License-Identifier: Apache-2.0
#include "src/scan/catalog_address.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "frazil/error.h"
#include "src/base/secret.h"
#include "src/base/text.h"

namespace frazil::scan {
namespace {

constexpr size_t kPartsMin = 3;
constexpr size_t kShownBytesMax = 200;

std::string AsciiLower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

// Unset: a quote is not closed, or something stands beside one.
std::optional<std::vector<std::string>> SplitName(const std::string& text) {
  std::vector<std::string> parts(1);
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '.') {
      parts.emplace_back();
      continue;
    }
    if (text[at] != '"') {
      if (text[at] == '/') return std::nullopt;
      parts.back() += text[at];
      continue;
    }
    if (!parts.back().empty()) return std::nullopt;
    for (++at; at < text.size(); ++at) {
      if (text[at] != '"') {
        parts.back() += text[at];
      } else if (at + 1 < text.size() && text[at + 1] == '"') {
        parts.back() += text[at++];
      } else {
        break;
      }
    }
    if (at == text.size() || (at + 1 < text.size() && text[at + 1] != '.')) return std::nullopt;
  }
  return parts;
}

arrow::Result<iceberg::Config> ConfigOf(const TableOptions& options) {
  ARROW_ASSIGN_OR_RAISE(iceberg::Config config, iceberg::LoadConfig(iceberg::ConfigPlacesOfProcess()));
  for (const auto& [name, properties] : options.catalogs) {
    iceberg::CatalogConfig& catalog = config.catalogs[AsciiLower(name)];
    if (catalog.name.empty()) catalog.name = name;
    for (const auto& [key, value] : properties) catalog.values[key] = {value, "TableOptions::catalogs"};
  }
  return config;
}

// "catalog prod (rest, https://...)"
std::string Described(const iceberg::CatalogConfig& catalog) {
  std::string text = "catalog " + Printable(catalog.name, 60);
  const auto type = iceberg::CatalogTypeOf(catalog);
  if (!type.ok()) return text;
  const char* key = *type == "hadoop" ? "warehouse" : "uri";
  const std::string place = HideSecretsOf(key, catalog.Get(key));
  return text + " (" + *type + (place.empty() ? "" : ", " + Printable(place, kShownBytesMax)) + ")";
}

arrow::Result<iceberg::CatalogTable> Ask(const CatalogAddress& address) {
  ARROW_ASSIGN_OR_RAISE(const auto catalog, iceberg::OpenCatalog(address.catalog));
  return catalog->LoadTable(address.name_space, address.table);
}

}  // namespace

std::optional<std::vector<std::string>> NamePartsOf(const std::string& address) {
  auto parts = SplitName(address);
  if (!parts || parts->size() < kPartsMin) return std::nullopt;
  for (const std::string& part : *parts) {
    if (part.empty()) return std::nullopt;
  }
  std::error_code error;
  if (std::filesystem::exists(address, error)) return std::nullopt;
  return parts;
}

arrow::Result<std::optional<CatalogAddress>> FindCatalogAddress(const std::string& address,
                                                                const TableOptions& options) {
  auto parts = NamePartsOf(address);
  if (!parts) return std::nullopt;
  ARROW_ASSIGN_OR_RAISE(const iceberg::Config config, ConfigOf(options));
  auto found = config.FindCatalog((*parts)[0]);
  if (!found.ok()) {
    const bool is_file = address.ends_with(".parquet") || address.find_first_of("*?[") != std::string::npos;
    if (is_file || KindOf(found.status()) != ErrorKind::kNotFound) return std::nullopt;
    return MakeError(ErrorKind::kNotFound, "no file or folder is called so, and " + found.status().message(),
                     {.file = address});
  }
  CatalogAddress name;
  name.catalog = *std::move(found);
  name.table = std::move(parts->back());
  name.name_space.assign(std::next(parts->begin()), std::prev(parts->end()));
  return name;
}

arrow::Result<iceberg::CatalogTable> LoadCatalogTable(const CatalogAddress& address) {
  auto table = Ask(address);
  if (table.ok()) return table;
  const std::string name = iceberg::NamespaceText(address.name_space) + "." + address.table;
  return MakeError(KindOf(table.status()), Described(address.catalog) + ": table " + Printable(name, kShownBytesMax) +
                                               ": " + table.status().message() + "; frazil config show --catalog " +
                                               Printable(address.catalog.name, 60) + " shows how it is configured");
}

}  // namespace frazil::scan
