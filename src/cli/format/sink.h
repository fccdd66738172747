// SPDX-License-Identifier: Apache-2.0
//
// OutputSink: the one way in which the command line writes data. Writers append to its buffer and tell it after
// every row; it calls write(2) when the buffer is full.
//
//   OutputSink sink(STDOUT_FILENO);
//   sink.buffer() += "1,2\n";
//   ARROW_RETURN_NOT_OK(sink.FlushIfFull());
//   ARROW_RETURN_NOT_OK(sink.Flush());          // at the end: the destructor writes nothing
//
// Errors: a reader that went away (EPIPE, as after `| head`) is of kind cancelled with the text "broken pipe", see
// IsBrokenPipe; anything else (disk full) is of kind internal. The first error stays: every later call returns it.
// Thread safety: none; one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <arrow/status.h>

namespace frazil::cli {

class OutputSink {
 public:
  // From this size on the buffer is written out. One row may make it larger for a while.
  static constexpr size_t kBufferBytes = size_t{128} << 10;

  // Does not own `fd`. Blocking and non-blocking descriptors both work.
  explicit OutputSink(int fd);
  OutputSink(const OutputSink&) = delete;
  OutputSink& operator=(const OutputSink&) = delete;

  // Append to it; never shorten it.
  std::string& buffer() { return buffer_; }

  arrow::Status FlushIfFull() { return buffer_.size() < kBufferBytes ? arrow::Status::OK() : Flush(); }
  arrow::Status Flush();

  // Appends `bytes`; long ones go to the descriptor without a copy.
  arrow::Status Write(std::string_view bytes);

  // Everything accepted so far, written or still buffered.
  int64_t accepted_bytes() const { return written_bytes_ + static_cast<int64_t>(buffer_.size()); }

 private:
  arrow::Status WriteOut(std::string_view bytes);

  int fd_;
  std::string buffer_;
  int64_t written_bytes_ = 0;
  arrow::Status error_;
};

// True for the error of a sink whose reader went away. The command line ends quietly then.
bool IsBrokenPipe(const arrow::Status& status);

// Makes write(2) return EPIPE instead of killing the process. Call once, first thing in main.
void IgnoreBrokenPipeSignal();

}  // namespace frazil::cli
