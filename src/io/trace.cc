// SPDX-License-Identifier: Apache-2.0
#include "src/io/trace.h"

#include <utility>

namespace frazil::io {

void Trace::Add(TraceEntry entry) {
  std::lock_guard lock(mutex_);
  AddLocked(std::move(entry));
}

bool Trace::AddWithin(TraceEntry entry, TraceTotals limits) {
  std::lock_guard lock(mutex_);
  // Compared by what is left, which can not overflow.
  if (limits.bytes_read > 0 && entry.range.length > limits.bytes_read - totals_.bytes_read) return false;
  if (limits.requests > 0 && totals_.requests >= limits.requests) return false;
  AddLocked(std::move(entry));
  return true;
}

void Trace::AddLocked(TraceEntry entry) {
  totals_.bytes_read += entry.range.length;
  totals_.requests += 1;
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
