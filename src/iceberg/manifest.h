// SPDX-License-Identifier: Apache-2.0
//
// A manifest: its entries one by one, as planning wants them. An entry is decoded lazily: first what tells whether it
// is wanted (status, content, path, partition tuple, counts), then, if it is, the column metrics of the asked fields
// and the rest; everything else is skipped by the writer's schema. Versions 1 to 3 of the format; what an entry
// inherits from its manifest list is filled in. Source: Iceberg specification "Manifests", field ids 0 to 4 and 100 to
// 145; "Sequence Number Inheritance"; "First Row ID Inheritance".
//
//   ManifestReadOptions options{.metric_field_ids = {3}};
//   options.keep = [&](const ManifestEntry& entry) { return MayMatch(entry.partition); };
//   ARROW_ASSIGN_OR_RAISE(auto reader, ManifestReader::Open(bytes, manifest_file, options));
//   while (true) {
//     ARROW_ASSIGN_OR_RAISE(const ManifestEntry* entry, reader.Next());
//     if (entry == nullptr) break;
//     entry->metrics[0].lower_bound   // of field 3
//   }
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>

#include "src/iceberg/avro_schema.h"
#include "src/iceberg/manifest_list.h"

namespace frazil::iceberg {

enum class EntryStatus : uint8_t { kExisting = 0, kAdded = 1, kDeleted = 2 };
enum class FileContent : uint8_t { kData = 0, kPositionDeletes = 1, kEqualityDeletes = 2 };
enum class FileFormat : uint8_t { kParquet, kAvro, kOrc, kPuffin, kOther };

// A value of a partition tuple, as Avro has it: dates are days, timestamps micro- or nanoseconds, decimals big-endian
// two's complement, UUIDs 16 bytes.
struct PartitionValue {
  AvroKind kind = AvroKind::kNull;  // kNull: the value is null
  int64_t integer = 0;              // kBoolean (0, 1), kInt, kLong
  double number = 0;                // kFloat, kDouble
  std::string_view bytes;           // kString, kBytes, kFixed
};

// A field of the partition tuple, from the writer's schema.
struct PartitionFieldType {
  std::optional<int32_t> field_id = std::nullopt;
  std::string name;
  AvroKind kind = AvroKind::kNull;
  std::string logical_type;  // "date", "timestamp-micros", "decimal", "uuid", ...; empty: none
};

// What the manifest says of one column of a file. Everything may be missing: it is then not known.
struct ColumnMetrics {
  std::optional<int64_t> column_size_bytes = std::nullopt;
  std::optional<int64_t> value_count = std::nullopt;  // nulls and NaNs included
  std::optional<int64_t> null_count = std::nullopt;
  std::optional<int64_t> nan_count = std::nullopt;
  // In the encoding of "Binary single-value serialization", of the type at the time of writing; often cut, so bounds
  // and not values.
  std::optional<std::string_view> lower_bound = std::nullopt;
  std::optional<std::string_view> upper_bound = std::nullopt;
};

struct ManifestEntry {
  int64_t ordinal = 0;  // in the manifest, deleted entries counted
  EntryStatus status = EntryStatus::kExisting;
  std::optional<int64_t> snapshot_id = std::nullopt;           // inherited when not written
  std::optional<int64_t> sequence_number = std::nullopt;       // of the data; unset: neither written nor inherited
  std::optional<int64_t> file_sequence_number = std::nullopt;  // likewise
  FileContent content = FileContent::kData;
  std::string_view path;  // as written: a location that may have to be rewritten
  FileFormat format = FileFormat::kOther;
  std::string_view format_name;           // as written
  std::vector<PartitionValue> partition;  // parallel to ManifestReader::partition_fields()
  int64_t record_count = 0;               // -1: not known
  int64_t size_bytes = 0;

  // From here on unset until `keep` has been asked.
  std::vector<ColumnMetrics> metrics;  // parallel to ManifestReadOptions::metric_field_ids
  std::optional<std::string_view> key_metadata = std::nullopt;
  // Ascending and inside the file; else empty, as are more than kSplitOffsetsMax: they are only hints.
  std::vector<int64_t> split_offsets;
  std::vector<int32_t> equality_ids;  // at most kEqualityIdsMax; of equality deletes never empty
  std::optional<int32_t> sort_order_id = std::nullopt;
  std::optional<int64_t> first_row_id = std::nullopt;  // assigned when it is inherited
  std::optional<std::string_view> referenced_data_file = std::nullopt;
  std::optional<int64_t> content_offset = std::nullopt;
  std::optional<int64_t> content_size_bytes = std::nullopt;
};

constexpr int64_t kSplitOffsetsMax = 1 << 20;
constexpr int64_t kEqualityIdsMax = 65536;

struct ManifestReadOptions {
  // The columns whose metrics are decoded. Metrics of others cost no memory.
  std::vector<int32_t> metric_field_ids = {};
  bool column_sizes = false;
  bool counts = true;  // of values, nulls and NaNs
  bool bounds = true;
  // Deleted entries are left out unless asked for.
  bool deleted_entries = false;
  // Asked for each entry that is not left out, before its metrics are decoded; false leaves it out. Unset: all are
  // kept.
  std::function<bool(const ManifestEntry&)> keep = nullptr;
  // Writers' schemas that manifests share; must outlive the reader. Null: the reader parses its own.
  AvroSchemas* schemas = nullptr;
};

// The key-value metadata of a manifest. Views into its bytes; what the writer did not tell is unset.
struct ManifestHeader {
  std::optional<std::string_view> schema_json = std::nullopt;
  std::optional<std::string_view> partition_spec_json = std::nullopt;  // the list of its fields
  std::optional<int32_t> schema_id = std::nullopt;
  std::optional<int32_t> partition_spec_id = std::nullopt;
  std::optional<int32_t> format_version = std::nullopt;
  std::optional<ManifestContent> content = std::nullopt;
};

class ManifestReader {
 public:
  // `bytes` (the whole file) must outlive the reader. `file` is the manifest's record in its list: what entries
  // inherit. Of a manifest that has none (version 1 without a list) it is a ManifestFile with nothing but the path.
  // Errors: kind corrupt for bytes that are no Avro file or lack a required field, kind unsupported for codecs and
  // format versions that are not read, and for encrypted manifests. No error names the file: the caller knows where it
  // lies.
  static arrow::Result<ManifestReader> Open(std::string_view bytes, const ManifestFile& file,
                                            ManifestReadOptions options = {});
  ManifestReader(ManifestReader&&) noexcept;
  ManifestReader& operator=(ManifestReader&&) noexcept;
  ~ManifestReader();

  const ManifestHeader& header() const;
  const std::vector<PartitionFieldType>& partition_fields() const;

  // The next entry that is kept, or nullptr at the end. It and all its views are valid until the next call.
  // Errors, with the ordinal of the entry and the byte range of its block. Kind corrupt: malformed bytes, a missing
  // path or count, a delete file in a data manifest or the reverse, equality ids that are missing or can not be, fewer
  // entries than the list says (a file cut between two blocks looks sound otherwise). Kind unsupported: a status or
  // content of later versions. After an error the reader must not be used.
  arrow::Result<const ManifestEntry*> Next();

  // Entries decoded so far, kept or not.
  int64_t entry_count() const;
  // Metrics that were left out because they contradict themselves: negative, or told twice. They read as not known.
  int64_t dropped_metric_count() const;

 private:
  class Impl;
  explicit ManifestReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace frazil::iceberg
