// SPDX-License-Identifier: Apache-2.0
//
// Projections against their definition, exhaustively on small domains: no value that matches is projected away, and a
// strict yes is always right; for the partition values that the specification gives and those that faulty writers gave.
#include "src/iceberg/project.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include <gtest/gtest.h>

#include "src/expr/bind.h"
#include "src/expr/bounds.h"
#include "src/expr/literal.h"
#include "src/expr/parse.h"
#include "src/iceberg/calendar.h"

namespace frazil::iceberg {
namespace {

using expr::Int128;
using expr::IntervalSet;
using expr::Key;
using expr::KeySet;
using Numbers = IntervalSet<Int128>;
using Texts = IntervalSet<std::string>;

Type TypeOf(const char* name) { return ParsePrimitive(name).ValueOrDie(); }

expr::Leaf LeafOf(KeySet keys, bool matches_null = false) {
  expr::Leaf leaf;
  leaf.keys = std::move(keys);
  leaf.matches_null = matches_null;
  return leaf;
}

// All partition values that a value may have been stored under.
using Stored = std::function<std::vector<Key>(const Key&)>;

// Checks both projections of a set of keys, and the way back, on every value of a domain. Returns how many pairs of
// a key set and a partition value were skipped or vouched for, so that a test can see that something was won.
struct Won {
  int skipped = 0;
  int vouched = 0;
};

void Check(const Transform& transform, const Type& source, const std::vector<Key>& domain, const KeySet& keys,
           const Stored& stored, Won* won) {
  const auto inclusive = ProjectInclusive(transform, source, LeafOf(keys, true));
  const auto strict = ProjectStrict(transform, source, LeafOf(keys, false));
  ASSERT_TRUE(inclusive && strict);
  EXPECT_TRUE(inclusive->matches_null);
  EXPECT_FALSE(strict->matches_null);
  std::set<Key> partitions;
  for (const Key& value : domain) {
    for (const Key& partition : stored(value)) {
      partitions.insert(partition);
      const auto where = [&] {
        return transform.text + " of " + expr::KeyToString(value, FilterType(source)) + " = " +
               expr::KeyToString(partition, FilterType(*ResultType(transform, source)));
      };
      if (expr::ContainsKey(keys, value)) {
        EXPECT_TRUE(expr::ContainsKey(inclusive->keys, partition)) << where();
      } else {
        EXPECT_FALSE(expr::ContainsKey(strict->keys, partition)) << where();
      }
      if (const auto back = SourceKeys(transform, source, partition)) {
        EXPECT_TRUE(expr::ContainsKey(*back, value)) << where();
      }
    }
  }
  for (const Key& partition : partitions) {
    won->skipped += expr::ContainsKey(inclusive->keys, partition) ? 0 : 1;
    won->vouched += expr::ContainsKey(strict->keys, partition) ? 1 : 0;
  }
}

std::vector<Key> Range(Int128 begin, Int128 end, Int128 step = 1) {
  std::vector<Key> keys;
  for (Int128 key = begin; key < end; key += step) keys.emplace_back(key);
  return keys;
}

// Points, ranges that are open and closed at each end, and what is left without a point or a range.
std::vector<KeySet> SetsOver(const std::vector<Key>& domain) {
  std::vector<KeySet> sets;
  for (size_t i = 0; i < domain.size(); ++i) {
    const Int128 low = std::get<Int128>(domain[i]);
    sets.emplace_back(Numbers::Point(low));
    sets.emplace_back(Numbers::Point(low).Complement());
    sets.emplace_back(Numbers::Range(low, std::nullopt));
    sets.emplace_back(Numbers::Range(low, std::nullopt).Complement());
    for (size_t j = i + 1; j < domain.size(); j += 1 + domain.size() / 8) {
      const Int128 high = std::get<Int128>(domain[j]);
      sets.emplace_back(Numbers::Range(low, high));
      sets.emplace_back(Numbers::Range(low, high).Complement());
      sets.emplace_back(Numbers::Points({low, high}));
      sets.emplace_back(Numbers::Points({low, high}).Complement());
    }
  }
  return sets;
}

Stored AsSpecified(const Transform& transform, const Type& source) {
  return [=](const Key& value) { return std::vector<Key>{*ApplyTransform(transform, source, value)}; };
}

void CheckAll(const char* transform_text, const char* type, const std::vector<Key>& domain, const Stored& stored,
              bool wins = true) {
  const Transform transform = ParseTransform(transform_text);
  const Stored stored_as = stored ? stored : AsSpecified(transform, TypeOf(type));
  Won won;
  Check(transform, TypeOf(type), domain, Numbers::None(), stored_as, &won);
  Check(transform, TypeOf(type), domain, Numbers::All(), stored_as, &won);
  won = {};
  for (const KeySet& keys : SetsOver(domain)) Check(transform, TypeOf(type), domain, keys, stored_as, &won);
  EXPECT_EQ(won.skipped > 0, wins) << transform_text << " " << type;
  EXPECT_EQ(won.vouched > 0, wins) << transform_text << " " << type;
}

TEST(Project, Integers) {
  for (const char* type : {"int", "long", "decimal(9,2)"}) {
    for (const char* transform : {"identity", "truncate[1]", "truncate[2]", "truncate[7]", "bucket[1]", "bucket[2]",
                                  "bucket[5]", "bucket[2147483647]"}) {
      CheckAll(transform, type, Range(-20, 21), nullptr, std::string_view(transform) != "bucket[1]");
    }
  }
}

TEST(Project, DatesAndTimes) {
  for (const char* transform : {"identity", "year", "month", "day", "bucket[3]"}) {
    CheckAll(transform, "date", Range(-400, 400, 13), nullptr);
    CheckAll(transform, "date", Range(-35, 35), nullptr);
  }
  for (const char* transform : {"identity", "year", "month", "day", "hour", "bucket[3]"}) {
    const Int128 hour = Int128{3600} * 1000000;
    CheckAll(transform, "timestamp", Range(-49 * hour, 49 * hour, 3 * hour + hour / 2), nullptr);
    CheckAll(transform, "timestamp", Range(-24000 * hour, 24000 * hour, 997 * hour), nullptr);
    CheckAll(transform, "timestamptz", Range(-20, 20), nullptr);
    CheckAll(transform, "timestamp_ns", Range(-4300, 4300, 211), nullptr);
    CheckAll(transform, "timestamptz_ns", Range(-49 * hour * 1000, 49 * hour * 1000, 5 * hour * 1000 - 1), nullptr);
  }
  CheckAll("bucket[3]", "time", Range(0, 40), nullptr);
}

// Early writers rounded times before 1970 towards zero.
TEST(Project, TimesRoundedTowardsZero) {
  for (const char* text : {"year", "month", "day", "hour"}) {
    for (const char* type : {"date", "timestamp", "timestamptz"}) {
      const Transform transform = ParseTransform(text);
      const Type source = TypeOf(type);
      if (!CanTransform(transform, source)) continue;
      const Stored both = [&](const Key& key) {
        const Int128 value = std::get<Int128>(key);
        const Int128 right = TimeOrdinal(transform.kind, source, value);
        std::vector<Key> stored = {Key(right)};
        if (right < 0 && *TimeBegin(transform.kind, source, right) != value) stored.emplace_back(right + 1);
        return stored;
      };
      const Int128 unit = source.id == TypeId::kDate ? 1 : Int128{86400} * 1000000;
      CheckAll(text, type, Range(-800 * unit, 800 * unit, 37 * unit), both);
      CheckAll(text, type, Range(-unit * 3, unit * 3 + 1, std::max<Int128>(1, unit / 5)), both);
    }
  }
}

// Writers that compute in the type itself wrap around where the multiple of W lies below the least value.
TEST(Project, TruncateAtTheEndsOfIntegers) {
  for (const auto& [type, bits] : {std::pair("int", 32), std::pair("long", 64), std::pair("long", 32)}) {
    const Int128 least = -(Int128{1} << (bits - 1));
    const Int128 greatest = -(least + 1);
    for (const int width : {1, 2, 3, 7, 10, 1000000007, 1 << 30, (1 << 30) + 1, INT32_MAX}) {
      const Transform transform = ParseTransform("truncate[" + std::to_string(width) + "]");
      const Stored any = [&, type = type, bits = bits](const Key& key) {
        const Int128 right = std::get<Int128>(*ApplyTransform(transform, TypeOf(type), key));
        std::vector<Key> stored = {Key(right)};
        if (right < least) {
          stored.emplace_back(right + (Int128{1} << bits));
          stored.emplace_back(least);
        }
        if (bits == 32) {
          // (v % W) + W in 32 bits, as Java computes it.
          const auto value = static_cast<int32_t>(std::get<Int128>(key));
          const auto sum = static_cast<int32_t>(static_cast<uint32_t>(value % width) + static_cast<uint32_t>(width));
          stored.emplace_back(
              Int128{static_cast<int32_t>(static_cast<uint32_t>(value) - static_cast<uint32_t>(sum % width))});
        }
        return stored;
      };
      std::vector<Key> domain = Range(least, least + 15);
      for (const Key& key : Range(greatest - 10, greatest + 1)) domain.push_back(key);
      for (const Key& key : Range(-8, 8)) domain.push_back(key);
      std::sort(domain.begin(), domain.end());
      CheckAll(transform.text.c_str(), type, domain, any, width <= (1 << 30));
    }
  }
}

TEST(Project, DecimalsAtTheEndsOf128Bits) {
  Int128 greatest = 1;
  for (int i = 0; i < 38; ++i) greatest *= 10;
  --greatest;
  std::vector<Key> domain = Range(-greatest, -greatest + 12);
  for (const Key& key : Range(greatest - 12, greatest + 1)) domain.push_back(key);
  CheckAll("truncate[7]", "decimal(38,0)", domain, nullptr);
  CheckAll("bucket[4]", "decimal(38,0)", domain, nullptr);
  // Literals can lie beyond all decimals.
  const Transform transform = ParseTransform("truncate[1000]");
  Won won;
  const Int128 least_key = expr::KeyTraits<Int128>::kLeast;
  for (const KeySet& keys :
       {KeySet(Numbers::Range(least_key + 1, least_key + 5)), KeySet(Numbers::Point(least_key)),
        KeySet(Numbers::Point(std::numeric_limits<Int128>::max())), KeySet(Numbers::Range(least_key + 3, 0))}) {
    Check(transform, TypeOf("decimal(38,0)"), domain, keys, AsSpecified(transform, TypeOf("decimal(38,0)")), &won);
    Check(ParseTransform("bucket[4]"), TypeOf("decimal(38,0)"), domain, keys,
          AsSpecified(ParseTransform("bucket[4]"), TypeOf("decimal(38,0)")), &won);
  }
}

// Every text of up to three of these characters: one that is least, one byte, two, three and four bytes, the last ones
// of three and of all.
std::vector<Key> Words() {
  const std::vector<std::string> characters = {
      std::string(1, '\0'), "a", "\xC3\xA9", "\xEF\xBF\xBF", "\xF0\x9F\x98\x80", "\xF4\x8F\xBF\xBF"};
  std::vector<Key> words = {std::string()};
  size_t begin = 0;
  for (int length = 1; length <= 3; ++length) {
    const size_t end = words.size();
    for (; begin < end; ++begin) {
      for (const std::string& character : characters)
        words.emplace_back(std::get<std::string>(words[begin]) + character);
    }
  }
  return words;
}

TEST(Project, TextsAndPrefixes) {
  const std::vector<Key> words = Words();
  for (const char* type : {"string", "binary"}) {
    for (const char* text : {"identity", "truncate[1]", "truncate[2]", "truncate[3]", "truncate[4]", "bucket[3]"}) {
      const Transform transform = ParseTransform(text);
      const Stored stored = AsSpecified(transform, TypeOf(type));
      Won won;
      for (size_t i = 0; i < words.size(); i += 3) {
        const auto& low = std::get<std::string>(words[i]);
        // Prefixes end in bytes that are no well-formed text by themselves.
        for (const Texts& keys : {Texts::Point(low), expr::PrefixKeys(low), Texts::Range(low, std::nullopt),
                                  Texts::Range(low + '\0', std::nullopt),
                                  Texts::Range(low, std::get<std::string>(words[(i * 7 + 5) % words.size()]))}) {
          Check(transform, TypeOf(type), words, keys, stored, &won);
          Check(transform, TypeOf(type), words, keys.Complement(), stored, &won);
        }
      }
      EXPECT_GT(won.skipped, 100) << text;
      EXPECT_GT(won.vouched, 100) << text;
    }
  }
}

TEST(Project, PrefixesOfCharactersBeyond16Bits) {
  // Java counts UTF-16 units here and loses the partition.
  const Transform transform = ParseTransform("truncate[2]");
  const auto keys = ProjectInclusive(transform, TypeOf("string"), LeafOf(expr::PrefixKeys("\xF0\x9F\x98\x80")));
  EXPECT_TRUE(expr::ContainsKey(keys->keys, Key(std::string("\xF0\x9F\x98\x80") + "a")));
  EXPECT_TRUE(expr::ContainsKey(keys->keys, Key(std::string("\xF0\x9F\x98\x80"))));
  EXPECT_FALSE(expr::ContainsKey(keys->keys, Key(std::string("b"))));
}

TEST(Project, UuidsAndFixed) {
  for (const char* type : {"uuid", "fixed[16]"}) {
    std::vector<Key> domain;
    for (int i = 0; i < 256; i += 5) domain.emplace_back(std::string(8, '\x01') + std::string(8, static_cast<char>(i)));
    for (const char* text : {"identity", "bucket[3]"}) {
      const Transform transform = ParseTransform(text);
      Won won;
      for (const Key& key : domain) {
        const auto& low = std::get<std::string>(key);
        for (const Texts& keys : {Texts::Point(low), Texts::Range(low, std::nullopt)}) {
          Check(transform, TypeOf(type), domain, keys, AsSpecified(transform, TypeOf(type)), &won);
          Check(transform, TypeOf(type), domain, keys.Complement(), AsSpecified(transform, TypeOf(type)), &won);
        }
      }
      EXPECT_GT(won.skipped, 0);
      EXPECT_GT(won.vouched, 0);
    }
  }
}

TEST(Project, FloatsByIdentity) {
  std::vector<Key> domain;
  for (const double value :
       {-static_cast<double>(INFINITY), -1.5, -0.0, 0.0, 1.5, static_cast<double>(INFINITY), std::nan("")}) {
    domain.emplace_back(Int128{expr::DoubleKey(value)});
  }
  CheckAll("identity", "double", domain, nullptr);
}

TEST(Project, SmallRangesAreEnumeratedThroughBuckets) {
  const Transform transform = ParseTransform("bucket[1000]");
  const auto buckets = [&](const char* type, Numbers keys) {
    const auto projected = ProjectInclusive(transform, TypeOf(type), LeafOf(std::move(keys)));
    int count = 0;
    for (int bucket = 0; bucket < 1000; ++bucket)
      count += expr::ContainsKey(projected->keys, Key(Int128{bucket})) ? 1 : 0;
    return count;
  };
  EXPECT_EQ(buckets("int", Numbers::Range(100, 110)), 10);
  EXPECT_EQ(buckets("date", Numbers::Range(19000, 19007)), 7);
  EXPECT_EQ(buckets("timestamp_ns", Numbers::Range(5000000, 5002000)), 2);
  EXPECT_LE(buckets("int", Numbers::Range(INT32_MAX - 4, std::nullopt)), 5);
  EXPECT_EQ(buckets("int", Numbers::Range(Int128{1} << 40, std::nullopt)), 0);
  EXPECT_EQ(buckets("long", Numbers::Range(0, kBucketValuesMax + 1)), 1000);
  EXPECT_EQ(buckets("decimal(38,0)", Numbers::All()), 1000);
}

TEST(Project, VoidAndUnknownSayNothing) {
  for (const char* text : {"void", "zorder", "bucket[0]"}) {
    const Transform transform = ParseTransform(text);
    EXPECT_FALSE(ProjectInclusive(transform, TypeOf("int"), LeafOf(Numbers::Point(1)))) << text;
    EXPECT_FALSE(ProjectStrict(transform, TypeOf("int"), LeafOf(Numbers::Point(1)))) << text;
    EXPECT_FALSE(SourceKeys(transform, TypeOf("int"), Key(Int128{1}))) << text;
  }
  EXPECT_FALSE(ProjectInclusive(ParseTransform("bucket[4]"), TypeOf("double"), LeafOf(Numbers::Point(1))));
}

TEST(Project, PatternsAreNeverVouchedFor) {
  expr::Leaf leaf = LeafOf(expr::PrefixKeys("ab"), false);
  leaf.pattern = std::make_shared<const expr::LikePattern>("ab%c");
  const auto strict = ProjectStrict(ParseTransform("truncate[2]"), TypeOf("string"), leaf);
  EXPECT_FALSE(expr::ContainsKey(strict->keys, Key(std::string("ab"))));
  const auto inclusive = ProjectInclusive(ParseTransform("truncate[2]"), TypeOf("string"), leaf);
  EXPECT_TRUE(expr::ContainsKey(inclusive->keys, Key(std::string("ab"))));
  EXPECT_FALSE(expr::ContainsKey(inclusive->keys, Key(std::string("ac"))));
}

TEST(Project, AValueThatNoRowCanHaveIsNotVouchedFor) {
  const auto strict = ProjectStrict(ParseTransform("bucket[4]"), TypeOf("int"), LeafOf(Numbers::Point(1).Complement()));
  EXPECT_TRUE(expr::ContainsKey(strict->keys, Key(Int128{1})));
  EXPECT_FALSE(expr::ContainsKey(strict->keys, Key(Int128{4})));
  EXPECT_FALSE(expr::ContainsKey(strict->keys, Key(Int128{-1})));
}

// --- whole filters

Schema TestSchema() {
  return ParseSchema(R"({"type": "struct", "fields": [
     {"id": 1, "name": "id", "required": false, "type": "long"},
     {"id": 2, "name": "ts", "required": false, "type": "timestamp"},
     {"id": 3, "name": "name", "required": false, "type": "string"}]})")
      .ValueOrDie();
}

