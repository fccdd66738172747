// SPDX-License-Identifier: Apache-2.0
#include "src/cli/metadata_rows.h"

#include <algorithm>
#include <utility>

#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/type.h>

#include "src/cli/options.h"

namespace frazil::cli {
namespace {

template <typename Builder, typename T>
arrow::Result<std::shared_ptr<arrow::Array>> Build(const std::vector<std::vector<MetadataRows::Cell>>& rows,
                                                   size_t column) {
  Builder builder;
  for (const auto& row : rows) {
    const T* value = std::get_if<T>(&row[column]);
    ARROW_RETURN_NOT_OK(value != nullptr ? builder.Append(*value) : builder.AppendNull());
  }
  return builder.Finish();
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::RecordBatch>> MetadataRows::ToBatch() const {
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (size_t i = 0; i < columns_.size(); ++i) {
    std::shared_ptr<arrow::Array> array;
    switch (columns_[i].kind) {
      case Kind::kText: {
        ARROW_ASSIGN_OR_RAISE(array, (Build<arrow::StringBuilder, std::string>(rows_, i)));
        break;
      }
      case Kind::kNumber: {
        ARROW_ASSIGN_OR_RAISE(array, (Build<arrow::Int64Builder, int64_t>(rows_, i)));
        break;
      }
      case Kind::kBool: {
        ARROW_ASSIGN_OR_RAISE(array, (Build<arrow::BooleanBuilder, bool>(rows_, i)));
        break;
      }
    }
    fields.push_back(arrow::field(columns_[i].name, array->type()));
    arrays.push_back(std::move(array));
  }
  return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), static_cast<int64_t>(rows_.size()),
                                  std::move(arrays));
}

arrow::Status PrintRows(const MetadataRows& rows, Format format) {
  ARROW_ASSIGN_OR_RAISE(const auto batch, rows.ToBatch());
  ARROW_ASSIGN_OR_RAISE(const auto reader, arrow::RecordBatchReader::Make({batch}, batch->schema()));
  return WriteRows(reader.get(), format, std::max<int64_t>(1, batch->num_rows()));
}

}  // namespace frazil::cli
