// SPDX-License-Identifier: Apache-2.0
//
// Local files by open(2) and pread(2). Never mapped: a mapped file that is cut while it is read kills the process,
// and page faults can not be counted as requests.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "frazil/byte_source.h"
#include "src/io/range_check.h"

namespace frazil {

namespace {

ErrorKind KindOfErrno(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return ErrorKind::kNotFound;
    case EACCES:
    case EPERM:
      return ErrorKind::kAccess;
    case EISDIR:
    case ENAMETOOLONG:
    case ELOOP:
    case EINVAL:
      return ErrorKind::kUsage;
    default:
      return ErrorKind::kUnavailable;
  }
}

arrow::Status ErrnoError(int error, const char* what, ErrorPlace place) {
  return MakeError(KindOfErrno(error), std::string(what) + ": " + std::strerror(error), std::move(place));
}

ErrorPlace FilePlace(const std::string& path) {
  ErrorPlace place;
  place.file = path;
  return place;
}

class LocalSource : public ByteSource {
 public:
  LocalSource(std::string path, int descriptor, int64_t size_bytes)
      : path_(std::move(path)), descriptor_(descriptor), size_bytes_(size_bytes) {}
  ~LocalSource() override { ::close(descriptor_); }
  LocalSource(const LocalSource&) = delete;
  LocalSource& operator=(const LocalSource&) = delete;

  const std::string& name() const override { return path_; }
  arrow::Result<int64_t> Size() override { return size_bytes_; }

  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(ByteRange range) override {
    ARROW_RETURN_NOT_OK(io::CheckRangeInside(range, size_bytes_, path_));
    ARROW_ASSIGN_OR_RAISE(std::unique_ptr<arrow::Buffer> buffer, arrow::AllocateBuffer(range.length));
    int64_t done_bytes = 0;
    while (done_bytes < range.length) {
      const ssize_t got = ::pread(descriptor_, buffer->mutable_data() + done_bytes,
                                  static_cast<size_t>(range.length - done_bytes), range.offset + done_bytes);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) {
        ErrorPlace place = FilePlace(path_);
        place.range = range;
        return ErrnoError(errno, "cannot read", std::move(place));
      }
      if (got == 0) return io::ShortRead(range, done_bytes, path_);
      done_bytes += got;
    }
    return std::shared_ptr<arrow::Buffer>(std::move(buffer));
  }

 private:
  const std::string path_;
  const int descriptor_;
  const int64_t size_bytes_;
};

}  // namespace

arrow::Result<std::shared_ptr<ByteSource>> OpenLocalFile(const std::string& path) {
  if (path.find('\0') != std::string::npos) {
    return MakeError(ErrorKind::kUsage, "a file name can not hold a zero byte", FilePlace(path));
  }
  int descriptor = -1;
  // O_NONBLOCK: opening a pipe must not wait for a writer; it means nothing to a regular file.
  do {
    descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  } while (descriptor < 0 && errno == EINTR);
  if (descriptor < 0) return ErrnoError(errno, "cannot open", FilePlace(path));

  struct stat info {};
  if (::fstat(descriptor, &info) != 0) {
    const int error = errno;
    ::close(descriptor);
    return ErrnoError(error, "cannot stat", FilePlace(path));
  }
  if (!S_ISREG(info.st_mode)) {
    ::close(descriptor);
    return S_ISDIR(info.st_mode) ? MakeError(ErrorKind::kUsage, "is a directory, not a file", FilePlace(path))
                                 : MakeError(ErrorKind::kUnsupported, "is not a regular file", FilePlace(path));
  }
  return std::make_shared<LocalSource>(path, descriptor, static_cast<int64_t>(info.st_size));
}

}  // namespace frazil
