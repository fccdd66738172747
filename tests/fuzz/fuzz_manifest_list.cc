// SPDX-License-Identifier: Apache-2.0
//
// Manifest lists: what is accepted can be counted with.
//
// Input: the file.
#include "src/iceberg/manifest_list.h"
#include "tests/fuzz/target.h"

namespace frazil::fuzz {
namespace {

void Check(std::string_view bytes) {
  const auto manifests = iceberg::ReadManifestList(bytes);
  if (!manifests.ok()) return;
  for (const iceberg::ManifestFile& manifest : *manifests) {
    Require(!manifest.path.empty(), "a manifest has a path");
    Require(manifest.listed_file_count().has_value(), "the files of a manifest can be counted");
    Require(manifest.listed_row_count().has_value(), "the rows of a manifest can be counted");
    for (const auto& count : {manifest.added_file_count, manifest.existing_file_count, manifest.added_row_count,
                              manifest.existing_row_count}) {
      Require(count.value_or(0) >= 0, "counts are not negative");
    }
  }
}

}  // namespace
}  // namespace frazil::fuzz

FRAZIL_FUZZ_TARGET(manifest_list, frazil::fuzz::Check)
