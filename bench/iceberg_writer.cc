// SPDX-License-Identifier: Apache-2.0
//
// Writes the metadata of an Iceberg table with many data files, for bench/: metadata JSON, manifest list, manifests, in
// the order and with the types of Iceberg's own writer, deflate as it does. Data files need not exist: planning does
// not open them. What exists in the folder under its location is taken with its real size.
//
//   iceberg_writer FOLDER --manifests 160 --files 100
//
// Schema: order_id 1, customer_id 2 (long), created 3 (timestamp), amount 4 (double), status 5, note 6 (string),
// store 7, quantity 8 (int), country 9 (string), updated 10 (timestamp).
// Partitions: day(created), bucket[16](customer_id), unless --unpartitioned. File i of N is of day i / 16 since 2020
// and of bucket i % 16; its order ids are from a million (i * 7919 mod N) on to twelve millions further, so that one
// order id lies within the bounds of 12 files, which are of manifests all over the list. Its customer ids may be any.
#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "src/iceberg/avro_for_test.h"
#include "src/iceberg/manifest_for_test.h"

namespace frazil::iceberg {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kSnapshotId = 4'000'000'000'000'000'001;
constexpr int64_t kBuckets = 16;
constexpr int64_t kFirstDay = 18262;  // 2020-01-01
constexpr int64_t kDayMicros = 86'400'000'000;
constexpr int64_t kOrdersOfSlot = 1'000'000;
constexpr int64_t kSlotsOfFile = 12;

struct DeleteFileOption {
  std::string path;
  int64_t rows = 0;
};

struct WriterOptions {
  std::string folder;
  int64_t manifests = 160;
  int64_t files = 100;  // of a manifest
  bool unpartitioned = false;
  int64_t rows = 500'000;  // of a data file
  std::string codec = "deflate";
  std::vector<std::string> position_deletes;  // name:rows
  std::vector<std::string> equality_deletes;  // name:rows, by order_id
};

std::string LittleEndian(int64_t value, size_t bytes = 8) {
  std::string out(bytes, '\0');
  std::memcpy(out.data(), &value, bytes);
  return out;
}

std::string OfDouble(double value) {
  std::string out(sizeof(value), '\0');
  std::memcpy(out.data(), &value, sizeof(value));
  return out;
}

class Writer {
 public:
  explicit Writer(WriterOptions options) : options_(std::move(options)), folder_(fs::absolute(options_.folder)) {}

  void Run() {
    fs::create_directories(folder_ / "metadata");
    AvroBytes list;
    for (int64_t i = 0; i < options_.manifests; ++i) WriteManifest(i, &list);
    int64_t count = options_.manifests;
    if (!options_.position_deletes.empty() || !options_.equality_deletes.empty()) {
      WriteDeletes(&list);
      ++count;
    }
    const std::string list_name = "snap-1.avro";
    Write(list_name, AvroFile(ListSchema(), {{count, list.bytes()}}, "deflate"));
    Write("v1.metadata.json", Metadata(list_name));
    Write("version-hint.text", "1");
  }

 private:
  int64_t file_count() const { return options_.manifests * options_.files; }

  void Write(const std::string& name, const std::string& bytes) const {
    std::ofstream out(folder_ / "metadata" / name, std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!out) throw std::runtime_error("can not write " + name);
  }

  std::string PartitionFields() const {
    if (options_.unpartitioned) return "";
    return R"({"name": "created_day", "field-id": 1000, "type": ["null", {"type": "int", "logicalType": "date"}]},
              {"name": "customer_id_bucket", "field-id": 1001, "type": ["null", "int"]})";
  }

