// SPDX-License-Identifier: Apache-2.0
#include "tests/filegen/random_file.h"

#include <algorithm>
#include <span>
#include <utility>

#include <arrow/type.h>
#include <parquet/types.h>

#include "tests/filegen/model_to_arrow.h"
#include "tests/filegen/random.h"
#include "tests/filegen/random_layout.h"
#include "tests/filegen/random_table.h"

namespace frazil::filegen {

namespace {

std::vector<int64_t> RandomRowCounts(Random& random, const RandomFileOptions& options) {
  std::vector<int64_t> counts(static_cast<size_t>(random.Between(1, options.row_group_count_max)));
  for (int64_t& count : counts) {
    bool is_empty = options.empty_row_groups && random.Percent(8);
    count = is_empty
                ? 0
                : random.Between(1, random.Percent(30) ? std::min(20, options.row_count_max) : options.row_count_max);
  }
  return counts;
}

std::vector<Row> RandomRows(Random& random, const RandomFileOptions& options, const std::vector<Node>& schema,
                            int64_t row_count) {
  std::vector<Row> rows(static_cast<size_t>(row_count), Row(schema.size()));
  for (size_t column = 0; column < schema.size(); ++column) {
    if (column == 0 && options.row_number_column) {
      for (int64_t row = 0; row < row_count; ++row) rows[row][0] = Value(row);
      continue;
    }
    std::vector<Value> values = RandomColumn(random, schema[column], row_count, options.nan);
    for (int64_t row = 0; row < row_count; ++row) rows[row][column] = std::move(values[row]);
  }
  return rows;
}

// The text columns at the top as large_string.
arrow::Status AddArrowSchema(FileSpec* spec) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Schema> schema, ArrowSchemaOf(*spec));
  for (int i = 0; i < schema->num_fields(); ++i) {
    std::shared_ptr<arrow::Field> field = schema->field(i);
    if (field->type()->id() != arrow::Type::STRING) continue;
    ARROW_ASSIGN_OR_RAISE(schema, schema->SetField(i, field->WithType(arrow::large_utf8())));
  }
  ARROW_ASSIGN_OR_RAISE(auto entry, ArrowSchemaEntry(*schema));
  spec->key_value_metadata.push_back(std::move(entry));
  return arrow::Status::OK();
}

arrow::Status AddRowGroup(Random& random, const RandomFileOptions& options, std::span<const Row> rows, FileSpec* spec) {
  ARROW_ASSIGN_OR_RAISE(std::vector<ColumnData> columns,
                        Shred(spec->schema, std::vector<Row>(rows.begin(), rows.end())));
  std::vector<LeafInfo> leaves = Leaves(spec->schema);
  RowGroupSpec& group = spec->row_groups.emplace_back();
  group.row_count = static_cast<int64_t>(rows.size());
  for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    ChunkSpec& chunk = group.chunks.emplace_back();
    chunk.data = std::move(columns[leaf]);
    RandomLayout(random, leaves[leaf], group.row_count, options, &chunk);
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<RandomFile> MakeRandomFile(uint64_t seed, const RandomFileOptions& options) {
  Random random(seed);
  RandomFile file;
  file.seed = seed;
  FileSpec& spec = file.spec;
  spec.schema = RandomSchema(random, options);
  file.row_group_row_counts = RandomRowCounts(random, options);
  int64_t row_count = 0;
  for (int64_t count : file.row_group_row_counts) row_count += count;
  file.rows = RandomRows(random, options, spec.schema, row_count);
  spec.version = random.Pick({1, 2});
  spec.column_orders = random.Percent(90);
  spec.indexes_beside_chunks = random.Percent(30);
  spec.bloom_placement =
      random.Pick({BloomPlacement::kAfterRowGroup, BloomPlacement::kBesideChunk, BloomPlacement::kAfterData,
                   BloomPlacement::kColumnMajor, BloomPlacement::kAfterIndexes, BloomPlacement::kBackwards});
  spec.footer_gap_bytes = random.Percent(10) ? random.Between(1, 5000) : 0;
  if (random.Percent(10)) spec.created_by.reset();
  if (options.arrow_schema && random.Percent(20)) ARROW_RETURN_NOT_OK(AddArrowSchema(&spec));
  std::span<const Row> rows = file.rows;
  for (int64_t count : file.row_group_row_counts) {
    ARROW_RETURN_NOT_OK(AddRowGroup(random, options, rows.first(static_cast<size_t>(count)), &spec));
    rows = rows.subspan(static_cast<size_t>(count));
  }
  ARROW_ASSIGN_OR_RAISE(file.bytes, WriteFile(spec, &file.layout));
  return file;
}

std::string RandomFile::Describe() const {
  constexpr size_t kPagesShown = 12;
  std::string text = "seed " + std::to_string(seed);
  std::vector<LeafInfo> leaves = Leaves(spec.schema);
  for (size_t group = 0; group < spec.row_groups.size(); ++group) {
    text += "\nrow group " + std::to_string(group) + ": " + std::to_string(spec.row_groups[group].row_count) + " rows";
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      const ChunkSpec& chunk = spec.row_groups[group].chunks[leaf];
      text += "\n  ";
      for (const std::string& name : leaves[leaf].path) text += name + ".";
      text += " " + ::parquet::TypeToString(*leaves[leaf].node->physical) + " codec " +
              ::arrow::util::Codec::GetCodecAsString(chunk.codec) + (chunk.index.offset_index ? " OI" : "") +
              (chunk.index.column_index ? " CI" : "") + ":";
      for (size_t page = 0; page < std::min(chunk.pages.size(), kPagesShown); ++page) {
        text += " V" + std::to_string(chunk.pages[page].version) + "/" +
                ::parquet::EncodingToString(chunk.pages[page].encoding) + "/" +
                std::to_string(layout.chunks[group][leaf].pages[page].row_count);
      }
      if (chunk.pages.size() > kPagesShown) text += " ... of " + std::to_string(chunk.pages.size());
    }
  }
  return text;
}

}  // namespace frazil::filegen
