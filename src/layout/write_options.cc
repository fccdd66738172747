// SPDX-License-Identifier: Apache-2.0
//
// Options by the names of Iceberg's table properties.
// Source: Iceberg "Configuration", write properties.
#include <charconv>
#include <functional>
#include <limits>
#include <map>

#include "frazil/error.h"
#include "frazil/rewrite.h"
#include "src/base/text.h"

namespace frazil {
namespace {

constexpr std::string_view kPrefix = "write.parquet.";
constexpr size_t kShownBytesMax = 80;

using Setter = std::function<bool(const std::string& value, WriteOptions* options)>;

Setter Number(int64_t WriteOptions::*member, int64_t least, int64_t most = std::numeric_limits<int32_t>::max()) {
  return [=](const std::string& value, WriteOptions* options) {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size() || number < least || number > most) return false;
    options->*member = number;
    return true;
  };
}

// Each with what its value may be, for people.
struct Property {
  std::string takes;
  Setter set;
};

const std::map<std::string, Property>& Properties() {
  static const std::map<std::string, Property> kProperties{
      {"row-group-size-bytes", {"a number of bytes", Number(&WriteOptions::row_group_bytes, 1)}},
      {"row-group-limit", {"a number of rows, 0 for no limit", Number(&WriteOptions::row_group_rows, 0)}},
      {"page-size-bytes", {"a number of bytes", Number(&WriteOptions::page_bytes, 1)}},
      {"page-row-limit", {"a number of rows", Number(&WriteOptions::page_rows, 1)}},
      {"dict-size-bytes", {"a number of bytes, 0 for no dictionaries", Number(&WriteOptions::dictionary_bytes, 0)}},
      {"page-version",
       {"v1 or v2",
        [](const std::string& value, WriteOptions* options) {
          options->page_version = value == "v2" ? 2 : 1;
          return value == "v1" || value == "v2";
        }}},
      {"compression-codec",
       {"uncompressed, snappy, gzip, brotli, lz4 or zstd",
        [](const std::string& value, WriteOptions* options) {
          options->codec = value;
          return value == "uncompressed" || value == "snappy" || value == "gzip" || value == "brotli" ||
                 value == "lz4" || value == "zstd";
        }}},
      {"compression-level",
       {"a whole number",
        [](const std::string& value, WriteOptions* options) {
          const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), options->codec_level);
          return error == std::errc() && end == value.data() + value.size();
        }}},
      {"page-checksum-enabled",
       {"true or false",
        [](const std::string& value, WriteOptions* options) {
          options->checksums = value == "true";
          return value == "true" || value == "false";
        }}},
  };
  return kProperties;
}

}  // namespace

arrow::Status SetWriteOption(const std::string& name, const std::string& value, WriteOptions* options) {
  const std::string key = name.rfind(kPrefix, 0) == 0 ? name.substr(kPrefix.size()) : name;
  constexpr std::string_view kBloomEnabled = "bloom-filter-enabled.column.";
  if (key.rfind(kBloomEnabled, 0) == 0 && (value == "true" || value == "false")) {
    const std::string column = key.substr(kBloomEnabled.size());
    std::erase(options->bloom_columns, column);
    if (value == "true") options->bloom_columns.push_back(column);
    return arrow::Status::OK();
  }
  const auto property = Properties().find(key);
  if (property == Properties().end()) {
    std::vector<std::string> names;
    for (const auto& [known, unused] : Properties()) names.push_back(known);
    std::string text = "unknown option " + Printable(name, kShownBytesMax);
    const auto near = NearMatches(key, names, 1);
    text += near.empty() ? "; there are " : "; did you mean " + std::string(kPrefix) + names[near[0]] + "?";
    for (size_t i = 0; near.empty() && i < names.size(); ++i) text += (i == 0 ? "" : ", ") + names[i];
    return MakeError(ErrorKind::kUsage, text);
  }
  if (property->second.set(value, options)) return arrow::Status::OK();
  return MakeError(ErrorKind::kUsage, std::string(kPrefix) + key + " takes " + property->second.takes + ", not " +
                                          Printable(value, kShownBytesMax));
}

}  // namespace frazil
