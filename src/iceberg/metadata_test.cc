// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/metadata.h"

#include <algorithm>
#include <random>

#include <arrow/util/compression.h>
#include <gtest/gtest.h>

#include "frazil/error.h"
#include "src/iceberg/time_travel.h"

namespace frazil::iceberg {
namespace {

constexpr const char* kVersion1 = R"({
  "format-version": 1, "location": "s3://b/t", "last-updated-ms": 5, "last-column-id": 1,
  "schema": {"type": "struct", "fields": [{"id": 1, "name": "x", "required": true, "type": "long"}]},
  "partition-spec": [{"name": "x_bucket", "transform": "bucket[4]", "source-id": 1}],
  "properties": {}, "current-snapshot-id": -1,
  "snapshots": [{"snapshot-id": 7, "timestamp-ms": 4, "manifests": ["a.avro", "b.avro"]}]})";

constexpr const char* kVersion3 = R"({
  "format-version": 3, "table-uuid": "u", "location": "s3://b/t", "last-sequence-number": 9, "last-updated-ms": 5,
  "last-column-id": 2, "next-row-id": 40, "current-schema-id": 1, "default-spec-id": 1, "last-partition-id": 1001,
  "schemas": [
    {"type": "struct", "schema-id": 0, "fields": [{"id": 1, "name": "x", "required": true, "type": "int"}]},
    {"type": "struct", "schema-id": 1, "fields": [{"id": 1, "name": "x", "required": true, "type": "long"},
                                                  {"id": 2, "name": "ts", "required": false, "type": "timestamp_ns"}]}],
  "partition-specs": [{"spec-id": 0, "fields": []},
    {"spec-id": 1, "fields": [{"source-id": 2, "field-id": 1000, "name": "d", "transform": "day"},
                              {"source-ids": [1, 2], "field-id": 1001, "name": "z", "transform": "zorder"}]}],
  "sort-orders": [{"order-id": 0, "fields": []}, {"order-id": 3, "fields": [
     {"source-id": 1, "transform": "identity", "direction": "desc", "null-order": "nulls-last"}]}],
  "default-sort-order-id": 3, "properties": {"a": "b", "n": 5}, "current-snapshot-id": 12,
  "encryption-keys": [{"key-id": "k", "encrypted-key-metadata": "AA=="}],
  "snapshots": [
    {"snapshot-id": 10, "sequence-number": 7, "timestamp-ms": 1000, "manifest-list": "10.avro", "schema-id": 0},
    {"snapshot-id": 11, "parent-snapshot-id": 10, "sequence-number": 8, "timestamp-ms": 2000, "schema-id": 1,
     "manifest-list": "11.avro", "summary": {"operation": "append", "added": 4}, "first-row-id": 3, "added-rows": 2},
    {"snapshot-id": 12, "parent-snapshot-id": 10, "sequence-number": 9, "timestamp-ms": 1500, "schema-id": 0,
     "manifest-list": "12.avro"}],
  "snapshot-log": [{"timestamp-ms": 1000, "snapshot-id": 10}, {"timestamp-ms": 1800, "snapshot-id": 99},
                   {"timestamp-ms": 2500, "snapshot-id": 12}],
  "metadata-log": [{"timestamp-ms": 900, "metadata-file": "v1.metadata.json"}],
  "refs": {"main": {"snapshot-id": 12, "type": "branch"}, "side": {"snapshot-id": 10, "type": "branch"},
           "old": {"snapshot-id": 10, "type": "tag"}, "lost": {"snapshot-id": 77, "type": "tag"}},
  "statistics": [{"snapshot-id": 12, "statistics-path": "s.puffin", "file-size-in-bytes": 100,
     "file-footer-size-in-bytes": 20, "blob-metadata": [{"type": "apache-datasketches-theta-v1", "snapshot-id": 12,
     "sequence-number": 9, "fields": [1], "properties": {"ndv": "5"}}]}],
  "partition-statistics": [{"snapshot-id": 12, "statistics-path": "p.parquet", "file-size-in-bytes": 7}]})";

