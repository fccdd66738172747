// SPDX-License-Identifier: Apache-2.0
#include "tests/filegen/chunk_writer.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "tests/filegen/encode.h"
#include "tests/filegen/index_builder.h"
#include "tests/filegen/page_writer.h"

namespace frazil::filegen {

namespace {

arrow::Status Contradiction(const LeafInfo& leaf, const char* what) {
  return arrow::Status::Invalid("column ", leaf.node->name, ": ", what);
}

// Cuts the levels at the borders that the pages ask for.
arrow::Result<std::vector<PageSpan>> CutPages(const LeafInfo& leaf, const ChunkSpec& chunk, int64_t row_count) {
  const ColumnData& data = chunk.data;
  if (data.rep_levels.size() != data.def_levels.size()) return Contradiction(leaf, "uneven levels");
  std::vector<PageSpan> spans;
  PageSpan next;  // level_end, value_end and first_row run on
  bool is_split_allowed = !chunk.index.offset_index;
  for (const PageSpec& page : chunk.pages) {
    PageSpan span{next.level_end, next.level_end, next.value_end, next.value_end, next.first_row + next.row_count, 0};
    int64_t level_limit = page.level_count ? span.level_begin + *page.level_count : data.level_count();
    if (level_limit > data.level_count()) return Contradiction(leaf, "a page goes past the data");
    while (span.level_end < level_limit) {
      bool is_row_start = data.rep_levels[span.level_end] == 0;
      if (!page.level_count && is_row_start && span.row_count == page.row_count) break;
      if (is_row_start) ++span.row_count;
      if (data.def_levels[span.level_end] == leaf.max_def_level) ++span.value_end;
      ++span.level_end;
    }
    if (!page.level_count && span.row_count != page.row_count) return Contradiction(leaf, "a page wants more rows");
    bool begins_in_row = span.level_count() > 0 && data.rep_levels[span.level_begin] != 0;
    if (begins_in_row && (page.version == 2 || !is_split_allowed)) {
      return Contradiction(leaf, "a V2 page, or a page of an offset index, begins inside a row");
    }
    if (page.version == 2 && span.level_end < data.level_count() && data.rep_levels[span.level_end] != 0) {
      return Contradiction(leaf, "a V2 page ends inside a row");
    }
    spans.push_back(span);
    next = span;
  }
  if (next.level_end != data.level_count()) return Contradiction(leaf, "pages leave data over");
  if (next.first_row + next.row_count != row_count) return Contradiction(leaf, "rows are not those of the row group");
  if (next.value_end != ValueCount(data.values)) return Contradiction(leaf, "values do not fit the levels");
  return spans;
}

// Indices of all values that lie in dictionary pages; 0 for the others.
std::vector<uint32_t> IndexValues(const ChunkSpec& chunk, const std::vector<PageSpan>& spans,
                                  DictionaryBuilder* dictionary) {
  const ValueVector& unused = chunk.dictionary.unused_entries;
  for (int64_t i = 0; i < ValueCount(unused); ++i) dictionary->Index(unused, i);
  std::vector<uint32_t> indices(ValueCount(chunk.data.values), 0);
  for (size_t page = 0; page < spans.size(); ++page) {
    if (!UsesDictionary(chunk.pages[page].encoding)) continue;
    for (int64_t i = spans[page].value_begin; i < spans[page].value_end; ++i) {
      indices[i] = dictionary->Index(chunk.data.values, i);
    }
  }
  return indices;
}

// Encodings in use, and how many pages use each.
void SetEncodings(const ChunkSpec& chunk, bool has_dictionary, ColumnChunkMetadata* metadata) {
  std::set<int> encodings{::parquet::Encoding::RLE};
  std::map<std::pair<int, int>, int32_t> counts;
  if (has_dictionary) {
    encodings.insert(chunk.dictionary.encoding);
    ++counts[{kDictionaryPage, chunk.dictionary.encoding}];
  }
  for (const PageSpec& page : chunk.pages) {
    encodings.insert(page.encoding);
    ++counts[{page.version == 2 ? kDataPageV2 : kDataPage, page.encoding}];
  }
  metadata->encodings.assign(encodings.begin(), encodings.end());
  if (!chunk.encoding_stats) return;
  for (const auto& [key, count] : counts) metadata->encoding_stats.push_back({key.first, key.second, count});
}

void SetOffsets(const ChunkSpec& chunk, const std::optional<ByteRange>& dictionary, int64_t data_offset,
                ColumnChunkMetadata* metadata) {
  using Placement = DictionarySpec::Placement;
  metadata->data_page_offset = data_offset;
  if (!dictionary) return;
  Placement placement = chunk.dictionary.placement;
  if (placement == Placement::kDeclared) metadata->dictionary_page_offset = dictionary->offset;
  if (placement == Placement::kZero) metadata->dictionary_page_offset = 0;
  if (placement == Placement::kZero || placement == Placement::kUndeclared) {
    metadata->data_page_offset = dictionary->offset;
  }
}

arrow::Status SetIndexes(const ChunkContext& context, const std::vector<PlacedPage>& pages, WrittenChunk* out) {
  const ChunkSpec& chunk = *context.chunk;
  if (chunk.index.offset_index) {
    OffsetIndexSpec index = MakeOffsetIndex(context, pages);
    if (chunk.index.edit_offset_index) chunk.index.edit_offset_index(index);
    out->offset_index = Serialize(index);
    if (chunk.index.edit_offset_index_bytes) chunk.index.edit_offset_index_bytes(*out->offset_index);
  }
  if (chunk.index.column_index) {
    std::optional<ColumnIndexSpec> index = MakeColumnIndex(context, pages);
    if (index) {
      if (chunk.index.edit_column_index) chunk.index.edit_column_index(*index);
      out->column_index = Serialize(*index);
      if (chunk.index.edit_column_index_bytes) chunk.index.edit_column_index_bytes(*out->column_index);
    }
  }
  if (chunk.bloom_filter.bitset_bytes > 0) {
    ARROW_ASSIGN_OR_RAISE(out->bloom_filter, MakeBloomFilter(context));
    if (chunk.bloom_filter.edit_bytes) chunk.bloom_filter.edit_bytes(*out->bloom_filter);
  }
  return arrow::Status::OK();
}

// Writes the pages of one chunk and keeps count of their sizes.
class PageSequence {
 public:
  PageSequence(const ChunkContext& context, std::string* file) : context_(context), file_(file) {}

