// SPDX-License-Identifier: Apache-2.0
#include "src/scan/row_group_plan.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "src/parquet/statistics.h"
#include "src/prune/page.h"
#include "src/scan/predict.h"

namespace frazil::scan {
namespace {

using expr::Verdict;
using prune::RowVerdicts;

std::string_view View(const arrow::Buffer& buffer) {
  return {reinterpret_cast<const char*>(buffer.data()), static_cast<size_t>(buffer.size())};
}

// Exact row ranges of a condition on _pos.
RowVerdicts JudgePositions(const expr::Leaf& leaf, int64_t first_row, int64_t row_count) {
  RowVerdicts rows;
  const expr::Int128 end_of_file = expr::Int128{first_row} + row_count;
  for (const auto& interval : std::get<expr::IntervalSet<expr::Int128>>(leaf.keys).intervals()) {
    const expr::Int128 begin = std::max<expr::Int128>(interval.begin, first_row);
    const expr::Int128 end = interval.end ? std::min(*interval.end, end_of_file) : end_of_file;
    if (begin < end) rows.maybe.Append(static_cast<int64_t>(begin - first_row), static_cast<int64_t>(end - first_row));
  }
  rows.proven = rows.maybe;
  return rows;
}

class Planner {
 public:
  Planner(const FileScan& file, const RowGroupCandidate& candidate, const std::set<int>& distrusted)
      : file_(file), candidate_(candidate), distrusted_(distrusted) {
    plan_.row_group = candidate.row_group;
    plan_.row_count = footer().row_group_row_count(candidate.row_group);
    plan_.first_row = footer().row_group_first_row(candidate.row_group);
  }

  arrow::Result<RowGroupPlan> Run(bool count_evidence) {
    const expr::Predicate& root = file_.binding.filter.root;
    ARROW_RETURN_NOT_OK(LoadFilterIndexes(root));
    auto judge = [this](const expr::Leaf& leaf) { return JudgeLeaf(leaf); };
    plan_.rows = prune::Combine(root, plan_.row_count, judge);
    KeepMeant();
    DropDeleted();
    const int64_t limit = file_.context->options.limit;
    if (limit >= 0 && plan_.rows.proven == plan_.rows.maybe) {
      plan_.rows.maybe = plan_.rows.maybe.First(limit);
      plan_.rows.proven = plan_.rows.maybe;
    }
    plan_.filter_rows = plan_.rows.maybe.Difference(plan_.rows.proven);
    if (!plan_.filter_rows.empty()) {
      PlanParts(root);
      plan_.predicted = Predict(root);
      if (plan_.predicted == plan_.filter_rows) plan_.predicted = {};
    }
    for (int leaf : plan_.filter_leaves) ARROW_RETURN_NOT_OK(LoadLeaf(leaf));
    if (!plan_.rows.maybe.empty()) {
      for (int leaf : file_.output_leaves) ARROW_RETURN_NOT_OK(LoadLeaf(leaf));
    }
    if (count_evidence) CountEvidence();
    return std::move(plan_);
  }

 private:
  const parquet::Footer& footer() const { return *file_.file.footer; }

  // Rows that another task of the scan reads are none of this one's.
  void KeepMeant() {
    rows_meant_ = plan_.row_count;
    if (!file_.binding.rows) return;
    const RowRanges meant =
        file_.binding.rows->Slice(plan_.first_row, plan_.first_row + plan_.row_count).Shift(-plan_.first_row);
    rows_meant_ = meant.count();
    plan_.rows.maybe = plan_.rows.maybe.Intersect(meant);
    plan_.rows.proven = plan_.rows.proven.Intersect(meant);
  }

  void PlanParts(const expr::Predicate& root) {
    std::set<int> all;
    const auto judge = [this](const expr::Leaf& leaf) { return JudgeLeaf(leaf); };
    for (prune::RowsToAsk& ask : prune::PartByResidual(root, plan_.filter_rows, judge)) {
      std::set<int> leaves;
      for (int column : ask.residual.Columns()) {
        const int leaf = FilterLeaf(footer(), file_.binding.filter.columns[static_cast<size_t>(column)]);
        if (leaf >= 0) leaves.insert(leaf);
      }
      all.insert(leaves.begin(), leaves.end());
      plan_.parts.push_back({std::move(ask.rows), std::move(ask.residual), {leaves.begin(), leaves.end()}});
    }
    plan_.filter_leaves.assign(all.begin(), all.end());
  }

