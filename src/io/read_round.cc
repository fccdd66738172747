// SPDX-License-Identifier: Apache-2.0
#include "src/io/read_round.h"

#include <algorithm>
#include <utility>

#include <arrow/io/interfaces.h>
#include <arrow/util/thread_pool.h>

#include "src/io/range_check.h"

namespace frazil::io {

ReadRound::ReadRound(std::shared_ptr<ByteSource> source, std::shared_ptr<Trace> trace, TraceTotals limits,
                     std::vector<ByteRange> requests, std::string purpose, int round)
    : source_(std::move(source)),
      trace_(std::move(trace)),
      limits_(limits),
      requests_(std::move(requests)),
      purpose_(std::move(purpose)),
      round_(round),
      buffers_(requests_.size()) {}

arrow::Status ReadRound::Run() {
  const int helpers = HelperCount();
  for (int i = 0; i < helpers; ++i) {
    // The helper shares ownership: it may start after this round is over, and then finds nothing to do.
    arrow::Status spawned =
        arrow::io::default_io_context().executor()->Spawn([self = shared_from_this()] { self->Work(); });
    // A pool that takes no work (the process is shutting down) only means less help: the caller reads everything.
    if (!spawned.ok()) break;
  }
  Work();
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [this] { return active_ == 0; });
  return error_;
}

int ReadRound::HelperCount() const {
  const CostModel cost = source_->cost_model();
  if (cost.parallel_requests_max <= 1 || requests_.size() <= 1) return 0;
  int64_t total_bytes = 0;
  for (const ByteRange& request : requests_) total_bytes += request.length;
  if (total_bytes <= kParallelBytesMin) return 0;
  return static_cast<int>(std::min<size_t>(static_cast<size_t>(cost.parallel_requests_max), requests_.size())) - 1;
}

void ReadRound::Work() {
  size_t index = 0;
  while (Take(&index)) Finish(index, source_->Read(requests_[index]));
}

bool ReadRound::Take(size_t* index) {
  std::lock_guard lock(mutex_);
  if (!error_.ok() || next_ == requests_.size()) return false;
  *index = next_;
  if (!trace_->AddWithin({source_->name(), requests_[next_], purpose_, round_}, limits_)) {
    ErrorPlace place;
    place.file = source_->name();
    place.range = requests_[next_];
    FailLocked(next_, MakeError(ErrorKind::kBudget, "the read budget was used up by another file of the scan", place));
    return false;
  }
  ++next_;
  ++active_;
  return true;
}

void ReadRound::Finish(size_t index, arrow::Result<std::shared_ptr<arrow::Buffer>> result) {
  const ByteRange range = requests_[index];
  arrow::Status status = result.status();
  if (status.ok() && (*result == nullptr || (*result)->size() != range.length)) {
    status = ShortRead(range, *result == nullptr ? 0 : (*result)->size(), source_->name());
  }
  ErrorPlace place;
  place.file = source_->name();
  place.range = range;

  std::lock_guard lock(mutex_);
  if (status.ok()) {
    buffers_[index] = *std::move(result);
  } else {
    FailLocked(index, AddPlace(std::move(status), place));
  }
  if (--active_ == 0) idle_.notify_all();
}

void ReadRound::FailLocked(size_t index, arrow::Status error) {
  // Several may fail; the earliest is told, so that a message does not depend on timing more than it must.
  if (!error_.ok() && error_index_ <= index) return;
  error_ = std::move(error);
  error_index_ = index;
}

}  // namespace frazil::io
