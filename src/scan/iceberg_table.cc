// SPDX-License-Identifier: Apache-2.0
#include "src/scan/iceberg_table.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "frazil/error.h"
#include "src/base/text.h"
#include "src/iceberg/catalog/folder.h"
#include "src/iceberg/time_travel.h"

namespace frazil::scan {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMetadataFolder = "metadata";

std::string WithoutScheme(const std::string& address) {
  const iceberg::LocationParts parts = iceberg::SplitLocation(address);
  return parts.scheme == "file" ? std::string(parts.path) : address;
}

arrow::Result<std::string> MetadataFile(const std::string& address, const std::shared_ptr<io::Trace>& trace) {
  if (io::IsStoreAddress(address)) return address;
  const std::string path = WithoutScheme(address);
  std::error_code error;
  return fs::is_directory(path, error) ? iceberg::FindMetadataFile(path, trace) : path;
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

// Metadata that were written with relative locations, which the specification does not have: the table is where its
// metadata file is. What its folder is called there, the manifest list tells, or else the table's own location.
void PlaceRelativeLocations(IcebergTable* table) {
  const fs::path metadata_folder = fs::path(table->metadata_address).parent_path();
  if (metadata_folder.filename() != kMetadataFolder) return;
  std::string folder = table->metadata.location;
  if (table->snapshot != nullptr && iceberg::IsRelativeLocation(table->snapshot->manifest_list)) {
    const fs::path written = fs::path(table->snapshot->manifest_list).parent_path();
    if (written.filename() == kMetadataFolder) folder = written.parent_path().string();
  }
  if (!iceberg::IsRelativeLocation(folder)) return;
  const fs::path here = metadata_folder.parent_path();
  table->locations.SetRelativeFolder(folder, here.empty() ? "." : here.string());
}

arrow::Status ReadMetadata(const TableOptions& options, const std::string& json, IcebergTable* table) {
  ARROW_ASSIGN_OR_RAISE(table->metadata, iceberg::ParseMetadata(json, {}));
  ARROW_ASSIGN_OR_RAISE(
      const auto resolved,
      iceberg::ResolveSnapshot(table->metadata, {options.snapshot_id, options.ref, options.as_of_ms}));
  table->snapshot = resolved.snapshot;
  if (table->snapshot != nullptr && table->snapshot->key_id) {
    return MakeError(ErrorKind::kUnsupported, "the manifest list of the snapshot is encrypted");
  }
  table->schema = *resolved.schema;
  table->partition_type = iceberg::PartitionType(table->metadata, table->schema);
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

// What the catalog says of stores, and over it what the caller says.
std::shared_ptr<io::Stores> StoresOf(const iceberg::CatalogTable& loaded, const TableOptions& options) {
  const auto with_options = [&](io::StoreProperties properties) {
    for (const auto& [name, value] : options.properties) properties[name] = value;
    return properties;
  };
  std::vector<std::pair<std::string, io::StoreProperties>> by_prefix;
  for (const iceberg::StorageCredential& credential : loaded.storage_credentials) {
    by_prefix.emplace_back(credential.prefix, with_options(credential.properties));
  }
  return std::make_shared<io::Stores>(with_options(loaded.properties), std::move(by_prefix));
}

// `json`: what is in the file, when it is known; the file is not read then.
arrow::Result<std::shared_ptr<const IcebergTable>> OpenMetadata(const std::string& file,
                                                                const std::optional<std::string>& json,
                                                                const TableOptions& options,
                                                                std::shared_ptr<io::Stores> stores,
                                                                const std::shared_ptr<io::Trace>& trace) {
  auto table = std::make_shared<IcebergTable>();
  table->stores = std::move(stores);
  table->locations = iceberg::LocationMap(options.rewrite_locations);
  table->metadata_address = file;
  std::string text;
  if (json) {
    text = *json;
  } else {
    ARROW_ASSIGN_OR_RAISE(const auto bytes, ReadWholeFile(*table->stores, file, -1, "metadata", trace, {}));
    auto decoded = iceberg::DecodeMetadataFile(std::string_view(*bytes), {});
    if (!decoded.ok()) return AddPlace(decoded.status(), {.file = file});
    text = *std::move(decoded);
  }
  const arrow::Status status = ReadMetadata(options, text, table.get());
  if (!status.ok()) return AddPlace(status, {.file = file});
  PlaceRelativeLocations(table.get());
  return table;
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

arrow::Result<std::vector<iceberg::ManifestFile>> ListManifests(const IcebergTable& table,
                                                                const std::shared_ptr<io::Trace>& trace,
                                                                io::ReadBudget budget) {
  std::vector<iceberg::ManifestFile> manifests;
  if (table.snapshot == nullptr) return manifests;
  const iceberg::Snapshot& snapshot = *table.snapshot;
  if (snapshot.manifest_list.empty()) {
    for (const std::string& path : snapshot.manifests) manifests.push_back({.path = path, .partition_spec_id = -1});
    return manifests;
  }
  ARROW_ASSIGN_OR_RAISE(const std::string address, table.locations.Address(snapshot.manifest_list));
  ARROW_ASSIGN_OR_RAISE(const auto bytes, ReadWholeFile(*table.stores, address, -1, "manifest list", trace, budget));
  auto listed = iceberg::ReadManifestList(std::string_view(*bytes));
  if (!listed.ok()) return AddPlace(listed.status(), {.file = snapshot.manifest_list});
  return listed;
}

arrow::Status CheckNotEncrypted(std::string_view bytes, const iceberg::ManifestFile& manifest) {
  if (!manifest.key_metadata || bytes.starts_with("Obj")) return arrow::Status::OK();
  return MakeError(ErrorKind::kUnsupported, "the manifest is encrypted");
}

arrow::Result<const iceberg::PartitionSpec*> SpecOfManifest(const IcebergTable& table, int spec_id,
                                                            const iceberg::ManifestHeader* header) {
  if (spec_id < 0 && header != nullptr) spec_id = header->partition_spec_id.value_or(table.metadata.default_spec_id);
  const iceberg::PartitionSpec* spec = table.metadata.FindSpec(spec_id);
  if (spec != nullptr) return spec;
  return MakeError(ErrorKind::kCorrupt,
                   "the manifest is of partition spec " + std::to_string(spec_id) + ", which the table does not have");
}

bool IsIcebergAddress(const std::string& address) {
  const fs::path path = WithoutScheme(address);
  std::error_code error;
  if (iceberg::IsMetadataFileName(path.filename().string()) && !fs::is_directory(path, error)) return true;
  if (io::IsStoreAddress(address)) return false;
  return iceberg::IsTableFolder(path.string());
}

arrow::Result<std::shared_ptr<const IcebergTable>> OpenIcebergTable(const std::string& address,
                                                                    const TableOptions& options,
                                                                    const std::shared_ptr<io::Trace>& trace) {
  ARROW_ASSIGN_OR_RAISE(const std::string file, MetadataFile(address, trace));
  return OpenMetadata(file, std::nullopt, options, std::make_shared<io::Stores>(options.properties), trace);
}

arrow::Result<std::shared_ptr<const IcebergTable>> OpenCatalogTable(const CatalogAddress& address,
                                                                    const TableOptions& options,
                                                                    const std::shared_ptr<io::Trace>& trace) {
  ARROW_ASSIGN_OR_RAISE(const iceberg::CatalogTable loaded, LoadCatalogTable(address));
  std::string file = loaded.metadata_location;
  if (!loaded.metadata_json) {
    ARROW_ASSIGN_OR_RAISE(file, iceberg::LocationMap(options.rewrite_locations).Address(file));
  }
  auto table = OpenMetadata(file, loaded.metadata_json, options, StoresOf(loaded, options), trace);
  const bool refs_only = loaded.metadata_json && address.catalog.Get("snapshot-loading-mode") == "refs";
  if (table.ok() || !refs_only || (!options.snapshot_id && !options.as_of_ms)) return table;
  return MakeError(KindOf(table.status()), table.status().message() + "; with snapshot-loading-mode refs the catalog " +
                                               Printable(address.catalog.name, 60) +
                                               " sends only the snapshots of branches and tags");
}

}  // namespace frazil::scan
