// SPDX-License-Identifier: Apache-2.0
#include "src/io/http_round.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <list>
#include <optional>
#include <random>
#include <utility>

#include "src/io/http_get.h"

namespace frazil::io {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr int64_t kRetriesSpare = 10;
constexpr int kConnectTriesMax = 3;  // a wrong address should be told soon
constexpr int64_t kPollMsMax = 1000;
constexpr int64_t kSlotPollMs = 20;

bool IsData(int status) { return status == 200 || status == 206; }

bool MayRetryStatus(int status) {
  return status == 429 || status == 500 || status == 502 || status == 503 || status == 504;
}

bool FailedToConnect(CURLcode code) {
  return code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY ||
         code == CURLE_SSL_CONNECT_ERROR;
}

bool MayRetryFailure(CURLcode code) {
  return BrokeOff(code) || FailedToConnect(code) || code == CURLE_OPERATION_TIMEDOUT;
}

class Round;
struct Item;

// One request on its way.
struct Try {
  Round* round = nullptr;
  Item* item = nullptr;
  CURL* handle = nullptr;
  curl_slist* headers = nullptr;
  int64_t request = 0;  // the monitor's number
  bool is_hedge = false;
  Clock::time_point begin;
  HttpAnswer answer;
  bool judged = false;
  bool is_empty_file = false;
  std::optional<ByteRange> accepted;   // the answer is data, of this range
  arrow::Status error;                 // of the judgement
  std::unique_ptr<arrow::Buffer> own;  // of a hedge
  uint8_t* target = nullptr;
  int64_t data_bytes = 0;
  int64_t body_bytes = 0;
  char reason[CURL_ERROR_SIZE] = "";
};

// A request to be made until it succeeds: a want, or a part of one.
struct Item {
  size_t want = 0;
  ByteRange range;
  bool is_tail = false;
  int tries = 0;
  int connect_failures = 0;
  bool hedged = false;
  bool done = false;
  Clock::time_point due;       // not before
  Clock::time_point deadline;  // set with the first try
  std::vector<Try*> active;
};

class Round {
 public:
  Round(HttpPool& pool, HttpObject& object, const std::vector<HttpWant>& wants, ReadMonitor* monitor)
      : pool_(pool), curl_(pool.curl()), object_(object), wants_(wants), monitor_(monitor), memory_(wants.size()) {}

  arrow::Status Run(std::vector<std::shared_ptr<arrow::Buffer>>* buffers) {
    Split();
    lane_ = pool_.TakeLane();
    while (open_ > 0 && error_.ok()) {
      StartDue();
      HedgeSlow();
      int running = 0;
      if (error_.ok() && curl_.multi_perform(lane_->multi, &running) != CURLM_OK) {
        error_ = MakeError(ErrorKind::kInternal, "libcurl's multi interface failed");
      }
      if (!TakeMessages() && open_ > 0 && error_.ok()) {
        curl_.multi_poll(lane_->multi, nullptr, 0, static_cast<int>(PollMs()), nullptr);
      }
    }
    while (!tries_.empty()) End(&tries_.front(), std::nullopt);
    pool_.GiveLane(std::move(lane_));
    buffers->assign(wants_.size(), nullptr);
    for (size_t i = 0; i < wants_.size(); ++i) {
      if (parts_open_[i] == 0) (*buffers)[i] = std::move(memory_[i]);
    }
    return error_;
  }

  size_t TakeBody(Try* attempt, const char* data, size_t count) {
    attempt->body_bytes += static_cast<int64_t>(count);
    if (IsData(attempt->answer.status)) Judge(attempt);
    if (!attempt->error.ok()) return 0;  // ends the transfer
    if (!attempt->accepted) {
      std::string& text = attempt->answer.text;
      text.append(data, std::min(count, HttpAnswer::kTextBytesMax - text.size()));
      return count;
    }
    const int64_t left_bytes = attempt->accepted->length - attempt->data_bytes;
    if (static_cast<int64_t>(count) > left_bytes) {
      attempt->data_bytes += static_cast<int64_t>(count);  // too many: seen when it ends
      return 0;
    }
    std::memcpy(attempt->target + attempt->data_bytes, data, count);
    attempt->data_bytes += static_cast<int64_t>(count);
    return count;
  }

