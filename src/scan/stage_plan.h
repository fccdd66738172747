// SPDX-License-Identifier: Apache-2.0
//
// Whether the output's pages of a row group wait for the filter's answer. Waiting saves the pages that hold no match
// and costs a round trip; so it pays when the output's pages are more bytes than a round trip is worth.
#pragma once

#include <string>

#include "src/scan/row_group_plan.h"

namespace frazil::scan {

struct StagePlan {
  RowRanges output_rows;     // rows whose output pages are fetched together with the filter's
  bool waits = false;        // other rows that may match wait for the filter's answer
  int64_t output_bytes = 0;  // of the output's pages of all rows that may match, those the filter reads anyway apart
  std::string why;           // for people
};

// `output_leaves`: the leaves that the output stage has to read, those that the filter stage hands on left out.
StagePlan PlanStages(const FileScan& file, const RowGroupPlan& plan, const std::vector<int>& output_leaves);

}  // namespace frazil::scan
