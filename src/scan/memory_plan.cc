// SPDX-License-Identifier: Apache-2.0
#include "src/scan/memory_plan.h"

#include <algorithm>

namespace frazil::scan {
namespace {

constexpr int64_t kFetchShare = 8;
constexpr int64_t kKeptShare = 8;
constexpr int64_t kBatchShare = 16;
// Enough for any local file; object stores are kept busy by more.
constexpr int64_t kFetchBytesMin = 16 << 20;

int64_t Share(const ScanOptions& options, int64_t share) { return std::max<int64_t>(1, options.memory_bytes / share); }

struct Sizes {
  int64_t compressed_bytes = 0;
  int64_t decoded_bytes = 0;
};

int64_t ValueBytes(const ::parquet::ColumnDescriptor& leaf) {
  switch (leaf.physical_type()) {
    case ::parquet::Type::BOOLEAN:
      return 1;
    case ::parquet::Type::INT32:
    case ::parquet::Type::FLOAT:
      return 4;
    case ::parquet::Type::FIXED_LEN_BYTE_ARRAY:
      return leaf.type_length();
    default:
      return 8;  // of byte arrays, offsets and what the decoder keeps beside the bytes
  }
}

// Values and levels of a chunk as they are decoded. Claims of a damaged footer are bounded, so that sums are defined.
int64_t DecodedBytes(const parquet::ColumnChunk& chunk, const ::parquet::ColumnDescriptor& leaf) {
  constexpr int64_t kMax = int64_t{1} << 40;
  int64_t slot_bytes = ValueBytes(leaf);
  if (leaf.max_definition_level() > 0) slot_bytes += static_cast<int64_t>(sizeof(int16_t));
  if (leaf.max_repetition_level() > 0) slot_bytes += static_cast<int64_t>(sizeof(int16_t));
  int64_t bytes = std::clamp<int64_t>(chunk.num_values, 0, kMax / std::max<int64_t>(1, slot_bytes)) * slot_bytes;
  if (leaf.physical_type() == ::parquet::Type::BYTE_ARRAY) {
    const bool told = chunk.size_statistics && chunk.size_statistics->unencoded_byte_array_data_bytes;
    bytes += std::clamp<int64_t>(
        told ? *chunk.size_statistics->unencoded_byte_array_data_bytes : chunk.total_uncompressed_size, 0, kMax);
  }
  return bytes;
}

arrow::Result<Sizes> OutputSizes(const FileScan& file, int row_group) {
  Sizes sizes;
  for (int leaf : file.output_leaves) {
    const auto chunk = file.footer().Chunk(row_group, leaf);
    if (!chunk.ok()) return AddPlace(chunk.status(), {.file = file.reader->name(), .row_group = row_group});
    sizes.compressed_bytes += std::clamp<int64_t>(chunk->total_compressed_size, 0, file.footer().file_size());
    sizes.decoded_bytes += DecodedBytes(*chunk, *file.footer().schema().Column(leaf));
  }
  return sizes;
}

BatchSize SizeOf(const FileScan& file, int row_group, const Sizes& sizes) {
  const ScanOptions& options = file.context->options;
  const int64_t row_count = std::max<int64_t>(1, file.footer().row_group_row_count(row_group));
  const int64_t row_bytes = std::max<int64_t>(1, sizes.decoded_bytes / row_count);
  BatchSize size;
  size.bytes = std::max<int64_t>(1, std::min(options.batch_bytes, Share(options, kBatchShare)));
  size.rows = std::clamp<int64_t>(size.bytes / row_bytes, 1, std::max<int64_t>(1, options.batch_rows));
  return size;
}

}  // namespace

int64_t FetchBytesMax(const FileScan& file) {
  const CostModel cost = file.reader->cost_model();
  const int64_t busy = std::max(kFetchBytesMin, cost.gap_bytes() * cost.parallel_requests_max);
  return std::min(Share(file.context->options, kFetchShare), busy);
}

int64_t KeptBytesMax(const ScanOptions& options) { return Share(options, kKeptShare); }

arrow::Result<BatchSize> PlanBatches(const FileScan& file, int row_group) {
  ARROW_ASSIGN_OR_RAISE(const Sizes sizes, OutputSizes(file, row_group));
  return SizeOf(file, row_group, sizes);
}

arrow::Result<int64_t> RowGroupBytes(const FileScan& file, int row_group, int batches_waiting) {
  ARROW_ASSIGN_OR_RAISE(const Sizes sizes, OutputSizes(file, row_group));
  const BatchSize batch = SizeOf(file, row_group, sizes);
  const int64_t row_count = std::max<int64_t>(1, file.footer().row_group_row_count(row_group));
  const auto batch_share = static_cast<double>(std::min(batch.rows, row_count)) / static_cast<double>(row_count);
  const auto batch_bytes = static_cast<int64_t>(static_cast<double>(sizes.decoded_bytes) * batch_share);
  // One batch in the making, and about as much in page buffers and decoders.
  return std::min(sizes.compressed_bytes, FetchBytesMax(file)) + (batches_waiting + 2) * batch_bytes;
}

}  // namespace frazil::scan
