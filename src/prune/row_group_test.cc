// SPDX-License-Identifier: Apache-2.0
//
// Footer statistics against filters, on files that filegen writes: what may be believed, what not, and what is said.
#include "src/prune/row_group.h"

#include <limits>

#include <gtest/gtest.h>

#include "src/expr/bind.h"
#include "src/expr/parse.h"
#include "tests/file_reading.h"

namespace frazil::prune {
namespace {

using expr::Verdict;
using filegen::FileSpec;
using filegen::StatisticsPolicy;
using ::parquet::Type;

template <typename T>
FileSpec OneColumn(filegen::Node leaf, const std::vector<std::optional<T>>& cells) {
  FileSpec spec;
  leaf.name = "c";
  spec.schema = {std::move(leaf)};
  auto& group = spec.row_groups.emplace_back();
  group.row_count = static_cast<int64_t>(cells.size());
  group.chunks.push_back(
      {.data = filegen::OptionalColumn<T>(cells), .pages = filegen::PagesOf(group.row_count, group.row_count)});
  return spec;
}

FileSpec Numbers(const std::vector<std::optional<int64_t>>& cells) {
  return OneColumn(filegen::Leaf("c", Type::INT64), cells);
}

StatisticsPolicy& StatisticsOf(FileSpec& spec) { return spec.row_groups[0].chunks[0].statistics; }

// "none", "some" or "all", and why evidence was not used.
std::string Judged(const FileSpec& spec, const std::string& filter) {
  FileReading file(spec);
  const auto bound =
      expr::Bind(expr::ParseFilter(filter).ValueOrDie(), file.footer().filter_schema().tree, filter).ValueOrDie();
  EXPECT_EQ(bound.root.kind, expr::Predicate::Kind::kLeaf) << bound.root.ToString();
  Unusable unusable;
  const auto verdict = JudgeRowGroup(file.footer(), 0, bound.columns[0], bound.root.leaf, &unusable);
  if (!verdict.ok()) return verdict.status().message();
  std::string text = *verdict == Verdict::kNone ? "none" : *verdict == Verdict::kAll ? "all" : "some";
  for (const auto& [key, count] : unusable.counts()) text += "; " + key.first + ": " + key.second;
  return text;
}

TEST(JudgeRowGroup, Bounds) {
  const FileSpec spec = Numbers({5, 9, 7});
  EXPECT_EQ(Judged(spec, "c = 4"), "none");
  EXPECT_EQ(Judged(spec, "c = 8"), "some");
  EXPECT_EQ(Judged(spec, "c >= 5"), "all");
  EXPECT_EQ(Judged(spec, "c IN (1, 4, 10)"), "none");
  EXPECT_EQ(Judged(spec, "c <> 4"), "all");
  EXPECT_EQ(Judged(spec, "c IS NULL"), "none");
  EXPECT_EQ(Judged(spec, "c IS NOT NULL"), "all");
}

TEST(JudgeRowGroup, Nulls) {
  const FileSpec some = Numbers({5, {}, 5});
  EXPECT_EQ(Judged(some, "c = 5"), "some");
  EXPECT_EQ(Judged(some, "c <> 5"), "none") << "null is not unequal";
  EXPECT_EQ(Judged(some, "c IS NULL"), "some");
  const FileSpec all = Numbers({{}, {}});
  EXPECT_EQ(Judged(all, "c = 5"), "none");
  EXPECT_EQ(Judged(all, "c IS NULL"), "all");
  EXPECT_EQ(Judged(all, "c IS NOT NULL"), "none");
}

TEST(JudgeRowGroup, AbsentIsNotZero) {
  FileSpec spec = Numbers({5, 5});
  StatisticsOf(spec).null_count.kind = filegen::CountPolicy::Kind::kAbsent;
  EXPECT_EQ(Judged(spec, "c = 5"), "some");
  EXPECT_EQ(Judged(spec, "c IS NULL"), "some");
  EXPECT_EQ(Judged(spec, "c = 6"), "none");
  StatisticsOf(spec).present = false;
  EXPECT_EQ(Judged(spec, "c = 6"), "some; c: no statistics");
}

TEST(JudgeRowGroup, CutBoundsAreBoundsNotValues) {
  FileSpec spec = OneColumn<std::string>(filegen::StringLeaf("c"), {"apple pie", "apple tart"});
  StatisticsOf(spec).bounds = StatisticsPolicy::Bounds::kTruncated;
  StatisticsOf(spec).truncate_bytes = 3;
  EXPECT_EQ(Judged(spec, "c = 'app'"), "some");
  EXPECT_EQ(Judged(spec, "c = 'apple tart'"), "some");
  EXPECT_EQ(Judged(spec, "c >= 'app'"), "all");
  EXPECT_EQ(Judged(spec, "c < 'app'"), "none");
}

TEST(JudgeRowGroup, ContradictionsAreNotUsed) {
  FileSpec spec = Numbers({5, 9});
  StatisticsOf(spec).bounds = StatisticsPolicy::Bounds::kRaw;
  StatisticsOf(spec).raw_min = std::string("\x09\0\0\0\0\0\0\0", 8);
  StatisticsOf(spec).raw_max = std::string("\x05\0\0\0\0\0\0\0", 8);
  EXPECT_EQ(Judged(spec, "c = 7").substr(0, 7), "some; c") << "min above max";
  StatisticsOf(spec).raw_min = "\x05";
  EXPECT_EQ(Judged(spec, "c = 0").substr(0, 4), "some") << "a bound of one byte";
  StatisticsOf(spec) = {};
  StatisticsOf(spec).null_count = {filegen::CountPolicy::Kind::kValue, 100};
  EXPECT_EQ(Judged(spec, "c IS NOT NULL").substr(0, 7), "some; c") << "more nulls than rows";
}

TEST(JudgeRowGroup, NanHidesFromBounds) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  FileSpec spec = OneColumn<double>(filegen::Leaf("c", Type::DOUBLE), {1.0, nan});
  StatisticsOf(spec).nan_count.kind = filegen::CountPolicy::Kind::kAbsent;
  EXPECT_EQ(Judged(spec, "c > 2"), "some") << "NaN is greater than every number";
  EXPECT_EQ(Judged(spec, "c = 1"), "some");
  EXPECT_EQ(Judged(spec, "c < 1"), "none");
  EXPECT_EQ(Judged(spec, "c IS NAN"), "some");
  StatisticsOf(spec).nan_count.kind = filegen::CountPolicy::Kind::kRight;
  EXPECT_EQ(Judged(spec, "c IS NAN"), "some");
  FileSpec numbers = OneColumn<double>(filegen::Leaf("c", Type::DOUBLE), {1.0, 2.0});
  EXPECT_EQ(Judged(numbers, "c > 2"), "none");
  EXPECT_EQ(Judged(numbers, "c IS NOT NAN"), "all");
}

TEST(JudgeRowGroup, ZerosOfBothSignsAreOne) {
  const FileSpec spec = OneColumn<double>(filegen::Leaf("c", Type::DOUBLE), {-0.0, -0.0});
  EXPECT_EQ(Judged(spec, "c = 0.0"), "all");
  EXPECT_EQ(Judged(spec, "c < 0"), "none");
  EXPECT_EQ(Judged(spec, "c > 0"), "none");
}

TEST(JudgeRowGroup, LegacyBoundsOnlyWhereAllWritersAgreed) {
  FileSpec numbers = Numbers({5, 9});
  StatisticsOf(numbers).bounds = StatisticsPolicy::Bounds::kLegacy;
  EXPECT_EQ(Judged(numbers, "c = 4"), "none");
  FileSpec text = OneColumn<std::string>(filegen::StringLeaf("c"), {"a", "b"});
  StatisticsOf(text).bounds = StatisticsPolicy::Bounds::kLegacy;
  EXPECT_EQ(Judged(text, "c = 'x'").substr(0, 4), "some");
}

TEST(JudgeRowGroup, ColumnsWithoutAnOrder) {
  FileSpec spec = Numbers({5, 9});
  spec.schema[0].order = filegen::ColumnOrderKind::kUnknown;
  EXPECT_EQ(Judged(spec, "c = 4").substr(0, 7), "some; c");
  EXPECT_EQ(Judged(spec, "c IS NULL").substr(0, 4), "none") << "counts need no order";
}

TEST(JudgeRowGroup, NullGroupsByLevelHistogram) {
  FileSpec spec;
  spec.schema = {filegen::StructOf("s", {filegen::Leaf("x", Type::INT32)})};
  const std::vector<filegen::Row> rows{{filegen::Value()}, {filegen::Value(filegen::Struct{{filegen::Value()}})}};
  auto& group = spec.row_groups.emplace_back();
  group.row_count = 2;
  group.chunks.push_back({.data = filegen::Shred(spec.schema, rows).ValueOrDie()[0], .pages = {{.row_count = 2}}});
  group.chunks[0].size_statistics = true;
  EXPECT_EQ(Judged(spec, "s IS NULL"), "some");
  EXPECT_EQ(Judged(spec, "s.x IS NULL"), "all");
  group.chunks[0].size_statistics = false;
  EXPECT_EQ(Judged(spec, "s IS NULL"), "some; s: no level histogram");
}

}  // namespace
}  // namespace frazil::prune
