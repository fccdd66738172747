// SPDX-License-Identifier: Apache-2.0
#include "src/io/read_round.h"

#include <algorithm>
#include <utility>

#include <arrow/io/interfaces.h>
#include <arrow/util/thread_pool.h>

#include "src/io/range_check.h"

namespace frazil::io {

arrow::Result<int64_t> TracingMonitor::Begin(ByteRange range, RequestCause cause) {
  int64_t number = 0;
  if (!trace_->AddWithin({file_, range, purpose_, round_, cause}, limits_, &number)) {
    return MakeError(ErrorKind::kBudget, "the read budget was used up by another file of the scan",
                     {.file = file_, .range = range});
  }
  begun_.emplace(number, range);
  return number;
}

void TracingMonitor::End(int64_t request, ByteRange range, int64_t body_bytes) {
  const auto begun = begun_.extract(request);
  if (!begun.empty()) trace_->Settle(request, begun.mapped(), range, body_bytes);
}

ReadRound::ReadRound(std::shared_ptr<ByteSource> source, std::shared_ptr<Trace> trace, TraceTotals limits,
                     std::vector<ByteRange> requests, std::string purpose, int round)
    : source_(std::move(source)),
      requests_(std::move(requests)),
      monitor_(std::move(trace), limits, source_->name(), std::move(purpose), round),
      buffers_(requests_.size()) {}

arrow::Status ReadRound::Run() {
  if (source_->reads_many_at_once()) {
    return AddPlace(source_->ReadMany(requests_, &monitor_, &buffers_), {.file = source_->name()});
  }
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
  // Not told of the end: what Read gives is the range, or an error that ends the scan.
  if (auto number = monitor_.Begin(requests_[next_], RequestCause::kFirst); !number.ok()) {
    FailLocked(next_, number.status());
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
