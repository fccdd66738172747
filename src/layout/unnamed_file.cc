// SPDX-License-Identifier: Apache-2.0
#include "src/layout/unnamed_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "frazil/error.h"

namespace frazil::layout {
namespace {

arrow::Status SystemError(const std::string& what, const std::string& path, int error) {
  ErrorKind kind = ErrorKind::kUnavailable;
  if (error == ENOENT || error == ENOTDIR) kind = ErrorKind::kNotFound;
  if (error == EACCES || error == EPERM || error == EROFS) kind = ErrorKind::kAccess;
  if (error == EEXIST) kind = ErrorKind::kConflict;
  ErrorPlace place;
  place.file = path;
  return MakeError(kind, what + ": " + std::strerror(error), place);
}

// A name beside `path` that nobody else has.
std::string TemplateBeside(const std::string& folder) { return folder + "/.frazil-XXXXXX"; }

std::string LinkOf(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

// Links the nameless file under a hidden name, for the rename that replaces.
arrow::Result<std::string> NameBeside(int descriptor, const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  for (int turn = 0; turn < 100; ++turn) {
    std::string name = TemplateBeside(folder.empty() ? "." : folder);
    // mkstemp would make the file: only its way of choosing names is wanted.
    const int made = ::mkstemp(name.data());
    if (made < 0) return SystemError("can not make a file", folder, errno);
    ::close(made);
    ::unlink(name.c_str());
    if (::linkat(AT_FDCWD, LinkOf(descriptor).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) return name;
    if (errno != EEXIST) return SystemError("can not name the file", name, errno);
  }
  return SystemError("can not name the file", path, EEXIST);
}

arrow::Status SyncFolder(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return SystemError("can not open the folder", folder, errno);
  const int error = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  // Some file systems do not sync folders.
  return error == 0 || error == EINVAL ? arrow::Status::OK() : SystemError("can not sync the folder", folder, error);
}

}  // namespace

arrow::Result<int> CreateUnnamedFile(const std::string& folder, std::string* name) {
  name->clear();
  constexpr mode_t kReadableByAll = 0666;  // less the umask
  int descriptor = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kReadableByAll);
  if (descriptor >= 0) return descriptor;
  if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL) {
    return SystemError("can not make a file in this folder", folder, errno);
  }
  *name = TemplateBeside(folder);
  descriptor = ::mkostemp(name->data(), O_CLOEXEC);
  if (descriptor >= 0) return descriptor;
  name->clear();
  return SystemError("can not make a file in this folder", folder, errno);
}

arrow::Result<int> CreateScratchFile(const std::string& folder) {
  std::string name;
  ARROW_ASSIGN_OR_RAISE(const int descriptor, CreateUnnamedFile(folder, &name));
  if (!name.empty()) ::unlink(name.c_str());
  return descriptor;
}

arrow::Status PublishFile(int descriptor, const std::string& name, const std::string& path, bool overwrite) {
  if (::fsync(descriptor) != 0) return SystemError("can not write the file", path, errno);
  if (!overwrite) {
    const std::string from = name.empty() ? LinkOf(descriptor) : name;
    if (::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, path.c_str(), name.empty() ? AT_SYMLINK_FOLLOW : 0) != 0) {
      return SystemError("can not give the file its name", path, errno);
    }
    if (!name.empty()) ::unlink(name.c_str());
    return SyncFolder(path);
  }
  std::string from = name;
  if (from.empty()) {
    ARROW_ASSIGN_OR_RAISE(from, NameBeside(descriptor, path));
  }
  if (::rename(from.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(from.c_str());
    return SystemError("can not give the file its name", path, error);
  }
  return SyncFolder(path);
}

}  // namespace frazil::layout