 private:
  void Split() {
    parts_open_.assign(wants_.size(), 0);
    for (size_t i = 0; i < wants_.size(); ++i) {
      const HttpWant& want = wants_[i];
      if (want.range.length == 0) {
        memory_[i] = std::make_shared<arrow::Buffer>(nullptr, 0);
        continue;
      }
      const int64_t part_bytes_max = pool_.settings().part_bytes_max;
      const int64_t parts = want.is_tail ? 1 : (want.range.length + part_bytes_max - 1) / part_bytes_max;
      const int64_t part_bytes = (want.range.length + parts - 1) / parts;
      for (int64_t offset = 0; offset < want.range.length; offset += part_bytes) {
        Item item;
        item.want = i;
        item.range = {want.range.offset + offset, std::min(part_bytes, want.range.length - offset)};
        item.is_tail = want.is_tail;
        items_.push_back(std::move(item));
        ++parts_open_[i];
      }
    }
    open_ = static_cast<int64_t>(items_.size());
    retries_left_ = kRetriesSpare + 2 * open_;
  }

  // Begins what is due, the earliest first, as far as there is room.
  void StartDue() {
    const auto now = Clock::now();
    for (auto waiting = waiting_.begin(); waiting != waiting_.end() && error_.ok();) {
      if ((*waiting)->due > now) {
        ++waiting;
        continue;
      }
      if (!pool_.TakeSlot(tries_.empty())) return;
      Start(*waiting, RequestCause::kRetry);
      waiting = waiting_.erase(waiting);
    }
    while (next_ < items_.size() && error_.ok() && pool_.TakeSlot(tries_.empty())) {
      Start(&items_[next_++], RequestCause::kFirst);
    }
  }

  // Has a slot, and gives it back when it can not begin.
  void Start(Item* item, RequestCause cause) {
    const auto request = monitor_->Begin(item->range, cause);
    if (!request.ok()) {
      pool_.GiveSlot();
      // A hedge is a luxury.
      if (cause == RequestCause::kHedge) {
        item->hedged = true;
      } else {
        error_ = request.status();
      }
      return;
    }
    const auto now = Clock::now();
    if (item->tries == 0) item->deadline = now + milliseconds(pool_.settings().deadline_ms);
    if (cause == RequestCause::kHedge) {
      item->hedged = true;
    } else {
      ++item->tries;
    }
    pool_.CountRequest(cause == RequestCause::kHedge);
    Try& attempt = tries_.emplace_back();
    attempt.round = this;
    attempt.item = item;
    attempt.request = *request;
    attempt.is_hedge = cause == RequestCause::kHedge;
    attempt.begin = now;
    if (lane_->idle.empty()) {
      attempt.handle = curl_.easy_init();
    } else {
      attempt.handle = lane_->idle.back();
      lane_->idle.pop_back();
    }
    item->active.push_back(&attempt);
    const arrow::Status ready = SetUp(&attempt);
    if (!ready.ok()) error_ = ready;
    if (ready.ok() && curl_.multi_add_handle(lane_->multi, attempt.handle) != CURLM_OK) {
      error_ = MakeError(ErrorKind::kInternal, "libcurl takes no further request");
    }
  }

  template <typename Value>
  void Set(Try* attempt, CURLoption option, Value value) {
    curl_.easy_setopt(attempt->handle, option, value);
  }

