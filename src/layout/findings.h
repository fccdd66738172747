// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with a layout, from the figures: evidence, cost and cure of each fault.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "frazil/audit.h"

namespace frazil::layout {

// Appends the faults of one column. `lookups_name_it`: some are only faults of columns that lookups name.
// `unusable`: reasons why page indexes were not used, and of how many chunks.
void FindInColumn(const ColumnAudit& column, bool lookups_name_it, const std::map<std::string, int64_t>& unusable,
                  std::vector<AuditFinding>* findings);

// Appends the faults of the files as a whole.
void FindInFiles(const AuditReport& report, std::vector<AuditFinding>* findings);

}  // namespace frazil::layout
