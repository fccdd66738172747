// SPDX-License-Identifier: Apache-2.0
//
// What a source does that implements no more than it must: one request after another.
#include "frazil/byte_source.h"

#include <algorithm>
#include <utility>

#include "src/io/range_check.h"

namespace frazil {

namespace {

// The request's answer if it is what was asked for.
arrow::Result<std::shared_ptr<arrow::Buffer>> ReadOne(ByteSource& source, ByteRange range, ReadMonitor* monitor) {
  ARROW_ASSIGN_OR_RAISE(const int64_t request, monitor->Begin(range, RequestCause::kFirst));
  auto bytes = source.Read(range);
  const int64_t got_bytes = bytes.ok() && *bytes != nullptr ? (*bytes)->size() : 0;
  monitor->End(request, range, got_bytes);
  if (bytes.ok() && got_bytes != range.length) return io::ShortRead(range, got_bytes, source.name());
  return bytes;
}

}  // namespace

arrow::Result<FileTail> ByteSource::ReadTail(int64_t length, ReadMonitor* monitor) {
  ARROW_ASSIGN_OR_RAISE(const int64_t file_bytes, Size());
  const int64_t tail_bytes = std::clamp<int64_t>(length, 0, file_bytes);
  ARROW_ASSIGN_OR_RAISE(auto bytes, ReadOne(*this, {file_bytes - tail_bytes, tail_bytes}, monitor));
  return FileTail{std::move(bytes), file_bytes};
}

arrow::Status ByteSource::ReadMany(const std::vector<ByteRange>& ranges, ReadMonitor* monitor,
                                   std::vector<std::shared_ptr<arrow::Buffer>>* buffers) {
  buffers->assign(ranges.size(), nullptr);
  for (size_t i = 0; i < ranges.size(); ++i) {
    auto bytes = ReadOne(*this, ranges[i], monitor);
    if (!bytes.ok()) return AddPlace(bytes.status(), {.file = name(), .range = ranges[i]});
    (*buffers)[i] = *std::move(bytes);
  }
  return arrow::Status::OK();
}

}  // namespace frazil
