// SPDX-License-Identifier: Apache-2.0
#include "src/prune/row_verdicts.h"

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace frazil::prune {
namespace {

using expr::IntervalSet;
using expr::Leaf;
using expr::Predicate;
using expr::Verdict;

// A leaf on column `column` that is neither true nor false by itself.
Predicate LeafOf(int column) {
  Leaf leaf;
  leaf.column = column;
  leaf.keys = IntervalSet<expr::Int128>::Point(column);
  leaf.text = "c" + std::to_string(column);
  return Predicate::Of(leaf);
}

TEST(RowVerdicts, OfAVerdict) {
  EXPECT_TRUE(RowVerdicts::Of(Verdict::kNone, 10).maybe.empty());
  EXPECT_EQ(RowVerdicts::Of(Verdict::kSome, 10).maybe, RowRanges::Of(0, 10));
  EXPECT_TRUE(RowVerdicts::Of(Verdict::kSome, 10).proven.empty());
  EXPECT_EQ(RowVerdicts::Of(Verdict::kAll, 10).proven, RowRanges::Of(0, 10));
  EXPECT_TRUE(RowVerdicts::Of(Verdict::kAll, 0).maybe.empty());
}

TEST(RowVerdicts, AndIntersectsOrUnites) {
  const RowVerdicts a{{{0, 10}}, {{2, 5}}};
  const RowVerdicts b{{{4, 20}}, {{4, 20}}};
  EXPECT_EQ(And(a, b).maybe, RowRanges::Of(4, 10));
  EXPECT_EQ(And(a, b).proven, RowRanges::Of(4, 5));
  EXPECT_EQ(Or(a, b).maybe, RowRanges::Of(0, 20));
  EXPECT_EQ(Or(a, b).proven, RowRanges::Of(2, 20));
}

TEST(Combine, ConstantsAndLeaves) {
  const auto never = [](const Leaf&) -> RowVerdicts {
    ADD_FAILURE() << "no leaf to judge";
    return {};
  };
  EXPECT_EQ(Combine(Predicate::True(), 7, never).proven, RowRanges::Of(0, 7));
  EXPECT_TRUE(Combine(Predicate::False(), 7, never).maybe.empty());
  const auto one = [](const Leaf&) { return RowVerdicts{{{1, 3}}, {}}; };
  EXPECT_EQ(Combine(LeafOf(0), 7, one).maybe, RowRanges::Of(1, 3));
}

TEST(Combine, AndStopsWhenNothingIsLeft) {
  int judged = 0;
  const auto judge = [&judged](const Leaf& leaf) {
    ++judged;
    return leaf.column == 0 ? RowVerdicts{{{0, 2}}, {}} : RowVerdicts{{{5, 7}}, {{5, 7}}};
  };
  const Predicate predicate = Predicate::And({LeafOf(0), LeafOf(1), LeafOf(2)});
  EXPECT_TRUE(Combine(predicate, 10, judge).maybe.empty());
  EXPECT_EQ(judged, 2);
}

TEST(Simplify, LeavesThatAreDecidedGoAway) {
  const auto judge = [](const Leaf& leaf) -> RowVerdicts {
    switch (leaf.column) {
      case 0:
        return {{{0, 10}}, {{0, 10}}};  // proven on all
      case 1:
        return {{{20, 30}}, {}};  // elsewhere
      default:
        return {{{0, 30}}, {{0, 5}}};
    }
  };
  const RowRanges rows = RowRanges::Of(0, 10);
  EXPECT_TRUE(Simplify(LeafOf(0), rows, judge).is_true());
  EXPECT_TRUE(Simplify(LeafOf(1), rows, judge).is_false());
  EXPECT_EQ(Simplify(Predicate::And({LeafOf(0), LeafOf(2)}), rows, judge).ToString(), "c2");
  EXPECT_EQ(Simplify(Predicate::Or({LeafOf(1), LeafOf(2)}), rows, judge).ToString(), "c2");
  EXPECT_TRUE(Simplify(Predicate::Or({LeafOf(0), LeafOf(2)}), rows, judge).is_true());
  EXPECT_TRUE(Simplify(Predicate::And({LeafOf(1), LeafOf(2)}), rows, judge).is_false());
  // On other rows the same leaves say other things.
  EXPECT_EQ(Simplify(LeafOf(0), RowRanges::Of(5, 15), judge).ToString(), "c0");
  EXPECT_TRUE(Simplify(LeafOf(2), RowRanges::Of(1, 3), judge).is_true());
  EXPECT_EQ(Simplify(Predicate::True(), rows, judge).is_true(), true);
}

// "rows: residual" of each part.
std::vector<std::string> Parts(const Predicate& predicate, const RowRanges& rows,
                               const std::function<RowVerdicts(const Leaf&)>& judge) {
  std::vector<std::string> texts;
  for (const RowsToAsk& part : PartByResidual(predicate, rows, judge)) {
    texts.push_back(part.rows.ToString() + ": " + part.residual.ToString());
  }
  return texts;
}

TEST(PartByResidual, AColumnIsAskedOnlyWhereItIsOpen) {
  const auto judge = [](const Leaf& leaf) -> RowVerdicts {
    if (leaf.column == 0) return {{{10, 50}}, {{20, 40}}};  // open in [10,20) and [40,50), proven between
    return RowVerdicts::Unknown(60);
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(Parts(Predicate::And({LeafOf(0), LeafOf(1)}), RowRanges::Of(10, 50), judge),
            (Texts{"[10,20) [40,50): c0 AND c1", "[20,40): c1"}));
  EXPECT_EQ(Parts(Predicate::Or({LeafOf(0), LeafOf(1)}), RowRanges{{0, 20}, {40, 60}}, judge),
            (Texts{"[0,10) [50,60): c1", "[10,20) [40,50): c0 OR c1"}));
  EXPECT_EQ(Parts(LeafOf(0), RowRanges::Of(10, 20), judge), (Texts{"[10,20): c0"}));
  EXPECT_TRUE(Parts(LeafOf(0), RowRanges(), judge).empty());
}

TEST(PartByResidual, CrumbsStayTogether) {
  RowVerdicts odd;
  for (int64_t row = 1; row < 100; row += 2) odd.maybe.Append(row, row + 1);
  const auto judge = [&odd](const Leaf& leaf) { return leaf.column == 0 ? odd : RowVerdicts::Unknown(100); };
  const Predicate predicate = Predicate::Or({LeafOf(0), LeafOf(1)});
  EXPECT_EQ(PartByResidual(predicate, RowRanges::Of(0, 100), judge).size(), 1u);
  EXPECT_EQ(PartByResidual(predicate, RowRanges::Of(0, 100), judge, 1).size(), 2u);
}

// Rows of random truth, and random verdicts that are right about them: what Combine and Simplify make of the verdicts
// is right too.
class RandomTruth {
 public:
  static constexpr int64_t kRows = 40;
  static constexpr int kColumns = 5;

  explicit RandomTruth(uint64_t seed) : random_(seed) {
    for (int column = 0; column < kColumns; ++column) {
      for (int64_t row = 0; row < kRows; ++row) {
        const bool is_true = random_() % 2 == 0;
        const bool known = random_() % 3 != 0;
        truth_[column].push_back(is_true);
        if (is_true || !known) verdicts_[column].maybe.Append(row, row + 1);
        if (is_true && known) verdicts_[column].proven.Append(row, row + 1);
      }
    }
  }

  Predicate Draw(int depth) {
    if (depth == 0 || random_() % 4 == 0) return LeafOf(static_cast<int>(random_() % kColumns));
    std::vector<Predicate> children;
    for (uint64_t i = 0; i < 2 + random_() % 2; ++i) children.push_back(Draw(depth - 1));
    return random_() % 2 == 0 ? Predicate::And(std::move(children)) : Predicate::Or(std::move(children));
  }
  RowRanges DrawRows() {
    RowRanges rows;
    for (int64_t row = 0; row < kRows; ++row) {
      if (random_() % 3 != 0) rows.Append(row, row + 1);
    }
    return rows;
  }

  // Merged leaves have other keys than LeafOf gives; their column alone does not say what they are.
  static bool IsPlain(const Predicate& predicate) {
    if (predicate.kind == Predicate::Kind::kLeaf) {
      return predicate.leaf.text == "c" + std::to_string(predicate.leaf.column);
    }
    for (const Predicate& child : predicate.children) {
      if (!IsPlain(child)) return false;
    }
    return true;
  }

  bool Holds(const Predicate& predicate, int64_t row) const {
    switch (predicate.kind) {
      case Predicate::Kind::kTrue:
        return true;
      case Predicate::Kind::kFalse:
        return false;
      case Predicate::Kind::kLeaf:
        return truth_.at(predicate.leaf.column)[static_cast<size_t>(row)];
      case Predicate::Kind::kAnd:
        for (const Predicate& child : predicate.children) {
          if (!Holds(child, row)) return false;
        }
        return true;
      case Predicate::Kind::kOr:
        for (const Predicate& child : predicate.children) {
          if (Holds(child, row)) return true;
        }
        return false;
    }
    return false;
  }
  const RowVerdicts& Judge(const Leaf& leaf) const { return verdicts_.at(leaf.column); }

 private:
  std::mt19937_64 random_;
  std::map<int, std::vector<bool>> truth_;
  std::map<int, RowVerdicts> verdicts_;
};

TEST(Combine, IsRightWhenItsLeavesAre) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  int compared = 0;
  for (uint64_t turn = 0; turn < 1000; ++turn) {
    RandomTruth truth(seed + turn);
    const Predicate predicate = truth.Draw(3);
    if (!RandomTruth::IsPlain(predicate)) continue;
    ++compared;
    const auto judge = [&truth](const Leaf& leaf) { return truth.Judge(leaf); };
    const RowVerdicts verdicts = Combine(predicate, RandomTruth::kRows, judge);
    ASSERT_TRUE(verdicts.maybe.Covers(verdicts.proven));
    const RowRanges rows = truth.DrawRows();
    const Predicate rest = Simplify(predicate, rows, judge);
    for (int64_t row = 0; row < RandomTruth::kRows; ++row) {
      const bool holds = truth.Holds(predicate, row);
      ASSERT_TRUE(!holds || verdicts.maybe.Contains(row)) << predicate.ToString() << " row " << row;
      ASSERT_TRUE(holds || !verdicts.proven.Contains(row)) << predicate.ToString() << " row " << row;
      if (rows.Contains(row)) {
        ASSERT_EQ(truth.Holds(rest, row), holds) << predicate.ToString() << " became " << rest.ToString();
      }
    }
    RowRanges parted;
    for (const RowsToAsk& part : PartByResidual(predicate, rows, judge, 0)) {
      ASSERT_FALSE(part.rows.Overlaps(parted));
      parted = parted.Union(part.rows);
      for (int64_t row = 0; row < RandomTruth::kRows; ++row) {
        if (part.rows.Contains(row)) {
          ASSERT_EQ(truth.Holds(part.residual, row), truth.Holds(predicate, row))
              << predicate.ToString() << " became " << part.residual.ToString() << " on row " << row;
        }
      }
    }
    ASSERT_EQ(parted, rows);
  }
  EXPECT_GT(compared, 100);
}

// The columns of the leaves that could rule a row group out, if those of `askable` are answered with no.
std::string Needed(const Predicate& predicate, const std::set<int>& askable) {
  std::vector<const Leaf*> needed;
  const bool can = CanBeNone(
      predicate, [&](const Leaf& leaf) { return askable.count(leaf.column) > 0; }, &needed);
  std::string text = can ? "yes" : "no";
  for (const Leaf* leaf : needed) text += " " + std::to_string(leaf->column);
  return text;
}

TEST(CanBeNone, TakesOneSideOfAnAndAndEverySideOfAnOr) {
  EXPECT_EQ(Needed(LeafOf(0), {0}), "yes 0");
  EXPECT_EQ(Needed(LeafOf(0), {}), "no");
  EXPECT_EQ(Needed(Predicate::True(), {0}), "no");
  EXPECT_EQ(Needed(Predicate::False(), {}), "yes");
  const Predicate both = Predicate::And({LeafOf(0), LeafOf(1)});
  EXPECT_EQ(Needed(both, {0, 1}), "yes 0 1");
  EXPECT_EQ(Needed(both, {1}), "yes 1");
  EXPECT_EQ(Needed(both, {2}), "no");
  const Predicate either = Predicate::Or({LeafOf(0), LeafOf(1)});
  EXPECT_EQ(Needed(either, {0, 1}), "yes 0 1");
  EXPECT_EQ(Needed(either, {1}), "no");
  const Predicate tree = Predicate::And({Predicate::Or({LeafOf(0), LeafOf(1)}), Predicate::Or({LeafOf(2), LeafOf(3)})});
  EXPECT_EQ(Needed(tree, {0, 2, 3}), "yes 2 3") << "what one side of an OR would answer is of no use alone";
  EXPECT_EQ(Needed(tree, {0, 2}), "no");
}

TEST(LeavesOf, AreInOrder) {
  const Predicate tree = Predicate::Or({Predicate::And({LeafOf(3), LeafOf(1)}), LeafOf(2)});
  std::vector<int> columns;
  for (const Leaf* leaf : LeavesOf(tree)) columns.push_back(leaf->column);
  EXPECT_EQ(columns, (std::vector<int>{3, 1, 2}));
  EXPECT_TRUE(LeavesOf(Predicate::True()).empty());
}

}  // namespace
}  // namespace frazil::prune
