// SPDX-License-Identifier: Apache-2.0
#include "src/scan/filter_stage.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include <arrow/array/array_nested.h>
#include <arrow/util/bit_util.h>

#include "src/expr/residual.h"
#include "src/parquet/page_walk.h"
#include "src/parquet/projection.h"
#include "src/parquet/select.h"
#include "src/scan/memory_plan.h"
#include "src/scan/metadata_columns.h"
#include "src/scan/parallel.h"

namespace frazil::scan {
namespace {

constexpr int64_t kUnitRows = 128 << 10;

// An array that is only null or not null: where the group is, by the levels of a leaf below it.
arrow::Result<std::shared_ptr<arrow::Array>> GroupValidity(const parquet::LeafReader& leaf, int16_t def_level,
                                                           int64_t row_count) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> bits, arrow::AllocateEmptyBitmap(row_count));
  const int16_t* def_levels = leaf.def_levels();
  const int16_t* rep_levels = leaf.rep_levels();
  int64_t row = 0;
  int64_t null_count = 0;
  for (int64_t i = 0; def_levels != nullptr && i < leaf.level_count(); ++i) {
    if (rep_levels != nullptr && rep_levels[i] != 0) continue;
    if (row >= row_count) return MakeError(ErrorKind::kCorrupt, "more rows in the levels than were read");
    if (def_levels[i] >= def_level) {
      arrow::bit_util::SetBit(bits->mutable_data(), row);
    } else {
      ++null_count;
    }
    ++row;
  }
  if (def_levels == nullptr) {
    arrow::bit_util::SetBitsTo(bits->mutable_data(), 0, row_count, true);
  } else if (row != row_count) {
    return MakeError(ErrorKind::kCorrupt, "fewer rows in the levels than were read");
  }
  return std::make_shared<arrow::StructArray>(arrow::struct_({}), row_count, arrow::ArrayVector{}, bits, null_count);
}

// The part of the chunk's decoded size that `rows` make up, about.
int64_t DecodedBytes(const parquet::ColumnChunk& chunk, const RowGroupPlan& plan, const RowRanges& rows) {
  const double share = static_cast<double>(rows.count()) / static_cast<double>(std::max<int64_t>(1, plan.row_count));
  return static_cast<int64_t>(static_cast<double>(std::max<int64_t>(0, chunk.total_uncompressed_size)) * share);
}

}  // namespace

std::vector<int> LeavesHandedOn(const FileScan& file, const RowGroupPlan& plan) {
  std::vector<int> leaves;
  // Proven rows are not read by the filter: their values would be missing.
  if (file.context->request.count_only || !plan.rows.proven.empty() || plan.filter_rows.empty()) return leaves;
  int64_t bytes_left = KeptBytesMax(file.context->options);
  for (int leaf : plan.filter_leaves) {
    // INT96 is decoded in another type for the filter.
    if (file.footer().schema().Column(leaf)->physical_type() == ::parquet::Type::INT96) continue;
    const auto& columns = file.binding.filter.columns;
    if (std::none_of(columns.begin(), columns.end(), [&](const auto& column) { return column.ref == leaf; })) continue;
    bool projected = false;
    bool alone = true;
    for (const OutputColumn& column : file.binding.outputs) {
      if (column.kind != OutputColumn::Kind::kField) continue;
      std::vector<int> of_field;
      column.field.AppendLeaves(&of_field);
      if (std::find(of_field.begin(), of_field.end(), leaf) == of_field.end()) continue;
      projected = true;
      alone &= column.field.is_leaf();
    }
    const int64_t bytes = DecodedBytes(plan.leaves.at(leaf).chunk, plan, plan.filter_rows);
    if (!projected || !alone || bytes > bytes_left || plan.FilterRows(leaf) != plan.filter_rows) continue;
    bytes_left -= bytes;
    leaves.push_back(leaf);
  }
  return leaves;
}

arrow::Result<DecodedType> DecodedTypeOf(const parquet::Footer& footer, int leaf) {
  ARROW_ASSIGN_OR_RAISE(auto field, parquet::ProjectLeaf(footer.manifest(), leaf));
  const ::parquet::ColumnDescriptor& column = *footer.schema().Column(leaf);
  DecodedType out;
  out.nullable = column.max_definition_level() > 0;
  out.type = column.physical_type() == ::parquet::Type::INT96
                 ? arrow::decimal128(38, 0)  // exact where Arrow's nanoseconds would wrap
                 : parquet::StorageType(field.field->type());
  return out;
}

FilterStage::FilterStage(const FileScan& file, const RowGroupPlan& plan, const std::vector<int>& handed_on,
                         const OpenPlannedLeaf& open_leaf)
    : file_(file),
      plan_(plan),
      handed_on_(handed_on),
      open_leaf_(open_leaf),
      unit_size_{kUnitRows, std::max<int64_t>(1, file.context->options.unit_bytes)} {}

