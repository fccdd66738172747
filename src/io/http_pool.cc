// SPDX-License-Identifier: Apache-2.0
#include "src/io/http_pool.h"

#include <algorithm>
#include <utility>

namespace frazil::io {

namespace {

constexpr int64_t kNanosPerMilli = 1'000'000;

}  // namespace

arrow::Result<std::shared_ptr<HttpPool>> HttpPool::Make(HttpPoolSettings settings) {
  ARROW_ASSIGN_OR_RAISE(const Curl* const curl, LoadCurl());
  return std::shared_ptr<HttpPool>(new HttpPool(*curl, std::move(settings)));
}

HttpPool::~HttpPool() {
  for (const auto& lane : lanes_) {
    for (CURL* const handle : lane->idle) curl_.easy_cleanup(handle);
    curl_.multi_cleanup(lane->multi);
  }
}

std::unique_ptr<HttpLane> HttpPool::TakeLane() {
  {
    std::lock_guard lock(mutex_);
    if (!lanes_.empty()) {
      auto lane = std::move(lanes_.back());  // the one used last: its connections are the least likely to have closed
      lanes_.pop_back();
      return lane;
    }
  }
  auto lane = std::make_unique<HttpLane>();
  lane->multi = curl_.multi_init();
  curl_.multi_setopt(lane->multi, CURLMOPT_PIPELINING, static_cast<long>(CURLPIPE_MULTIPLEX));
  curl_.multi_setopt(lane->multi, CURLMOPT_MAXCONNECTS, static_cast<long>(settings_.requests_in_flight_max));
  return lane;
}

void HttpPool::GiveLane(std::unique_ptr<HttpLane> lane) {
  std::lock_guard lock(mutex_);
  lanes_.push_back(std::move(lane));
}

bool HttpPool::TakeSlot(bool wait) {
  std::unique_lock lock(mutex_);
  if (wait) slot_free_.wait(lock, [this] { return in_flight_ < settings_.requests_in_flight_max; });
  if (in_flight_ >= settings_.requests_in_flight_max) return false;
  ++in_flight_;
  return true;
}

void HttpPool::GiveSlot() {
  {
    std::lock_guard lock(mutex_);
    --in_flight_;
  }
  slot_free_.notify_one();
}

void HttpPool::RecordLatency(int64_t duration_ns) {
  std::lock_guard lock(mutex_);
  latencies_ns_[latency_count_++ % latencies_ns_.size()] = duration_ns;
}

int64_t HttpPool::HedgeAfterNs() const {
  std::lock_guard lock(mutex_);
  if (latency_count_ < kLatenciesMin || hedges_ * 100 >= requests_ * settings_.hedge_percent_max) return -1;
  const size_t count = std::min(latency_count_, latencies_ns_.size());
  auto sorted = latencies_ns_;
  const size_t p95 = count * 95 / 100;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(p95),
                   sorted.begin() + static_cast<std::ptrdiff_t>(count));
  return std::max(sorted[p95], settings_.hedge_after_ms_min * kNanosPerMilli);
}

void HttpPool::CountRequest(bool hedge) {
  std::lock_guard lock(mutex_);
  ++requests_;
  hedges_ += hedge ? 1 : 0;
}

}  // namespace frazil::io
