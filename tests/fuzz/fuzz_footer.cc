// SPDX-License-Identifier: Apache-2.0
//
// The Thrift of a footer: parsed, and everything that is known of a file asked of it.
#include <memory>

#include <arrow/buffer.h>

#include "src/expr/bind.h"
#include "src/parquet/footer_for_test.h"
#include "src/parquet/projection.h"
#include "src/parquet/statistics.h"
#include "tests/fuzz/target.h"

namespace frazil::fuzz {
namespace {

void AskLeaf(const parquet::Footer& footer, int row_group, int leaf) {
  auto chunk = footer.Chunk(row_group, leaf);
  if (!chunk.ok()) return;
  auto range = parquet::ChunkRange(*chunk, footer.file_size());
  if (range.ok()) {
    Require(range->offset >= 0 && range->length >= 0 && range->end() <= footer.file_size(),
            "a chunk's range lies in the file");
  }
  const auto& descriptor = *footer.schema().Column(leaf);
  const auto decoder = parquet::MakeBoundsDecoder(descriptor, footer.column_order(leaf));
  const int64_t rows = footer.row_group_row_count(row_group);
  std::string reason;
  const auto bounds = parquet::ChunkBounds(footer, *chunk, decoder, rows, &reason);
  if (bounds.min && bounds.max) Require(!(*bounds.max < *bounds.min), "a chunk's min is not above its max");
  if (bounds.null_count) Require(*bounds.null_count >= 0 && *bounds.null_count <= rows, "nulls are rows");
  for (int16_t level = 0; level <= descriptor.max_definition_level(); ++level) {
    const auto nulls = parquet::NullGroupCount(footer, *chunk, level, rows);
    if (nulls) Require(*nulls >= 0 && *nulls <= rows, "null groups are rows");
  }
}

void Check(std::string_view bytes) {
  auto footer = parquet::FooterForTest::Parse(parquet::FooterForTest::Frame(std::string(bytes)));
  if (!footer.ok() || *footer == nullptr) return;
  const parquet::Footer& f = **footer;
  Require(f.row_count() >= 0, "rows are counted");
  (void)parquet::ProjectAll(f.manifest());
  // A footer may name very many row groups and leaves; some of them say all.
  int asked = 0;
  for (int row_group = 0; row_group < f.row_group_count(); ++row_group) {
    Require(f.row_group_row_count(row_group) >= 0, "row groups have rows");
    for (int leaf = 0; leaf < f.leaf_count() && asked < 200; ++leaf, ++asked) AskLeaf(f, row_group, leaf);
  }
}

}  // namespace
}  // namespace frazil::fuzz

FRAZIL_FUZZ_TARGET(footer, frazil::fuzz::Check)
