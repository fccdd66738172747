// SPDX-License-Identifier: Apache-2.0
#include "src/io/stores.h"

#include <fnmatch.h>

#include <algorithm>

#include "frazil/error.h"
#include "src/base/secret.h"
#include "src/base/text.h"
#include "src/io/address.h"
#include "src/io/http_store.h"
#include "src/io/s3_list.h"
#include "src/io/s3_store.h"

namespace frazil::io {
namespace {

constexpr size_t kShownBytesMax = 40;

bool IsHttpAddress(std::string_view address) {
  return address.starts_with("http://") || address.starts_with("https://");
}

// "a/b" lies below "a" and below "a/", not below "a/bc".
bool IsBelow(std::string_view address, std::string_view prefix) {
  return address.starts_with(prefix) &&
         (address.size() == prefix.size() || prefix.ends_with('/') || address[prefix.size()] == '/');
}

constexpr const char* kGlobCharacters = "*?[";

// Whether the key, from `at` on, fits the parts of a glob from `part` on.
bool FitsGlob(const std::vector<std::string>& parts, size_t part, const std::vector<std::string>& names, size_t name) {
  if (part == parts.size()) return name == names.size();
  if (parts[part] == "**") {
    for (size_t skipped = name; skipped <= names.size(); ++skipped) {
      if (FitsGlob(parts, part + 1, names, skipped)) return true;
      if (skipped < names.size() && names[skipped].starts_with('.')) return false;
    }
    return false;
  }
  return name < names.size() && fnmatch(parts[part].c_str(), names[name].c_str(), FNM_PERIOD) == 0 &&
         FitsGlob(parts, part + 1, names, name + 1);
}

std::vector<std::string> SplitPath(std::string_view path) {
  std::vector<std::string> names;
  while (true) {
    const size_t slash = std::min(path.find('/'), path.size());
    names.emplace_back(path.substr(0, slash));
    if (slash == path.size()) return names;
    path.remove_prefix(slash + 1);
  }
}

bool IsVisibleParquet(std::string_view key) {
  const auto names = SplitPath(key);
  const bool hidden = std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name.starts_with('.') || name.starts_with('_');
  });
  return !hidden && key.ends_with(".parquet");
}

}  // namespace

bool IsStoreAddress(std::string_view address) {
  return address.find("://") != std::string_view::npos && !address.starts_with("file://");
}

bool IsReadableStore(std::string_view address) { return IsS3Address(address) || IsHttpAddress(address); }

Stores::Stores(StoreProperties properties, std::vector<std::pair<std::string, StoreProperties>> by_prefix,
               StoreEnvironment environment)
    : properties_(std::move(properties)), by_prefix_(std::move(by_prefix)), environment_(std::move(environment)) {}

arrow::Result<S3Settings> Stores::S3SettingsOf(const std::string& address) const {
  const std::pair<std::string, StoreProperties>* longest = nullptr;
  for (const auto& candidate : by_prefix_) {
    const bool fits = IsBelow(address, candidate.first);
    if (fits && (longest == nullptr || candidate.first.size() > longest->first.size())) longest = &candidate;
  }
  StoreProperties properties = properties_;
  if (longest != nullptr) {
    for (const auto& [name, value] : longest->second) properties[name] = value;
  }
  return ResolveS3Settings(properties, environment_);
}

arrow::Result<std::shared_ptr<HttpPool>> Stores::PoolOf(const HttpPoolSettings& settings) {
  std::lock_guard lock(mutex_);
  for (const auto& pool : pools_) {
    if (pool->settings() == settings) return pool;
  }
  ARROW_ASSIGN_OR_RAISE(auto pool, HttpPool::Make(settings));
  pools_.push_back(pool);
  return pool;
}

arrow::Result<std::vector<StoredFile>> Stores::Expand(const std::string& address, Trace* trace) {
  std::vector<StoredFile> files;
  if (!IsStoreAddress(address)) {
    ARROW_ASSIGN_OR_RAISE(const auto paths, ExpandAddress(address));
    for (const std::string& path : paths) files.push_back({path});
    return files;
  }
  const size_t glob = address.find_first_of(kGlobCharacters);
  const bool is_folder = address.ends_with('/') && glob == std::string::npos;
  if (!IsS3Address(address) || (!is_folder && glob == std::string::npos)) return std::vector<StoredFile>{{address}};
  ARROW_ASSIGN_OR_RAISE(const S3Address parsed, ParseS3Address(address));
  ARROW_ASSIGN_OR_RAISE(const S3Settings settings, S3SettingsOf(address));
  const std::string prefix = parsed.key.substr(0, parsed.key.find_first_of(kGlobCharacters));
  int round = 0;
  auto objects = ListS3(settings, parsed.bucket, prefix, [&](int64_t answer_bytes) {
    trace->Add({address, {0, answer_bytes}, "listing", round++});
  });
  if (!objects.ok()) return AddPlace(objects.status(), {.file = address});
  const auto parts = SplitPath(parsed.key);
  const std::string begin = address.substr(0, address.find("://") + 3) + parsed.bucket + "/";
  for (const S3Object& object : *objects) {
    const bool fits = is_folder ? IsVisibleParquet(std::string_view(object.key).substr(prefix.size()))
                                : FitsGlob(parts, 0, SplitPath(object.key), 0);
    if (fits) files.push_back({begin + object.key, object.size_bytes});
  }
  if (files.empty()) return MakeError(ErrorKind::kNotFound, "no Parquet file is there", {.file = address});
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.address < b.address; });
  return files;
}

arrow::Result<std::shared_ptr<ByteSource>> Stores::Open(const std::string& address, int64_t size_bytes) {
  if (!IsStoreAddress(address)) {
    constexpr std::string_view kFile = "file://";
    return OpenLocalFile(address.starts_with(kFile) ? address.substr(kFile.size()) : address);
  }
  const std::string name = HideAddressSecrets(address);
  if (IsS3Address(address)) {
    ARROW_ASSIGN_OR_RAISE(const S3Address parsed, ParseS3Address(address));
    ARROW_ASSIGN_OR_RAISE(S3Settings settings, S3SettingsOf(address));
    ARROW_ASSIGN_OR_RAISE(auto pool, PoolOf(settings.http));
    std::string url = S3Url(settings, parsed);
    return MakeHttpSource(std::move(pool), MakeS3Store(std::move(settings), parsed.bucket), std::move(url), name,
                          size_bytes);
  }
  if (IsHttpAddress(address)) {
    ARROW_ASSIGN_OR_RAISE(const Curl* const curl, LoadCurl());
    ARROW_RETURN_NOT_OK(OriginOf(*curl, address));
    ARROW_ASSIGN_OR_RAISE(auto pool, PoolOf({}));
    return MakeHttpSource(std::move(pool), MakePlainHttpStore(), address, name, size_bytes);
  }
  return MakeError(
      ErrorKind::kUnsupported,
      "addresses of scheme " + Printable(address.substr(0, address.find("://")), kShownBytesMax) + " are not supported",
      {.file = name});
}

}  // namespace frazil::io