PartitionSpec SpecOf(const std::vector<std::pair<std::vector<int>, std::string>>& fields) {
  PartitionSpec spec;
  for (const auto& [sources, transform] : fields) {
    spec.fields.push_back({sources, 1000 + static_cast<int>(spec.fields.size()), transform, ParseTransform(transform)});
  }
  return spec;
}

expr::BoundFilter Projected(const PartitionSpec& spec, const std::string& filter, ProjectionKind kind) {
  const auto bound = expr::Bind(expr::ParseFilter(filter).ValueOrDie(), TestSchema().FilterTree(), filter).ValueOrDie();
  return ProjectFilter(spec, TestSchema(), bound, kind);
}

// What a filter says of one tuple; unset values are null.
expr::Verdict Judge(const expr::BoundFilter& filter, const std::vector<std::optional<Key>>& tuple) {
  return expr::JudgePredicate(filter.root, [&](const expr::Leaf& leaf) {
    const expr::BoundColumn& column = filter.columns[leaf.column];
    expr::ColumnBounds bounds;
    bounds.min = bounds.max = tuple[column.ref];
    bounds.row_count = 1;
    bounds.null_count = tuple[column.ref] ? 0 : 1;
    return expr::JudgeLeaf(leaf, column.type, bounds);
  });
}

