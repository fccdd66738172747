// SPDX-License-Identifier: Apache-2.0
//
// The plan of a row group: rows that may match and that must, what is left to ask, and how each column is read.
#include "src/scan/row_group_plan.h"

#include <gtest/gtest.h>

#include "tests/file_reading.h"

namespace frazil::scan {
namespace {

using filegen::FileSpec;
using filegen::Leaf;
using ::parquet::Type;

// Two row groups of 40 rows: "a" 0..39 and 40..79 in pages of 10, "b" the same in pages of 15, "n" null on the odd.
FileSpec Spec() {
  FileSpec spec;
  spec.schema = {Leaf("a", Type::INT64, filegen::kRequired), Leaf("b", Type::INT64, filegen::kRequired),
                 Leaf("n", Type::INT64)};
  for (int64_t group_index = 0; group_index < 2; ++group_index) {
    std::vector<int64_t> numbers;
    std::vector<std::optional<int64_t>> odd_nulls;
    for (int64_t row = 0; row < 40; ++row) {
      numbers.push_back(group_index * 40 + row);
      odd_nulls.push_back(row % 2 == 1 ? std::nullopt : std::optional(row));
    }
    auto& group = spec.row_groups.emplace_back();
    group.row_count = 40;
    group.chunks.push_back({.data = filegen::RequiredColumn(numbers), .pages = filegen::PagesOf(40, 10)});
    group.chunks.push_back({.data = filegen::RequiredColumn(numbers), .pages = filegen::PagesOf(40, 15)});
    group.chunks.push_back({.data = filegen::OptionalColumn<int64_t>(odd_nulls), .pages = filegen::PagesOf(40, 40)});
  }
  return spec;
}

class Planned {
 public:
  Planned(const FileSpec& spec, ScanOptions options, bool count_only = false) {
    auto context = std::make_shared<ScanContext>();
    context->trace = std::make_shared<io::Trace>();
    context->evidence = std::make_shared<Evidence>(options, context->trace);
    context->request = ParseRequest(options).ValueOrDie();
    context->request.count_only = count_only;
    context->options = std::move(options);
    context_ = context;
    source_ = FromBuffer(filegen::WriteFile(spec).ValueOrDie(), "f");
    auto file = PlanFile(context_, source_, nullptr);
    EXPECT_TRUE(file.ok()) << file.status();
    file_ = *file;
  }

  const FileScan& file() const { return *file_; }
  size_t candidate_count() const { return file_->candidates.size(); }
  RowGroupPlan Plan(size_t candidate = 0, const std::set<int>& distrusted = {}) const {
    return PlanRowGroup(*file_, file_->candidates[candidate], distrusted, true).ValueOrDie();
  }
  // "column: reason" of the page level, joined.
  std::string Unusable() const {
    std::string text;
    for (const LevelReport& level : context_->evidence->Report(false).levels) {
      if (level.name != "page-index") continue;
      for (const auto& unusable : level.unusable) {
        text += (text.empty() ? "" : "; ") + unusable.column + ": " + unusable.reason;
      }
    }
    return text;
  }
  std::vector<io::TraceEntry> trace() const { return context_->trace->entries(); }

