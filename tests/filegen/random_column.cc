// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>

#include "tests/filegen/bounds.h"
#include "tests/filegen/column_data.h"
#include "tests/filegen/random_table.h"

namespace frazil::filegen {

namespace {

enum class Sorting { kRandom, kAscending, kDescending, kClustered };

std::vector<bool> RandomNulls(Random& random, int64_t row_count) {
  std::vector<bool> nulls(static_cast<size_t>(row_count), false);
  switch (random.Below(6)) {
    case 0:
      break;
    case 1:
      nulls.assign(nulls.size(), true);
      break;
    case 2:
    case 3: {
      int percent = random.Pick({3, 30, 95});
      for (size_t i = 0; i < nulls.size(); ++i) nulls[i] = random.Percent(percent);
      break;
    }
    default: {
      bool is_null = random.Percent(50);
      for (size_t i = 0; i < nulls.size(); is_null = !is_null) {
        size_t run_end = std::min(nulls.size(), i + static_cast<size_t>(random.Between(1, 60)));
        for (; i < run_end; ++i) nulls[i] = is_null;
      }
    }
  }
  return nulls;
}

// By the order of the column, NaN last; columns without an order stay as they are.
void Sort(const Node& leaf, Sorting sorting, Random& random, std::vector<Value>* values) {
  if (sorting == Sorting::kRandom) return;
  SortOrder order = OrderOf(leaf);
  ValueVector keys = EmptyValues(*leaf.physical);
  for (const Value& value : *values) {
    if (!AppendScalar(value, &keys).ok()) return;
  }
  std::vector<int64_t> ordinals(values->size());
  for (size_t i = 0; i < ordinals.size(); ++i) ordinals[i] = static_cast<int64_t>(i);
  std::stable_sort(ordinals.begin(), ordinals.end(), [&](int64_t a, int64_t b) {
    bool a_nan = IsNan(order, PlainView(keys, a));
    bool b_nan = IsNan(order, PlainView(keys, b));
    if (a_nan || b_nan) return !a_nan && b_nan;
    return CompareBounds(order, false, PlainView(keys, a), PlainView(keys, b)) < 0;
  });
  if (sorting == Sorting::kDescending) std::reverse(ordinals.begin(), ordinals.end());
  if (sorting == Sorting::kClustered) {
    for (size_t i = 0; i + 1 < ordinals.size(); ++i) {
      size_t reach = std::min(ordinals.size() - i, size_t{12});
      std::swap(ordinals[i], ordinals[i + static_cast<size_t>(random.Below(static_cast<int64_t>(reach)))]);
    }
  }
  std::vector<Value> sorted;
  for (int64_t ordinal : ordinals) sorted.push_back(std::move((*values)[ordinal]));
  *values = std::move(sorted);
}

std::vector<Value> FlatColumn(Random& random, const Node& leaf, int64_t row_count, bool nan) {
  Spread spread = random.Pick({Spread::kFew, Spread::kNarrow, Spread::kWide});
  Sorting sorting = random.Pick({Sorting::kRandom, Sorting::kAscending, Sorting::kDescending, Sorting::kClustered});
  std::vector<bool> nulls(static_cast<size_t>(row_count), false);
  if (leaf.repetition == kOptional) nulls = RandomNulls(random, row_count);
  std::vector<Value> values;
  for (bool is_null : nulls) {
    if (!is_null) values.push_back(RandomScalar(random, leaf, spread, nan));
  }
  Sort(leaf, sorting, random, &values);
  std::vector<Value> column(nulls.size());
  auto next = values.begin();
  for (size_t i = 0; i < nulls.size(); ++i) {
    if (!nulls[i]) column[i] = std::move(*next++);
  }
  return column;
}

// Draws values of one tree. How long lists are and how much is null is chosen once per node, so that some nodes of
// some columns have no nulls, no empty lists, or nothing but them.
class TreeSource {
 public:
  TreeSource(Random& random, bool nan) : random_(random), nan_(nan) {}

  Value Draw(const Node& node) {
    if (node.repetition == kRepeated) return Items(node, node);
    const Habit& habit = HabitOf(node);
    if (node.repetition == kOptional && random_.Percent(habit.null_percent)) return Value();
    return Present(node);
  }

 private:
  struct Habit {
    int null_percent = 0;
    int empty_percent = 0;
    int64_t items_max = 1;
    Spread spread = Spread::kFew;
  };

  const Habit& HabitOf(const Node& node) {
    auto [entry, is_new] = habits_.try_emplace(&node);
    if (is_new) {
      entry->second = {random_.Pick({0, 10, 10, 50, 100}), random_.Pick({0, 20, 20, 90}),
                       random_.Pick({int64_t{1}, int64_t{3}, int64_t{3}, int64_t{20}}),
                       random_.Pick({Spread::kFew, Spread::kNarrow, Spread::kWide})};
    }
    return entry->second;
  }

  Value Present(const Node& node) {
    if (node.is_leaf()) return RandomScalar(random_, node, HabitOf(node).spread, nan_);
    if (node.shape == Shape::kList3) return Items(node.children[0], node.children[0].children[0]);
    if (node.shape == Shape::kList2 || node.shape == Shape::kMap) return Items(node.children[0], node.children[0]);
    Struct group;
    for (const Node& child : node.children) group.fields.push_back(Draw(child));
    return Value(std::move(group));
  }

  Value Items(const Node& repeated, const Node& item) {
    const Habit& habit = HabitOf(repeated);
    List list;
    int64_t item_count = random_.Percent(habit.empty_percent) ? 0 : random_.Between(1, habit.items_max);
    for (int64_t i = 0; i < item_count; ++i) list.items.push_back(&item == &repeated ? Present(item) : Draw(item));
    return Value(std::move(list));
  }

  Random& random_;
  bool nan_;
  std::map<const Node*, Habit> habits_;
};

}  // namespace

std::vector<Value> RandomColumn(Random& random, const Node& node, int64_t row_count, bool nan) {
  if (node.is_leaf() && node.repetition != kRepeated) return FlatColumn(random, node, row_count, nan);
  std::vector<Value> column;
  std::vector<bool> nulls(static_cast<size_t>(row_count), false);
  if (node.repetition == kOptional && random.Percent(50)) nulls = RandomNulls(random, row_count);
  TreeSource source(random, nan);
  for (bool is_null : nulls) column.push_back(is_null ? Value() : source.Draw(node));
  return column;
}

}  // namespace frazil::filegen
