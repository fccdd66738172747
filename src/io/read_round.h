// SPDX-License-Identifier: Apache-2.0
//
// ReadRound: independent requests of one byte source. A source that can have many under way at once gets all of them in
// one call; another is read by the calling thread and, where it pays, by helpers on Arrow's I/O pool. Each request is
// traced, in order, right before it is made, and after an error no further request is begun: so the trace is exactly
// what the source saw.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/result.h>
#include <arrow/status.h>

#include "frazil/byte_source.h"
#include "src/io/trace.h"

namespace frazil::io {

// Writes the requests of one round of one file into the trace, within the limits of the scan.
class TracingMonitor : public ReadMonitor {
 public:
  TracingMonitor(std::shared_ptr<Trace> trace, TraceTotals limits, std::string file, std::string purpose, int round)
      : trace_(std::move(trace)),
        limits_(limits),
        file_(std::move(file)),
        purpose_(std::move(purpose)),
        round_(round) {}

  // Error: budget, when another file has used up the limits meanwhile.
  arrow::Result<int64_t> Begin(ByteRange range, RequestCause cause) override;
  void End(int64_t request, ByteRange range, int64_t body_bytes) override;

 private:
  const std::shared_ptr<Trace> trace_;
  const TraceTotals limits_;
  const std::string file_;
  const std::string purpose_;
  const int round_;
  std::map<int64_t, ByteRange> begun_;
};

class ReadRound : public std::enable_shared_from_this<ReadRound> {
 public:
  // `round` and `purpose` are for the trace; `limits` are the scan's (0: no limit).
  ReadRound(std::shared_ptr<ByteSource> source, std::shared_ptr<Trace> trace, TraceTotals limits,
            std::vector<ByteRange> requests, std::string purpose, int round);

  // Reads all requests. The error of the earliest request that failed, with file and range; kind budget when another
  // file has used up the limits meanwhile. Waits only for requests that were begun, never for a free thread of the
  // pool, so it may itself be called on that pool. REQUIRES: owned by a shared_ptr; called once.
  arrow::Status Run();

  const std::vector<ByteRange>& requests() const { return requests_; }
  // By request; null where the request failed or was not begun. Valid after Run.
  const std::vector<std::shared_ptr<arrow::Buffer>>& buffers() const { return buffers_; }

  // Rounds of fewer bytes are read by the caller alone: handing a request to a thread costs more.
  static constexpr int64_t kParallelBytesMin = int64_t{1} << 20;

 private:
  // Takes and reads requests until none is left.
  void Work();
  // Begins the next request: traced, and counted as active. False: nothing is left to do.
  bool Take(size_t* index);
  void Finish(size_t index, arrow::Result<std::shared_ptr<arrow::Buffer>> result);
  void FailLocked(size_t index, arrow::Status error);
  // Helper threads worth asking for.
  int HelperCount() const;

  const std::shared_ptr<ByteSource> source_;
  const std::vector<ByteRange> requests_;

  std::mutex mutex_;
  TracingMonitor monitor_;
  std::condition_variable idle_;
  size_t next_ = 0;
  int active_ = 0;
  arrow::Status error_;
  size_t error_index_ = 0;
  std::vector<std::shared_ptr<arrow::Buffer>> buffers_;
};

}  // namespace frazil::io
