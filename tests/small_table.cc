// SPDX-License-Identifier: Apache-2.0
#include "tests/small_table.h"

#include <cstdlib>
#include <fstream>
#include <vector>

#include <arrow/api.h>
#include <arrow/io/file.h>
#include <gtest/gtest.h>
#include <parquet/arrow/writer.h>

#include "src/iceberg/manifest_for_test.h"
#include "src/iceberg/single_value.h"

namespace frazil {
namespace {

using iceberg::AvroBytes;
using iceberg::TestEntry;

constexpr const char* kPartitionField =
    R"({"name": "cat", "field-id": 1000, "type": ["null", "string"], "default": null})";

constexpr const char* kMetadata = R"({
  "format-version": 2, "table-uuid": "11111111-2222-3333-4444-555555555555", "location": "/warehouse/small",
  "last-sequence-number": 2, "last-updated-ms": 1704067260000, "last-column-id": 3, "current-schema-id": 1,
  "schemas": [
    {"type": "struct", "schema-id": 0, "fields": [
      {"id": 1, "name": "id", "required": true, "type": "long"},
      {"id": 2, "name": "kind", "required": false, "type": "string"}]},
    {"type": "struct", "schema-id": 1, "identifier-field-ids": [1], "fields": [
      {"id": 1, "name": "id", "required": true, "type": "long", "doc": "of the event"},
      {"id": 2, "name": "cat", "required": false, "type": "string"},
      {"id": 3, "name": "amount", "required": false, "type": "double"}]}],
  "default-spec-id": 1, "last-partition-id": 1000,
  "partition-specs": [
    {"spec-id": 0, "fields": []},
    {"spec-id": 1, "fields": [{"source-id": 2, "field-id": 1000, "name": "cat", "transform": "identity"}]}],
  "default-sort-order-id": 0, "sort-orders": [{"order-id": 0, "fields": []}],
  "properties": {"owner": "nobody", "write.format.default": "parquet"},
  "current-snapshot-id": 22,
  "refs": {
    "main": {"snapshot-id": 22, "type": "branch"},
    "first": {"snapshot-id": 11, "type": "tag", "max-ref-age-ms": 86400000}},
  "snapshots": [
    {"snapshot-id": 11, "sequence-number": 1, "timestamp-ms": 1704067200000, "schema-id": 1,
     "manifest-list": "/warehouse/small/metadata/snap-11.avro",
     "summary": {"operation": "append", "added-data-files": "2", "total-records": "200"}},
    {"snapshot-id": 22, "parent-snapshot-id": 11, "sequence-number": 2, "timestamp-ms": 1704067260000, "schema-id": 1,
     "manifest-list": "/warehouse/small/metadata/snap-22.avro",
     "summary": {"operation": "delete", "added-delete-files": "1", "total-records": "200",
                 "total-position-deletes": "2"}}],
  "snapshot-log": [
    {"timestamp-ms": 1704067200000, "snapshot-id": 11}, {"timestamp-ms": 1704067260000, "snapshot-id": 22}],
  "metadata-log": []
})";

std::string Field(const char* name, int id, const std::string& type) {
  return std::string(R"({"name": ")") + name + R"(", "field-id": )" + std::to_string(id) + R"(, "type": )" + type + "}";
}

std::string ListSchema() {
  const std::string summary = R"({"type": "record", "name": "r508", "fields": [)" +
                              Field("contains_null", 509, "\"boolean\"") + "," +
                              Field("lower_bound", 510, R"(["null", "bytes"])") + "," +
                              Field("upper_bound", 511, R"(["null", "bytes"])") + "]}";
  std::string fields = Field("manifest_path", 500, "\"string\"") + "," + Field("manifest_length", 501, "\"long\"") +
                       "," + Field("partition_spec_id", 502, "\"int\"") + "," + Field("content", 517, "\"int\"") + "," +
                       Field("sequence_number", 515, "\"long\"") + "," + Field("min_sequence_number", 516, "\"long\"") +
                       "," + Field("added_snapshot_id", 503, "\"long\"");
  const std::pair<const char*, int> counts[] = {{"added_files_count", 504},   {"existing_files_count", 505},
                                                {"deleted_files_count", 506}, {"added_rows_count", 512},
                                                {"existing_rows_count", 513}, {"deleted_rows_count", 514}};
  for (const auto& [name, id] : counts) fields += "," + Field(name, id, id < 510 ? "\"int\"" : "\"long\"");
  fields += "," + Field("partitions", 507, R"(["null", {"type": "array", "items": )" + summary + "}]");
  return R"({"type": "record", "name": "manifest_file", "fields": [)" + fields + "]}";
}

struct Listed {
  const char* path;
  int64_t content;
  int64_t sequence_number;
  int64_t snapshot_id;
  int64_t files;
  int64_t rows;
  const char* lower;
  const char* upper;
};

std::string ManifestList(const std::vector<Listed>& manifests) {
  AvroBytes bytes;
  for (const Listed& one : manifests) {
    bytes.Bytes(one.path).Long(4000).Long(1).Long(one.content).Long(one.sequence_number).Long(one.sequence_number);
    bytes.Long(one.snapshot_id).Long(one.files).Long(0).Long(0).Long(one.rows).Long(0).Long(0);
    bytes.Branch(1).Long(1).Boolean(false).Branch(1).Bytes(one.lower).Branch(1).Bytes(one.upper).Long(0);
  }
  return iceberg::AvroFile(ListSchema(), {{static_cast<int64_t>(manifests.size()), bytes.bytes()}});
}

TestEntry DataEntry(int64_t first_id, const char* category) {
  const auto number = [](int64_t value) {
    return iceberg::EncodeSingleValue(iceberg::Primitive(iceberg::TypeId::kLong), expr::Int128{value});
  };
  TestEntry entry;
  entry.path = std::string("/warehouse/small/data/") + category + ".parquet";
  entry.partition = AvroBytes().Branch(1).Bytes(category);
  entry.size_bytes = 5000;
  entry.column_sizes = {{1, 900}, {2, 100}, {3, 800}};
  entry.value_counts = {{1, 100}, {2, 100}, {3, 100}};
  entry.null_counts = {{1, 0}, {2, 0}, {3, 0}};
  entry.nan_counts = {{3, 0}};
  entry.lower_bounds = {{1, number(first_id)}, {2, category}};
  entry.upper_bounds = {{1, number(first_id + 99)}, {2, category}};
  entry.split_offsets = {4, 2000};
  entry.sort_order_id = 0;
  return entry;
}

TestEntry DeleteEntry() {
  TestEntry entry;
  entry.content = 1;
  entry.path = "/warehouse/small/data/deletes.parquet";
  entry.partition = AvroBytes().Branch(1).Bytes("x");
  entry.record_count = 2;
  entry.size_bytes = 700;
  return entry;
}

void WriteParquet(const std::filesystem::path& path, const std::shared_ptr<arrow::Table>& table) {
  parquet::WriterProperties::Builder builder;
  builder.enable_write_page_index()->write_batch_size(10)->data_pagesize(1)->disable_dictionary();
  auto out = arrow::io::FileOutputStream::Open(path.string()).ValueOrDie();
  ASSERT_TRUE(
      parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), out, /*chunk_size=*/50, builder.build()).ok());
  ASSERT_TRUE(out->Close().ok());
}

