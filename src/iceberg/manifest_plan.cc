// SPDX-License-Identifier: Apache-2.0

#include "src/iceberg/manifest_plan.h"

#include <iterator>
#include <string>
#include <utility>

#include "frazil/error.h"
#include "src/base/text.h"

namespace frazil::iceberg {

namespace {

constexpr AvroWanted kWantedOfEntry[] = {
    {0, "status", "", AvroShape::kNumber, true},    {1, "snapshot_id", "", AvroShape::kNumber},
    {3, "sequence_number", "", AvroShape::kNumber}, {4, "file_sequence_number", "", AvroShape::kNumber},
    {2, "data_file", "", AvroShape::kRecord, true},
};
constexpr EntrySlot kSlotsOfEntry[] = {EntrySlot::kStatus, EntrySlot::kSnapshotId, EntrySlot::kSequenceNumber,
                                       EntrySlot::kFileSequenceNumber, EntrySlot::kEnterDataFile};

constexpr AvroWanted kWantedOfFile[] = {
    {134, "content", "", AvroShape::kNumber},
    {100, "file_path", "", AvroShape::kBytes, true},
    {101, "file_format", "", AvroShape::kBytes, true},
    {102, "partition", "", AvroShape::kRecord},
    {103, "record_count", "", AvroShape::kNumber, true},
    {104, "file_size_in_bytes", "", AvroShape::kNumber, true},
    {108, "column_sizes", "", AvroShape::kPairs, false, true},
    {109, "value_counts", "", AvroShape::kPairs, false, true},
    {110, "null_value_counts", "", AvroShape::kPairs, false, true},
    {137, "nan_value_counts", "", AvroShape::kPairs, false, true},
    {125, "lower_bounds", "", AvroShape::kPairs, false, true},
    {128, "upper_bounds", "", AvroShape::kPairs, false, true},
    {131, "key_metadata", "", AvroShape::kBytes},
    {132, "split_offsets", "", AvroShape::kNumbers, false, true},
    {135, "equality_ids", "", AvroShape::kNumbers},
    {140, "sort_order_id", "", AvroShape::kNumber},
    {142, "first_row_id", "", AvroShape::kNumber},
    {143, "referenced_data_file", "", AvroShape::kBytes},
    {144, "content_offset", "", AvroShape::kNumber},
    {145, "content_size_in_bytes", "", AvroShape::kNumber},
};
// In the order of the enumeration, from kContent on.
static_assert(std::size(kWantedOfFile) ==
              static_cast<size_t>(EntrySlot::kContentSize) - static_cast<size_t>(EntrySlot::kContent) + 1);

EntrySlot SlotOfFile(int slot) { return static_cast<EntrySlot>(slot + static_cast<int>(EntrySlot::kContent)); }

// Counts are numbers, bounds are bytes; a map of something else is no evidence.
bool HasRightValues(const AvroSchema& schema, const EntryStep& step) {
  if (step.entry_slot < EntrySlot::kColumnSizes || step.entry_slot > EntrySlot::kUpperBounds) return true;
  const AvroKind kind = schema[step.second.value].kind;
  if (step.entry_slot >= EntrySlot::kLowerBounds) return kind == AvroKind::kBytes || kind == AvroKind::kString;
  return kind == AvroKind::kInt || kind == AvroKind::kLong;
}

bool CanBePartitionValue(AvroKind kind) { return kind <= AvroKind::kFixed; }

arrow::Status PlanPartition(const AvroSchema& schema, AvroTypeId record, ManifestPlan* plan) {
  for (const AvroField& field : schema[record].fields) {
    const auto value = SeeThroughOptional(schema, field.type);
    if (!value || !CanBePartitionValue(schema[value->value].kind)) {
      return MakeError(ErrorKind::kCorrupt,
                       "the partition field '" + Printable(field.name, 64) + "' has an Avro type that it can not have");
    }
    const AvroType& type = schema[value->value];
    plan->partition_steps.push_back({.value = *value, .kind = type.kind, .fixed_bytes = type.fixed_bytes});
    plan->partition_fields.push_back(
        {.field_id = field.field_id, .name = field.name, .kind = type.kind, .logical_type = type.logical_type});
  }
  return arrow::Status::OK();
}

arrow::Status PlanFile(const AvroSchema& schema, AvroTypeId record, ManifestPlan* plan) {
  ARROW_ASSIGN_OR_RAISE(const std::vector<AvroStep> steps, PlanAvroRecord(schema, record, kWantedOfFile));
  for (const AvroStep& step : steps) {
    EntryStep added{step};
    if (step.slot >= 0) added.entry_slot = SlotOfFile(step.slot);
    if (!HasRightValues(schema, added)) added.entry_slot = EntrySlot::kSkip;
    if (added.entry_slot == EntrySlot::kPartition && plan->partition_steps.empty()) {
      ARROW_RETURN_NOT_OK(PlanPartition(schema, step.value.value, plan));
    }
    plan->steps.push_back(added);
  }
  return arrow::Status::OK();
}

// A field that is there twice would be read twice into one place.
arrow::Status CheckTwins(const ManifestPlan& plan) {
  bool seen[static_cast<size_t>(EntrySlot::kContentSize) + 1] = {};
  for (const EntryStep& step : plan.steps) {
    if (step.entry_slot == EntrySlot::kSkip) continue;
    if (std::exchange(seen[static_cast<size_t>(step.entry_slot)], true)) {
      return MakeError(ErrorKind::kCorrupt, "the Avro schema has a field of manifest entries twice");
    }
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<ManifestPlan> PlanManifest(const AvroSchema& schema) {
  ManifestPlan plan;
  ARROW_ASSIGN_OR_RAISE(const std::vector<AvroStep> steps, PlanAvroRecord(schema, AvroSchema::kRoot, kWantedOfEntry));
  for (const AvroStep& step : steps) {
    EntryStep added{step};
    if (step.slot >= 0) added.entry_slot = kSlotsOfEntry[step.slot];
    plan.steps.push_back(added);
    if (added.entry_slot == EntrySlot::kEnterDataFile) ARROW_RETURN_NOT_OK(PlanFile(schema, step.value.value, &plan));
  }
  ARROW_RETURN_NOT_OK(CheckTwins(plan));
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const EntrySlot slot = plan.steps[i].entry_slot;
    if (slot != EntrySlot::kSkip && DecidesWhetherWanted(slot)) plan.decided_at = i + 1;
  }
  return plan;
}

}  // namespace frazil::iceberg