std::string Replaced(std::string text, const std::string& what, const std::string& by) {
  const size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

std::string ErrorOf(const std::string& json) {
  const auto metadata = ParseMetadata(json, {});
  return metadata.ok() ? "no error" : metadata.status().message();
}

TEST(Metadata, Version1) {
  const TableMetadata metadata = ParseMetadata(kVersion1, {}).ValueOrDie();
  EXPECT_EQ(metadata.format_version, 1);
  EXPECT_EQ(metadata.location, "s3://b/t");
  EXPECT_EQ(metadata.current_schema().fields()[0].name, "x");
  ASSERT_EQ(metadata.partition_specs.size(), 1u);
  EXPECT_EQ(metadata.partition_specs[0].spec_id, 0);
  EXPECT_EQ(metadata.partition_specs[0].fields[0].field_id, 1000);
  EXPECT_EQ(metadata.partition_specs[0].ToString(metadata.current_schema()), "[bucket[4](x)]");
  EXPECT_EQ(metadata.current_snapshot_id, std::nullopt);
  EXPECT_TRUE(metadata.refs.empty());
  EXPECT_EQ(metadata.snapshots[0].manifests, (std::vector<std::string>{"a.avro", "b.avro"}));
  EXPECT_EQ(metadata.snapshots[0].sequence_number, 0);
  EXPECT_EQ(ResolveSnapshot(metadata, {})->snapshot, nullptr);
}

TEST(Metadata, Version3) {
  const TableMetadata metadata = ParseMetadata(kVersion3, {}).ValueOrDie();
  EXPECT_EQ(metadata.table_uuid, "u");
  EXPECT_EQ(metadata.last_sequence_number, 9);
  EXPECT_EQ(metadata.next_row_id, 40);
  EXPECT_EQ(metadata.current_schema().schema_id(), 1);
  EXPECT_EQ(metadata.FindSpec(1)->fields[1].source_ids, (std::vector<int>{1, 2}));
  EXPECT_EQ(metadata.FindSpec(1)->fields[1].transform.kind, TransformKind::kUnknown);
  EXPECT_EQ(metadata.FindSpec(1)->ToString(metadata.current_schema()), "[day(ts), zorder(x, ts)]");
  EXPECT_TRUE(metadata.FindSpec(0)->is_unpartitioned());
  EXPECT_EQ(metadata.sort_orders[1].fields[0].ascending, false);
  EXPECT_EQ(metadata.sort_orders[1].fields[0].nulls_first, false);
  EXPECT_EQ(metadata.properties.at("n"), "5");
  EXPECT_EQ(metadata.FindSnapshot(11)->summary.at("added"), "4");
  EXPECT_EQ(metadata.FindSnapshot(11)->first_row_id, 3);
  EXPECT_EQ(metadata.metadata_log[0].metadata_file, "v1.metadata.json");
  EXPECT_EQ(metadata.statistics[0].blobs[0].properties.at("ndv"), "5");
  EXPECT_EQ(metadata.partition_statistics[0].path, "p.parquet");
  EXPECT_EQ(metadata.remarks, std::vector<std::string>{"encryption keys are ignored"});
  EXPECT_EQ(metadata.refs.at("old").is_branch, false);
}

TEST(Metadata, VoidAloneIsUnpartitioned) {
  PartitionSpec spec;
  spec.fields.push_back({{1}, 1000, "x", ParseTransform("void")});
  EXPECT_TRUE(spec.is_unpartitioned());
  spec.fields.push_back({{1}, 1001, "y", ParseTransform("zorder")});
  EXPECT_FALSE(spec.is_unpartitioned());
}

TEST(Metadata, UnknownVersionsAreRefused) {
  const auto four = ParseMetadata(Replaced(kVersion3, "\"format-version\": 3", "\"format-version\": 4"), {});
  EXPECT_EQ(KindOf(four.status()), ErrorKind::kUnsupported);
  EXPECT_EQ(four.status().message(), "table format version 4; versions up to 3 can be read");
  // Nothing else is looked at: a later version may have any shape.
  EXPECT_EQ(KindOf(ParseMetadata(R"({"format-version": 99})", {}).status()), ErrorKind::kUnsupported);
  EXPECT_EQ(ErrorOf(R"({"format-version": 0})"), "format-version: 0");
  EXPECT_EQ(ErrorOf(R"({"location": "x"})"), "format-version: missing");
  EXPECT_EQ(ErrorOf(R"([1])"), "an object expected, found array");
}

TEST(Metadata, EveryRequiredMemberIsMissed) {
  for (const char* name : {"table-uuid", "location", "last-sequence-number", "last-updated-ms", "last-column-id",
                           "schemas", "current-schema-id", "partition-specs", "default-spec-id", "last-partition-id",
                           "sort-orders", "default-sort-order-id"}) {
    const std::string quoted = "\"" + std::string(name) + "\"";
    EXPECT_EQ(ErrorOf(Replaced(kVersion3, quoted, "\"gone\"")), std::string(name) + ": missing");
  }
  for (const char* name : {"location", "last-updated-ms", "last-column-id", "schema", "partition-spec"}) {
    const std::string quoted = "\"" + std::string(name) + "\"";
    EXPECT_EQ(ErrorOf(Replaced(kVersion1, quoted, "\"gone\"")), std::string(name) + ": missing");
  }
}

TEST(Metadata, ErrorsNameThePlace) {
  const auto error = [](const char* what, const char* by) { return ErrorOf(Replaced(kVersion3, what, by)); };
  EXPECT_EQ(error("\"timestamp-ms\": 2000", "\"t\": 0"), "snapshots[1].timestamp-ms: missing");
  EXPECT_EQ(error("\"manifest-list\": \"12.avro\"", "\"t\": 0"), "snapshots[2].manifest-list: missing");
  EXPECT_EQ(error("\"snapshot-id\": 11", "\"snapshot-id\": 10"), "snapshots[1].snapshot-id: 10 is there twice");
  EXPECT_EQ(error("\"schema-id\": 1,", "\"schema-id\": 0,"), "schemas[1].schema-id: 0 is there twice");
  EXPECT_EQ(error("\"current-schema-id\": 1", "\"current-schema-id\": 5"), "current-schema-id: there is no schema 5");
  EXPECT_EQ(error("\"default-spec-id\": 1", "\"default-spec-id\": 5"), "default-spec-id: there is no partition spec 5");
  EXPECT_EQ(error("\"transform\": \"day\"", "\"transform\": 5"),
            "partition-specs[1].fields[0].transform: text expected, found number");
  EXPECT_EQ(error("\"direction\": \"desc\"", "\"direction\": \"up\""),
            "sort-orders[1].fields[0]: direction is neither asc nor desc");
  EXPECT_EQ(error("\"type\": \"tag\"", "\"type\": \"twig\""), "refs.old.type: neither branch nor tag: twig");
  EXPECT_EQ(error("{\"main\": {\"snapshot-id\": 12", "{\"main\": {\"snapshot-id\": 11"),
            "refs.main: not the snapshot of current-snapshot-id");
  EXPECT_EQ(error("\"next-row-id\": 40", "\"next-row-id\": 1e40"), "next-row-id: an integer expected, found number");
  EXPECT_EQ(error("\"timestamp_ns\"", "\"timestamp_ps\""),
            "schemas[1].fields[1].type: the type 'timestamp_ps' is not known");
}

TEST(Metadata, SnapshotIdsBeyond63BitsAreTold) {
  std::string json = kVersion3;
  for (size_t at = 0; (at = json.find("\"snapshot-id\": 12", at)) != std::string::npos;) {
    json.replace(at, 17, "\"snapshot-id\": 9876543210123456789");
  }
  json = Replaced(json, "\"current-snapshot-id\": 12", "\"current-snapshot-id\": 9876543210123456789");
  const TableMetadata metadata = ParseMetadata(json, {}).ValueOrDie();
  EXPECT_EQ(ResolveSnapshot(metadata, {})->snapshot->manifest_list, "12.avro");
  EXPECT_EQ(
      ErrorOf(Replaced(kVersion3, "\"current-snapshot-id\": 12", "\"current-snapshot-id\": 98765432101234567890")),
      "current-snapshot-id: an integer expected, found number");
}

TEST(Metadata, HostileText) {
  std::string deep = R"({"format-version": 2, "schemas": )";
  for (int i = 0; i < 100000; ++i) deep += "[";
  EXPECT_EQ(ErrorOf(deep), "JSON nested more than 100 levels deep");
  // Types in each other, as deep as a schema can be written.
  std::string type = "\"int\"";
  for (int i = 0; i < 60; ++i) {
    type = R"({"type": "list", "element-required": false, "element-id": )" + std::to_string(100 + i) +
           R"(, "element": )" + type + "}";
  }
  EXPECT_EQ(ErrorOf(Replaced(kVersion3, "\"timestamp_ns\"", type)), "no error");
  // Cut anywhere, it is never taken for the whole.
  const std::string whole = kVersion3;
  for (size_t size = 0; size < whole.size(); size += 7) {
    EXPECT_NE(ErrorOf(whole.substr(0, size)), "no error") << size;
  }
}

// Bytes and whole tokens changed at random: an answer or an error, and what is answered holds together.
TEST(Metadata, ChangedText) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const std::vector<std::string> tokens = {
      "null", "-1",   "99999999999999999999", "1e400",   "{}",    "[]",
      "\"\"", "true", "\"struct\"",           "\"map\"", "[[1]]", "{\"type\": \"list\"}"};
  int answers = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string text = i % 2 == 0 ? kVersion3 : kVersion1;
    for (unsigned changes = 1 + random() % 3; changes > 0; --changes) {
      if (random() % 3 == 0) {
        text[random() % text.size()] = static_cast<char>(random());
        continue;
      }
      // The value after a colon, up to the next comma or bracket.
      const size_t colon = text.find(':', random() % text.size());
      if (colon == std::string::npos) continue;
      const size_t end = std::min(text.find_first_of(",]}", colon), text.size());
      text.replace(colon + 1, end - colon - 1, tokens[random() % tokens.size()]);
    }
    const auto metadata = ParseMetadata(text, {});
    if (!metadata.ok()) {
      EXPECT_FALSE(metadata.status().message().empty());
      continue;
    }
    ++answers;
    EXPECT_NE(metadata->FindSchema(metadata->current_schema_id), nullptr);
    EXPECT_NE(metadata->FindSpec(metadata->default_spec_id), nullptr);
    for (const PartitionSpec& spec : metadata->partition_specs) spec.ToString(metadata->current_schema());
    const auto resolved = ResolveSnapshot(*metadata, {});
    EXPECT_TRUE(!resolved.ok() || resolved->schema != nullptr);
  }
  EXPECT_GT(answers, 50);
}

