// SPDX-License-Identifier: Apache-2.0
//
// Manifest lists, manifests and deletion vectors of real writers (Iceberg Java, pyiceberg, Impala, DuckDB, Trino,
// BigQuery and others), from the folder with data from outside. The figures were taken with an Avro library of another
// origin, which agreed on every field of every entry.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "frazil/error.h"
#include "src/iceberg/avro_container.h"
#include "src/iceberg/deletion_vector.h"
#include "src/iceberg/manifest.h"
#include "src/iceberg/manifest_list.h"

namespace frazil::iceberg {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> Shared(const std::string& part) {
  const char* shared = std::getenv("FRAZIL_SHARED");
  const fs::path folder = fs::path(shared == nullptr ? "" : shared) / part;
  if (shared == nullptr || !fs::exists(folder)) return std::nullopt;
  return folder;
}

std::string Read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// The file that a location names: tables were moved, but their metadata lie in one folder.
fs::path Beside(const fs::path& list, const std::string& location) {
  return list.parent_path() / fs::path(location).filename();
}

struct Counts {
  int64_t entries = 0, live = 0, delete_files = 0, records = 0, lower_bounds = 0, dropped = 0;
  std::map<EntryStatus, int64_t> by_status;
};

arrow::Result<Counts> Count(const std::string& bytes, const ManifestFile& file) {
  ManifestReadOptions options{.deleted_entries = true};
  for (int32_t id = 0; id < 2000; ++id) options.metric_field_ids.push_back(id);
  for (const int32_t id : {2147483539, 2147483540, 2147483545, 2147483546}) options.metric_field_ids.push_back(id);
  ARROW_ASSIGN_OR_RAISE(ManifestReader reader, ManifestReader::Open(bytes, file, options));
  Counts counts;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const ManifestEntry* entry, reader.Next());
    if (entry == nullptr) break;
    ++counts.entries;
    ++counts.by_status[entry->status];
    counts.live += entry->status != EntryStatus::kDeleted;
    counts.delete_files += entry->content != FileContent::kData;
    counts.records += entry->record_count;
    for (const ColumnMetrics& column : entry->metrics) counts.lower_bounds += column.lower_bound.has_value();
  }
  counts.dropped = reader.dropped_metric_count();
  return counts;
}

struct Totals {
  int64_t lists = 0, listed = 0, summaries = 0, manifests = 0;
  Counts of_manifests;
  std::set<std::string> refused;  // names of files
};

// Every Avro file of a folder, by what its schema is called.
Totals ReadAll(const fs::path& folder) {
  Totals totals;
  for (const auto& found : fs::recursive_directory_iterator(folder)) {
    if (!found.is_regular_file() || found.path().extension() != ".avro") continue;
    SCOPED_TRACE(found.path().string());
    const std::string bytes = Read(found.path());
    const bool list = bytes.find("\"manifest_path\"") != std::string::npos;
    const bool manifest = bytes.find("\"data_file\"") != std::string::npos;
    if (!list && !manifest && AvroContainer::Open(bytes).ok()) continue;  // a data file
    if (list) {
      const auto manifests = ReadManifestList(bytes);
      if (!manifests.ok()) {
        totals.refused.insert(found.path().filename());
        continue;
      }
      ++totals.lists;
      totals.listed += static_cast<int64_t>(manifests->size());
      for (const ManifestFile& file : *manifests) {
        if (file.partitions) totals.summaries += static_cast<int64_t>(file.partitions->size());
      }
      continue;
    }
    // Which kind it is the list would say; one of the two is right.
    auto counts = Count(bytes, {});
    if (!counts.ok()) counts = Count(bytes, {.content = ManifestContent::kDeletes});
    if (!counts.ok()) {
      const bool encrypted = found.path().filename() == "manifest-list-v3-encrypted.avro";
      totals.refused.insert(found.path().filename());
      EXPECT_EQ(KindOf(counts.status()), encrypted ? ErrorKind::kUnsupported : ErrorKind::kCorrupt)
          << counts.status().ToString();
      continue;
    }
    ++totals.manifests;
    Counts& sum = totals.of_manifests;
    sum.entries += counts->entries;
    sum.live += counts->live;
    sum.delete_files += counts->delete_files;
    sum.records += counts->records;
    sum.lower_bounds += counts->lower_bounds;
    sum.dropped += counts->dropped;
  }
  return totals;
}

