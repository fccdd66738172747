// SPDX-License-Identifier: Apache-2.0
#include "src/scan/output_stage.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include <arrow/array/concatenate.h>
#include <arrow/extension_type.h>

#include "src/parquet/select.h"
#include "src/scan/memory_plan.h"
#include "src/scan/metadata_columns.h"
#include "src/scan/parallel.h"
#include "src/scan/table_columns.h"
#include "src/scan/work_units.h"

namespace frazil::scan {
namespace {

// Row gaps worth decoding through: a skip costs about as much as so many values.
constexpr int64_t kGapRows = 32;
// Batches of fewer rows are joined: small units come of pages with few wanted rows.
constexpr int64_t kSmallBatchRows = 4096;

}  // namespace

arrow::Result<std::unique_ptr<OutputStage>> OutputStage::Open(const FileScan& file, const RowGroupPlan& plan,
                                                              RowRanges rows, std::map<int, arrow::ArrayVector> known,
                                                              const OpenPlannedLeaf& open_leaf) {
  std::unique_ptr<OutputStage> stage(new OutputStage(file, plan, std::move(rows), std::move(known)));
  for (int leaf : file.output_leaves) {
    if (stage->known_.count(leaf) > 0) continue;
    stage->leaves_.push_back(leaf);
    stage->planned_rows_[leaf] = plan.PlanLeaf(leaf, stage->rows_).page_rows;
  }
  const int64_t unit_bytes = std::max<int64_t>(1, file.context->options.unit_bytes);
  ARROW_ASSIGN_OR_RAISE(const BatchSize batch, PlanBatches(file, plan.row_group));
  stage->large_ = PlannedBytes(plan, stage->leaves_, stage->rows_) >= unit_bytes;
  const int threads = file.context->threads;
  if (stage->large_ && static_cast<int>(stage->leaves_.size()) < threads) {
    stage->units_ = CutUnits(plan, stage->leaves_, stage->rows_, {batch.rows, unit_bytes});
    stage->apart_ = UnitsAreApart(plan, stage->leaves_, stage->rows_, stage->units_.size());
  }
  if (!stage->apart_) {
    stage->units_ = CutUnits(plan, stage->leaves_, stage->rows_, {batch.rows, batch.bytes});
  }
  int64_t rank = 0;
  for (const RowRanges& unit : stage->units_) {
    stage->unit_ranks_.push_back(rank);
    rank += unit.count();
  }
  ARROW_RETURN_NOT_OK(stage->OpenWorkers(open_leaf));
  return stage;
}

arrow::Status OutputStage::OpenWorkers(const OpenPlannedLeaf& open_leaf) {
  const size_t count = apart_ ? std::min(units_.size(), static_cast<size_t>(file_.context->threads)) : 1;
  for (size_t i = 0; i < count; ++i) {
    Worker worker;
    for (const OutputColumn& column : file_.binding.outputs) {
      worker.fields.push_back(nullptr);
      if (column.kind != OutputColumn::Kind::kField) continue;
      if (column.field.is_leaf() && known_.count(column.field.leaf) > 0) continue;
      ARROW_ASSIGN_OR_RAISE(worker.fields.back(),
                            parquet::FieldReader::Open(column.field, [&](int leaf, const auto& type, bool nullable) {
                              return open_leaf(plan_.PlanLeaf(leaf, rows_), type, nullable);
                            }));
    }
    workers_.push_back(std::move(worker));
  }
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> OutputStage::Next() {
  while (ready_.empty()) {
    if (next_unit_ == units_.size()) return nullptr;
    ARROW_RETURN_NOT_OK(Advance());
  }
  auto batch = std::move(ready_.front());
  ready_.pop_front();
  return batch;
}

arrow::Status OutputStage::Advance() {
  if (next_unit_ == fetched_) {
    if (next_unit_ > 0) ReleaseBefore(file_.reader.get(), plan_, leaves_, units_[next_unit_].runs().front().begin);
    ARROW_ASSIGN_OR_RAISE(
        fetched_, FetchUnits(
                      file_.reader.get(), plan_, units_, [this](size_t) -> const auto& { return leaves_; }, fetched_,
                      FetchBytesMax(file_), {}, "pages"));
  }
  if (!apart_) {
    const int threads = large_ ? file_.context->threads : 1;
    ARROW_ASSIGN_OR_RAISE(auto batch, ReadUnit(workers_[0], next_unit_, threads));
    ready_.push_back(std::move(batch));
    ++next_unit_;
    return arrow::Status::OK();
  }
  // Enough units for each thread to be busy for a while, few enough to be held.
  const size_t begin = next_unit_;
  const size_t end = std::min(fetched_, begin + 2 * workers_.size());
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches(end - begin);
  // Each worker takes units in ascending order, as its readers need.
  std::atomic<size_t> next{begin};
  const int worker_count = static_cast<int>(std::min(workers_.size(), end - begin));
  ARROW_RETURN_NOT_OK(ParallelFor(worker_count, worker_count, [&](int worker) {
    for (size_t unit = next++; unit < end; unit = next++) {
      ARROW_ASSIGN_OR_RAISE(batches[unit - begin], ReadUnit(workers_[static_cast<size_t>(worker)], unit, 1));
    }
    return arrow::Status::OK();
  }));
  next_unit_ = end;
  int64_t row_count = 0;
  for (const auto& batch : batches) row_count += batch->num_rows();
  if (batches.size() > 1 && row_count <= kSmallBatchRows) {
    ARROW_ASSIGN_OR_RAISE(auto joined, arrow::ConcatenateRecordBatches(batches));
    batches = {std::move(joined)};
  }
  ready_.insert(ready_.end(), batches.begin(), batches.end());
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> OutputStage::ReadUnit(const Worker& worker, size_t unit,
                                                                         int threads) const {
  const RowRanges& rows = units_[unit];
  // Every leaf reads the same rows, so gaps are filled only with rows that all planned pages hold.
  RowRanges filled = rows.runs().size() > 1 ? parquet::FillGaps(rows, kGapRows) : rows;
  if (filled != rows) {
    for (const auto& [leaf, planned] : planned_rows_) filled = filled.Intersect(planned);
  }
  std::vector<parquet::LeafReader*> leaves;
  for (const auto& field : worker.fields) {
    if (field != nullptr) leaves.insert(leaves.end(), field->leaves().begin(), field->leaves().end());
  }
  ARROW_RETURN_NOT_OK(ParallelFor(threads, static_cast<int>(leaves.size()),
                                  [&](int i) { return leaves[static_cast<size_t>(i)]->Read(filled); }));
  const auto& outputs = file_.binding.outputs;
  arrow::ArrayVector arrays(outputs.size());
  const RowRanges ranks = filled == rows ? RowRanges::Of(0, rows.count()) : parquet::RanksWithin(filled, rows);
  ARROW_RETURN_NOT_OK(ParallelFor(threads, static_cast<int>(outputs.size()), [&](int i) -> arrow::Status {
    const size_t column = static_cast<size_t>(i);
    if (worker.fields[column] == nullptr) {
      ARROW_ASSIGN_OR_RAISE(arrays[column], ReadColumn(outputs[column], unit));
      return arrow::Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(auto array, worker.fields[column]->Build());
    ARROW_ASSIGN_OR_RAISE(arrays[column], parquet::SelectRanks(array, ranks));
    if (outputs[column].table_column == nullptr) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(arrays[column],
                          TableValues(*outputs[column].table_column, outputs[column].field, arrays[column]));
    if (const auto& inherited = outputs[column].inherited) {
      arrays[column] = FillInherited(arrays[column], *inherited, rows, plan_.first_row);
    }
    return arrow::Status::OK();
  }));
  return arrow::RecordBatch::Make(file_.context->schema, rows.count(), std::move(arrays));
}

// A column that is not read from pages: a metadata column, or one that the filter stage has read.
arrow::Result<std::shared_ptr<arrow::Array>> OutputStage::ReadColumn(const OutputColumn& column, size_t unit) const {
  const RowRanges& rows = units_[unit];
  if (column.kind == OutputColumn::Kind::kPos) {
    return PositionValues(rows, plan_.first_row + (column.inherited ? column.inherited->base : 0));
  }
  if (column.kind == OutputColumn::Kind::kFile) return FileValues(file_.name(), rows.count());
  if (column.kind == OutputColumn::Kind::kConstant) return MissingValues(*column.table_column, rows.count());
  arrow::ArrayVector pieces;
  int64_t rank = 0;
  const int64_t begin_rank = unit_ranks_[unit];
  const int64_t end_rank = begin_rank + rows.count();
  for (const auto& piece : known_.at(column.field.leaf)) {
    const int64_t begin = std::max(begin_rank, rank);
    const int64_t end = std::min(end_rank, rank + piece->length());
    if (begin < end) pieces.push_back(piece->Slice(begin - rank, end - begin));
    rank += piece->length();
  }
  std::shared_ptr<arrow::Array> array = pieces[0];
  if (pieces.size() > 1) {
    ARROW_ASSIGN_OR_RAISE(array, arrow::Concatenate(pieces));
  }
  const auto& type = column.field.field->type();
  if (type->id() == arrow::Type::EXTENSION) array = arrow::ExtensionType::WrapArray(type, array);
  if (column.table_column == nullptr) return array;
  ARROW_ASSIGN_OR_RAISE(array, TableValues(*column.table_column, column.field, array));
  return column.inherited ? FillInherited(array, *column.inherited, rows, plan_.first_row) : array;
}

}  // namespace frazil::scan
