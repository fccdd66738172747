// SPDX-License-Identifier: Apache-2.0
#include "src/scan/row_lineage.h"

#include <utility>
#include <vector>

#include "src/expr/interval_union.h"
#include "src/iceberg/column_resolution.h"

namespace frazil::scan {
namespace {

using expr::Int128;
using expr::Leaf;
using expr::Predicate;
using Numbers = expr::IntervalSet<Int128>;

Numbers Shifted(const Numbers& keys, int64_t by) {
  std::vector<Numbers> parts;
  for (const auto& interval : keys.intervals()) {
    const bool from_least = interval.begin == expr::KeyTraits<Int128>::kLeast;
    std::optional<Int128> end;
    if (interval.end) end = *interval.end - by;
    parts.push_back(Numbers::Range(from_least ? interval.begin : interval.begin - by, end));
  }
  return expr::UnionOf<Int128>(parts);
}

class LineageFilter {
 public:
  LineageFilter(const expr::BoundFilter& filter, const FileLineage& file) : file_(file) {
    out_.columns = filter.columns;
  }

  expr::BoundFilter Make(const Predicate& root) {
    out_.root = Walk(root);
    return std::move(out_);
  }

 private:
  Predicate Walk(const Predicate& predicate) {
    if (predicate.kind == Predicate::Kind::kLeaf) return OfLeaf(predicate.leaf);
    if (predicate.children.empty()) return predicate;
    std::vector<Predicate> children;
    for (const Predicate& child : predicate.children) children.push_back(Walk(child));
    return predicate.kind == Predicate::Kind::kAnd ? Predicate::And(std::move(children))
                                                   : Predicate::Or(std::move(children));
  }

  Predicate OfLeaf(const Leaf& leaf) {
    const int id = out_.columns[static_cast<size_t>(leaf.column)].ref;
    if (!IsLineage(id)) return Predicate::Of(leaf);
    const auto inherited = file_.Inherited(id);
    if (!inherited) return leaf.matches_null ? Predicate::True() : Predicate::False();
    const bool held = id == iceberg::kRowIdFieldId ? file_.holds_row_ids : file_.holds_sequence_numbers;
    Predicate of_inherited = OfInherited(leaf, *inherited);
    if (!held) return of_inherited;
    Leaf stored = leaf;
    stored.matches_null = false;
    Leaf none_stored = leaf;
    none_stored.keys = Numbers::None();
    none_stored.matches_null = true;
    return Predicate::Or({Predicate::Of(std::move(stored)),
                          Predicate::And({Predicate::Of(std::move(none_stored)), std::move(of_inherited)})});
  }

  Predicate OfInherited(const Leaf& leaf, const InheritedValue& inherited) {
    const auto& keys = std::get<Numbers>(leaf.keys);
    if (!inherited.by_position) return keys.Contains(inherited.base) ? Predicate::True() : Predicate::False();
    Leaf position = leaf;
    position.keys = Shifted(keys, inherited.base);
    position.matches_null = false;
    if (position.keys_all()) return Predicate::True();
    position.column = PositionColumn(out_.columns[static_cast<size_t>(leaf.column)].type);
    return Predicate::Of(std::move(position));
  }

  int PositionColumn(const expr::ColumnType& type) {
    for (size_t i = 0; i < out_.columns.size(); ++i) {
      if (out_.columns[i].ref == iceberg::kPosFieldId) return static_cast<int>(i);
    }
    out_.columns.push_back({"_pos", type, iceberg::kPosFieldId});
    return static_cast<int>(out_.columns.size()) - 1;
  }

  const FileLineage& file_;
  expr::BoundFilter out_;
};

}  // namespace

bool IsLineage(int field_id) { return field_id == iceberg::kRowIdFieldId || field_id == iceberg::kLastUpdatedFieldId; }

std::optional<InheritedValue> FileLineage::Inherited(int field_id) const {
  if (!first_row_id) return std::nullopt;
  if (field_id == iceberg::kRowIdFieldId) return InheritedValue{*first_row_id, true};
  if (!sequence_number) return std::nullopt;
  return InheritedValue{*sequence_number, false};
}

expr::BoundFilter WithLineage(const expr::BoundFilter& filter, const FileLineage& file) {
  return LineageFilter(filter, file).Make(filter.root);
}

}  // namespace frazil::scan
