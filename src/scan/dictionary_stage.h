// SPDX-License-Identifier: Apache-2.0
//
// The dictionaries of one row group, after the page index: leaves of the filter are evaluated on the entries of column
// chunks that are wholly dictionary-encoded. No entry matches: no row does. Every entry matches: every row that is not
// null does.
//
// The dictionary is read before the pages only where its bytes and a round trip are less than the pages that it may
// save; it is held, and decoding does not read it again.
#pragma once

#include <arrow/result.h>

#include "src/scan/row_group_plan.h"

namespace frazil::scan {

// Sets verdicts of leaves that the dictionaries decide. Returns whether it set any: then the row group is to be planned
// anew. I/O: at most one round. Errors: the source's own and the budget's; a dictionary that can not be read or
// believed is counted as unusable.
arrow::Result<bool> JudgeDictionaries(const FileScan& file, const RowGroupPlan& plan, RowGroupCandidate* candidate);

}  // namespace frazil::scan
