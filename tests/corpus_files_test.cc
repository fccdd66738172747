// SPDX-License-Identifier: Apache-2.0
//
// Every file of the corpus through the command line, as child processes: the sound ones give the number of rows that
// other readers found, the malformed ones the right rows or one line of error that names the file; none crashes,
// hangs, or takes memory out of proportion.
#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <arrow/table.h>
#include <gtest/gtest.h>

#include "tests/child_process.h"
#include "tests/outside_files.h"

namespace frazil {
namespace {

namespace fs = std::filesystem;

// The files are dealt to so many tests, which ctest runs in different shards.
constexpr size_t kParts = 4;

class CorpusFiles : public OutsideFiles, public testing::WithParamInterface<size_t> {
 protected:
  CorpusFiles() : OutsideFiles("corpus") {}

  // Paths below the corpus, sorted; this test's part of them.
  std::vector<std::string> Part(const std::string& below) const {
    std::vector<std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(root() / below)) {
      if (entry.is_regular_file()) all.push_back(fs::relative(entry.path(), root()).string());
    }
    std::sort(all.begin(), all.end());
    std::vector<std::string> part;
    for (size_t i = GetParam(); i < all.size(); i += kParts * kSampleStep) part.push_back(all[i]);
    return part;
  }

  ChildResult Frazil(const std::vector<std::string>& arguments) const {
    std::vector<std::string> command{FRAZIL_BINARY};
    command.insert(command.end(), arguments.begin(), arguments.end());
    ChildLimits limits;
    limits.cpu_seconds = MemoryIsReal() ? 5 : 60;
    limits.address_space_bytes = int64_t{6} << 30;
    return RunChild(command, limits);
  }
};

// Ended by itself, in time, within memory, and an error is one line that names the file.
void ExpectSoundEnd(const ChildResult& result, const std::string& file) {
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.signal, 0) << result.errors;
  if (MemoryIsReal()) {
    EXPECT_LE(result.resident_bytes_max, int64_t{1} << 30);
  }
  if (result.exit_code == 0) {
    EXPECT_EQ(result.errors, "");
    return;
  }
  EXPECT_TRUE(result.exit_code == static_cast<int>(ErrorKind::kCorrupt) ||
              result.exit_code == static_cast<int>(ErrorKind::kUnsupported))
      << "exit code " << result.exit_code << ": " << result.errors;
  EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
  EXPECT_NE(result.errors.find(file), std::string::npos) << result.errors;
}

TEST_P(CorpusFiles, MalformedOnesEndInRowsOrAClearError) {
  const std::vector<std::string> files = Part("parquet/malformed");
  EXPECT_GE(files.size(), 264 / (kParts * kSampleStep));
  for (const std::string& file : files) {
    const std::string path = (root() / file).string();
    const std::vector<std::vector<std::string>> commands = {
        {"scan", path, "--format", "jsonl"},
        {"scan", path, "--format", "arrow", "--no-prune", "--verify-checksums"},
        {"inspect", path, "pages", "--format", "json"},
        {"inspect", path, "stats"},
    };
    for (const auto& command : commands) {
      SCOPED_TRACE(testing::Message() << command[0] << ' ' << file << ' ' << command[2]);
      ExpectSoundEnd(Frazil(command), path);
    }
  }
}

// Memory that a sound file needs, beyond what the test grants, is refused as a budget, with the file's name.
constexpr const char* kTooLarge = "large_string_map.brotli.parquet";  // 2 GiB of text in 4 kB

TEST_P(CorpusFiles, SoundOnesGiveTheRowsThatOthersFound) {
  std::map<std::string, std::string> rows;
  for (const TsvLine& line : ReadTsv(root() / "INVENTORY.tsv")) {
    // Both readers agree, and it is a number.
    const std::string& found = line.at("hyparquet");
    const size_t number = found.find(" rows");
    if (number != std::string::npos && found == line.at("duckdb_1_5_6"))
      rows[line.at("path")] = found.substr(0, number);
  }
  int64_t compared = 0;
  for (const std::string& file : Part("parquet")) {
    if (file.find("/malformed/") != std::string::npos || fs::path(file).extension() != ".parquet") continue;
    if (fs::path(file).filename() == kTooLarge) continue;
    SCOPED_TRACE(file);
    const std::string path = (root() / file).string();
    const ChildResult result = Frazil({"scan", path, "--format", "jsonl"});
    ExpectSoundEnd(result, path);
    if (result.exit_code == 0 && rows.count(file) > 0) {
      EXPECT_EQ(std::to_string(result.output_lines), rows.at(file));
      ++compared;
    }
  }
  EXPECT_GE(compared, 150 / kSampleStep);
}

class TooLarge : public OutsideFiles {
 protected:
  TooLarge() : OutsideFiles("corpus") {}
};