std::shared_ptr<arrow::Table> Events(int64_t first_id, const std::string& category) {
  arrow::Int64Builder ids;
  arrow::StringBuilder categories;
  arrow::DoubleBuilder amounts;
  for (int64_t id = first_id; id < first_id + 100; ++id) {
    EXPECT_TRUE(ids.Append(id).ok());
    EXPECT_TRUE(categories.Append(category).ok());
    EXPECT_TRUE(amounts.Append(static_cast<double>(id) / 4).ok());
  }
  const auto schema = arrow::schema({arrow::field("id", arrow::int64(), false), arrow::field("cat", arrow::utf8()),
                                     arrow::field("amount", arrow::float64())});
  return arrow::Table::Make(
      schema, {ids.Finish().ValueOrDie(), categories.Finish().ValueOrDie(), amounts.Finish().ValueOrDie()});
}

std::shared_ptr<arrow::Table> Deletes() {
  arrow::StringBuilder paths;
  arrow::Int64Builder positions;
  for (const int64_t position : {3, 77}) {
    EXPECT_TRUE(paths.Append("/warehouse/small/data/x.parquet").ok());
    EXPECT_TRUE(positions.Append(position).ok());
  }
  const auto schema =
      arrow::schema({arrow::field("file_path", arrow::utf8(), false), arrow::field("pos", arrow::int64(), false)});
  return arrow::Table::Make(schema, {paths.Finish().ValueOrDie(), positions.Finish().ValueOrDie()});
}

void WriteBytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

SmallTable::SmallTable() {
  std::string folder = (std::filesystem::temp_directory_path() / "frazil-small-XXXXXX").string();
  EXPECT_NE(mkdtemp(folder.data()), nullptr);
  folder_ = folder;
  std::filesystem::create_directories(folder_ / "metadata");
  std::filesystem::create_directories(folder_ / "data");
  WriteParquet(folder_ / "data/x.parquet", Events(0, "x"));
  WriteParquet(folder_ / "data/y.parquet", Events(100, "y"));
  WriteParquet(folder_ / "data/deletes.parquet", Deletes());
  const auto manifest = [&](const char* name, const std::vector<TestEntry>& entries) {
    WriteBytes(folder_ / "metadata" / name, iceberg::TestManifest(entries, {.partition_fields = kPartitionField}));
  };
  manifest("x.avro", {DataEntry(0, "x")});
  manifest("y.avro", {DataEntry(100, "y")});
  manifest("deletes.avro", {DeleteEntry()});
  const Listed x{"/warehouse/small/metadata/x.avro", 0, 1, 11, 1, 100, "x", "x"};
  const Listed y{"/warehouse/small/metadata/y.avro", 0, 1, 11, 1, 100, "y", "y"};
  const Listed deletes{"/warehouse/small/metadata/deletes.avro", 1, 2, 22, 1, 2, "x", "x"};
  WriteBytes(folder_ / "metadata/snap-11.avro", ManifestList({x, y}));
  WriteBytes(folder_ / "metadata/snap-22.avro", ManifestList({x, y, deletes}));
  WriteBytes(folder_ / "metadata/v1.metadata.json", kMetadata);
}

SmallTable::~SmallTable() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::shared_ptr<Table> SmallTable::Open() const {
  auto table = Table::Open({folder_.string()}, options());
  EXPECT_TRUE(table.ok()) << table.status();
  return table.ok() ? *table : nullptr;
}

std::string SmallTable::Masked(std::string text) const {
  for (size_t at = text.find(folder_.string()); at != std::string::npos; at = text.find(folder_.string())) {
    text.replace(at, folder_.string().size(), "FOLDER");
  }
  return text;
}

}  // namespace frazil