  arrow::Status SetUp(Try* attempt) {
    const Item& item = *attempt->item;
    if (attempt->handle == nullptr) return MakeError(ErrorKind::kInternal, "libcurl gives no handle");
    ARROW_ASSIGN_OR_RAISE(const auto headers, object_.Headers());
    const std::string range = item.is_tail
                                  ? "-" + std::to_string(item.range.length)
                                  : std::to_string(item.range.offset) + "-" + std::to_string(item.range.end() - 1);
    const auto left_ms = std::chrono::duration_cast<milliseconds>(item.deadline - attempt->begin).count();
    const HttpGet get{.url = object_.url(),
                      .range = range,
                      .headers = headers,
                      .timeout_ms = std::max<int64_t>(1, left_ms),
                      .follows_redirects = object_.follows_redirects(),
                      .shares_connections = pool_.speaks_http2};
    attempt->headers = SetUpGet(curl_, attempt->handle, get, pool_.settings());
    Set(attempt, CURLOPT_ERRORBUFFER, attempt->reason);
    Set(attempt, CURLOPT_PRIVATE, static_cast<void*>(attempt));
    Set(attempt, CURLOPT_HEADERFUNCTION, &TakeHeader);
    Set(attempt, CURLOPT_HEADERDATA, static_cast<void*>(attempt));
    Set(attempt, CURLOPT_WRITEFUNCTION, &TakeData);
    Set(attempt, CURLOPT_WRITEDATA, static_cast<void*>(attempt));
    return arrow::Status::OK();
  }

  static size_t TakeHeader(char* data, size_t, size_t count, void* attempt) {
    static_cast<Try*>(attempt)->answer.TakeHeaderLine({data, count});
    return count;
  }
  static size_t TakeData(char* data, size_t, size_t count, void* attempt) {
    auto* const self = static_cast<Try*>(attempt);
    return self->round->TakeBody(self, data, count);
  }

  // Whether the answer is data and where they go: once its header is complete, or, of errors, its text.
  void Judge(Try* attempt) {
    if (std::exchange(attempt->judged, true)) return;
    const int status = attempt->answer.status;
    const bool is_data = IsData(status);
    if (!is_data && status != 412 && status != 416) return;
    const Item& item = *attempt->item;
    auto range = object_.Accept(attempt->answer, {item.range, item.is_tail});
    if (!range.ok()) {
      attempt->error = range.status();
      return;
    }
    if (!is_data) {  // and yet accepted: the file is empty, and the body an error's text
      attempt->error = Allocate(item.want, 0);
      attempt->is_empty_file = true;
      return;
    }
    attempt->accepted = *range;
    if (attempt->is_hedge) {
      auto own = arrow::AllocateBuffer(range->length);
      if (!own.ok()) {
        attempt->error = own.status();
        return;
      }
      attempt->own = *std::move(own);
      attempt->target = attempt->own->mutable_data();
      return;
    }
    const int64_t part_offset = item.is_tail ? 0 : item.range.offset - wants_[item.want].range.offset;
    attempt->error = Allocate(item.want, item.is_tail ? range->length : wants_[item.want].range.length);
    if (attempt->error.ok()) attempt->target = memory_[item.want]->mutable_data() + part_offset;
  }

  arrow::Status Allocate(size_t want, int64_t length) {
    if (memory_[want] != nullptr && memory_[want]->size() == length) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(memory_[want], arrow::AllocateBuffer(length));
    return arrow::Status::OK();
  }

  // True when there was one.
  bool TakeMessages() {
    bool any = false;
    int left = 0;
    while (CURLMsg* const message = curl_.multi_info_read(lane_->multi, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      any = true;
      char* attempt = nullptr;
      const CURLcode code = message->data.result;
      curl_.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &attempt);
      Finish(reinterpret_cast<Try*>(attempt), code);
    }
    return any;
  }

