// SPDX-License-Identifier: Apache-2.0
//
// Values of the metadata columns, which no page holds.
#pragma once

#include <memory>
#include <string>

#include <arrow/array.h>
#include <arrow/result.h>

#include "src/base/row_ranges.h"
#include "src/scan/binding.h"

namespace frazil::scan {

// _pos: the ordinals in the file of `rows`, which count from `first_row`.
arrow::Result<std::shared_ptr<arrow::Array>> PositionValues(const RowRanges& rows, int64_t first_row);

// `stored`, an Int64Array, with another value for its nulls: that of InheritedValue (scan/binding.h), for rows as
// above.
std::shared_ptr<arrow::Array> FillInherited(const std::shared_ptr<arrow::Array>& stored, const InheritedValue& value,
                                            const RowRanges& rows, int64_t first_row);

// _file: the name, `row_count` times.
arrow::Result<std::shared_ptr<arrow::Array>> FileValues(const std::string& name, int64_t row_count);

}  // namespace frazil::scan
