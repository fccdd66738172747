// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/partition_residual.h"

#include <algorithm>
#include <utility>

#include "src/expr/literal.h"
#include "src/iceberg/project.h"

namespace frazil::iceberg {

using expr::Key;
using expr::KeySet;
using expr::Predicate;
using expr::Verdict;

namespace {

bool IsEmpty(const KeySet& keys) {
  return std::visit([](const auto& set) { return set.empty(); }, keys);
}

}  // namespace

TupleFilter::TupleFilter(const PartitionSpec& spec, const Schema& schema, const expr::BoundFilter& filter)
    : root_(std::make_shared<const Predicate>(filter.root)) {
  AddLeaves(spec, schema, filter, *root_);
}

void TupleFilter::AddLeaves(const PartitionSpec& spec, const Schema& schema, const expr::BoundFilter& filter,
                            const Predicate& predicate) {
  for (const Predicate& child : predicate.children) AddLeaves(spec, schema, filter, child);
  if (predicate.kind != Predicate::Kind::kLeaf) return;
  LeafImages& images = leaves_.emplace_back();
  const int field_id = filter.columns[static_cast<size_t>(predicate.leaf.column)].ref;
  const NestedField* source = schema.FindById(field_id);
  if (source == nullptr) return;
  for (size_t i = 0; i < spec.fields.size(); ++i) {
    const Transform& transform = spec.fields[i].transform;
    if (spec.fields[i].source_ids != std::vector<int>{field_id} || transform.kind == TransformKind::kVoid ||
        !CanTransform(transform, source->type)) {
      continue;
    }
    if (images.fields.empty()) {
      images.leaf = predicate.leaf;
      images.others = expr::ComplementKeys(predicate.leaf.keys);
      images.source = source->type;
    }
    expr::Leaf others;
    others.keys = images.others;
    images.fields.push_back({i, transform, ProjectInclusive(transform, source->type, predicate.leaf)->keys,
                             ProjectInclusive(transform, source->type, others)->keys});
  }
}

std::shared_ptr<const Predicate> TupleFilter::Residual(const PartitionTuple& tuple) const {
  Verdicts verdicts;
  verdicts.reserve(leaves_.size());
  bool decided = false;
  for (const LeafImages& leaf : leaves_) {
    verdicts.push_back(Judge(leaf, tuple));
    decided = decided || verdicts.back() != Verdict::kSome;
  }
  if (!decided) return root_;
  std::lock_guard lock(mutex_);
  const auto known = residuals_.find(verdicts);
  if (known != residuals_.end()) return known->second;
  size_t next = 0;
  auto made = std::make_shared<const Predicate>(Apply(*root_, verdicts, &next));
  if (residuals_.size() < kResidualsMax) residuals_.emplace(std::move(verdicts), made);
  return made;
}

Predicate TupleFilter::Apply(const Predicate& predicate, const Verdicts& verdicts, size_t* next) {
  if (predicate.kind == Predicate::Kind::kLeaf) {
    const Verdict verdict = verdicts[(*next)++];
    if (verdict == Verdict::kSome) return Predicate::Of(predicate.leaf);
    return verdict == Verdict::kAll ? Predicate::True() : Predicate::False();
  }
  if (predicate.children.empty()) return predicate;
  std::vector<Predicate> children;
  children.reserve(predicate.children.size());
  for (const Predicate& child : predicate.children) children.push_back(Apply(child, verdicts, next));
  return predicate.kind == Predicate::Kind::kAnd ? Predicate::And(std::move(children))
                                                 : Predicate::Or(std::move(children));
}

Verdict TupleFilter::Judge(const LeafImages& images, const PartitionTuple& tuple) {
  bool none = false, all = false;
  size_t known = 0;
  for (const FieldImages& field : images.fields) {
    if (field.field >= tuple.size()) continue;
    const std::optional<Key>& value = tuple[field.field];
    // Only null gives null.
    if (!value) return images.leaf.matches_null ? Verdict::kAll : Verdict::kNone;
    ++known;
    none = none || !expr::ContainsKey(field.of_matches, *value);
    all = all || (images.leaf.is_exact() && !expr::ContainsKey(field.of_others, *value));
  }
  if (none) return Verdict::kNone;
  if (all || known == 0) return all ? Verdict::kAll : Verdict::kSome;
  return JudgeTogether(images, tuple);
}

// REQUIRES: no field is null, and none decides alone.
Verdict TupleFilter::JudgeTogether(const LeafImages& images, const PartitionTuple& tuple) {
  std::optional<KeySet> possible;
  for (const FieldImages& field : images.fields) {
    if (field.field >= tuple.size()) continue;
    const auto keys = SourceKeys(field.transform, images.source, *tuple[field.field]);
    if (keys) possible = possible ? expr::IntersectKeys(*possible, *keys) : *keys;
  }
  if (!possible) return Verdict::kSome;
  const bool exact = images.leaf.is_exact();
  expr::Leaf rest, others;
  rest.keys = expr::IntersectKeys(images.leaf.keys, *possible);
  if (IsEmpty(rest.keys)) return Verdict::kNone;
  if (exact) others.keys = expr::IntersectKeys(images.others, *possible);
  bool all = exact && IsEmpty(others.keys);
  for (const FieldImages& field : images.fields) {
    if (field.field >= tuple.size()) continue;
    const Key& value = *tuple[field.field];
    // The values that are left must fall where the tuple says; where none of the others can, all rows match.
    if (!expr::ContainsKey(ProjectInclusive(field.transform, images.source, rest)->keys, value)) return Verdict::kNone;
    if (exact && !all) all = !expr::ContainsKey(ProjectInclusive(field.transform, images.source, others)->keys, value);
  }
  return all ? Verdict::kAll : Verdict::kSome;
}

}  // namespace frazil::iceberg
