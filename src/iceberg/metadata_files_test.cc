// SPDX-License-Identifier: Apache-2.0
//
// Metadata files of other writers: every one parses or is refused for what is known to be wrong with it, and says what
// the lists beside them say. Skipped where the data from outside are missing.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "frazil/error.h"
#include "src/iceberg/column_resolution.h"
#include "src/iceberg/metadata.h"
#include "src/iceberg/name_mapping.h"
#include "src/iceberg/time_travel.h"
#include "src/parquet/footer.h"

namespace frazil::iceberg {
namespace {

namespace fs = std::filesystem;

fs::path Shared() {
  const char* folder = std::getenv("FRAZIL_SHARED");
  return folder != nullptr ? fs::path(folder) : fs::path(FRAZIL_SOURCE_DIR) / ".." / "shared";
}

std::string Content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

arrow::Result<TableMetadata> Read(const fs::path& path) {
  ARROW_ASSIGN_OR_RAISE(const std::string json, DecodeMetadataFile(Content(path), {}));
  return ParseMetadata(json, {});
}

// The metadata files under a folder, by their path in it.
std::vector<std::string> MetadataFiles(const fs::path& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.path().filename().string().find("metadata.json") == std::string::npos)
      continue;
    paths.push_back(entry.path().lexically_relative(folder).string());
  }
  return paths;
}

// The rows of a tab-separated file, as maps from the names in its first line.
std::vector<std::map<std::string, std::string>> Rows(const fs::path& path) {
  std::vector<std::map<std::string, std::string>> rows;
  std::vector<std::string> names;
  std::istringstream lines(Content(path));
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> cells(1);
    for (const char c : line) {
      if (c == '\t') {
        cells.emplace_back();
      } else {
        cells.back() += c;
      }
    }
    if (names.empty()) {
      names = cells;
      continue;
    }
    rows.emplace_back();
    for (size_t i = 0; i < names.size() && i < cells.size(); ++i) rows.back()[names[i]] = cells[i];
  }
  return rows;
}

// The metadata file of a table folder that version-hint.text names; else the one with the greatest version.
fs::path Newest(const fs::path& table) {
  std::string hint = Content(table / "metadata" / "version-hint.text");
  while (!hint.empty() && hint.back() == '\n') hint.pop_back();
  for (const char* name : {".metadata.json", ".gz.metadata.json"}) {
    const fs::path path = table / "metadata" / ("v" + hint + name);
    if (!hint.empty() && fs::exists(path)) return path;
  }
  fs::path newest;
  for (const std::string& name : MetadataFiles(table)) newest = std::max(newest, table / name);
  return newest;
}

// "0:[d=day(ts)] | 1:[]", as the lists write it.
std::string SpecsText(const TableMetadata& metadata) {
  std::string text;
  for (const PartitionSpec& spec : metadata.partition_specs) {
    std::string fields;
    for (const PartitionField& field : spec.fields) {
      fields += (fields.empty() ? "" : ", ") + field.name + "=" + field.transform.text + "(" +
                metadata.current_schema().NameOf(field.source_ids[0]) + ")";
    }
    text += (text.empty() ? "" : " | ") + std::to_string(spec.spec_id) + ":[" + fields + "]";
  }
  return text;
}

class MetadataFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(Shared() / "fixtures")) GTEST_SKIP() << "no " << Shared();
  }
};

TEST_F(MetadataFilesTest, AllOfThem) {
  // What is refused, and why.
  const std::map<std::string, std::string> refused = {
      {"fixtures/iceberg-spark/broken/metadata_empty/metadata/v3.metadata.json", "not JSON: "},
      {"fixtures/iceberg-spark/broken/metadata_truncated/metadata/v3.metadata.json", "not JSON: "},
      {"fixtures/iceberg-spark/broken/format_version_99/metadata/v3.metadata.json", "table format version 99; "},
      {"fixtures/iceberg-spark/broken/format_version_4/metadata/v3.metadata.json", "table format version 4; "},
      {"fixtures/iceberg-spark/broken/current_snapshot_absent/metadata/v3.metadata.json",
       "refs.main: not the snapshot of current-snapshot-id"},
      {"fixtures/iceberg-spark/broken/current_schema_absent/metadata/v3.metadata.json",
       "current-schema-id: there is no schema 7"},
      {"corpus/iceberg/lithium-tech-iceberg-cxx/metadata/empty.metadata.json", "not JSON: "},
      {"corpus/iceberg/lithium-tech-iceberg-cxx/metadata/broken1.metadata.json", "not JSON: "},
      {"corpus/iceberg/lithium-tech-iceberg-cxx/metadata/broken2.metadata.json", "not JSON: "},
      {"corpus/iceberg/duckdb-duckdb-iceberg/bad_data/bad_iceberg_metadata.json", "not JSON: "},
      {"corpus/iceberg/duckdb-duckdb-iceberg/big_query_error/metadata/v0.metadata.json", "format-version: missing"},
  };
  size_t read = 0;
  std::set<std::string> refused_seen;
  for (const char* folder : {"fixtures/iceberg-spark", "fixtures/bug-cases/iceberg", "corpus/iceberg"}) {
    for (const std::string& name : MetadataFiles(Shared() / folder)) {
      const std::string path = std::string(folder) + "/" + name;
      const auto metadata = Read(Shared() / path);
      const auto expected = refused.find(path);
      if (expected != refused.end()) {
        refused_seen.insert(path);
        ASSERT_FALSE(metadata.ok()) << path;
        EXPECT_TRUE(metadata.status().message().starts_with(expected->second)) << path << ": " << metadata.status();
        continue;
      }
      EXPECT_TRUE(metadata.ok()) << path << ": " << metadata.status();
      read += metadata.ok() ? 1 : 0;
      if (!metadata.ok()) continue;
      const auto current = ResolveSnapshot(*metadata, {});
      EXPECT_TRUE(current.ok()) << path << ": " << current.status();
    }
  }
  EXPECT_EQ(refused_seen.size(), refused.size());
  EXPECT_GT(read, 800u);
}