TEST(SharedTables, ReadsEveryFileOfTheFixtures) {
  const auto folder = Shared("fixtures/iceberg-spark");
  if (!folder) GTEST_SKIP() << "no data from outside";
  const Totals totals = ReadAll(*folder);
  EXPECT_EQ(totals.refused,
            (std::set<std::string>{"3be64ccb-3725-4097-bdda-7638f7a20443-m0.avro",
                                   "6cfb1642-db73-40ae-b936-d732feff1a52-m0.avro",
                                   "snap-4523321196079301952-1-13dad072-07a5-4a72-9dad-ecbd3b541245.avro"}));
  EXPECT_EQ(totals.lists, 274);
  EXPECT_EQ(totals.listed, 710);
  EXPECT_EQ(totals.summaries, 503);
  EXPECT_EQ(totals.manifests, 398);
  EXPECT_EQ(totals.of_manifests.entries, 2879);
  EXPECT_EQ(totals.of_manifests.live, 2671);
  EXPECT_EQ(totals.of_manifests.delete_files, 219);
  EXPECT_EQ(totals.of_manifests.records, 432'584);
  EXPECT_EQ(totals.of_manifests.lower_bounds, 11'246);
  EXPECT_EQ(totals.of_manifests.dropped, 0);
}

TEST(SharedTables, ReadsEveryFileOfTheCorpus) {
  const auto folder = Shared("corpus/iceberg");
  if (!folder) GTEST_SKIP() << "no data from outside";
  const Totals totals = ReadAll(*folder);
  EXPECT_EQ(totals.refused,
            (std::set<std::string>{"broken1.avro", "broken2.avro", "empty.avro", "manifest-list-v3-encrypted.avro"}));
  EXPECT_EQ(totals.lists, 233);
  EXPECT_EQ(totals.listed, 10'426);
  EXPECT_EQ(totals.summaries, 158);
  EXPECT_EQ(totals.manifests, 241);
  EXPECT_EQ(totals.of_manifests.entries, 15'653);
  EXPECT_EQ(totals.of_manifests.live, 15'638);
  EXPECT_EQ(totals.of_manifests.delete_files, 70);
  EXPECT_EQ(totals.of_manifests.records, 15'571'338);
  EXPECT_EQ(totals.of_manifests.lower_bounds, 38'638);
}

// From the list to the entries to the deletion vectors: what they say of each other is so.
TEST(SharedTables, ListsAndManifestsAgree) {
  int64_t manifests = 0, vectors = 0;
  for (const char* part : {"fixtures/iceberg-spark", "fixtures/bug-cases/iceberg"}) {
    const auto folder = Shared(part);
    if (!folder) GTEST_SKIP() << "no data from outside";
    for (const auto& found : fs::recursive_directory_iterator(*folder)) {
      const std::string name = found.path().filename();
      if (!name.starts_with("snap-") || found.path().extension() != ".avro") continue;
      const auto list = ReadManifestList(Read(found.path()));
      if (!list.ok()) continue;  // counted above
      for (const ManifestFile& file : *list) {
        const fs::path path = Beside(found.path(), file.path);
        SCOPED_TRACE(found.path().string() + " " + path.string());
        if (!fs::exists(path)) continue;  // expired, or taken away on purpose
        const std::string bytes = Read(path);
        auto counts = Count(bytes, file);
        if (!counts.ok()) {
          EXPECT_NE(path.string().find("/broken/"), std::string::npos) << counts.status().ToString();
          continue;
        }
        ++manifests;
        if (file.added_file_count) {
          EXPECT_EQ(counts->by_status[EntryStatus::kAdded], *file.added_file_count);
        }
        if (file.existing_file_count) {
          EXPECT_EQ(counts->by_status[EntryStatus::kExisting], *file.existing_file_count);
        }
        if (file.deleted_file_count) {
          EXPECT_EQ(counts->by_status[EntryStatus::kDeleted], *file.deleted_file_count);
        }
        auto reader = ManifestReader::Open(bytes, file);
        ASSERT_TRUE(reader.ok());
        if (reader->header().partition_spec_id) {
          EXPECT_EQ(*reader->header().partition_spec_id, file.partition_spec_id);
        }
        while (true) {
          const auto next = reader->Next();
          ASSERT_TRUE(next.ok()) << next.status().ToString();
          if (*next == nullptr) break;
          const ManifestEntry& entry = **next;
          EXPECT_TRUE(entry.sequence_number.has_value());
          EXPECT_TRUE(entry.snapshot_id.has_value());
          EXPECT_EQ(entry.first_row_id.has_value(), file.first_row_id.has_value());
          if (file.partitions) {
            EXPECT_EQ(entry.partition.size(), file.partitions->size());
          }
          if (entry.format != FileFormat::kPuffin) continue;
          const std::string puffin =
              Read(path.parent_path().parent_path() / "data" / fs::path(std::string(entry.path)).filename());
          ASSERT_LE(*entry.content_offset + *entry.content_size_bytes, static_cast<int64_t>(puffin.size()));
          const auto rows =
              DecodeDeletionVector(std::string_view(puffin).substr(static_cast<size_t>(*entry.content_offset),
                                                                   static_cast<size_t>(*entry.content_size_bytes)),
                                   entry.record_count);
          ASSERT_TRUE(rows.ok()) << rows.status().ToString();
          EXPECT_EQ(rows->count(), entry.record_count);
          ++vectors;
        }
      }
    }
  }
  EXPECT_GT(manifests, 900);
  EXPECT_GT(vectors, 50);
}

TEST(SharedTables, ReadsATableOfVersion1) {
  const auto folder = Shared("fixtures/iceberg-spark/bucket/long_d/metadata");
  if (!folder) GTEST_SKIP() << "no data from outside";
  const auto list =
      ReadManifestList(Read(*folder / "snap-3750086639691254976-1-d9698236-d4f1-4392-ac39-01d6badd0ac8.avro"));
  ASSERT_TRUE(list.ok()) << list.status().ToString();
  ASSERT_EQ(list->size(), 1U);
  const ManifestFile& file = list->front();
  EXPECT_EQ(file.size_bytes, 10'706);
  EXPECT_EQ(file.added_snapshot_id, 3750086639691254976);
  EXPECT_EQ(file.added_file_count, 101);
  EXPECT_EQ(file.added_row_count, 6000);
  EXPECT_EQ(*file.partitions,
            (std::vector<PartitionFieldSummary>{{true, false, std::string("\0\0\0\0", 4), std::string("c\0\0\0", 4)}}));
  const std::string bytes = Read(*folder / "d9698236-d4f1-4392-ac39-01d6badd0ac8-m0.avro");
  ManifestReadOptions options{.metric_field_ids = {2}};
  options.keep = [](const ManifestEntry& entry) { return entry.partition[0].kind == AvroKind::kNull; };
  auto reader = ManifestReader::Open(bytes, file, options);
  ASSERT_TRUE(reader.ok()) << reader.status().ToString();
  EXPECT_EQ(reader->partition_fields()[0].name, "k_bucket");
  EXPECT_EQ(reader->partition_fields()[0].field_id, 1000);
  const auto next = reader->Next();
  ASSERT_TRUE(next.ok() && *next != nullptr);
  const ManifestEntry& entry = **next;
  EXPECT_EQ(entry.ordinal, 1);
  EXPECT_TRUE(entry.path.ends_with("/00000-45-91f42d08-8678-4cbf-b894-da0d530979de-0-00094.parquet"));
  EXPECT_EQ(entry.sequence_number, 0);
  EXPECT_EQ(entry.record_count, 56);
  EXPECT_EQ(entry.size_bytes, 1908);
  EXPECT_EQ(entry.metrics[0].value_count, 56);
  EXPECT_EQ(entry.metrics[0].null_count, 56);
  EXPECT_EQ(entry.metrics[0].nan_count, std::nullopt);
  EXPECT_EQ(entry.metrics[0].lower_bound, std::nullopt);
}

// Manifests of version 2 in a list of version 3: their files get row ids from the list.
TEST(SharedTables, AssignsRowIdsOfAnUpgradedTable) {
  const auto folder = Shared("fixtures/iceberg-spark/deletes/upgrade_v2_to_v3/metadata");
  if (!folder) GTEST_SKIP() << "no data from outside";
  const auto list =
      ReadManifestList(Read(*folder / "snap-843959824264080448-1-2b575aa3-ec2d-4153-9756-9e3bcb13d85c.avro"));
  ASSERT_TRUE(list.ok()) << list.status().ToString();
  ASSERT_EQ(list->size(), 4U);
  std::vector<std::optional<int64_t>> first_row_ids;
  std::vector<int64_t> sequence_numbers;
  for (const ManifestFile& file : *list) {
    const std::string bytes = Read(Beside(*folder / "x", file.path));
    auto reader = ManifestReader::Open(bytes, file);
    ASSERT_TRUE(reader.ok()) << reader.status().ToString();
    while (true) {
      const auto next = reader->Next();
      ASSERT_TRUE(next.ok()) << next.status().ToString();
      if (*next == nullptr) break;
      first_row_ids.push_back((*next)->first_row_id);
      sequence_numbers.push_back(*(*next)->sequence_number);
    }
  }
  // One file of 600 rows; three of 800; two vectors and, of three position delete files, the one that is not deleted.
  EXPECT_EQ(first_row_ids, (std::vector<std::optional<int64_t>>{0, 600, 1400, 2200, {}, {}, {}}));
  EXPECT_EQ(sequence_numbers, (std::vector<int64_t>{3, 1, 1, 1, 4, 4, 2}));
}

}  // namespace
}  // namespace frazil::iceberg
