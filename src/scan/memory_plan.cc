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
  int64_t uncompressed_bytes = 0;
};

arrow::Result<Sizes> OutputSizes(const FileScan& file, int row_group) {
  Sizes sizes;
  for (int leaf : file.output_leaves) {
    const auto chunk = file.footer().Chunk(row_group, leaf);
    if (!chunk.ok()) return AddPlace(chunk.status(), {.file = file.reader->name(), .row_group = row_group});
    sizes.compressed_bytes += std::clamp<int64_t>(chunk->total_compressed_size, 0, file.footer().file_size());
    sizes.uncompressed_bytes += std::clamp<int64_t>(chunk->total_uncompressed_size, 0, int64_t{1} << 40);
  }
  return sizes;
}

BatchSize SizeOf(const FileScan& file, int row_group, const Sizes& sizes) {
  const ScanOptions& options = file.context->options;
  const int64_t row_count = std::max<int64_t>(1, file.footer().row_group_row_count(row_group));
  const int64_t row_bytes = std::max<int64_t>(1, sizes.uncompressed_bytes / row_count);
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
  const auto batch_bytes = static_cast<int64_t>(static_cast<double>(sizes.uncompressed_bytes) * batch_share);
  // One batch in the making, and about as much in page buffers and decoders.
  return std::min(sizes.compressed_bytes, FetchBytesMax(file)) + (batches_waiting + 2) * batch_bytes;
}

}  // namespace frazil::scan
