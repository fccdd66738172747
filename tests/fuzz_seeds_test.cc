// SPDX-License-Identifier: Apache-2.0
//
// Replays the seeds of the fuzz targets, so that what fuzzing has found stays found without a fuzzer.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include <gtest/gtest.h>

#include "tests/fuzz/seeds.h"
#include "tests/fuzz/target.h"

namespace frazil::fuzz {
namespace {

const std::filesystem::path kCorpus = std::filesystem::path(FRAZIL_SOURCE_DIR) / "tests/fuzz/corpus";

TEST(FuzzSeeds, CanBeMade) {
  const auto seeds = MakeSeeds();
  ASSERT_TRUE(seeds.ok()) << seeds.status();
  const bool update = std::getenv("FRAZIL_UPDATE_GOLDENS") != nullptr;
  std::set<std::string> seeded;
  for (const Seed& seed : *seeds) {
    SCOPED_TRACE(seed.target + "/" + seed.name);
    ASSERT_EQ(Targets().count(seed.target), 1u);
    seeded.insert(seed.target);
    Targets().at(seed.target)(seed.bytes);
    if (!update) continue;
    std::filesystem::create_directories(kCorpus / seed.target);
    std::ofstream(kCorpus / seed.target / seed.name, std::ios::binary) << seed.bytes;
  }
  EXPECT_EQ(seeded.size(), Targets().size()) << "a target has no seeds";
}

TEST(FuzzSeeds, Replay) {
  for (const auto& [name, target] : Targets()) {
    int replayed = 0;
    for (const auto& entry : std::filesystem::directory_iterator(kCorpus / name)) {
      SCOPED_TRACE(entry.path().string());
      std::ifstream in(entry.path(), std::ios::binary);
      target(std::string(std::istreambuf_iterator<char>(in), {}));
      ++replayed;
    }
    EXPECT_GT(replayed, 0) << name;
  }
}

}  // namespace
}  // namespace frazil::fuzz
