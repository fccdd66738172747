// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/catalog/folder.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <system_error>

#include "frazil/byte_source.h"
#include "frazil/error.h"
#include "src/base/text.h"
#include "src/io/range_reader.h"

namespace frazil::iceberg {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMetadataFolder = "metadata";
constexpr const char* kHintFile = "version-hint.text";
constexpr const char* kMetadataSuffix = ".metadata.json";
constexpr int64_t kHintBytesMax = 4096;

arrow::Result<std::string> LocalPath(const std::string& location) {
  for (const char* prefix : {"file://", "file:"}) {
    if (location.starts_with(prefix)) return location.substr(std::string_view(prefix).size());
  }
  if (location.find("://") != std::string::npos) {
    return MakeError(ErrorKind::kUnsupported, "only local folders can be read", {.file = location});
  }
  return location;
}

std::optional<int64_t> Number(std::string_view digits) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size() || number < 0) return std::nullopt;
  return number;
}

struct MetadataFile {
  std::string name;
  int64_t version = kNoVersion;
  bool is_counted = false;  // v<N>, one after the other; else <N>-<uuid>

  static constexpr int64_t kNoVersion = -1;  // of a name that tells none
};

// v3.metadata.json, v3.gz.metadata.json, v3.metadata.json.gz, 00003-uuid.metadata.json
std::optional<MetadataFile> ParseName(const std::string& name) {
  if (!IsMetadataFileName(name)) return std::nullopt;
  const std::string stem = name.substr(0, name.find('.'));
  if (stem.starts_with("v")) {
    if (const auto version = Number(stem.substr(1))) return MetadataFile{name, *version, true};
  } else if (const size_t dash = stem.find('-'); dash != std::string::npos) {
    if (const auto version = Number(stem.substr(0, dash))) return MetadataFile{name, *version, false};
  }
  return MetadataFile{name};
}

arrow::Status FolderError(const fs::path& folder, const std::error_code& error) {
  const ErrorKind kind = error == std::errc::permission_denied ? ErrorKind::kAccess : ErrorKind::kNotFound;
  return MakeError(kind, "can not list the folder: " + error.message(), {.file = folder.string()});
}

arrow::Result<std::vector<MetadataFile>> ListMetadata(const fs::path& folder) {
  std::error_code error;
  std::vector<MetadataFile> files;
  fs::directory_iterator it(folder, error);
  for (const fs::directory_iterator end; !error && it != end; it.increment(error)) {
    if (auto file = ParseName(it->path().filename().string())) files.push_back(std::move(*file));
  }
  if (error) return FolderError(folder, error);
  return files;
}

// What the hint says, without white space; nothing when there is none that can be read.
std::string ReadHint(const fs::path& folder, const std::shared_ptr<io::Trace>& trace) {
  const auto source = OpenLocalFile((folder / kHintFile).string());
  if (!source.ok()) return "";
  io::RangeReader reader(*source, trace != nullptr ? trace : std::make_shared<io::Trace>(), io::ReadBudget{});
  const auto size_bytes = reader.Size();
  if (!size_bytes.ok() || *size_bytes == 0 || *size_bytes > kHintBytesMax) return "";
  const ByteRange all{0, *size_bytes};
  if (!reader.Fetch({all}, "metadata").ok()) return "";
  const auto bytes = reader.Get(all);
  if (!bytes.ok()) return "";
  std::string text = (*bytes)->ToString();
  constexpr const char* kSpace = " \t\r\n";
  text.erase(0, text.find_first_not_of(kSpace));
  text.erase(text.find_last_not_of(kSpace) + 1);
  return text;
}

// The file that the hint leads to; null when it says nothing that can be followed. Error: not found, for a version that
// is not there: what is older has been replaced.
arrow::Result<const MetadataFile*> FollowHint(const std::string& hint, const std::vector<MetadataFile>& files,
                                              const fs::path& folder) {
  if (hint.empty()) return nullptr;
  for (const MetadataFile& file : files) {
    if (file.name == hint || file.name == hint + kMetadataSuffix) return &file;
  }
  auto version = Number(hint);
  if (!version) return nullptr;
  std::map<int64_t, const MetadataFile*> counted;
  for (const MetadataFile& file : files) {
    if (file.is_counted) counted[file.version] = &file;
  }
  const MetadataFile* last = nullptr;
  for (auto found = counted.find(*version); found != counted.end() && found->first == *version; ++found) {
    last = found->second;
    ++*version;
  }
  if (last != nullptr) return last;
  const auto has_version = [&](const MetadataFile& file) { return file.version == *version; };
  const auto named = std::find_if(files.begin(), files.end(), has_version);
  if (named != files.end() && std::none_of(std::next(named), files.end(), has_version)) return &*named;
  return MakeError(ErrorKind::kNotFound,
                   std::string(kHintFile) + " names version " + hint +
                       (named == files.end() ? ", which is not there" : ", of which there are several files") +
                       "; name the metadata file itself to read it",
                   {.file = (folder / kHintFile).string()});
}

// A name that stays inside its folder.
arrow::Status CheckName(const std::string& name) {
  const bool bad = name.empty() || name == "." || name == ".." ||
                   name.find_first_of(std::string_view("/\0", 2)) != std::string::npos;
  return bad ? MakeError(ErrorKind::kUsage, "'" + Printable(name, 60) + "' is no name of a namespace or table")
             : arrow::Status::OK();
}

