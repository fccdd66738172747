// SPDX-License-Identifier: Apache-2.0
#include "src/scan/metadata_columns.h"

#include <utility>
#include <vector>

#include <arrow/array/array_primitive.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/scalar.h>

namespace frazil::scan {

arrow::Result<std::shared_ptr<arrow::Array>> PositionValues(const RowRanges& rows, int64_t first_row) {
  ARROW_ASSIGN_OR_RAISE(auto values, arrow::AllocateBuffer(rows.count() * static_cast<int64_t>(sizeof(int64_t))));
  auto* out = reinterpret_cast<int64_t*>(values->mutable_data());
  for (const RowRange& run : rows.runs()) {
    for (int64_t row = run.begin; row < run.end; ++row) *out++ = first_row + row;
  }
  return std::make_shared<arrow::Int64Array>(rows.count(), std::move(values));
}

std::shared_ptr<arrow::Array> FillInherited(const std::shared_ptr<arrow::Array>& stored, const InheritedValue& value,
                                            const RowRanges& rows, int64_t first_row) {
  if (stored->null_count() == 0) return stored;
  const auto& from = static_cast<const arrow::Int64Array&>(*stored);
  std::vector<int64_t> filled;
  filled.reserve(static_cast<size_t>(from.length()));
  for (const RowRange& run : rows.runs()) {
    for (int64_t row = run.begin; row < run.end; ++row) {
      const auto at = static_cast<int64_t>(filled.size());
      const int64_t position = value.by_position ? first_row + row : 0;
      filled.push_back(from.IsNull(at) ? value.base + position : from.Value(at));
    }
  }
  return std::make_shared<arrow::Int64Array>(from.length(), arrow::Buffer::FromVector(std::move(filled)));
}

arrow::Result<std::shared_ptr<arrow::Array>> FileValues(const std::string& name, int64_t row_count) {
  return arrow::MakeArrayFromScalar(arrow::StringScalar(name), row_count);
}

}  // namespace frazil::scan
