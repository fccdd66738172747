// SPDX-License-Identifier: Apache-2.0
//
// A file of one column with a bloom filter, for the tests of that level.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/filegen/file_spec.h"

namespace frazil {

// One row group, one column "c" with a filter, without statistics or indexes.
inline filegen::FileSpec OneColumn(filegen::Node leaf, const std::vector<filegen::Value>& values,
                                   int32_t bitset_bytes = 1024) {
  filegen::FileSpec file;
  leaf.name = "c";
  file.schema = {std::move(leaf)};
  std::vector<filegen::Row> rows;
  for (const filegen::Value& value : values) rows.push_back({value});
  auto columns = filegen::Shred(file.schema, rows).ValueOrDie();
  auto& group = file.row_groups.emplace_back();
  group.row_count = static_cast<int64_t>(rows.size());
  auto& chunk = group.chunks.emplace_back();
  chunk.data = std::move(columns[0]);
  chunk.pages = filegen::PagesOf(group.row_count, group.row_count);
  chunk.statistics.present = false;
  chunk.index.offset_index = chunk.index.column_index = false;
  chunk.bloom_filter.bitset_bytes = bitset_bytes;
  return file;
}

}  // namespace frazil
