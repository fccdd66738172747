// SPDX-License-Identifier: Apache-2.0
//
// IntervalSet against sets of keys: every set over a small universe, for both key spaces.
#include "src/expr/interval_set.h"

#include <gtest/gtest.h>

namespace frazil::expr {
namespace {

using Ints = IntervalSet<Int128>;
using Texts = IntervalSet<std::string>;

// A small universe of keys: those below it, in it, and above it stand for all keys.
template <typename K>
struct Universe;

template <>
struct Universe<Int128> {
  // The least, the keys between, and one that stands for all above.
  static std::vector<Int128> Keys() { return {KeyTraits<Int128>::kLeast, -1, 0, 1, 2, 1000}; }
};

template <>
struct Universe<std::string> {
  static std::vector<std::string> Keys() {
    return {"", std::string(1, '\0'), "a", std::string("a\0", 2), "ab", "\xff\xff"};
  }
};

template <typename K>
class IntervalSetOf : public testing::Test {
 protected:
  using Set = IntervalSet<K>;
  std::vector<K> keys_ = Universe<K>::Keys();

  // All sets made of cells [keys[i], keys[i+1]) with an open last cell.
  Set FromMask(unsigned mask) const {
    Set set;
    for (size_t i = 0; i < keys_.size(); ++i) {
      if (!((mask >> i) & 1)) continue;
      set = set.Union(Set::Range(keys_[i], i + 1 < keys_.size() ? std::optional<K>(keys_[i + 1]) : std::nullopt));
    }
    return set;
  }
  unsigned set_count() const { return 1u << keys_.size(); }

  static void ExpectNormal(const Set& set) {
    for (size_t i = 0; i < set.intervals().size(); ++i) {
      const Interval<K>& interval = set.intervals()[i];
      if (interval.end) {
        EXPECT_LT(interval.begin, *interval.end);
      }
      if (i == 0) continue;
      ASSERT_TRUE(set.intervals()[i - 1].end.has_value());
      EXPECT_LT(*set.intervals()[i - 1].end, interval.begin);
    }
  }
};

using KeyTypes = testing::Types<Int128, std::string>;
TYPED_TEST_SUITE(IntervalSetOf, KeyTypes);

TYPED_TEST(IntervalSetOf, ExhaustiveAlgebra) {
  const unsigned all = this->set_count() - 1;
  EXPECT_TRUE(this->FromMask(all).is_all());
  EXPECT_TRUE(this->FromMask(0).empty());
  for (unsigned a = 0; a <= all; ++a) {
    const auto set = this->FromMask(a);
    this->ExpectNormal(set);
    EXPECT_EQ(set.Complement(), this->FromMask(all & ~a)) << a;
    for (size_t i = 0; i < this->keys_.size(); ++i) EXPECT_EQ(set.Contains(this->keys_[i]), ((a >> i) & 1) == 1);
    for (unsigned b = 0; b <= all; ++b) {
      const auto other = this->FromMask(b);
      EXPECT_EQ(set.Union(other), this->FromMask(a | b)) << a << " " << b;
      EXPECT_EQ(set.Intersect(other), this->FromMask(a & b)) << a << " " << b;
      EXPECT_EQ(set == other, a == b);
    }
  }
}

TYPED_TEST(IntervalSetOf, ExhaustiveJudge) {
  using View = typename IntervalSet<TypeParam>::View;
  const size_t n = this->keys_.size();
  for (unsigned mask = 0; mask < this->set_count(); ++mask) {
    const auto set = this->FromMask(mask);
    for (size_t low = 0; low <= n; ++low) {  // n: unset
      for (size_t high = 0; high <= n; ++high) {
        if (low < n && high < n && high < low) continue;
        const size_t first = low == n ? 0 : low;
        const size_t last = high == n ? n - 1 : high;
        // The last cell reaches beyond its key, so a range that ends at a key covers cells [first, last] in part:
        // all cells are decided by their first key, except that the part is enough for "some".
        bool any = false;
        bool every = true;
        for (size_t i = first; i <= last; ++i) {
          any = any || ((mask >> i) & 1);
          every = every && ((mask >> i) & 1);
        }
        const Overlap expected = every ? Overlap::kAll : any ? Overlap::kSome : Overlap::kNone;
        const auto min = low == n ? std::nullopt : std::optional<View>(this->keys_[low]);
        const auto max = high == n ? std::nullopt : std::optional<View>(this->keys_[high]);
        EXPECT_EQ(set.Judge(min, max), expected) << mask << " " << low << " " << high;
      }
    }
  }
}

TEST(IntervalSet, PointsAreSortedAndMerged) {
  const Ints set = Ints::Points({5, 1, 2, 5, 3});
  ASSERT_EQ(set.intervals().size(), 2u);
  EXPECT_EQ(set.intervals()[0], (Interval<Int128>{1, 4}));
  EXPECT_TRUE(set.intervals()[1].is_point());
  EXPECT_TRUE(Ints::Points({}).empty());
  EXPECT_EQ(Texts::Points({"b", "a", "b"}).intervals().size(), 2u);
  // "a" and "a\0" are neighbours.
  EXPECT_EQ(Texts::Points({std::string("a\0", 2), "a"}).intervals().size(), 1u);
}

TEST(IntervalSet, EmptyRanges) {
  EXPECT_TRUE(Ints::Range(5, Int128{5}).empty());
  EXPECT_TRUE(Ints::Range(6, Int128{5}).empty());
  EXPECT_TRUE(Texts::Range("b", std::string("a")).empty());
}

TEST(IntervalSet, TheGreatestIntegerIsAPointToo) {
  const Int128 greatest = std::numeric_limits<Int128>::max();
  const Ints set = Ints::Point(greatest);
  EXPECT_TRUE(set.Contains(greatest));
  EXPECT_FALSE(set.Contains(greatest - 1));
  EXPECT_FALSE(set.Complement().Contains(greatest));
}

TEST(IntervalSet, TextIsComparedAsUnsignedBytes) {
  const Texts set = Texts::Range("z", std::nullopt);
  EXPECT_TRUE(set.Contains("\xc3\xa4"));
  EXPECT_FALSE(set.Contains("A"));
}

TEST(IntervalSet, NotEqualIsTwoIntervals) {
  const Ints set = Ints::Point(3).Complement();
  EXPECT_EQ(set.intervals().size(), 2u);
  EXPECT_EQ(set.Judge(Int128{3}, Int128{3}), Overlap::kNone);
  EXPECT_EQ(set.Judge(Int128{3}, Int128{4}), Overlap::kSome);
  EXPECT_EQ(set.Judge(Int128{4}, Int128{9}), Overlap::kAll);
}

}  // namespace
}  // namespace frazil::expr
