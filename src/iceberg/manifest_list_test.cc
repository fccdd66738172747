// SPDX-License-Identifier: Apache-2.0

#include "src/iceberg/manifest_list.h"

#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "frazil/error.h"
#include "src/iceberg/avro_for_test.h"

namespace frazil::iceberg {
namespace {

// Fields of a record: name, field id, type.
std::string Field(std::string_view name, int id, std::string_view type) {
  return R"({"name": ")" + std::string(name) + R"(", "field-id": )" + std::to_string(id) + R"(, "type": )" +
         std::string(type) + "}";
}

std::string Record(const std::string& fields) {
  return R"({"type": "record", "name": "manifest_file", "fields": [)" + fields + "]}";
}

const std::string kLong = "\"long\"", kOptionalLong = R"(["null", "long"])";

std::string Summaries(const std::string& item_fields, bool optional_items = false) {
  const std::string item = R"({"type": "record", "name": "r508", "fields": [)" + item_fields + "]}";
  return R"(["null", {"type": "array", "items": )" + (optional_items ? R"(["null", )" + item + "]" : item) + "}]";
}

const std::string kSummaryFields =
    Field("contains_null", 509, "\"boolean\"") + "," + Field("contains_nan", 518, R"(["null", "boolean"])") + "," +
    Field("lower_bound", 510, R"(["null", "bytes"])") + "," + Field("upper_bound", 511, R"(["null", "bytes"])");

const std::string kVersion3 =
    Record(Field("manifest_path", 500, "\"string\"") + "," + Field("manifest_length", 501, kLong) + "," +
           Field("partition_spec_id", 502, "\"int\"") + "," + Field("content", 517, "\"int\"") + "," +
           Field("sequence_number", 515, kLong) + "," + Field("min_sequence_number", 516, kLong) + "," +
           Field("added_snapshot_id", 503, kLong) + "," + Field("added_files_count", 504, "\"int\"") + "," +
           Field("existing_files_count", 505, "\"int\"") + "," + Field("deleted_files_count", 506, "\"int\"") + "," +
           Field("added_rows_count", 512, kLong) + "," + Field("existing_rows_count", 513, kLong) + "," +
           Field("deleted_rows_count", 514, kLong) + "," + Field("partitions", 507, Summaries(kSummaryFields)) + "," +
           Field("key_metadata", 519, R"(["null", "bytes"])") + "," + Field("first_row_id", 520, kOptionalLong));

const std::string kVersion1 =
    Record(Field("manifest_path", 500, "\"string\"") + "," + Field("manifest_length", 501, kLong) + "," +
           Field("partition_spec_id", 502, "\"int\"") + "," + Field("added_snapshot_id", 503, kOptionalLong) + "," +
           Field("added_files_count", 504, R"(["null", "int"])"));

AvroBytes Version1(std::string_view path) {
  return AvroBytes().Bytes(path).Long(10).Long(0).Branch(1).Long(9).Branch(0);
}

AvroBytes Version3(std::string_view path, int64_t content = 0, int64_t spec = 4) {
  AvroBytes bytes;
  bytes.Bytes(path).Long(8000).Long(spec).Long(content).Long(7).Long(5).Long(-99);
  for (int64_t count = 1; count <= 6; ++count) bytes.Long(count);
  bytes.Branch(1).Long(2);
  bytes.Boolean(true).Branch(1).Boolean(false).Branch(1).Bytes(std::string_view("\x00\xff", 2)).Branch(1).Bytes("");
  bytes.Boolean(false).Branch(0).Branch(0).Branch(0);
  return bytes.Long(0).Branch(1).Bytes("key").Branch(1).Long(1000);
}

std::string Message(std::string_view bytes, ErrorKind kind = ErrorKind::kCorrupt) {
  const auto list = ReadManifestList(bytes);
  if (list.ok()) return "accepted";
  EXPECT_EQ(KindOf(list.status()), kind);
  const std::string text = list.status().message();
  return text.substr(text.find("manifest "));
}

TEST(ManifestList, ReadsVersion3) {
  AvroBytes second = Version3("b.avro", 1);
  const auto list =
      ReadManifestList(AvroFile(kVersion3, {{1, Version3("a.avro").bytes()}, {1, second.bytes()}}, "deflate"));
  ASSERT_TRUE(list.ok()) << list.status().ToString();
  ManifestFile expected{
      .path = "a.avro",
      .size_bytes = 8000,
      .partition_spec_id = 4,
      .content = ManifestContent::kData,
      .sequence_number = 7,
      .min_sequence_number = 5,
      .added_snapshot_id = -99,
      .added_file_count = 1,
      .existing_file_count = 2,
      .deleted_file_count = 3,
      .added_row_count = 4,
      .existing_row_count = 5,
      .deleted_row_count = 6,
      .partitions = std::vector<PartitionFieldSummary>{{true, false, std::string("\x00\xff", 2), ""},
                                                       {false, std::nullopt, std::nullopt, std::nullopt}},
      .key_metadata = "key",
      .first_row_id = 1000};
  ASSERT_EQ(list->size(), 2U);
  EXPECT_TRUE((*list)[0] == expected);
  expected.path = "b.avro";
  expected.content = ManifestContent::kDeletes;
  EXPECT_TRUE((*list)[1] == expected);
}

TEST(ManifestList, FillsInTheDefaultsOfVersion1) {
  const auto list = ReadManifestList(AvroFile(kVersion1, {{1, Version1("a.avro").bytes()}}));
  ASSERT_TRUE(list.ok()) << list.status().ToString();
  const ManifestFile expected{.path = "a.avro", .size_bytes = 10, .added_snapshot_id = 9};
  ASSERT_EQ(list->size(), 1U);
  EXPECT_TRUE(list->front() == expected);
  EXPECT_EQ(list->front().content, ManifestContent::kData);
  EXPECT_EQ(list->front().sequence_number, 0);
  EXPECT_TRUE(list->front().may_have_live_files());  // a count that is not known is not 0
}

TEST(ManifestList, KnowsWhenNoFileIsLive) {
  ManifestFile manifest{.added_file_count = 0, .existing_file_count = 0, .deleted_file_count = 4};
  EXPECT_FALSE(manifest.may_have_live_files());
  manifest.existing_file_count = std::nullopt;
  EXPECT_TRUE(manifest.may_have_live_files());
}

TEST(ManifestList, FindsFieldsByIdInAnyOrderAndSkipsOthers) {
  const std::string schema =
      Record(Field("x", 9999, R"({"type": "map", "values": {"type": "array", "items": "string"}})") + "," +
             Field("renamed", 502, kOptionalLong) + "," + Field("manifest_path", 1, "\"string\"") + "," +
             Field("length", 501, "\"int\"") + "," + Field("path", 500, R"(["string", "null"])"));
  AvroBytes bytes;
  bytes.Long(1)
      .Bytes("k")
      .Long(1)
      .Bytes("v")
      .Long(0)
      .Long(0)
      .Branch(1)
      .Long(3)
      .Bytes("not this")
      .Long(10)
      .Branch(0)
      .Bytes("p");
  const auto list = ReadManifestList(AvroFile(schema, {{1, bytes.bytes()}}));
  ASSERT_TRUE(list.ok()) << list.status().ToString();
  EXPECT_EQ(list->front().path, "p");
  EXPECT_EQ(list->front().partition_spec_id, 3);
}

TEST(ManifestList, FindsFieldsByNameWhereThereAreNoIds) {
  const std::string schema = R"({"type": "record", "name": "m", "fields": [{"name": "manifest_path", "type": "string"},
      {"name": "manifest_length", "type": "long"}, {"name": "partition_spec_id", "type": "int"},
      {"name": "added_data_files_count", "type": "int"}]})";
  const auto list = ReadManifestList(AvroFile(schema, {{1, AvroBytes().Bytes("p").Long(1).Long(2).Long(3).bytes()}}));
  ASSERT_TRUE(list.ok()) << list.status().ToString();
  EXPECT_EQ(list->front().path, "p");
  EXPECT_EQ(list->front().added_file_count, 3);
}

