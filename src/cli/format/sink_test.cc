// SPDX-License-Identifier: Apache-2.0
#include "src/cli/format/sink.h"

#include <fcntl.h>
#include <unistd.h>

#include <thread>

#include <gtest/gtest.h>

#include "frazil/error.h"

namespace frazil::cli {
namespace {

struct Pipe {
  Pipe() { EXPECT_EQ(pipe(ends), 0); }
  ~Pipe() {
    CloseReader();
    CloseWriter();
  }
  void CloseReader() { CloseEnd(0); }
  void CloseWriter() { CloseEnd(1); }
  void CloseEnd(int i) {
    if (ends[i] >= 0) close(ends[i]);
    ends[i] = -1;
  }

  int ends[2] = {-1, -1};
};

std::string ReadAll(int fd) {
  std::string text;
  char buffer[4096];
  ssize_t count;
  while ((count = read(fd, buffer, sizeof(buffer))) > 0) text.append(buffer, static_cast<size_t>(count));
  EXPECT_EQ(count, 0);
  return text;
}

TEST(OutputSink, NothingIsWrittenBeforeTheBufferIsFull) {
  Pipe pipe;
  OutputSink sink(pipe.ends[1]);
  sink.buffer() += "abc";
  ASSERT_TRUE(sink.FlushIfFull().ok());
  EXPECT_EQ(sink.buffer(), "abc");
  EXPECT_EQ(sink.accepted_bytes(), 3);
  ASSERT_TRUE(sink.Flush().ok());
  EXPECT_EQ(sink.buffer(), "");
  EXPECT_EQ(sink.accepted_bytes(), 3);
  pipe.CloseWriter();
  EXPECT_EQ(ReadAll(pipe.ends[0]), "abc");
}

TEST(OutputSink, ShortAndLongWritesKeepTheirOrder) {
  Pipe pipe;
  std::string expected;
  std::string got;
  std::thread reader([&] { got = ReadAll(pipe.ends[0]); });
  OutputSink sink(pipe.ends[1]);
  for (size_t i = 0; i < 40; ++i) {
    const std::string piece(i % 4 == 3 ? OutputSink::kBufferBytes + i : i * 1000, static_cast<char>('a' + i % 26));
    expected += piece;
    ASSERT_TRUE(sink.Write(piece).ok());
    EXPECT_LT(sink.buffer().size(), OutputSink::kBufferBytes);
  }
  ASSERT_TRUE(sink.Flush().ok());
  EXPECT_EQ(sink.accepted_bytes(), static_cast<int64_t>(expected.size()));
  pipe.CloseWriter();
  reader.join();
  EXPECT_EQ(got, expected);
}

TEST(OutputSink, NonBlockingDescriptorsAreWaitedFor) {
  Pipe pipe;
  ASSERT_EQ(fcntl(pipe.ends[1], F_SETFL, O_NONBLOCK), 0);
  const std::string large(size_t{1} << 20, 'x');  // more than a pipe holds
  std::string got;
  std::thread reader([&] { got = ReadAll(pipe.ends[0]); });
  OutputSink sink(pipe.ends[1]);
  EXPECT_TRUE(sink.Write(large).ok());
  pipe.CloseWriter();
  reader.join();
  EXPECT_EQ(got, large);
}

TEST(OutputSink, AReaderThatWentAwayIsABrokenPipe) {
  IgnoreBrokenPipeSignal();
  Pipe pipe;
  pipe.CloseReader();
  OutputSink sink(pipe.ends[1]);
  sink.buffer() += "lost";
  const arrow::Status status = sink.Flush();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(KindOf(status), ErrorKind::kCancelled);
  EXPECT_TRUE(IsBrokenPipe(status)) << status.ToString();
  // The error stays, and rows are no longer kept.
  sink.buffer().append(2 * OutputSink::kBufferBytes, 'x');
  EXPECT_TRUE(IsBrokenPipe(sink.FlushIfFull()));
  EXPECT_EQ(sink.buffer(), "");
  EXPECT_TRUE(IsBrokenPipe(sink.Write(std::string(2 * OutputSink::kBufferBytes, 'y'))));
}

TEST(OutputSink, AFullDiskIsAnInternalError) {
  const int fd = open("/dev/full", O_WRONLY);
  if (fd < 0) GTEST_SKIP() << "no /dev/full";
  OutputSink sink(fd);
  sink.buffer() += "x";
  const arrow::Status status = sink.Flush();
  close(fd);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(KindOf(status), ErrorKind::kInternal);
  EXPECT_FALSE(IsBrokenPipe(status));
  EXPECT_NE(status.message().find("cannot write the output"), std::string::npos);
}

TEST(OutputSink, OtherErrorsAreNoBrokenPipe) {
  EXPECT_FALSE(IsBrokenPipe(arrow::Status::OK()));
  EXPECT_FALSE(IsBrokenPipe(arrow::Status::Cancelled("broken pipe")));
  EXPECT_FALSE(IsBrokenPipe(MakeError(ErrorKind::kCancelled, "interrupted")));
  EXPECT_FALSE(IsBrokenPipe(MakeError(ErrorKind::kInternal, "broken pipe")));
}

}  // namespace
}  // namespace frazil::cli
