// SPDX-License-Identifier: Apache-2.0
//
// A scan's request bound to an Iceberg table, once, and then to each of its data files: names become field ids, and ids
// become the columns of a file, or what stands for those that it lacks.
//
// Metadata columns: _file, the location as the manifest has it; _pos, the row's ordinal in it; _spec_id and _partition,
// the partition spec that it was written by and its partition values; _row_id and _last_updated_sequence_number, as
// row_lineage.h has them. A column of the table hides the metadata column of the same name.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/result.h>
#include <arrow/type.h>

#include "src/iceberg/column_resolution.h"
#include "src/iceberg/schema.h"
#include "src/scan/binding.h"
#include "src/scan/iceberg_table.h"

namespace frazil::scan {

struct TableBinding {
  expr::BoundFilter filter;  // BoundColumn::ref is the field id
  // What the output is made of, in its order: field ids at the top of `output`, or of metadata columns.
  std::vector<int> output_ids;
  iceberg::Schema output;                 // of the table, only with what is asked for
  iceberg::Schema metadata;               // the metadata columns that there are
  iceberg::Schema output_metadata;        // and of these what is asked for
  bool uses_partition = false;            // filter or output need _partition
  bool filters_by_file = false;           // DecideByFile may decide something
  std::shared_ptr<arrow::Schema> schema;  // of the batches
};

// `partition_fields`: of _partition (iceberg::PartitionType). Error: usage (unknown column, ill-typed literal),
// unsupported.
arrow::Result<TableBinding> BindTable(const Request& request, const iceberg::Schema& schema,
                                      const std::vector<iceberg::NestedField>& partition_fields = {});

// The type that filters see of a field of the schema, or of a metadata column. Unset: there is none of this id.
std::optional<expr::ColumnType> FilterTypeOf(const TableBinding& binding, const iceberg::Schema& schema, int field_id);

// What is known of a data file beside its bytes.
struct DataFileFacts {
  std::string location;
  int spec_id = 0;
  iceberg::IdentityValues identity_values;
  // What is left to ask of its rows, over the columns of `filter`: the scan's filter, and that no equality delete takes
  // the row away.
  expr::BoundFilter filter;
  RowRanges deleted;
  std::optional<RowRanges> rows = std::nullopt;  // that are meant; unset: all
  // For metadata columns. The bytes (single_value.h) of the fields of _partition, unset for null, when it is used.
  std::optional<int64_t> first_row_id = std::nullopt;
  std::optional<int64_t> sequence_number = std::nullopt;
  std::vector<std::optional<std::string>> partition = {};
};

// The filter's predicate, less the conditions on metadata columns that all rows of the file share (_file, _spec_id,
// _partition): these are decided before the file is opened.
expr::Predicate DecideByFile(const TableBinding& binding, const DataFileFacts& file);

// Errors name the column; the caller knows the file.
arrow::Result<Binding> BindDataFile(const IcebergTable& table, const TableBinding& binding, const DataFileFacts& file,
                                    const parquet::Footer& footer);

// Binds the reading of all `columns` of a delete file, without a filter. `mapping` (may be null) serves files without
// field ids. Error: corrupt, when the file lacks one of them.
arrow::Result<Binding> BindDeleteFile(const iceberg::Schema& columns, const iceberg::NameMapping* mapping,
                                      const parquet::Footer& footer);

}  // namespace frazil::scan
