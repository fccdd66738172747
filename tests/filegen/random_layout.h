// SPDX-License-Identifier: Apache-2.0
//
// Random pages, encodings, indexes and statistics for a chunk whose data are there already. All of it true.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/filegen/file_spec.h"
#include "tests/filegen/random.h"
#include "tests/filegen/random_file.h"
#include "tests/filegen/schema.h"

namespace frazil::filegen {

// Encodings that a leaf may have, RLE_DICTIONARY included where it is possible.
std::vector<::parquet::Encoding::type> EncodingsOf(const Node& leaf);

// Fills in everything but `chunk->data`.
void RandomLayout(Random& random, const LeafInfo& leaf, int64_t row_count, const RandomFileOptions& options,
                  ChunkSpec* chunk);

}  // namespace frazil::filegen
