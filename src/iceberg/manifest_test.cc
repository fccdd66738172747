// SPDX-License-Identifier: Apache-2.0

#include "src/iceberg/manifest.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "frazil/error.h"
#include "src/iceberg/manifest_for_test.h"

namespace frazil::iceberg {
namespace {

constexpr std::string_view kOptionalInt = R"({"name": "p", "field-id": 1000, "type": ["null", "int"]})";

// All kept entries, handed to `visit` while they are valid.
template <typename Visit>
arrow::Status ForEach(std::string_view bytes, const ManifestFile& file, const ManifestReadOptions& options,
                      const Visit& visit) {
  ARROW_ASSIGN_OR_RAISE(ManifestReader reader, ManifestReader::Open(bytes, file, options));
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const ManifestEntry* entry, reader.Next());
    if (entry == nullptr) return arrow::Status::OK();
    visit(*entry);
  }
}

std::vector<std::string> Paths(std::string_view bytes, const ManifestReadOptions& options,
                               const ManifestFile& file = {}) {
  std::vector<std::string> paths;
  const auto status =
      ForEach(bytes, file, options, [&](const ManifestEntry& entry) { paths.emplace_back(entry.path); });
  EXPECT_TRUE(status.ok()) << status.ToString();
  return paths;
}

std::string Message(std::string_view bytes, const ManifestFile& file = {}, ErrorKind kind = ErrorKind::kCorrupt,
                    const ManifestReadOptions& options = {}) {
  const auto status = ForEach(bytes, file, options, [](const ManifestEntry&) {});
  if (status.ok()) return "accepted";
  EXPECT_EQ(KindOf(status), kind);
  std::string text = status.message();
  if (const size_t at = text.find("manifest entry "); at != std::string::npos) text.erase(0, at);  // the byte range
  return text;
}

TEST(Manifest, ReadsEveryField) {
  TestEntry written{.status = 0,
                    .snapshot_id = 11,
                    .sequence_number = 12,
                    .file_sequence_number = 13,
                    .content = 1,
                    .path = "d.puffin",
                    .format = "puffin",
                    .partition = AvroBytes().Branch(1).Long(-7),
                    .record_count = 14,
                    .size_bytes = 15,
                    .column_sizes = TestCounts{{1, 100}, {2, 200}},
                    .value_counts = TestCounts{{2, 14}, {1, 13}},
                    .null_counts = TestCounts{{1, 1}},
                    .nan_counts = TestCounts{},
                    .lower_bounds = TestBounds{{1, "a"}, {2, ""}},
                    .upper_bounds = TestBounds{{1, "b"}, {3, "c"}},
                    .key_metadata = "key",
                    .split_offsets = std::vector<int64_t>{4, 9},
                    .equality_ids = std::vector<int64_t>{3, 1},
                    .sort_order_id = 2,
                    .first_row_id = 77,
                    .referenced_data_file = "a.parquet",
                    .content_offset = 4,
                    .content_size_bytes = 300};
  const std::string bytes = TestManifest({written}, {.partition_fields = kOptionalInt});
  const ManifestFile file{.content = ManifestContent::kDeletes, .sequence_number = 50, .added_snapshot_id = 51};
  int count = 0;
  const ManifestReadOptions options{.metric_field_ids = {2, 1, 9, 2}, .column_sizes = true};
  const auto status = ForEach(bytes, file, options, [&](const ManifestEntry& entry) {
    ++count;
    EXPECT_EQ(entry.ordinal, 0);
    EXPECT_EQ(entry.status, EntryStatus::kExisting);
    EXPECT_EQ(entry.snapshot_id, 11);
    EXPECT_EQ(entry.sequence_number, 12);
    EXPECT_EQ(entry.file_sequence_number, 13);
    EXPECT_EQ(entry.content, FileContent::kPositionDeletes);
    EXPECT_EQ(entry.path, "d.puffin");
    EXPECT_EQ(entry.format, FileFormat::kPuffin);
    EXPECT_EQ(entry.format_name, "puffin");
    ASSERT_EQ(entry.partition.size(), 1U);
    EXPECT_EQ(entry.partition[0].kind, AvroKind::kInt);
    EXPECT_EQ(entry.partition[0].integer, -7);
    EXPECT_EQ(entry.record_count, 14);
    EXPECT_EQ(entry.size_bytes, 15);
    ASSERT_EQ(entry.metrics.size(), 4U);
    EXPECT_EQ(entry.metrics[0].column_size_bytes, 200);
    EXPECT_EQ(entry.metrics[0].value_count, 14);
    EXPECT_EQ(entry.metrics[0].null_count, std::nullopt);
    EXPECT_EQ(entry.metrics[0].lower_bound, "");  // an empty bound is a bound
    EXPECT_EQ(entry.metrics[0].upper_bound, std::nullopt);
    EXPECT_EQ(entry.metrics[1].column_size_bytes, 100);
    EXPECT_EQ(entry.metrics[1].value_count, 13);
    EXPECT_EQ(entry.metrics[1].null_count, 1);
    EXPECT_EQ(entry.metrics[1].nan_count, std::nullopt);
    EXPECT_EQ(entry.metrics[1].lower_bound, "a");
    EXPECT_EQ(entry.metrics[1].upper_bound, "b");
    EXPECT_EQ(entry.metrics[2].value_count, std::nullopt);
    EXPECT_EQ(entry.metrics[3].value_count, 14);  // asked for twice
    EXPECT_EQ(entry.key_metadata, "key");
    EXPECT_EQ(entry.split_offsets, (std::vector<int64_t>{4, 9}));
    EXPECT_EQ(entry.equality_ids, (std::vector<int32_t>{3, 1}));
    EXPECT_EQ(entry.sort_order_id, 2);
    EXPECT_EQ(entry.first_row_id, std::nullopt);  // of a manifest that has assigned none
    EXPECT_EQ(entry.referenced_data_file, "a.parquet");
    EXPECT_EQ(entry.content_offset, 4);
    EXPECT_EQ(entry.content_size_bytes, 300);
  });
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(count, 1);
}

