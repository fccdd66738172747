// SPDX-License-Identifier: Apache-2.0
#include "src/scan/stage_plan.h"

#include <algorithm>

#include "src/base/human_text.h"
#include "src/scan/work_units.h"

namespace frazil::scan {
namespace {

// What a guess may cost, in gaps worth reading through: most guesses are right.
constexpr int64_t kGuessGaps = 4;

}  // namespace

StagePlan PlanStages(const FileScan& file, const RowGroupPlan& plan, const std::vector<int>& output_leaves) {
  StagePlan stages;
  if (plan.filter_leaves.empty()) {
    stages.output_rows = plan.rows.maybe;
    stages.why = "one stage: no filter is left to run";
    return stages;
  }
  std::vector<int> only_output;
  std::set_difference(output_leaves.begin(), output_leaves.end(), plan.filter_leaves.begin(), plan.filter_leaves.end(),
                      std::back_inserter(only_output));
  stages.output_bytes = PlannedBytes(plan, only_output, plan.rows.maybe);
  const int64_t gap_bytes = file.reader->cost_model().gap_bytes();
  if (!file.context->enabled(Level::kTwoStages)) {
    stages.output_rows = plan.rows.maybe;
    stages.why = "one stage: two stages are switched off";
    return stages;
  }
  if (stages.output_bytes <= gap_bytes) {
    stages.output_rows = plan.rows.maybe;
    stages.why = "one stage: the output pages cost less than a round trip";
    return stages;
  }
  stages.waits = true;
  stages.why = "two stages: " + HumanBytes(stages.output_bytes) + " of output pages wait for the filter";
  if (!plan.predicted.empty()) {
    const RowRanges rows = plan.predicted.Union(plan.rows.proven);
    const int64_t bytes = PlannedBytes(plan, only_output, rows);
    if (bytes <= kGuessGaps * gap_bytes) {
      stages.output_rows = rows;
      stages.why = "two stages, one round: " + HumanBytes(bytes) + " of " + HumanBytes(stages.output_bytes) +
                   " of output pages are fetched with the filter's, where ordered bounds predict the matches";
    }
  }
  return stages;
}

}  // namespace frazil::scan
