// SPDX-License-Identifier: Apache-2.0
#include "src/io/range_reader.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <random>
#include <thread>

#include <arrow/io/interfaces.h>
#include <arrow/util/thread_pool.h>
#include <gtest/gtest.h>

namespace frazil::io {
namespace {

std::string Pattern(size_t size) {
  std::string bytes(size, '\0');
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>((i * 2654435761u) >> 13);
  return bytes;
}

// Counts what it is asked, outside of the trace, and fails where it is told to.
class CountingSource : public ByteSource {
 public:
  CountingSource(std::string bytes, CostModel cost) : bytes_(std::move(bytes)), cost_(cost) {}
  const std::string& name() const override { return name_; }
  arrow::Result<int64_t> Size() override { return static_cast<int64_t>(bytes_.size()); }
  CostModel cost_model() const override { return cost_; }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(ByteRange range) override {
    requests += 1;
    bytes_read += range.length;
    if (on_read) on_read(range);
    if (fails_at && range.offset <= *fails_at && *fails_at < range.end()) return arrow::Status::IOError("reset");
    return arrow::SliceBuffer(std::make_shared<arrow::Buffer>(bytes_), range.offset, range.length);
  }

  std::atomic<int64_t> requests = 0;
  std::atomic<int64_t> bytes_read = 0;
  std::optional<int64_t> fails_at;
  std::function<void(ByteRange)> on_read;