TEST(Manifest, DecodesOnlyTheMetricsThatAreAskedFor) {
  const TestEntry entry{.value_counts = TestCounts{{1, 1}}, .lower_bounds = TestBounds{{1, "a"}}};
  const std::string bytes = TestManifest({entry});
  const auto metrics = [&](const ManifestReadOptions& options) {
    std::vector<ColumnMetrics> all;
    EXPECT_TRUE(ForEach(bytes, {}, options, [&](const ManifestEntry& read) { all = read.metrics; }).ok());
    return all;
  };
  EXPECT_TRUE(metrics({}).empty());
  const auto no_bounds = metrics({.metric_field_ids = {1}, .bounds = false});
  EXPECT_EQ(no_bounds[0].value_count, 1);
  EXPECT_EQ(no_bounds[0].lower_bound, std::nullopt);
  const auto no_counts = metrics({.metric_field_ids = {1}, .counts = false});
  EXPECT_EQ(no_counts[0].value_count, std::nullopt);
  EXPECT_EQ(no_counts[0].lower_bound, "a");
  // Ids of metadata columns are large; ids that are no column's are harmless.
  EXPECT_EQ(metrics({.metric_field_ids = {2147483546, -5, 1}})[2].value_count, 1);
}

TEST(Manifest, AsksBeforeItDecodesMetrics) {
  std::vector<TestEntry> entries;
  for (int64_t i = 0; i < 10; ++i) {
    entries.push_back({.path = "f" + std::to_string(i),
                       .partition = i == 3 ? AvroBytes().Branch(0) : AvroBytes().Branch(1).Long(i % 3),
                       .lower_bounds = TestBounds{{1, std::to_string(i)}}});
  }
  const std::string bytes = TestManifest(entries, {.partition_fields = kOptionalInt, .entries_per_block = 4});
  int asked = 0;
  ManifestReadOptions options{.metric_field_ids = {1}};
  options.keep = [&](const ManifestEntry& entry) {
    ++asked;
    EXPECT_TRUE(entry.metrics.empty());
    return entry.partition[0].kind == AvroKind::kNull || entry.partition[0].integer == 1;
  };
  std::vector<std::string> bounds;
  ASSERT_TRUE(ForEach(bytes, {}, options, [&](const ManifestEntry& entry) {
                bounds.emplace_back(*entry.metrics[0].lower_bound);
                EXPECT_EQ(entry.path, "f" + bounds.back());
                EXPECT_EQ(std::to_string(entry.ordinal), bounds.back());
              }).ok());
  EXPECT_EQ(asked, 10);
  EXPECT_EQ(bounds, (std::vector<std::string>{"1", "3", "4", "7"}));
}

