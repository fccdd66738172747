// SPDX-License-Identifier: Apache-2.0
//
// The partition tuples of all specs of a table as one struct: a field for each partition field that any spec has, known
// by its id, named as in the newest spec that has it. Files of a spec without the field are null there.
//
//   const PartitionColumns columns = PartitionColumns::Of(metadata, schema);
//   ARROW_ASSIGN_OR_RAISE(auto builder, columns.NewBuilder());
//   ARROW_RETURN_NOT_OK(builder.Append(spec_id, tuples.Bytes(entry.partition)));
//   ARROW_ASSIGN_OR_RAISE(auto array, builder.Finish());   // of columns.type()
// Void fields count only where no spec has another transform for them. Fields whose values are of no known type (an
// unknown transform) are left out. Version 1 tables may use an id again for values of another type: then each has a
// field of its own, the older one with the spec's id behind its name.
// Source: Iceberg table specification, "Partitioning", "Partition Evolution"; "Reserved Field IDs" (_partition).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/array.h>
#include <arrow/result.h>
#include <arrow/type.h>

#include "src/iceberg/arrow_type.h"
#include "src/iceberg/metadata.h"

namespace frazil::iceberg {

class PartitionColumns {
 public:
  struct Column {
    int field_id = 0;
    std::string name;
    Type type;
    bool is_void = false;
  };

  // `schema`: the one whose types the values of today's columns have.
  static PartitionColumns Of(const TableMetadata& metadata, const Schema& schema);

  // By ascending field id.
  const std::vector<Column>& columns() const { return columns_; }
  std::shared_ptr<arrow::DataType> type() const;

  // The values of a tuple of that spec (TupleReader::Bytes), one a column.
  std::vector<std::optional<std::string>> Place(int spec_id,
                                                const std::vector<std::optional<std::string>>& bytes) const;

  class Builder {
   public:
    // `bytes`: as TupleReader::Bytes gives them, for a tuple of that spec.
    arrow::Status Append(int spec_id, const std::vector<std::optional<std::string>>& bytes);
    arrow::Result<std::shared_ptr<arrow::Array>> Finish();

   private:
    friend class PartitionColumns;
    const PartitionColumns* columns_ = nullptr;
    std::vector<ValueBuilder> builders_;
    int64_t length_ = 0;
  };
  // Valid as long as this.
  arrow::Result<Builder> NewBuilder() const;

 private:
  std::vector<Column> columns_;
  // Of each spec, the column of each of its fields; -1: left out.
  std::map<int, std::vector<int>> places_;
};

}  // namespace frazil::iceberg
