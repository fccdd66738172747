// SPDX-License-Identifier: Apache-2.0
//
// Which rows of a file a task reads: the rule of frazil/scan_task.h.
#pragma once

#include <optional>

#include <arrow/result.h>

#include "frazil/scan_task.h"
#include "src/base/row_ranges.h"
#include "src/parquet/footer.h"

namespace frazil::scan {

// Unset: all. Ordinals may reach beyond the file's last row. REQUIRES: at most one of the two is set.
// Error: corrupt, when the metadata of a row group's first column can not be read.
arrow::Result<std::optional<RowRanges>> RowsOfTask(const parquet::Footer& footer, const std::optional<TaskRange>& rows,
                                                   const std::optional<TaskRange>& bytes);

}  // namespace frazil::scan