TEST(ManifestList, TakesNegativeCountsAsNotKnown) {
  const std::string schema =
      Record(Field("manifest_path", 500, "\"string\"") + "," + Field("manifest_length", 501, kLong) + "," +
             Field("partition_spec_id", 502, "\"int\"") + "," + Field("added_files_count", 504, "\"int\""));
  const auto list = ReadManifestList(AvroFile(schema, {{1, AvroBytes().Bytes("p").Long(1).Long(0).Long(-1).bytes()}}));
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(list->front().added_file_count, std::nullopt);
}

TEST(ManifestList, RefusesCountsThatAddUpToNoNumber) {
  const auto message = [](const char* kind, int first_id, const char* added, const char* existing) {
    const std::string fields = Field("manifest_path", 500, "\"string\"") + "," + Field("manifest_length", 501, kLong) +
                               "," + Field("partition_spec_id", 502, "\"int\"") + "," + Field(added, first_id, kLong) +
                               "," + Field(existing, first_id + 1, kLong);
    AvroBytes bytes;
    bytes.Bytes("p").Long(1).Long(0).Long(std::numeric_limits<int64_t>::max());
    EXPECT_TRUE(ReadManifestList(AvroFile(Record(fields), {{1, AvroBytes(bytes).Long(0).bytes()}})).ok()) << kind;
    return Message(AvroFile(Record(fields), {{1, AvroBytes(bytes).Long(1).bytes()}}));
  };
  EXPECT_EQ(message("files", 504, "added_files_count", "existing_files_count"),
            "manifest 0 of the list: its numbers of files add up to no number");
  EXPECT_EQ(message("rows", 512, "added_rows_count", "existing_rows_count"),
            "manifest 0 of the list: its numbers of rows add up to no number");
}

