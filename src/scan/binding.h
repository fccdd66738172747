// SPDX-License-Identifier: Apache-2.0
//
// A scan's request bound to one file: filter and projection resolved by column path against the file's own schema,
// with the metadata columns _pos and _file beside the file's columns.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/result.h>
#include <arrow/type.h>

#include "frazil/table.h"
#include "src/base/row_ranges.h"
#include "src/expr/expression.h"
#include "src/expr/predicate.h"
#include "src/iceberg/column_resolution.h"
#include "src/parquet/footer.h"
#include "src/parquet/projection.h"

namespace frazil::scan {

// BoundColumn::ref of the metadata columns; others are leaf ordinals or groups (parquet/schema.h).
inline constexpr int kPosRef = 1 << 30;
inline constexpr int kFileRef = kPosRef + 1;

// A value that rows have by their file: the base, or as far from it as the row is from the file's first.
struct InheritedValue {
  int64_t base = 0;
  bool by_position = false;
};

struct OutputColumn {
  enum class Kind { kField, kPos, kFile, kConstant } kind = Kind::kField;
  parquet::ProjectedField field;  // kField
  // Of an Iceberg table: the column that the values become, or (kConstant) whose values no page holds. Null: the
  // file's.
  std::shared_ptr<const iceberg::ResolvedColumn> table_column;
  // Of row lineage: what the values are that the file does not hold. kPos: of all rows; kField: where it has null.
  std::optional<InheritedValue> inherited = std::nullopt;
};

struct Binding {
  expr::BoundFilter filter;
  std::vector<OutputColumn> outputs;
  std::shared_ptr<arrow::Schema> schema;  // of the batches
  std::string file_name;                  // of _file; empty: the name of the byte source
  RowRanges deleted;                      // ordinals in the file
  std::optional<RowRanges> rows;          // ordinals in the file of the rows that are meant; unset: all
};

// What a scan asks for, parsed once and bound to each file.
struct Request {
  expr::ExpressionPtr filter;  // null: all rows
  std::string filter_text;
  std::vector<expr::ColumnPath> columns;  // empty: all
  bool count_only = false;                // no output columns
};

arrow::Result<Request> ParseRequest(const ScanOptions& options);

// Error: usage (unknown column, ill-typed literal), unsupported.
arrow::Result<Binding> Bind(const Request& request, const parquet::Footer& footer);

// Error: unsupported, when a filter asks for the nulls of a group that has no columns.
arrow::Status CheckGroups(const expr::BoundFilter& filter, const parquet::Footer& footer);

}  // namespace frazil::scan
