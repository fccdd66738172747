// SPDX-License-Identifier: Apache-2.0
//
// Random schemas and the rows in them. Nothing here knows of pages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/filegen/random.h"
#include "tests/filegen/random_file.h"
#include "tests/filegen/schema.h"
#include "tests/filegen/value.h"

namespace frazil::filegen {

// A leaf of any physical and logical type that has values in Arrow, annotated in any form.
Node RandomLeaf(Random& random, std::string name, ::parquet::Repetition::type repetition);

// A group: struct, list of three or two levels, map, bare repeated field, in any nesting up to `depth` groups.
Node RandomGroup(Random& random, std::string name, int depth);

std::vector<Node> RandomSchema(Random& random, const RandomFileOptions& options);

// How the values of one leaf are drawn.
enum class Spread {
  kFew,     // a handful of different values, so that dictionaries pay and runs are long
  kNarrow,  // near each other
  kWide,    // anywhere in the type, with its extremes
};

// A value of a leaf, never null. The bits of floats are arbitrary under kWide; `nan` allows NaN.
Value RandomScalar(Random& random, const Node& leaf, Spread spread, bool nan);

// The values of one child of the root, for every row: null by some pattern (none, some, most, runs, all), flat leaves
// in some order (random, ascending, descending, clustered).
std::vector<Value> RandomColumn(Random& random, const Node& node, int64_t row_count, bool nan);

}  // namespace frazil::filegen
