// SPDX-License-Identifier: Apache-2.0
#include "src/scan/dictionary_stage.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/expr/residual.h"
#include "src/parquet/dictionary.h"
#include "src/prune/row_group.h"
#include "src/prune/row_verdicts.h"
#include "src/scan/filter_stage.h"
#include "src/scan/memory_plan.h"
#include "src/scan/work_units.h"

namespace frazil::scan {
namespace {

using expr::IntervalSet;
using expr::Leaf;
using expr::Predicate;
using expr::Verdict;

class Judge {
 public:
  Judge(const FileScan& file, const RowGroupPlan& plan, RowGroupCandidate* candidate)
      : file_(file), plan_(plan), candidate_(*candidate) {}

  arrow::Result<bool> Run() {
    std::vector<const Leaf*> needed;
    const Predicate& root = file_.binding.filter.root;
    const bool can = prune::CanBeNone(
        root,
        [this](const Leaf& leaf) { return candidate_.verdicts.at(&leaf) == Verdict::kNone || Find(leaf) != nullptr; },
        &needed);
    std::erase_if(needed, [this](const Leaf* leaf) { return candidate_.verdicts.at(leaf) == Verdict::kNone; });
    bool judged = false;
    if (can && Pays(needed)) {
      std::vector<ByteRange> wanted;
      for (const Leaf* leaf : needed) wanted.push_back(*Find(*leaf)->dictionary_range);
      ARROW_RETURN_NOT_OK(file_.reader->Fetch(wanted, "dictionaries"));
      for (const Leaf* leaf : needed) {
        ARROW_ASSIGN_OR_RAISE(const Verdict verdict, JudgeLeaf(*leaf));
        if (verdict == Verdict::kSome) continue;
        candidate_.verdicts[leaf] = verdict;
        judged = true;
      }
    }
    file_.context->evidence->AddUnusable(Level::kDictionary, unusable_);
    return judged;
  }

 private:
  const expr::BoundColumn& ColumnOf(const Leaf& leaf) const {
    return file_.binding.filter.columns[static_cast<size_t>(leaf.column)];
  }

  // The plan of a leaf's chunk, with its dictionary_range; null when its dictionary proves nothing.
  const parquet::ChunkPlan* Find(const Leaf& leaf) {
    const expr::BoundColumn& column = ColumnOf(leaf);
    // Only nulls are asked for: no dictionary holds them.
    if (leaf.keys_empty() || (leaf.keys_all() && leaf.is_exact())) return nullptr;
    if (candidate_.verdicts.at(&leaf) != Verdict::kSome) return nullptr;
    if (!std::binary_search(plan_.filter_leaves.begin(), plan_.filter_leaves.end(), column.ref)) return nullptr;
    const auto known = chunks_.find(column.ref);
    if (known != chunks_.end()) return known->second ? &*known->second : nullptr;
    auto& chunk = chunks_[column.ref];
    chunk = Locate(column);
    return chunk ? &*chunk : nullptr;
  }

  std::optional<parquet::ChunkPlan> Locate(const expr::BoundColumn& column) {
    if (!column.type.is_comparable() || file_.footer().schema().Column(column.ref)->max_repetition_level() > 0) {
      return std::nullopt;
    }
    const LeafAccess& access = plan_.leaves.at(column.ref);
    std::string reason;
    const int page_count = access.offsets ? access.offsets->page_count() : -1;
    const auto use = parquet::DictionaryUseOf(access.chunk, page_count, &reason);
    if (use == parquet::DictionaryUse::kUnproven) unusable_.Add(column.path, reason);
    if (use != parquet::DictionaryUse::kWhole) return std::nullopt;
    parquet::ChunkPlan chunk = plan_.PlanLeaf(column.ref, plan_.filter_rows);
    chunk.dictionary_range = parquet::DictionaryRange(access.chunk, access.range, access.offsets.get());
    if (chunk.dictionary_range) return chunk;
    unusable_.Add(column.path, "the footer does not tell where the dictionary ends");
    return std::nullopt;
  }

  // Whether the dictionaries cost less than the pages that they may save.
  bool Pays(const std::vector<const Leaf*>& leaves) {
    std::map<int, int64_t> dictionaries;  // by leaf ordinal
    for (const Leaf* leaf : leaves) {
      const int column = ColumnOf(*leaf).ref;
      dictionaries[column] = chunks_.at(column)->dictionary_range->length;
    }
    int64_t missing_bytes = 0;
    int64_t all_bytes = 0;
    int64_t saved_bytes = PlannedBytes(plan_, plan_.filter_leaves, plan_.filter_rows);
    for (const auto& [column, bytes] : dictionaries) {
      const parquet::ChunkPlan& chunk = *chunks_.at(column);
      all_bytes += bytes;
      if (!file_.reader->Holds(*chunk.dictionary_range)) missing_bytes += bytes;
      // Decoding needs the dictionary anyway.
      if (chunk.offsets == nullptr || chunk.dictionary_predicted) saved_bytes -= bytes;
    }
    if (dictionaries.empty() || all_bytes > FetchBytesMax(file_)) return false;
    return missing_bytes == 0 || missing_bytes + file_.reader->cost_model().gap_bytes() <= saved_bytes;
  }

