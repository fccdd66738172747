// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/iceberg_seeds.h"

#include <string>
#include <utility>

#include <arrow/util/compression.h>
#include <arrow/util/crc32.h>

#include "src/iceberg/manifest_for_test.h"

namespace frazil::fuzz {
namespace {

using iceberg::AvroBytes;
using iceberg::AvroFile;
using iceberg::TestEntry;

constexpr std::string_view kTuple = R"({"name": "day", "field-id": 1000, "type": ["null", "int"]},
    {"name": "name", "field-id": 1001, "type": ["null", "string"]})";

std::string Little32(uint32_t value) { return {reinterpret_cast<const char*>(&value), sizeof(value)}; }

void AddAvro(std::vector<Seed>* seeds) {
  const std::string schema = R"({"type": "record", "name": "r", "fields": [
      {"name": "n", "type": "long"}, {"name": "t", "type": ["null", "string"]},
      {"name": "m", "type": {"type": "map", "values": "double"}},
      {"name": "l", "type": {"type": "array", "items": {"type": "record", "name": "s", "fields": [
          {"name": "k", "type": "int"}, {"name": "v", "type": "bytes"}]}}},
      {"name": "f", "type": {"type": "fixed", "name": "u", "size": 3}},
      {"name": "e", "type": {"type": "enum", "name": "c", "symbols": ["a", "b"]}}]})";
  AvroBytes record;
  record.Long(-70'000).Branch(1).Bytes("text");
  record.Long(1).Bytes("key").Double(0.5).Long(0);
  record.Long(-2).Long(6).Long(1).Bytes("x").Long(2).Bytes("y").Long(0).Raw("abc").Long(1);
  for (const char* codec : {"null", "deflate", "snappy", "zstandard"}) {
    seeds->push_back({"avro", codec, AvroFile(schema, {{1, record.bytes()}, {1, record.bytes()}}, codec)});
  }
  seeds->push_back({"avro", "number", AvroFile("\"int\"", {{2, AvroBytes().Long(1).Long(300).bytes()}})});
}

TestEntry DataEntry(const std::string& path) {
  TestEntry entry{.path = path};
  entry.snapshot_id = 5;
  entry.partition.Branch(1).Long(19'000).Branch(1).Bytes("ab");
  entry.column_sizes = {{1, 100}, {2, 200}};
  entry.value_counts = {{1, 100}, {2, 100}};
  entry.null_counts = {{1, 0}, {2, 50}};
  entry.nan_counts = {{2, 0}};
  entry.lower_bounds = {{1, std::string("\x01\0\0\0\0\0\0\0", 8)}, {2, "aa"}};
  entry.upper_bounds = {{1, std::string("\x09\0\0\0\0\0\0\0", 8)}, {2, "zz"}};
  entry.split_offsets = {4, 500};
  entry.sort_order_id = 0;
  return entry;
}

void AddManifests(std::vector<Seed>* seeds) {
  std::vector<TestEntry> data = {DataEntry("a.parquet"), DataEntry("b.parquet"), DataEntry("c.parquet")};
  data[1].status = 2;
  data[2].first_row_id = 70;
  TestEntry equality = DataEntry("e.parquet");
  equality.content = 2;
  equality.sequence_number = 3;
  equality.equality_ids = {1, 2};
  TestEntry vector = DataEntry("v.puffin");
  vector.content = 1;
  vector.format = "puffin";
  vector.referenced_data_file = "a.parquet";
  vector.content_offset = 4;
  vector.content_size_bytes = 40;
  for (const char* codec : {"null", "deflate"}) {
    const iceberg::TestManifestOptions options{
        .partition_fields = kTuple, .codec = codec, .entries_per_block = 2, .metadata = {{"format-version", "2"}}};
    const std::string name(codec);
    seeds->push_back({"manifest", "data_" + name, '\x0a' + TestManifest(data, options)});
    seeds->push_back({"manifest", "rows_" + name, '\x04' + TestManifest(data, options)});
    seeds->push_back({"manifest", "deletes_" + name, '\x01' + TestManifest({equality, vector}, options)});
  }
}

void AddManifestLists(std::vector<Seed>* seeds) {
  const std::string schema = R"({"type": "record", "name": "manifest_file", "fields": [
      {"name": "manifest_path", "field-id": 500, "type": "string"},
      {"name": "manifest_length", "field-id": 501, "type": "long"},
      {"name": "partition_spec_id", "field-id": 502, "type": "int"},
      {"name": "content", "field-id": 517, "type": "int"},
      {"name": "sequence_number", "field-id": 515, "type": "long"},
      {"name": "added_snapshot_id", "field-id": 503, "type": ["null", "long"]},
      {"name": "added_files_count", "field-id": 504, "type": "int"},
      {"name": "existing_rows_count", "field-id": 513, "type": ["null", "long"]},
      {"name": "partitions", "field-id": 507, "type": ["null", {"type": "array", "items":
          {"type": "record", "name": "r508", "fields": [
              {"name": "contains_null", "field-id": 509, "type": "boolean"},
              {"name": "contains_nan", "field-id": 518, "type": ["null", "boolean"]},
              {"name": "lower_bound", "field-id": 510, "type": ["null", "bytes"]},
              {"name": "upper_bound", "field-id": 511, "type": ["null", "bytes"]}]}}]},
      {"name": "first_row_id", "field-id": 520, "type": ["null", "long"]}]})";
  AvroBytes manifest;
  manifest.Bytes("m.avro").Long(6000).Long(0).Long(0).Long(4).Branch(1).Long(9).Long(3).Branch(1).Long(70);
  manifest.Branch(1).Long(1).Boolean(false).Branch(1).Boolean(false).Branch(1).Bytes("aa").Branch(1).Bytes("zz").Long(
      0);
  manifest.Branch(1).Long(1000);
  for (const char* codec : {"null", "deflate"}) {
    seeds->push_back({"manifest_list", codec, AvroFile(schema, {{2, manifest.bytes() + manifest.bytes()}}, codec)});
  }
}

