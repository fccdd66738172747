// SPDX-License-Identifier: Apache-2.0
#include "src/scan/scan_reader.h"

#include <utility>

#include <arrow/util/thread_pool.h>

#include "src/scan/memory_plan.h"

namespace frazil::scan {
namespace {

constexpr int kBatchesWaitingMax = 2;

}  // namespace

ScanReader::ScanReader(std::shared_ptr<const ScanContext> context, NextFile next_file,
                       std::shared_ptr<ScanReport> report)
    : context_(std::move(context)), next_file_(std::move(next_file)), report_(std::move(report)) {
  // With a limit, reading ahead would read what is never asked for.
  parallel_ = context_->threads > 1 && context_->options.limit < 0;
}

ScanReader::~ScanReader() { (void)Close(); }

int64_t ScanReader::Wanted() const { return context_->options.limit < 0 ? -1 : context_->options.limit - rows_given_; }

// The next row group to read, not taken yet; null after the last.
arrow::Result<const RowGroupCandidate*> ScanReader::PeekCandidate() {
  while (!files_ended_) {
    if (file_ != nullptr && next_candidate_ < file_->candidates.size()) return &file_->candidates[next_candidate_];
    ARROW_ASSIGN_OR_RAISE(file_, next_file_());
    next_candidate_ = 0;
    files_ended_ = file_ == nullptr;
  }
  return nullptr;
}

// Keeps row groups under way: as many as there are threads for and the memory budget allows, at least one.
arrow::Status ScanReader::FillWindow() {
  const size_t window = parallel_ ? static_cast<size_t>(context_->threads) + 1 : 1;
  int64_t held_bytes = 0;
  for (const auto& item : items_) held_bytes += item->memory_bytes;
  while (items_.size() < window) {
    ARROW_ASSIGN_OR_RAISE(const RowGroupCandidate* candidate, PeekCandidate());
    if (candidate == nullptr) break;
    auto item = std::make_shared<Item>();
    ARROW_ASSIGN_OR_RAISE(item->memory_bytes, RowGroupBytes(*file_, candidate->row_group, kBatchesWaitingMax));
    held_bytes += item->memory_bytes;
    if (!items_.empty() && held_bytes > context_->options.memory_bytes) break;
    item->scan = std::make_unique<RowGroupScan>(file_, *candidate, Wanted());
    ++next_candidate_;
    items_.push_back(item);
    // A lone row group is decoded by the caller: handing it to another thread only costs.
    const bool lone = items_.size() == 1 && next_candidate_ >= file_->candidates.size();
    if (parallel_ && !lone) {
      std::lock_guard lock(mutex_);
      StartStep(item);
    }
  }
  return arrow::Status::OK();
}

// `mutex_` is held.
void ScanReader::StartStep(const std::shared_ptr<Item>& item) {
  if (item->running || item->ended || item->batches.size() >= size_t{kBatchesWaitingMax}) return;
  item->running = true;
  ++steps_running_;
  auto spawned =
      arrow::internal::GetCpuThreadPool()->Spawn([this, item = item]() mutable { RunStep(std::move(item)); });
  if (!spawned.ok()) {
    item->running = false;
    --steps_running_;
  }
}

void ScanReader::RunStep(std::shared_ptr<Item> item) {
  auto batch = item->scan->Next();
  std::lock_guard lock(mutex_);
  item->running = false;
  --steps_running_;
  if (!batch.ok()) {
    item->status = batch.status();
    item->ended = true;
  } else if (*batch == nullptr) {
    item->ended = true;
  } else {
    item->batches.push_back(std::move(*batch));
    if (parallel_ && !closed_) StartStep(item);
  }
  // Close waits for the last step and then drops the items: none may live on in this thread, nor what it reads from.
  item.reset();
  changed_.notify_all();
}

arrow::Status ScanReader::ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) {
  batch->reset();
  while (!closed_ && Wanted() != 0) {
    ARROW_RETURN_NOT_OK(FillWindow());
    if (items_.empty()) break;
    const std::shared_ptr<Item> item = items_.front();
    {
      std::unique_lock lock(mutex_);
      if (item->batches.empty() && !item->running && !item->ended) {
        item->running = true;
        ++steps_running_;
        lock.unlock();
        RunStep(item);
        lock.lock();
      }
      changed_.wait(lock, [&] { return !item->batches.empty() || item->ended; });
      if (!item->batches.empty()) {
        *batch = std::move(item->batches.front());
        item->batches.pop_front();
        if (parallel_ && items_.size() > 1) StartStep(item);
      }
    }
    if (*batch != nullptr) {
      rows_given_ += (*batch)->num_rows();
      return arrow::Status::OK();
    }
    ARROW_RETURN_NOT_OK(item->status);
    items_.pop_front();
  }
  return Close();
}

arrow::Status ScanReader::Close() {
  std::unique_lock lock(mutex_);
  if (closed_) return arrow::Status::OK();
  closed_ = true;
  changed_.wait(lock, [&] { return steps_running_ == 0; });
  // What was read of row groups that were not read to their end counts too.
  for (const std::shared_ptr<Item>& item : items_) item->scan->Close();
  items_.clear();
  next_file_ = nullptr;  // with the files that are being opened ahead
  if (report_ != nullptr) *report_ = context_->evidence->Report(/*analyzed=*/true);
  return arrow::Status::OK();
}

}  // namespace frazil::scan
