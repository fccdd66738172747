// SPDX-License-Identifier: Apache-2.0
#include "src/io/range_check.h"

#include <limits>

namespace frazil::io {

namespace {

ErrorPlace PlaceOf(ByteRange range, const std::string& file) {
  ErrorPlace place;
  place.file = file;
  place.range = range;
  return place;
}

}  // namespace

arrow::Status CheckRange(ByteRange range, const std::string& file) {
  if (range.offset >= 0 && range.length >= 0 && range.offset <= std::numeric_limits<int64_t>::max() - range.length) {
    return arrow::Status::OK();
  }
  ErrorPlace place;  // the end of such a range can not be computed, so it is told as text only
  place.file = file;
  return MakeError(
      ErrorKind::kCorrupt,
      "impossible byte range: offset " + std::to_string(range.offset) + ", length " + std::to_string(range.length),
      place);
}

arrow::Status CheckRangeInside(ByteRange range, int64_t file_bytes, const std::string& file) {
  ARROW_RETURN_NOT_OK(CheckRange(range, file));
  if (range.end() <= file_bytes) return arrow::Status::OK();
  return MakeError(ErrorKind::kCorrupt,
                   "range ends behind the file, which has " + std::to_string(file_bytes) + " bytes",
                   PlaceOf(range, file));
}

arrow::Status ShortRead(ByteRange range, int64_t got_bytes, const std::string& file) {
  return MakeError(ErrorKind::kCorrupt,
                   "short read: " + std::to_string(got_bytes) + " of " + std::to_string(range.length) + " bytes",
                   PlaceOf(range, file));
}

}  // namespace frazil::io
