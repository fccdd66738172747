// SPDX-License-Identifier: Apache-2.0
#include "tests/golden_file.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace frazil {

void ExpectGolden(const std::string& path, const std::string& text) {
  const std::filesystem::path file = std::filesystem::path(FRAZIL_SOURCE_DIR "/tests/golden") / path;
  const char* update = std::getenv("FRAZIL_UPDATE_GOLDENS");
  if (update != nullptr && std::string(update) == "1") {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return;
  }
  std::ifstream stream(file);
  ASSERT_TRUE(stream.is_open()) << file << " is not there; FRAZIL_UPDATE_GOLDENS=1 writes it";
  std::stringstream golden;
  golden << stream.rdbuf();
  if (golden.str() == text) return;
  std::istringstream want(golden.str());
  std::istringstream got(text);
  std::string want_line;
  std::string got_line;
  int line = 0;
  bool more = true;
  while (more && want_line == got_line) {
    ++line;
    const bool more_want = static_cast<bool>(std::getline(want, want_line));
    const bool more_got = static_cast<bool>(std::getline(got, got_line));
    if (!more_want) want_line = "(end)";
    if (!more_got) got_line = "(end)";
    more = more_want || more_got;
  }
  ADD_FAILURE() << "tests/golden/" << path << " line " << line << "\n  golden: " << want_line
                << "\n  now:    " << got_line << "\nAll of it:\n"
                << text;
}

}  // namespace frazil
