// SPDX-License-Identifier: Apache-2.0
//
// Seeds of the fuzz targets, made by filegen: small inputs that are sound, so that what the fuzzer changes in them lies
// deep. They are kept in tests/fuzz/corpus/<target>/; FRAZIL_UPDATE_GOLDENS=1 writes them anew.
#pragma once

#include <string>
#include <vector>

#include <arrow/result.h>

namespace frazil::fuzz {

struct Seed {
  std::string target;
  std::string name;
  std::string bytes;
};

arrow::Result<std::vector<Seed>> MakeSeeds();

}  // namespace frazil::fuzz
