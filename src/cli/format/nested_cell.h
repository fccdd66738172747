// SPDX-License-Identifier: Apache-2.0
//
// Cells of structs, lists and maps: JSON text whatever the style; see cell.h.
#pragma once

#include <memory>

#include "src/cli/format/cell.h"

namespace frazil::cli {

// REQUIRES: a struct, list, large list, fixed size list, list view, large list view or map array.
arrow::Result<std::unique_ptr<CellAppender>> MakeNestedCell(const std::shared_ptr<arrow::Array>& array,
                                                            const CellOptions& options);

}  // namespace frazil::cli