class FolderCatalog : public Catalog {
 public:
  FolderCatalog(fs::path warehouse, Properties properties)
      : warehouse_(std::move(warehouse)), properties_(std::move(properties)) {}

  arrow::Result<CatalogTable> LoadTable(const Namespace& name_space, const std::string& table) override {
    ARROW_ASSIGN_OR_RAISE(const fs::path folder, FolderOf(name_space));
    ARROW_RETURN_NOT_OK(CheckName(table));
    CatalogTable loaded;
    ARROW_ASSIGN_OR_RAISE(loaded.metadata_location, FindMetadataFile((folder / table).string()));
    loaded.properties = properties_;
    return loaded;
  }

  arrow::Result<std::vector<std::string>> ListTables(const Namespace& name_space) override {
    return Children(name_space, true);
  }

  arrow::Result<std::vector<Namespace>> ListNamespaces(const Namespace& parent) override {
    ARROW_ASSIGN_OR_RAISE(const auto names, Children(parent, false));
    std::vector<Namespace> namespaces;
    for (const std::string& name : names) {
      namespaces.push_back(parent);
      namespaces.back().push_back(name);
    }
    return namespaces;
  }

 private:
  arrow::Result<fs::path> FolderOf(const Namespace& name_space) const {
    fs::path folder = warehouse_;
    for (const std::string& level : name_space) {
      ARROW_RETURN_NOT_OK(CheckName(level));
      folder /= level;
    }
    return folder;
  }

  // The folders in a namespace that are tables, or those that are not.
  arrow::Result<std::vector<std::string>> Children(const Namespace& name_space, bool tables) const {
    ARROW_ASSIGN_OR_RAISE(const fs::path folder, FolderOf(name_space));
    if (!name_space.empty() && IsTableFolder(folder.string())) {
      return MakeError(ErrorKind::kNotFound, "this is a table, no namespace", {.file = folder.string()});
    }
    std::vector<std::string> names;
    std::error_code error;
    fs::directory_iterator it(folder, error);
    for (const fs::directory_iterator end; !error && it != end; it.increment(error)) {
      const std::string name = it->path().filename().string();
      std::error_code ignored;
      if (name[0] == '.' || name[0] == '_' || !it->is_directory(ignored)) continue;
      if (IsTableFolder(it->path().string()) == tables) names.push_back(name);
    }
    if (error) return FolderError(folder, error);
    std::sort(names.begin(), names.end());
    return names;
  }

  const fs::path warehouse_;
  const Properties properties_;
};

}  // namespace

bool IsMetadataFileName(std::string_view name) {
  return name.ends_with(kMetadataSuffix) || name.ends_with(std::string(kMetadataSuffix) + ".gz");
}

bool IsTableFolder(const std::string& folder) {
  std::error_code error;
  const fs::path metadata = fs::path(folder) / kMetadataFolder;
  if (!fs::is_directory(metadata, error)) return false;
  if (fs::exists(metadata / kHintFile, error)) return true;
  const auto files = ListMetadata(metadata);
  return files.ok() && !files->empty();
}

arrow::Result<std::string> FindMetadataFile(const std::string& table_folder, const std::shared_ptr<io::Trace>& trace) {
  ARROW_ASSIGN_OR_RAISE(const std::string path, LocalPath(table_folder));
  const fs::path folder = fs::path(path) / kMetadataFolder;
  ARROW_ASSIGN_OR_RAISE(const auto files, ListMetadata(folder));
  ARROW_ASSIGN_OR_RAISE(const MetadataFile* newest, FollowHint(ReadHint(folder, trace), files, folder));
  if (newest != nullptr) return (folder / newest->name).string();
  const MetadataFile* rival = nullptr;
  for (const MetadataFile& file : files) {
    if (newest == nullptr || file.version > newest->version) {
      newest = &file;
      rival = nullptr;
    } else if (file.version == newest->version) {
      rival = &file;
    }
  }
  if (newest == nullptr) {
    return MakeError(ErrorKind::kNotFound, "the folder holds no table metadata (*.metadata.json)",
                     {.file = folder.string()});
  }
  if (rival != nullptr) {
    return MakeError(ErrorKind::kConflict,
                     Printable(std::min(newest->name, rival->name), 120) + " and " +
                         Printable(std::max(newest->name, rival->name), 120) +
                         " are both the newest metadata, and nothing tells which was committed: name the file itself, "
                         "or read the table through its catalog",
                     {.file = folder.string()});
  }
  return (folder / newest->name).string();
}

arrow::Result<std::unique_ptr<Catalog>> OpenFolderCatalog(const CatalogConfig& config) {
  const std::string warehouse = config.Get("warehouse");
  if (warehouse.empty()) {
    return MakeError(ErrorKind::kUsage, "catalog " + Printable(config.name, 60) +
                                            " of type hadoop needs a warehouse: the folder of its namespaces");
  }
  ARROW_ASSIGN_OR_RAISE(const std::string path, LocalPath(warehouse));
  return std::make_unique<FolderCatalog>(path, config.ToProperties());
}

}  // namespace frazil::iceberg
