// SPDX-License-Identifier: Apache-2.0
//
// From rows of Values to Arrow, so that whole batches can be compared with what a reader gives.
//
//   ARROW_ASSIGN_OR_RAISE(auto schema, ArrowSchemaOf(file));
//   ARROW_ASSIGN_OR_RAISE(auto expected, ModelToArrow(schema, rows));
//
// Errors: invalid, when a Value does not fit the Arrow type; not implemented for types that no Parquet schema gives.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <arrow/type.h>

#include "tests/filegen/file_spec.h"
#include "tests/filegen/value.h"

namespace frazil::filegen {

// The schema that Arrow's own reader (and so pyarrow) gives for the file: key-value metadata with ARROW:schema
// honoured, field ids in the field metadata. Found by writing the file without row groups and opening it.
arrow::Result<std::shared_ptr<arrow::Schema>> ArrowSchemaOf(const FileSpec& file);

// One column per field; the fields are those of the rows, in order. Values are converted from their physical form to
// the type: decimals from bytes, INT96 to nanoseconds, float16 from its two bytes.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> ModelToArrow(const std::shared_ptr<arrow::Schema>& schema,
                                                                std::span<const Row> rows);

// The key-value entry by which pyarrow keeps an Arrow schema in a file.
arrow::Result<std::pair<std::string, std::string>> ArrowSchemaEntry(const arrow::Schema& schema);

// The value at a dotted path of field names, through groups only. Error: invalid, when there is no such field.
// The result points into `row` (or is a null with static lifetime).
arrow::Result<const Value*> ValueAtPath(const std::vector<Node>& schema, const Row& row, const std::string& path);

}  // namespace frazil::filegen
