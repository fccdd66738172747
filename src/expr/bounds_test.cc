// SPDX-License-Identifier: Apache-2.0
//
// The evaluator against every small container: a verdict must hold for each content that the bounds allow.
#include "src/expr/bounds.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace frazil::expr {
namespace {

using Ints = IntervalSet<Int128>;
using Texts = IntervalSet<std::string>;

ColumnType IntType() { return {.kind = TypeKind::kInt, .bit_width = 64}; }
ColumnType DoubleType() { return {.kind = TypeKind::kDouble}; }
ColumnType TextType() { return {.kind = TypeKind::kString}; }

Leaf MakeLeaf(KeySet keys, bool matches_null = false) {
  Leaf leaf;
  leaf.keys = std::move(keys);
  leaf.matches_null = matches_null;
  return leaf;
}

ColumnBounds Bounds(std::optional<Key> min, std::optional<Key> max, std::optional<int64_t> nulls = {},
                    std::optional<int64_t> nans = {}, std::optional<int64_t> rows = {}) {
  return {std::move(min), std::move(max), nulls, nans, rows};
}

Key I(int64_t value) { return Int128{value}; }
Key D(double value) { return Int128{DoubleKey(value)}; }
Key T(std::string text) { return text; }

TEST(JudgeLeaf, NothingKnownIsSome) {
  EXPECT_EQ(JudgeLeaf(MakeLeaf(Ints::Point(1)), IntType(), {}), Verdict::kSome);
  EXPECT_EQ(JudgeLeaf(MakeLeaf(Ints::All()), IntType(), {}), Verdict::kSome);         // IS NOT NULL
  EXPECT_EQ(JudgeLeaf(MakeLeaf(Ints::None(), true), IntType(), {}), Verdict::kSome);  // IS NULL
  EXPECT_EQ(JudgeLeaf(MakeLeaf(Ints::All()), {.kind = TypeKind::kGroup}, {}), Verdict::kSome);
}

TEST(JudgeLeaf, BoundsDecideOrdinaryValues) {
  const Leaf leaf = MakeLeaf(Ints::Range(10, Int128{20}));
  EXPECT_EQ(JudgeLeaf(leaf, IntType(), Bounds(I(20), I(30), 0)), Verdict::kNone);
  EXPECT_EQ(JudgeLeaf(leaf, IntType(), Bounds(I(0), I(9))), Verdict::kNone);
  EXPECT_EQ(JudgeLeaf(leaf, IntType(), Bounds(I(10), I(19), 0)), Verdict::kAll);
  EXPECT_EQ(JudgeLeaf(leaf, IntType(), Bounds(I(10), I(19))), Verdict::kSome) << "nulls are unknown, not zero";
  EXPECT_EQ(JudgeLeaf(leaf, IntType(), Bounds(I(10), I(20), 0)), Verdict::kSome);
  EXPECT_EQ(JudgeLeaf(leaf, IntType(), Bounds(I(20), {}, 0)), Verdict::kNone);
  EXPECT_EQ(JudgeLeaf(leaf, IntType(), Bounds({}, I(9), 0)), Verdict::kNone);
  EXPECT_EQ(JudgeLeaf(leaf, IntType(), Bounds({}, I(15), 0)), Verdict::kSome);
}

TEST(JudgeLeaf, BadEvidenceIsNoEvidence) {
  const Leaf leaf = MakeLeaf(Ints::Point(5));
  EXPECT_EQ(JudgeLeaf(leaf, IntType(), Bounds(I(9), I(7), 0, {}, 10)), Verdict::kSome) << "min above max";
  EXPECT_EQ(JudgeLeaf(leaf, IntType(), Bounds(T("9"), T("99"), 0, {}, 10)), Verdict::kSome) << "wrong key space";
  const Leaf is_null = MakeLeaf(Ints::None(), true);
  EXPECT_EQ(JudgeLeaf(is_null, IntType(), Bounds({}, {}, -1, {}, 10)), Verdict::kSome);
  EXPECT_EQ(JudgeLeaf(is_null, IntType(), Bounds({}, {}, 11, {}, 10)), Verdict::kSome);
  EXPECT_EQ(JudgeLeaf(is_null, IntType(), Bounds({}, {}, 10, {}, -10)), Verdict::kSome);
  EXPECT_EQ(JudgeLeaf(MakeLeaf(Ints::All()), DoubleType(), Bounds({}, {}, 6, 6, 10)), Verdict::kSome);
}

TEST(JudgeLeaf, NullCounts) {
  const Leaf is_null = MakeLeaf(Ints::None(), true);
  const Leaf not_null = MakeLeaf(Ints::All());
  EXPECT_EQ(JudgeLeaf(is_null, IntType(), Bounds({}, {}, 0)), Verdict::kNone);
  EXPECT_EQ(JudgeLeaf(not_null, IntType(), Bounds({}, {}, 0)), Verdict::kAll);
  EXPECT_EQ(JudgeLeaf(is_null, IntType(), Bounds({}, {}, 10, {}, 10)), Verdict::kAll);
  EXPECT_EQ(JudgeLeaf(not_null, IntType(), Bounds({}, {}, 10, {}, 10)), Verdict::kNone);
  EXPECT_EQ(JudgeLeaf(MakeLeaf(Ints::Point(1)), IntType(), Bounds({}, {}, 10, {}, 10)), Verdict::kNone);
  EXPECT_EQ(JudgeLeaf(is_null, IntType(), Bounds({}, {}, 10)), Verdict::kSome);
  EXPECT_EQ(JudgeLeaf(is_null, IntType(), Bounds({}, {}, {}, {}, 0)), Verdict::kNone) << "no rows";
  EXPECT_EQ(JudgeLeaf(is_null, IntType(), Bounds({}, {}, 0, {}, 0)), Verdict::kNone);
}

TEST(JudgeLeaf, NanIsNeverLostByBounds) {
  const Leaf above = MakeLeaf(Ints::Range(DoubleKey(100), std::nullopt));  // x >= 100; NaN matches
  EXPECT_EQ(JudgeLeaf(above, DoubleType(), Bounds(D(1), D(2), 0)), Verdict::kSome);
  EXPECT_EQ(JudgeLeaf(above, DoubleType(), Bounds(D(1), D(2), 0, 0)), Verdict::kNone);
  EXPECT_EQ(JudgeLeaf(above, DoubleType(), Bounds(D(100), D(200), 0)), Verdict::kAll);
  const Leaf below = MakeLeaf(Ints::Range(KeyTraits<Int128>::Least(), Int128{DoubleKey(100)}));  // NaN does not match
  EXPECT_EQ(JudgeLeaf(below, DoubleType(), Bounds(D(1), D(2), 0)), Verdict::kSome);
  EXPECT_EQ(JudgeLeaf(below, DoubleType(), Bounds(D(1), D(2), 0, 0)), Verdict::kAll);
  EXPECT_EQ(JudgeLeaf(below, DoubleType(), Bounds(D(100), D(200))), Verdict::kNone);
}

TEST(JudgeLeaf, NanBoundsAreIgnored) {
  const Leaf leaf = MakeLeaf(Ints::Point(DoubleKey(5)));
  EXPECT_EQ(JudgeLeaf(leaf, DoubleType(), Bounds(D(NAN), D(NAN), 0, 0)), Verdict::kSome);
  EXPECT_EQ(JudgeLeaf(leaf, DoubleType(), Bounds(D(6), D(NAN), 0, 0)), Verdict::kNone);
  EXPECT_EQ(JudgeLeaf(leaf, DoubleType(), Bounds(D(NAN), D(4), 0, 0)), Verdict::kNone);
}

TEST(JudgeLeaf, IsNan) {
  const Leaf is_nan = MakeLeaf(Ints::Point(kNanKey64));
  const Leaf not_nan = MakeLeaf(Ints::Point(kNanKey64).Complement());
  EXPECT_EQ(JudgeLeaf(is_nan, DoubleType(), {}), Verdict::kSome);
  EXPECT_EQ(JudgeLeaf(is_nan, DoubleType(), Bounds({}, {}, {}, 0)), Verdict::kNone);
  EXPECT_EQ(JudgeLeaf(not_nan, DoubleType(), Bounds({}, {}, 0, 0)), Verdict::kAll);
  EXPECT_EQ(JudgeLeaf(is_nan, DoubleType(), Bounds(D(1), D(2), 3, 7, 10)), Verdict::kSome);
  EXPECT_EQ(JudgeLeaf(is_nan, DoubleType(), Bounds(D(1), D(2), 0, 10, 10)), Verdict::kAll);
  EXPECT_EQ(JudgeLeaf(is_nan, DoubleType(), Bounds({}, {}, {}, 10, 10)), Verdict::kAll);
  EXPECT_EQ(JudgeLeaf(not_nan, DoubleType(), Bounds(D(1), D(2), 3, 7, 10)), Verdict::kNone);
  EXPECT_EQ(JudgeLeaf(MakeLeaf(Ints::Point(DoubleKey(1))), DoubleType(), Bounds(D(1), D(2), 3, 7, 10)), Verdict::kNone)
      << "every value is NaN, whatever the bounds say";
  // A NaN count on another type means nothing.
  EXPECT_EQ(JudgeLeaf(MakeLeaf(Ints::Point(1)), IntType(), Bounds(I(1), I(1), 0, 10, 10)), Verdict::kAll);
}

TEST(JudgeLeaf, PatternsNeverProveAll) {
  Leaf like = MakeLeaf(Texts::All());
  like.pattern = std::make_shared<LikePattern>("%x%");
  EXPECT_EQ(JudgeLeaf(like, TextType(), Bounds(T("a"), T("b"), 0)), Verdict::kSome);
  like.keys = Texts::Range("x", std::string("y"));
  EXPECT_EQ(JudgeLeaf(like, TextType(), Bounds(T("x1"), T("x2"), 0)), Verdict::kSome);
  EXPECT_EQ(JudgeLeaf(like, TextType(), Bounds(T("a"), T("b"), 0)), Verdict::kNone);
  EXPECT_EQ(JudgeLeaf(like, TextType(), Bounds({}, {}, 4, {}, 4)), Verdict::kNone);
}

// Every container of up to three values from {null, NaN, 1, 2, 3}, every leaf over cells of these, every subset of
// evidence: the verdict must be what the rows say, or kSome.
TEST(JudgeLeaf, ExhaustiveSoundness) {
  constexpr double kValues[] = {1, 2, 3, NAN};
  for (int container = 1; container < 125; ++container) {
    int digits[3] = {container % 5, container / 5 % 5, container / 25};
    int64_t nulls = 0, nans = 0;
    double min = INFINITY, max = -INFINITY;
    for (const int digit : digits) {
      if (digit == 4) {
        ++nulls;
      } else if (std::isnan(kValues[digit])) {
        ++nans;
      } else {
        min = std::min(min, kValues[digit]);
        max = std::max(max, kValues[digit]);
      }
    }
    for (unsigned accepts = 0; accepts < 32; ++accepts) {  // bit 4: null
      std::vector<Int128> points;
      for (unsigned i = 0; i < 4; ++i) {
        if ((accepts >> i) & 1) points.push_back(DoubleKey(kValues[i]));
      }
      const Leaf leaf = MakeLeaf(Ints::Points(points), (accepts >> 4) & 1);
      int matches = 0;
      for (const int digit : digits) matches += (accepts >> digit) & 1;
      for (unsigned evidence = 0; evidence < 32; ++evidence) {
        ColumnBounds bounds;
        if ((evidence & 1) && min <= max) bounds.min = D(min);
        if ((evidence & 2) && min <= max) bounds.max = D(max);
        if (evidence & 4) bounds.null_count = nulls;
        if (evidence & 8) bounds.nan_count = nans;
        if (evidence & 16) bounds.row_count = 3;
        const Verdict verdict = JudgeLeaf(leaf, DoubleType(), bounds);
        ASSERT_TRUE(verdict != Verdict::kNone || matches == 0) << container << " " << accepts << " " << evidence;
        ASSERT_TRUE(verdict != Verdict::kAll || matches == 3) << container << " " << accepts << " " << evidence;
      }
    }
  }
}

TEST(JudgePredicate, CombinesAndStopsEarly) {
  auto leaf = [](int column) {
    Leaf l = MakeLeaf(Ints::Point(1));
    l.column = column;
    return Predicate::Of(l);
  };
  const Verdict all_verdicts[] = {Verdict::kNone, Verdict::kSome, Verdict::kAll};
  for (const Verdict a : all_verdicts) {
    for (const Verdict b : all_verdicts) {
      int asked = 0;
      auto judge = [&](const Leaf& l) {
        ++asked;
        return l.column == 0 ? a : b;
      };
      EXPECT_EQ(JudgePredicate(Predicate::And({leaf(0), leaf(1)}), judge), std::min(a, b));
      EXPECT_EQ(asked, a == Verdict::kNone ? 1 : 2);
      asked = 0;
      EXPECT_EQ(JudgePredicate(Predicate::Or({leaf(0), leaf(1)}), judge), std::max(a, b));
      EXPECT_EQ(asked, a == Verdict::kAll ? 1 : 2);
    }
  }
  auto never = [](const Leaf&) {
    ADD_FAILURE() << "no leaf to ask";
    return Verdict::kSome;
  };
  EXPECT_EQ(JudgePredicate(Predicate::True(), never), Verdict::kAll);
  EXPECT_EQ(JudgePredicate(Predicate::False(), never), Verdict::kNone);
}

}  // namespace
}  // namespace frazil::expr
