// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <utility>

#include "src/io/http_store.h"
#include "src/io/range_check.h"

namespace frazil::io {
namespace {

using Clock = std::chrono::steady_clock;

// For reads that nobody counts.
class NoMonitor : public ReadMonitor {
 public:
  arrow::Result<int64_t> Begin(ByteRange /*range*/, RequestCause /*cause*/) override { return 0; }
  void End(int64_t /*request*/, ByteRange /*range*/, int64_t /*body_bytes*/) override {}
};

// S3 says it in the text of the error only.
std::optional<int64_t> ActualObjectSize(const std::string& text) {
  constexpr std::string_view kTag = "<ActualObjectSize>";
  const size_t begin = text.find(kTag);
  if (begin == std::string::npos) return std::nullopt;
  const auto range =
      ParseContentRange("bytes */" + text.substr(begin + kTag.size(), text.find('<', begin + 1) - begin - kTag.size()));
  return range ? range->file_bytes : std::nullopt;
}

class HttpSource : public ByteSource, private HttpObject {
 public:
  HttpSource(std::shared_ptr<HttpPool> pool, std::shared_ptr<const HttpStore> store, std::string url, std::string name,
             int64_t size_bytes)
      : pool_(std::move(pool)), store_(std::move(store)), url_(std::move(url)), name_(std::move(name)) {
    if (size_bytes >= 0) size_bytes_ = size_bytes;
  }

  const std::string& name() const override { return name_; }
  bool reads_many_at_once() const override { return true; }
  CostModel cost_model() const override {
    CostModel model = CostModel::ObjectStore();
    model.request_bytes_max = pool_->settings().part_bytes_max;
    model.parallel_requests_max = pool_->settings().requests_in_flight_max;
    return model;
  }
  bool size_is_known() const override {
    std::lock_guard lock(mutex_);
    return size_bytes_.has_value();
  }

  arrow::Result<int64_t> Size() override {
    if (!size_is_known()) {
      NoMonitor nobody;
      ARROW_RETURN_NOT_OK(ReadTail(1, &nobody));
    }
    std::lock_guard lock(mutex_);
    return *size_bytes_;
  }

  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(ByteRange range) override {
    NoMonitor nobody;
    std::vector<std::shared_ptr<arrow::Buffer>> buffers;
    ARROW_RETURN_NOT_OK(ReadMany({range}, &nobody, &buffers));
    return buffers[0];
  }

  arrow::Result<FileTail> ReadTail(int64_t length, ReadMonitor* monitor) override {
    std::vector<std::shared_ptr<arrow::Buffer>> buffers;
    if (size_is_known()) {
      ARROW_ASSIGN_OR_RAISE(const int64_t size_bytes, Size());
      const int64_t tail_bytes = std::clamp<int64_t>(length, 0, size_bytes);
      ARROW_RETURN_NOT_OK(ReadMany({{size_bytes - tail_bytes, tail_bytes}}, monitor, &buffers));
      return FileTail{buffers[0], size_bytes};
    }
    ARROW_RETURN_NOT_OK(RunHttpRound(*pool_, *this, {{{0, std::max<int64_t>(1, length)}, true}}, monitor, &buffers));
    std::lock_guard lock(mutex_);
    return FileTail{buffers[0], *size_bytes_};
  }

  arrow::Status ReadMany(const std::vector<ByteRange>& ranges, ReadMonitor* monitor,
                         std::vector<std::shared_ptr<arrow::Buffer>>* buffers) override {
    // Where the size is not known, the first answer tells it, and memory is taken no sooner.
    std::optional<int64_t> size_bytes;
    if (size_is_known()) {
      ARROW_ASSIGN_OR_RAISE(size_bytes, Size());
    }
    std::vector<HttpWant> wants;
    for (const ByteRange& range : ranges) {
      ARROW_RETURN_NOT_OK(size_bytes ? CheckRangeInside(range, *size_bytes, name_) : CheckRange(range, name_));
      wants.push_back({range, false});
    }
    return RunHttpRound(*pool_, *this, wants, monitor, buffers);
  }

 private:
  const std::string& url() const override { return url_; }
  bool follows_redirects() const override { return store_->follows_redirects(); }

  arrow::Result<std::vector<std::string>> Headers() override {
    std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    if (headers_.empty() || now - headers_made_ > std::chrono::seconds(HttpStore::kHeadersSeconds)) {
      ARROW_ASSIGN_OR_RAISE(headers_, store_->Headers(url_));
      headers_made_ = now;
    }
    std::vector<std::string> headers = headers_;
    // A weak ETag never matches (RFC 9110, section 13.1.1): it is only compared. So is Last-Modified: with
    // If-Unmodified-Since, stores whose own times are finer than a second refuse a file that nobody has touched.
    if (version_ && !version_->etag.empty() && !version_->etag.starts_with("W/")) {
      headers.push_back("If-Match: " + version_->etag);
    }
    return headers;
  }

