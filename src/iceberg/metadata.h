// SPDX-License-Identifier: Apache-2.0
//
// Table metadata: the JSON file that says what a table is. Versions 1, 2 and 3; a greater one is refused.
//
//   ARROW_ASSIGN_OR_RAISE(const std::string json, DecodeMetadataFile(bytes, {}));
//   ARROW_ASSIGN_OR_RAISE(const TableMetadata metadata, ParseMetadata(json, {}));
// What version 1 leaves out is filled in: the single schema and partition spec become lists of one, sequence numbers
// are 0, sort orders none. Nothing here does I/O.
// Source: Iceberg table specification, "Table Metadata", "Snapshots", Appendix C.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>

#include "src/iceberg/json.h"
#include "src/iceberg/partition_spec.h"
#include "src/iceberg/schema.h"

namespace frazil::iceberg {

inline constexpr int kFormatVersionMax = 3;
inline constexpr const char* kMainBranch = "main";

// Ids above 2^63 - 1, which some writers draw, are kept as the negative number of the same 64 bits.
struct Snapshot {
  int64_t snapshot_id = 0;
  std::optional<int64_t> parent_snapshot_id;
  int64_t sequence_number = 0;  // 0 in version 1
  int64_t timestamp_ms = 0;     // since 1970-01-01 UTC
  // Where the manifests are listed; empty in version 1 tables that carry the list of manifest files themselves.
  std::string manifest_list;
  std::vector<std::string> manifests;
  std::map<std::string, std::string> summary;  // "operation" among them
  std::optional<int> schema_id;
  std::optional<int64_t> first_row_id;  // version 3
  std::optional<int64_t> added_rows;    // version 3
  std::optional<std::string> key_id;    // the manifest list is encrypted by this key
};

struct SnapshotRef {
  int64_t snapshot_id = 0;
  bool is_branch = true;  // else a tag
  // When maintenance may drop it, and what it keeps of a branch.
  std::optional<int64_t> max_ref_age_ms = std::nullopt;
  std::optional<int32_t> min_snapshots_to_keep = std::nullopt;
  std::optional<int64_t> max_snapshot_age_ms = std::nullopt;
};

// When a snapshot became the current one, or a metadata file was replaced.
struct SnapshotLogEntry {
  int64_t timestamp_ms = 0;
  int64_t snapshot_id = 0;
};
struct MetadataLogEntry {
  int64_t timestamp_ms = 0;
  std::string metadata_file;
};

struct BlobMetadata {
  std::string type;
  int64_t snapshot_id = 0;
  int64_t sequence_number = 0;
  std::vector<int> fields;
  std::map<std::string, std::string> properties;
};

// A Puffin file with statistics of a snapshot.
struct StatisticsFile {
  int64_t snapshot_id = 0;
  std::string path;
  int64_t size_bytes = 0;
  int64_t footer_size_bytes = 0;
  std::vector<BlobMetadata> blobs;
};

struct PartitionStatisticsFile {
  int64_t snapshot_id = 0;
  std::string path;
  int64_t size_bytes = 0;
};

struct TableMetadata {
  int format_version = 0;
  std::string table_uuid;  // may be empty in version 1
  std::string location;
  int64_t last_sequence_number = 0;
  int64_t last_updated_ms = 0;
  int last_column_id = 0;
  std::vector<Schema> schemas;
  int current_schema_id = 0;
  std::vector<PartitionSpec> partition_specs;
  int default_spec_id = 0;
  int last_partition_id = 0;
  std::vector<SortOrder> sort_orders;
  int default_sort_order_id = 0;
  std::map<std::string, std::string> properties;
  std::optional<int64_t> current_snapshot_id;  // unset: the table is empty
  std::vector<Snapshot> snapshots;
  std::vector<SnapshotLogEntry> snapshot_log;
  std::vector<MetadataLogEntry> metadata_log;
  std::map<std::string, SnapshotRef> refs;  // always with kMainBranch when there is a current snapshot
  std::vector<StatisticsFile> statistics;
  std::vector<PartitionStatisticsFile> partition_statistics;
  std::optional<int64_t> next_row_id;  // version 3; nothing that is read depends on it
  // What was passed over, for people: "encryption keys are ignored".
  std::vector<std::string> remarks;

  // Null when there is none.
  const Schema* FindSchema(int schema_id) const;
  const PartitionSpec* FindSpec(int spec_id) const;
  const Snapshot* FindSnapshot(int64_t snapshot_id) const;
  const Schema& current_schema() const;  // ParseMetadata has seen to it that there is one
};

// The text of a metadata file, which is gzip or zstd, whatever its name, when it begins so ("v1.gz.metadata.json",
// "v1.metadata.json.gz"). Errors: corrupt, or budget when there is more text than the limit.
arrow::Result<std::string> DecodeMetadataFile(std::string_view bytes, const JsonLimits& limits);

// Errors: corrupt, naming the place ("snapshots[3].timestamp-ms: missing"); unsupported for an unknown version.
arrow::Result<TableMetadata> ParseMetadata(std::string_view json_text, const JsonLimits& limits);

}  // namespace frazil::iceberg
