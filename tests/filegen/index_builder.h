// SPDX-License-Identifier: Apache-2.0
//
// The truthful page index, level histograms and bloom filter of a chunk, before any hook has seen them.
// Source: parquet.thrift OffsetIndex, ColumnIndex, SizeStatistics; BloomFilter.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <arrow/result.h>

#include "tests/filegen/format.h"
#include "tests/filegen/page_writer.h"

namespace frazil::filegen {

struct PlacedPage {
  PageSpan span;
  PagePlace place;
};

OffsetIndexSpec MakeOffsetIndex(const ChunkContext& context, const std::vector<PlacedPage>& pages);

// Unset where the format forbids one: no defined order, or a page of only NaN under type-defined order and
// NanPolicy::kExcluded.
std::optional<ColumnIndexSpec> MakeColumnIndex(const ChunkContext& context, const std::vector<PlacedPage>& pages);

SizeStatistics MakeSizeStatistics(const ChunkContext& context);

// Header and bitset. Every value of the chunk is in it.
arrow::Result<std::string> MakeBloomFilter(const ChunkContext& context);

}  // namespace frazil::filegen