TEST(Manifest, LeavesOutDeletedEntries) {
  const std::string bytes = TestManifest({{.status = 2, .path = "a"}, {.status = 0, .path = "b"}, {.path = "c"}});
  EXPECT_EQ(Paths(bytes, {}), (std::vector<std::string>{"b", "c"}));
  EXPECT_EQ(Paths(bytes, {.deleted_entries = true}), (std::vector<std::string>{"a", "b", "c"}));
}

TEST(Manifest, ReadsEveryCodecAndBlockSize) {
  std::vector<TestEntry> entries;
  std::vector<std::string> paths;
  for (int i = 0; i < 50; ++i) {
    paths.push_back("f" + std::to_string(i));
    entries.push_back({.path = paths.back()});
  }
  for (const std::string_view codec : {"null", "deflate", "snappy", "zstandard"}) {
    for (const int64_t per_block : {1, 7, 50}) {
      EXPECT_EQ(Paths(TestManifest(entries, {.codec = codec, .entries_per_block = per_block}), {}), paths) << codec;
    }
  }
}

TEST(Manifest, ReadsPartitionValuesOfEveryKind) {
  const std::string fields = R"({"name": "a", "field-id": 1000, "type": ["null", "boolean"]},
      {"name": "b", "field-id": 1001, "type": ["null", {"type": "int", "logicalType": "date"}]},
      {"name": "c", "field-id": 1002, "type": "long"}, {"name": "d", "type": ["float", "null"]},
      {"name": "e", "type": ["null", "double"]}, {"name": "f", "type": ["null", "string"]},
      {"name": "g", "type": ["null", "bytes"]},
      {"name": "h", "type": ["null", {"type": "fixed", "name": "u", "size": 2, "logicalType": "decimal"}]},
      {"name": "i", "type": "null"})";
  TestEntry entry;
  entry.partition.Branch(1).Boolean(true).Branch(1).Long(-3).Long(int64_t{1} << 40).Branch(0).Float(-0.0F);
  entry.partition.Branch(1).Double(1.5).Branch(1).Bytes("").Branch(0).Branch(1).Raw("\xff\xfe");
  const std::string bytes = TestManifest({entry}, {.partition_fields = fields});
  auto reader = ManifestReader::Open(bytes, {});
  ASSERT_TRUE(reader.ok()) << reader.status().ToString();
  const auto& types = reader->partition_fields();
  ASSERT_EQ(types.size(), 9U);
  EXPECT_EQ(types[1].field_id, 1001);
  EXPECT_EQ(types[1].name, "b");
  EXPECT_EQ(types[1].logical_type, "date");
  EXPECT_EQ(types[3].field_id, std::nullopt);
  const auto next = reader->Next();
  ASSERT_TRUE(next.ok()) << next.status().ToString();
  const auto& values = (*next)->partition;
  ASSERT_EQ(values.size(), 9U);
  EXPECT_EQ(values[0].integer, 1);
  EXPECT_EQ(values[1].integer, -3);
  EXPECT_EQ(values[2].integer, int64_t{1} << 40);
  EXPECT_TRUE(values[3].number == 0 && std::signbit(values[3].number));
  EXPECT_EQ(values[4].number, 1.5);
  EXPECT_EQ(values[5].kind, AvroKind::kString);
  EXPECT_EQ(values[5].bytes, "");
  EXPECT_EQ(values[6].kind, AvroKind::kNull);
  EXPECT_EQ(values[7].bytes, "\xff\xfe");
  EXPECT_EQ(values[8].kind, AvroKind::kNull);
}

TEST(Manifest, InheritsSequenceNumbersAndSnapshotIds) {
  const std::string bytes =
      TestManifest({{.status = 1, .path = "added"},
                    {.status = 0, .path = "existing"},
                    {.status = 0, .snapshot_id = 1, .sequence_number = 2, .file_sequence_number = 3},
                    {.status = 2, .path = "deleted"},
                    {.status = 1, .sequence_number = 4, .path = "added with its own"}});
  using Numbers = std::vector<std::optional<int64_t>>;
  const auto numbers = [&](const ManifestFile& file) {
    std::vector<Numbers> all;
    EXPECT_TRUE(ForEach(bytes, file, {.deleted_entries = true}, [&](const ManifestEntry& entry) {
                  all.push_back({entry.snapshot_id, entry.sequence_number, entry.file_sequence_number});
                }).ok());
    return all;
  };
  EXPECT_EQ(numbers({.sequence_number = 9, .added_snapshot_id = 8}),
            (std::vector<Numbers>{{8, 9, 9}, {8, {}, {}}, {1, 2, 3}, {8, {}, {}}, {8, 4, 9}}));
  // A list of version 1: all of them are 0.
  EXPECT_EQ(numbers({.added_snapshot_id = 8}),
            (std::vector<Numbers>{{8, 0, 0}, {8, 0, 0}, {1, 2, 3}, {8, 0, 0}, {8, 4, 0}}));
}

