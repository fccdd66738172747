// SPDX-License-Identifier: Apache-2.0
//
// Columns of an Iceberg table, made of what a data file has of them: in the table's types and its order of members,
// with values for what the file does not have.
#pragma once

#include <memory>

#include <arrow/array.h>
#include <arrow/result.h>

#include "src/iceberg/column_resolution.h"
#include "src/parquet/footer.h"
#include "src/parquet/projection.h"

namespace frazil::scan {

// What has to be read of the file for `column`, a top-level one that is in it (ColumnOrigin::kFile). Of a struct whose
// members the file all lacks, one leaf, which tells where the struct is null.
arrow::Result<parquet::ProjectedField> ProjectColumn(const parquet::Footer& footer,
                                                     const iceberg::ResolvedColumn& column);

// `values` as read by the projection of ProjectColumn, as the table has them: of the ArrowType of column.type.
// Errors: corrupt for values that the table's type can not hold; unsupported for layouts that are not read.
arrow::Result<std::shared_ptr<arrow::Array>> TableValues(const iceberg::ResolvedColumn& column,
                                                         const parquet::ProjectedField& field,
                                                         const std::shared_ptr<arrow::Array>& values);

// The values of a column that the file does not have. REQUIRES: its origin is another than kFile.
arrow::Result<std::shared_ptr<arrow::Array>> MissingValues(const iceberg::ResolvedColumn& column, int64_t length);

}  // namespace frazil::scan
