// SPDX-License-Identifier: Apache-2.0
#include "src/scan/parallel.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include <arrow/util/thread_pool.h>

namespace frazil::scan {
namespace {

struct Loop {
  Loop(int turns, const std::function<arrow::Status(int)>& turn) : count(turns), body(turn), statuses(turns) {}

  // Takes turns until none is left. `body` is not touched after the last turn ended, so it may be the caller's own.
  void Work() {
    for (int turn = next++; turn < count; turn = next++) {
      statuses[static_cast<size_t>(turn)] = body(turn);
      if (++ended == count) {
        std::lock_guard lock(mutex);
        all_ended.notify_all();
      }
    }
  }

  const int count;
  const std::function<arrow::Status(int)>& body;
  std::vector<arrow::Status> statuses;
  std::atomic<int> next{0};
  std::atomic<int> ended{0};
  std::mutex mutex;
  std::condition_variable all_ended;
};

}  // namespace

arrow::Status ParallelFor(int threads, int count, const std::function<arrow::Status(int)>& body) {
  if (threads <= 1 || count <= 1) {
    for (int turn = 0; turn < count; ++turn) ARROW_RETURN_NOT_OK(body(turn));
    return arrow::Status::OK();
  }
  auto loop = std::make_shared<Loop>(count, body);
  for (int i = 1; i < std::min(threads, count); ++i) {
    // A pool that takes no more work only means less parallelism: the caller does the turns itself.
    if (!arrow::internal::GetCpuThreadPool()->Spawn([loop] { loop->Work(); }).ok()) break;
  }
  loop->Work();
  std::unique_lock lock(loop->mutex);
  loop->all_ended.wait(lock, [&] { return loop->ended == count; });
  for (arrow::Status& status : loop->statuses) ARROW_RETURN_NOT_OK(status);
  return arrow::Status::OK();
}

}  // namespace frazil::scan