std::string Compressed(arrow::Compression::type type, const std::string& text) {
  const auto codec = arrow::util::Codec::Create(type).ValueOrDie();
  const auto* input = reinterpret_cast<const uint8_t*>(text.data());
  std::string out(codec->MaxCompressedLen(static_cast<int64_t>(text.size()), input), '\0');
  const int64_t size = codec
                           ->Compress(static_cast<int64_t>(text.size()), input, static_cast<int64_t>(out.size()),
                                      reinterpret_cast<uint8_t*>(out.data()))
                           .ValueOrDie();
  return out.substr(0, static_cast<size_t>(size));
}

TEST(Metadata, CompressedFiles) {
  EXPECT_EQ(DecodeMetadataFile("{}", {}).ValueOrDie(), "{}");
  for (const auto type : {arrow::Compression::GZIP, arrow::Compression::ZSTD}) {
    std::string text = kVersion3;
    while (text.size() < 300000) text += text;
    const std::string bytes = Compressed(type, text);
    EXPECT_EQ(DecodeMetadataFile(bytes, {}).ValueOrDie(), text);
    EXPECT_EQ(DecodeMetadataFile(bytes + bytes, {}).ValueOrDie(), text + text);
    EXPECT_EQ(KindOf(DecodeMetadataFile(bytes.substr(0, bytes.size() / 2), {}).status()), ErrorKind::kCorrupt);
    EXPECT_EQ(KindOf(DecodeMetadataFile(bytes.substr(0, 5), {}).status()), ErrorKind::kCorrupt);
    JsonLimits limits;
    limits.text_bytes_max = 100000;
    EXPECT_EQ(KindOf(DecodeMetadataFile(bytes, limits).status()), ErrorKind::kBudget);
    EXPECT_EQ(DecodeMetadataFile(Compressed(type, ""), {}).ValueOrDie(), "");
  }
}

