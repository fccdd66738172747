// SPDX-License-Identifier: Apache-2.0
//
// For tests and benchmarks only: the bytes of manifests and their entries, in the order and with the types of Iceberg's
// own writer.
//
//   TestEntry entry{.path = "a.parquet", .partition = AvroBytes().Branch(1).Long(7)};
//   const std::string bytes = TestManifest({entry}, {.partition_fields = kOptionalInt});
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/iceberg/avro_for_test.h"

namespace frazil::iceberg {

using TestCounts = std::vector<std::pair<int64_t, int64_t>>;      // field id, count
using TestBounds = std::vector<std::pair<int64_t, std::string>>;  // field id, bytes

struct TestEntry {
  int64_t status = 1;
  std::optional<int64_t> snapshot_id = std::nullopt;
  std::optional<int64_t> sequence_number = std::nullopt;
  std::optional<int64_t> file_sequence_number = std::nullopt;
  int64_t content = 0;
  std::string path = "a.parquet";
  std::string format = "PARQUET";
  AvroBytes partition = {};  // the encoded tuple
  int64_t record_count = 100;
  int64_t size_bytes = 1000;
  std::optional<TestCounts> column_sizes = std::nullopt;
  std::optional<TestCounts> value_counts = std::nullopt;
  std::optional<TestCounts> null_counts = std::nullopt;
  std::optional<TestCounts> nan_counts = std::nullopt;
  std::optional<TestBounds> lower_bounds = std::nullopt;
  std::optional<TestBounds> upper_bounds = std::nullopt;
  std::optional<std::string> key_metadata = std::nullopt;
  std::optional<std::vector<int64_t>> split_offsets = std::nullopt;
  std::optional<std::vector<int64_t>> equality_ids = std::nullopt;
  std::optional<int64_t> sort_order_id = std::nullopt;
  std::optional<int64_t> first_row_id = std::nullopt;
  std::optional<std::string> referenced_data_file = std::nullopt;
  std::optional<int64_t> content_offset = std::nullopt;
  std::optional<int64_t> content_size_bytes = std::nullopt;
};

// The fields of the data file, without the record around them. `partition_fields`: JSON, comma-separated.
inline std::string TestFileFields(std::string_view partition_fields) {
  const auto field = [](std::string_view name, int id, std::string_view type) {
    return R"({"name": ")" + std::string(name) + R"(", "field-id": )" + std::to_string(id) + R"(, "type": )" +
           std::string(type) + "}";
  };
  const auto optional = [](const std::string& type) { return R"(["null", )" + type + "]"; };
  const auto map = [&](int key_id, int value_id, std::string_view value) {
    return optional(R"({"type": "array", "logicalType": "map", "items": {"type": "record", "name": "k)" +
                    std::to_string(key_id) + R"(", "fields": [)" + field("key", key_id, "\"int\"") + ", " +
                    field("value", value_id, value) + "]}}");
  };
  const auto list = [&](int element_id, const std::string& type) {
    return optional(R"({"type": "array", "element-id": )" + std::to_string(element_id) + R"(, "items": )" + type + "}");
  };
  return field("content", 134, "\"int\"") + ", " + field("file_path", 100, "\"string\"") + ", " +
         field("file_format", 101, "\"string\"") + ", " +
         field("partition", 102,
               R"({"type": "record", "name": "r102", "fields": [)" + std::string(partition_fields) + "]}") +
         ", " + field("record_count", 103, "\"long\"") + ", " + field("file_size_in_bytes", 104, "\"long\"") + ", " +
         field("column_sizes", 108, map(117, 118, "\"long\"")) + ", " +
         field("value_counts", 109, map(119, 120, "\"long\"")) + ", " +
         field("null_value_counts", 110, map(121, 122, "\"long\"")) + ", " +
         field("nan_value_counts", 137, map(138, 139, "\"long\"")) + ", " +
         field("lower_bounds", 125, map(126, 127, "\"bytes\"")) + ", " +
         field("upper_bounds", 128, map(129, 130, "\"bytes\"")) + ", " +
         field("key_metadata", 131, optional("\"bytes\"")) + ", " + field("split_offsets", 132, list(133, "\"long\"")) +
         ", " + field("equality_ids", 135, list(136, "\"int\"")) + ", " +
         field("sort_order_id", 140, optional("\"int\"")) + ", " + field("first_row_id", 142, optional("\"long\"")) +
         ", " + field("referenced_data_file", 143, optional("\"string\"")) + ", " +
         field("content_offset", 144, optional("\"long\"")) + ", " +
         field("content_size_in_bytes", 145, optional("\"long\""));
}

