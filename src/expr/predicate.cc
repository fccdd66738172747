// SPDX-License-Identifier: Apache-2.0
#include "src/expr/predicate.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace frazil::expr {

namespace {

// The two ways to combine, told apart once.
struct Connective {
  Predicate::Kind kind;      // kAnd or kOr
  Predicate::Kind neutral;   // constant that changes nothing
  Predicate::Kind absorber;  // constant that decides everything
  const char* word;
};

constexpr Connective kAndWords{Predicate::Kind::kAnd, Predicate::Kind::kTrue, Predicate::Kind::kFalse, " AND "};
constexpr Connective kOrWords{Predicate::Kind::kOr, Predicate::Kind::kFalse, Predicate::Kind::kTrue, " OR "};

Predicate Constant(Predicate::Kind kind) {
  return kind == Predicate::Kind::kTrue ? Predicate::True() : Predicate::False();
}

// Whether `text` holds an OR outside of quotes and parentheses: such a text needs parentheses beside an AND.
bool HasBareOr(std::string_view text) {
  char quote = 0;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"' || c == '`') {
      quote = c;
    } else if (c == '(') {
      ++depth;
    } else if (c == ')') {
      --depth;
    } else if (depth == 0 && text.substr(i).starts_with(" OR ")) {
      return true;
    }
  }
  return false;
}

std::string Operand(const std::string& text, const Connective& connective) {
  return connective.kind == Predicate::Kind::kAnd && HasBareOr(text) ? "(" + text + ")" : text;
}

template <typename Set>
Set Combine(const Set& a, const Set& b, const Connective& connective) {
  return connective.kind == Predicate::Kind::kAnd ? a.Intersect(b) : a.Union(b);
}

// Combines the key sets of leaves [begin, end) pairwise, as a tree: thousands of ORed points must not cost a square.
template <typename Set>
Set CombineKeys(const std::vector<Leaf>& leaves, size_t begin, size_t end, const Connective& connective) {
  if (end - begin == 1) return std::get<Set>(leaves[begin].keys);
  const size_t middle = begin + (end - begin) / 2;
  return Combine(CombineKeys<Set>(leaves, begin, middle, connective), CombineKeys<Set>(leaves, middle, end, connective),
                 connective);
}

Leaf MergeLeaves(std::vector<Leaf> leaves, const Connective& connective) {
  if (leaves.size() == 1) return std::move(leaves.front());
  Leaf merged;
  merged.column = leaves.front().column;
  merged.matches_null = connective.kind == Predicate::Kind::kAnd;
  for (const Leaf& leaf : leaves) {
    merged.matches_null = connective.kind == Predicate::Kind::kAnd ? merged.matches_null && leaf.matches_null
                                                                   : merged.matches_null || leaf.matches_null;
    if (!merged.text.empty()) merged.text += connective.word;
    merged.text += Operand(leaf.text, connective);
  }
  if (std::holds_alternative<IntervalSet<Int128>>(leaves.front().keys)) {
    merged.keys = CombineKeys<IntervalSet<Int128>>(leaves, 0, leaves.size(), connective);
  } else {
    merged.keys = CombineKeys<IntervalSet<std::string>>(leaves, 0, leaves.size(), connective);
  }
  return merged;
}

// Children of children of the same kind become children; neutral constants vanish. False: an absorber was met.
bool Flatten(std::vector<Predicate> children, const Connective& connective, std::vector<Predicate>* flat) {
  for (Predicate& child : children) {
    if (child.kind == connective.absorber) return false;
    if (child.kind == connective.neutral) continue;
    if (child.kind == connective.kind) {
      // Children are in normal form themselves, so one level is all there is.
      std::move(child.children.begin(), child.children.end(), std::back_inserter(*flat));
    } else {
      flat->push_back(std::move(child));
    }
  }
  return true;
}

Predicate Join(std::vector<Predicate> children, const Connective& connective) {
  std::vector<Predicate> flat;
  if (!Flatten(std::move(children), connective, &flat)) return Constant(connective.absorber);

  // A slot is a child of the result; exact leaves of one column and key space share the slot of the first of them.
  struct Slot {
    Predicate child;
    std::vector<Leaf> leaves;
  };
  std::vector<Slot> slots;
  std::map<std::pair<int, size_t>, size_t> slot_of_column;
  for (Predicate& child : flat) {
    if (child.kind != Predicate::Kind::kLeaf || !child.leaf.is_exact()) {
      slots.push_back({std::move(child), {}});
      continue;
    }
    const auto [found, is_new] = slot_of_column.try_emplace({child.leaf.column, child.leaf.keys.index()}, slots.size());
    if (is_new) slots.emplace_back();
    slots[found->second].leaves.push_back(std::move(child.leaf));
  }

  Predicate result;
  result.kind = connective.kind;
  for (Slot& slot : slots) {
    Predicate child =
        slot.leaves.empty() ? std::move(slot.child) : Predicate::Of(MergeLeaves(std::move(slot.leaves), connective));
    if (child.kind == connective.absorber) return child;
    if (child.kind != connective.neutral) result.children.push_back(std::move(child));
  }
  if (result.children.empty()) return Constant(connective.neutral);
  if (result.children.size() == 1) return Predicate(std::move(result.children.front()));
  return result;
}

void CollectColumns(const Predicate& predicate, std::vector<int>* columns) {
  if (predicate.kind == Predicate::Kind::kLeaf) columns->push_back(predicate.leaf.column);
  for (const Predicate& child : predicate.children) CollectColumns(child, columns);
}

}  // namespace

Predicate Predicate::Of(Leaf leaf) {
  if (leaf.keys_empty() && !leaf.matches_null) return False();
  if (leaf.keys_all() && leaf.matches_null && leaf.is_exact()) return True();
  Predicate result;
  result.kind = Kind::kLeaf;
  result.leaf = std::move(leaf);
  return result;
}

Predicate Predicate::And(std::vector<Predicate> children) { return Join(std::move(children), kAndWords); }

Predicate Predicate::Or(std::vector<Predicate> children) { return Join(std::move(children), kOrWords); }

std::vector<int> Predicate::Columns() const {
  std::vector<int> columns;
  CollectColumns(*this, &columns);
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

std::string Predicate::ToString() const {
  switch (kind) {
    case Kind::kTrue:
      return "TRUE";
    case Kind::kFalse:
      return "FALSE";
    case Kind::kLeaf:
      return leaf.text;
    case Kind::kAnd:
    case Kind::kOr:
      break;
  }
  const Connective& connective = kind == Kind::kAnd ? kAndWords : kOrWords;
  std::string text;
  for (const Predicate& child : children) {
    if (!text.empty()) text += connective.word;
    text += Operand(child.ToString(), connective);
  }
  return text;
}

}  // namespace frazil::expr
