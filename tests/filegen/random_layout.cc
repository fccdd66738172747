// SPDX-License-Identifier: Apache-2.0
#include "tests/filegen/random_layout.h"

#include <algorithm>

#include "tests/filegen/bounds.h"
#include "tests/filegen/page_writer.h"

namespace frazil::filegen {

namespace {

using ::parquet::Encoding;
using ::parquet::Type;

// How one chunk chooses for each of its pages.
enum class Mixing { kOne, kFallback, kEach };

StatisticsPolicy RandomStatistics(Random& random) {
  using Bounds = StatisticsPolicy::Bounds;
  StatisticsPolicy policy;
  policy.present = random.Percent(90);
  policy.bounds = random.Pick({Bounds::kExact, Bounds::kExact, Bounds::kTruncated, Bounds::kTruncated, Bounds::kBoth,
                               Bounds::kLegacy, Bounds::kNone});
  policy.truncate_bytes = static_cast<int>(random.Between(1, 8));
  policy.exactness_flags = random.Percent(70);
  if (random.Percent(20)) policy.null_count.kind = CountPolicy::Kind::kAbsent;
  if (random.Percent(40)) policy.nan_count.kind = CountPolicy::Kind::kAbsent;
  return policy;
}

void RandomIndex(Random& random, const RandomFileOptions& options, PageIndexPolicy* index) {
  int choice = options.page_indexes ? static_cast<int>(random.Below(10)) : 9;
  index->offset_index = choice < 8;
  index->column_index = choice < 7;
  index->null_counts = random.Percent(75);
  index->nan_counts = random.Percent(60);
  index->level_histograms = random.Percent(30);
  index->unencoded_sizes = random.Percent(30);
  index->truncate_bytes = random.Percent(50) ? 0 : static_cast<int>(random.Between(1, 8));
  if (random.Percent(20)) index->boundary_order = kUnordered;
  index->list_empty_pages = random.Percent(50);
}

void RandomDictionary(Random& random, DictionarySpec* dictionary) {
  using Placement = DictionarySpec::Placement;
  dictionary->placement = random.Pick(
      {Placement::kDeclared, Placement::kDeclared, Placement::kDeclared, Placement::kUndeclared, Placement::kZero});
  if (random.Percent(10)) dictionary->gap_after_bytes = static_cast<int32_t>(random.Between(1, 3000));
  if (random.Percent(20)) dictionary->encoding = Encoding::PLAIN_DICTIONARY;
  dictionary->crc = random.Pick({CrcPolicy::kNone, CrcPolicy::kRight});
}

// Page sizes in rows, or in levels where rows may span pages.
std::vector<PageSpec> RandomBorders(Random& random, int64_t count, bool by_levels) {
  std::vector<PageSpec> pages;
  int64_t style = random.Below(4);
  int64_t fixed = style == 0 ? count : style == 1 ? 1 : random.Between(1, 40);
  for (int64_t position = 0; position < count;) {
    int64_t wanted = style == 3 ? random.Between(1, random.Percent(20) ? 100 : 12) : fixed;
    int64_t size = std::min(wanted, count - position);
    PageSpec& page = pages.emplace_back();
    if (by_levels) {
      page.level_count = size;
    } else {
      page.row_count = size;
    }
    position += size;
  }
  return pages;
}

// `hard`: also ahead of all pages and next to each other.
void AddEmptyPages(Random& random, bool by_levels, bool hard, std::vector<PageSpec>* pages) {
  auto is_empty = [by_levels](const PageSpec& page) { return by_levels ? page.level_count == 0 : page.row_count == 0; };
  int64_t empty_count = random.Between(1, 3);
  for (int64_t i = 0; i < empty_count && !pages->empty(); ++i) {
    auto place = static_cast<size_t>(random.Between(hard ? 0 : 1, static_cast<int64_t>(pages->size())));
    bool touches = (place > 0 && is_empty((*pages)[place - 1])) || (place < pages->size() && is_empty((*pages)[place]));
    if (touches && !hard) continue;
    PageSpec empty;
    if (by_levels) empty.level_count = 0;
    pages->insert(pages->begin() + static_cast<int64_t>(place), empty);
  }
}

void RandomEncodings(Random& random, const Node& leaf, std::vector<PageSpec>* pages) {
  std::vector<Encoding::type> choices = EncodingsOf(leaf);
  bool has_dictionary = std::find(choices.begin(), choices.end(), Encoding::RLE_DICTIONARY) != choices.end();
  Mixing mixing = random.Pick({Mixing::kOne, Mixing::kFallback, Mixing::kFallback, Mixing::kEach});
  Encoding::type first = random.Pick(choices);
  Encoding::type second = random.Pick({Encoding::PLAIN, random.Pick(choices)});
  if (mixing == Mixing::kFallback && has_dictionary) first = Encoding::RLE_DICTIONARY;
  auto switch_at = static_cast<size_t>(random.Below(static_cast<int64_t>(pages->size()) + 1));
  bool old_name = random.Percent(20);
  for (size_t i = 0; i < pages->size(); ++i) {
    PageSpec& page = (*pages)[i];
    page.encoding = mixing == Mixing::kEach                   ? random.Pick(choices)
                    : mixing == Mixing::kOne || i < switch_at ? first
                                                              : second;
    if (old_name && UsesDictionary(page.encoding)) page.encoding = Encoding::PLAIN_DICTIONARY;
  }
}

void RandomPageDetails(Random& random, bool only_v1, std::vector<PageSpec>* pages) {
  int v2_percent = only_v1 ? 0 : random.Pick({0, 50, 100});
  bool header_statistics = random.Percent(30);
  int gap_percent = random.Pick({0, 0, 0, 10});
  for (PageSpec& page : *pages) {
    page.version = random.Percent(v2_percent) ? 2 : 1;
    page.compressed = random.Percent(80);
    page.state_compressed = random.Percent(70);
    page.crc = random.Pick({CrcPolicy::kNone, CrcPolicy::kRight});
    page.runs = random.Pick({RunStyle::kHybrid, RunStyle::kHybrid, RunStyle::kRle, RunStyle::kBitPacked});
    if (header_statistics) page.statistics = RandomStatistics(random);
    // A chunk begins with its first page: no gap before that.
    const bool gap = random.Percent(gap_percent) && &page != pages->data();
    if (gap) page.gap_before_bytes = static_cast<int32_t>(random.Between(1, 500));
  }
}

}  // namespace

std::vector<Encoding::type> EncodingsOf(const Node& leaf) {
  switch (*leaf.physical) {
    case Type::BOOLEAN:
      return {Encoding::PLAIN, Encoding::RLE};
    case Type::INT32:
    case Type::INT64:
      return {Encoding::PLAIN, Encoding::RLE_DICTIONARY, Encoding::DELTA_BINARY_PACKED, Encoding::BYTE_STREAM_SPLIT};
    case Type::INT96:
      return {Encoding::PLAIN, Encoding::RLE_DICTIONARY};
    case Type::FLOAT:
    case Type::DOUBLE:
      return {Encoding::PLAIN, Encoding::RLE_DICTIONARY, Encoding::BYTE_STREAM_SPLIT};
    case Type::BYTE_ARRAY:
      return {Encoding::PLAIN, Encoding::RLE_DICTIONARY, Encoding::DELTA_LENGTH_BYTE_ARRAY, Encoding::DELTA_BYTE_ARRAY};
    default:
      return {Encoding::PLAIN, Encoding::RLE_DICTIONARY, Encoding::DELTA_BYTE_ARRAY, Encoding::BYTE_STREAM_SPLIT};
  }
}

void RandomLayout(Random& random, const LeafInfo& leaf, int64_t row_count, const RandomFileOptions& options,
                  ChunkSpec* chunk) {
  RandomIndex(random, options, &chunk->index);
  if (row_count == 0) chunk->index.offset_index = chunk->index.column_index = false;
  bool by_levels =
      options.row_spanning_pages && leaf.max_rep_level > 0 && !chunk->index.offset_index && random.Percent(70);
  chunk->pages = RandomBorders(random, by_levels ? chunk->data.level_count() : row_count, by_levels);
  bool may_be_empty = by_levels ? options.hard_empty_pages : options.empty_pages;
  if (may_be_empty && random.Percent(25)) {
    AddEmptyPages(random, by_levels, options.hard_empty_pages, &chunk->pages);
  }
  RandomEncodings(random, *leaf.node, &chunk->pages);
  RandomPageDetails(random, by_levels, &chunk->pages);
  RandomDictionary(random, &chunk->dictionary);
  chunk->codec = random.Pick(options.codecs);
  chunk->statistics = RandomStatistics(random);
  // What writers did to NaN before there were rules is only sound under the type-defined order.
  if (leaf.node->order != ColumnOrderKind::kIeee754Total && random.Percent(30)) {
    chunk->nan = random.Pick({NanPolicy::kPoison, NanPolicy::kGreatest});
  }
  chunk->encoding_stats = random.Percent(80);
  chunk->size_statistics = random.Percent(40);
  if (options.bloom_filters && *leaf.node->physical != Type::BOOLEAN && random.Percent(40)) {
    chunk->bloom_filter.bitset_bytes = random.Pick({32, 96, 256, 992, 1024});
    chunk->bloom_filter.declare_length = random.Percent(70);
  }
}

}  // namespace frazil::filegen