arrow::Result<std::unique_ptr<FilterStage::Worker>> FilterStage::OpenWorker() const {
  auto worker = std::make_unique<Worker>();
  const parquet::Footer& footer = file_.footer();
  for (int leaf : plan_.filter_leaves) {
    ARROW_ASSIGN_OR_RAISE(const DecodedType type, DecodedTypeOf(footer, leaf));
    ARROW_ASSIGN_OR_RAISE(worker->readers[leaf],
                          open_leaf_(plan_.PlanLeaf(leaf, plan_.FilterRows(leaf)), type.type, type.nullable));
  }
  return worker;
}

void FilterStage::CutParts() {
  // Stretches of rows of one part: between them lie rows of another.
  struct Stretch {
    const FilterPart* part;
    RowRanges rows;
  };
  std::vector<std::pair<RowRange, const FilterPart*>> runs;
  for (const FilterPart& part : plan_.parts) {
    for (const RowRange& run : part.rows.runs()) runs.emplace_back(run, &part);
  }
  std::sort(runs.begin(), runs.end(), [](const auto& a, const auto& b) { return a.first.begin < b.first.begin; });
  std::vector<Stretch> stretches;
  for (const auto& [run, part] : runs) {
    if (stretches.empty() || stretches.back().part != part) stretches.push_back({part, {}});
    stretches.back().rows.Append(run.begin, run.end);
  }
  units_.clear();
  unit_parts_.clear();
  for (const Stretch& stretch : stretches) {
    for (RowRanges& unit : CutUnits(plan_, stretch.part->leaves, stretch.rows, unit_size_)) {
      units_.push_back(std::move(unit));
      unit_parts_.push_back(stretch.part);
    }
  }
}

// Whether threads can take the units of all parts in any order at little cost.
bool FilterStage::PartsAreApart() const {
  return std::all_of(plan_.parts.begin(), plan_.parts.end(), [&](const FilterPart& part) {
    const auto unit_count = std::count(unit_parts_.begin(), unit_parts_.end(), &part);
    const bool alone = unit_count == static_cast<ptrdiff_t>(units_.size());
    return (unit_count < 2 && !alone) || UnitsAreApart(plan_, part.leaves, part.rows, static_cast<size_t>(unit_count));
  });
}

// Flat chunks that are held whole and have no offset index get one from their page headers, so that threads can share
// their pages out. One that can not be walked is read as it would have been.
arrow::Result<bool> FilterStage::FindPages() {
  bool found = false;
  for (int leaf : plan_.filter_leaves) {
    LeafAccess& access = plan_.leaves.at(leaf);
    const bool flat = file_.footer().schema().Column(leaf)->max_repetition_level() == 0;
    if (access.offsets || !flat || !file_.reader->Holds(access.range)) continue;
    ARROW_ASSIGN_OR_RAISE(auto bytes, file_.reader->Get(access.range));
    auto pages = parquet::WalkPages(std::string_view(*bytes), access.range.offset, plan_.row_count);
    if (!pages.ok()) continue;
    access.offsets = std::make_shared<parquet::OffsetIndex>(std::move(*pages));
    found = true;
  }
  if (found) CutParts();
  return found;
}

arrow::Result<FilterStage::Answer> FilterStage::Run(int64_t rows_wanted, std::vector<ByteRange> also,
                                                    const std::string& purpose) {
  Answer answer;
  for (int leaf : handed_on_) answer.values[leaf];  // present, even when nothing matches
  const int threads = file_.context->threads;
  CutParts();
  const auto leaves_of = [this](size_t unit) -> const auto& { return unit_parts_[unit]->leaves; };
  const bool large = FilterBytes(plan_) >= unit_size_.bytes_max;
  // A limit is often reached early: begin with little.
  int64_t fetch_bytes = rows_wanted < 0 ? FetchBytesMax(file_) : unit_size_.bytes_max;
  for (size_t unit = 0; unit < units_.size();) {
    ARROW_ASSIGN_OR_RAISE(size_t fetched, FetchUnits(file_.reader.get(), plan_, units_, leaves_of, unit, fetch_bytes,
                                                     std::exchange(also, {}), purpose));
    if (unit == 0) {
      bool found = false;
      if (large && threads > 1) {
        ARROW_ASSIGN_OR_RAISE(found, FindPages());
      }
      if (found) {  // the units are others now
        ARROW_ASSIGN_OR_RAISE(fetched,
                              FetchUnits(file_.reader.get(), plan_, units_, leaves_of, unit, fetch_bytes, {}, purpose));
      }
      apart_ = large && threads > 1 && PartsAreApart();
      const size_t worker_count = apart_ ? std::min(units_.size(), static_cast<size_t>(threads)) : 1;
      for (size_t i = 0; i < worker_count; ++i) {
        ARROW_ASSIGN_OR_RAISE(auto worker, OpenWorker());
        workers_.push_back(std::move(worker));
      }
    }
    fetch_bytes = std::min(FetchBytesMax(file_), fetch_bytes * 2);
    std::vector<UnitAnswer> answers(fetched - unit);
    ARROW_RETURN_NOT_OK(RunUnits(unit, fetched, &answers));
    for (size_t i = 0; i < answers.size(); ++i) {
      for (const RowRange& run : answers[i].hits.runs()) answer.matched.Append(run.begin, run.end);
      for (auto& [leaf, values] : answers[i].values) {
        if (values->length() > 0) answer.values[leaf].push_back(std::move(values));
      }
    }
    const int64_t end_row = units_[fetched - 1].runs().back().end;
    if (rows_wanted >= 0 && answer.matched.count() + plan_.rows.proven.Slice(0, end_row).count() >= rows_wanted) break;
    unit = fetched;
    // What the output reads again stays.
    std::vector<int> done;
    std::set_difference(plan_.filter_leaves.begin(), plan_.filter_leaves.end(), file_.output_leaves.begin(),
                        file_.output_leaves.end(), std::back_inserter(done));
    if (unit < units_.size()) ReleaseBefore(file_.reader.get(), plan_, done, units_[unit].runs().front().begin);
  }
  return answer;
}