  arrow::Status Dictionary(const ValueVector& entries) {
    ARROW_ASSIGN_OR_RAISE(PagePlace place, WriteDictionaryPage(entries, context_, file_));
    dictionary_ = ByteRange{place.offset, place.page_bytes()};
    Count(place);
    Gap(context_.chunk->dictionary.gap_after_bytes);
    return arrow::Status::OK();
  }

  arrow::Status Data(const PageSpec& page, const PageSpan& span) {
    Gap(page.gap_before_bytes);
    ARROW_ASSIGN_OR_RAISE(PagePlace place, WriteDataPage(page, span, context_, file_));
    Count(place);
    pages_.push_back({span, place});
    return arrow::Status::OK();
  }

  const std::optional<ByteRange>& dictionary() const { return dictionary_; }
  const std::vector<PlacedPage>& pages() const { return pages_; }
  int64_t uncompressed_bytes() const { return uncompressed_bytes_; }

 private:
  void Gap(int32_t body_bytes) {
    if (body_bytes > 0) Count(WriteGap(body_bytes, file_));
  }
  void Count(const PagePlace& place) { uncompressed_bytes_ += place.header_bytes + place.uncompressed_body_bytes; }

  const ChunkContext& context_;
  std::string* file_;
  std::optional<ByteRange> dictionary_;
  std::vector<PlacedPage> pages_;
  int64_t uncompressed_bytes_ = 0;
};

void SetMetadata(const ChunkContext& context, const PageSequence& sequence, const ByteRange& range,
                 ColumnChunkMetadata* metadata) {
  const ChunkSpec& chunk = *context.chunk;
  int64_t level_count = chunk.data.level_count();
  int64_t value_count = ValueCount(chunk.data.values);
  metadata->type = *context.leaf->node->physical;
  metadata->path_in_schema = context.leaf->path;
  metadata->num_values = level_count;
  metadata->total_compressed_size = range.length;
  metadata->total_uncompressed_size = sequence.uncompressed_bytes();
  int64_t data_offset = sequence.pages().empty() ? range.end() : sequence.pages().front().place.offset;
  SetEncodings(chunk, sequence.dictionary().has_value(), metadata);
  SetOffsets(chunk, sequence.dictionary(), data_offset, metadata);
  if (chunk.statistics.present) {
    metadata->statistics = MakeStatistics(chunk.statistics, context, level_count - value_count, 0, value_count);
  }
  if (chunk.size_statistics) metadata->size_statistics = MakeSizeStatistics(context);
}

}  // namespace

std::vector<PageSpec> PagesOf(int64_t row_count, int64_t rows_per_page, const PageSpec& prototype) {
  std::vector<PageSpec> pages;
  for (int64_t row = 0; row < row_count; row += rows_per_page) {
    pages.push_back(prototype);
    pages.back().row_count = std::min(rows_per_page, row_count - row);
  }
  return pages;
}

arrow::Result<WrittenChunk> WriteChunk(const LeafInfo& leaf, const ChunkSpec& chunk, int64_t row_count,
                                       std::string* file) {
  if (chunk.data.values.index() != EmptyValues(*leaf.node->physical).index()) {
    return Contradiction(leaf, "values of another physical type");
  }
  const ValueVector& unused = chunk.dictionary.unused_entries;
  if (ValueCount(unused) > 0 && unused.index() != chunk.data.values.index()) {
    return Contradiction(leaf, "dictionary entries of another physical type");
  }
  ARROW_ASSIGN_OR_RAISE(std::vector<PageSpan> spans, CutPages(leaf, chunk, row_count));
  DictionaryBuilder dictionary(*leaf.node->physical);
  std::vector<uint32_t> indices = IndexValues(chunk, spans, &dictionary);
  std::unique_ptr<::arrow::util::Codec> codec;
  if (chunk.codec != ::arrow::Compression::UNCOMPRESSED) {
    ARROW_ASSIGN_OR_RAISE(codec, ::arrow::util::Codec::Create(chunk.codec));
  }
  ChunkContext context{&leaf, &chunk, codec.get(), indices, ValueCount(dictionary.entries())};

  PageSequence sequence(context, file);
  auto begin = static_cast<int64_t>(file->size());
  bool has_dictionary = chunk.dictionary.always;
  for (const PageSpec& page : chunk.pages) has_dictionary = has_dictionary || UsesDictionary(page.encoding);
  if (has_dictionary) ARROW_RETURN_NOT_OK(sequence.Dictionary(dictionary.entries()));
  for (size_t i = 0; i < spans.size(); ++i) ARROW_RETURN_NOT_OK(sequence.Data(chunk.pages[i], spans[i]));

  WrittenChunk out;
  out.layout.range = {begin, static_cast<int64_t>(file->size()) - begin};
  out.layout.dictionary = sequence.dictionary();
  for (const PlacedPage& page : sequence.pages()) {
    out.layout.pages.push_back({{page.place.offset, page.place.page_bytes()},
                                page.place.header_bytes,
                                page.span.first_row,
                                page.span.row_count,
                                page.span.level_count(),
                                page.span.null_count()});
  }
  ARROW_ASSIGN_OR_RAISE(out.metadata.codec, CodecNumber(chunk.codec));
  SetMetadata(context, sequence, out.layout.range, &out.metadata);
  ARROW_RETURN_NOT_OK(SetIndexes(context, sequence.pages(), &out));
  return out;
}

}  // namespace frazil::filegen
