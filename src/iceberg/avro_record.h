// SPDX-License-Identifier: Apache-2.0
//
// How the records of an Avro file are read: for each field, in the order in which it was written, whether it is wanted
// and as what. Made once a file from the writer's schema; then each record is one pass over the steps.
//
//   constexpr AvroWanted kWanted[] = {{500, "manifest_path", "", AvroShape::kBytes, true}, ...};   // slot 0, ...
//   ARROW_ASSIGN_OR_RAISE(auto steps, PlanAvroRecord(schema, AvroSchema::kRoot, kWanted));
//   for (const AvroStep& step : steps)
//     switch (step.slot) {
//       case 0: if (in.Present(step.value)) path = in.Bytes(); break;
//       default: in.Skip(schema, step.type);
//     }
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <arrow/result.h>

#include "src/iceberg/avro_schema.h"

namespace frazil::iceberg {

enum class AvroShape : uint8_t {
  kNumber,  // int or long
  kBoolean,
  kBytes,  // bytes or string
  kRecord,
  kNumbers,  // array of int or long
  kRecords,  // array of records
  kPairs,    // array of records of two fields, the first a number: Iceberg's maps in manifests
};

struct AvroWanted {
  int32_t field_id = 0;
  std::string_view name;        // for fields without an id
  std::string_view other_name;  // an older name, or empty
  AvroShape shape = AvroShape::kNumber;
  bool required = false;
  // A field of another shape is then left out instead of refused: what is only evidence.
  bool dispensable = false;
};

struct AvroStep {
  int slot = -1;                         // of the list of wanted fields; -1: to be skipped
  AvroTypeId type = 0;                   // as written
  AvroOptional value = {};               // what is under an optional union; REQUIRES: slot >= 0
  AvroOptional item = {};                // kNumbers, kRecords, kPairs: the items
  AvroOptional first = {}, second = {};  // kPairs: the fields of an item
};

// The steps of a record type that was seen through (SeeThroughOptional). A field is wanted by its field id, or by its
// name when it has none. Errors (kind corrupt): not a record, a required field that is missing, a wanted field of
// another shape.
arrow::Result<std::vector<AvroStep>> PlanAvroRecord(const AvroSchema& schema, AvroTypeId record,
                                                    std::span<const AvroWanted> wanted);

}  // namespace frazil::iceberg