std::string Gzip(const std::string& text) {
  auto codec = std::move(arrow::util::Codec::Create(arrow::Compression::GZIP)).ValueOrDie();
  const auto* input = reinterpret_cast<const uint8_t*>(text.data());
  const auto size = static_cast<int64_t>(text.size());
  std::string out(static_cast<size_t>(codec->MaxCompressedLen(size, input)), '\0');
  auto* output = reinterpret_cast<uint8_t*>(out.data());
  out.resize(static_cast<size_t>(codec->Compress(size, input, static_cast<int64_t>(out.size()), output).ValueOrDie()));
  return out;
}

void AddMetadata(std::vector<Seed>* seeds) {
  const std::string v3 =
      R"json({"format-version": 3, "table-uuid": "u", "location": "s3://b/t", "last-sequence-number": 2,
      "last-updated-ms": 1750000000000, "last-column-id": 9, "next-row-id": 70, "current-schema-id": 1, "schemas": [
        {"type": "struct", "schema-id": 0, "fields": [{"id": 1, "name": "a", "required": true, "type": "int"}]},
        {"type": "struct", "schema-id": 1, "identifier-field-ids": [1], "fields": [
          {"id": 1, "name": "a", "required": true, "type": "long", "initial-default": 3},
          {"id": 2, "name": "d", "required": false, "type": "decimal(9, 2)"},
          {"id": 3, "name": "s", "required": false, "type": {"type": "struct", "fields": [
            {"id": 4, "name": "t", "required": false, "type": "timestamptz"}]}},
          {"id": 5, "name": "l", "required": false, "type": {"type": "list", "element-id": 6,
            "element-required": false, "element": "fixed[4]"}},
          {"id": 7, "name": "m", "required": false, "type": {"type": "map", "key-id": 8, "key": "string",
            "value-id": 9, "value-required": true, "value": "uuid"}}]
}],
      "default-spec-id": 1, "partition-specs": [{"spec-id": 0, "fields": []}, {"spec-id": 1, "fields": [
        {"name": "b", "transform": "bucket[16]", "source-id": 1, "field-id": 1000},
        {"name": "h", "transform": "hour", "source-id": 4, "field-id": 1001},
        {"name": "x", "transform": "spiral[4]", "source-id": 2, "field-id": 1002}]}], "last-partition-id": 1002,
      "default-sort-order-id": 0, "sort-orders": [{"order-id": 0, "fields": []}], "properties": {"p": "q"},
      "current-snapshot-id": 8, "refs": {"main": {"snapshot-id": 8, "type": "branch"},
        "t": {"snapshot-id": 7, "type": "tag"}},
      "snapshots": [
        {"snapshot-id": 7, "sequence-number": 1, "timestamp-ms": 1740000000000, "manifest-list": "s3://b/t/l7.avro"},
        {"snapshot-id": 8, "parent-snapshot-id": 7, "sequence-number": 2, "timestamp-ms": 1750000000000, "schema-id": 1,
         "manifest-list": "s3://b/t/l8.avro", "first-row-id": 0, "summary": {"operation": "append"}}],
      "snapshot-log": [{"snapshot-id": 7, "timestamp-ms": 1740000000000},
        {"snapshot-id": 8, "timestamp-ms": 1750000000000}],
      "statistics": [{"snapshot-id": 8, "statistics-path": "s3://b/s.puffin", "file-size-in-bytes": 90,
        "file-footer-size-in-bytes": 50, "blob-metadata": [{"type": "apache-datasketches-theta-v1", "snapshot-id": 8,
          "sequence-number": 2, "fields": [1]}]}]
})json";
  const std::string v1 = R"({"format-version": 1, "location": "/t", "last-updated-ms": 1, "last-column-id": 1,
      "schema": {"type": "struct", "fields": [{"id": 1, "name": "a", "required": false, "type": "date"}]},
      "partition-spec": [{"name": "y", "transform": "year", "source-id": 1, "field-id": 1000}],
      "current-snapshot-id": 3, "snapshots": [{"snapshot-id": 3, "timestamp-ms": 1, "manifests": ["m.avro"]}]})";
  seeds->push_back({"metadata", "v3", v3});
  seeds->push_back({"metadata", "v3_gzip", Gzip(v3)});
  seeds->push_back({"metadata", "v1", v1});
}

