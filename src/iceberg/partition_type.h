// SPDX-License-Identifier: Apache-2.0
//
// The type of the metadata column _partition: a struct of the partition fields of all specs of a table, so that files
// of every spec have a value of it. Fields that a file's spec lacks are null. Source: Iceberg table specification,
// "Reserved Field IDs" (2147483642); Java's Partitioning.partitionType.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/iceberg/metadata.h"

namespace frazil::iceberg {

class PartitionType {
 public:
  PartitionType() = default;  // without fields
  // Names and order are those that the newest spec with the field gives it; one that a newer field took is followed by
  // "_" and the field's id. `schema` tells the types; fields of unknown type are left out.
  PartitionType(const TableMetadata& metadata, const Schema& schema);

  // All optional. Their ids are reserved ones, which no column has: the ids of partition fields may be those of
  // columns.
  const std::vector<NestedField>& fields() const { return fields_; }

  // For each field of the spec its place among `fields`; -1: none.
  std::vector<int> PlacesOf(const PartitionSpec& spec) const;

 private:
  int PlaceOf(const PartitionField& field) const;

  std::vector<NestedField> fields_;
  std::vector<PartitionField> sources_;  // parallel: what each field is made of
};

}  // namespace frazil::iceberg