TEST(Manifest, AssignsFirstRowIds) {
  const std::string bytes = TestManifest({{.status = 0, .path = "a", .record_count = 10},
                                          {.status = 2, .path = "b", .record_count = 20},
                                          {.status = 1, .path = "c", .record_count = 30, .first_row_id = 7},
                                          {.status = 1, .path = "d", .record_count = 40},
                                          {.status = 1, .path = "e", .record_count = 0},
                                          {.status = 1, .path = "f", .record_count = 50}});
  using Ids = std::vector<std::optional<int64_t>>;
  const auto ids = [&](const ManifestFile& file, const ManifestReadOptions& options) {
    Ids all;
    EXPECT_TRUE(
        ForEach(bytes, file, options, [&](const ManifestEntry& entry) { all.push_back(entry.first_row_id); }).ok());
    return all;
  };
  EXPECT_EQ(ids({.first_row_id = 1000}, {}), (Ids{1000, 7, 1010, 1050, 1050}));
  EXPECT_EQ(ids({.first_row_id = 1000}, {.deleted_entries = true}), (Ids{1000, {}, 7, 1010, 1050, 1050}));
  // The list has none: what is written does not count.
  EXPECT_EQ(ids({}, {}), (Ids{{}, {}, {}, {}, {}}));
  // Entries that are not kept count all the same.
  ManifestReadOptions last_only;
  last_only.keep = [](const ManifestEntry& entry) { return entry.path == "f"; };
  EXPECT_EQ(ids({.first_row_id = 1000}, last_only), (Ids{1050}));
}

TEST(Manifest, RefusesRowIdsThatCanNotBe) {
  const auto message = [](const TestEntry& entry, int64_t first_row_id) {
    return Message(TestManifest({entry}), {.first_row_id = first_row_id});
  };
  EXPECT_EQ(message({.record_count = -1}, 0), "manifest entry 0: its rows have no ids: its record_count is not known");
  EXPECT_EQ(message({.record_count = 10}, std::numeric_limits<int64_t>::max() - 5),
            "manifest entry 0: its record_count is beyond all row ids");
  EXPECT_EQ(message({.first_row_id = -3}, 0), "manifest entry 0: its first_row_id is negative");
}

TEST(Manifest, TakesNegativeRecordCountsAsNotKnown) {
  EXPECT_TRUE(ForEach(TestManifest({{.record_count = -7}}), {}, {}, [](const ManifestEntry& entry) {
                EXPECT_EQ(entry.record_count, -1);
              }).ok());
}

TEST(Manifest, DropsMetricsThatContradictThemselves) {
  const std::string bytes = TestManifest({{.value_counts = TestCounts{{1, -5}, {2, 5}, {3, 1}, {3, 2}, {4, 8}, {4, 8}},
                                           .lower_bounds = TestBounds{{1, "a"}, {2, "b"}, {1, "c"}, {1, "c"}},
                                           .upper_bounds = TestBounds{{1, "x"}, {2, "y"}, {2, "y"}}}});
  auto reader = ManifestReader::Open(bytes, {}, {.metric_field_ids = {1, 2, 3, 4}});
  ASSERT_TRUE(reader.ok());
  const auto next = reader->Next();
  ASSERT_TRUE(next.ok() && *next != nullptr);
  const auto& metrics = (*next)->metrics;
  EXPECT_EQ(metrics[0].value_count, std::nullopt);
  EXPECT_EQ(metrics[1].value_count, 5);
  EXPECT_EQ(metrics[2].value_count, std::nullopt);
  EXPECT_EQ(metrics[3].value_count, 8);
  EXPECT_EQ(metrics[0].lower_bound, std::nullopt);
  EXPECT_EQ(metrics[1].lower_bound, "b");
  EXPECT_EQ(metrics[0].upper_bound, "x");
  EXPECT_EQ(metrics[1].upper_bound, "y");
  EXPECT_EQ(reader->dropped_metric_count(), 3);
}

