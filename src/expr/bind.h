// SPDX-License-Identifier: Apache-2.0
//
// Binding: names to columns, literals to the columns' own types, three-valued logic to a Predicate.
//
// Literals are converted exactly and never fail for being out of range: a literal that an integer, decimal,
// date or timestamp column cannot represent equals nothing and lies where it lies for < and >. For a
// floating-point column the literal is rounded to the column's type first. Text in single quotes is also
// accepted for date, time, timestamp and UUID columns, and 'NaN', 'Infinity', '-Infinity' for floats; the whole
// table is in literal.h. Any other mismatch (a number for a text column) is a usage error that says how to write it.
//
// Null. A test is true or not for every row once NOT is pushed into it. IS NULL and IS NAN are two-valued: null
// is not NaN, so IS NOT NAN is true of null (as in Iceberg and Spark). All other tests, negated or not, are not true
// of null. A NULL literal makes a comparison true of nothing; in an IN list it is ignored, in NOT IN it leaves nothing.
//
// LIKE is for text columns: _ is one character, % any number, a backslash makes the next character stand for
// itself. On binary columns only patterns that are a value or a prefix work. STARTS WITH takes text, binary and
// fixed columns.
//
// Errors are one line and name the position in the filter text, counted in characters from 1:
//   filter: unknown column evnt_id at position 5; did you mean event_id?
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>

#include "src/expr/expression.h"
#include "src/expr/predicate.h"

namespace frazil::expr {

// A schema as filters see it. Made by whoever knows the format.
struct Field {
  std::string name;
  ColumnType type;        // kGroup for struct, list and map
  int ref = -1;           // the provider's number, returned in BoundColumn::ref
  bool repeated = false;  // a row holds many of it: it or an ancestor is a repeated node. The group of a list or
                          // map that is itself in no other one is not repeated: IS NULL of it has an answer.
  std::vector<Field> children;
};

struct FieldTree {
  std::vector<Field> fields;
};

// Finds a field by path, part by part, case-sensitive. Errors, of kind usage: there is none, with near matches
// ("did you mean ...") or else the paths there are; or two of the same name. A path a.b that leads nowhere finds a
// top-level column named "a.b".
arrow::Result<const Field*> ResolveField(const FieldTree& schema, const ColumnPath& path);

// `filter_text` is only used to show the place of an error; it may be empty.
// Every test of a repeated column is refused (kind unsupported), and all but IS [NOT] NULL of a group or of a column
// whose type has no order. Usage errors: unknown columns, literals that do not go with the column's type, IS NAN of
// a column that is not floating-point, nesting deeper than kFilterDepthMax.
arrow::Result<BoundFilter> Bind(const ExpressionPtr& expression, const FieldTree& schema, std::string_view filter_text);

}  // namespace frazil::expr