 private:
  const std::string name_ = "counted";
  const std::string bytes_;
  const CostModel cost_;
};

// Gaps of up to 100 bytes are read through.
CostModel Cost(int parallel_requests_max = 1) {
  return {.latency_ns = 100,
          .bandwidth_bytes_per_s = 1'000'000'000,
          .request_bytes_max = 1 << 20,
          .parallel_requests_max = parallel_requests_max};
}

struct Fixture {
  explicit Fixture(size_t size = 10'000, ReadBudget budget = {}, int parallel_requests_max = 1)
      : bytes(Pattern(size)),
        source(std::make_shared<CountingSource>(bytes, Cost(parallel_requests_max))),
        trace(std::make_shared<Trace>()),
        reader(source, trace, budget) {}

  // The requests so far: "[0,10) [20,30)".
  std::string Requests() const {
    std::string text;
    for (const TraceEntry& entry : trace->entries()) {
      text += (text.empty() ? "[" : " [") + std::to_string(entry.range.offset) + "," +
              std::to_string(entry.range.end()) + ")";
    }
    return text;
  }

  void ExpectGet(ByteRange range) const {
    auto buffer = reader.Get(range);
    ASSERT_TRUE(buffer.ok()) << buffer.status();
    EXPECT_EQ((*buffer)->ToString(),
              bytes.substr(static_cast<size_t>(range.offset), static_cast<size_t>(range.length)));
  }

  void ExpectTraceIsTrue() const {
    EXPECT_EQ(trace->totals().requests, source->requests);
    EXPECT_EQ(trace->totals().bytes_read, source->bytes_read);
  }

  std::string bytes;
  std::shared_ptr<CountingSource> source;
  std::shared_ptr<Trace> trace;
  RangeReader reader;
};

TEST(RangeReader, FetchesInOneRoundAndGetsWithoutCopy) {
  Fixture f;
  ASSERT_TRUE(f.reader.Fetch({{500, 10}, {0, 10}, {50, 10}}, "pages").ok());
  EXPECT_EQ(f.Requests(), "[0,60) [500,510)");
  EXPECT_EQ(f.reader.rounds(), 1);
  f.ExpectGet({0, 10});
  f.ExpectGet({30, 30});
  f.ExpectGet({505, 5});
  EXPECT_EQ(f.reader.Get({50, 5}).ValueOrDie()->data(), f.reader.Get({0, 60}).ValueOrDie()->data() + 50);
  EXPECT_EQ(f.trace->entries()[0].purpose, "pages");
  f.ExpectTraceIsTrue();
}

TEST(RangeReader, NothingIsReadTwice) {
  Fixture f;
  ASSERT_TRUE(f.reader.Fetch({{0, 100}, {300, 100}}, "a").ok());
  ASSERT_TRUE(f.reader.Fetch({{0, 100}, {350, 10}, {7, 0}}, "b").ok());
  EXPECT_EQ(f.reader.rounds(), 1);
  // Partly held at both ends: only the middle is read.
  ASSERT_TRUE(f.reader.Fetch({{50, 300}}, "c").ok());
  EXPECT_EQ(f.Requests(), "[0,100) [300,400) [100,300)");
  EXPECT_EQ(f.reader.rounds(), 2);
  EXPECT_EQ(f.trace->entries()[2].round, 1);
  f.ExpectGet({50, 300});
  f.ExpectGet({0, 400});
}

TEST(RangeReader, GapsAreNotReadThroughHeldBytes) {
  Fixture f;
  ASSERT_TRUE(f.reader.Fetch({{120, 10}}, "a").ok());
  // The gap between these is short enough to read through, but part of it is held.
  ASSERT_TRUE(f.reader.Fetch({{50, 50}, {150, 50}}, "b").ok());
  EXPECT_EQ(f.Requests(), "[120,130) [50,100) [150,200)");
  // The whole gap held, and the ranges reach into it.
  ASSERT_TRUE(f.reader.Fetch({{90, 40}, {125, 30}}, "c").ok());
  EXPECT_EQ(f.Requests(), "[120,130) [50,100) [150,200) [100,120) [130,150)");
  f.ExpectGet({50, 150});
}

TEST(RangeReader, TailServesLaterWants) {
  Fixture f;
  f.ExpectGet({0, 0});
  EXPECT_EQ(f.reader.ReadTail(1000).ValueOrDie()->ToString(), f.bytes.substr(9000));
  EXPECT_EQ(f.trace->entries()[0].purpose, "footer");
  ASSERT_TRUE(f.reader.Fetch({{9500, 100}}, "page index").ok());
  ASSERT_TRUE(f.reader.Fetch({{8990, 100}}, "page index").ok());
  EXPECT_EQ(f.Requests(), "[9000,10000) [8990,9000)");
  f.ExpectGet({8990, 100});
  // A longer tail reads the rest only; one that is longer than the file is the file.
  EXPECT_EQ(f.reader.ReadTail(1100).ValueOrDie()->size(), 1100);
  EXPECT_EQ(f.reader.ReadTail(1 << 30).ValueOrDie()->ToString(), f.bytes);
  EXPECT_EQ(f.Requests(), "[9000,10000) [8990,9000) [8900,8990) [0,8900)");
  EXPECT_EQ(f.reader.rounds(), 4);
  f.ExpectTraceIsTrue();
}

TEST(RangeReader, EmptyFile) {
  Fixture f(0);
  EXPECT_EQ(f.reader.ReadTail(100).ValueOrDie()->size(), 0);
  EXPECT_EQ(f.reader.rounds(), 0);
  EXPECT_EQ(f.trace->totals().requests, 0);
}

TEST(RangeReader, BytesNotFetchedAreAnInternalError) {
  Fixture f;
  ASSERT_TRUE(f.reader.Fetch({{0, 10}, {500, 10}}, "a").ok());
  EXPECT_EQ(KindOf(f.reader.Get({0, 11}).status()), ErrorKind::kInternal);
  EXPECT_EQ(KindOf(f.reader.Get({0, 510}).status()), ErrorKind::kInternal);
  EXPECT_TRUE(f.reader.Holds({2, 8}));
  EXPECT_FALSE(f.reader.Holds({2, 9}));
  EXPECT_TRUE(f.reader.Holds({4000, 0}));
  EXPECT_FALSE(f.reader.Holds({-1, 5}));
}

TEST(RangeReader, ImpossibleRangesAreCorrupt) {
  Fixture f;
  for (const ByteRange range : {ByteRange{-5, 10}, {5, -10}, {INT64_MAX - 1, 5}}) {
    EXPECT_EQ(KindOf(f.reader.Fetch({{0, 10}, range}, "a")), ErrorKind::kCorrupt);
    EXPECT_EQ(KindOf(f.reader.Get(range).status()), ErrorKind::kCorrupt);
  }
  EXPECT_EQ(f.trace->totals().requests, 0);
}

TEST(RangeReader, HeldBytesTakeNoRequestAndTheRoundsThatTheyTook) {
  Fixture f;
  f.reader.Hold(100, arrow::Buffer::FromString(f.bytes.substr(100, 50)), 1);
  EXPECT_EQ(f.reader.rounds(), 1);
  ASSERT_TRUE(f.reader.Fetch({{110, 20}}, "a").ok());
  f.ExpectGet({110, 20});
  EXPECT_EQ(f.trace->totals().requests, 0);
  ASSERT_TRUE(f.reader.Fetch({{145, 10}}, "b").ok());
  EXPECT_EQ(f.trace->entries()[0].round, 1);
  EXPECT_EQ(f.Requests(), "[150,155)");
}

TEST(RangeReader, ReleaseForgetsBytesButSlicesStay) {
  Fixture f;
  ASSERT_TRUE(f.reader.Fetch({{0, 100}}, "a").ok());
  auto slice = f.reader.Get({40, 20}).ValueOrDie();
  f.reader.Release({30, 40});
  EXPECT_EQ(slice->ToString(), f.bytes.substr(40, 20));
  EXPECT_TRUE(f.reader.Holds({0, 30}));
  EXPECT_TRUE(f.reader.Holds({70, 30}));
  EXPECT_FALSE(f.reader.Holds({30, 1}));
  EXPECT_FALSE(f.reader.Holds({69, 1}));
  f.ExpectGet({70, 30});
  f.reader.Release({0, 1 << 20});
  EXPECT_FALSE(f.reader.Holds({0, 1}));
  ASSERT_TRUE(f.reader.Fetch({{0, 100}}, "b").ok());
  EXPECT_EQ(f.Requests(), "[0,100) [0,100)");
}

TEST(RangeReader, BudgetStopsARoundBeforeItIsRead) {
  Fixture bytes(10'000, {.bytes_max = 100, .requests_max = 0});
  ASSERT_TRUE(bytes.reader.Fetch({{0, 60}}, "a").ok());
  const arrow::Status over = bytes.reader.Fetch({{100, 20}, {500, 21}}, "b");
  EXPECT_EQ(KindOf(over), ErrorKind::kBudget);
  EXPECT_NE(over.message().find("41 bytes in 2 requests"), std::string::npos) << over.message();
  EXPECT_NE(over.message().find("60 of 100 bytes"), std::string::npos) << over.message();
  EXPECT_EQ(bytes.source->requests, 1);
  EXPECT_EQ(bytes.reader.rounds(), 1);
  EXPECT_TRUE(bytes.reader.Fetch({{100, 20}, {500, 20}}, "b").ok());

  Fixture requests(10'000, {.bytes_max = 0, .requests_max = 2});
  EXPECT_EQ(KindOf(requests.reader.Fetch({{0, 1}, {500, 1}, {1000, 1}}, "a")), ErrorKind::kBudget);
  EXPECT_TRUE(requests.reader.Fetch({{0, 1}, {500, 1}}, "a").ok());
  EXPECT_TRUE(requests.reader.Fetch({{0, 1}}, "held").ok());
  EXPECT_EQ(KindOf(requests.reader.ReadTail(1).status()), ErrorKind::kBudget);
}

TEST(RangeReader, ErrorsNameFileAndRangeAndKeepWhatWasRead) {
  Fixture f;
  f.source->fails_at = 505;
  const arrow::Status status = f.reader.Fetch({{0, 10}, {500, 10}, {1000, 10}}, "a");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(KindOf(status), ErrorKind::kUnavailable);
  const auto& place = dynamic_cast<const ErrorDetail&>(*status.detail()).place();
  EXPECT_EQ(place.file, "counted");
  EXPECT_EQ(place.range, (ByteRange{500, 10}));
  EXPECT_TRUE(f.reader.Holds({0, 10}));
  EXPECT_FALSE(f.reader.Holds({500, 1}));
  f.ExpectTraceIsTrue();
  EXPECT_EQ(f.source->requests, 2);
}

TEST(RangeReader, LargeRoundsAreReadInParallel) {
  Fixture f(8 << 20, {}, 4);
  // Two requests wait for each other: only a parallel reader gets through.
  std::mutex mutex;
  std::condition_variable met;
  int arrived = 0;
  f.source->on_read = [&](ByteRange) {
    std::unique_lock lock(mutex);
    ++arrived;
    met.notify_all();
    met.wait(lock, [&] { return arrived >= 2; });
  };
  ASSERT_TRUE(f.reader.Fetch({{0, 1 << 20}, {2 << 20, 1 << 20}, {4 << 20, 1 << 20}}, "a").ok());
  f.ExpectGet({2 << 20, 1 << 20});
  EXPECT_EQ(f.Requests(), "[0,1048576) [2097152,3145728) [4194304,5242880)");
  EXPECT_EQ(f.reader.rounds(), 1);
  f.ExpectTraceIsTrue();
}

TEST(RangeReader, SmallRoundsStayOnTheCallersThread) {
  Fixture f(10'000, {}, 8);
  const std::thread::id caller = std::this_thread::get_id();
  f.source->on_read = [&](ByteRange) { EXPECT_EQ(std::this_thread::get_id(), caller); };
  ASSERT_TRUE(f.reader.Fetch({{0, 10}, {500, 10}, {1000, 10}}, "a").ok());
  EXPECT_EQ(f.source->requests, 3);
}

TEST(RangeReader, MayRunOnAFullPool) {
  // As many readers as the pool has threads, each on the pool: none may wait for a thread that never comes.
  auto* pool = arrow::io::default_io_context().executor();
  const int reader_count = pool->GetCapacity() * 2;
  Fixture f(4 << 20, {}, 8);
  std::atomic<int> good = 0;
  std::vector<arrow::Future<>> done;
  for (int i = 0; i < reader_count; ++i) {
    done.push_back(pool->Submit([&] {
                         RangeReader reader(f.source, f.trace);
                         if (reader.Fetch({{0, 1 << 20}, {2 << 20, 1 << 20}}, "a").ok()) ++good;
                         return arrow::Status::OK();
                       })
                       .ValueOrDie());
  }
  for (const auto& future : done) future.Wait();
  EXPECT_EQ(good, reader_count);
  f.ExpectTraceIsTrue();
}

TEST(RangeReader, ParallelErrorIsReportedOnce) {
  Fixture f(8 << 20, {}, 4);
  f.source->fails_at = 5;
  const arrow::Status status = f.reader.Fetch({{0, 1 << 20}, {2 << 20, 1 << 20}, {4 << 20, 1 << 20}}, "a");
  EXPECT_EQ(KindOf(status), ErrorKind::kUnavailable);
  EXPECT_FALSE(f.reader.Holds({0, 1}));
  f.ExpectTraceIsTrue();
}

TEST(RangeReader, RandomCallsAgainstABytemap) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 100 && !testing::Test::HasFailure(); ++round) {
    Fixture f(2000);
    std::vector<bool> held(2000, false);  // no more than the reader; it may hold gaps as well
    auto draw = [&] {
      const int64_t offset = random() % 2000;
      return ByteRange{offset, static_cast<int64_t>(random() % 200) % (2000 - offset + 1)};
    };
    for (int step = 0; step < 20; ++step) {
      std::vector<ByteRange> wanted(random() % 4 + 1);
      for (ByteRange& range : wanted) range = draw();
      const size_t before = f.trace->entries().size();
      ASSERT_TRUE(f.reader.Fetch(wanted, "a").ok());
      const std::vector<TraceEntry> entries = f.trace->entries();
      for (size_t i = before; i < entries.size(); ++i) {
        for (int64_t at = entries[i].range.offset; at < entries[i].range.end(); ++at) {
          ASSERT_FALSE(held[static_cast<size_t>(at)]) << "byte " << at << " was read twice";
          held[static_cast<size_t>(at)] = true;
        }
      }
      for (const ByteRange& range : wanted) f.ExpectGet(range);
      if (random() % 3 == 0) {
        const ByteRange gone = draw();
        f.reader.Release(gone);
        for (int64_t at = gone.offset; at < gone.end(); ++at) held[static_cast<size_t>(at)] = false;
      }
      for (int64_t at = 0; at < 2000; ++at) ASSERT_EQ(f.reader.Holds({at, 1}), held[static_cast<size_t>(at)]);
    }
    f.ExpectTraceIsTrue();
  }
}

}  // namespace
}  // namespace frazil::io
