// SPDX-License-Identifier: Apache-2.0
#include "src/parquet/page_plan.h"

#include <algorithm>

#include "src/parquet/page_header.h"

namespace frazil::parquet {
namespace {

// Writers that fall back from dictionary to plain do so once, so the first `dictionary pages` data pages are the ones
// that use it. Only a prediction: the page header decides, and a wrong one costs a request, never a row.
int64_t PredictDictionaryPages(const ColumnChunk& chunk, int64_t page_count) {
  if (!chunk.encoding_stats.empty()) {
    int64_t dictionary_pages = 0;
    for (const PageEncodingStats& stats : chunk.encoding_stats) {
      const bool data = stats.page_type == 0 || stats.page_type == 3;
      if (data && UsesDictionary(stats.encoding)) dictionary_pages += std::max(stats.count, 0);
    }
    return dictionary_pages;
  }
  bool dictionary = false;
  bool plain = false;
  for (int encoding : chunk.encodings) {
    dictionary |= UsesDictionary(encoding);
    // PLAIN is also the encoding of the dictionary page itself, so it alone does not tell of a fall-back.
    plain |= encoding != kEncodingPlain && encoding != kEncodingRle && encoding != kEncodingBitPacked &&
             !UsesDictionary(encoding);
  }
  return dictionary && !plain ? page_count : 0;
}

}  // namespace

std::vector<int> PagesOf(const OffsetIndex& offsets, const RowRanges& rows) {
  std::vector<int> pages;
  int next = 0;
  for (const RowRange& run : rows.runs()) {
    // The last page that begins at or before the run; of pages with equal first rows only the last holds rows.
    auto it = std::upper_bound(offsets.pages.begin() + next, offsets.pages.end(), run.begin,
                               [](int64_t row, const PageLocation& page) { return row < page.first_row_index; });
    int page = std::max(next, static_cast<int>(it - offsets.pages.begin()) - 1);
    for (; page < offsets.page_count() && offsets.first_row(page) < run.end; ++page) {
      if (offsets.end_row(page) <= run.begin || offsets.end_row(page) == offsets.first_row(page)) continue;
      pages.push_back(page);
    }
    // The last page pushed may hold the next run too: start after it.
    next = pages.empty() ? 0 : pages.back() + 1;
  }
  return pages;
}

ChunkPlan PlanChunk(ColumnChunk chunk, const ByteRange& chunk_range, std::shared_ptr<const OffsetIndex> offsets,
                    const RowRanges& rows, int64_t row_count) {
  ChunkPlan plan;
  plan.chunk = std::move(chunk);
  plan.chunk_range = chunk_range;
  plan.row_count = row_count;
  if (offsets == nullptr || offsets->pages.empty()) {
    plan.page_rows = RowRanges::Of(0, row_count);
    return plan;
  }
  plan.offsets = std::move(offsets);
  plan.pages = PagesOf(*plan.offsets, rows);
  for (int page : plan.pages) plan.page_rows.Append(plan.offsets->first_row(page), plan.offsets->end_row(page));
  const int64_t first_page_offset = plan.offsets->pages[0].offset;
  if (first_page_offset > chunk_range.offset) {
    plan.dictionary_range = ByteRange{chunk_range.offset, first_page_offset - chunk_range.offset};
    plan.dictionary_predicted =
        !plan.pages.empty() && plan.pages.front() < PredictDictionaryPages(plan.chunk, plan.offsets->page_count());
  }
  return plan;
}

std::vector<ByteRange> ChunkPlan::Ranges() const {
  if (offsets == nullptr) return {chunk_range};
  std::vector<ByteRange> ranges;
  ranges.reserve(pages.size() + 1);
  if (dictionary_predicted) ranges.push_back(*dictionary_range);
  for (int page : pages) ranges.push_back(offsets->range(page));
  return ranges;
}

int64_t ChunkPlan::RangeBytes() const {
  int64_t bytes = 0;
  for (const ByteRange& range : Ranges()) bytes += range.length;
  return bytes;
}

}  // namespace frazil::parquet
