// SPDX-License-Identifier: Apache-2.0
#include "src/scan/filter_stage.h"

#include <utility>

#include <arrow/array/array_nested.h>
#include <arrow/array/util.h>
#include <arrow/extension_type.h>
#include <arrow/scalar.h>
#include <arrow/util/bit_util.h>

#include "src/expr/residual.h"
#include "src/parquet/projection.h"
#include "src/scan/parallel.h"

namespace frazil::scan {
namespace {

constexpr int64_t kParallelRowsMin = 16 << 10;

std::shared_ptr<arrow::DataType> StorageType(std::shared_ptr<arrow::DataType> type) {
  while (type->id() == arrow::Type::EXTENSION) type = static_cast<const arrow::ExtensionType&>(*type).storage_type();
  return type;
}

// An array that is only null or not null: where the group is, by the levels of a leaf below it.
arrow::Result<std::shared_ptr<arrow::Array>> GroupValidity(const parquet::LeafReader& leaf, int16_t def_level,
                                                           int64_t row_count) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> bits, arrow::AllocateEmptyBitmap(row_count));
  const int16_t* def_levels = leaf.def_levels();
  const int16_t* rep_levels = leaf.rep_levels();
  int64_t row = 0;
  int64_t null_count = 0;
  for (int64_t i = 0; def_levels != nullptr && i < leaf.level_count(); ++i) {
    if (rep_levels != nullptr && rep_levels[i] != 0) continue;
    if (row >= row_count) return MakeError(ErrorKind::kCorrupt, "more rows in the levels than were read");
    if (def_levels[i] >= def_level) {
      arrow::bit_util::SetBit(bits->mutable_data(), row);
    } else {
      ++null_count;
    }
    ++row;
  }
  if (def_levels == nullptr) {
    arrow::bit_util::SetBitsTo(bits->mutable_data(), 0, row_count, true);
  } else if (row != row_count) {
    return MakeError(ErrorKind::kCorrupt, "fewer rows in the levels than were read");
  }
  return std::make_shared<arrow::StructArray>(arrow::struct_({}), row_count, arrow::ArrayVector{}, bits, null_count);
}

}  // namespace

arrow::Status FilterStage::Open(const parquet::OpenLeaf& open_leaf) {
  const parquet::Footer& footer = file_.footer();
  for (int leaf : plan_.filter_leaves) {
    ARROW_ASSIGN_OR_RAISE(auto field, parquet::ProjectLeaf(footer.manifest(), leaf));
    // A leaf alone carries the nulls of its parents.
    const bool nullable = footer.schema().Column(leaf)->max_definition_level() > 0;
    const auto type = footer.schema().Column(leaf)->physical_type() == ::parquet::Type::INT96
                          ? arrow::decimal128(38, 0)  // exact where Arrow's nanoseconds would wrap
                          : StorageType(field.field->type());
    ARROW_ASSIGN_OR_RAISE(readers_[leaf], open_leaf(leaf, type, nullable));
  }
  return arrow::Status::OK();
}

arrow::Result<RowRanges> FilterStage::Match(const RowRanges& slice) {
  std::vector<parquet::LeafReader*> readers;
  for (auto& [leaf, reader] : readers_) readers.push_back(reader.get());
  const int threads = slice.count() >= kParallelRowsMin ? file_.context->threads : 1;
  ARROW_RETURN_NOT_OK(ParallelFor(threads, static_cast<int>(readers.size()),
                                  [&](int i) { return readers[static_cast<size_t>(i)]->Read(slice); }));
  values_.clear();
  const expr::BoundFilter& filter = file_.binding.filter;
  arrow::ArrayVector columns(filter.columns.size());
  for (int column : plan_.residual.Columns()) {
    ARROW_ASSIGN_OR_RAISE(columns[static_cast<size_t>(column)],
                          ColumnValues(filter.columns[static_cast<size_t>(column)], slice));
  }
  return expr::MatchRows(filter, plan_.residual, columns, slice.count());
}

arrow::Result<std::shared_ptr<arrow::Array>> FilterStage::ColumnValues(const expr::BoundColumn& column,
                                                                       const RowRanges& slice) {
  if (column.ref == kFileRef)
    return arrow::MakeArrayFromScalar(arrow::StringScalar(file_.reader->name()), slice.count());
  if (column.ref == kPosRef) {
    ARROW_ASSIGN_OR_RAISE(auto values, arrow::AllocateBuffer(slice.count() * 8));
    int64_t* out = reinterpret_cast<int64_t*>(values->mutable_data());
    for (const RowRange& run : slice.runs()) {
      for (int64_t row = run.begin; row < run.end; ++row) *out++ = plan_.first_row + row;
    }
    return std::make_shared<arrow::Int64Array>(slice.count(), std::move(values));
  }
  if (column.ref < 0) {
    const auto& group = file_.footer().filter_schema().groups[static_cast<size_t>(-1 - column.ref)];
    return GroupValidity(*readers_.at(group.leaf), group.def_level, slice.count());
  }
  auto known = values_.find(column.ref);
  if (known != values_.end()) return known->second;
  ARROW_ASSIGN_OR_RAISE(auto array, readers_.at(column.ref)->Values());
  if (array->length() != slice.count()) {
    return MakeError(
        ErrorKind::kCorrupt,
        "the column has " + std::to_string(array->length()) + " values in " + std::to_string(slice.count()) + " rows",
        {.column = column.path});
  }
  values_[column.ref] = array;
  return array;
}

}  // namespace frazil::scan
