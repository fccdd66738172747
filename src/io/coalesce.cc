// SPDX-License-Identifier: Apache-2.0
#include "src/io/coalesce.h"

#include <algorithm>

namespace frazil::io {

std::vector<ByteRange> Coalesce(std::vector<ByteRange> wanted, int64_t gap_bytes_max, int64_t request_bytes_max) {
  std::erase_if(wanted, [](const ByteRange& range) { return range.length <= 0; });
  std::sort(wanted.begin(), wanted.end(), [](const ByteRange& a, const ByteRange& b) { return a.offset < b.offset; });

  // Overlapping ranges can neither be split nor read twice, so they are one range from here on.
  std::vector<ByteRange> merged;
  for (const ByteRange& range : wanted) {
    if (!merged.empty() && range.offset < merged.back().end()) {
      merged.back().length = std::max(merged.back().end(), range.end()) - merged.back().offset;
    } else {
      merged.push_back(range);
    }
  }

  std::vector<ByteRange> requests;
  for (const ByteRange& range : merged) {
    const bool joins = !requests.empty() && range.offset - requests.back().end() <= gap_bytes_max &&
                       range.end() - requests.back().offset <= request_bytes_max;
    if (joins) {
      requests.back().length = range.end() - requests.back().offset;
    } else {
      requests.push_back(range);
    }
  }
  return requests;
}

int64_t EstimatedTimeNs(const std::vector<ByteRange>& requests, const CostModel& cost) {
  const auto at_once = static_cast<size_t>(std::max(1, cost.parallel_requests_max));
  double bytes = 0;
  for (const ByteRange& request : requests) bytes += static_cast<double>(request.length);
  const auto turns = static_cast<double>((requests.size() + at_once - 1) / at_once);
  return static_cast<int64_t>(turns * static_cast<double>(cost.latency_ns) +
                              bytes * 1e9 / static_cast<double>(std::max<int64_t>(1, cost.bandwidth_bytes_per_s)));
}

}  // namespace frazil::io
