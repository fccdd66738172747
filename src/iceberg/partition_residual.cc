// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/partition_residual.h"

#include <utility>

#include "src/expr/literal.h"
#include "src/iceberg/project.h"

namespace frazil::iceberg {
namespace {

using expr::Key;
using expr::KeySet;
using expr::Predicate;

bool IsEmpty(const KeySet& keys) {
  return std::visit([](const auto& set) { return set.empty(); }, keys);
}

class ResidualMaker {
 public:
  ResidualMaker(const PartitionSpec& spec, const Schema& schema, const expr::BoundFilter& filter,
                const PartitionTuple& tuple)
      : spec_(spec), schema_(schema), filter_(filter), tuple_(tuple) {}

  Predicate Walk(const Predicate& predicate) const {
    if (predicate.kind == Predicate::Kind::kLeaf) return OfLeaf(predicate.leaf);
    if (predicate.children.empty()) return predicate;
    std::vector<Predicate> children;
    children.reserve(predicate.children.size());
    for (const Predicate& child : predicate.children) children.push_back(Walk(child));
    return predicate.kind == Predicate::Kind::kAnd ? Predicate::And(std::move(children))
                                                   : Predicate::Or(std::move(children));
  }

 private:
  // A field that is made of the leaf's column and says something of it, with its value in the tuple.
  struct Known {
    const Transform* transform;
    const std::optional<Key>* value;
  };

  Predicate OfLeaf(const expr::Leaf& leaf) const {
    const int field_id = filter_.columns[leaf.column].ref;
    const NestedField* source = schema_.FindById(field_id);
    if (source == nullptr) return Predicate::Of(leaf);
    std::vector<Known> known;
    for (size_t i = 0; i < spec_.fields.size() && i < tuple_.size(); ++i) {
      const Transform& transform = spec_.fields[i].transform;
      if (spec_.fields[i].source_ids != std::vector<int>{field_id} || transform.kind == TransformKind::kVoid ||
          !CanTransform(transform, source->type)) {
        continue;
      }
      // Only null gives null.
      if (!tuple_[i]) return leaf.matches_null ? Predicate::True() : Predicate::False();
      known.push_back({&transform, &tuple_[i]});
    }
    return known.empty() ? Predicate::Of(leaf) : OfValues(leaf, source->type, known);
  }

  // REQUIRES: `known` is not empty, so no row is null.
  static Predicate OfValues(const expr::Leaf& leaf, const Type& source, const std::vector<Known>& known) {
    KeySet possible = expr::AllKeys(FilterType(source));
    for (const Known& field : known) {
      const auto keys = SourceKeys(*field.transform, source, **field.value);
      if (keys) possible = expr::IntersectKeys(possible, *keys);
    }
    expr::Leaf rest;
    rest.keys = expr::IntersectKeys(leaf.keys, possible);
    if (IsEmpty(rest.keys)) return Predicate::False();
    expr::Leaf others;
    others.keys = expr::IntersectKeys(expr::ComplementKeys(leaf.keys), possible);
    bool all = leaf.is_exact() && IsEmpty(others.keys);
    for (const Known& field : known) {
      // The values that are left must fall where the tuple says; where none of the others can, all rows match.
      if (!expr::ContainsKey(ProjectInclusive(*field.transform, source, rest)->keys, **field.value))
        return Predicate::False();
      if (leaf.is_exact() &&
          !expr::ContainsKey(ProjectInclusive(*field.transform, source, others)->keys, **field.value)) {
        all = true;
      }
    }
    return all ? Predicate::True() : Predicate::Of(leaf);
  }

  const PartitionSpec& spec_;
  const Schema& schema_;
  const expr::BoundFilter& filter_;
  const PartitionTuple& tuple_;
};

}  // namespace

Predicate PartitionResidual(const PartitionSpec& spec, const Schema& schema, const expr::BoundFilter& filter,
                            const PartitionTuple& tuple) {
  return ResidualMaker(spec, schema, filter, tuple).Walk(filter.root);
}

}  // namespace frazil::iceberg
