// SPDX-License-Identifier: Apache-2.0
//
// A manifest list: the manifests of one snapshot, each with what planning needs to skip it unread. Versions 1 to 3 of
// the format; the defaults of older ones are filled in. Source: Iceberg specification "Manifest Lists", field ids 500
// to 520; "Version 2" of Appendix E.
//
//   ARROW_ASSIGN_OR_RAISE(std::vector<ManifestFile> manifests, ReadManifestList(bytes));
//   for (const ManifestFile& manifest : manifests) if (manifest.content == ManifestContent::kDeletes) ...
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>

namespace frazil::iceberg {

enum class ManifestContent : uint8_t { kData = 0, kDeletes = 1 };

// What a manifest's files hold in one partition field. Bounds are in the encoding of "Binary single-value
// serialization", of the field's result type; both unset: every value is null or NaN, or the writer told nothing.
struct PartitionFieldSummary {
  bool contains_null = true;                        // true where the list does not say
  std::optional<bool> contains_nan = std::nullopt;  // unset: not known
  std::optional<std::string> lower_bound = std::nullopt;
  std::optional<std::string> upper_bound = std::nullopt;

  bool operator==(const PartitionFieldSummary&) const = default;
};

struct ManifestFile {
  std::string path = {};   // as written: a location that may have to be rewritten
  int64_t size_bytes = 0;  // as written; not proven
  int32_t partition_spec_id = 0;
  ManifestContent content = ManifestContent::kData;
  int64_t sequence_number = 0;      // 0 in lists of version 1
  int64_t min_sequence_number = 0;  // likewise
  std::optional<int64_t> added_snapshot_id = std::nullopt;
  // Numbers of entries and rows by status. Unset: not known, so possibly some.
  std::optional<int64_t> added_file_count = std::nullopt;
  std::optional<int64_t> existing_file_count = std::nullopt;
  std::optional<int64_t> deleted_file_count = std::nullopt;
  std::optional<int64_t> added_row_count = std::nullopt;
  std::optional<int64_t> existing_row_count = std::nullopt;
  std::optional<int64_t> deleted_row_count = std::nullopt;
  // One for each field of the partition spec, in its order. Unset: not known.
  std::optional<std::vector<PartitionFieldSummary>> partitions = std::nullopt;
  std::optional<std::string> key_metadata = std::nullopt;
  std::optional<int64_t> first_row_id = std::nullopt;  // version 3, data manifests only

  // False only when the list says that no entry is added or existing.
  bool may_have_live_files() const { return added_file_count != 0 || existing_file_count != 0; }
  // The sums of the counts that are known; unset when they are no numbers of 64 bits.
  std::optional<int64_t> listed_file_count() const;
  std::optional<int64_t> listed_row_count() const;
  bool operator==(const ManifestFile&) const = default;
};

// A list that takes more memory than this is refused (kind budget): a million manifests take about half of it.
constexpr int64_t kManifestListMemoryMax = int64_t{1} << 30;

// The manifests in the order of the list. Fields are found by their field id, in files without ids by name. Counts
// below 0 are not known. Cost and memory: linear in the list; a manifest takes about 300 bytes and its strings.
// Errors: kind corrupt, with the ordinal of the manifest, when the bytes are no sound Avro file, a required field is
// missing, or a value or a sum of counts is out of its range; kind unsupported for a content that is neither data nor
// deletes, and for encrypted lists.
arrow::Result<std::vector<ManifestFile>> ReadManifestList(std::string_view bytes);

}  // namespace frazil::iceberg
