// SPDX-License-Identifier: Apache-2.0
//
// The three byte sources against one contract: exact ranges, or an error of the right kind that names file and range.
#include "frazil/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <arrow/io/memory.h>
#include <gtest/gtest.h>

namespace frazil {
namespace {

const ErrorDetail& DetailOf(const arrow::Status& status) { return dynamic_cast<const ErrorDetail&>(*status.detail()); }

class ByteSources : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "byte_source_XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    for (int i = 0; i < 10'000; ++i) bytes_ += static_cast<char>(i * 31 >> 3);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& bytes) {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

  std::vector<std::shared_ptr<ByteSource>> All() {
    auto buffer = std::make_shared<arrow::Buffer>(bytes_);
    return {OpenLocalFile(Write("data", bytes_)).ValueOrDie(), FromBuffer(buffer, "buffer"),
            FromArrowFile(std::make_shared<arrow::io::BufferReader>(buffer), "arrow")};
  }

  std::string folder_;
  std::string bytes_;
};

TEST_F(ByteSources, ReadExactRanges) {
  for (const auto& source : All()) {
    SCOPED_TRACE(source->name());
    const auto size = static_cast<int64_t>(bytes_.size());
    EXPECT_EQ(source->Size().ValueOrDie(), size);
    for (const ByteRange range : {ByteRange{0, size}, {0, 0}, {size, 0}, {17, 1}, {size - 3, 3}, {4095, 2}}) {
      auto buffer = source->Read(range);
      ASSERT_TRUE(buffer.ok()) << buffer.status();
      EXPECT_EQ((*buffer)->ToString(),
                bytes_.substr(static_cast<size_t>(range.offset), static_cast<size_t>(range.length)));
    }
  }
}

TEST_F(ByteSources, RangesBehindTheEndAreCorrupt) {
  const auto size = static_cast<int64_t>(bytes_.size());
  for (const auto& source : All()) {
    SCOPED_TRACE(source->name());
    // The last would take all memory, if memory were taken before the check.
    for (const ByteRange range : {ByteRange{0, size + 1}, {size, 1}, {size + 1, 0}, {0, int64_t{1} << 60}}) {
      const arrow::Status status = source->Read(range).status();
      ASSERT_FALSE(status.ok());
      EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt);
      EXPECT_EQ(DetailOf(status).place().file, source->name());
      EXPECT_EQ(DetailOf(status).place().range, range);
    }
    for (const ByteRange range : {ByteRange{-1, 2}, {2, -1}, {INT64_MAX, INT64_MAX}}) {
      const arrow::Status status = source->Read(range).status();
      ASSERT_FALSE(status.ok());
      EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt);
    }
  }
}

