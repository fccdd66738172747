// SPDX-License-Identifier: Apache-2.0
#include "tests/filegen/index_builder.h"

#include <type_traits>
#include <utility>

#include <parquet/xxhasher.h>

#include "tests/filegen/bounds.h"
#include "tests/filegen/thrift_writer.h"

namespace frazil::filegen {

namespace {

std::vector<int64_t> Histogram(const std::vector<int16_t>& levels, int64_t begin, int64_t end, int16_t max_level) {
  std::vector<int64_t> counts(static_cast<size_t>(max_level) + 1, 0);
  for (int64_t i = begin; i < end; ++i) ++counts[levels[i]];
  return counts;
}

// Source: parquet-format BloomFilter.md. Arrow's own takes only powers of two.
void InsertHash(uint64_t hash, uint64_t block_count, std::string* bitset) {
  constexpr uint32_t kSalts[] = {0x47b6137bU, 0x44974d91U, 0x8824ad5bU, 0xa2b7289dU,
                                 0x705495c7U, 0x2df1424bU, 0x9efc4947U, 0x5c6bfb31U};
  size_t byte = static_cast<size_t>(((hash >> 32) * block_count) >> 32) * 32;
  for (const uint32_t salt : kSalts) {
    const uint32_t bit = (static_cast<uint32_t>(hash) * salt) >> 27;
    char& cell = (*bitset)[byte + bit / 8];
    cell = static_cast<char>(cell | (1 << (bit % 8)));
    byte += 4;
  }
}

int64_t UnencodedBytes(const ValueVector& values, int64_t begin, int64_t end) {
  int64_t bytes = 0;
  for (int64_t i = begin; i < end; ++i) bytes += static_cast<int64_t>(PlainView(values, i).size());
  return bytes;
}

// The order of the bounds of the pages that have any.
int BoundaryOrder(SortOrder order, bool ieee, const ColumnIndexSpec& index) {
  bool ascending = true;
  bool descending = true;
  const std::string* last_min = nullptr;
  const std::string* last_max = nullptr;
  for (size_t i = 0; i < index.null_pages.size(); ++i) {
    if (index.null_pages[i]) continue;
    // A NaN that got into a bound has no place in the order of values.
    if (!ieee && (IsNan(order, index.min_values[i]) || IsNan(order, index.max_values[i]))) return kUnordered;
    if (last_min != nullptr) {
      int min_step = CompareBounds(order, ieee, *last_min, index.min_values[i]);
      int max_step = CompareBounds(order, ieee, *last_max, index.max_values[i]);
      ascending = ascending && min_step <= 0 && max_step <= 0;
      descending = descending && min_step >= 0 && max_step >= 0;
    }
    last_min = &index.min_values[i];
    last_max = &index.max_values[i];
  }
  return ascending ? kAscending : descending ? kDescending : kUnordered;
}

void AppendCounts(const std::vector<int64_t>& from, std::optional<std::vector<int64_t>>* to) {
  if (!*to) to->emplace();
  (*to)->insert((*to)->end(), from.begin(), from.end());
}

bool IsListed(const ChunkContext& context, const PlacedPage& page) {
  return page.span.level_count() > 0 || context.chunk->index.list_empty_pages;
}

void AppendHistograms(const ChunkContext& context, const PageSpan& span, ColumnIndexSpec* index) {
  const ColumnData& data = context.chunk->data;
  if (context.leaf->max_rep_level > 0) {
    AppendCounts(Histogram(data.rep_levels, span.level_begin, span.level_end, context.leaf->max_rep_level),
                 &index->repetition_level_histograms);
  }
  if (context.leaf->max_def_level > 0) {
    AppendCounts(Histogram(data.def_levels, span.level_begin, span.level_end, context.leaf->max_def_level),
                 &index->definition_level_histograms);
  }
}

}  // namespace

OffsetIndexSpec MakeOffsetIndex(const ChunkContext& context, const std::vector<PlacedPage>& pages) {
  OffsetIndexSpec index;
  const PageIndexPolicy& policy = context.chunk->index;
  bool sizes = policy.unencoded_sizes && *context.leaf->node->physical == ::parquet::Type::BYTE_ARRAY;
  if (sizes) index.unencoded_byte_array_data_bytes.emplace();
  for (const PlacedPage& page : pages) {
    if (!IsListed(context, page)) continue;
    index.page_locations.push_back({page.place.offset, page.place.page_bytes(), page.span.first_row});
    if (sizes) {
      index.unencoded_byte_array_data_bytes->push_back(
          UnencodedBytes(context.chunk->data.values, page.span.value_begin, page.span.value_end));
    }
  }
  return index;
}

std::optional<ColumnIndexSpec> MakeColumnIndex(const ChunkContext& context, const std::vector<PlacedPage>& pages) {
  const Node& leaf = *context.leaf->node;
  const ChunkSpec& chunk = *context.chunk;
  const PageIndexPolicy& policy = chunk.index;
  SortOrder order = OrderOf(leaf);
  bool ieee = leaf.order == ColumnOrderKind::kIeee754Total;
  if (order == SortOrder::kNone) return std::nullopt;
  ColumnIndexSpec index;
  if (policy.null_counts) index.null_counts.emplace();
  if (policy.nan_counts && IsFloating(leaf)) index.nan_counts.emplace();
  for (const PlacedPage& page : pages) {
    if (!IsListed(context, page)) continue;
    const PageSpan& span = page.span;
    BoundsOfValues found = ComputeBounds(order, ieee, chunk.nan, chunk.data.values, span.value_begin, span.value_end);
    bool has_values = span.value_count() > 0;
    if (has_values && !found.bounds) return std::nullopt;
    Bounds bounds = found.bounds.value_or(Bounds{});
    if (has_values && policy.truncate_bytes > 0) {
      bounds = {TruncateMin(leaf, bounds.min, policy.truncate_bytes),
                TruncateMax(leaf, bounds.max, policy.truncate_bytes)};
    }
    index.null_pages.push_back(!has_values);
    index.min_values.push_back(std::move(bounds.min));
    index.max_values.push_back(std::move(bounds.max));
    if (index.null_counts) index.null_counts->push_back(span.null_count());
    if (index.nan_counts) index.nan_counts->push_back(found.nan_count);
    if (policy.level_histograms) AppendHistograms(context, span, &index);
  }
  index.boundary_order = policy.boundary_order.value_or(BoundaryOrder(order, ieee, index));
  return index;
}

SizeStatistics MakeSizeStatistics(const ChunkContext& context) {
  const ColumnData& data = context.chunk->data;
  const LeafInfo& leaf = *context.leaf;
  SizeStatistics sizes;
  if (*leaf.node->physical == ::parquet::Type::BYTE_ARRAY) {
    sizes.unencoded_byte_array_data_bytes = UnencodedBytes(data.values, 0, ValueCount(data.values));
  }
  if (leaf.max_rep_level > 0) {
    sizes.repetition_level_histogram = Histogram(data.rep_levels, 0, data.level_count(), leaf.max_rep_level);
  }
  if (leaf.max_def_level > 0) {
    sizes.definition_level_histogram = Histogram(data.def_levels, 0, data.level_count(), leaf.max_def_level);
  }
  return sizes;
}

arrow::Result<std::string> MakeBloomFilter(const ChunkContext& context) {
  const Node& leaf = *context.leaf->node;
  if (*leaf.physical == ::parquet::Type::BOOLEAN) return arrow::Status::Invalid("bloom filter of a BOOLEAN column");
  const int32_t bitset_bytes = context.chunk->bloom_filter.bitset_bytes;
  if (bitset_bytes % 32 != 0) return arrow::Status::Invalid("a bloom filter is of blocks of 32 bytes");
  const auto block_count = static_cast<uint64_t>(bitset_bytes / 32);
  std::string bitset(static_cast<size_t>(bitset_bytes), '\0');
  const ::parquet::XxHasher hasher;
  const ValueVector& values = context.chunk->data.values;
  for (int64_t i = 0; i < ValueCount(values); ++i) {
    // The hash is over the PLAIN bytes without a length, which is what a byte array of those bytes hashes to.
    const ::parquet::ByteArray bytes(PlainView(values, i));
    InsertHash(hasher.Hash(&bytes), block_count, &bitset);
  }
  ThriftWriter header;
  header.BeginStruct();
  header.I32(1, bitset_bytes);
  for (int16_t field : {2, 3, 4}) header.EmptyUnion(field, 1);  // split blocks, XXH64, not compressed
  header.EndStruct();
  return header.Take() + bitset;
}

}  // namespace frazil::filegen
