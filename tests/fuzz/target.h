// SPDX-License-Identifier: Apache-2.0
//
// A fuzz target: a function of bytes that must return, whatever they are, without a crash, a hang or memory without
// bound, and that holds the product to a law where there is one.
//
//   void Check(std::string_view bytes) { ... Require(parsed == again, "parsing is stable"); ... }
//   FRAZIL_FUZZ_TARGET(footer, Check)
//
// Built by the preset `fuzz`, each source is a libFuzzer program; linked into system_tests, all of them are functions
// that replay their seeds (tests/fuzz_seeds_test.cc).
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

namespace frazil::fuzz {

using Target = void (*)(std::string_view bytes);

// The targets linked into this program, by name.
inline std::map<std::string, Target>& Targets() {
  static std::map<std::string, Target> targets;
  return targets;
}

inline void Require(bool holds, const char* law) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: does not hold: %s\n", law);
  std::abort();
}

// Reads choices off the front of the input. At its end it gives zeros.
class Input {
 public:
  explicit Input(std::string_view bytes) : bytes_(bytes) {}

  uint64_t Number(int byte_count) {
    uint64_t value = 0;
    for (int i = 0; i < byte_count; ++i) {
      value |= (bytes_.empty() ? uint64_t{0} : static_cast<uint8_t>(bytes_[0])) << (8 * i);
      if (!bytes_.empty()) bytes_.remove_prefix(1);
    }
    return value;
  }
  int Byte() { return static_cast<int>(Number(1)); }
  std::string_view Take(size_t byte_count) {
    const std::string_view taken = bytes_.substr(0, byte_count);
    bytes_.remove_prefix(taken.size());
    return taken;
  }
  std::string_view Rest() { return Take(bytes_.size()); }
  bool empty() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
};

}  // namespace frazil::fuzz

#ifdef FRAZIL_FUZZ_PROGRAM
#define FRAZIL_FUZZ_TARGET(name, function)                                  \
  extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) { \
    function(std::string_view(reinterpret_cast<const char*>(data), size));  \
    return 0;                                                               \
  }
#else
#define FRAZIL_FUZZ_TARGET(name, function) \
  static const bool registered_##name = frazil::fuzz::Targets().emplace(#name, function).second;
#endif