TEST_F(ByteSources, AreReadByManyThreads) {
  for (const auto& source : All()) {
    std::vector<std::thread> threads;
    std::atomic<int> wrong = 0;
    for (size_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (size_t i = 0; i < 500; ++i) {
          const size_t offset = (i * 19 + t * 7) % 9000;
          auto buffer = source->Read({static_cast<int64_t>(offset), 900});
          if (!buffer.ok() || (*buffer)->ToString() != bytes_.substr(offset, 900)) ++wrong;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0) << source->name();
  }
}

TEST_F(ByteSources, LocalErrorsHaveTheirKinds) {
  EXPECT_EQ(KindOf(OpenLocalFile(folder_ + "/absent").status()), ErrorKind::kNotFound);
  const std::string file = Write("file", "x");
  EXPECT_EQ(KindOf(OpenLocalFile(file + "/below").status()), ErrorKind::kNotFound);
  EXPECT_EQ(KindOf(OpenLocalFile(folder_).status()), ErrorKind::kUsage);
  EXPECT_EQ(KindOf(OpenLocalFile(file + std::string("\0y", 2)).status()), ErrorKind::kUsage);
  EXPECT_EQ(DetailOf(OpenLocalFile(folder_).status()).place().file, folder_);
  // A pipe without a writer must be refused, not waited for.
  const std::string pipe = folder_ + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(KindOf(OpenLocalFile(pipe).status()), ErrorKind::kUnsupported);
}

TEST_F(ByteSources, LocalFileWithoutPermission) {
  const std::string path = Write("secret", "x");
  ASSERT_EQ(::chmod(path.c_str(), 0), 0);
  // Root may read everything, so it asks as somebody else.
  const bool root = ::geteuid() == 0;
  if (root) {
    ASSERT_EQ(::seteuid(65534), 0);
  }
  const arrow::Status status = OpenLocalFile(path).status();
  if (root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  EXPECT_EQ(KindOf(status), ErrorKind::kAccess);
}

TEST_F(ByteSources, LocalFileThatIsCutIsAShortRead) {
  const std::string path = Write("cut", std::string(100, 'x'));
  auto source = OpenLocalFile(path).ValueOrDie();
  ASSERT_EQ(::truncate(path.c_str(), 40), 0);
  const arrow::Status status = source->Read({30, 50}).status();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt);
  EXPECT_EQ(DetailOf(status).place().file, path);
  EXPECT_EQ(DetailOf(status).place().range, (ByteRange{30, 50}));
  EXPECT_NE(status.message().find("10 of 50"), std::string::npos) << status.message();
}

TEST_F(ByteSources, EmptyFile) {
  auto source = OpenLocalFile(Write("empty", "")).ValueOrDie();
  EXPECT_EQ(source->Size().ValueOrDie(), 0);
  EXPECT_EQ(source->Read({0, 0}).ValueOrDie()->size(), 0);
  EXPECT_FALSE(source->Read({0, 1}).ok());
}

// A store that lies about its size or fails.
class FaultyFile : public arrow::io::RandomAccessFile {
 public:
  explicit FaultyFile(const std::string& bytes) : bytes_(bytes) {}
  arrow::Result<int64_t> GetSize() override { return 1'000'000; }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t length) override {
    if (fail) return arrow::Status::IOError("connection reset");
    return arrow::Buffer::FromString(bytes_.substr(static_cast<size_t>(position), static_cast<size_t>(length)));
  }
  arrow::Status Close() override { return arrow::Status::OK(); }
  bool closed() const override { return false; }
  arrow::Result<int64_t> Tell() const override { return 0; }
  arrow::Status Seek(int64_t) override { return arrow::Status::OK(); }
  arrow::Result<int64_t> Read(int64_t, void*) override { return arrow::Status::NotImplemented("streams"); }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t) override {
    return arrow::Status::NotImplemented("streams");
  }

  bool fail = false;

 private:
  const std::string bytes_;
};

TEST_F(ByteSources, ArrowFileFaults) {
  auto file = std::make_shared<FaultyFile>(bytes_);
  auto source = FromArrowFile(file, "faulty");
  const arrow::Status cut = source->Read({9'990, 20}).status();
  ASSERT_FALSE(cut.ok());
  EXPECT_EQ(KindOf(cut), ErrorKind::kCorrupt);
  EXPECT_NE(cut.message().find("10 of 20"), std::string::npos) << cut.message();
  file->fail = true;
  const arrow::Status reset = source->Read({0, 10}).status();
  ASSERT_FALSE(reset.ok());
  EXPECT_EQ(KindOf(reset), ErrorKind::kUnavailable);
  EXPECT_EQ(DetailOf(reset).place().file, "faulty");
  EXPECT_EQ(DetailOf(reset).place().range, (ByteRange{0, 10}));
}

TEST_F(ByteSources, BufferReadsAreNotCopied) {
  auto buffer = std::make_shared<arrow::Buffer>(bytes_);
  EXPECT_EQ(FromBuffer(buffer, "b")->Read({100, 5}).ValueOrDie()->data(), buffer->data() + 100);
}

}  // namespace
}  // namespace frazil
