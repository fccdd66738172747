// SPDX-License-Identifier: Apache-2.0
//
// Column resolution: where the columns of a table come from in one of its data files. Columns are matched by field id,
// so that renaming, reordering, dropping and adding again need no care. A field that the file does not have is, by the
// first of these that holds,
//   1. the file's partition value, when a partition field is the field itself (identity)
//   2. a column without an id that the table's name mapping gives the field's id
//   3. the field's initial default
//   4. null; an error when the field is required
// (2 is settled before: FieldIdsOf.) Inside a struct that is in the file, the same holds of its members, and a null
// struct has none.
// Source: Iceberg table specification, "Column Projection", "Schema Evolution", "Default values".
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <arrow/result.h>
#include <parquet/schema.h>

#include "src/expr/predicate.h"
#include "src/iceberg/name_mapping.h"
#include "src/iceberg/schema.h"
#include "src/parquet/schema.h"

namespace frazil::iceberg {

// Reserved ids of metadata columns. Source: Iceberg table specification, "Reserved Field IDs".
inline constexpr int kFileFieldId = 2147483646;
inline constexpr int kPosFieldId = 2147483645;
inline constexpr int kSpecIdFieldId = 2147483643;
inline constexpr int kPartitionFieldId = 2147483642;
inline constexpr int kRowIdFieldId = 2147483540;
inline constexpr int kLastUpdatedFieldId = 2147483539;
inline constexpr int kDeletePathFieldId = 2147483546;  // of position delete files
inline constexpr int kDeletePosFieldId = 2147483545;

// Values by the id of the source field; unset is null. Bytes as in single_value.h, in the type they were written in.
using IdentityValues = std::map<int, std::optional<std::string>>;

enum class ColumnOrigin {
  kFile,      // `node`, and `leaf` of a primitive
  kConstant,  // `constant`
  kNull,
  kStruct,  // not in the file, never null, made of `children`, none of which is in the file
};

struct ResolvedColumn {
  int field_id = 0;
  std::string name;  // today's
  Type type;         // today's; a file may have a narrower one
  ColumnOrigin origin = ColumnOrigin::kNull;
  const ::parquet::schema::Node* node = nullptr;
  int leaf = -1;               // leaf ordinal in the file
  expr::ColumnType file_type;  // kFile, of a leaf
  std::string constant;        // single-value bytes of `type`
  // Of kFile and kStruct: the members of a struct in the order of the table, the element of a list, key and value of a
  // map. Empty for variants, whose parts are the reader's affair.
  std::vector<ResolvedColumn> children;
};

// Resolves all columns of `schema` (a projection of the table's, as a rule). Errors name the column by its full name:
// corrupt for a required field that is nowhere; unsupported when what the file has can not be read as what the table
// has ("column a: the file has string, the table int"), when a column in a file without ids is nested, or when a
// missing list or map has a default.
arrow::Result<std::vector<ResolvedColumn>> ResolveColumns(const Schema& schema,
                                                          const ::parquet::SchemaDescriptor& file_schema,
                                                          const FieldIds& ids, const IdentityValues& identity_values);

// A filter on the table, as a filter on the file: conditions on columns that are not in it are decided here and now,
// keys are those of the file's own types, BoundColumn::ref is the one of the file's FilterSchema.
// Conditions on _pos (kPosFieldId), which no column holds, stay as they are, with their ref.
// `filter` is bound to a schema (BoundColumn::ref is the field id) of which `columns` are the resolution, with all that
// the filter uses.
arrow::Result<expr::BoundFilter> FilterForFile(const expr::BoundFilter& filter,
                                               const std::vector<ResolvedColumn>& columns,
                                               const ::parquet::SchemaDescriptor& file_schema);

// What a condition says of all rows of a file whose column, at the top, is not in it; unset when it is, or is not among
// `columns`.
std::optional<bool> DecideOutside(const expr::Leaf& leaf, const expr::BoundColumn& bound,
                                  const std::vector<ResolvedColumn>& columns);

// The keys of a column of type `file` whose values, read as `table`, have keys in `keys`: floats as doubles, dates as
// timestamps, times in another unit (floor). Unset when the one can not be read as the other.
std::optional<expr::KeySet> KeysInFile(const expr::KeySet& keys, const expr::ColumnType& table,
                                       const expr::ColumnType& file);

}  // namespace frazil::iceberg