// A bitmap of one container of each kind: a list, runs.
std::string Bitmap() {
  const auto little16 = [](uint16_t value) { return std::string(reinterpret_cast<const char*>(&value), 2); };
  std::string bitmap = Little32(12347 | 1U << 16) + std::string(1, '\x02');
  bitmap += little16(0) + little16(2) + little16(1) + little16(9);
  bitmap += little16(3) + little16(5) + little16(9);
  bitmap += little16(1) + little16(20) + little16(9);
  return std::string("\x01\0\0\0\0\0\0\0", 8) + Little32(0) + bitmap;
}

void AddPuffin(std::vector<Seed>* seeds) {
  const auto big32 = [](uint32_t value) {
    const std::string little = Little32(value);
    return std::string(little.rbegin(), little.rend());
  };
  const std::string bitmap = Bitmap();
  const std::string body = std::string("\xd1\xd3\x39\x64", 4) + bitmap;
  const std::string vector =
      big32(static_cast<uint32_t>(body.size())) + body + big32(arrow::internal::crc32(0, body.data(), body.size()));
  const std::string text = R"({"blobs": [{"type": "deletion-vector-v1", "fields": [], "snapshot-id": 1,
      "sequence-number": 1, "offset": 4, "length": )" +
                           std::to_string(vector.size()) + R"(, "properties": {"cardinality": "12"}}]})";
  for (const bool compressed : {false, true}) {
    const std::string stored = compressed ? iceberg::CompressForTest("lz4", text) : text;
    std::string file = "PFA1" + vector + "PFA1" + stored + Little32(static_cast<uint32_t>(stored.size())) +
                       Little32(compressed ? 1 : 0) + "PFA1";
    seeds->push_back({"puffin", compressed ? "file_lz4" : "file", std::string(1, '\0') + file});
  }
  seeds->push_back({"puffin", "vector", '\x01' + vector});
  seeds->push_back({"puffin", "bitmap", '\x02' + bitmap});
}

}  // namespace

void AddIcebergSeeds(std::vector<Seed>* seeds) {
  AddAvro(seeds);
  AddManifests(seeds);
  AddManifestLists(seeds);
  AddMetadata(seeds);
  AddPuffin(seeds);
}

}  // namespace frazil::fuzz
