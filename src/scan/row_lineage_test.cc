// SPDX-License-Identifier: Apache-2.0
#include "src/scan/row_lineage.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "src/expr/bind.h"
#include "src/expr/literal.h"
#include "src/expr/parse.h"
#include "src/iceberg/column_resolution.h"
#include "src/scan/iceberg_binding.h"

namespace frazil::scan {
namespace {

constexpr int64_t kFirstRowId = 100;
constexpr int64_t kSequenceNumber = 7;

expr::BoundFilter Bound(const std::string& filter) {
  Request request;
  request.filter = expr::ParseFilter(filter).ValueOrDie();
  request.filter_text = filter;
  return BindTable(request, iceberg::Schema()).ValueOrDie().filter;
}

// Whether the predicate accepts a row. Unset: the file holds null.
bool Accepts(const expr::Predicate& predicate, const std::vector<expr::BoundColumn>& columns, int64_t position,
             std::optional<int64_t> row_id, std::optional<int64_t> sequence_number) {
  using Kind = expr::Predicate::Kind;
  const auto accepts = [&](const expr::Predicate& child) {
    return Accepts(child, columns, position, row_id, sequence_number);
  };
  switch (predicate.kind) {
    case Kind::kTrue:
      return true;
    case Kind::kFalse:
      return false;
    case Kind::kAnd:
      return std::all_of(predicate.children.begin(), predicate.children.end(), accepts);
    case Kind::kOr:
      return std::any_of(predicate.children.begin(), predicate.children.end(), accepts);
    default:
      break;
  }
  const int id = columns[static_cast<size_t>(predicate.leaf.column)].ref;
  std::optional<int64_t> value = position;
  if (id == iceberg::kRowIdFieldId) value = row_id;
  if (id == iceberg::kLastUpdatedFieldId) value = sequence_number;
  return value ? expr::ContainsKey(predicate.leaf.keys, expr::Key(expr::Int128{*value})) : predicate.leaf.matches_null;
}

TEST(RowLineage, EveryRowOfSmallFilesAgainstTheDefinition) {
  const char* filters[] = {"_row_id = 101",
                           "_row_id <> 101",
                           "_row_id < 102",
                           "_row_id >= 101 AND _row_id <= 102",
                           "_row_id IN (5, 100, 103)",
                           "_row_id NOT IN (5, 100)",
                           "_row_id IS NULL",
                           "_row_id IS NOT NULL",
                           "_last_updated_sequence_number = 7",
                           "_last_updated_sequence_number > 7",
                           "_last_updated_sequence_number IS NOT NULL",
                           "NOT (_row_id = 5 OR _last_updated_sequence_number < 7)",
                           "_row_id = 100 AND _pos = 0",
                           "_pos > 1 OR _last_updated_sequence_number = 3"};
  const std::optional<int64_t> stored_ids[] = {std::nullopt, 5, 101};
  const std::optional<int64_t> stored_numbers[] = {std::nullopt, 3, 7};
  for (const char* text : filters) {
    const expr::BoundFilter filter = Bound(text);
    for (const bool has_first : {false, true}) {
      for (const bool holds : {false, true}) {
        FileLineage file;
        if (has_first) file.first_row_id = kFirstRowId;
        file.sequence_number = kSequenceNumber;
        file.holds_row_ids = file.holds_sequence_numbers = holds;
        const expr::BoundFilter rewritten = WithLineage(filter, file);
        for (int64_t position = 0; position < 4; ++position) {
          for (const auto& row_id : stored_ids) {
            for (const auto& number : stored_numbers) {
              std::optional<int64_t> want_id;
              std::optional<int64_t> want_number;
              if (has_first) {
                want_id = holds && row_id ? *row_id : kFirstRowId + position;
                want_number = holds && number ? *number : kSequenceNumber;
              }
              EXPECT_EQ(Accepts(rewritten.root, rewritten.columns, position, row_id, number),
                        Accepts(filter.root, filter.columns, position, want_id, want_number))
                  << text << ": first row id " << has_first << ", columns in the file " << holds << ", position "
                  << position << ", stored " << row_id.value_or(-1) << " and " << number.value_or(-1);
            }
          }
        }
      }
    }
  }
}

TEST(RowLineage, ConditionsThatNeedNoColumn) {
  FileLineage file;
  file.first_row_id = kFirstRowId;
  file.sequence_number = kSequenceNumber;
  EXPECT_TRUE(WithLineage(Bound("_row_id IS NULL"), file).root.is_false());
  EXPECT_TRUE(WithLineage(Bound("_last_updated_sequence_number = 7 OR _row_id = 1"), file).root.is_true());
  const expr::BoundFilter filter = WithLineage(Bound("_row_id = 101"), file);
  ASSERT_EQ(filter.root.kind, expr::Predicate::Kind::kLeaf);
  EXPECT_EQ(filter.columns[static_cast<size_t>(filter.root.leaf.column)].ref, iceberg::kPosFieldId);
}

}  // namespace
}  // namespace frazil::scan