// --- time travel

struct Resolved {
  int64_t snapshot;
  int schema;
  bool operator==(const Resolved&) const = default;
};

Resolved Resolve(const SnapshotChoice& choice) {
  const TableMetadata metadata = ParseMetadata(kVersion3, {}).ValueOrDie();
  const ResolvedSnapshot resolved = ResolveSnapshot(metadata, choice).ValueOrDie();
  return {resolved.snapshot->snapshot_id, resolved.schema->schema_id()};
}

std::string ResolveError(const SnapshotChoice& choice, ErrorKind kind) {
  const TableMetadata metadata = ParseMetadata(kVersion3, {}).ValueOrDie();
  const auto resolved = ResolveSnapshot(metadata, choice);
  EXPECT_FALSE(resolved.ok());
  if (resolved.ok()) return "";
  EXPECT_EQ(KindOf(resolved.status()), kind) << resolved.status();
  return resolved.status().message();
}

SnapshotChoice ById(int64_t id) { return {id, {}, {}}; }
SnapshotChoice ByRef(const char* name) { return {{}, name, {}}; }
SnapshotChoice AsOf(int64_t ms) { return {{}, {}, ms}; }

TEST(TimeTravel, TheSchemaThatBelongs) {
  EXPECT_EQ(Resolve({}), (Resolved{12, 1}));  // not the newest one, and the table's schema
  EXPECT_EQ(Resolve(ById(12)), (Resolved{12, 0}));
  EXPECT_EQ(Resolve(ById(11)), (Resolved{11, 1}));
  EXPECT_EQ(Resolve(ByRef("main")), (Resolved{12, 1}));
  EXPECT_EQ(Resolve(ByRef("side")), (Resolved{10, 1}));
  EXPECT_EQ(Resolve(ByRef("old")), (Resolved{10, 0}));
}

