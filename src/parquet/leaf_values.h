// SPDX-License-Identifier: Apache-2.0
//
// From the values that Arrow's RecordReader holds to an Arrow array of the type that the schema asks for.
#pragma once

#include <memory>

#include <arrow/array.h>
#include <arrow/result.h>
#include <parquet/column_reader.h>
#include <parquet/schema.h>

namespace frazil::parquet {

// Takes what `reader` has read since its last Reset. `type` is a storage type that SchemaManifest gives for the leaf
// (no extension type; a dictionary type when the reader reads dictionaries). Numbers are moved, not copied, where the
// physical type is as wide as the Arrow type. May throw ::parquet::ParquetException.
arrow::Result<std::shared_ptr<arrow::Array>> TakeValues(::parquet::internal::RecordReader* reader,
                                                        const ::parquet::ColumnDescriptor& leaf,
                                                        const std::shared_ptr<arrow::DataType>& type, bool nullable);

}  // namespace frazil::parquet