arrow::Status FilterStage::RunUnits(size_t begin, size_t end, std::vector<UnitAnswer>* answers) {
  if (!apart_) {
    for (size_t unit = begin; unit < end; ++unit) {
      const int threads = units_[unit].count() >= kUnitRows / 8 ? file_.context->threads : 1;
      ARROW_RETURN_NOT_OK(MatchUnit(workers_[0].get(), unit, threads, &(*answers)[unit - begin]));
    }
    return arrow::Status::OK();
  }
  // Each worker takes units in ascending order, as its readers need.
  std::atomic<size_t> next{begin};
  const int worker_count = static_cast<int>(std::min(workers_.size(), end - begin));
  return ParallelFor(worker_count, worker_count, [&](int worker) {
    for (size_t unit = next++; unit < end; unit = next++) {
      ARROW_RETURN_NOT_OK(MatchUnit(workers_[static_cast<size_t>(worker)].get(), unit, 1, &(*answers)[unit - begin]));
    }
    return arrow::Status::OK();
  });
}

arrow::Status FilterStage::MatchUnit(Worker* worker, size_t unit_ordinal, int threads, UnitAnswer* answer) const {
  const RowRanges& unit = units_[unit_ordinal];
  const FilterPart& part = *unit_parts_[unit_ordinal];
  std::vector<parquet::LeafReader*> readers;
  for (int leaf : part.leaves) readers.push_back(worker->readers.at(leaf).get());
  ARROW_RETURN_NOT_OK(ParallelFor(threads, static_cast<int>(readers.size()),
                                  [&](int i) { return readers[static_cast<size_t>(i)]->Read(unit); }));
  worker->values.clear();
  const expr::BoundFilter& filter = file_.binding.filter;
  arrow::ArrayVector columns(filter.columns.size());
  for (int column : part.residual.Columns()) {
    ARROW_ASSIGN_OR_RAISE(columns[static_cast<size_t>(column)],
                          ColumnValues(worker, filter.columns[static_cast<size_t>(column)], unit));
  }
  ARROW_ASSIGN_OR_RAISE(const RowRanges ranks, expr::MatchRows(filter, part.residual, columns, unit.count()));
  answer->hits = unit.Select(ranks);
  for (int leaf : handed_on_) {
    ARROW_ASSIGN_OR_RAISE(answer->values[leaf], parquet::SelectRanks(worker->values.at(leaf), ranks));
  }
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::Array>> FilterStage::ColumnValues(Worker* worker, const expr::BoundColumn& column,
                                                                       const RowRanges& unit) const {
  if (column.ref == kFileRef) return FileValues(file_.name(), unit.count());
  if (column.ref == kPosRef) return PositionValues(unit, plan_.first_row);
  if (column.ref < 0) {
    const auto& group = file_.footer().filter_schema().GroupOf(column.ref);
    return GroupValidity(*worker->readers.at(group.leaf), group.def_level, unit.count());
  }
  auto known = worker->values.find(column.ref);
  if (known != worker->values.end()) return known->second;
  ARROW_ASSIGN_OR_RAISE(auto array, worker->readers.at(column.ref)->Values());
  if (array->length() != unit.count()) {
    return MakeError(
        ErrorKind::kCorrupt,
        "the column has " + std::to_string(array->length()) + " values in " + std::to_string(unit.count()) + " rows",
        {.column = column.path});
  }
  worker->values[column.ref] = array;
  return array;
}

}  // namespace frazil::scan