TEST(ProjectFilter, AllFieldsOfAColumnCount) {
  const PartitionSpec spec = SpecOf({{{2}, "year"}, {{2}, "hour"}, {{1}, "bucket[4]"}, {{3}, "void"}, {{1, 3}, "z"}});
  const auto filter =
      Projected(spec, "ts = TIMESTAMP '1970-01-01 02:30:00' AND id = 1 AND name = 'x'", ProjectionKind::kInclusive);
  const Key bucket = *ApplyTransform(spec.fields[2].transform, TypeOf("long"), Key(Int128{1}));
  const Key other(std::get<Int128>(bucket) == 0 ? Int128{1} : Int128{0});
  const auto judge = [&](int year, int hour, const Key& id) {
    return Judge(filter, {Key(Int128{year}), Key(Int128{hour}), id, std::nullopt, std::nullopt});
  };
  EXPECT_NE(judge(0, 2, bucket), expr::Verdict::kNone);
  EXPECT_EQ(judge(1, 2, bucket), expr::Verdict::kNone);
  EXPECT_EQ(judge(0, 3, bucket), expr::Verdict::kNone);
  EXPECT_EQ(judge(0, 2, other), expr::Verdict::kNone);
}

TEST(ProjectFilter, StrictNeedsOneFieldThatVouches) {
  const PartitionSpec spec = SpecOf({{{2}, "year"}, {{2}, "hour"}});
  const auto filter = Projected(spec, "ts >= TIMESTAMP '1971-01-01 02:00:00'", ProjectionKind::kStrict);
  EXPECT_EQ(Judge(filter, {Key(Int128{2}), Key(Int128{0})}), expr::Verdict::kAll);
  EXPECT_EQ(Judge(filter, {Key(Int128{1}), Key(Int128{365 * 24 + 2})}), expr::Verdict::kAll);
  EXPECT_NE(Judge(filter, {Key(Int128{1}), Key(Int128{365 * 24 + 1})}), expr::Verdict::kAll);
  EXPECT_NE(Judge(filter, {std::nullopt, std::nullopt}), expr::Verdict::kAll);
  EXPECT_TRUE(Projected(spec, "id = 1", ProjectionKind::kStrict).root.is_false());
  EXPECT_TRUE(Projected(spec, "id = 1", ProjectionKind::kInclusive).root.is_true());
}

