// SPDX-License-Identifier: Apache-2.0
//
// The text of a filter: parsed, written and parsed again, and bound to a schema that has every kind of column.
#include <array>

#include "src/expr/bind.h"
#include "src/expr/parse.h"
#include "tests/fuzz/target.h"

namespace frazil::fuzz {
namespace {

using expr::ColumnType;
using expr::TimeUnit;
using expr::TypeKind;

// One letter a column, so that random text finds them.
const expr::FieldTree& Schema() {
  static const expr::FieldTree kSchema = [] {
    expr::FieldTree tree;
    const ColumnType types[] = {
        {.kind = TypeKind::kBool},
        {.kind = TypeKind::kInt, .bit_width = 8},
        {.kind = TypeKind::kInt, .bit_width = 64},
        {.kind = TypeKind::kUInt, .bit_width = 64},
        {.kind = TypeKind::kFloat16},
        {.kind = TypeKind::kFloat},
        {.kind = TypeKind::kDouble},
        {.kind = TypeKind::kDecimal, .precision = 9, .scale = 2},
        {.kind = TypeKind::kDecimal, .precision = 38, .scale = 37},
        {.kind = TypeKind::kDecimal, .precision = 60, .scale = 5},
        {.kind = TypeKind::kString},
        {.kind = TypeKind::kBinary},
        {.kind = TypeKind::kFixed, .byte_width = 3},
        {.kind = TypeKind::kUuid},
        {.kind = TypeKind::kDate},
        {.kind = TypeKind::kTime, .unit = TimeUnit::kMilli},
        {.kind = TypeKind::kTimestamp, .bit_width = 64, .unit = TimeUnit::kNano, .utc = true},
        {.kind = TypeKind::kTimestamp, .bit_width = 96, .unit = TimeUnit::kNano},
        {.kind = TypeKind::kUnsupported},
    };
    int ref = 0;
    for (const ColumnType& type : types) {
      tree.fields.push_back({std::string(1, static_cast<char>('a' + ref)), type, ref, false, {}});
      ++ref;
    }
    tree.fields.push_back({"z", {.kind = TypeKind::kGroup}, -1, false, {{"x", types[1], ref, false, {}}}});
    return tree;
  }();
  return kSchema;
}

// What every level asks of a predicate.
void AskBounds(const expr::BoundFilter& filter) {
  Require(!filter.root.ToString().empty(), "a predicate can be shown");
  const auto columns = filter.root.Columns();
  for (const int column : columns) {
    Require(column >= 0 && static_cast<size_t>(column) < filter.columns.size(), "columns are the filter's own");
  }
}

void Check(std::string_view text) {
  (void)expr::ParseColumnList(text);
  const auto path = expr::ParseColumnPath(text);
  if (path.ok()) {
    const auto again = expr::ParseColumnPath(path->ToString());
    Require(again.ok() && again->parts == path->parts, "a path is read back as it was written");
  }
  const auto expression = expr::ParseFilter(text);
  if (!expression.ok()) {
    Require(expression.status().message().find('\n') == std::string::npos, "an error is one line");
    return;
  }
  const std::string written = (*expression)->ToString();
  const auto again = expr::ParseFilter(written);
  Require(again.ok() && (*again)->ToString() == written, "a filter is read back as it was written");
  const auto bound = expr::Bind(*expression, Schema(), text);
  const auto bound_again = expr::Bind(*again, Schema(), written);
  Require(bound.ok() == bound_again.ok(), "a filter that was written binds as before");
  if (!bound.ok()) return;
  AskBounds(*bound);
  Require(bound->root.ToString() == bound_again->root.ToString(), "a filter that was written means the same");
}

}  // namespace
}  // namespace frazil::fuzz

FRAZIL_FUZZ_TARGET(filter, frazil::fuzz::Check)