  void Finish(Try* attempt, CURLcode code) {
    Item* const item = attempt->item;
    if (code == CURLE_OK) {
      Judge(attempt);
      long version = 0;
      long redirects = 0;
      curl_.easy_getinfo(attempt->handle, CURLINFO_HTTP_VERSION, &version);
      curl_.easy_getinfo(attempt->handle, CURLINFO_REDIRECT_COUNT, &redirects);
      if (version == CURL_HTTP_VERSION_2_0) pool_.speaks_http2 = true;
      for (long i = 0; i < redirects; ++i) {
        const auto request = monitor_->Begin({item->range.offset, 0}, RequestCause::kFirst);
        if (request.ok()) monitor_->End(*request, {item->range.offset, 0}, 0);
      }
    }
    const HttpAnswer& answer = attempt->answer;
    const bool is_data = attempt->accepted.has_value();
    if (attempt->error.ok() && code == CURLE_OK && is_data && attempt->data_bytes == attempt->accepted->length) {
      Succeed(attempt, *attempt->accepted);
      return;
    }
    if (attempt->error.ok() && code == CURLE_OK && attempt->is_empty_file) {
      Succeed(attempt, {0, 0});
      return;
    }
    arrow::Status error = attempt->error;
    if (!error.ok()) {
      // is final
    } else if (is_data && (code == CURLE_OK || code == CURLE_WRITE_ERROR)) {
      const int64_t promised_bytes = attempt->accepted->length;
      error = Again(attempt, MakeError(ErrorKind::kUnavailable,
                                       "the store sent " +
                                           (attempt->data_bytes > promised_bytes
                                                ? std::string("more")
                                                : std::to_string(attempt->data_bytes) + " bytes") +
                                           " instead of the " + std::to_string(promised_bytes) + " that it promised"));
    } else if (code == CURLE_OK) {
      error = object_.Refusal(answer);
      if (MayRetryStatus(answer.status)) error = Again(attempt, std::move(error));
    } else {
      error = object_.Failure(code, attempt->reason[0] != '\0' ? attempt->reason : curl_.easy_strerror(code));
      if (FailedToConnect(code)) ++item->connect_failures;
      if (MayRetryFailure(code) && item->connect_failures < kConnectTriesMax) error = Again(attempt, std::move(error));
    }
    if (error_.ok() && !error.ok()) {
      error_ = item->is_tail ? std::move(error) : AddPlace(std::move(error), {.range = item->range});
    }
    End(attempt, std::nullopt);
  }

  void Succeed(Try* attempt, ByteRange range) {
    Item* const item = attempt->item;
    const int64_t duration_ns = std::chrono::duration_cast<nanoseconds>(Clock::now() - attempt->begin).count();
    if (item->range.length <= pool_.settings().hedge_bytes_max) pool_.RecordLatency(duration_ns);
    const bool was_hedge = attempt->is_hedge;
    const std::unique_ptr<arrow::Buffer> own = std::move(attempt->own);
    item->done = true;
    End(attempt, range);
    while (!item->active.empty()) End(item->active.back(), std::nullopt);
    if (was_hedge && own != nullptr) {
      const int64_t part_offset = item->is_tail ? 0 : item->range.offset - wants_[item->want].range.offset;
      error_ = Allocate(item->want, item->is_tail ? range.length : wants_[item->want].range.length);
      if (!error_.ok()) return;
      std::memcpy(memory_[item->want]->mutable_data() + part_offset, own->data(), static_cast<size_t>(own->size()));
    }
    --parts_open_[item->want];
    --open_;
  }

  // The request will be made once more, unless another one for it is under way: OK. Or `failure`, with why it will not.
  arrow::Status Again(Try* attempt, const arrow::Status& failure) {
    Item* const item = attempt->item;
    if (item->active.size() > 1) return arrow::Status::OK();
    const HttpPoolSettings& settings = pool_.settings();
    const int doublings = std::min(item->tries - 1, 20);
    const int64_t pause_ms = std::min(settings.first_pause_ms << doublings, settings.pause_ms_max);
    int64_t wait_ms = std::uniform_int_distribution<int64_t>(pause_ms / 2, pause_ms)(random_);
    if (attempt->answer.retry_in_s) {
      wait_ms = std::max(wait_ms, std::min<int64_t>(*attempt->answer.retry_in_s, 1'000'000) * 1000);
    }
    item->due = Clock::now() + milliseconds(wait_ms);
    std::string why;
    if (item->tries >= settings.tries_max) {
      why = "after " + std::to_string(item->tries) + " tries";
    } else if (item->due >= item->deadline) {
      why = "as its " + std::to_string(settings.deadline_ms) + " ms are over, after " + std::to_string(item->tries) +
            (item->tries == 1 ? " try" : " tries");
    } else if (retries_left_-- <= 0) {
      why = "because too many requests of the round failed";
    } else {
      waiting_.push_back(item);
      return arrow::Status::OK();
    }
    const auto* const detail = dynamic_cast<const ErrorDetail*>(failure.detail().get());
    return MakeError(KindOf(failure),
                     (detail != nullptr ? detail->text() : failure.message()) + " (gave up " + why + ")",
                     detail != nullptr ? detail->place() : ErrorPlace{});
  }