TEST(ProjectFilter, ContradictionsKeepNothing) {
  const PartitionSpec spec = SpecOf({{{1}, "truncate[10]"}});
  EXPECT_TRUE(
      Projected(spec, "id BETWEEN 1 AND 5 AND id BETWEEN 101 AND 105", ProjectionKind::kInclusive).root.is_false());
  // Of two columns that are made of one, too.
  const PartitionSpec two = SpecOf({{{1}, "identity"}});
  const auto filter = Projected(two, "id IN (1, 2) AND (id = 2 OR name = 'x')", ProjectionKind::kInclusive);
  EXPECT_EQ(Judge(filter, {Key(Int128{3})}), expr::Verdict::kNone);
}

TEST(ProjectFilter, NullsFollowTheCondition) {
  const PartitionSpec spec = SpecOf({{{1}, "bucket[4]"}, {{3}, "truncate[2]"}});
  const auto is_null = Projected(spec, "id IS NULL AND name IS NOT NULL", ProjectionKind::kInclusive);
  EXPECT_EQ(Judge(is_null, {std::nullopt, Key(std::string("ab"))}), expr::Verdict::kAll);
  EXPECT_EQ(Judge(is_null, {Key(Int128{0}), Key(std::string("ab"))}), expr::Verdict::kNone);
  EXPECT_EQ(Judge(is_null, {std::nullopt, std::nullopt}), expr::Verdict::kNone);
  const auto strict = Projected(spec, "id IS NULL", ProjectionKind::kStrict);
  EXPECT_EQ(Judge(strict, {std::nullopt, std::nullopt}), expr::Verdict::kAll);
}

TEST(ProjectFilter, ManyValuesAreNoSquare) {
  std::string filter = "id IN (0";
  for (int i = 1; i < 20000; ++i) filter += "," + std::to_string(i * 7);
  const PartitionSpec spec = SpecOf({{{1}, "truncate[10]"}, {{1}, "bucket[100000]"}, {{1}, "identity"}});
  const auto projected = Projected(spec, filter + ")", ProjectionKind::kInclusive);
  EXPECT_EQ(projected.columns.size(), 3u);
  EXPECT_NE(
      Judge(projected, {Key(Int128{70}), *ApplyTransform(spec.fields[1].transform, TypeOf("long"), Key(Int128{77})),
                        Key(Int128{77})}),
      expr::Verdict::kNone);
}

}  // namespace
}  // namespace frazil::iceberg
