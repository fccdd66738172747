// SPDX-License-Identifier: Apache-2.0
//
// HttpPool: connections to stores, kept open between rounds of requests, and the limits that all rounds share.
//
// A round of ranged GETs (src/io/http_round.h) runs in its caller's thread: it takes a lane, which is a multi handle of
// libcurl with the connections it made before, has as many requests under way on it as the limits allow, and gives it
// back. So no request needs a thread, a lone caller pays for no hand-over, and callers that read at the same time have
// lanes, and connections, of their own. HTTP/2, where the store speaks it, carries all requests of a lane on one
// connection.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <arrow/result.h>

#include "src/io/curl_library.h"

namespace frazil::io {

struct HttpPoolSettings {
  int64_t connect_timeout_ms = 5'000;
  int64_t silence_timeout_ms = 10'000;  // between two bytes; whole seconds, at least one
  int64_t deadline_ms = 60'000;         // of one range with all its tries and pauses
  int tries_max = 8;                    // of one range
  int64_t first_pause_ms = 50;  // before the second try; doubled with every further one, then a random part of it
  int64_t pause_ms_max = 5'000;
  int requests_in_flight_max = 64;    // of all rounds together
  int64_t part_bytes_max = 8 << 20;   // longer ranges are read in parts, at the same time
  int64_t hedge_bytes_max = 1 << 20;  // longer requests are not hedged
  int64_t hedge_after_ms_min = 10;    // nor is a request that took no longer
  int hedge_percent_max = 10;         // of the requests made so far
  std::string ca_file;                // PEM; empty: those of the system
  std::string proxy;                  // empty: as the environment says
  bool operator==(const HttpPoolSettings&) const = default;
};

// A multi handle and easy handles that wait to be used on it.
struct HttpLane {
  CURLM* multi = nullptr;
  std::vector<CURL*> idle;
};

class HttpPool {
 public:
  // Error: unsupported, when there is no libcurl.
  static arrow::Result<std::shared_ptr<HttpPool>> Make(HttpPoolSettings settings);
  ~HttpPool();
  HttpPool(const HttpPool&) = delete;
  HttpPool& operator=(const HttpPool&) = delete;

  const Curl& curl() const { return curl_; }
  const HttpPoolSettings& settings() const { return settings_; }

  std::unique_ptr<HttpLane> TakeLane();
  // Without any request under way.
  void GiveLane(std::unique_ptr<HttpLane> lane);

  // Room for one more request under way. False: there is none now, and `wait` was false.
  bool TakeSlot(bool wait);
  void GiveSlot();

  // How long a small request took that was answered well.
  void RecordLatency(int64_t duration_ns);
  // After how long a small request is worth making a second time: when 95 of 100 were answered by then. < 0: not enough
  // requests are known yet (kLatenciesMin), or enough were hedged.
  int64_t HedgeAfterNs() const;
  void CountRequest(bool hedge);
  static constexpr size_t kLatenciesMin = 16;

  // Learned from answers: a store that speaks HTTP/2 is asked on one connection.
  std::atomic<bool> speaks_http2 = false;

 private:
  HttpPool(const Curl& curl, HttpPoolSettings settings) : curl_(curl), settings_(std::move(settings)) {}

  const Curl& curl_;
  const HttpPoolSettings settings_;
  mutable std::mutex mutex_;
  std::condition_variable slot_free_;
  std::vector<std::unique_ptr<HttpLane>> lanes_;
  int in_flight_ = 0;
  int64_t requests_ = 0;
  int64_t hedges_ = 0;
  std::array<int64_t, 64> latencies_ns_{};  // the latest, in a ring
  size_t latency_count_ = 0;                // ever recorded
};

}  // namespace frazil::io
