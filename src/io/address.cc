// SPDX-License-Identifier: Apache-2.0
#include "src/io/address.h"

#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "frazil/error.h"

namespace frazil::io {
namespace {

namespace fs = std::filesystem;

bool IsGlob(const std::string& text) { return text.find_first_of("*?[") != std::string::npos; }

bool IsHidden(const fs::path& path) {
  const std::string name = path.filename().string();
  return !name.empty() && (name[0] == '.' || name[0] == '_');
}

arrow::Status ListError(const fs::path& path, const std::error_code& error) {
  const ErrorKind kind = error == std::errc::permission_denied ? ErrorKind::kAccess : ErrorKind::kNotFound;
  return MakeError(kind, "can not list the folder: " + error.message(), {.file = path.string()});
}

// Every parquet file below `folder`. Links to folders are not followed: they could lead in a circle.
arrow::Status ListFolder(const fs::path& folder, std::vector<std::string>* files) {
  std::error_code error;
  fs::recursive_directory_iterator it(folder, error);
  if (error) return ListError(folder, error);
  for (const fs::recursive_directory_iterator end; it != end; it.increment(error)) {
    if (error) return ListError(folder, error);
    if (IsHidden(it->path())) {
      if (it->is_directory(error)) it.disable_recursion_pending();
      continue;
    }
    if (it->is_regular_file(error) && it->path().extension() == ".parquet") files->push_back(it->path().string());
  }
  return arrow::Status::OK();
}

// Matches parts[i..] below `base`.
void MatchGlob(const fs::path& base, const std::vector<std::string>& parts, size_t i, std::vector<std::string>* files) {
  std::error_code error;
  if (i == parts.size()) {
    if (fs::is_regular_file(base, error)) files->push_back(base.string());
    return;
  }
  if (parts[i] == "**") MatchGlob(base, parts, i + 1, files);
  if (!IsGlob(parts[i])) {
    MatchGlob(base / parts[i], parts, i + 1, files);
    return;
  }
  for (fs::directory_iterator it(base.empty() ? "." : base, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (parts[i] == "**") {
      if (name[0] != '.' && it->is_directory(error) && !it->is_symlink(error)) MatchGlob(base / name, parts, i, files);
    } else if (fnmatch(parts[i].c_str(), name.c_str(), FNM_PERIOD) == 0) {
      MatchGlob(base / name, parts, i + 1, files);
    }
  }
}

}  // namespace

arrow::Result<std::vector<std::string>> ExpandAddress(const std::string& address) {
  std::string path = address;
  if (const size_t scheme = path.find("://"); scheme != std::string::npos) {
    if (path.compare(0, scheme, "file") != 0) {
      return MakeError(ErrorKind::kUnsupported, "addresses of scheme " + path.substr(0, scheme) + " are not supported",
                       {.file = address});
    }
    path = path.substr(scheme + 3);
  }
  std::vector<std::string> files;
  std::error_code error;
  if (fs::is_directory(path, error)) {
    ARROW_RETURN_NOT_OK(ListFolder(path, &files));
  } else if (IsGlob(path) && !fs::exists(path, error)) {
    std::vector<std::string> parts;
    for (const auto& part : fs::path(path).relative_path()) parts.push_back(part.string());
    MatchGlob(fs::path(path).root_path(), parts, 0, &files);
  } else {
    return std::vector<std::string>{path};
  }
  if (files.empty()) return MakeError(ErrorKind::kNotFound, "no Parquet file is there", {.file = address});
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

}  // namespace frazil::io
