// SPDX-License-Identifier: Apache-2.0
//
// ByteSource: the one seam between Frazil and wherever bytes live. The core opens no file and no socket; it asks a
// ByteSource for ranges. Implementations: local files (pread), objects of stores (S3, HTTP), any
// arrow::io::RandomAccessFile, memory.
//
// To read from somewhere else, implement three calls: name, Size and Read. A source where requests take long implements
// two more: ReadMany, which has many requests under way at once in the caller's thread, and ReadTail, which needs no
// size beforehand. Both tell a ReadMonitor of every request that they really make (of retries, parts and hedges too),
// so that what a scan reports is what the store saw.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/result.h>

#include "frazil/error.h"

namespace frazil {

// What a request costs where the bytes live; decides when a gap between two wanted ranges is read through (when
// reading the gap is cheaper than a request: gap_bytes < latency_ns * bandwidth) and when a round trip pays.
struct CostModel {
  int64_t latency_ns = 20'000;  // of one request, without its bytes
  int64_t bandwidth_bytes_per_s = 2'000'000'000;
  int64_t request_bytes_max = 4 << 20;  // longer runs are split, so that they can be fetched in parallel
  int parallel_requests_max = 2;

  // The largest gap worth reading through.
  int64_t gap_bytes() const {
    return static_cast<int64_t>(static_cast<double>(latency_ns) * 1e-9 * static_cast<double>(bandwidth_bytes_per_s));
  }

  static CostModel LocalFile() { return {}; }
  static CostModel Memory() { return {0, 10'000'000'000, int64_t{1} << 40, 1}; }
  static CostModel ObjectStore() { return {30'000'000, 100'000'000, 8 << 20, 32}; }
};

// Why a request is made.
enum class RequestCause {
  kFirst,  // the first for its bytes
  kRetry,  // the one before failed
  kHedge,  // the one before is slow; whichever ends first is taken
};

// Hears of the requests of one call of ReadMany or ReadTail, in that call's thread.
class ReadMonitor {
 public:
  virtual ~ReadMonitor() = default;

  // A request for `range` is about to be made. Its number, for End. An error (of kind budget, say) ends the call with
  // that error, and no further request is made.
  virtual arrow::Result<int64_t> Begin(ByteRange range, RequestCause cause) = 0;

  // The request is over: `body_bytes` came, be they the wanted ones or those of an error's text. `range` is as in
  // Begin, or, for a tail, where it turned out to lie.
  virtual void End(int64_t request, ByteRange range, int64_t body_bytes) = 0;
};

// The end of a file.
struct FileTail {
  std::shared_ptr<arrow::Buffer> bytes;
  int64_t file_bytes = 0;  // size of the whole file
};

// A file that can be read at any offset. Immutable while it is read.
// Thread safety: all calls may be made from several threads at once.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Name for messages and for the _file column: a path or URI.
  virtual const std::string& name() const = 0;

  // Size in bytes. May cost a request the first time, where the store needs one.
  virtual arrow::Result<int64_t> Size() = 0;

  // Exactly `range.length` bytes at `range.offset`; one request. A range that ends behind the file is an error
  // of kind corrupt; fewer bytes than asked for are never returned.
  virtual arrow::Result<std::shared_ptr<arrow::Buffer>> Read(ByteRange range) = 0;

  virtual CostModel cost_model() const { return CostModel::LocalFile(); }

  // Whether Size() costs no request.
  virtual bool size_is_known() const { return true; }

  // The last `length` bytes, or the whole file when it is shorter, and the file's size. Where the size is not known,
  // a store answers both in one request. By default Size and Read. Errors: those of Read.
  virtual arrow::Result<FileTail> ReadTail(int64_t length, ReadMonitor* monitor);

  // Whether ReadMany has many requests under way at once. If not, helper threads call Read where that pays.
  virtual bool reads_many_at_once() const { return false; }

  // Every range as Read gives it; none waits for another. buffers[i] is that of ranges[i]; after an error those that
  // came are set and the others null. By default one Read after another. Errors: those of Read, of the earliest range
  // that failed, with its range, and the monitor's.
  virtual arrow::Status ReadMany(const std::vector<ByteRange>& ranges, ReadMonitor* monitor,
                                 std::vector<std::shared_ptr<arrow::Buffer>>* buffers);
};

// A local file, read by pread (never mapped). Errors: not found, access.
arrow::Result<std::shared_ptr<ByteSource>> OpenLocalFile(const std::string& path);

// Any Arrow file: S3, GCS, Azure, ... `name` is used in messages.
std::shared_ptr<ByteSource> FromArrowFile(std::shared_ptr<arrow::io::RandomAccessFile> file, std::string name,
                                          CostModel cost_model = CostModel::ObjectStore());

// Bytes in memory.
std::shared_ptr<ByteSource> FromBuffer(std::shared_ptr<arrow::Buffer> buffer, std::string name);

}  // namespace frazil