  // Deleted rows are as if they were not there: neither read nor counted.
  void DropDeleted() {
    if (file_.binding.deleted.empty()) return;
    const RowRanges deleted =
        file_.binding.deleted.Slice(plan_.first_row, plan_.first_row + plan_.row_count).Shift(-plan_.first_row);
    rows_deleted_ = plan_.rows.maybe.count();
    plan_.rows.maybe = plan_.rows.maybe.Difference(deleted);
    plan_.rows.proven = plan_.rows.proven.Difference(deleted);
    rows_deleted_ -= plan_.rows.maybe.count();
  }

  // Reads what is known of a leaf, with its offset index where that is usable.
  arrow::Status LoadLeaf(int leaf) {
    if (plan_.leaves.count(leaf) > 0) return arrow::Status::OK();
    LeafAccess access;
    ARROW_ASSIGN_OR_RAISE(access.chunk, footer().Chunk(plan_.row_group, leaf));
    auto range = parquet::ChunkRange(access.chunk, footer().file_size());
    if (!range.ok()) {
      // A row group without rows needs no bytes, wherever its metadata point.
      if (plan_.row_count > 0) return AddPlace(range.status(), {.column = footer().leaf_path(leaf)});
      range = ByteRange{0, 0};
    }
    access.range = *range;
    if (file_.context->enabled(Level::kPageIndex)) LoadOffsetIndex(leaf, &access);
    plan_.leaves.emplace(leaf, std::move(access));
    return arrow::Status::OK();
  }

  void LoadOffsetIndex(int leaf, LeafAccess* access) {
    const std::string& path = footer().leaf_path(leaf);
    if (!access->chunk.offset_index) {
      if (file_.binding.filter.columns.size() > 0) unusable_.Add(path, "no offset index");
      return;
    }
    if (distrusted_.count(leaf) > 0) {
      access->index_distrusted = true;
      unusable_.Add(path, "offset index contradicts the pages");
      return;
    }
    // Not fetched: the scan had no use for it.
    if (!file_.reader->Holds(*access->chunk.offset_index)) {
      if (access->chunk.offset_index->end() > footer().footer_offset()) {
        unusable_.Add(path, "offset index lies outside the file");
      }
      return;
    }
    auto bytes = file_.reader->Get(*access->chunk.offset_index);
    if (!bytes.ok()) return;
    auto offsets = parquet::ParseOffsetIndex(View(**bytes), access->range, plan_.row_count);
    if (!offsets.ok()) {
      unusable_.Add(path, "offset index: " + Reason(offsets.status()));
      return;
    }
    access->offsets = std::make_shared<parquet::OffsetIndex>(std::move(*offsets));
  }

  static std::string Reason(const arrow::Status& status) { return status.message(); }

  arrow::Status LoadFilterIndexes(const expr::Predicate& predicate) {
    if (predicate.kind == expr::Predicate::Kind::kLeaf && file_.context->enabled(Level::kPageIndex) &&
        candidate_.verdicts.at(&predicate.leaf) == Verdict::kSome) {
      const int leaf = IndexLeaf(footer(), ColumnOf(predicate.leaf));
      if (leaf >= 0) {
        ARROW_RETURN_NOT_OK(LoadLeaf(leaf));
        LoadColumnIndex(leaf);
      }
    }
    for (const expr::Predicate& child : predicate.children) ARROW_RETURN_NOT_OK(LoadFilterIndexes(child));
    return arrow::Status::OK();
  }

  const expr::BoundColumn& ColumnOf(const expr::Leaf& leaf) const {
    return file_.binding.filter.columns[static_cast<size_t>(leaf.column)];
  }

  void LoadColumnIndex(int leaf) {
    const LeafAccess& access = plan_.leaves.at(leaf);
    if (indexes_.count(leaf) > 0 || access.offsets == nullptr) return;
    const std::string& path = footer().leaf_path(leaf);
    if (!access.chunk.column_index) {
      unusable_.Add(path, "no column index");
      return;
    }
    auto bytes = file_.reader->Holds(*access.chunk.column_index) ? file_.reader->Get(*access.chunk.column_index)
                                                                 : arrow::Status::Invalid("lies outside the file");
    if (!bytes.ok()) {
      unusable_.Add(path, "column index lies outside the file");
      return;
    }
    const ::parquet::ColumnDescriptor& descriptor = *footer().schema().Column(leaf);
    const auto decoder = parquet::MakeBoundsDecoder(descriptor, footer().column_order(leaf));
    auto index = parquet::ParseColumnIndex(View(**bytes), decoder, *access.offsets, descriptor.max_definition_level());
    if (!index.ok()) {
      unusable_.Add(path, "column index: " + Reason(index.status()));
      return;
    }
    if (!decoder.usable) unusable_.Add(path, decoder.reason);
    if (index->claimed_order_was_false) unusable_.Add(path, "column index claims an order that its bounds do not have");
    index_bytes_.push_back(*bytes);  // the bounds are views into them
    indexes_.emplace(leaf, std::move(*index));
  }