TEST_F(MetadataFilesTest, TablesAreAsTheirListSays) {
  const fs::path folder = Shared() / "fixtures/iceberg-spark";
  int tables = 0;
  for (const auto& row : Rows(folder / "TABLES.tsv")) {
    if (row.at("table").starts_with("broken/")) continue;
    const auto read = Read(Newest(folder / row.at("table")));
    ASSERT_TRUE(read.ok()) << row.at("table") << ": " << read.status();
    EXPECT_EQ(std::to_string(read->format_version), row.at("format_version")) << row.at("table");
    EXPECT_EQ(std::to_string(read->snapshots.size()), row.at("snapshots")) << row.at("table");
    EXPECT_EQ(SpecsText(*read), row.at("specs")) << row.at("table");
    ++tables;
  }
  EXPECT_GT(tables, 50);
}

TEST_F(MetadataFilesTest, TimeTravel) {
  const fs::path folder = Shared() / "fixtures/iceberg-spark";
  int seen = 0;
  for (const auto& row : Rows(folder / "REFS.tsv")) {
    const TableMetadata metadata = Read(Newest(folder / row.at("table"))).ValueOrDie();
    SnapshotChoice choice;
    const std::string& name = row.at("name_or_ms");
    if (row.at("kind") == "timestamp-ms") {
      choice.as_of_ms = std::stoll(name);
    } else if (row.at("kind") == "expired") {
      choice.snapshot_id = std::stoll(row.at("snapshot"));
    } else {
      choice.ref = name;
    }
    const auto resolved = ResolveSnapshot(metadata, choice);
    ++seen;
    if (row.at("kind") == "expired") {
      EXPECT_EQ(KindOf(resolved.status()), ErrorKind::kNotFound);
      continue;
    }
    ASSERT_TRUE(resolved.ok()) << resolved.status();
    EXPECT_EQ(std::to_string(resolved->snapshot->snapshot_id), row.at("snapshot")) << name;
  }
  EXPECT_GE(seen, 7);
}

// Every column of every table is found in its data files, or its absence is in order.
TEST_F(MetadataFilesTest, DataFilesHaveTheColumns) {
  const fs::path folder = Shared() / "fixtures/iceberg-spark";
  int files = 0;
  std::set<std::string> with_constants;
  for (const auto& row : Rows(folder / "TABLES.tsv")) {
    const std::string& table = row.at("table");
    if (table.starts_with("broken/") || !fs::exists(folder / table / "data")) continue;
    const TableMetadata metadata = Read(Newest(folder / table)).ValueOrDie();
    std::optional<NameMapping> mapping;
    if (const auto found = metadata.properties.find(kNameMappingProperty); found != metadata.properties.end()) {
      mapping = ParseNameMapping(found->second).ValueOrDie();
    }
    for (const auto& entry : fs::recursive_directory_iterator(folder / table / "data")) {
      const std::string name = entry.path().filename().string();
      const bool is_delete = name.find("delete") != std::string::npos || name.ends_with("del.parquet");
      if (!name.ends_with(".parquet") || is_delete) continue;
      const std::string bytes = Content(entry.path());
      int64_t needed = 0;
      const auto footer =
          parquet::Footer::Parse(arrow::Buffer::FromString(bytes), static_cast<int64_t>(bytes.size()), {}, &needed);
      ASSERT_TRUE(footer.ok()) << entry.path();
      const auto columns = ResolveColumns(metadata.current_schema(), (*footer)->schema(),
                                          FieldIdsOf((*footer)->schema(), mapping ? &*mapping : nullptr), {});
      EXPECT_TRUE(columns.ok()) << entry.path() << ": " << columns.status();
      if (!columns.ok()) continue;
      ++files;
      for (const ResolvedColumn& column : *columns) {
        EXPECT_TRUE(column.name != "row_key" || column.origin == ColumnOrigin::kFile) << entry.path();
        if (column.origin != ColumnOrigin::kConstant) continue;
        EXPECT_EQ(row.at("format_version"), "3") << entry.path();
        with_constants.insert(table);
      }
    }
  }
  EXPECT_GT(files, 300);
  EXPECT_TRUE(with_constants.contains("sevol/defaults_v3"));
}

TEST_F(MetadataFilesTest, AListOfManifestsWithoutAManifestList) {
  const TableMetadata metadata =
      Read(Shared() /
           "corpus/iceberg/duckdb-duckdb-iceberg/iceberg_v1_deprecated/default/legacy_v1/metadata/"
           "v2.metadata.json")
          .ValueOrDie();
  EXPECT_EQ(metadata.format_version, 1);
  ASSERT_EQ(metadata.snapshots.size(), 1u);
  EXPECT_TRUE(metadata.snapshots[0].manifest_list.empty());
  EXPECT_FALSE(metadata.snapshots[0].manifests.empty());
}

}  // namespace
}  // namespace frazil::iceberg
