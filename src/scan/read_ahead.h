// SPDX-License-Identifier: Apache-2.0
//
// Values that are computed ahead of their use, on Arrow's CPU pool, and handed out in order: manifests that are
// decoded, data files that are opened while the ones before them are read.
//
//   ReadAhead<Files> manifests(threads, {.turns = 8, .bytes = 64 << 20}, [&]() -> arrow::Result<std::optional<Turn>> {
//     ...   // the next turn: {weight in bytes, [=] { return Decode(...); }}; unset at the end
//   });
//   while (true) { ARROW_ASSIGN_OR_RAISE(std::optional<Files> next, manifests.Next()); if (!next) break; ... }
//
// With one thread nothing is read ahead: each value is computed when it is asked for. The caller computes a value
// itself that no thread has begun, so a loop inside a loop can not wait for ever, however small the pool.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/util/thread_pool.h>

namespace frazil::scan {

// How far is read ahead: whichever comes first, and one turn at least.
struct AheadLimits {
  size_t turns = 1;
  int64_t bytes = INT64_MAX;  // of the turns' weights
};

// Of data files that are opened ahead: each holds a descriptor, a footer and pieces of the page index.
inline AheadLimits FilesAheadLimits(int threads) {
  constexpr size_t kFilesMax = 16;
  return {.turns = std::min(kFilesMax, static_cast<size_t>(threads) * 2 + 1)};
}

template <typename T>
class ReadAhead {
 public:
  struct Turn {
    int64_t weight_bytes = 0;  // of memory, about, until its value is handed out
    std::function<arrow::Result<T>()> run;
  };
  // Asked on the thread that calls Next, for one turn after the other.
  using NextTurn = std::function<arrow::Result<std::optional<Turn>>()>;

  ReadAhead(int threads, AheadLimits limits, NextTurn next_turn)
      : threads_(threads), limits_(limits), next_turn_(std::move(next_turn)) {}
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  // Turns that have begun end before this returns; the others never begin.
  ~ReadAhead() {
    for (const auto& item : items_) {
      std::unique_lock lock(item->mutex);
      if (item->state == State::kWaiting) {
        item->state = State::kEnded;
        item->turn.run = nullptr;
      }
      item->ended.wait(lock, [&] { return item->state == State::kEnded; });
    }
  }

  // The value of the next turn; unset after the last. An error is that of the first turn that failed, in their order;
  // nothing must be asked after it.
  arrow::Result<std::optional<T>> Next() {
    ARROW_RETURN_NOT_OK(Fill());
    if (items_.empty()) {
      ARROW_RETURN_NOT_OK(std::exchange(turn_status_, arrow::Status::OK()));
      return std::nullopt;
    }
    const std::shared_ptr<Item> item = items_.front();
    Work(item.get());
    {
      std::unique_lock lock(item->mutex);
      item->ended.wait(lock, [&] { return item->state == State::kEnded; });
    }
    items_.pop_front();
    bytes_ -= item->turn.weight_bytes;
    ARROW_RETURN_NOT_OK(item->status);
    return std::move(item->value);
  }

 private:
  enum class State { kWaiting, kRunning, kEnded };
  struct Item {
    Turn turn;
    std::mutex mutex;
    std::condition_variable ended;
    State state = State::kWaiting;
    arrow::Status status;
    std::optional<T> value;
  };

  // Runs a turn that nobody has begun.
  static void Work(Item* item) {
    {
      std::lock_guard lock(item->mutex);
      if (item->state != State::kWaiting) return;
      item->state = State::kRunning;
    }
    arrow::Result<T> result = item->turn.run();
    std::lock_guard lock(item->mutex);
    if (result.ok()) {
      item->value = std::move(result).ValueUnsafe();
    } else {
      item->status = result.status();
    }
    item->turn.run = nullptr;  // what it holds is not needed any more
    item->state = State::kEnded;
    item->ended.notify_all();
  }

  bool full() const {
    if (items_.empty()) return false;
    return threads_ <= 1 || items_.size() >= limits_.turns || bytes_ >= limits_.bytes;
  }

  arrow::Status Fill() {
    while (!turns_ended_ && !full()) {
      // An error of what comes later is told when its turn has come.
      auto turn = next_turn_();
      if (!turn.ok()) turn_status_ = turn.status();
      turns_ended_ = !turn.ok() || !*turn;
      if (turns_ended_) break;
      auto item = std::make_shared<Item>();
      item->turn = **std::move(turn);
      bytes_ += item->turn.weight_bytes;
      items_.push_back(item);
      // The first is the caller's, who waits for it. A pool that takes no more work only means less parallelism.
      if (threads_ > 1 && items_.size() > 1)
        (void)arrow::internal::GetCpuThreadPool()->Spawn([item] { Work(item.get()); });
    }
    return arrow::Status::OK();
  }

  const int threads_;
  const AheadLimits limits_;
  NextTurn next_turn_;
  bool turns_ended_ = false;
  arrow::Status turn_status_;
  std::deque<std::shared_ptr<Item>> items_;
  int64_t bytes_ = 0;
};

}  // namespace frazil::scan
