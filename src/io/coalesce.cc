// SPDX-License-Identifier: Apache-2.0
#include "src/io/coalesce.h"

#include <algorithm>

namespace frazil::io {

std::vector<ByteRange> Coalesce(std::vector<ByteRange> wanted, const CostModel& cost) {
  std::erase_if(wanted, [](const ByteRange& range) { return range.length <= 0; });
  std::sort(wanted.begin(), wanted.end(), [](const ByteRange& a, const ByteRange& b) { return a.offset < b.offset; });
  const int64_t gap_bytes_max = cost.gap_bytes();

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
                       range.end() - requests.back().offset <= cost.request_bytes_max;
    if (joins) {
      requests.back().length = range.end() - requests.back().offset;
    } else {
      requests.push_back(range);
    }
  }
  return requests;
}

}  // namespace frazil::io
