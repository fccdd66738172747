// SPDX-License-Identifier: Apache-2.0
//
// From wanted ranges to requests: gaps that cost less than a request are read through, long runs are split.
// No I/O here.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "frazil/byte_source.h"
#include "frazil/error.h"

namespace frazil::io {

// Requests that together cover every wanted range; sorted by offset, disjoint, each at most request_bytes_max unless
// a single wanted range is longer (a wanted range is never split over two requests; ranges that overlap count as one).
// `wanted` in any order; overlaps and duplicates allowed; empty ranges are dropped.
std::vector<ByteRange> Coalesce(std::vector<ByteRange> wanted, int64_t gap_bytes_max, int64_t request_bytes_max);
inline std::vector<ByteRange> Coalesce(std::vector<ByteRange> wanted, const CostModel& cost) {
  return Coalesce(std::move(wanted), cost.gap_bytes(), cost.request_bytes_max);
}

// What `requests` take by the model, in nanoseconds, as many at once as it allows: latency in turns, bytes at the
// bandwidth.
int64_t EstimatedTimeNs(const std::vector<ByteRange>& requests, const CostModel& cost);

}  // namespace frazil::io