TEST(TimeTravel, TheLogDecidesNotTheSnapshotsOwnTimes) {
  EXPECT_EQ(Resolve(AsOf(1000)), (Resolved{10, 0}));
  EXPECT_EQ(Resolve(AsOf(1799)), (Resolved{10, 0}));
  EXPECT_EQ(Resolve(AsOf(2500)), (Resolved{12, 0}));
  EXPECT_EQ(Resolve(AsOf(INT64_MAX)), (Resolved{12, 0}));
}

TEST(TimeTravel, Errors) {
  EXPECT_EQ(ResolveError(ById(5), ErrorKind::kNotFound),
            "the table has no snapshot 5; it has 3, others may have expired");
  EXPECT_EQ(ResolveError(ByRef("x"), ErrorKind::kNotFound),
            "the table has no branch or tag x; it has: lost, main, old, side");
  EXPECT_EQ(ResolveError(ByRef("lost"), ErrorKind::kCorrupt),
            "refs.lost names snapshot 77, which the metadata do not have");
  EXPECT_EQ(ResolveError(AsOf(999), ErrorKind::kNotFound),
            "the table has no snapshot as of 1970-01-01T00:00:00.999Z; the oldest is of 1970-01-01T00:00:01Z");
  EXPECT_EQ(ResolveError(AsOf(2000), ErrorKind::kNotFound),
            "snapshot 99, which was the current one as of 1970-01-01T00:00:02Z, has expired");
  EXPECT_EQ(ResolveError({12, "main", {}}, ErrorKind::kUsage),
            "give one of snapshot id, branch or tag, and time; not several");
}

TEST(TimeTravel, RefusesEncryptedSnapshots) {
  TableMetadata metadata = ParseMetadata(kVersion3, {}).ValueOrDie();
  metadata.snapshots[0].key_id = "k";
  const auto status = ResolveSnapshot(metadata, ById(10)).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kUnsupported);
  EXPECT_EQ(status.message(), "snapshot 10 is encrypted (key k); encrypted metadata is not read");
  EXPECT_TRUE(ResolveSnapshot(metadata, ById(11)).ok());
}

TEST(TimeTravel, WhatTheMetadataDoNotHave) {
  TableMetadata metadata = ParseMetadata(kVersion3, {}).ValueOrDie();
  metadata.snapshots[0].schema_id.reset();
  EXPECT_EQ(ResolveSnapshot(metadata, ById(10))->schema->schema_id(), 1);
  metadata.snapshots[0].schema_id = 8;
  EXPECT_EQ(KindOf(ResolveSnapshot(metadata, ById(10)).status()), ErrorKind::kCorrupt);
  metadata.snapshot_log.clear();
  EXPECT_EQ(ResolveSnapshot(metadata, AsOf(1600))->snapshot->snapshot_id, 12);
  EXPECT_EQ(KindOf(ResolveSnapshot(metadata, AsOf(1400)).status()), ErrorKind::kNotFound);
  metadata.current_snapshot_id = 55;
  EXPECT_EQ(KindOf(ResolveSnapshot(metadata, {}).status()), ErrorKind::kCorrupt);
}

}  // namespace
}  // namespace frazil::iceberg
