// SPDX-License-Identifier: Apache-2.0
#include "src/parquet/select.h"

#include <algorithm>
#include <utility>

#include <arrow/array/builder_primitive.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/compute/api_vector.h>
#include <arrow/datum.h>

namespace frazil::parquet {
namespace {

constexpr size_t kJoinedRunsMax = 512;

}  // namespace

arrow::Result<std::shared_ptr<arrow::Array>> SelectRanks(const std::shared_ptr<arrow::Array>& array,
                                                         const RowRanges& ranks) {
  const auto& runs = ranks.runs();
  if (runs.empty()) return array->Slice(0, 0);
  if (runs.size() == 1) {
    if (runs[0].begin == 0 && runs[0].end == array->length()) return array;
    return array->Slice(runs[0].begin, runs[0].count());
  }
  if (runs.size() <= kJoinedRunsMax) {
    arrow::ArrayVector slices;
    slices.reserve(runs.size());
    for (const RowRange& run : runs) slices.push_back(array->Slice(run.begin, run.count()));
    return arrow::Concatenate(slices);
  }
  arrow::Int64Builder indices;
  ARROW_RETURN_NOT_OK(indices.Reserve(ranks.count()));
  for (const RowRange& run : runs) {
    for (int64_t row = run.begin; row < run.end; ++row) indices.UnsafeAppend(row);
  }
  ARROW_ASSIGN_OR_RAISE(auto index_array, indices.Finish());
  ARROW_ASSIGN_OR_RAISE(auto taken, arrow::compute::Take(arrow::Datum(array), arrow::Datum(index_array),
                                                         arrow::compute::TakeOptions::NoBoundsCheck()));
  return taken.make_array();
}

RowRanges FillGaps(const RowRanges& rows, int64_t gap_rows) {
  RowRanges filled;
  int64_t begin = -1;
  int64_t end = -1;
  for (const RowRange& run : rows.runs()) {
    if (begin >= 0 && run.begin - end < gap_rows) {
      end = run.end;
      continue;
    }
    if (begin >= 0) filled.Append(begin, end);
    begin = run.begin;
    end = run.end;
  }
  if (begin >= 0) filled.Append(begin, end);
  return filled;
}

RowRanges RanksWithin(const RowRanges& rows, const RowRanges& subset) {
  RowRanges ranks;
  const auto& runs = rows.runs();
  size_t i = 0;
  int64_t before = 0;  // rows of the runs before i
  for (const RowRange& wanted : subset.runs()) {
    int64_t row = wanted.begin;
    while (row < wanted.end) {
      while (runs[i].end <= row) before += runs[i++].count();
      const int64_t end = std::min(wanted.end, runs[i].end);
      ranks.Append(before + row - runs[i].begin, before + end - runs[i].begin);
      row = end;
    }
  }
  return ranks;
}

}  // namespace frazil::parquet
