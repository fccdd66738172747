// SPDX-License-Identifier: Apache-2.0
//
// Seeds of the fuzz targets for the metadata of Iceberg tables: avro, manifest, manifest_list, metadata, puffin.
#pragma once

#include <vector>

#include "tests/fuzz/seeds.h"

namespace frazil::fuzz {

void AddIcebergSeeds(std::vector<Seed>* seeds);

}  // namespace frazil::fuzz