  arrow::Result<ByteRange> Accept(const HttpAnswer& answer, const HttpWant& want) override {
    if (answer.status == 412) return Replaced();
    if (answer.status == 416) return AcceptNothing(answer, want);
    if (answer.status == 200) return AcceptWhole(answer, want);
    const auto range = ParseContentRange(answer.content_range);
    if (!range || range->length == 0 || (want.is_tail && !range->file_bytes)) {
      return Corrupt("the store answers with the content range \"" + answer.content_range + "\"", want);
    }
    ARROW_RETURN_NOT_OK(Bind(answer, range->file_bytes));
    const ByteRange got{range->offset, range->length};
    const int64_t file_bytes = range->file_bytes.value_or(0);
    const int64_t tail_bytes = std::min(want.range.length, file_bytes);
    const ByteRange expected = want.is_tail ? ByteRange{file_bytes - tail_bytes, tail_bytes} : want.range;
    if (got != expected) {
      return Corrupt(
          "the store answers with other bytes than it was asked for: content range \"" + answer.content_range + "\"",
          want);
    }
    return got;
  }

  // A server without ranges, or a range that is the whole file.
  arrow::Result<ByteRange> AcceptWhole(const HttpAnswer& answer, const HttpWant& want) {
    const bool fits =
        answer.content_bytes && (want.is_tail ? *answer.content_bytes <= want.range.length
                                              : want.range.offset == 0 && *answer.content_bytes == want.range.length);
    if (!fits) {
      return MakeError(
          ErrorKind::kUnsupported,
          "the server sends whole files only, no ranges of them: copy the file to where ranges can be read",
          {.file = name_});
    }
    ARROW_RETURN_NOT_OK(Bind(answer, answer.content_bytes));
    return ByteRange{0, *answer.content_bytes};
  }

  // The range begins behind the end of the file.
  arrow::Result<ByteRange> AcceptNothing(const HttpAnswer& answer, const HttpWant& want) {
    const auto range = ParseContentRange(answer.content_range);
    std::optional<int64_t> file_bytes = range ? range->file_bytes : ActualObjectSize(answer.text);
    if (!file_bytes && want.is_tail) file_bytes = 0;  // a tail is behind the end of an empty file only
    if (!file_bytes) return Corrupt("the store says that the range lies behind the end of the file", want);
    ARROW_RETURN_NOT_OK(Bind(answer, file_bytes));
    if (!want.is_tail || *file_bytes != 0) {
      return Corrupt("the store says that the range lies behind the end of the file, which has " +
                         std::to_string(*file_bytes) + " bytes",
                     want);
    }
    return ByteRange{0, 0};
  }

  arrow::Status Corrupt(const std::string& text, const HttpWant& want) const {
    ErrorPlace place{.file = name_};
    if (!want.is_tail) place.range = want.range;
    return MakeError(ErrorKind::kCorrupt, text, std::move(place));
  }

  arrow::Status Replaced() const {
    return MakeError(ErrorKind::kConflict, "the file was replaced while it was read: run the query again",
                     {.file = name_});
  }

  // Every answer must be about the same version of the file.
  arrow::Status Bind(const HttpAnswer& answer, const std::optional<int64_t>& file_bytes) {
    std::lock_guard lock(mutex_);
    if (!version_ && size_bytes_ && file_bytes && *size_bytes_ != *file_bytes) {
      return MakeError(ErrorKind::kCorrupt,
                       "the file has " + std::to_string(*file_bytes) + " bytes, and " + std::to_string(*size_bytes_) +
                           " were expected: it was replaced after it was listed, or the table's metadata are wrong",
                       {.file = name_});
    }
    // An answer of status 416 need not carry a version.
    const bool has_version = !answer.etag.empty() || !answer.last_modified.empty();
    if (version_ && has_version) {
      const bool same = version_->etag.empty() && answer.etag.empty() ? version_->last_modified == answer.last_modified
                                                                      : version_->etag == answer.etag;
      if (!same) return Replaced();
    }
    if (version_ && file_bytes && size_bytes_ && *size_bytes_ != *file_bytes) return Replaced();
    if (!version_) version_ = Version{answer.etag, answer.last_modified};
    if (!size_bytes_) size_bytes_ = file_bytes;
    return arrow::Status::OK();
  }

  arrow::Status Refusal(const HttpAnswer& answer) const override {
    return AddPlace(store_->Refusal(answer), {.file = name_});
  }
  arrow::Status Failure(CURLcode code, const std::string& reason) const override {
    return AddPlace(store_->Failure(code, reason), {.file = name_});
  }

  struct Version {
    std::string etag;
    std::string last_modified;
  };

  const std::shared_ptr<HttpPool> pool_;
  const std::shared_ptr<const HttpStore> store_;
  const std::string url_;
  const std::string name_;
  mutable std::mutex mutex_;
  std::optional<int64_t> size_bytes_;
  std::optional<Version> version_;
  std::vector<std::string> headers_;
  Clock::time_point headers_made_;
};

}  // namespace

std::shared_ptr<ByteSource> MakeHttpSource(std::shared_ptr<HttpPool> pool, std::shared_ptr<const HttpStore> store,
                                           std::string url, std::string name, int64_t size_bytes) {
  return std::make_shared<HttpSource>(std::move(pool), std::move(store), std::move(url), std::move(name), size_bytes);
}

}  // namespace frazil::io