TEST_F(TooLarge, IsRefusedAsABudget) {
  if (!MemoryIsReal()) GTEST_SKIP() << "a sanitizer needs the address space";
  const std::string path = (root() / "parquet/apache-parquet-testing/data" / kTooLarge).string();
  ChildLimits limits;
  limits.address_space_bytes = int64_t{2} << 30;
  const ChildResult result = RunChild({FRAZIL_BINARY, "scan", path, "--format", "jsonl"}, limits);
  EXPECT_EQ(result.exit_code, static_cast<int>(ErrorKind::kBudget)) << result.errors;
  EXPECT_NE(result.errors.find(path), std::string::npos) << result.errors;
  EXPECT_EQ(result.output_lines, 0);
}

// Data that can be read beside metadata that must not be believed.
class MalformedWithRows : public OutsideFiles, public testing::WithParamInterface<LevelSetting> {
 protected:
  MalformedWithRows() : OutsideFiles("corpus/parquet/malformed") {}
};

TEST_P(MalformedWithRows, GiveTheRightOnes) {
  struct Answer {
    const char* file;
    const char* filter;
    int64_t rows;
  };
  const Answer answers[] = {
      {"apache-parquet-testing/bad_data/ARROW-GH-43605.parquet", "", 21186},
      {"apache-parquet-testing/datapage_v1-corrupt-checksum.parquet", "", 5120},
      {"apache-parquet-testing/rle-dict-uncompressed-corrupt-checksum.parquet", "", 1000},
      {"duckdb-duckdb/bloom_filter_bad_numbytes.parquet", "r = 0", 1000},
      {"duckdb-duckdb/bloom_filter_bad_length_range.parquet", "r = 0", 1000},
      {"duckdb-duckdb/bloom_filter_short_numbytes.parquet", "r = 200", 100},
      {"duckdb-duckdb/corrupt_stats.parquet", "", 5},
      {"duckdb-duckdb/out_of_range_stats.parquet", "", 1},
      {"duckdb-duckdb/timetz_4byte_stats.parquet", "", 1},
      {"duckdb-duckdb/invalid_utf8_stats.parquet", "", 3},
      {"duckdb-duckdb/incorrect_index_page_offsets.parquet", "", 10},
      {"apache-impala/alltypes_invalid_pages.parquet", "id IS NOT NULL", 500},
      {"apache-impala/repeated_root_schema.parquet", "", 300},
      {"apache-impala/min_max_is_nan.parquet", "", 2},
      {"facebookincubator-velox/zero_offset_row_group.parquet", "", 1},
      {"facebookincubator-velox/decimal_no_ColumnMetadata.parquet", "", 10},
      {"facebookincubator-velox/gcc_data_diff.parquet", "", 126},
      {"r-lib-nanoparquet/polars-no-dict-offset.parquet", "", 3},
      {"r-lib-nanoparquet/decimal-1.parquet", "", 5},
  };
  for (const Answer& answer : answers) {
    SCOPED_TRACE(testing::Message() << answer.file << ' ' << answer.filter);
    auto table = Table::Open({(root() / answer.file).string()});
    ASSERT_TRUE(table.ok()) << table.status();
    Scan scan = (*table)->NewScan().Filter(answer.filter);
    scan.options().disabled_levels = GetParam().disabled;
    auto reader = scan.ToReader();
    ASSERT_TRUE(reader.ok()) << reader.status();
    auto rows = (*reader)->ToTable();
    ASSERT_TRUE(rows.ok()) << rows.status();
    EXPECT_EQ((*rows)->num_rows(), answer.rows);
    // No count or bound may hide a value.
    for (int i = 0; i < (*rows)->num_columns() && answer.rows <= 10; ++i) {
      auto filtered = (*table)->NewScan().Filter(QuotedPath((*rows)->field(i)->name()) + " IS NOT NULL");
      filtered.options().disabled_levels = GetParam().disabled;
      auto count = filtered.Count();
      ASSERT_TRUE(count.ok()) << count.status();
      EXPECT_EQ(*count, answer.rows - (*rows)->column(i)->null_count());
    }
  }
  const std::pair<const char*, const char*> equals[] = {
      {"duckdb-duckdb/corrupt_stats.parquet", "TIMESTAMP '2021-01-01 12:00:00'"},
      {"duckdb-duckdb/out_of_range_stats.parquet", "255"},
      {"duckdb-duckdb/timetz_4byte_stats.parquet", "TIME '00:00:00'"},
      {"apache-impala/min_max_is_nan.parquet", "42"},
  };
  for (const auto& [file, literal] : equals) {
    SCOPED_TRACE(file);
    auto table = Table::Open({(root() / file).string()});
    ASSERT_TRUE(table.ok()) << table.status();
    Scan scan = (*table)->NewScan().Filter(QuotedPath((*table)->schema()->field(0)->name()) + " = " + literal);
    scan.options().disabled_levels = GetParam().disabled;
    auto count = scan.Count();
    ASSERT_TRUE(count.ok()) << count.status();
    EXPECT_GE(*count, 1);
  }
}

INSTANTIATE_TEST_SUITE_P(, MalformedWithRows, testing::ValuesIn(LevelSettings()), LevelSettingName);

INSTANTIATE_TEST_SUITE_P(, CorpusFiles, testing::Range(size_t{0}, kParts));

}  // namespace
}  // namespace frazil
