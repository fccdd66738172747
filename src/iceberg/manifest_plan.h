// SPDX-License-Identifier: Apache-2.0
//
// How the entries of one manifest are decoded: the steps of an entry and of the data file inside it as one list, in the
// order in which they were written. Made once a manifest, from the writer's schema.
#pragma once

#include <cstdint>
#include <vector>

#include <arrow/result.h>

#include "src/iceberg/avro_record.h"
#include "src/iceberg/manifest.h"

namespace frazil::iceberg {

enum class EntrySlot : uint8_t {
  kSkip,
  kEnterDataFile,
  // What decides whether an entry is wanted.
  kStatus,
  kSnapshotId,
  kSequenceNumber,
  kFileSequenceNumber,
  kContent,
  kPath,
  kFormat,
  kPartition,
  kRecordCount,
  kSizeBytes,
  // What is only decoded then.
  kColumnSizes,
  kValueCounts,
  kNullCounts,
  kNanCounts,
  kLowerBounds,
  kUpperBounds,
  kKeyMetadata,
  kSplitOffsets,
  kEqualityIds,
  kSortOrderId,
  kFirstRowId,
  kReferencedDataFile,
  kContentOffset,
  kContentSize,
};

constexpr bool DecidesWhetherWanted(EntrySlot slot) { return slot < EntrySlot::kColumnSizes; }

struct EntryStep : AvroStep {
  EntrySlot entry_slot = EntrySlot::kSkip;
};

struct PartitionStep {
  AvroOptional value;
  AvroKind kind = AvroKind::kNull;
  int64_t fixed_bytes = 0;  // kFixed
};

struct ManifestPlan {
  std::vector<EntryStep> steps;
  // The steps before this one hold all that decide whether an entry is wanted. Others among them, of writers with an
  // order of their own, have to wait.
  size_t decided_at = 0;
  std::vector<PartitionStep> partition_steps;
  std::vector<PartitionFieldType> partition_fields;
};

// Errors (kind corrupt): no record, a required field is missing, or a field has a type that it can not have. Of the
// column metrics, which are only evidence, such a field is skipped.
arrow::Result<ManifestPlan> PlanManifest(const AvroSchema& schema);

}  // namespace frazil::iceberg
