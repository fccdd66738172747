// SPDX-License-Identifier: Apache-2.0
#include "src/scan/iceberg_table.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "frazil/error.h"
#include "src/base/text.h"
#include "src/iceberg/time_travel.h"

namespace frazil::scan {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMetadataFolder = "metadata";
constexpr const char* kVersionHint = "version-hint.text";
constexpr int64_t kVersionHintBytesMax = 1024;

bool IsMetadataName(std::string_view name) {
  return name.ends_with(".metadata.json") || name.ends_with(".metadata.json.gz");
}

std::string WithoutScheme(const std::string& address) {
  const iceberg::LocationParts parts = iceberg::SplitLocation(address);
  return parts.scheme == "file" ? std::string(parts.path) : address;
}

// "v12.metadata.json", "00012-<uuid>.metadata.json" -> 12.
std::optional<int64_t> VersionOf(std::string_view name) {
  if (name.starts_with('v')) name.remove_prefix(1);
  int64_t version = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), version);
  const bool ends = end < name.data() + name.size() && (*end == '.' || *end == '-');
  if (error != std::errc() || !ends || version < 0) return std::nullopt;
  return version;
}

// The file of version `version` as the folder's own catalog names it; empty when there is none.
std::string HintedFile(const fs::path& folder, const std::string& version) {
  std::error_code error;
  for (const char* name : {".metadata.json", ".gz.metadata.json", ".metadata.json.gz"}) {
    for (const char* prefix : {"v", ""}) {
      fs::path file = folder / (prefix + version + name);
      if (fs::is_regular_file(file, error)) return file.string();
    }
  }
  return {};
}

arrow::Result<std::string> NewestFile(const fs::path& folder) {
  std::error_code error;
  std::string newest;
  std::pair<int64_t, fs::file_time_type> order;
  fs::directory_iterator it(folder, error);
  for (const fs::directory_iterator end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    const auto version = IsMetadataName(name) ? VersionOf(name) : std::nullopt;
    if (!version) continue;
    // Two writers may have tried for one version; then the later file is the one that was kept, as a rule.
    std::error_code no_time;
    const std::pair<int64_t, fs::file_time_type> other{*version, fs::last_write_time(it->path(), no_time)};
    if (!newest.empty() && other <= order) continue;
    newest = it->path().string();
    order = other;
  }
  if (error) {
    const ErrorKind kind = error == std::errc::permission_denied ? ErrorKind::kAccess : ErrorKind::kNotFound;
    return MakeError(kind, "can not list the folder: " + error.message(), {.file = folder.string()});
  }
  if (newest.empty()) return MakeError(ErrorKind::kNotFound, "no metadata file is there", {.file = folder.string()});
  return newest;
}

arrow::Result<std::string> MetadataFile(io::Stores& stores, const std::string& address,
                                        const std::shared_ptr<io::Trace>& trace) {
  if (io::IsStoreAddress(address)) return address;
  const fs::path path = WithoutScheme(address);
  std::error_code error;
  if (!fs::is_directory(path, error)) return path.string();
  const fs::path folder = path / kMetadataFolder;
  const fs::path hint_file = folder / kVersionHint;
  if (!fs::is_regular_file(hint_file, error)) return NewestFile(folder);
  if (fs::file_size(hint_file, error) > static_cast<uintmax_t>(kVersionHintBytesMax)) return NewestFile(folder);
  ARROW_ASSIGN_OR_RAISE(const auto bytes, ReadWholeFile(stores, hint_file.string(), -1, "metadata", trace, {}));
  std::string hint = bytes->ToString();
  hint.erase(0, hint.find_first_not_of(" \t\r\n"));
  hint.erase(hint.find_last_not_of(" \t\r\n") + 1);
  int64_t version = 0;
  const auto [end, parse_error] = std::from_chars(hint.data(), hint.data() + hint.size(), version);
  const bool is_number = !hint.empty() && parse_error == std::errc() && end == hint.data() + hint.size();
  const bool is_name = hint.find('/') == std::string::npos && !hint.empty();
  std::string file = is_name ? HintedFile(folder, hint) : std::string();
  if (file.empty()) {
    if (!is_number) return NewestFile(folder);
    return MakeError(ErrorKind::kNotFound, "version-hint.text names version " + hint + ", which is not there",
                     {.file = hint_file.string()});
  }
  // The hint is written after the file, and may have been lost.
  while (is_number) {
    std::string next = HintedFile(folder, std::to_string(++version));
    if (next.empty()) break;
    file = std::move(next);
  }
  return file;
}

