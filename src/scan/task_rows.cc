// SPDX-License-Identifier: Apache-2.0
#include "src/scan/task_rows.h"

#include <algorithm>

#include "src/expr/type.h"

namespace frazil::scan {
namespace {

using expr::Int128;

// Where the rows of a row group stand in the file.
struct Span {
  int64_t begin = 0;
  int64_t length = 0;  // 0: all rows stand at the begin
  int64_t row_count = 0;

  // How many rows stand before `offset`.
  int64_t RowsBefore(int64_t offset) const {
    if (offset <= begin) return 0;
    if (length <= 0) return row_count;
    // Row r stands before it when floor(length * r / row_count) < offset - begin.
    const Int128 distance = Int128{offset} - begin;
    const Int128 rows = (distance * row_count + length - 1) / length;
    return static_cast<int64_t>(std::min<Int128>(rows, row_count));
  }
};

arrow::Result<Span> SpanOf(const parquet::Footer& footer, int row_group) {
  Span span;
  span.row_count = footer.row_group_row_count(row_group);
  if (footer.leaf_count() == 0) return span;
  const auto begin_of = [&](const parquet::ColumnChunk& chunk) {
    return std::max<int64_t>(0, chunk.dictionary_page_offset.value_or(chunk.data_page_offset));
  };
  ARROW_ASSIGN_OR_RAISE(const auto first, footer.Chunk(row_group, 0));
  span.begin = begin_of(first);
  if (!first.offset_index) return span;
  int64_t end = footer.footer_offset();
  if (row_group + 1 < footer.row_group_count()) {
    ARROW_ASSIGN_OR_RAISE(const auto next, footer.Chunk(row_group + 1, 0));
    end = begin_of(next);
  }
  span.length = std::max<int64_t>(0, end - span.begin);
  return span;
}

}  // namespace

arrow::Result<std::optional<RowRanges>> RowsOfTask(const parquet::Footer& footer, const std::optional<TaskRange>& rows,
                                                   const std::optional<TaskRange>& bytes) {
  if (rows) return RowRanges::Of(rows->begin, rows->end.value_or(INT64_MAX));
  if (!bytes) return std::nullopt;
  RowRanges meant;
  for (int row_group = 0; row_group < footer.row_group_count(); ++row_group) {
    auto span = SpanOf(footer, row_group);
    if (!span.ok()) return AddPlace(span.status(), {.row_group = row_group});
    const int64_t first_row = footer.row_group_first_row(row_group);
    const int64_t begin = bytes->begin <= 0 ? 0 : span->RowsBefore(bytes->begin);
    const int64_t end = bytes->end ? span->RowsBefore(*bytes->end) : span->row_count;
    if (begin < end) meant.Append(first_row + begin, first_row + end);
  }
  return meant;
}

}  // namespace frazil::scan