TEST(Manifest, DropsSplitOffsetsThatCanNotBe) {
  const auto offsets = [](std::vector<int64_t> written) {
    std::vector<int64_t> read;
    EXPECT_TRUE(ForEach(TestManifest({{.size_bytes = 100, .split_offsets = std::move(written)}}), {}, {},
                        [&](const ManifestEntry& entry) { read = entry.split_offsets; })
                    .ok());
    return read;
  };
  EXPECT_EQ(offsets({4, 50, 99}), (std::vector<int64_t>{4, 50, 99}));
  EXPECT_TRUE(offsets({4, 50, 100}).empty());
  EXPECT_TRUE(offsets({50, 4}).empty());
  EXPECT_TRUE(offsets({-1, 4}).empty());
}

// The order of one writer in the wild: metrics first, the partition last, all of it optional.
TEST(Manifest, ReadsFieldsInAnyOrder) {
  const std::string schema = R"({"type": "record", "name": "manifest_entry", "fields": [
      {"name": "data_file", "field-id": 2, "type": ["null", {"type": "record", "name": "data_file", "fields": [
        {"name": "lower_bounds", "field-id": 125, "type": ["null", {"type": "array", "items": ["null",
          {"type": "record", "name": "e", "fields": [{"name": "key", "type": ["null", "int"]},
            {"name": "value", "type": ["null", "bytes"]}]}]}]},
        {"name": "record_count", "field-id": 103, "type": ["null", "long"]},
        {"name": "file_format", "field-id": 101, "type": ["null", "string"]},
        {"name": "file_size_in_bytes", "field-id": 104, "type": ["null", "long"]},
        {"name": "file_path", "field-id": 100, "type": ["null", "string"]},
        {"name": "partition", "field-id": 102, "type": ["null", {"type": "record", "name": "p", "fields": []}]}]}]},
      {"name": "status", "field-id": 0, "type": ["null", "int"]}]})";
  AvroBytes bytes;
  for (const std::string_view path : {"a", "b"}) {
    bytes.Branch(1).Branch(1).Long(4);
    bytes.Branch(1).Branch(1).Long(1).Branch(1).Bytes(path);  // of field 1
    bytes.Branch(0);                                          // no pair
    bytes.Branch(1).Branch(0).Branch(1).Bytes("?");           // a pair without a key
    bytes.Branch(1).Branch(1).Long(2).Branch(0).Long(0);      // of field 2, no bound
    bytes.Branch(1).Long(10).Branch(1).Bytes("PARQUET").Branch(1).Long(100).Branch(1).Bytes(path).Branch(0);
    bytes.Branch(1).Long(1);
  }
  const std::string file = AvroFile(schema, {{2, bytes.bytes()}});
  ManifestReadOptions options{.metric_field_ids = {1, 2}};
  options.keep = [](const ManifestEntry& entry) { return entry.path == "b"; };
  int count = 0;
  const auto status = ForEach(file, {.sequence_number = 3}, options, [&](const ManifestEntry& entry) {
    ++count;
    EXPECT_EQ(entry.path, "b");
    EXPECT_EQ(entry.metrics[0].lower_bound, "b");
    EXPECT_EQ(entry.metrics[1].lower_bound, std::nullopt);
    EXPECT_EQ(entry.sequence_number, 3);
    EXPECT_TRUE(entry.partition.empty());
  });
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(count, 1);
}