  RowVerdicts JudgeLeaf(const expr::Leaf& leaf) {
    auto known = judged_.find(&leaf);
    if (known != judged_.end()) return known->second;
    return judged_.emplace(&leaf, JudgeLeafOnce(leaf)).first->second;
  }

  // The rows of filter_rows that `predicate` probably accepts.
  RowRanges Predict(const expr::Predicate& predicate) const {
    if (predicate.kind == expr::Predicate::Kind::kLeaf) {
      const int leaf = IndexLeaf(footer(), ColumnOf(predicate.leaf));
      const auto index = indexes_.find(leaf);
      if (index == indexes_.end() || ColumnOf(predicate.leaf).ref < 0) return plan_.filter_rows;
      return PredictRows(*plan_.leaves.at(leaf).offsets, index->second, predicate.leaf, plan_.filter_rows);
    }
    const bool is_or = predicate.kind == expr::Predicate::Kind::kOr;
    RowRanges rows = is_or ? RowRanges() : plan_.filter_rows;
    for (const expr::Predicate& child : predicate.children) {
      rows = is_or ? rows.Union(Predict(child)) : rows.Intersect(Predict(child));
    }
    return rows;
  }

  RowVerdicts JudgeLeafOnce(const expr::Leaf& leaf) {
    const auto verdict = candidate_.verdicts.find(&leaf);
    // Leaves made by Simplify's merging are copies: unknown here, and not worth judging again.
    if (verdict == candidate_.verdicts.end()) return RowVerdicts::Unknown(plan_.row_count);
    if (verdict->second != Verdict::kSome) return RowVerdicts::Of(verdict->second, plan_.row_count);
    const expr::BoundColumn& column = ColumnOf(leaf);
    if (column.ref == kPosRef && file_.context->enabled(Level::kPageIndex)) {
      return JudgePositions(leaf, plan_.first_row, plan_.row_count);
    }
    const int index_leaf = IndexLeaf(footer(), column);
    auto index = indexes_.find(index_leaf);
    if (index == indexes_.end()) return RowVerdicts::Unknown(plan_.row_count);
    const parquet::OffsetIndex& offsets = *plan_.leaves.at(index_leaf).offsets;
    if (column.ref >= 0) return prune::JudgePages(offsets, index->second, column.type, leaf);
    const auto& group = footer().filter_schema().GroupOf(column.ref);
    return prune::JudgeGroupPages(offsets, index->second, group.def_level,
                                  footer().schema().Column(index_leaf)->max_definition_level(), leaf);
  }

  void CountEvidence() const {
    Evidence& evidence = *file_.context->evidence;
    evidence.AddUnusable(Level::kPageIndex, unusable_);
    const int64_t indexed = plan_.rows.maybe.count() + rows_deleted_;
    evidence.Count(Level::kPageIndex, rows_meant_, indexed);
    if (!file_.binding.file_name.empty()) evidence.AddLive(indexed, plan_.rows.maybe.count());
  }

  const FileScan& file_;
  const RowGroupCandidate& candidate_;
  const std::set<int>& distrusted_;
  RowGroupPlan plan_;
  int64_t rows_meant_ = 0;
  int64_t rows_deleted_ = 0;
  prune::Unusable unusable_;
  std::map<int, parquet::ColumnIndex> indexes_;
  std::vector<std::shared_ptr<arrow::Buffer>> index_bytes_;
  std::map<const expr::Leaf*, RowVerdicts> judged_;
};

}  // namespace

RowRanges RowGroupPlan::FilterRows(int leaf) const {
  RowRanges rows;
  for (const FilterPart& part : parts) {
    if (std::binary_search(part.leaves.begin(), part.leaves.end(), leaf)) rows = rows.Union(part.rows);
  }
  return rows;
}

parquet::ChunkPlan RowGroupPlan::PlanLeaf(int leaf, const RowRanges& wanted) const {
  const LeafAccess& access = leaves.at(leaf);
  parquet::ChunkPlan plan = parquet::PlanChunk(access.chunk, access.range, access.offsets, wanted, row_count);
  plan.index_distrusted = access.index_distrusted;
  return plan;
}

arrow::Result<RowGroupPlan> PlanRowGroup(const FileScan& file, const RowGroupCandidate& candidate,
                                         const std::set<int>& distrusted, bool count_evidence) {
  auto plan = Planner(file, candidate, distrusted).Run(count_evidence);
  if (!plan.ok()) return AddPlace(plan.status(), {.file = file.reader->name(), .row_group = candidate.row_group});
  return plan;
}

}  // namespace frazil::scan