TEST(ManifestList, SaysWhichManifestIsWrong) {
  const auto message = [](const AvroBytes& bytes, ErrorKind kind = ErrorKind::kCorrupt) {
    return Message(AvroFile(kVersion3, {{2, Version3("a").Add(bytes).bytes()}}), kind);
  };
  EXPECT_EQ(message(Version3("")), "manifest 1 of the list: it has no path");
  EXPECT_EQ(message(Version3("b", 2), ErrorKind::kUnsupported),
            "manifest 1 of the list: its content is 2; 0 (data) and 1 (deletes) are read");
  EXPECT_EQ(message(Version3("b", 0, -1)), "manifest 1 of the list: it has no sound partition_spec_id");
  EXPECT_EQ(message(Version3("b", 0, int64_t{1} << 32)), "manifest 1 of the list: it has no sound partition_spec_id");
  const std::string whole = Version3("b").bytes();
  EXPECT_EQ(message(AvroBytes().Raw(std::string_view(whole).substr(0, whole.size() - 1))),
            "manifest 1 of the list: the bytes are malformed, or end inside it");
  EXPECT_NE(ReadManifestList(AvroFile(kVersion3, {{1, whole + "x"}}))
                .status()
                .message()
                .find("an Avro block holds more bytes than its manifests"),
            std::string::npos);
}

TEST(ManifestList, RefusesSchemasThatAreNoLists) {
  EXPECT_EQ(ReadManifestList(AvroFile(Record(Field("manifest_path", 500, "\"string\"")), {})).status().message(),
            "the Avro schema has no field 'manifest_length' (id 501)");
  EXPECT_EQ(ReadManifestList(AvroFile(Record(Field("manifest_path", 500, kLong)), {})).status().message(),
            "the field 'manifest_path' (id 500) has an Avro type that it can not have");
  EXPECT_EQ(ReadManifestList(AvroFile("\"long\"", {})).status().message(),
            "a record is expected, the Avro schema has a type long");
}

TEST(ManifestList, SaysThatItIsEncrypted) {
  const auto list = ReadManifestList("AGS1" + std::string(100, '\x7f'));
  EXPECT_EQ(KindOf(list.status()), ErrorKind::kUnsupported);
  EXPECT_EQ(list.status().message(), "the file is encrypted (AES GCM stream); encrypted metadata is not read");
}

// Every cut, and every byte changed: an answer or an error, nothing else.
TEST(ManifestList, SurvivesDamage) {
  const std::string sound = AvroFile(kVersion3, {{2, Version3("a").Add(Version3("b")).bytes()}}, "null");
  for (size_t size = 0; size < sound.size(); ++size) {
    const auto list = ReadManifestList(std::string_view(sound).substr(0, size));
    EXPECT_TRUE(!list.ok() || list->empty()) << "cut to " << size;
  }
  for (size_t at = 0; at < sound.size(); ++at) {
    for (const unsigned char flip : {0x01, 0x80, 0xff}) {
      std::string damaged = sound;
      damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ flip);
      const auto list = ReadManifestList(damaged);
      EXPECT_TRUE(!list.ok() || list->size() <= 2) << "byte " << at;
    }
  }
}

TEST(ManifestList, BoundsTheSummariesOfAManifest) {
  const std::string schema =
      Record(Field("manifest_path", 500, "\"string\"") + "," + Field("manifest_length", 501, kLong) + "," +
             Field("partition_spec_id", 502, "\"int\"") + "," +
             Field("partitions", 507, Summaries(kSummaryFields, /*optional_items=*/true)));
  const auto list = [&](int64_t count) {
    AvroBytes bytes;
    bytes.Bytes("p").Long(1).Long(0).Branch(1).Long(count).Raw(std::string(static_cast<size_t>(count), '\0')).Long(0);
    return ReadManifestList(AvroFile(schema, {{1, bytes.bytes()}}, "deflate"));
  };
  ASSERT_TRUE(list(1000).ok());
  EXPECT_EQ(list(1000)->front().partitions->size(), 1000U);
  EXPECT_FALSE(list(10'000'000).ok());
}

}  // namespace
}  // namespace frazil::iceberg
