// SPDX-License-Identifier: Apache-2.0
//
// The partition tuple of a manifest entry, as the rest of the reader wants it: keys, values of columns that files do
// not have, and what says which files are of one partition.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/iceberg/column_resolution.h"
#include "src/iceberg/manifest.h"
#include "src/iceberg/metadata.h"
#include "src/iceberg/partition_residual.h"

namespace frazil::iceberg {

// The type of a field's values: by its source in `schema`, else in the newest schema of the table that has it, else by
// the transform alone. Unset: not known.
std::optional<Type> PartitionValueType(const PartitionField& field, const Schema& schema,
                                       const TableMetadata& metadata);

// Reads the tuples of one manifest.
class TupleReader {
 public:
  // `spec` is the manifest's, `written` what its Avro schema says of the tuple. Fields are matched by id, or by name
  // where the writer gave no ids.
  TupleReader(const PartitionSpec& spec, const Schema& schema, const TableMetadata& metadata,
              const std::vector<PartitionFieldType>& written);

  // Keys of the result types, in the order of the spec. Empty, which decides nothing, when a value can not be read as
  // what it should be.
  PartitionTuple Keys(const std::vector<PartitionValue>& values) const;
  // The bytes of the values (single_value.h, of the types that PartitionValueType gives), in the order of the spec;
  // unset is null. Fields of unknown type read as null. Error: corrupt, when a value is not of its field's type.
  arrow::Result<std::vector<std::optional<std::string>>> Values(const std::vector<PartitionValue>& values) const;
  // The values of fields that are columns themselves.
  IdentityValues Identity(const std::vector<PartitionValue>& values) const;
  // The same text for the same tuple of the same spec: -0.0 and 0.0 are one, all NaNs are one, and it does not matter
  // in which type a value was written that was widened since.
  std::string Scope(const std::vector<PartitionValue>& values) const;

 private:
  struct Field {
    int place = -1;            // in the tuple; -1: not there
    std::optional<Type> type;  // of the values
    int identity_of = -1;      // field id of the column
    std::string logical_type;
  };
  // Unset: null. Error: corrupt.
  arrow::Result<std::optional<expr::Key>> KeyOf(const Field& field, const PartitionValue& value) const;
  arrow::Result<std::optional<std::string>> BytesOf(const Field& field, const PartitionValue& value) const;

  int spec_id_;
  std::vector<Field> fields_;
};

}  // namespace frazil::iceberg
