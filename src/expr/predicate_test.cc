// SPDX-License-Identifier: Apache-2.0
#include "src/expr/predicate.h"

#include <algorithm>
#include <functional>
#include <random>

#include <gtest/gtest.h>

namespace frazil::expr {
namespace {

using Ints = IntervalSet<Int128>;
using Texts = IntervalSet<std::string>;

Predicate Is(int column, KeySet keys, std::string text, bool matches_null = false) {
  Leaf leaf;
  leaf.column = column;
  leaf.keys = std::move(keys);
  leaf.matches_null = matches_null;
  leaf.text = std::move(text);
  return Predicate::Of(std::move(leaf));
}

Predicate Like(int column, std::string pattern) {
  Leaf leaf;
  leaf.column = column;
  leaf.keys = Texts::All();
  leaf.text = "c LIKE '" + pattern + "'";
  leaf.pattern = std::make_shared<LikePattern>(std::move(pattern));
  return Predicate::Of(std::move(leaf));
}

Predicate Equals(int column, int value) {
  return Is(column, Ints::Point(value), "c" + std::to_string(column) + " = " + std::to_string(value));
}

TEST(Predicate, LeavesThatDecideNothingAreConstants) {
  EXPECT_TRUE(Is(0, Ints::None(), "x").is_false());
  EXPECT_TRUE(Is(0, Ints::All(), "x", true).is_true());
  EXPECT_EQ(Is(0, Ints::All(), "x IS NOT NULL").kind, Predicate::Kind::kLeaf);
  EXPECT_EQ(Is(0, Ints::None(), "x IS NULL", true).kind, Predicate::Kind::kLeaf);
  // Keys of an inexact leaf are a superset: all keys do not mean all rows.
  Leaf leaf = Like(0, "%a%").leaf;
  leaf.matches_null = true;
  EXPECT_EQ(Predicate::Of(leaf).kind, Predicate::Kind::kLeaf);
  leaf.keys = Texts::None();
  leaf.matches_null = false;
  EXPECT_TRUE(Predicate::Of(leaf).is_false());
}

TEST(Predicate, ConstantsVanishOrDecide) {
  const Predicate leaf = Equals(0, 1);
  EXPECT_TRUE(Predicate::And({}).is_true());
  EXPECT_TRUE(Predicate::Or({}).is_false());
  EXPECT_EQ(Predicate::And({Predicate::True(), leaf}).kind, Predicate::Kind::kLeaf);
  EXPECT_EQ(Predicate::Or({Predicate::False(), leaf}).ToString(), "c0 = 1");
  EXPECT_TRUE(Predicate::And({leaf, Predicate::False()}).is_false());
  EXPECT_TRUE(Predicate::Or({leaf, Predicate::True()}).is_true());
}

TEST(Predicate, LeavesOfOneColumnMerge) {
  const Predicate low = Is(0, Ints::Range(5, std::nullopt), "a >= 5");
  const Predicate high = Is(0, Ints::Range(KeyTraits<Int128>::Least(), Int128{9}), "a < 9");
  const Predicate both = Predicate::And({low, Equals(1, 7), high});
  ASSERT_EQ(both.kind, Predicate::Kind::kAnd);
  ASSERT_EQ(both.children.size(), 2u);
  EXPECT_EQ(both.children[0].leaf.text, "a >= 5 AND a < 9");
  EXPECT_EQ(std::get<Ints>(both.children[0].leaf.keys), Ints::Range(5, Int128{9}));
  EXPECT_EQ(both.ToString(), "a >= 5 AND a < 9 AND c1 = 7");
  // Merging may find a contradiction, or a tautology.
  EXPECT_TRUE(Predicate::And({Equals(0, 1), Equals(1, 7), Equals(0, 2)}).is_false());
  const Predicate is_null = Is(0, Ints::None(), "a IS NULL", true);
  const Predicate not_null = Is(0, Ints::All(), "a IS NOT NULL");
  EXPECT_TRUE(Predicate::Or({is_null, Equals(1, 7), not_null}).is_true());
  EXPECT_TRUE(Predicate::And({is_null, not_null}).is_false());
  EXPECT_TRUE(Predicate::Or({is_null, Equals(0, 3)}).leaf.matches_null);
}

TEST(Predicate, InexactLeavesStayApart) {
  const Predicate p = Predicate::And({Like(0, "%a%"), Is(0, Texts::Point("b"), "c = 'b'"), Like(0, "%c%")});
  ASSERT_EQ(p.children.size(), 3u);
  EXPECT_FALSE(p.children[0].leaf.is_exact());
  EXPECT_EQ(p.ToString(), "c LIKE '%a%' AND c = 'b' AND c LIKE '%c%'");
}

TEST(Predicate, NestedKindsAreFlattened) {
  const Predicate inner = Predicate::And({Equals(1, 1), Equals(2, 2)});
  const Predicate outer = Predicate::And({Equals(0, 0), inner, Equals(3, 3)});
  EXPECT_EQ(outer.children.size(), 4u);
  EXPECT_EQ(outer.ToString(), "c0 = 0 AND c1 = 1 AND c2 = 2 AND c3 = 3");
  // A flattened child merges with what is there already.
  EXPECT_TRUE(Predicate::And({Equals(1, 9), inner}).is_false());
  EXPECT_EQ(outer.Columns(), (std::vector<int>{0, 1, 2, 3}));
}

TEST(Predicate, ParenthesesWhereNeeded) {
  const Predicate either = Predicate::Or({Equals(1, 1), Equals(2, 2)});
  EXPECT_EQ(either.ToString(), "c1 = 1 OR c2 = 2");
  EXPECT_EQ(Predicate::And({either, Equals(3, 3)}).ToString(), "(c1 = 1 OR c2 = 2) AND c3 = 3");
  const Predicate merged = Predicate::Or({Equals(1, 1), Equals(1, 5)});
  EXPECT_EQ(merged.kind, Predicate::Kind::kLeaf);
  EXPECT_EQ(Predicate::And({merged, Equals(3, 3)}).ToString(), "(c1 = 1 OR c1 = 5) AND c3 = 3");
  EXPECT_EQ(Predicate::Or({Predicate::And({Equals(1, 1), Equals(2, 2)}), Equals(3, 3)}).ToString(),
            "c1 = 1 AND c2 = 2 OR c3 = 3");
  // An OR in quotes or parentheses is no OR.
  const Predicate quoted = Is(0, Texts::Point("a OR b"), "s = 'a OR b'");
  EXPECT_EQ(Predicate::And({quoted, Equals(3, 3)}).ToString(), "s = 'a OR b' AND c3 = 3");
}

TEST(Predicate, ManyOrsStayFast) {
  std::vector<Predicate> children;
  for (int i = 0; i < 100'000; ++i) children.push_back(Is(0, Texts::Point(std::to_string(i)), "x"));
  const Predicate p = Predicate::Or(std::move(children));
  EXPECT_EQ(std::get<Texts>(p.leaf.keys).intervals().size(), 100'000u);
}

// Value of a predicate for a row of small integers, -1 for null.
bool Holds(const Predicate& p, const std::vector<int>& row) {
  switch (p.kind) {
    case Predicate::Kind::kTrue:
      return true;
    case Predicate::Kind::kFalse:
      return false;
    case Predicate::Kind::kLeaf: {
      const int value = row[static_cast<size_t>(p.leaf.column)];
      return value < 0 ? p.leaf.matches_null : std::get<Ints>(p.leaf.keys).Contains(value);
    }
    case Predicate::Kind::kAnd:
      return std::all_of(p.children.begin(), p.children.end(), [&](const auto& child) { return Holds(child, row); });
    case Predicate::Kind::kOr:
      return std::any_of(p.children.begin(), p.children.end(), [&](const auto& child) { return Holds(child, row); });
  }
  return false;
}

void ExpectNormal(const Predicate& p) {
  for (const Predicate& child : p.children) {
    EXPECT_GE(p.children.size(), 2u);
    EXPECT_NE(child.kind, p.kind);
    EXPECT_FALSE(child.is_true() || child.is_false());
    ExpectNormal(child);
  }
}

TEST(Predicate, RandomTreesKeepTheirMeaning) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 2000 && !testing::Test::HasFailure(); ++round) {
    std::vector<std::vector<int>> rows(20, std::vector<int>(3));
    for (auto& row : rows) {
      for (int& value : row) value = static_cast<int>(random() % 5) - 1;
    }
    // Combine and evaluate side by side.
    std::function<std::pair<Predicate, std::vector<bool>>(int)> grow = [&](int depth) {
      std::vector<bool> truth(rows.size());
      if (depth == 0 || random() % 4 == 0) {
        Ints keys = random() % 2 ? Ints::Point(random() % 4) : Ints::Range(random() % 4, std::nullopt);
        if (random() % 3 == 0) keys = keys.Complement();
        const Predicate leaf = Is(static_cast<int>(random() % 3), keys, "t", random() % 2);
        for (size_t i = 0; i < rows.size(); ++i) truth[i] = Holds(leaf, rows[i]);
        return std::pair(leaf, truth);
      }
      const bool is_and = random() % 2;
      truth.assign(rows.size(), is_and);
      std::vector<Predicate> children;
      for (unsigned k = random() % 4; k > 0; --k) {
        auto [child, child_truth] = grow(depth - 1);
        children.push_back(child);
        for (size_t i = 0; i < rows.size(); ++i) {
          truth[i] = is_and ? truth[i] && child_truth[i] : truth[i] || child_truth[i];
        }
      }
      return std::pair(is_and ? Predicate::And(children) : Predicate::Or(children), truth);
    };
    const auto [predicate, truth] = grow(3);
    ExpectNormal(predicate);
    for (size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(Holds(predicate, rows[i]), truth[i]);
  }
}

}  // namespace
}  // namespace frazil::expr
