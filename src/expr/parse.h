// SPDX-License-Identifier: Apache-2.0
//
// The filter language: pyiceberg's row-filter grammar and more.
//
//   or       := and { OR and }
//   and      := not { AND not }
//   not      := NOT not | '(' or ')' | TRUE | FALSE | test
//   test     := column op literal | literal op column
//             | column [NOT] BETWEEN literal AND literal | column [NOT] IN '(' literal {, literal} ')'
//             | column IS [NOT] NULL | column IS [NOT] NAN
//             | column [NOT] LIKE 'text' | column [NOT] STARTS WITH ('text' | X'hex')
//   op       := = | == | != | <> | < | <= | > | >=
//   column   := part { . part }      part := identifier | "quoted" (inner " doubled) | `quoted`
//   literal  := [-+] number | 'text' (inner ' doubled) | TRUE | FALSE | NULL | X'hex' | DATE 'YYYY-MM-DD'
//             | TIME 'hh:mm:ss[.f]' | TIMESTAMP '...' | TIMESTAMPTZ '...' | DECIMAL '1.50' | UUID '...'
//
// Key words in any case. A key word can be a column name when quoted, or when it stands where only a column
// can: that is everywhere but for AND, OR, NOT, TRUE, FALSE and NULL at the beginning of a test. Identifiers are
// letters, digits, _, $ and everything beyond ASCII, not beginning with a digit or $. Line breaks are spaces.
//
// A comparison with the literal on the left is turned around. TIMESTAMPTZ is a TIMESTAMP that is in UTC when it
// names no zone. Whether the text of a typed literal is a date, a time, a UUID is seen when it is bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <arrow/result.h>

#include "src/expr/expression.h"

namespace frazil::expr {

// Nesting deeper than this and text longer than this are refused, so that no input can exhaust the stack.
inline constexpr int kFilterDepthMax = 500;
inline constexpr size_t kFilterBytesMax = 16 << 20;
// Literals and tests in one filter, so that memory stays in proportion.
inline constexpr int64_t kFilterItemsMax = 1 << 20;

// Errors are of kind usage and one line: what was expected, what was found, and its position in characters from 1:
//   filter: expected a literal, found "AND" at position 12
arrow::Result<ExpressionPtr> ParseFilter(std::string_view text);

// Parses one column path ("a.\"b c\"", "tags"), as in --select.
arrow::Result<ColumnPath> ParseColumnPath(std::string_view text);
// A comma-separated list of column paths.
arrow::Result<std::vector<ColumnPath>> ParseColumnList(std::string_view text);

}  // namespace frazil::expr
