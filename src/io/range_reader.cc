// SPDX-License-Identifier: Apache-2.0
#include "src/io/range_reader.h"

#include <algorithm>
#include <utility>

#include "src/io/coalesce.h"
#include "src/io/range_check.h"
#include "src/io/read_round.h"

namespace frazil::io {

namespace {

ByteRange Between(int64_t begin, int64_t end) { return {begin, end - begin}; }

int64_t EndOf(const std::pair<const int64_t, std::shared_ptr<arrow::Buffer>>& piece) {
  return piece.first + piece.second->size();
}

// The first held piece that ends after `offset`.
template <typename Map>
auto FirstEndingAfter(Map& held, int64_t offset) {
  auto piece = held.upper_bound(offset);
  if (piece != held.begin() && EndOf(*std::prev(piece)) > offset) --piece;
  return piece;
}

std::string UsedOf(int64_t used, int64_t max) {
  return std::to_string(used) + " of " + (max > 0 ? std::to_string(max) : "unlimited");
}

}  // namespace

RangeReader::RangeReader(std::shared_ptr<ByteSource> source, std::shared_ptr<Trace> trace, ReadBudget budget)
    : source_(std::move(source)), trace_(std::move(trace)), budget_(budget) {}

arrow::Result<std::shared_ptr<arrow::Buffer>> RangeReader::ReadTail(int64_t length, const std::string& purpose) {
  if (!source_->size_is_known()) {
    int round = 0;
    {
      std::lock_guard lock(mutex_);
      // How many bytes come is not known: they are counted, and the next round is refused if they were too many.
      ARROW_RETURN_NOT_OK(CheckBudget({{0, 0}}));
      round = rounds_++;
    }
    TracingMonitor monitor(trace_, {budget_.bytes_max, budget_.requests_max}, name(), purpose, round);
    auto tail = source_->ReadTail(length, &monitor);
    if (!tail.ok()) return AddPlace(tail.status(), {.file = name()});
    Hold(tail->file_bytes - tail->bytes->size(), tail->bytes);
    return tail->bytes;
  }
  ARROW_ASSIGN_OR_RAISE(const int64_t file_bytes, source_->Size());
  const ByteRange tail = Between(file_bytes - std::clamp<int64_t>(length, 0, file_bytes), file_bytes);
  ARROW_RETURN_NOT_OK(Fetch({tail}, purpose));
  return Get(tail);
}

arrow::Result<std::shared_ptr<arrow::Buffer>> RangeReader::ReadWhole(const std::string& purpose) {
  if (!source_->size_is_known()) ARROW_RETURN_NOT_OK(ReadTail(kTailBytesMax, purpose));
  ARROW_ASSIGN_OR_RAISE(const int64_t file_bytes, source_->Size());
  ARROW_RETURN_NOT_OK(Fetch({{0, file_bytes}}, purpose));
  return Get({0, file_bytes});
}

void RangeReader::Hold(int64_t offset, const std::shared_ptr<arrow::Buffer>& buffer, int rounds) {
  std::lock_guard lock(mutex_);
  rounds_ += rounds;
  KeepLocked({offset, buffer->size()}, buffer);
}

arrow::Status RangeReader::Fetch(const std::vector<ByteRange>& wanted, const std::string& purpose,
                                 std::optional<int64_t> gap_bytes_max) {
  for (const ByteRange& range : wanted) ARROW_RETURN_NOT_OK(CheckRange(range, name()));
  std::vector<ByteRange> requests;
  int round = 0;
  {
    std::lock_guard lock(mutex_);
    requests = PlanLocked(wanted, gap_bytes_max.value_or(source_->cost_model().gap_bytes()));
    if (requests.empty()) return arrow::Status::OK();
    ARROW_RETURN_NOT_OK(CheckBudget(requests));
    round = rounds_++;
  }
  return ReadInto(std::move(requests), purpose, round);
}

std::vector<ByteRange> RangeReader::PlanLocked(const std::vector<ByteRange>& wanted, int64_t gap_bytes_max) const {
  std::vector<ByteRange> missing;
  for (const ByteRange& range : wanted) {
    std::vector<ByteRange> parts = MissingLocked(range);
    missing.insert(missing.end(), parts.begin(), parts.end());
  }
  std::sort(missing.begin(), missing.end(), [](const ByteRange& a, const ByteRange& b) { return a.offset < b.offset; });

  // A gap may be read through only where nothing in it is held: so held bytes part the missing ranges into groups,
  // and each group is planned by itself.
  const int64_t request_bytes_max = source_->cost_model().request_bytes_max;
  std::vector<ByteRange> requests;
  std::vector<ByteRange> group;
  int64_t group_end = 0;
  auto flush = [&] {
    std::vector<ByteRange> planned = Coalesce(std::exchange(group, {}), gap_bytes_max, request_bytes_max);
    requests.insert(requests.end(), planned.begin(), planned.end());
  };
  for (const ByteRange& range : missing) {
    if (!group.empty() && range.offset > group_end) {
      auto piece = FirstEndingAfter(held_, group_end);
      if (piece != held_.end() && piece->first < range.offset) flush();
    }
    group_end = group.empty() ? range.end() : std::max(group_end, range.end());
    group.push_back(range);
  }
  if (!group.empty()) flush();
  return requests;
}

std::vector<ByteRange> RangeReader::MissingLocked(ByteRange range) const {
  std::vector<ByteRange> missing;
  int64_t begin = range.offset;
  for (auto piece = FirstEndingAfter(held_, begin); piece != held_.end() && piece->first < range.end(); ++piece) {
    if (piece->first > begin) missing.push_back(Between(begin, piece->first));
    begin = EndOf(*piece);
  }
  if (begin < range.end()) missing.push_back(Between(begin, range.end()));
  return missing;
}

arrow::Status RangeReader::CheckBudget(const std::vector<ByteRange>& requests) const {
  int64_t round_bytes = 0;
  for (const ByteRange& request : requests) {
    // Ranges of a damaged file can add up to more than an int64 holds.
    if (__builtin_add_overflow(round_bytes, request.length, &round_bytes)) round_bytes = INT64_MAX;
  }
  const TraceTotals used = trace_->totals();
  const auto round_requests = static_cast<int64_t>(requests.size());
  const bool fits = (budget_.bytes_max <= 0 || round_bytes <= budget_.bytes_max - used.bytes_read) &&
                    (budget_.requests_max <= 0 || round_requests <= budget_.requests_max - used.requests);
  if (fits) return arrow::Status::OK();
  ErrorPlace place;
  place.file = name();
  return MakeError(ErrorKind::kBudget,
                   "the next round needs " + std::to_string(round_bytes) + " bytes in " +
                       std::to_string(round_requests) + " requests, and the scan has used " +
                       UsedOf(used.bytes_read, budget_.bytes_max) + " bytes and " +
                       UsedOf(used.requests, budget_.requests_max) + " requests",
                   place);
}

arrow::Status RangeReader::ReadInto(std::vector<ByteRange> requests, const std::string& purpose, int round) {
  const TraceTotals limits{budget_.bytes_max, budget_.requests_max};
  auto reads = std::make_shared<ReadRound>(source_, trace_, limits, std::move(requests), purpose, round);
  arrow::Status status = reads->Run();
  // What was read is kept even if another request failed: it was paid for.
  std::lock_guard lock(mutex_);
  for (size_t i = 0; i < reads->requests().size(); ++i) {
    if (reads->buffers()[i] != nullptr) KeepLocked(reads->requests()[i], reads->buffers()[i]);
  }
  return status;
}

void RangeReader::KeepLocked(ByteRange range, const std::shared_ptr<arrow::Buffer>& buffer) {
  // Usually the one part is the whole range; less when another Fetch has read some of it meanwhile.
  for (const ByteRange& part : MissingLocked(range)) {
    held_.emplace(part.offset,
                  part == range ? buffer : arrow::SliceBuffer(buffer, part.offset - range.offset, part.length));
  }
}

arrow::Result<std::shared_ptr<arrow::Buffer>> RangeReader::Get(ByteRange range) const {
  ARROW_RETURN_NOT_OK(CheckRange(range, name()));
  if (range.length == 0) return std::make_shared<arrow::Buffer>(nullptr, 0);
  std::vector<std::shared_ptr<arrow::Buffer>> parts;
  {
    std::lock_guard lock(mutex_);
    if (!MissingLocked(range).empty()) {
      ErrorPlace place;
      place.file = name();
      place.range = range;
      return MakeError(ErrorKind::kInternal, "bytes are used that were not fetched", place);
    }
    for (auto piece = FirstEndingAfter(held_, range.offset); piece != held_.end() && piece->first < range.end();
         ++piece) {
      const int64_t begin = std::max(range.offset, piece->first);
      const int64_t end = std::min(range.end(), EndOf(*piece));
      parts.push_back(arrow::SliceBuffer(piece->second, begin - piece->first, end - begin));
    }
  }
  if (parts.size() == 1) return parts.front();
  return arrow::ConcatenateBuffers(parts);
}

bool RangeReader::Holds(ByteRange range) const {
  if (!CheckRange(range, name()).ok()) return false;
  std::lock_guard lock(mutex_);
  return MissingLocked(range).empty();
}

void RangeReader::Release(ByteRange range) {
  if (!CheckRange(range, name()).ok()) return;  // nothing can be held there
  std::lock_guard lock(mutex_);
  auto piece = FirstEndingAfter(held_, range.offset);
  while (piece != held_.end() && piece->first < range.end()) {
    const int64_t begin = piece->first;
    const int64_t end = EndOf(*piece);
    const std::shared_ptr<arrow::Buffer> buffer = piece->second;
    piece = held_.erase(piece);
    if (begin < range.offset) held_.emplace(begin, arrow::SliceBuffer(buffer, 0, range.offset - begin));
    if (end > range.end()) {
      held_.emplace(range.end(), arrow::SliceBuffer(buffer, range.end() - begin, end - range.end()));
    }
  }
}

int RangeReader::rounds() const {
  std::lock_guard lock(mutex_);
  return rounds_;
}

}  // namespace frazil::io