// Columns at the top of other schemas whose ids `schema` does not have, the newest meaning of each.
arrow::Result<iceberg::Schema> WithDropped(const iceberg::Schema& schema, const iceberg::TableMetadata& metadata) {
  std::vector<iceberg::NestedField> fields = schema.fields();
  std::vector<int> ids;
  for (auto other = metadata.schemas.rbegin(); other != metadata.schemas.rend(); ++other) {
    for (const iceberg::NestedField& field : other->fields()) {
      const bool known =
          schema.FindById(field.id) != nullptr || std::find(ids.begin(), ids.end(), field.id) != ids.end();
      if (known || field.type.is_nested()) continue;
      ids.push_back(field.id);
      iceberg::NestedField dropped = field;
      dropped.name += " (dropped, field id " + std::to_string(field.id) + ")";
      dropped.required = false;
      fields.push_back(std::move(dropped));
    }
  }
  return iceberg::Schema::Make(std::move(fields), schema.schema_id());
}

arrow::Status ReadMetadata(const TableOptions& options, const arrow::Buffer& bytes, IcebergTable* table) {
  ARROW_ASSIGN_OR_RAISE(const std::string json, iceberg::DecodeMetadataFile(std::string_view(bytes), {}));
  ARROW_ASSIGN_OR_RAISE(table->metadata, iceberg::ParseMetadata(json, {}));
  ARROW_ASSIGN_OR_RAISE(
      const auto resolved,
      iceberg::ResolveSnapshot(table->metadata, {options.snapshot_id, options.ref, options.as_of_ms}));
  table->snapshot = resolved.snapshot;
  if (table->snapshot != nullptr && table->snapshot->key_id) {
    return MakeError(ErrorKind::kUnsupported, "the manifest list of the snapshot is encrypted");
  }
  table->schema = *resolved.schema;
  ARROW_ASSIGN_OR_RAISE(table->schema_with_dropped, WithDropped(table->schema, table->metadata));
  const auto mapping = table->metadata.properties.find(iceberg::kNameMappingProperty);
  if (mapping == table->metadata.properties.end()) return arrow::Status::OK();
  auto parsed = iceberg::ParseNameMapping(mapping->second);
  if (!parsed.ok()) {
    return MakeError(KindOf(parsed.status()),
                     std::string("property ") + iceberg::kNameMappingProperty + ": " + parsed.status().message());
  }
  table->name_mapping = *std::move(parsed);
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::Buffer>> ReadWholeFile(io::Stores& stores, const std::string& address,
                                                            int64_t size_bytes, const std::string& purpose,
                                                            const std::shared_ptr<io::Trace>& trace,
                                                            io::ReadBudget budget) {
  ARROW_ASSIGN_OR_RAISE(auto source, stores.Open(address, size_bytes > 0 ? size_bytes : -1));
  io::RangeReader reader(std::move(source), trace, budget);
  return reader.ReadWhole(purpose);
}

bool IsIcebergAddress(const std::string& address) {
  const fs::path path = WithoutScheme(address);
  std::error_code error;
  if (IsMetadataName(path.filename().string()) && !fs::is_directory(path, error)) return true;
  if (io::IsStoreAddress(address)) return false;
  const fs::path folder = path / kMetadataFolder;
  if (!fs::is_directory(folder, error)) return false;
  if (fs::is_regular_file(folder / kVersionHint, error)) return true;
  fs::directory_iterator it(folder, error);
  for (const fs::directory_iterator end; !error && it != end; it.increment(error)) {
    if (IsMetadataName(it->path().filename().string())) return true;
  }
  return false;
}

arrow::Result<std::shared_ptr<const IcebergTable>> OpenIcebergTable(const std::string& address,
                                                                    const TableOptions& options,
                                                                    const std::shared_ptr<io::Trace>& trace) {
  auto table = std::make_shared<IcebergTable>();
  table->stores = std::make_shared<io::Stores>(options.properties);
  ARROW_ASSIGN_OR_RAISE(const std::string file, MetadataFile(*table->stores, address, trace));
  ARROW_ASSIGN_OR_RAISE(const auto bytes, ReadWholeFile(*table->stores, file, -1, "metadata", trace, {}));
  table->metadata_address = file;
  table->locations = iceberg::LocationMap(options.rewrite_locations);
  const arrow::Status status = ReadMetadata(options, *bytes, table.get());
  if (!status.ok()) return AddPlace(status, {.file = file});
  return table;
}

}  // namespace frazil::scan
