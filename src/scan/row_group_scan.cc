// SPDX-License-Identifier: Apache-2.0
#include "src/scan/row_group_scan.h"

#include <algorithm>
#include <utility>

#include "src/scan/dictionary_stage.h"
#include "src/scan/memory_plan.h"
#include "src/scan/work_units.h"

namespace frazil::scan {

RowGroupScan::RowGroupScan(std::shared_ptr<const FileScan> file, RowGroupCandidate candidate, int64_t limit)
    : file_(std::move(file)), candidate_(std::move(candidate)), limit_(limit) {
  open_leaf_ = [this](parquet::ChunkPlan plan, const std::shared_ptr<arrow::DataType>& type,
                      bool nullable) -> arrow::Result<std::unique_ptr<parquet::LeafReader>> {
    parquet::PageReadOptions options;
    options.verify_checksums = file_->context->options.verify_checksums;
    const int leaf = plan.chunk.leaf;
    ARROW_ASSIGN_OR_RAISE(auto reader, parquet::LeafReader::Open(file_->file.footer.get(), file_->reader.get(),
                                                                 std::move(plan), type, nullable, options));
    states_.emplace_back(leaf, reader->state());
    return reader;
  };
}

arrow::Status RowGroupScan::Place(arrow::Status status) const {
  return AddPlace(std::move(status), {.file = file_->reader->name(), .row_group = candidate_.row_group});
}

arrow::Status RowGroupScan::Start() {
  started_ = true;
  for (bool first = true;; first = false) {
    arrow::Status status = Attempt(first);
    if (status.ok()) return status;
    if (!Distrust()) return Place(std::move(status));
  }
}

// True when some index was caught lying, which is now distrusted: another attempt is worth it.
bool RowGroupScan::Distrust() {
  if (batches_given_) return false;
  const size_t before = distrusted_.size();
  for (const auto& [leaf, state] : states_) {
    if (state->index_contradicted) distrusted_.insert(leaf);
  }
  return distrusted_.size() > before;
}

arrow::Status RowGroupScan::Plan(bool first) {
  ARROW_ASSIGN_OR_RAISE(plan_, PlanRowGroup(*file_, candidate_, distrusted_, first));
  if (first) ARROW_RETURN_NOT_OK(AskDictionaries());
  handed_on_ = LeavesHandedOn(*file_, plan_);
  output_leaves_.clear();
  std::set_difference(file_->output_leaves.begin(), file_->output_leaves.end(), handed_on_.begin(), handed_on_.end(),
                      std::back_inserter(output_leaves_));
  stages_ = PlanStages(*file_, plan_, output_leaves_);
  if (first) ReportPlan();
  return arrow::Status::OK();
}

arrow::Status RowGroupScan::AskDictionaries() {
  Evidence& evidence = *file_->context->evidence;
  const bool left = !plan_.rows.maybe.empty();
  ARROW_ASSIGN_OR_RAISE(const bool judged, JudgeDictionaries(*file_, plan_, &candidate_));
  if (judged) {
    RowGroupPlan plan;
    ARROW_ASSIGN_OR_RAISE(plan, PlanRowGroup(*file_, candidate_, distrusted_, /*count_evidence=*/false));
    if (plan.rows.maybe.empty()) {
      for (const auto& [leaf, access] : plan_.leaves) file_->reader->Release(access.range);
    }
    plan_ = std::move(plan);
  }
  if (left) evidence.Count(Level::kDictionary, 1, plan_.rows.maybe.empty() ? 0 : 1);
  evidence.AddRows(0, plan_.rows.maybe.count());
  return arrow::Status::OK();
}

arrow::Status RowGroupScan::Attempt(bool first) {
  output_ = nullptr;
  states_.clear();
  ARROW_RETURN_NOT_OK(Plan(first));
  std::map<int, arrow::ArrayVector> values;
  ARROW_RETURN_NOT_OK(RunFilter(&values));
  if (file_->context->request.count_only || final_rows_.empty()) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(output_, OutputStage::Open(*file_, plan_, final_rows_, std::move(values), open_leaf_));
  return arrow::Status::OK();
}

// Decides final_rows_; `values` gets what the filter stage hands on.
arrow::Status RowGroupScan::RunFilter(std::map<int, arrow::ArrayVector>* values) {
  final_rows_ = plan_.rows.proven;
  if (!plan_.filter_rows.empty()) {
    std::vector<ByteRange> output = PlannedRanges(plan_, output_leaves_, stages_.output_rows);
    const int64_t bytes = FilterBytes(plan_) + PlannedBytes(plan_, output_leaves_, stages_.output_rows);
    if (bytes > FetchBytesMax(*file_)) output.clear();
    const bool waits = stages_.waits && stages_.output_rows.empty();
    FilterStage filter(*file_, plan_, handed_on_, open_leaf_);
    ARROW_ASSIGN_OR_RAISE(auto answer, filter.Run(limit_, std::move(output), waits ? "filter pages" : "pages"));
    final_rows_ = final_rows_.Union(answer.matched);
    *values = std::move(answer.values);
  }
  if (limit_ >= 0) final_rows_ = final_rows_.First(limit_);
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> RowGroupScan::Next() {
  while (true) {
    if (!started_) ARROW_RETURN_NOT_OK(Start());
    if (finished_) return nullptr;
    if (output_ == nullptr) {
      Close();
      return nullptr;
    }
    auto batch = output_->Next();
    if (batch.ok()) {
      batches_given_ |= *batch != nullptr;
      if (*batch == nullptr) Close();
      return batch;
    }
    if (!Distrust()) return Place(batch.status());
    started_ = false;
  }
}

arrow::Result<int64_t> RowGroupScan::CountRows() {
  ARROW_RETURN_NOT_OK(Start());
  const int64_t rows = final_rows_.count();
  Close();
  return rows;
}

arrow::Status RowGroupScan::ExplainOnly() {
  ARROW_RETURN_NOT_OK(Plan(true));
  final_rows_ = plan_.rows.maybe;
  CountPages();
  file_->context->evidence->SetRounds(file_->reader->rounds());
  return arrow::Status::OK();
}

void RowGroupScan::ReportPlan() const {
  RowGroupReport report;
  report.file = file_->reader->name();
  report.row_group = plan_.row_group;
  report.rows_total = plan_.row_count;
  report.rows_selected = plan_.rows.maybe.count();
  report.rows_proven = plan_.rows.proven.count();
  for (const auto& [leaf, access] : plan_.leaves) {
    const bool filters = std::binary_search(plan_.filter_leaves.begin(), plan_.filter_leaves.end(), leaf);
    const bool projects = std::binary_search(file_->output_leaves.begin(), file_->output_leaves.end(), leaf);
    if (!filters && !projects) {
      report.pages_total += access.offsets ? access.offsets->page_count() : 0;
      continue;
    }
    const parquet::ChunkPlan plan = plan_.PlanLeaf(leaf, projects ? plan_.rows.maybe : plan_.FilterRows(leaf));
    report.pages_total += plan.page_count_total();
    report.pages_kept += static_cast<int64_t>(plan.pages.size());
    if (!plan_.rows.maybe.empty()) report.bytes_planned += plan.RangeBytes();
  }
  report.stages = stages_.why;
  file_->context->evidence->AddRowGroup(std::move(report));
}

// Pages of the columns of this row group, and those that were planned by either stage.
void RowGroupScan::CountPages() const {
  int64_t total = 0;
  int64_t kept = 0;
  for (const auto& [leaf, access] : plan_.leaves) {
    if (access.offsets == nullptr) continue;
    total += access.offsets->page_count();
    RowRanges rows = plan_.FilterRows(leaf);
    if (std::binary_search(file_->output_leaves.begin(), file_->output_leaves.end(), leaf)) {
      rows = rows.Union(final_rows_);
    }
    kept += static_cast<int64_t>(parquet::PagesOf(*access.offsets, rows).size());
  }
  file_->context->evidence->AddPages(total, kept);
}

void RowGroupScan::Close() {
  if (finished_ || !started_) return;
  finished_ = true;
  CountPages();
  Evidence& evidence = *file_->context->evidence;
  evidence.AddMatched(final_rows_.count());
  evidence.SetRounds(file_->reader->rounds());
  output_ = nullptr;
  for (const auto& [leaf, access] : plan_.leaves) file_->reader->Release(access.range);
}

}  // namespace frazil::scan
