// SPDX-License-Identifier: Apache-2.0
#include "src/io/trace.h"

#include <utility>

namespace frazil::io {

void Trace::Add(TraceEntry entry) {
  std::lock_guard lock(mutex_);
  AddLocked(std::move(entry));
}

bool Trace::AddWithin(TraceEntry entry, TraceTotals limits, int64_t* number) {
  std::lock_guard lock(mutex_);
  // Compared by what is left, which can not overflow.
  if (limits.bytes_read > 0 && entry.bytes_read() > limits.bytes_read - totals_.bytes_read) return false;
  if (limits.requests > 0 && totals_.requests >= limits.requests) return false;
  if (number != nullptr) *number = totals_.requests;
  AddLocked(std::move(entry));
  return true;
}

void Trace::Settle(int64_t number, ByteRange before, ByteRange range, int64_t body_bytes) {
  std::lock_guard lock(mutex_);
  totals_.bytes_read += body_bytes - before.length;
  if (number < 0 || static_cast<size_t>(number) >= entries_.size()) return;
  entries_[static_cast<size_t>(number)].range = range;
  entries_[static_cast<size_t>(number)].body_bytes = body_bytes;
}

void Trace::AddLocked(TraceEntry entry) {
  totals_.bytes_read += entry.bytes_read();
  totals_.requests += 1;
  totals_.retries += entry.cause == RequestCause::kRetry ? 1 : 0;
  totals_.hedges += entry.cause == RequestCause::kHedge ? 1 : 0;
  if (entries_.size() < kEntriesMax) entries_.push_back(std::move(entry));
}

TraceTotals Trace::totals() const {
  std::lock_guard lock(mutex_);
  return totals_;
}

std::vector<TraceEntry> Trace::entries() const {
  std::lock_guard lock(mutex_);
  return entries_;
}

}  // namespace frazil::io