 private:
  std::shared_ptr<const ScanContext> context_;
  std::shared_ptr<ByteSource> source_;
  std::shared_ptr<FileScan> file_;
};

ScanOptions Ask(const std::string& filter, std::vector<std::string> columns = {"b"}) {
  ScanOptions options;
  options.filter = filter;
  options.columns = std::move(columns);
  return options;
}

TEST(RowGroupPlan, RowsOfPagesThatMayMatch) {
  const Planned planned(Spec(), Ask("a BETWEEN 12 AND 21"));
  ASSERT_EQ(planned.candidate_count(), 1u) << "the footer excludes the other row group";
  const RowGroupPlan plan = planned.Plan();
  EXPECT_EQ(plan.rows.maybe, RowRanges::Of(10, 30));
  EXPECT_TRUE(plan.rows.proven.empty());
  EXPECT_EQ(plan.filter_rows, RowRanges::Of(10, 30));
  EXPECT_EQ(plan.filter_leaves, (std::vector<int>{0}));
  EXPECT_EQ(plan.PlanLeaf(0, plan.rows.maybe).pages, (std::vector<int>{1, 2}));
  EXPECT_EQ(plan.PlanLeaf(1, plan.rows.maybe).pages, (std::vector<int>{0, 1}));
}

TEST(RowGroupPlan, ProvenPagesNeedNoFilter) {
  const RowGroupPlan plan = Planned(Spec(), Ask("a >= 15")).Plan();
  EXPECT_EQ(plan.rows.maybe, RowRanges::Of(10, 40));
  EXPECT_EQ(plan.rows.proven, RowRanges::Of(20, 40));
  EXPECT_EQ(plan.filter_rows, RowRanges::Of(10, 20));
  // All of it proven: the filter column is not read.
  const RowGroupPlan all = Planned(Spec(), Ask("a >= 20 AND a < 40")).Plan();
  EXPECT_EQ(all.rows.proven, RowRanges::Of(20, 40));
  EXPECT_TRUE(all.filter_rows.empty());
  EXPECT_TRUE(all.filter_leaves.empty());
  EXPECT_TRUE(all.parts.empty());
}

TEST(RowGroupPlan, AndOrAcrossColumnsOfUnalignedPages) {
  EXPECT_EQ(Planned(Spec(), Ask("a = 12 AND b = 12")).Plan().rows.maybe, RowRanges::Of(10, 15));
  EXPECT_EQ(Planned(Spec(), Ask("a = 3 OR b = 33")).Plan().rows.maybe, (RowRanges{{0, 10}, {30, 40}}));
  EXPECT_TRUE(Planned(Spec(), Ask("a = 3 AND b = 33")).Plan().rows.maybe.empty());
}

TEST(RowGroupPlan, WhatIsLeftToAskNamesOnlyTheColumnsThatMatter) {
  // On the rows of page [30,40) of a, the second half of the OR is all that is open.
  const Planned planned(Spec(), Ask("n IS NULL AND a BETWEEN 30 AND 39"));
  const RowGroupPlan plan = planned.Plan();
  EXPECT_EQ(plan.filter_rows, RowRanges::Of(30, 40));
  EXPECT_EQ(plan.filter_leaves, (std::vector<int>{2})) << plan.parts[0].residual.ToString();
}

TEST(RowGroupPlan, AColumnIsReadOnlyWhereItIsOpen) {
  // a is open in its first page and proven in the others; n is open everywhere.
  const RowGroupPlan both = Planned(Spec(), Ask("a >= 5 AND n IS NULL")).Plan();
  ASSERT_EQ(both.parts.size(), 2u);
  EXPECT_EQ(both.filter_leaves, (std::vector<int>{0, 2}));
  EXPECT_EQ(both.FilterRows(0), RowRanges::Of(0, 10));
  EXPECT_EQ(both.FilterRows(2), RowRanges::Of(0, 40));
  const RowGroupPlan either = Planned(Spec(), Ask("a = 33 OR n IS NULL")).Plan();
  EXPECT_EQ(either.FilterRows(0), RowRanges::Of(30, 40));
  EXPECT_EQ(either.FilterRows(2), RowRanges::Of(0, 40));
}

TEST(RowGroupPlan, PositionsAreExact) {
  const Planned planned(Spec(), Ask("_pos BETWEEN 38 AND 43"));
  ASSERT_EQ(planned.candidate_count(), 2u);
  EXPECT_EQ(planned.Plan(0).rows.proven, RowRanges::Of(38, 40));
  EXPECT_EQ(planned.Plan(1).rows.proven, RowRanges::Of(0, 4));
  EXPECT_EQ(planned.Plan(1).first_row, 40);
}

TEST(RowGroupPlan, ALimitCutsRowsThatAreProven) {
  ScanOptions options = Ask("a >= 0");
  options.limit = 3;
  EXPECT_EQ(Planned(Spec(), options).Plan().rows.maybe, RowRanges::Of(0, 3));
  options.filter = "a >= 5";  // the first page is open: its rows may not count
  EXPECT_EQ(Planned(Spec(), options).Plan().rows.maybe, RowRanges::Of(0, 40));
}

TEST(RowGroupPlan, WithoutTheLevelNothingIsKnownOfPages) {
  ScanOptions options = Ask("a = 12");
  options.disabled_levels = {Level::kPageIndex};
  const Planned planned(Spec(), options);
  const RowGroupPlan plan = planned.Plan();
  EXPECT_EQ(plan.rows.maybe, RowRanges::Of(0, 40));
  EXPECT_EQ(plan.leaves.at(0).offsets, nullptr);
  for (const auto& entry : planned.trace()) EXPECT_NE(entry.purpose, "page index");
}

TEST(RowGroupPlan, AColumnWithoutAnOffsetIndexCostsItsOwnSavings) {
  FileSpec spec = Spec();
  for (auto& group : spec.row_groups) group.chunks[1].index = {.offset_index = false, .column_index = false};
  const Planned planned(spec, Ask("a = 12"));
  const RowGroupPlan plan = planned.Plan();
  EXPECT_EQ(plan.rows.maybe, RowRanges::Of(10, 20));
  EXPECT_NE(plan.leaves.at(0).offsets, nullptr);
  EXPECT_EQ(plan.leaves.at(1).offsets, nullptr);
  EXPECT_EQ(planned.Unusable(), "b: no offset index");
}

TEST(RowGroupPlan, DistrustedLeavesAreReadWithoutTheirIndex) {
  const Planned planned(Spec(), Ask("a = 12"));
  const RowGroupPlan plan = planned.Plan(0, {0});
  EXPECT_EQ(plan.rows.maybe, RowRanges::Of(0, 40)) << "its bounds speak of pages that are not known";
  EXPECT_EQ(plan.leaves.at(0).offsets, nullptr);
  EXPECT_NE(plan.leaves.at(1).offsets, nullptr);
  EXPECT_EQ(planned.Unusable(), "a: offset index contradicts the pages");
}

// An index that contradicts itself, or the chunk, is dropped with its reason; the rows stay.
TEST(RowGroupPlan, IndexesThatAreWrong) {
  const auto with = [](const std::function<void(filegen::PageIndexPolicy&)>& edit) {
    FileSpec spec = Spec();
    for (auto& group : spec.row_groups) edit(group.chunks[0].index);
    const Planned planned(spec, Ask("a = 12"));
    const std::string rows = planned.Plan().rows.maybe.ToString();
    return rows + " " + planned.Unusable();
  };
  EXPECT_EQ(with([](filegen::PageIndexPolicy&) {}), "[10,20) ");
  EXPECT_EQ(with([](filegen::PageIndexPolicy& index) { index.column_index = false; }), "[0,40) a: no column index");
  EXPECT_EQ(with([](filegen::PageIndexPolicy& index) {
              index.edit_offset_index = [](filegen::OffsetIndexSpec& o) { o.page_locations[0].first_row_index = 1; };
            }),
            "[0,40) a: offset index: page 0: does not begin at row 0");
  EXPECT_EQ(with([](filegen::PageIndexPolicy& index) {
              index.edit_offset_index_bytes = [](std::string& bytes) { bytes.assign(bytes.size(), '\xff'); };
            }),
            "[0,40) a: offset index: the offset index is not Thrift");
  EXPECT_EQ(with([](filegen::PageIndexPolicy& index) {
              index.edit_column_index = [](filegen::ColumnIndexSpec& c) { c.null_pages.pop_back(); };
            }).substr(0, 23),
            "[0,40) a: column index:");
  // A false claim of order costs the search, not the bounds.
  EXPECT_EQ(with([](filegen::PageIndexPolicy& index) {
              index.edit_column_index = [](filegen::ColumnIndexSpec& c) { c.boundary_order = filegen::kDescending; };
            }),
            "[10,20) a: column index claims an order that its bounds do not have");
}

TEST(RowGroupPlan, IndexesOutsideTheFile) {
  for (const bool offset : {true, false}) {
    FileSpec spec = Spec();
    for (auto& group : spec.row_groups) {
      group.chunks[0].edit_metadata = [offset](filegen::ColumnChunkMetadata& chunk) {
        (offset ? chunk.offset_index_offset : chunk.column_index_offset) = int64_t{1} << 50;
      };
    }
    const Planned planned(spec, Ask("a = 12"));
    EXPECT_EQ(planned.Plan().rows.maybe, RowRanges::Of(0, 40));
    EXPECT_EQ(planned.Unusable(),
              offset ? "a: offset index lies outside the file" : "a: column index lies outside the file");
  }
}

TEST(RowGroupPlan, OnlyTheIndexesOfNeededColumnsAreFetched) {
  const Planned planned(Spec(), Ask("a = 12", {"b"}));
  int64_t index_bytes = 0;
  for (const auto& entry : planned.trace()) index_bytes += entry.purpose == "page index" ? entry.range.length : 0;
  // The whole file came with the tail: it is small.
  EXPECT_EQ(index_bytes, 0);
  EXPECT_EQ(planned.Plan().leaves.count(2), 0u);
}

TEST(FilterLeaf, IsTheLeafToReadOrNone) {
  FileSpec spec;
  spec.schema = {Leaf("a", Type::INT64), filegen::StructOf("s", {filegen::StringLeaf("t"), Leaf("x", Type::INT32)})};
  const FileReading file(spec);
  EXPECT_EQ(FilterLeaf(file.footer(), {"_pos", {}, kPosRef}), -1);
  EXPECT_EQ(FilterLeaf(file.footer(), {"_file", {}, kFileRef}), -1);
  EXPECT_EQ(FilterLeaf(file.footer(), {"a", {}, 0}), 0);
  EXPECT_EQ(FilterLeaf(file.footer(), {"s", {}, -1}), 2) << "the narrowest leaf stands for its group";
}

}  // namespace
}  // namespace frazil::scan