TEST(Manifest, SkipsMetricsOfAnotherShape) {
  const std::string schema =
      R"({"type": "record", "name": "manifest_entry", "fields": [{"name": "status", "type": "int"},
      {"name": "data_file", "type": {"type": "record", "name": "r", "fields": [{"name": "file_path", "type": "string"},
      {"name": "file_format", "type": "string"}, {"name": "record_count", "type": "long"},
      {"name": "file_size_in_bytes", "type": "long"},
      {"name": "lower_bounds", "type": {"type": "map", "values": "bytes"}},
      {"name": "value_counts", "type": {"type": "array", "items": {"type": "record", "name": "p", "fields": [
        {"name": "key", "type": "int"}, {"name": "value", "type": "double"}]}}}]}}]})";
  AvroBytes bytes;
  bytes.Long(1)
      .Bytes("a")
      .Bytes("ORC")
      .Long(1)
      .Long(1)
      .Long(1)
      .Bytes("1")
      .Bytes("x")
      .Long(0)
      .Long(1)
      .Long(1)
      .Double(2)
      .Long(0);
  const auto status =
      ForEach(AvroFile(schema, {{1, bytes.bytes()}}), {}, {.metric_field_ids = {1}}, [](const ManifestEntry& entry) {
        EXPECT_EQ(entry.metrics[0].lower_bound, std::nullopt);
        EXPECT_EQ(entry.metrics[0].value_count, std::nullopt);
        EXPECT_EQ(entry.format, FileFormat::kOrc);
      });
  ASSERT_TRUE(status.ok()) << status.ToString();
}

TEST(Manifest, GivesItsHeader) {
  const std::string bytes = TestManifest({}, {.metadata = {{"schema", "{}"},
                                                           {"schema-id", "4"},
                                                           {"partition-spec", "[]"},
                                                           {"partition-spec-id", "7"},
                                                           {"format-version", "2"},
                                                           {"content", "deletes"}}});
  const auto reader = ManifestReader::Open(bytes, {});
  ASSERT_TRUE(reader.ok());
  const ManifestHeader& header = reader->header();
  EXPECT_EQ(header.schema_json, "{}");
  EXPECT_EQ(header.schema_id, 4);
  EXPECT_EQ(header.partition_spec_json, "[]");
  EXPECT_EQ(header.partition_spec_id, 7);
  EXPECT_EQ(header.format_version, 2);
  EXPECT_EQ(header.content, ManifestContent::kDeletes);
  const std::string empty = TestManifest({}, {.metadata = {{"schema-id", "4x"}}});
  const auto bare = ManifestReader::Open(empty, {});
  ASSERT_TRUE(bare.ok());
  EXPECT_EQ(bare->header().schema_id, std::nullopt);
  EXPECT_EQ(bare->header().content, std::nullopt);
}

TEST(Manifest, SaysWhichEntryIsWrong) {
  const auto message = [](const TestEntry& entry, ErrorKind kind = ErrorKind::kCorrupt, const ManifestFile& file = {}) {
    return Message(TestManifest({{.content = entry.content}, entry}), file, kind);
  };
  const ManifestFile deletes{.content = ManifestContent::kDeletes};
  EXPECT_EQ(message({.status = 3}, ErrorKind::kUnsupported), "manifest entry 1: its status is 3; 0, 1 and 2 are read");
  EXPECT_EQ(Message(TestManifest({{.content = 3}}), {}, ErrorKind::kUnsupported),
            "manifest entry 0: its content is 3; 0, 1 and 2 are read");
  EXPECT_EQ(Message(TestManifest({{.content = 2}})), "manifest entry 0: a delete file stands in a data manifest");
  EXPECT_EQ(Message(TestManifest({{.content = 0}}), deletes),
            "manifest entry 0: a data file stands in a delete manifest");
  EXPECT_EQ(message({.path = ""}), "manifest entry 1: it has no file_path");
  EXPECT_EQ(message({.format = ""}), "manifest entry 1: it has no file_format");
  EXPECT_EQ(message({.size_bytes = -1}), "manifest entry 1: it has no sound file_size_in_bytes");
  EXPECT_EQ(message({.content_offset = -1}), "manifest entry 1: its content_offset is negative");
  EXPECT_EQ(message({.content_size_bytes = -1}), "manifest entry 1: its content_size_in_bytes is negative");
  EXPECT_EQ(message({.equality_ids = std::vector<int64_t>{int64_t{1} << 40}}),
            "manifest entry 1: the bytes are malformed, or end inside it");
}

