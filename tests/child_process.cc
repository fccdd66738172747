// SPDX-License-Identifier: Apache-2.0
#include "tests/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

namespace frazil {
namespace {

[[noreturn]] void BecomeChild(const std::vector<char*>& words, int out, int err, const ChildLimits& limits) {
  const int null = ::open("/dev/null", O_RDONLY);
  ::dup2(null, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  if (limits.address_space_bytes > 0 && MemoryIsReal()) {
    const auto bytes = static_cast<rlim_t>(limits.address_space_bytes);
    const rlimit limit{bytes, bytes};
    ::setrlimit(RLIMIT_AS, &limit);
  }
  if (limits.cpu_seconds > 0) {
    const rlimit limit{static_cast<rlim_t>(limits.cpu_seconds), static_cast<rlim_t>(limits.cpu_seconds)};
    ::setrlimit(RLIMIT_CPU, &limit);
  }
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::execv(words[0], words.data());
  ::_exit(127);
}

// Takes what is there; false at the end.
bool Drain(int descriptor, int64_t bytes_max, std::string* text, int64_t* lines) {
  char buffer[1 << 16];
  const ssize_t got = ::read(descriptor, buffer, sizeof(buffer));
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  *lines += std::count(buffer, buffer + got, '\n');
  const int64_t room = std::max<int64_t>(0, bytes_max - static_cast<int64_t>(text->size()));
  text->append(buffer, static_cast<size_t>(std::min<int64_t>(room, got)));
  return got > 0;
}

}  // namespace

bool MemoryIsReal() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return false;
#else
  return true;
#endif
}

ChildResult RunChild(const std::vector<std::string>& command, const ChildLimits& limits) {
  ChildResult result;
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  int out[2];
  int err[2];
  if (::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0) return result;
  const pid_t child = ::fork();
  if (child == 0) BecomeChild(words, out[1], err[1], limits);
  ::close(out[1]);
  ::close(err[1]);

  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(limits.seconds);
  int64_t error_lines = 0;
  pollfd streams[2] = {{out[0], POLLIN, 0}, {err[0], POLLIN, 0}};
  while (streams[0].fd >= 0 || streams[1].fd >= 0) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) {
      result.timed_out = true;
      ::kill(child, SIGKILL);
      break;
    }
    if (::poll(streams, 2, static_cast<int>(left.count())) <= 0) continue;
    if (streams[0].revents != 0 && !Drain(out[0], limits.output_bytes, &result.output, &result.output_lines)) {
      streams[0].fd = -1;
    }
    if (streams[1].revents != 0 && !Drain(err[0], 1 << 16, &result.errors, &error_lines)) streams[1].fd = -1;
  }
  ::close(out[0]);
  ::close(err[0]);
  int status = 0;
  rusage usage{};
  while (::wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  result.resident_bytes_max = static_cast<int64_t>(usage.ru_maxrss) * 1024;
  return result;
}

}  // namespace frazil