  // The request is over, or broken off.
  void End(Try* attempt, const std::optional<ByteRange>& range) {
    curl_.multi_remove_handle(lane_->multi, attempt->handle);
    Set(attempt, CURLOPT_HTTPHEADER, static_cast<curl_slist*>(nullptr));
    Set(attempt, CURLOPT_ERRORBUFFER, static_cast<char*>(nullptr));
    curl_.slist_free_all(attempt->headers);
    if (attempt->handle != nullptr) lane_->idle.push_back(attempt->handle);
    monitor_->End(attempt->request, range.value_or(attempt->item->range), attempt->body_bytes);
    pool_.GiveSlot();
    auto& active = attempt->item->active;
    active.erase(std::find(active.begin(), active.end(), attempt));
    tries_.remove_if([&](const Try& other) { return &other == attempt; });
  }

  bool MayHedge(const Try& attempt) const {
    return !attempt.item->hedged && attempt.item->range.length <= pool_.settings().hedge_bytes_max;
  }

  void HedgeSlow() {
    hedge_after_ns_ = pool_.HedgeAfterNs();
    if (hedge_after_ns_ < 0) return;
    const auto now = Clock::now();
    std::vector<Item*> slow;
    for (const Try& attempt : tries_) {
      if (MayHedge(attempt) && now - attempt.begin >= nanoseconds(hedge_after_ns_)) slow.push_back(attempt.item);
    }
    for (Item* const item : slow) {
      if (!error_.ok() || pool_.HedgeAfterNs() < 0 || !pool_.TakeSlot(false)) return;
      Start(item, RequestCause::kHedge);
    }
  }

  // Until something may have to be begun.
  int64_t PollMs() const {
    auto wait = nanoseconds(milliseconds(next_ < items_.size() ? kSlotPollMs : kPollMsMax));
    const auto now = Clock::now();
    for (const Item* const item : waiting_) wait = std::min<nanoseconds>(wait, item->due - now);
    if (hedge_after_ns_ >= 0) {
      for (const Try& attempt : tries_) {
        if (MayHedge(attempt)) wait = std::min<nanoseconds>(wait, attempt.begin + nanoseconds(hedge_after_ns_) - now);
      }
    }
    return std::clamp<int64_t>(std::chrono::ceil<milliseconds>(wait).count(), 0, kPollMsMax);
  }

  HttpPool& pool_;
  const Curl& curl_;
  HttpObject& object_;
  const std::vector<HttpWant>& wants_;
  ReadMonitor* const monitor_;
  std::unique_ptr<HttpLane> lane_;
  std::vector<Item> items_;  // never resized once requests are made
  size_t next_ = 0;          // of items_, not begun
  std::vector<Item*> waiting_;
  std::list<Try> tries_;
  std::vector<std::shared_ptr<arrow::Buffer>> memory_;  // by want
  std::vector<int> parts_open_;                         // by want
  int64_t open_ = 0;
  int64_t retries_left_ = 0;
  int64_t hedge_after_ns_ = -1;
  arrow::Status error_;
  std::minstd_rand random_{std::random_device()()};
};

}  // namespace

arrow::Status RunHttpRound(HttpPool& pool, HttpObject& object, const std::vector<HttpWant>& wants, ReadMonitor* monitor,
                           std::vector<std::shared_ptr<arrow::Buffer>>* buffers) {
  return Round(pool, object, wants, monitor).Run(buffers);
}

}  // namespace frazil::io
