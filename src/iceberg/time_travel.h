// SPDX-License-Identifier: Apache-2.0
//
// Which snapshot of a table is read, and by which schema.
//
//   asked for          snapshot                                   schema
//   nothing            the current one                            the table's current one
//   snapshot id        that one                                   the snapshot's
//   branch             the branch's                               the table's current one
//   tag                the tag's                                  the snapshot's
//   as of a time       the last that had become the current one   the snapshot's
//                      by then, by the snapshot log
// A snapshot without a schema id is read by the current schema.
// Source: Iceberg table specification, "Snapshot References", "Point in Time Reads", "Snapshots".
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <arrow/result.h>

#include "src/iceberg/metadata.h"

namespace frazil::iceberg {

// At most one of them is set.
struct SnapshotChoice {
  std::optional<int64_t> snapshot_id;
  std::optional<std::string> ref;   // a branch or a tag
  std::optional<int64_t> as_of_ms;  // since 1970-01-01 UTC
};

// Pointers into the metadata.
struct ResolvedSnapshot {
  const Snapshot* snapshot = nullptr;  // null: the table has none, so no rows
  const Schema* schema = nullptr;
};

// Errors: usage when two are set; not found, with what there is ("branches and tags: a, b"; "the oldest ..."); corrupt
// when the metadata names a snapshot or a schema that it does not have; unsupported when the snapshot is encrypted.
arrow::Result<ResolvedSnapshot> ResolveSnapshot(const TableMetadata& metadata, const SnapshotChoice& choice);

}  // namespace frazil::iceberg
