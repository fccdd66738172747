// SPDX-License-Identifier: Apache-2.0
//
// Dictionaries as a level: what they rule out and what they prove, nulls, what is believed of a writer's claim that all
// pages use the dictionary, and that a dictionary is read once.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/level_answer.h"
#include "tests/recording_source.h"

namespace frazil {
namespace {

using filegen::ChunkSpec;
using filegen::FileSpec;
using filegen::Node;
using filegen::PageSpec;
using filegen::Value;
using ::parquet::Encoding;
using ::parquet::Type;

constexpr int64_t kRows = 400;

PageSpec DictionaryPage(Encoding::type encoding = Encoding::RLE_DICTIONARY) {
  PageSpec page;
  page.encoding = encoding;
  return page;
}

// Column "c" in dictionary pages of 50 rows, without statistics or indexes; column "row" of the ordinals.
FileSpec OneColumn(Node leaf, const std::vector<Value>& values) {
  FileSpec file;
  leaf.name = "c";
  file.schema = {std::move(leaf), filegen::Leaf("row", Type::INT64, filegen::kRequired)};
  std::vector<filegen::Row> rows;
  for (int64_t i = 0; i < kRows; ++i) rows.push_back({values[static_cast<size_t>(i) % values.size()], Value(i)});
  auto columns = filegen::Shred(file.schema, rows).ValueOrDie();
  auto& group = file.row_groups.emplace_back();
  group.row_count = kRows;
  for (size_t i = 0; i < 2; ++i) {
    ChunkSpec& chunk = group.chunks.emplace_back();
    chunk.data = std::move(columns[i]);
    chunk.pages = filegen::PagesOf(kRows, 50, i == 0 ? DictionaryPage() : PageSpec{});
    chunk.statistics.present = false;
    chunk.index.offset_index = chunk.index.column_index = false;
  }
  return file;
}

FileSpec Texts(const std::vector<std::string>& texts, bool nulls = false) {
  std::vector<Value> values;
  for (const std::string& text : texts) values.emplace_back(text);
  if (nulls) values.emplace_back();
  return OneColumn(filegen::StringLeaf("c"), values);
}

ChunkSpec& ChunkOf(FileSpec& file) { return file.row_groups[0].chunks[0]; }

using Answer = LevelAnswer;

Answer Ask(std::shared_ptr<ByteSource> source, const std::string& filter) {
  return AskLevel(Level::kDictionary, std::move(source), filter, {Level::kDictionary});
}

Answer Ask(const FileSpec& file, const std::string& filter, const std::vector<Level>& levels = {}) {
  return AskLevel(Level::kDictionary, file, filter, levels);
}

TEST(Dictionary, RulesOutAnyTest) {
  const FileSpec file = Texts({"apple", "banana", "cherry"}, true);
  for (const char* filter : {"c = 'fig'", "c IN ('fig', 'apples')", "c LIKE '%x%'", "c LIKE '_'", "c < 'apple'",
                             "c > 'cherry'", "c NOT IN ('apple', 'banana', 'cherry')", "c BETWEEN 'd' AND 'z'"}) {
    EXPECT_EQ(Ask(file, filter).kept, 0) << filter;
    EXPECT_EQ(Ask(file, filter).unusable, "") << filter;
  }
  for (const char* filter : {"c = 'fig' OR c IS NULL", "c IS NULL", "c <> 'apple'", "c LIKE '%rr%'", "c IS NOT NULL",
                             "c = 'fig' OR row = 7", "c NOT IN ('apple', 'banana')"}) {
    EXPECT_EQ(Ask(file, filter).kept, 1) << filter;
    EXPECT_GT(Ask(file, filter).rows, 0) << filter;
  }
  EXPECT_EQ(Ask(file, "c = 'fig' AND row = 7").kept, 0);
}

TEST(Dictionary, ProvesAnyTest) {
  FileSpec file = Texts({"apple", "banana", "cherry"});
  file.schema[0].repetition = filegen::kRequired;
  for (auto& level : ChunkOf(file).data.def_levels) level = 0;
  EXPECT_EQ(Ask(file, "c LIKE '%a%' OR c LIKE '%e%'").rows, kRows);
  EXPECT_EQ(Ask(file, "c <> 'fig'").rows_proven, kRows);
  EXPECT_EQ(Ask(file, "c LIKE '%e%' OR c = 'banana'").rows, kRows);
  EXPECT_EQ(Ask(file, "c < 'd'").rows_proven, kRows);
  EXPECT_EQ(Ask(file, "c <> 'apple'").rows_proven, 0);
  // Nulls are in no dictionary: only a count of them proves.
  FileSpec nullable = Texts({"apple", "banana", "cherry"});
  EXPECT_EQ(Ask(nullable, "c <> 'fig'").rows_proven, 0);
  ChunkOf(nullable).statistics.present = true;
  EXPECT_EQ(Ask(nullable, "c LIKE '%'", {Level::kRowGroup, Level::kDictionary}).rows_proven, kRows);
  EXPECT_EQ(Ask(nullable, "c LIKE '_____%'", {Level::kRowGroup, Level::kDictionary}).rows_proven, kRows);
  EXPECT_EQ(Ask(nullable, "c LIKE '_____%'", {Level::kDictionary}).rows_proven, 0);
  FileSpec nulls = Texts({"apple", "banana"}, true);
  ChunkOf(nulls).statistics.present = true;
  EXPECT_EQ(Ask(nulls, "c LIKE '_____%'", {Level::kRowGroup, Level::kDictionary}).rows_proven, 0);
  EXPECT_EQ(Ask(nulls, "c LIKE '_____%' OR c IS NULL", {Level::kRowGroup, Level::kDictionary}).rows, kRows);
}

TEST(Dictionary, OfEveryType) {
  struct Case {
    Node leaf;
    std::vector<Value> values;
    const char* there;
    const char* absent;
  };
  const std::vector<Case> cases{
      {filegen::IntLeaf("c", 8, false), {Value(int32_t{200}), Value(int32_t{7}), Value()}, "c = 200", "c IN (6, 201)"},
      {filegen::Leaf("c", Type::INT32), {Value(int32_t{-5}), Value()}, "c < 0", "c > 0"},
      {filegen::Leaf("c", Type::INT64), {Value(int64_t{5}), Value(int64_t{9})}, "c > 5", "c > 5 AND c < 9"},
      {filegen::Leaf("c", Type::INT96),
       {Value(filegen::Int96{{1000, 0, 2'440'588}})},
       "c = TIMESTAMP '1970-01-01T00:00:00.000001'",
       "c < TIMESTAMP '1970-01-01T00:00:00'"},
      {filegen::Leaf("c", Type::FLOAT), {Value(0.5F), Value(-0.0F)}, "c = 0", "c > 0.5"},
      {filegen::Leaf("c", Type::DOUBLE), {Value(std::nan("")), Value(1.0)}, "c > 1", "c < 1"},
      {filegen::DecimalLeaf("c", Type::FIXED_LEN_BYTE_ARRAY, 38, 2, 16),
       {Value(std::string(15, '\0') + "\x64")},
       "c = 1",
       "c <> 1"},
      {filegen::DecimalLeaf("c", Type::BYTE_ARRAY, 9, 2),
       {Value(std::string("\x64")), Value(std::string("\xff"))},
       "c = 1",
       "c = 2"},
      {filegen::UuidLeaf("c"),
       {Value(std::string(16, 'a'))},
       "c = '61616161-6161-6161-6161-616161616161'",
       "c > '61616161-6161-6161-6161-616161616161'"},
      {filegen::DateLeaf("c"), {Value(int32_t{19723}), Value()}, "c = DATE '2024-01-01'", "c = DATE '2024-01-02'"},
      {filegen::TimestampLeaf("c", filegen::TimeUnit::kMilli, true),
       {Value(int64_t{1001})},
       "c = TIMESTAMP '1970-01-01T00:00:01.001Z'",
       "c = TIMESTAMP '1970-01-01T00:00:01Z'"},
      {filegen::Float16Leaf("c"), {Value(std::string("\x00\x3e", 2))}, "c = 1.5", "c < 1.5"},
  };
  for (const Case& one : cases) {
    const FileSpec file = OneColumn(one.leaf, one.values);
    EXPECT_GT(Ask(file, one.there).rows, 0) << one.there;
    EXPECT_EQ(Ask(file, one.absent).kept, 0) << one.absent;
    EXPECT_EQ(Ask(file, one.absent).unusable, "") << one.absent;
  }
}

TEST(Dictionary, OfNothingButNulls) {
  FileSpec file = OneColumn(filegen::StringLeaf("c"), {Value()});
  ChunkOf(file).dictionary.always = true;
  EXPECT_EQ(Ask(file, "c = 'x' OR c IS NULL").rows, kRows);
  EXPECT_EQ(Ask(file, "c = 'x'").rows, 0);
}

TEST(Dictionary, ProvesNothingWhenAPageIsPlain) {
  FileSpec file = Texts({"apple", "banana", "cherry"});
  for (size_t i = 4; i < ChunkOf(file).pages.size(); ++i) ChunkOf(file).pages[i].encoding = Encoding::PLAIN;
  Answer answer = Ask(file, "c = 'fig'");
  EXPECT_EQ(answer.kept, 1);
  EXPECT_EQ(answer.requests("dictionaries"), 0);
  // Without statistics of encodings nothing is proven: PLAIN may be the dictionary's own.
  file = Texts({"apple", "banana", "cherry"});
  ChunkOf(file).encoding_stats = false;
  answer = Ask(file, "c = 'fig'");
  EXPECT_EQ(answer.kept, 1);
  EXPECT_NE(answer.unusable.find("does not tell"), std::string::npos) << answer.unusable;
  // Nor when the list names nothing else: writers leave out what they fell back to.
  ChunkOf(file).edit_metadata = [](filegen::ColumnChunkMetadata& metadata) { metadata.encodings = {8}; };
  EXPECT_EQ(Ask(file, "c = 'fig'").kept, 1);
  // As old writers name them.
  file = Texts({"apple", "banana", "cherry"});
  for (PageSpec& page : ChunkOf(file).pages) page.encoding = Encoding::PLAIN_DICTIONARY;
  ChunkOf(file).dictionary.encoding = Encoding::PLAIN_DICTIONARY;
  EXPECT_EQ(Ask(file, "c = 'fig'").kept, 0);
  EXPECT_GT(Ask(file, "c = 'apple'").rows, 0);
}

TEST(Dictionary, ClaimsThatContradictThemselvesAreNotBelieved) {
  // The second half is plain, and has values that the dictionary lacks.
  std::vector<Value> values;
  for (int64_t i = 0; i < kRows; ++i) values.emplace_back(i < kRows / 2 ? "apple" : "fig");
  FileSpec file = OneColumn(filegen::StringLeaf("c"), values);
  for (size_t i = 4; i < ChunkOf(file).pages.size(); ++i) ChunkOf(file).pages[i].encoding = Encoding::PLAIN;
  const auto claimed = [&](const std::function<void(filegen::ColumnChunkMetadata&)>& edit,
                           const std::vector<Level>& levels = {Level::kDictionary}) {
    FileSpec edited = file;
    ChunkOf(edited).edit_metadata = edit;
    return Ask(edited, "c LIKE '%ig'", levels);
  };
  using Metadata = filegen::ColumnChunkMetadata;
  const auto drop_plain = [](Metadata& m) {
    std::erase_if(m.encoding_stats, [](const auto& stats) { return stats.page_type == 0 && stats.encoding == 0; });
  };
  // A fallback that is left out of the statistics: other evidence speaks against it.
  Answer answer = claimed([&](Metadata& m) { drop_plain(m), m.encodings = {8, 3, 0, 7}; });
  EXPECT_EQ(answer.rows, kRows / 2);
  EXPECT_NE(answer.unusable.find("contradict the list"), std::string::npos) << answer.unusable;
  answer = claimed([&](Metadata& m) { drop_plain(m), m.encodings = {3, 0}; });
  EXPECT_NE(answer.unusable.find("contradict the list"), std::string::npos) << answer.unusable;
  answer = claimed([](Metadata& m) { m.encoding_stats[0].count = -1; });
  EXPECT_EQ(answer.rows, kRows / 2);
  EXPECT_EQ(answer.kept, 1);
  ChunkOf(file).index.offset_index = true;
  answer = claimed(drop_plain, {Level::kDictionary, Level::kPageIndex});
  EXPECT_EQ(answer.rows, kRows / 2);
  EXPECT_NE(answer.unusable.find("fewer pages"), std::string::npos) << answer.unusable;
  ChunkOf(file).index.offset_index = false;
  ChunkOf(file).statistics.present = true;
  answer = claimed(drop_plain, {Level::kDictionary, Level::kRowGroup});
  EXPECT_EQ(answer.rows, kRows / 2);
  EXPECT_NE(answer.unusable.find("lacks a value"), std::string::npos) << answer.unusable;
}

TEST(Dictionary, DamagedIsNotUsedAndTheDataTellOfIt) {
  const auto damaged = [](const std::function<void(filegen::PageHeader&)>& edit_header,
                          const std::function<void(std::string&)>& edit_body) {
    FileSpec file = Texts({"apple", "banana", "cherry"});
    ChunkOf(file).dictionary.edit_header = edit_header;
    ChunkOf(file).dictionary.edit_body = edit_body;
    auto table =
        Table::OpenSources({FromBuffer(filegen::WriteFile(file).ValueOrDie(), "damaged.parquet")}).ValueOrDie();
    return table->NewScan().Filter("c = 'cherry'").Threads(1).Count();
  };
  // Fewer entries than there are: believed, the last one would be lost.
  EXPECT_FALSE(damaged([](filegen::PageHeader& header) { header.num_values = 2; }, nullptr).ok());
  EXPECT_FALSE(damaged([](filegen::PageHeader& header) { header.num_values = 4; }, nullptr).ok());
  EXPECT_FALSE(damaged(nullptr, [](std::string& body) { body[0] = '\x7f'; }).ok());
  EXPECT_FALSE(damaged([](filegen::PageHeader& header) { header.type = 0; }, nullptr).ok());
}

TEST(Dictionary, IsReadOnceAndOnlyWhereItMayPay) {
  std::vector<Value> values;
  for (int i = 0; i < 90; ++i) values.emplace_back("value " + std::to_string(i));
  FileSpec file = OneColumn(filegen::StringLeaf("c"), values);
  file.footer_gap_bytes = 100'000;
  const auto buffer = filegen::WriteFile(file).ValueOrDie();
  const CostModel cost{1'000, 1'000'000'000, 16 << 20, 1};
  const auto source_of = [&](const std::shared_ptr<arrow::Buffer>& bytes) {
    return std::make_shared<RecordingSource>(bytes, "dictionary.parquet", cost);
  };
  // The dictionary is a kilobyte, the pages half of one: no request is worth it.
  EXPECT_EQ(Ask(source_of(buffer), "c = 'fig'").requests("dictionaries"), 0);
  // Long pages of a large chunk.
  FileSpec large = file;
  large.row_groups[0].row_count = 20 * kRows;
  std::vector<filegen::Row> rows;
  for (int64_t i = 0; i < 20 * kRows; ++i) rows.push_back({values[static_cast<size_t>(i * 7 % 90)], Value(i)});
  auto columns = filegen::Shred(large.schema, rows).ValueOrDie();
  for (size_t i = 0; i < 2; ++i) {
    large.row_groups[0].chunks[i].data = columns[i];
    large.row_groups[0].chunks[i].pages = filegen::PagesOf(20 * kRows, 1000, i == 0 ? DictionaryPage() : PageSpec{});
  }
  const auto bytes = filegen::WriteFile(large).ValueOrDie();
  for (const char* filter : {"c = 'fig'", "c = 'value 7'"}) {
    auto source = source_of(bytes);
    auto table = Table::OpenSources({source}).ValueOrDie();
    Scan scan = table->NewScan().Filter(filter).Threads(1);
    auto read = scan.ToReader().ValueOrDie()->ToTable().ValueOrDie();
    std::vector<ByteRange> seen = source->requests();
    std::sort(seen.begin(), seen.end(), [](const auto& a, const auto& b) { return a.offset < b.offset; });
    for (size_t i = 1; i < seen.size(); ++i) EXPECT_GE(seen[i].offset, seen[i - 1].end()) << filter << ": read twice";
    const Answer answer = Ask(source_of(bytes), filter);
    EXPECT_EQ(answer.requests("dictionaries"), 1) << filter;
    EXPECT_EQ(answer.requests("pages") + answer.requests("filter pages") > 0, answer.rows > 0) << filter;
  }
}

}  // namespace
}  // namespace frazil