  arrow::Result<std::shared_ptr<arrow::Array>> Entries(int column) {
    parquet::PageReadOptions options;
    options.verify_checksums = file_.context->options.verify_checksums;
    options.page_bytes_max = 4 * FetchBytesMax(file_);
    ARROW_ASSIGN_OR_RAISE(const DecodedType type, DecodedTypeOf(file_.footer(), column));
    auto storage = type.type;
    if (storage->id() == arrow::Type::DICTIONARY) {
      storage = static_cast<const arrow::DictionaryType&>(*storage).value_type();
    }
    return parquet::ReadDictionary(file_.footer(), file_.reader.get(), *chunks_.at(column), storage, options);
  }

  // How many of the entries match a leaf of their column.
  arrow::Result<int64_t> CountMatches(const Leaf& leaf, const std::shared_ptr<arrow::Array>& entries) const {
    const expr::BoundFilter& filter = file_.binding.filter;
    arrow::ArrayVector columns(filter.columns.size());
    columns[static_cast<size_t>(leaf.column)] = entries;
    Predicate predicate;
    predicate.kind = Predicate::Kind::kLeaf;
    predicate.leaf = leaf;
    ARROW_ASSIGN_OR_RAISE(const RowRanges ranks, expr::MatchRows(filter, predicate, columns, entries->length()));
    return ranks.count();
  }

  // Whether a bound that claims to be exact is an entry, as every value of the chunk is.
  arrow::Result<bool> HoldsBound(const Leaf& leaf, const std::optional<expr::Key>& bound,
                                 const std::optional<bool>& exact, const std::shared_ptr<arrow::Array>& entries) const {
    // Bounds of text and bytes may be cut, unless they say that they are not; a bound of other types may not be one
    // that no row has only if it says so.
    const bool is_bytes = std::holds_alternative<IntervalSet<std::string>>(leaf.keys);
    if (!bound || !exact.value_or(!is_bytes)) return true;
    Leaf point;
    point.column = leaf.column;
    if (is_bytes) {
      point.keys = IntervalSet<std::string>::Point(std::get<std::string>(*bound));
    } else {
      point.keys = IntervalSet<expr::Int128>::Point(std::get<expr::Int128>(*bound));
    }
    ARROW_ASSIGN_OR_RAISE(const int64_t matches, CountMatches(point, entries));
    return matches > 0;
  }

  arrow::Result<Verdict> JudgeLeaf(const Leaf& leaf) {
    const expr::BoundColumn& column = ColumnOf(leaf);
    auto entries = Entries(column.ref);
    if (!entries.ok()) {
      unusable_.Add(column.path, entries.status().message());
      return Verdict::kSome;
    }
    expr::ColumnBounds bounds;
    std::string reason;  // counted before
    if (file_.context->enabled(Level::kRowGroup)) {
      bounds = prune::LeafBounds(file_.footer(), candidate_.row_group, chunks_.at(column.ref)->chunk, &reason);
    }
    const auto& statistics = chunks_.at(column.ref)->chunk.statistics;
    const auto exact = [&](auto member) { return statistics ? (*statistics).*member : std::optional<bool>(); };
    ARROW_ASSIGN_OR_RAISE(const bool min,
                          HoldsBound(leaf, bounds.min, exact(&parquet::RawStatistics::is_min_value_exact), *entries));
    ARROW_ASSIGN_OR_RAISE(const bool max,
                          HoldsBound(leaf, bounds.max, exact(&parquet::RawStatistics::is_max_value_exact), *entries));
    if (!min || !max) {
      unusable_.Add(column.path, "the dictionary lacks a value that the statistics name");
      return Verdict::kSome;
    }
    ARROW_ASSIGN_OR_RAISE(const int64_t matches, CountMatches(leaf, *entries));
    const bool required = file_.footer().schema().Column(column.ref)->max_definition_level() == 0;
    const bool nulls = !required && bounds.null_count != 0;
    if (matches == 0 && !(leaf.matches_null && nulls)) return Verdict::kNone;
    if (matches == (*entries)->length() && (leaf.matches_null || !nulls)) return Verdict::kAll;
    return Verdict::kSome;
  }

  const FileScan& file_;
  const RowGroupPlan& plan_;
  RowGroupCandidate& candidate_;
  std::map<int, std::optional<parquet::ChunkPlan>> chunks_;  // by leaf ordinal; unset: of no use
  prune::Unusable unusable_;
};

}  // namespace

arrow::Result<bool> JudgeDictionaries(const FileScan& file, const RowGroupPlan& plan, RowGroupCandidate* candidate) {
  if (!file.context->enabled(Level::kDictionary) || plan.filter_rows.empty()) return false;
  return Judge(file, plan, candidate).Run();
}

}  // namespace frazil::scan
