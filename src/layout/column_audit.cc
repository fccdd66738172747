// SPDX-License-Identifier: Apache-2.0
#include "src/layout/column_audit.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "src/parquet/column_chunk.h"
#include "src/parquet/statistics.h"

namespace frazil::layout {
namespace {

// Writers that cut bounds leave at least so many bytes.
constexpr size_t kCutBytesMin = 16;

constexpr int kDataPageV1 = 0;
constexpr int kDictionaryPage = 2;
constexpr int kDataPageV2 = 3;
constexpr int kPlainDictionary = 2;
constexpr int kRleDictionary = 8;

std::string_view View(const arrow::Buffer& buffer) {
  return {reinterpret_cast<const char*>(buffer.data()), static_cast<size_t>(buffer.size())};
}

int64_t Median(std::vector<int64_t>* values) {
  if (values->empty()) return 0;
  const auto middle = values->begin() + static_cast<ptrdiff_t>(values->size() / 2);
  std::nth_element(values->begin(), middle, values->end());
  return *middle;
}

// The hull of keys seen so far.
template <typename Key>
struct Hull {
  std::optional<Key> min;
  std::optional<Key> max;

  void Add(const expr::Key& low, const expr::Key& high) {
    const Key& a = std::get<Key>(low);
    const Key& b = std::get<Key>(high);
    if (!min || a < *min) min = a;
    if (!max || *max < b) max = b;
  }
};

}  // namespace

arrow::Status ColumnCollector::AddFile(const parquet::Footer& footer, int leaf, const io::RangeReader& reader) {
  const ::parquet::ColumnDescriptor& descriptor = *footer.schema().Column(leaf);
  const auto decoder = parquet::MakeBoundsDecoder(descriptor, footer.column_order(leaf));
  Hull<expr::Int128> numbers;
  Hull<std::string> texts;
  for (int row_group = 0; row_group < footer.row_group_count(); ++row_group) {
    ARROW_ASSIGN_OR_RAISE(const auto chunk, footer.Chunk(row_group, leaf));
    ++figures_.chunks;
    figures_.bytes += std::max<int64_t>(0, chunk.total_compressed_size);
    figures_.chunks_with_bloom += chunk.bloom_filter_offset.has_value();
    AddEncodings(chunk);
    const auto bounds = parquet::ChunkBounds(footer, chunk, decoder, footer.row_group_row_count(row_group), nullptr);
    if (bounds.min && bounds.max) {
      ++figures_.chunks_with_bounds;
      if (decoder.type.has_byte_keys()) {
        texts.Add(*bounds.min, *bounds.max);
        texts_.row_groups.Add(std::get<std::string>(*bounds.min), std::get<std::string>(*bounds.max));
      } else {
        numbers.Add(*bounds.min, *bounds.max);
        numbers_.row_groups.Add(std::get<expr::Int128>(*bounds.min), std::get<expr::Int128>(*bounds.max));
      }
    }
    ARROW_RETURN_NOT_OK(AddChunk(footer, row_group, chunk, decoder, reader));
  }
  if (numbers.min) numbers_.files.Add(*numbers.min, *numbers.max);
  if (texts.min) texts_.files.Add(*texts.min, *texts.max);
  return arrow::Status::OK();
}

void ColumnCollector::AddEncodings(const parquet::ColumnChunk& chunk) {
  int64_t by_dictionary = 0;
  int64_t others = 0;
  bool has_dictionary = false;
  for (const auto& stats : chunk.encoding_stats) {
    has_dictionary |= stats.page_type == kDictionaryPage;
    if (stats.page_type != kDataPageV1 && stats.page_type != kDataPageV2) continue;
    (stats.encoding == kPlainDictionary || stats.encoding == kRleDictionary ? by_dictionary : others) += stats.count;
  }
  figures_.chunks_dictionary += has_dictionary && by_dictionary > 0 && others == 0;
  figures_.chunks_fallback += has_dictionary && others > 0;
}

arrow::Status ColumnCollector::AddChunk(const parquet::Footer& footer, int row_group, const parquet::ColumnChunk& chunk,
                                        const parquet::BoundsDecoder& decoder, const io::RangeReader& reader) {
  if (footer.row_group_row_count(row_group) == 0) {
    ++figures_.chunks_indexed;  // no page to index
    return arrow::Status::OK();
  }
  const auto unusable = [this](std::string reason) {
    ++unusable_[std::move(reason)];
    return arrow::Status::OK();
  };
  if (!chunk.offset_index || !chunk.column_index) {
    return unusable(chunk.offset_index ? "no column index" : "no page index");
  }
  if (!reader.Holds(*chunk.offset_index) || !reader.Holds(*chunk.column_index)) {
    return unusable("page index lies outside the file");
  }
  ARROW_ASSIGN_OR_RAISE(const ByteRange range, parquet::ChunkRange(chunk, footer.file_size()));
  ARROW_ASSIGN_OR_RAISE(const auto offset_bytes, reader.Get(*chunk.offset_index));
  const auto offsets = parquet::ParseOffsetIndex(View(*offset_bytes), range, footer.row_group_row_count(row_group));
  if (!offsets.ok()) return unusable("offset index: " + offsets.status().message());
  ARROW_ASSIGN_OR_RAISE(const auto index_bytes, reader.Get(*chunk.column_index));
  const auto index = parquet::ParseColumnIndex(View(*index_bytes), decoder, *offsets,
                                               footer.schema().Column(chunk.leaf)->max_definition_level());
  if (!index.ok()) return unusable("column index: " + index.status().message());
  if (!decoder.usable) return unusable(decoder.reason);
  ++figures_.chunks_indexed;
  AddPages(*offsets, *index, decoder.type.has_byte_keys());
  return arrow::Status::OK();
}

void ColumnCollector::AddPages(const parquet::OffsetIndex& offsets, const parquet::ColumnIndex& index,
                               bool bytes_keys) {
  figures_.pages += offsets.page_count();
  for (int page = 0; page < offsets.page_count(); ++page) {
    page_rows_.push_back(offsets.end_row(page) - offsets.first_row(page));
    page_bytes_.push_back(offsets.range(page).length);
    if (index.has_bounds[static_cast<size_t>(page)] == 0) continue;
    const auto at = static_cast<size_t>(page);
    if (bytes_keys) {
      texts_.pages.Add(std::string(index.bytes_min[at]), std::string(index.bytes_max[at]));
    } else {
      numbers_.pages.Add(index.int_min[at], index.int_max[at]);
    }
  }
  if (bytes_keys) AddAlike(index);
}

// Pages with the bounds of a neighbour, where all four are cut at the same length.
void ColumnCollector::AddAlike(const parquet::ColumnIndex& index) {
  const auto cut = [&](size_t page) {
    return index.has_bounds[page] != 0 && index.bytes_min[page].size() >= kCutBytesMin &&
           index.bytes_min[page].size() == index.bytes_max[page].size() &&
           index.bytes_min[page] != index.bytes_max[page];
  };
  const auto alike = [&](size_t a, size_t b) {
    return cut(a) && cut(b) && index.bytes_min[a] == index.bytes_min[b] && index.bytes_max[a] == index.bytes_max[b];
  };
  const auto count = static_cast<size_t>(index.page_count());
  for (size_t page = 0; page < count; ++page) {
    figures_.pages_alike += (page > 0 && alike(page, page - 1)) || (page + 1 < count && alike(page, page + 1));
  }
}

ColumnAudit ColumnCollector::Finish() {
  figures_.page_rows_median = Median(&page_rows_);
  figures_.page_bytes_median = Median(&page_bytes_);
  const bool texts = !texts_.row_groups.mins.empty() || !texts_.pages.mins.empty();
  figures_.files = texts ? ClusteringOf(texts_.files) : ClusteringOf(numbers_.files);
  figures_.row_groups = texts ? ClusteringOf(texts_.row_groups) : ClusteringOf(numbers_.row_groups);
  figures_.pages_clustering = texts ? ClusteringOf(texts_.pages) : ClusteringOf(numbers_.pages);
  return std::move(figures_);
}

}  // namespace frazil::layout
