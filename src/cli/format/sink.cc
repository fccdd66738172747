// SPDX-License-Identifier: Apache-2.0
#include "src/cli/format/sink.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "frazil/error.h"

namespace frazil::cli {

namespace {

constexpr const char* kBrokenPipeText = "broken pipe";

arrow::Status WriteError(int error_number) {
  if (error_number == EPIPE) return MakeError(ErrorKind::kCancelled, kBrokenPipeText);
  return MakeError(ErrorKind::kInternal, std::string("cannot write the output: ") + std::strerror(error_number));
}

// Waits until a non-blocking descriptor takes bytes again. Returns 0 or an errno.
int WaitWritable(int fd) {
  pollfd poll_entry{fd, POLLOUT, 0};
  // A closed reader is reported as POLLERR: the next write then gives EPIPE.
  while (poll(&poll_entry, 1, -1) < 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

}  // namespace

OutputSink::OutputSink(int fd) : fd_(fd) { buffer_.reserve(kBufferBytes + (kBufferBytes >> 2)); }

arrow::Status OutputSink::WriteOut(std::string_view bytes) {
  // Linux refuses nothing below 2 GiB; larger requests are cut by the kernel, so cut them here.
  constexpr size_t kWriteBytesMax = size_t{1} << 30;
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd_, bytes.data(), std::min(bytes.size(), kWriteBytesMax));
    if (count >= 0) {
      bytes.remove_prefix(static_cast<size_t>(count));
      written_bytes_ += count;
      continue;
    }
    int error_number = errno;
    if (error_number == EINTR) continue;
    if (error_number == EAGAIN || error_number == EWOULDBLOCK) error_number = WaitWritable(fd_);
    if (error_number != 0) return error_ = WriteError(error_number);
  }
  return arrow::Status::OK();
}

arrow::Status OutputSink::Flush() {
  arrow::Status status = error_;
  if (status.ok()) status = WriteOut(buffer_);
  // After an error the rows are dropped: they have nowhere to go, and the memory must not grow.
  buffer_.clear();
  if (buffer_.capacity() > 8 * kBufferBytes) {
    buffer_.shrink_to_fit();
    buffer_.reserve(kBufferBytes + (kBufferBytes >> 2));
  }
  return status;
}

arrow::Status OutputSink::Write(std::string_view bytes) {
  if (bytes.size() < kBufferBytes) {
    buffer_.append(bytes);
    return FlushIfFull();
  }
  ARROW_RETURN_NOT_OK(Flush());
  return WriteOut(bytes);
}

bool IsBrokenPipe(const arrow::Status& status) {
  if (status.ok() || status.detail() == nullptr) return false;
  if (std::strcmp(status.detail()->type_id(), ErrorDetail::kTypeId) != 0) return false;
  const auto& detail = static_cast<const ErrorDetail&>(*status.detail());
  return detail.kind() == ErrorKind::kCancelled && detail.text() == kBrokenPipeText;
}

void IgnoreBrokenPipeSignal() { std::signal(SIGPIPE, SIG_IGN); }

}  // namespace frazil::cli
