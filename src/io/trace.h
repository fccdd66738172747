// SPDX-License-Identifier: Apache-2.0
//
// Trace: every request made of a byte source, in order, with what it was for. The counters of a scan are sums over
// it, so they equal what the byte source saw. Thread-safe.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "frazil/byte_source.h"
#include "frazil/error.h"

namespace frazil::io {

struct TraceEntry {
  std::string file;
  ByteRange range;
  std::string purpose;  // "footer", "page index", "filter pages", "pages"
  int round = 0;        // dependent rounds of the file so far, 0-based
  RequestCause cause = RequestCause::kFirst;
  // That came; less or more than the range when the request failed. < 0: those of the range.
  int64_t body_bytes = -1;

  int64_t bytes_read() const { return body_bytes < 0 ? range.length : body_bytes; }
};

struct TraceTotals {
  int64_t bytes_read = 0;
  int64_t requests = 0;  // retries and hedges among them
  int64_t retries = 0;
  int64_t hedges = 0;
};

class Trace {
 public:
  // Records one request. Entries beyond `kEntriesMax` are only counted.
  static constexpr size_t kEntriesMax = 100'000;
  void Add(TraceEntry entry);

  // Records one request unless bytes or requests would then exceed `limits` (0: no limit). False: nothing was recorded.
  // Checked and recorded in one step, so that files read at the same time can not pass a limit together. `number` (may
  // be null) is the request's, for Settle.
  bool AddWithin(TraceEntry entry, TraceTotals limits, int64_t* number = nullptr);

  // What became of the request that was recorded with `before` as its range.
  void Settle(int64_t number, ByteRange before, ByteRange range, int64_t body_bytes);

  TraceTotals totals() const;
  std::vector<TraceEntry> entries() const;

 private:
  void AddLocked(TraceEntry entry);

  mutable std::mutex mutex_;
  std::vector<TraceEntry> entries_;
  TraceTotals totals_;
};

}  // namespace frazil::io
