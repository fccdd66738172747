// SPDX-License-Identifier: Apache-2.0

#include "src/iceberg/avro_record.h"

#include <string>

#include "frazil/error.h"
#include "src/base/text.h"

namespace frazil::iceberg {

namespace {

bool IsNumber(AvroKind kind) { return kind == AvroKind::kInt || kind == AvroKind::kLong; }

// Fills in what `step` needs to be read as `shape`; false when the type is of another shape.
bool TakeShape(const AvroSchema& schema, AvroShape shape, AvroStep* step) {
  const auto value = SeeThroughOptional(schema, step->type);
  if (!value) return false;
  step->value = *value;
  const AvroType& type = schema[value->value];
  switch (shape) {
    case AvroShape::kNumber:
      return IsNumber(type.kind);
    case AvroShape::kBoolean:
      return type.kind == AvroKind::kBoolean;
    case AvroShape::kBytes:
      return type.kind == AvroKind::kBytes || type.kind == AvroKind::kString;
    case AvroShape::kRecord:
      return type.kind == AvroKind::kRecord;
    default:
      break;
  }
  const auto item = type.kind == AvroKind::kArray ? SeeThroughOptional(schema, type.items[0]) : std::nullopt;
  // Items of no bytes could be any number of them.
  if (!item || schema[type.items[0]].min_bytes == 0) return false;
  step->item = *item;
  const AvroType& item_type = schema[item->value];
  if (shape == AvroShape::kNumbers) return IsNumber(item_type.kind);
  if (item_type.kind != AvroKind::kRecord) return false;
  if (shape == AvroShape::kRecords) return true;
  if (item_type.fields.size() != 2) return false;
  const auto first = SeeThroughOptional(schema, item_type.fields[0].type);
  const auto second = SeeThroughOptional(schema, item_type.fields[1].type);
  if (!first || !second || !IsNumber(schema[first->value].kind)) return false;
  step->first = *first;
  step->second = *second;
  return true;
}

int SlotOf(const AvroField& field, std::span<const AvroWanted> wanted) {
  for (size_t i = 0; i < wanted.size(); ++i) {
    const bool same = field.field_id
                          ? *field.field_id == wanted[i].field_id
                          : !field.name.empty() && (field.name == wanted[i].name || field.name == wanted[i].other_name);
    if (same) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

arrow::Result<std::vector<AvroStep>> PlanAvroRecord(const AvroSchema& schema, AvroTypeId record,
                                                    std::span<const AvroWanted> wanted) {
  if (schema[record].kind != AvroKind::kRecord) {
    return MakeError(ErrorKind::kCorrupt, std::string("a record is expected, the Avro schema has a type ") +
                                              AvroKindName(schema[record].kind));
  }
  std::vector<AvroStep> steps;
  std::vector<bool> found(wanted.size());
  for (const AvroField& field : schema[record].fields) {
    AvroStep step{.slot = SlotOf(field, wanted), .type = field.type};
    if (step.slot >= 0) {
      const AvroWanted& want = wanted[step.slot];
      found[step.slot] = true;
      if (!TakeShape(schema, want.shape, &step)) {
        if (!want.dispensable) {
          return MakeError(ErrorKind::kCorrupt, "the field '" + Printable(field.name, 64) + "' (id " +
                                                    std::to_string(want.field_id) +
                                                    ") has an Avro type that it can not have");
        }
        step.slot = -1;
      }
    }
    steps.push_back(step);
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].required && !found[i]) {
      return MakeError(ErrorKind::kCorrupt, "the Avro schema has no field '" + std::string(wanted[i].name) + "' (id " +
                                                std::to_string(wanted[i].field_id) + ")");
    }
  }
  return steps;
}

}  // namespace frazil::iceberg
