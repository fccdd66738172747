// SPDX-License-Identifier: Apache-2.0
//
// Runs a program as a child: what it wrote, how it ended, how much memory it took. For files and inputs that must not
// bring down the test itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace frazil {

struct ChildLimits {
  int seconds = 60;                 // then it is killed
  int cpu_seconds = 0;              // of all its threads, however busy the machine; then it is killed. 0: no limit
  int64_t address_space_bytes = 0;  // RLIMIT_AS; 0: none. Not kept under sanitizers, which need it all
  int64_t output_bytes = 1 << 20;   // kept of standard output; what is beyond is read and counted
};

struct ChildResult {
  int exit_code = -1;  // -1: ended by a signal
  int signal = 0;
  bool timed_out = false;
  std::string output;
  int64_t output_lines = 0;
  std::string errors;  // standard error
  int64_t resident_bytes_max = 0;
};

// `command`: path of the program, then its arguments. Standard input is empty.
ChildResult RunChild(const std::vector<std::string>& command, const ChildLimits& limits = {});

// True where memory can be judged: not under a sanitizer.
bool MemoryIsReal();

}  // namespace frazil
