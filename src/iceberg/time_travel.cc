// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/time_travel.h"

#include <vector>

#include "frazil/error.h"
#include "src/base/text.h"
#include "src/expr/datetime.h"

namespace frazil::iceberg {
namespace {

constexpr size_t kNamesShownMax = 10;

std::string TimeText(int64_t timestamp_ms) {
  return expr::TimestampToString(timestamp_ms, expr::TimeUnit::kMilli, true);
}

arrow::Status NotFound(std::string text) { return MakeError(ErrorKind::kNotFound, std::move(text)); }

// The snapshot that the metadata itself speaks of by `what`.
arrow::Result<const Snapshot*> Existing(const TableMetadata& metadata, int64_t snapshot_id, const std::string& what) {
  const Snapshot* snapshot = metadata.FindSnapshot(snapshot_id);
  if (snapshot != nullptr) return snapshot;
  return MakeError(ErrorKind::kCorrupt,
                   what + " names snapshot " + std::to_string(snapshot_id) + ", which the metadata do not have");
}

arrow::Result<ResolvedSnapshot> WithItsSchema(const TableMetadata& metadata, const Snapshot* snapshot) {
  const Schema* schema = &metadata.current_schema();
  if (snapshot->schema_id) schema = metadata.FindSchema(*snapshot->schema_id);
  if (schema != nullptr) return ResolvedSnapshot{snapshot, schema};
  return MakeError(ErrorKind::kCorrupt, "snapshot " + std::to_string(snapshot->snapshot_id) + " names schema " +
                                            std::to_string(*snapshot->schema_id) + ", which the metadata do not have");
}

arrow::Result<ResolvedSnapshot> ById(const TableMetadata& metadata, int64_t snapshot_id) {
  const Snapshot* snapshot = metadata.FindSnapshot(snapshot_id);
  if (snapshot != nullptr) return WithItsSchema(metadata, snapshot);
  return NotFound("the table has no snapshot " + std::to_string(snapshot_id) + "; it has " +
                  std::to_string(metadata.snapshots.size()) + ", others may have expired");
}

arrow::Result<ResolvedSnapshot> ByRef(const TableMetadata& metadata, const std::string& name) {
  const auto found = metadata.refs.find(name);
  if (found == metadata.refs.end()) {
    std::vector<std::string> names;
    for (const auto& [other, ref] : metadata.refs) names.push_back(other);
    std::string shown;
    for (size_t i = 0; i < names.size() && i < kNamesShownMax; ++i) {
      shown += (i == 0 ? "" : ", ") + Printable(names[i], 64);
    }
    if (names.size() > kNamesShownMax) shown += ", ...";
    return NotFound("the table has no branch or tag " + Printable(name, 64) +
                    (names.empty() ? "; it has none" : "; it has: " + shown));
  }
  ARROW_ASSIGN_OR_RAISE(const Snapshot* snapshot,
                        Existing(metadata, found->second.snapshot_id, "refs." + Printable(name, 64)));
  if (found->second.is_branch) return ResolvedSnapshot{snapshot, &metadata.current_schema()};
  return WithItsSchema(metadata, snapshot);
}

arrow::Result<ResolvedSnapshot> AsOf(const TableMetadata& metadata, int64_t as_of_ms) {
  std::vector<SnapshotLogEntry> log = metadata.snapshot_log;
  if (log.empty() && metadata.current_snapshot_id) {
    // The log is optional; all that is known then is when the current snapshot was made.
    ARROW_ASSIGN_OR_RAISE(const Snapshot* current,
                          Existing(metadata, *metadata.current_snapshot_id, "current-snapshot-id"));
    log.push_back({current->timestamp_ms, current->snapshot_id});
  }
  const SnapshotLogEntry* last = nullptr;
  const SnapshotLogEntry* oldest = nullptr;
  for (const SnapshotLogEntry& entry : log) {
    if (entry.timestamp_ms <= as_of_ms) last = &entry;
    if (oldest == nullptr || entry.timestamp_ms < oldest->timestamp_ms) oldest = &entry;
  }
  if (last == nullptr) {
    return NotFound("the table has no snapshot as of " + TimeText(as_of_ms) +
                    (oldest == nullptr ? "" : "; the oldest is of " + TimeText(oldest->timestamp_ms)));
  }
  const Snapshot* snapshot = metadata.FindSnapshot(last->snapshot_id);
  if (snapshot != nullptr) return WithItsSchema(metadata, snapshot);
  return NotFound("snapshot " + std::to_string(last->snapshot_id) + ", which was the current one as of " +
                  TimeText(as_of_ms) + ", has expired");
}

arrow::Result<ResolvedSnapshot> Resolve(const TableMetadata& metadata, const SnapshotChoice& choice) {
  const int choices = (choice.snapshot_id ? 1 : 0) + (choice.ref ? 1 : 0) + (choice.as_of_ms ? 1 : 0);
  if (choices > 1) return MakeError(ErrorKind::kUsage, "give one of snapshot id, branch or tag, and time; not several");
  if (choice.snapshot_id) return ById(metadata, *choice.snapshot_id);
  if (choice.ref) return ByRef(metadata, *choice.ref);
  if (choice.as_of_ms) return AsOf(metadata, *choice.as_of_ms);
  ResolvedSnapshot resolved{nullptr, &metadata.current_schema()};
  if (metadata.current_snapshot_id) {
    ARROW_ASSIGN_OR_RAISE(resolved.snapshot, Existing(metadata, *metadata.current_snapshot_id, "current-snapshot-id"));
  }
  return resolved;
}

}  // namespace

arrow::Result<ResolvedSnapshot> ResolveSnapshot(const TableMetadata& metadata, const SnapshotChoice& choice) {
  ARROW_ASSIGN_OR_RAISE(const ResolvedSnapshot resolved, Resolve(metadata, choice));
  if (resolved.snapshot != nullptr && resolved.snapshot->key_id) {
    return MakeError(ErrorKind::kUnsupported, "snapshot " + std::to_string(resolved.snapshot->snapshot_id) +
                                                  " is encrypted (key " + Printable(*resolved.snapshot->key_id, 64) +
                                                  "); encrypted metadata is not read");
  }
  return resolved;
}

}  // namespace frazil::iceberg
