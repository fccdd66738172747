// SPDX-License-Identifier: Apache-2.0
//
// Manifests: what is asked of the entries does not change which there are, and everything handed out is within bounds.
//
// Input: flags (1 byte: manifest of deletes, deleted entries too, with first row ids, the list's counts), the file.
#include <optional>
#include <vector>

#include "src/iceberg/manifest.h"
#include "tests/fuzz/target.h"

namespace frazil::fuzz {
namespace {

using iceberg::ManifestEntry;
using iceberg::ManifestFile;
using iceberg::ManifestReader;
using iceberg::ManifestReadOptions;

constexpr int64_t kEntriesMax = 100'000;

struct Pass {
  int64_t entries = 0;
  int64_t kept = 0;
  int64_t records = 0;
  uint64_t path_bytes = 0;
};

void CheckEntry(const ManifestEntry& entry, const ManifestReader& reader, const ManifestReadOptions& options) {
  Require(!entry.path.empty(), "an entry has a path");
  Require(entry.record_count >= -1 && entry.size_bytes >= 0, "counts are not negative");
  Require(entry.partition.size() == reader.partition_fields().size(), "a tuple has the fields that it has");
  Require(entry.metrics.size() == options.metric_field_ids.size(), "metrics are parallel to what was asked");
  for (const iceberg::ColumnMetrics& column : entry.metrics) {
    Require(column.value_count.value_or(0) >= 0 && column.null_count.value_or(0) >= 0, "metrics are not negative");
  }
  for (const int64_t offset : entry.split_offsets) {
    Require(offset >= 0 && offset < entry.size_bytes, "a file is split within it");
  }
}

// Unset: the manifest is refused.
std::optional<Pass> Read(std::string_view bytes, const ManifestFile& file, const ManifestReadOptions& options) {
  auto reader = ManifestReader::Open(bytes, file, options);
  if (!reader.ok()) return std::nullopt;
  Pass pass;
  while (pass.kept < kEntriesMax) {
    const auto entry = reader->Next();
    if (!entry.ok()) return std::nullopt;
    if (*entry == nullptr) break;
    CheckEntry(**entry, *reader, options);
    ++pass.kept;
    pass.records += (*entry)->record_count % 1'000'000;
    pass.path_bytes += (*entry)->path.size();
  }
  pass.entries = reader->entry_count();
  return pass;
}

void Check(std::string_view bytes) {
  Input input(bytes);
  const int flags = input.Byte();
  ManifestFile file;
  if ((flags & 1) != 0) file.content = iceberg::ManifestContent::kDeletes;
  if ((flags & 4) != 0) file.first_row_id = 1000;
  if ((flags & 8) != 0) file.added_file_count = 2;
  file.sequence_number = 7;
  const std::string_view manifest = input.Rest();
  ManifestReadOptions all{.deleted_entries = (flags & 2) != 0};
  ManifestReadOptions metrics = all;
  metrics.metric_field_ids = {1, 2, 1, 5000};
  metrics.column_sizes = true;
  const auto whole = Read(manifest, file, metrics);
  if (!whole) return;
  const auto plain = Read(manifest, file, all);
  Require(plain && plain->entries == whole->entries && plain->kept == whole->kept && plain->records == whole->records &&
              plain->path_bytes == whole->path_bytes,
          "entries are the same with their metrics and without");
  ManifestReadOptions none = all;
  int64_t asked = 0;
  none.keep = [&](const ManifestEntry&) {
    ++asked;
    return false;
  };
  const auto skipped = Read(manifest, file, none);
  Require(skipped && skipped->kept == 0, "none is kept that is not wanted");
  if (whole->kept < kEntriesMax) {
    Require(skipped->entries == whole->entries && asked == whole->kept, "skipped entries end where read ones do");
  }
}

}  // namespace
}  // namespace frazil::fuzz

FRAZIL_FUZZ_TARGET(manifest, frazil::fuzz::Check)