inline std::string TestEntrySchema(std::string_view partition_fields) {
  return R"({"type": "record", "name": "manifest_entry", "fields": [
      {"name": "status", "type": "int", "field-id": 0},
      {"name": "snapshot_id", "type": ["null", "long"], "field-id": 1},
      {"name": "sequence_number", "type": ["null", "long"], "field-id": 3},
      {"name": "file_sequence_number", "type": ["null", "long"], "field-id": 4},
      {"name": "data_file", "field-id": 2, "type": {"type": "record", "name": "r2", "fields": [)" +
         TestFileFields(partition_fields) + "]}}]}";
}

inline void AppendTestEntry(const TestEntry& entry, AvroBytes* out) {
  const auto number = [&](const std::optional<int64_t>& value) {
    out->Branch(value ? 1 : 0);
    if (value) out->Long(*value);
  };
  const auto bytes = [&](const std::optional<std::string>& value) {
    out->Branch(value ? 1 : 0);
    if (value) out->Bytes(*value);
  };
  const auto items = [&](const auto& values, const auto& append) {
    out->Branch(values ? 1 : 0);
    if (!values) return;
    if (!values->empty()) out->Long(static_cast<int64_t>(values->size()));
    for (const auto& value : *values) append(value);
    out->Long(0);
  };
  const auto count = [&](const auto& pair) { out->Long(pair.first).Long(pair.second); };
  const auto bound = [&](const auto& pair) { out->Long(pair.first).Bytes(pair.second); };
  const auto plain = [&](int64_t value) { out->Long(value); };
  out->Long(entry.status);
  number(entry.snapshot_id);
  number(entry.sequence_number);
  number(entry.file_sequence_number);
  out->Long(entry.content).Bytes(entry.path).Bytes(entry.format).Add(entry.partition);
  out->Long(entry.record_count).Long(entry.size_bytes);
  for (const auto* counts : {&entry.column_sizes, &entry.value_counts, &entry.null_counts, &entry.nan_counts}) {
    items(*counts, count);
  }
  items(entry.lower_bounds, bound);
  items(entry.upper_bounds, bound);
  bytes(entry.key_metadata);
  items(entry.split_offsets, plain);
  items(entry.equality_ids, plain);
  number(entry.sort_order_id);
  number(entry.first_row_id);
  bytes(entry.referenced_data_file);
  number(entry.content_offset);
  number(entry.content_size_bytes);
}

struct TestManifestOptions {
  std::string_view partition_fields = {};
  std::string_view codec = "null";
  int64_t entries_per_block = 100;
  std::vector<std::pair<std::string, std::string>> metadata = {};
};

inline std::string TestManifest(const std::vector<TestEntry>& entries, const TestManifestOptions& options = {}) {
  std::vector<AvroTestBlock> blocks;
  AvroBytes bytes;
  int64_t count = 0;
  for (const TestEntry& entry : entries) {
    AppendTestEntry(entry, &bytes);
    if (++count < options.entries_per_block) continue;
    blocks.push_back({count, bytes.bytes()});
    bytes = {};
    count = 0;
  }
  if (count > 0) blocks.push_back({count, bytes.bytes()});
  return AvroFile(TestEntrySchema(options.partition_fields), blocks, options.codec, options.metadata);
}

}  // namespace frazil::iceberg