TEST(Manifest, NoticesEntriesThatAreMissing) {
  // Cut between two blocks, the file is a sound Avro file.
  const std::string bytes = TestManifest({{.path = "a"}, {.path = "b"}}, {.entries_per_block = 1});
  const ManifestFile listed{.added_file_count = 1, .existing_file_count = 1, .deleted_file_count = 0};
  EXPECT_EQ(Paths(bytes, {}, listed), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(Message(TestManifest({{.path = "a"}}), listed), "the manifest holds 1 entries, its list tells of 2");
  // More than the list says are read: lists with counts that are too small exist.
  EXPECT_EQ(Paths(bytes, {}, {.added_file_count = 1}), (std::vector<std::string>{"a", "b"}));
}

TEST(Manifest, RefusesWhatIsNoManifest) {
  const auto message = [](const std::string& bytes, ErrorKind kind = ErrorKind::kCorrupt) {
    const auto reader = ManifestReader::Open(bytes, {});
    if (reader.ok()) return std::string("accepted");
    EXPECT_EQ(KindOf(reader.status()), kind);
    return reader.status().message();
  };
  EXPECT_EQ(message(""), "the file is empty, not an Avro file");
  EXPECT_EQ(message(TestManifest({}, {.metadata = {{"format-version", "4"}}}), ErrorKind::kUnsupported),
            "the manifest is of format version 4; versions 1 to 3 are read");
  EXPECT_EQ(message(AvroFile(R"({"type": "record", "name": "r", "fields": [{"name": "status", "type": "int"}]})", {})),
            "the Avro schema has no field 'data_file' (id 2)");
  EXPECT_EQ(
      message(TestManifest({}, {.partition_fields = R"({"name": "p", "type": {"type": "array", "items": "int"}})"})),
      "the partition field 'p' has an Avro type that it can not have");
  EXPECT_EQ(message(AvroFile(R"({"type": "record", "name": "r", "fields": [{"name": "status", "type": "int"},
      {"name": "s", "field-id": 0, "type": "int"},
      {"name": "data_file", "type": {"type": "record", "name": "d", "fields": [)" +
                                 TestFileFields("") + "]}}]}",
                             {})),
            "the Avro schema has a field of manifest entries twice");
}

TEST(Manifest, RefusesEncryptedManifests) {
  const auto open = [](const std::string& bytes, const ManifestFile& file) {
    return ManifestReader::Open(bytes, file).status();
  };
  EXPECT_EQ(KindOf(open("AGS1" + std::string(100, '\x7f'), {})), ErrorKind::kUnsupported);
  const std::string manifest = TestManifest({{.path = "a"}});
  const auto status = open(manifest, {.key_metadata = "key"});
  EXPECT_EQ(KindOf(status), ErrorKind::kUnsupported);
  EXPECT_EQ(status.message(),
            "the manifest is encrypted: its list has key metadata for it; encrypted metadata is not read");
  EXPECT_TRUE(open(manifest, {.key_metadata = ""}).ok());
}

// Every cut, and every byte changed: an answer or an error, nothing else. The bytes of a whole manifest are damaged,
// its schema too.
TEST(Manifest, SurvivesDamage) {
  std::vector<TestEntry> entries(3, {.partition = AvroBytes().Branch(1).Long(1),
                                     .value_counts = TestCounts{{1, 1}, {2, 2}},
                                     .lower_bounds = TestBounds{{1, "a"}, {2, "b"}},
                                     .split_offsets = std::vector<int64_t>{4}});
  for (const std::string_view codec : {"null", "deflate", "snappy", "zstandard"}) {
    const std::string sound =
        TestManifest(entries, {.partition_fields = kOptionalInt, .codec = codec, .entries_per_block = 2});
    const auto count = [&](std::string_view bytes) {
      int64_t seen = 0;
      const auto status =
          ForEach(bytes, {.first_row_id = 0}, {.metric_field_ids = {1}}, [&](const ManifestEntry&) { ++seen; });
      return status.ok() ? seen : -1;
    };
    ASSERT_EQ(count(sound), 3);
    for (size_t size = 0; size < sound.size(); ++size) {
      const int64_t seen = count(std::string_view(sound).substr(0, size));
      EXPECT_TRUE(seen == -1 || seen == 0 || seen == 2) << codec << " cut to " << size << " gives " << seen;
    }
    const size_t header = AvroHeader(TestEntrySchema(kOptionalInt), codec).size();
    for (size_t at = codec == "null" ? 0 : header; at < sound.size(); ++at) {
      for (const unsigned char flip : {0x01, 0x80, 0xff}) {
        if (at < header && flip != 0x01) continue;
        std::string damaged = sound;
        damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ flip);
        EXPECT_LE(count(damaged), 4) << codec << " byte " << at;
      }
    }
  }
}

}  // namespace
}  // namespace frazil::iceberg
