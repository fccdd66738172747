// SPDX-License-Identifier: Apache-2.0
//
// Sources that have many requests under way, as RangeReader sees them: what it counts is what they say they did.
#include <gtest/gtest.h>

#include <numeric>

#include "src/io/range_reader.h"

namespace frazil::io {
namespace {

// A store that is asked for a tail first, refuses the first request of every ReadMany, and hedges its last.
class StoreLikeSource : public ByteSource {
 public:
  explicit StoreLikeSource(std::string bytes) : bytes_(std::move(bytes)) {}

  const std::string& name() const override { return name_; }
  arrow::Result<int64_t> Size() override {
    if (!known_) return MakeError(ErrorKind::kInternal, "the size was asked for before the tail");
    return static_cast<int64_t>(bytes_.size());
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(ByteRange /*range*/) override {
    return MakeError(ErrorKind::kInternal, "one range was read alone");
  }
  CostModel cost_model() const override { return {1, 1, 1 << 20, 8}; }
  bool size_is_known() const override { return known_; }
  bool reads_many_at_once() const override { return true; }

  arrow::Result<FileTail> ReadTail(int64_t length, ReadMonitor* monitor) override {
    known_ = true;
    const auto size = static_cast<int64_t>(bytes_.size());
    const int64_t tail = std::min(length, size);
    ARROW_ASSIGN_OR_RAISE(const int64_t request, monitor->Begin({0, length}, RequestCause::kFirst));
    monitor->End(request, {size - tail, tail}, tail);
    return FileTail{Slice({size - tail, tail}), size};
  }

  arrow::Status ReadMany(const std::vector<ByteRange>& ranges, ReadMonitor* monitor,
                         std::vector<std::shared_ptr<arrow::Buffer>>* buffers) override {
    buffers->assign(ranges.size(), nullptr);
    ARROW_ASSIGN_OR_RAISE(const int64_t refused, monitor->Begin(ranges[0], RequestCause::kFirst));
    monitor->End(refused, ranges[0], 7);  // the text of an error
    for (size_t i = 0; i < ranges.size(); ++i) {
      const auto cause = i == 0 ? RequestCause::kRetry : RequestCause::kFirst;
      ARROW_ASSIGN_OR_RAISE(const int64_t request, monitor->Begin(ranges[i], cause));
      (*buffers)[i] = Slice(ranges[i]);
      monitor->End(request, ranges[i], ranges[i].length);
    }
    ARROW_ASSIGN_OR_RAISE(const int64_t hedge, monitor->Begin(ranges.back(), RequestCause::kHedge));
    monitor->End(hedge, ranges.back(), 0);
    return arrow::Status::OK();
  }

 private:
  std::shared_ptr<arrow::Buffer> Slice(ByteRange range) const {
    return arrow::Buffer::FromString(
        bytes_.substr(static_cast<size_t>(range.offset), static_cast<size_t>(range.length)));
  }

  const std::string name_ = "s3://lake/a";
  const std::string bytes_;
  bool known_ = false;
};

std::string TestBytes(int64_t length) {
  std::string bytes(static_cast<size_t>(length), '\0');
  std::iota(bytes.begin(), bytes.end(), '\0');
  return bytes;
}

TEST(ReadMany, CountsRetriesAndHedgesAsTheSourceMakesThem) {
  const std::string bytes = TestBytes(1000);
  auto trace = std::make_shared<Trace>();
  RangeReader reader(std::make_shared<StoreLikeSource>(bytes), trace);
  EXPECT_FALSE(reader.size_is_known());
  EXPECT_EQ(reader.ReadTail(100).ValueOrDie()->ToString(), bytes.substr(900));
  EXPECT_TRUE(reader.size_is_known());
  ASSERT_TRUE(reader.Fetch({{0, 10}, {100, 20}}, "pages").ok());
  EXPECT_EQ(reader.Get({100, 20}).ValueOrDie()->ToString(), bytes.substr(100, 20));
  const TraceTotals totals = trace->totals();
  EXPECT_EQ(totals.requests, 1 + 2 + 2);
  EXPECT_EQ(totals.retries, 1);
  EXPECT_EQ(totals.hedges, 1);
  EXPECT_EQ(totals.bytes_read, 100 + 7 + 10 + 20);
  EXPECT_EQ(reader.rounds(), 2);
  // The tail is in the trace as it turned out to lie.
  EXPECT_EQ(trace->entries()[0].range, (ByteRange{900, 100}));
}

TEST(ReadMany, ReadsAFileWholeWithoutItsSize) {
  const std::string bytes = TestBytes(1000);
  auto trace = std::make_shared<Trace>();
  RangeReader reader(std::make_shared<StoreLikeSource>(bytes), trace);
  EXPECT_EQ(reader.ReadWhole("metadata").ValueOrDie()->ToString(), bytes);
  EXPECT_EQ(trace->totals().requests, 1);
  EXPECT_EQ(trace->entries()[0].purpose, "metadata");
}

TEST(ReadMany, StopsAtTheBudgetOfTheScan) {
  auto trace = std::make_shared<Trace>();
  RangeReader reader(std::make_shared<StoreLikeSource>(TestBytes(1000)), trace, {0, 3});
  ASSERT_TRUE(reader.ReadTail(100).ok());
  // Two requests fit when the round is planned; the retry is one too many.
  const arrow::Status status = reader.Fetch({{0, 10}, {100, 20}}, "pages");
  EXPECT_EQ(KindOf(status), ErrorKind::kBudget) << status;
  EXPECT_EQ(trace->totals().requests, 3);
}

// What a source does that implements no more than it must.
TEST(ReadMany, IsOneReadAfterAnotherByDefault) {
  class Monitor : public ReadMonitor {
   public:
    arrow::Result<int64_t> Begin(ByteRange range, RequestCause /*cause*/) override {
      begun.push_back(range);
      return static_cast<int64_t>(begun.size());
    }
    void End(int64_t /*request*/, ByteRange /*range*/, int64_t body_bytes) override { bytes += body_bytes; }
    std::vector<ByteRange> begun;
    int64_t bytes = 0;
  };
  const std::string bytes = TestBytes(100);
  const auto source = FromBuffer(arrow::Buffer::FromString(bytes), "memory");
  Monitor monitor;
  std::vector<std::shared_ptr<arrow::Buffer>> buffers;
  ASSERT_TRUE(source->ReadMany({{5, 5}, {0, 2}}, &monitor, &buffers).ok());
  EXPECT_EQ(buffers[0]->ToString(), bytes.substr(5, 5));
  EXPECT_EQ(buffers[1]->ToString(), bytes.substr(0, 2));
  EXPECT_EQ(monitor.begun, (std::vector<ByteRange>{{5, 5}, {0, 2}}));
  EXPECT_EQ(monitor.bytes, 7);
  const FileTail tail = source->ReadTail(30, &monitor).ValueOrDie();
  EXPECT_EQ(tail.bytes->ToString(), bytes.substr(70));
  EXPECT_EQ(tail.file_bytes, 100);
  const arrow::Status behind = source->ReadMany({{0, 1}, {90, 11}}, &monitor, &buffers);
  EXPECT_EQ(KindOf(behind), ErrorKind::kCorrupt) << behind;
  EXPECT_NE(buffers[0], nullptr);
  EXPECT_EQ(buffers[1], nullptr);
}

}  // namespace
}  // namespace frazil::io