  std::string SpecFields() const {
    if (options_.unpartitioned) return "[]";
    return R"([{"name": "created_day", "transform": "day", "source-id": 3, "field-id": 1000},
               {"name": "customer_id_bucket", "transform": "bucket[16]", "source-id": 2, "field-id": 1001}])";
  }

  static std::string SchemaJson() {
    const char* names[] = {"order_id", "customer_id", "created",  "amount",  "status",
                           "note",     "store",       "quantity", "country", "updated"};
    const char* types[] = {"long",   "long", "timestamp", "double", "string",
                           "string", "int",  "int",       "string", "timestamp"};
    std::string fields;
    for (int i = 0; i < 10; ++i) {
      fields += std::string(i == 0 ? "" : ", ") + R"({"id": )" + std::to_string(i + 1) + R"(, "name": ")" + names[i] +
                R"(", "required": false, "type": ")" + types[i] + "\"}";
    }
    return R"({"type": "struct", "schema-id": 0, "fields": [)" + fields + "]}";
  }

  // Texts of the length that writers cut bounds to.
  std::string RandomText() {
    std::string text(16, ' ');
    for (char& letter : text) letter = static_cast<char>('a' + random_() % 26);
    return text;
  }

  TestEntry Entry(int64_t file) {
    const int64_t day = kFirstDay + file / kBuckets, bucket = file % kBuckets;
    const int64_t first_order = file * 7919 % file_count() * kOrdersOfSlot;
    std::array<char, 40> uuid;
    std::snprintf(uuid.data(), uuid.size(), "%08lx-%04lx-4%03lx", random_() & 0xffffffff, random_() & 0xffff,
                  random_() & 0xfff);
    const std::string partition =
        options_.unpartitioned ? "" : "day=" + std::to_string(day) + "/bucket=" + std::to_string(bucket) + "/";
    TestEntry entry;
    entry.path =
        "file://" + (folder_ / "data").string() + "/" + partition + "00000-" + std::to_string(file) + ".parquet";
    entry.size_bytes = 30'000'000 + static_cast<int64_t>(random_() % 1'000'000);
    std::error_code absent;
    if (has_data_) {
      const auto size = fs::file_size(entry.path.substr(7), absent);
      if (!absent) entry.size_bytes = static_cast<int64_t>(size);
    }
    entry.snapshot_id = kSnapshotId;
    entry.record_count = options_.rows;
    if (!options_.unpartitioned) entry.partition.Branch(1).Long(day).Branch(1).Long(bucket);
    TestCounts sizes, values, nulls;
    for (int64_t id = 1; id <= 10; ++id) {
      sizes.emplace_back(id, 1'000'000 + random_() % 1'000'000);
      values.emplace_back(id, options_.rows);
      nulls.emplace_back(id, 0);
    }
    const int64_t begin = day * kDayMicros;
    entry.lower_bounds = TestBounds{{1, LittleEndian(first_order)},
                                    {2, LittleEndian(0)},
                                    {3, LittleEndian(begin)},
                                    {4, OfDouble(0)},
                                    {5, "cancelled"},
                                    {6, RandomText()},
                                    {7, LittleEndian(1, 4)},
                                    {8, LittleEndian(1, 4)},
                                    {9, "AD"},
                                    {10, LittleEndian(begin)}};
    entry.upper_bounds = TestBounds{{1, LittleEndian(first_order + kSlotsOfFile * kOrdersOfSlot - 1)},
                                    {2, LittleEndian(999'999'999)},
                                    {3, LittleEndian(begin + kDayMicros - 1)},
                                    {4, OfDouble(9999.99)},
                                    {5, "shipped"},
                                    {6, RandomText()},
                                    {7, LittleEndian(4000, 4)},
                                    {8, LittleEndian(100, 4)},
                                    {9, "ZW"},
                                    {10, LittleEndian(begin + 7 * kDayMicros)}};
    entry.column_sizes = std::move(sizes);
    entry.value_counts = std::move(values);
    entry.null_counts = std::move(nulls);
    entry.nan_counts = TestCounts{{4, 0}};
    entry.split_offsets = std::vector<int64_t>{4};
    entry.sort_order_id = 0;
    return entry;
  }

  std::string ManifestBytes(const std::vector<TestEntry>& entries, const char* content) const {
    return TestManifest(entries, {.partition_fields = PartitionFields(),
                                  .codec = options_.codec,
                                  .entries_per_block = 100,
                                  .metadata = {{"schema", SchemaJson()},
                                               {"schema-id", "0"},
                                               {"partition-spec", SpecFields()},
                                               {"partition-spec-id", "0"},
                                               {"format-version", "2"},
                                               {"content", content}}});
  }

  void WriteManifest(int64_t manifest, AvroBytes* list) {
    has_data_ = fs::exists(folder_ / "data");
    std::vector<TestEntry> entries;
    const int64_t begin = manifest * options_.files, end = begin + options_.files;
    for (int64_t file = begin; file < end; ++file) entries.push_back(Entry(file));
    const std::string name = "manifest-" + std::to_string(manifest) + ".avro";
    const std::string bytes = ManifestBytes(entries, "data");
    Write(name, bytes);
    AppendToList(name, static_cast<int64_t>(bytes.size()), 0, begin, end - 1, list);
  }

  void WriteDeletes(AvroBytes* list) {
    std::vector<TestEntry> entries;
    for (const auto* names : {&options_.position_deletes, &options_.equality_deletes}) {
      for (const std::string& option : *names) {
        const size_t colon = option.find(':');
        TestEntry entry;
        const fs::path path = folder_ / "data" / option.substr(0, colon);
        entry.path = "file://" + path.string();
        entry.content = names == &options_.position_deletes ? 1 : 2;
        entry.snapshot_id = kSnapshotId;
        entry.sequence_number = 2;
        entry.file_sequence_number = 2;
        entry.record_count = std::stoll(option.substr(colon + 1));
        entry.size_bytes = static_cast<int64_t>(fs::file_size(path));
        if (entry.content == 2) entry.equality_ids = std::vector<int64_t>{1};
        if (!options_.unpartitioned) entry.partition.Branch(1).Long(kFirstDay).Branch(1).Long(0);
        entries.push_back(std::move(entry));
      }
    }
    const std::string bytes = ManifestBytes(entries, "deletes");
    Write("deletes.avro", bytes);
    AppendToList("deletes.avro", static_cast<int64_t>(bytes.size()), 1, 0, static_cast<int64_t>(entries.size()) - 1,
                 list);
  }

  static std::string ListSchema() {
    const auto field = [](const char* name, int id, const char* type) {
      return R"({"name": ")" + std::string(name) + R"(", "field-id": )" + std::to_string(id) + R"(, "type": )" + type +
             "}";
    };
    const std::string summary = R"({"type": "record", "name": "r508", "fields": [)" +
                                field("contains_null", 509, "\"boolean\"") + ", " +
                                field("contains_nan", 518, R"(["null", "boolean"])") + ", " +
                                field("lower_bound", 510, R"(["null", "bytes"])") + ", " +
                                field("upper_bound", 511, R"(["null", "bytes"])") + "]}";
    const std::string partitions = R"(["null", {"type": "array", "element-id": 508, "items": )" + summary + "}]";
    std::string fields = field("manifest_path", 500, "\"string\"") + ", " + field("manifest_length", 501, "\"long\"") +
                         ", " + field("partition_spec_id", 502, "\"int\"") + ", " + field("content", 517, "\"int\"") +
                         ", " + field("sequence_number", 515, "\"long\"") + ", " +
                         field("min_sequence_number", 516, "\"long\"") + ", " +
                         field("added_snapshot_id", 503, "\"long\"");
    const char* counts[] = {"added_files_count", "existing_files_count", "deleted_files_count",
                            "added_rows_count",  "existing_rows_count",  "deleted_rows_count"};
    const int ids[] = {504, 505, 506, 512, 513, 514};
    for (int i = 0; i < 6; ++i) fields += ", " + field(counts[i], ids[i], i < 3 ? "\"int\"" : "\"long\"");
    fields += ", " + field("partitions", 507, partitions.c_str());
    return R"({"type": "record", "name": "manifest_file", "fields": [)" + fields + "]}";
  }

  // `first`, `last`: the files of a data manifest.
  void AppendToList(const std::string& name, int64_t bytes, int64_t content, int64_t first, int64_t last,
                    AvroBytes* list) const {
    const int64_t files = last - first + 1;
    list->Bytes("file://" + (folder_ / "metadata" / name).string()).Long(bytes).Long(0).Long(content);
    list->Long(content + 1).Long(content + 1).Long(kSnapshotId);
    list->Long(files).Long(0).Long(0).Long(files * options_.rows).Long(0).Long(0);
    list->Branch(1);
    if (options_.unpartitioned) {
      list->Long(0);
      return;
    }
    list->Long(2);
    const auto summary = [&](int64_t low, int64_t high) {
      list->Boolean(false).Branch(1).Boolean(false).Branch(1).Bytes(LittleEndian(low, 4)).Branch(1);
      list->Bytes(LittleEndian(high, 4));
    };
    if (content == 1) last = first = 0;
    const bool whole = last - first + 1 >= kBuckets;
    summary(kFirstDay + first / kBuckets, kFirstDay + last / kBuckets);
    summary(whole ? 0 : first % kBuckets, whole ? kBuckets - 1 : last % kBuckets);
    list->Long(0);
  }

  std::string Metadata(const std::string& list_name) const {
    const std::string snapshot = std::to_string(kSnapshotId);
    return R"({"format-version": 2, "table-uuid": "6f1c8b7e-4e0f-4f77-8f6c-3d0f2b9f7a11", "location": "file://)" +
           folder_.string() +
           R"(", "last-sequence-number": 2, "last-updated-ms": 1750000000000, "last-column-id": 10,
            "current-schema-id": 0, "schemas": [)" +
           SchemaJson() + R"(], "default-spec-id": 0, "partition-specs": [{"spec-id": 0, "fields": )" + SpecFields() +
           R"(}], "last-partition-id": 1001, "default-sort-order-id": 0,
            "sort-orders": [{"order-id": 0, "fields": []}], "properties": {}, "current-snapshot-id": )" +
           snapshot + R"(, "refs": {"main": {"snapshot-id": )" + snapshot +
           R"(, "type": "branch"}}, "snapshots": [{"snapshot-id": )" + snapshot +
           R"(, "sequence-number": 2, "timestamp-ms": 1750000000000, "schema-id": 0,
            "summary": {"operation": "append"}, "manifest-list": "file://)" +
           (folder_ / "metadata" / list_name).string() + R"("}], "snapshot-log": [], "metadata-log": []})";
  }

  WriterOptions options_;
  fs::path folder_;
  bool has_data_ = false;
  std::mt19937_64 random_{20'260'117};
};

}  // namespace
}  // namespace frazil::iceberg

int main(int argc, char** argv) {
  frazil::iceberg::WriterOptions options;
  CLI::App app("Writes the metadata of an Iceberg table with many data files");
  app.add_option("FOLDER", options.folder, "of the table")->required();
  app.add_option("--manifests", options.manifests);
  app.add_option("--files", options.files, "data files of a manifest");
  app.add_flag("--unpartitioned", options.unpartitioned);
  app.add_option("--rows", options.rows, "rows of a data file");
  app.add_option("--codec", options.codec);
  app.add_option("--position-deletes", options.position_deletes, "NAME:ROWS, a file in data/");
  app.add_option("--equality-deletes", options.equality_deletes, "NAME:ROWS, a file in data/, by order_id");
  CLI11_PARSE(app, argc, argv);
  try {
    frazil::iceberg::Writer(options).Run();
  } catch (const std::exception& error) {
    std::cerr << "iceberg_writer: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
