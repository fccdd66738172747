// SPDX-License-Identifier: Apache-2.0
#include "src/scan/row_group_scan.h"

#include <algorithm>
#include <utility>

#include <arrow/array/array_binary.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/extension_type.h>
#include <arrow/scalar.h>
#include <arrow/util/byte_size.h>

#include "src/parquet/select.h"
#include "src/scan/filter_stage.h"
#include "src/scan/parallel.h"

namespace frazil::scan {
namespace {

// Below this much encoded data a second thread costs more than it saves.
constexpr int64_t kParallelBytesMin = 1 << 20;
// Row gaps worth decoding through: a skip costs about as much as so many values.
constexpr int64_t kGapRows = 32;
// Fetched in one go when planned bytes are at most this; more is fetched window by window while decoding.
constexpr int64_t kFetchAtOnceBytesMax = 16 << 20;

std::shared_ptr<arrow::Array> Positions(const RowRanges& rows, int64_t first_row) {
  auto values = arrow::AllocateBuffer(rows.count() * 8).ValueOrDie();
  int64_t* out = reinterpret_cast<int64_t*>(values->mutable_data());
  for (const RowRange& run : rows.runs()) {
    for (int64_t row = run.begin; row < run.end; ++row) *out++ = first_row + row;
  }
  return std::make_shared<arrow::Int64Array>(rows.count(), std::move(values));
}

}  // namespace

RowGroupScan::RowGroupScan(std::shared_ptr<const FileScan> file, RowGroupCandidate candidate, int64_t limit)
    : file_(std::move(file)), candidate_(std::move(candidate)), limit_(limit) {}

arrow::Result<std::unique_ptr<parquet::LeafReader>> RowGroupScan::OpenLeaf(int leaf,
                                                                           const std::shared_ptr<arrow::DataType>& type,
                                                                           bool nullable, const RowRanges& wanted) {
  parquet::PageReadOptions options;
  options.verify_checksums = context().options.verify_checksums;
  ARROW_ASSIGN_OR_RAISE(auto reader, parquet::LeafReader::Open(file_->file.footer.get(), file_->reader.get(),
                                                               plan_.PlanLeaf(leaf, wanted), type, nullable, options));
  states_.emplace_back(leaf, reader->state());
  return reader;
}

arrow::Status RowGroupScan::Start() {
  started_ = true;
  for (bool first = true;; first = false) {
    arrow::Status status = Attempt(first);
    if (status.ok()) return status;
    if (!Distrust()) {
      return AddPlace(std::move(status), {.file = file_->reader->name(), .row_group = candidate_.row_group});
    }
  }
}

// True when some index was caught lying, which is now distrusted: another attempt is worth it.
bool RowGroupScan::Distrust() {
  if (batches_given_ > 0) return false;
  const size_t before = distrusted_.size();
  for (const auto& [leaf, state] : states_) {
    if (state->index_contradicted) distrusted_.insert(leaf);
  }
  return distrusted_.size() > before;
}

arrow::Status RowGroupScan::Attempt(bool first) {
  fields_.clear();
  states_.clear();
  reused_.clear();
  planned_rows_.clear();
  next_rank_ = 0;
  ARROW_ASSIGN_OR_RAISE(plan_, PlanRowGroup(*file_, candidate_, distrusted_, first));
  if (first) ReportPlan();
  ARROW_RETURN_NOT_OK(FetchFirst());
  ARROW_RETURN_NOT_OK(RunFilter());
  return OpenOutput();
}

// Fetches the filter's pages, together with the output's when those cost less than another round trip.
arrow::Status RowGroupScan::FetchFirst() {
  std::vector<ByteRange> filter_ranges;
  int64_t filter_bytes = 0;
  for (int leaf : plan_.filter_leaves) {
    const auto ranges = plan_.PlanLeaf(leaf, plan_.filter_rows).Ranges();
    for (const ByteRange& range : ranges) filter_bytes += range.length;
    filter_ranges.insert(filter_ranges.end(), ranges.begin(), ranges.end());
  }
  std::vector<ByteRange> output_ranges;
  int64_t output_bytes = 0;
  for (int leaf : file_->output_leaves) {
    if (Reusable(leaf) || plan_.rows.maybe.empty()) continue;
    const auto ranges = plan_.PlanLeaf(leaf, plan_.rows.maybe).Ranges();
    for (const ByteRange& range : ranges) output_bytes += range.length;
    output_ranges.insert(output_ranges.end(), ranges.begin(), ranges.end());
  }
  two_stages_ = !filter_ranges.empty() && context().enabled(Level::kTwoStages) &&
                output_bytes > file_->reader->cost_model().gap_bytes();
  std::vector<ByteRange> wanted = std::move(filter_ranges);
  int64_t bytes = filter_bytes;
  if (!two_stages_) {
    wanted.insert(wanted.end(), output_ranges.begin(), output_ranges.end());
    bytes += output_bytes;
  }
  if (wanted.empty() || bytes > kFetchAtOnceBytesMax) return arrow::Status::OK();
  return file_->reader->Fetch(wanted, two_stages_ ? "filter pages" : "pages");
}

// True when the values of the filter stage serve the output too: a top-level column that the filter reads on every row.
bool RowGroupScan::Reusable(int leaf) const {
  if (!plan_.rows.proven.empty() || plan_.filter_rows.empty()) return false;
  // INT96 is decoded in another type for the filter.
  if (file_->footer().schema().Column(leaf)->physical_type() == ::parquet::Type::INT96) return false;
  if (!std::binary_search(plan_.filter_leaves.begin(), plan_.filter_leaves.end(), leaf)) return false;
  bool serves = false;
  for (const expr::BoundColumn& column : file_->binding.filter.columns) serves |= column.ref == leaf;
  for (const OutputColumn& column : file_->binding.outputs) {
    if (column.kind != OutputColumn::Kind::kField) continue;
    std::vector<int> leaves;
    column.field.AppendLeaves(&leaves);
    const bool holds = std::find(leaves.begin(), leaves.end(), leaf) != leaves.end();
    if (holds && !column.field.is_leaf()) return false;
  }
  return serves;
}

arrow::Status RowGroupScan::RunFilter() {
  final_rows_ = plan_.rows.proven;
  if (plan_.filter_rows.empty()) {
    if (limit_ >= 0) final_rows_ = final_rows_.First(limit_);
    return arrow::Status::OK();
  }
  FilterStage stage(*file_, plan_);
  ARROW_RETURN_NOT_OK(stage.Open([this](int leaf, const std::shared_ptr<arrow::DataType>& type, bool nullable) {
    return OpenLeaf(leaf, type, nullable, plan_.filter_rows);
  }));
  std::vector<int> kept;
  for (int leaf : file_->output_leaves) {
    if (Reusable(leaf)) kept.push_back(leaf);
  }
  RowRanges matched;
  const int64_t slice_rows = BatchRows() * 2;
  const int64_t rows = plan_.filter_rows.count();
  for (int64_t rank = 0; rank < rows; rank += slice_rows) {
    const RowRanges slice = plan_.filter_rows.SliceByRank(rank, std::min(rows, rank + slice_rows));
    ARROW_ASSIGN_OR_RAISE(RowRanges ranks, stage.Match(slice));
    const RowRanges hits = slice.Select(ranks);
    for (const RowRange& run : hits.runs()) matched.Append(run.begin, run.end);
    for (int leaf : kept) {
      ARROW_ASSIGN_OR_RAISE(auto values, parquet::SelectRanks(stage.Values(leaf), ranks));
      if (values->length() > 0) reused_[leaf].push_back(std::move(values));
    }
    const int64_t slice_end = slice.runs().back().end;
    if (limit_ >= 0 && matched.count() + plan_.rows.proven.Slice(0, slice_end).count() >= limit_) break;
  }
  for (int leaf : kept) reused_[leaf];  // present, even when nothing matched
  final_rows_ = final_rows_.Union(matched);
  if (limit_ >= 0) final_rows_ = final_rows_.First(limit_);
  return arrow::Status::OK();
}

arrow::Status RowGroupScan::OpenOutput() {
  if (context().request.count_only || final_rows_.empty()) return arrow::Status::OK();
  std::vector<ByteRange> wanted;
  int64_t bytes = 0;
  for (int leaf : file_->output_leaves) {
    if (reused_.count(leaf) > 0) continue;
    const parquet::ChunkPlan plan = plan_.PlanLeaf(leaf, final_rows_);
    planned_rows_[leaf] = plan.page_rows;
    const auto ranges = plan.Ranges();
    for (const ByteRange& range : ranges) bytes += range.length;
    wanted.insert(wanted.end(), ranges.begin(), ranges.end());
  }
  if (bytes <= kFetchAtOnceBytesMax) ARROW_RETURN_NOT_OK(file_->reader->Fetch(wanted, "pages"));
  for (const OutputColumn& column : file_->binding.outputs) {
    fields_.push_back(nullptr);
    if (column.kind != OutputColumn::Kind::kField) continue;
    if (column.field.is_leaf() && reused_.count(column.field.leaf) > 0) continue;
    ARROW_ASSIGN_OR_RAISE(fields_.back(),
                          parquet::FieldReader::Open(column.field, [this](int leaf, const auto& type, bool nullable) {
                            return OpenLeaf(leaf, type, nullable, final_rows_);
                          }));
  }
  return arrow::Status::OK();
}

int64_t RowGroupScan::BatchRows() const {
  int64_t bytes = 0;
  for (const auto& [leaf, access] : plan_.leaves) bytes += std::max<int64_t>(access.chunk.total_uncompressed_size, 0);
  const int64_t row_bytes = std::max<int64_t>(1, bytes / std::max<int64_t>(1, plan_.row_count));
  return std::clamp<int64_t>(context().options.batch_bytes / row_bytes, 1,
                             std::max<int64_t>(1, context().options.batch_rows));
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> RowGroupScan::Next() {
  while (true) {
    if (!started_) ARROW_RETURN_NOT_OK(Start());
    if (finished_) return nullptr;
    if (next_rank_ >= final_rows_.count()) {
      Finish();
      return nullptr;
    }
    auto batch = ReadBatch();
    if (batch.ok()) {
      ++batches_given_;
      return batch;
    }
    if (!Distrust()) {
      return AddPlace(batch.status(), {.file = file_->reader->name(), .row_group = candidate_.row_group});
    }
    started_ = false;
  }
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> RowGroupScan::ReadBatch() {
  const int64_t end_rank = std::min(final_rows_.count(), next_rank_ + BatchRows());
  const RowRanges rows = final_rows_.SliceByRank(next_rank_, end_rank);
  // Every leaf reads the same rows, so gaps are filled only with rows that all planned pages hold.
  RowRanges filled = rows.runs().size() > 1 ? parquet::FillGaps(rows, kGapRows) : rows;
  if (filled != rows) {
    for (const auto& [leaf, planned] : planned_rows_) filled = filled.Intersect(planned);
  }
  std::vector<parquet::LeafReader*> leaves;
  int64_t bytes = 0;
  for (const auto& field : fields_) {
    if (field == nullptr) continue;
    leaves.insert(leaves.end(), field->leaves().begin(), field->leaves().end());
  }
  for (const parquet::LeafReader* leaf : leaves) bytes += leaf->plan().RangeBytes();
  const int threads = bytes >= kParallelBytesMin ? context().threads : 1;
  ARROW_RETURN_NOT_OK(ParallelFor(threads, static_cast<int>(leaves.size()),
                                  [&](int i) { return leaves[static_cast<size_t>(i)]->Read(filled); }));
  const auto& outputs = file_->binding.outputs;
  arrow::ArrayVector arrays(outputs.size());
  const RowRanges ranks = filled == rows ? RowRanges::Of(0, rows.count()) : parquet::RanksWithin(filled, rows);
  ARROW_RETURN_NOT_OK(ParallelFor(threads, static_cast<int>(outputs.size()), [&](int i) -> arrow::Status {
    const size_t column = static_cast<size_t>(i);
    if (fields_[column] == nullptr) {
      ARROW_ASSIGN_OR_RAISE(arrays[column], ReadColumn(outputs[column], rows));
      return arrow::Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(auto array, fields_[column]->Build());
    ARROW_ASSIGN_OR_RAISE(arrays[column], parquet::SelectRanks(array, ranks));
    return arrow::Status::OK();
  }));
  next_rank_ = end_rank;
  return arrow::RecordBatch::Make(context().schema, rows.count(), std::move(arrays));
}

// A column that is not read from pages: a metadata column, or one that the filter stage has read.
arrow::Result<std::shared_ptr<arrow::Array>> RowGroupScan::ReadColumn(const OutputColumn& column,
                                                                      const RowRanges& rows) {
  if (column.kind == OutputColumn::Kind::kPos) return Positions(rows, plan_.first_row);
  if (column.kind == OutputColumn::Kind::kFile) {
    return arrow::MakeArrayFromScalar(arrow::StringScalar(file_->reader->name()), rows.count());
  }
  arrow::ArrayVector pieces;
  int64_t rank = 0;
  const int64_t end_rank = next_rank_ + rows.count();
  for (const auto& piece : reused_.at(column.field.leaf)) {
    const int64_t begin = std::max(next_rank_, rank);
    const int64_t end = std::min(end_rank, rank + piece->length());
    if (begin < end) pieces.push_back(piece->Slice(begin - rank, end - begin));
    rank += piece->length();
  }
  std::shared_ptr<arrow::Array> array = pieces[0];
  if (pieces.size() > 1) {
    ARROW_ASSIGN_OR_RAISE(array, arrow::Concatenate(pieces));
  }
  const auto& type = column.field.field->type();
  if (type->id() == arrow::Type::EXTENSION) return arrow::ExtensionType::WrapArray(type, array);
  return array;
}

arrow::Result<int64_t> RowGroupScan::CountRows() {
  ARROW_RETURN_NOT_OK(Start());
  const int64_t rows = final_rows_.count();
  Finish();
  return rows;
}

arrow::Status RowGroupScan::ExplainOnly() {
  auto planned = PlanRowGroup(*file_, candidate_, distrusted_, true);
  ARROW_RETURN_NOT_OK(planned.status());
  plan_ = std::move(*planned);
  final_rows_ = plan_.rows.maybe;
  ReportPlan();
  CountPages();
  return arrow::Status::OK();
}

void RowGroupScan::ReportPlan() const {
  RowGroupReport report;
  report.file = file_->reader->name();
  report.row_group = plan_.row_group;
  report.rows_total = plan_.row_count;
  report.rows_selected = plan_.rows.maybe.count();
  report.rows_proven = plan_.rows.proven.count();
  int64_t output_bytes = 0;
  for (const auto& [leaf, access] : plan_.leaves) {
    const bool filters = std::binary_search(plan_.filter_leaves.begin(), plan_.filter_leaves.end(), leaf);
    const bool projects = std::binary_search(file_->output_leaves.begin(), file_->output_leaves.end(), leaf);
    if (!filters && !projects) {
      report.pages_total += access.offsets ? access.offsets->page_count() : 0;
      continue;
    }
    const parquet::ChunkPlan plan = plan_.PlanLeaf(leaf, projects ? plan_.rows.maybe : plan_.filter_rows);
    report.pages_total += plan.page_count_total();
    report.pages_kept += static_cast<int64_t>(plan.pages.size());
    if (!plan_.rows.maybe.empty()) report.bytes_planned += plan.RangeBytes();
    if (!filters) output_bytes += plan.RangeBytes();
  }
  const bool two = !plan_.filter_leaves.empty() && context().enabled(Level::kTwoStages) &&
                   output_bytes > file_->reader->cost_model().gap_bytes();
  report.stages = two ? "two stages: " + std::to_string(output_bytes) + " bytes of output pages wait for the filter"
                  : plan_.filter_leaves.empty() ? "one stage: no filter is left to run"
                                                : "one stage: the output pages cost less than a round trip";
  context().evidence->AddRowGroup(std::move(report));
}

// Pages of the columns of this row group, and those that were planned by either stage.
void RowGroupScan::CountPages() const {
  int64_t total = 0;
  int64_t kept = 0;
  for (const auto& [leaf, access] : plan_.leaves) {
    if (access.offsets == nullptr) continue;
    total += access.offsets->page_count();
    RowRanges rows;
    if (std::binary_search(plan_.filter_leaves.begin(), plan_.filter_leaves.end(), leaf)) rows = plan_.filter_rows;
    if (std::binary_search(file_->output_leaves.begin(), file_->output_leaves.end(), leaf)) {
      rows = rows.Union(final_rows_);
    }
    kept += static_cast<int64_t>(parquet::PagesOf(*access.offsets, rows).size());
  }
  context().evidence->AddPages(total, kept);
}

void RowGroupScan::Finish() {
  if (finished_) return;
  finished_ = true;
  CountPages();
  context().evidence->AddMatched(final_rows_.count());
  context().evidence->SetRounds(file_->reader->rounds());
  fields_.clear();
  reused_.clear();
  for (const auto& [leaf, access] : plan_.leaves) file_->reader->Release(access.range);
}

}  // namespace frazil::scan
