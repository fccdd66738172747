// SPDX-License-Identifier: Apache-2.0
//
// Bloom filters as a level: the algebra with bounds, filters of all sizes and places, what is read of them, and filters
// that are not to be used. A row group that is ruled out is one that a full read finds empty.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <arrow/table.h>
#include <gtest/gtest.h>

#include "tests/bloom_file.h"
#include "tests/level_answer.h"
#include "tests/recording_source.h"

namespace frazil {
namespace {

using filegen::BloomPlacement;
using filegen::FileSpec;
using filegen::Node;
using filegen::Value;
using ::parquet::Type;

using Answer = LevelAnswer;

Answer Ask(std::shared_ptr<ByteSource> source, const std::string& filter, const std::vector<Level>& levels) {
  return AskLevel(Level::kBloom, std::move(source), filter, levels);
}

Answer Ask(const FileSpec& file, const std::string& filter, const std::vector<Level>& levels = {}) {
  return AskLevel(Level::kBloom, file, filter, levels);
}

std::vector<Value> Numbers(int64_t begin, int64_t end, int64_t step = 1) {
  std::vector<Value> values;
  for (int64_t i = begin; i < end; i += step) values.emplace_back(i);
  return values;
}

FileSpec Int64s(int64_t begin, int64_t end, int64_t step, int32_t bitset_bytes = 1024) {
  return OneColumn(filegen::Leaf("c", Type::INT64), Numbers(begin, end, step), bitset_bytes);
}

TEST(Bloom, NaNIsNeverRuledOut) {
  const FileSpec file = OneColumn(filegen::Leaf("c", Type::DOUBLE), {Value(std::nan("")), Value(1.0)});
  for (const char* filter : {"c = 'NaN'", "c IS NAN", "c IN (5, 'NaN')", "c > 1"}) {
    const Answer answer = Ask(file, filter);
    EXPECT_EQ(answer.rows, 1) << filter;
    EXPECT_EQ(answer.kept, 1) << filter;
  }
  EXPECT_EQ(Ask(file, "c = 5").kept, 0);
}

TEST(Bloom, NullsAreNotInIt) {
  FileSpec file = OneColumn(filegen::Leaf("c", Type::INT64), {Value(int64_t{1}), Value()});
  EXPECT_EQ(Ask(file, "c = 5 OR c IS NULL").rows, 1);
  EXPECT_EQ(Ask(file, "c = 5").kept, 0);
  EXPECT_EQ(Ask(file, "c <> 5").kept, 1);
  // Where statistics count no null, the question is only after 5.
  file = OneColumn(filegen::Leaf("c", Type::INT64), {Value(int64_t{1}), Value(int64_t{9})});
  file.row_groups[0].chunks[0].statistics.present = true;
  EXPECT_EQ(Ask(file, "c = 5 OR c IS NULL", {Level::kRowGroup, Level::kBloom}).kept, 0);
  EXPECT_EQ(Ask(file, "c = 5 OR c IS NULL").kept, 1) << "without statistics there may be nulls";
}

TEST(Bloom, AnswersTogetherWithBounds) {
  // 0, 2, ..., 98.
  FileSpec file = Int64s(0, 100, 2);
  file.row_groups[0].chunks[0].statistics.present = true;
  const std::vector<Level> both{Level::kRowGroup, Level::kBloom};
  EXPECT_EQ(Ask(file, "c = 3 OR c > 98", both).kept, 0);
  EXPECT_EQ(Ask(file, "c = 4 OR c > 98", both).rows, 1);
  EXPECT_EQ(Ask(file, "c = 3 OR c > 96", both).rows, 1) << "98 lies above";
  EXPECT_EQ(Ask(file, "c > 98 OR c IN (1, 200, -7)", both).kept, 0);
  EXPECT_EQ(Ask(file, "NOT (c <> 3)", both).kept, 0);
  // Neither can tell alone.
  EXPECT_EQ(Ask(file, "c = 3 OR c > 98", {Level::kRowGroup}).row_groups_kept, 1);
  EXPECT_EQ(Ask(file, "c = 3 OR c > 98").kept, 1);
}

// a = 0, 2, ..., 98, with the filter of each its own; b = a + 1000.
FileSpec TwoColumns() {
  FileSpec file = Int64s(0, 100, 2);
  FileSpec other = Int64s(1000, 1100, 2);
  file.schema[0].name = "a";
  file.schema.push_back(other.schema[0]);
  file.schema[1].name = "b";
  file.row_groups[0].chunks.push_back(other.row_groups[0].chunks[0]);
  return file;
}

TEST(Bloom, EachColumnIsAskedOfItsOwnFilter) {
  const FileSpec file = TwoColumns();
  EXPECT_EQ(Ask(file, "a = 4 AND b = 1004").rows, 1);
  EXPECT_EQ(Ask(file, "a = 99 OR b = 1004").rows, 1);
  EXPECT_EQ(Ask(file, "a = 4 AND b = 4").kept, 0);
  EXPECT_EQ(Ask(file, "a = 5 OR b = 5").kept, 0);
  EXPECT_EQ(Ask(file, "a = 5 OR b > 5").rows, 50);
  EXPECT_EQ(Ask(file, "a = 5 AND b > 5").kept, 0);
  EXPECT_EQ(Ask(file, "(a = 5 OR b = 5) AND (a = 4 OR b > 0)").kept, 0);
}

TEST(Bloom, OfNestedFieldsAndNotOfRepeatedOnes) {
  FileSpec file;
  file.schema = {filegen::StructOf("s", {filegen::Leaf("v", Type::INT64)})};
  std::vector<filegen::Row> rows;
  for (int64_t i = 0; i < 20; ++i) rows.push_back({i % 3 == 0 ? Value() : Value(filegen::Struct{{Value(2 * i)}})});
  auto columns = filegen::Shred(file.schema, rows).ValueOrDie();
  auto& group = file.row_groups.emplace_back();
  group.row_count = 20;
  auto& chunk = group.chunks.emplace_back();
  chunk.data = columns[0];
  chunk.pages = filegen::PagesOf(20, 20);
  chunk.bloom_filter.bitset_bytes = 256;
  EXPECT_EQ(Ask(file, "s.v = 8").rows, 1);
  EXPECT_EQ(Ask(file, "s.v = 9").kept, 0);
}

TEST(Bloom, OfAnySizeAndPlace) {
  for (BloomPlacement placement :
       {BloomPlacement::kAfterRowGroup, BloomPlacement::kBesideChunk, BloomPlacement::kAfterData,
        BloomPlacement::kColumnMajor, BloomPlacement::kAfterIndexes, BloomPlacement::kBackwards}) {
    for (const bool length : {true, false}) {
      for (const int32_t bytes : {96, 992, 1024, 4096, 8192, 32 * 1001}) {
        FileSpec file = Int64s(0, 4000, 2, bytes);
        file.bloom_placement = placement;
        for (int64_t begin : {4000, 8000})
          file.row_groups.push_back(Int64s(begin, begin + 4000, 2, bytes).row_groups[0]);
        for (auto& group : file.row_groups) group.chunks[0].bloom_filter.declare_length = length;
        SCOPED_TRACE(testing::Message() << "placement " << static_cast<int>(placement) << ", length " << length << ", "
                                        << bytes << " bytes");
        const auto buffer = filegen::WriteFile(file).ValueOrDie();
        for (const CostModel& cost :
             {CostModel{1'000, 1'000'000'000, 16 << 20, 1}, CostModel::LocalFile(), CostModel::Memory()}) {
          const auto source = [&] { return std::make_shared<RecordingSource>(buffer, "bloom.parquet", cost); };
          EXPECT_EQ(Ask(source(), "c = 4002", {Level::kBloom}).rows, 1);
          EXPECT_EQ(Ask(source(), "c IN (4002, 10000, 11998)", {Level::kBloom}).rows, 3);
          const Answer miss = Ask(source(), "c = 4001", {Level::kBloom});
          EXPECT_EQ(miss.unusable, "");
          if (bytes >= 4096) {
            EXPECT_EQ(miss.kept, 0);  // enough bits for a certain answer to this value
          }
        }
      }
    }
  }
}

// What is requested: header and block alone where the rest costs more than a request.
TEST(Bloom, OnlyTheBlockIsReadWhereThatIsCheaper) {
  FileSpec file = Int64s(0, 40'000, 2, 128 << 10);
  file.row_groups.push_back(Int64s(40'000, 80'000, 2, 128 << 10).row_groups[0]);
  file.footer_gap_bytes = 1 << 20;  // no filter in the tail
  const auto buffer = filegen::WriteFile(file).ValueOrDie();
  const auto bloom_bytes = [&](const CostModel& cost, const std::string& filter, int64_t* requests) {
    const Answer answer =
        Ask(std::make_shared<RecordingSource>(buffer, "bloom.parquet", cost), filter, {Level::kBloom});
    *requests = answer.requests("bloom filters");
    return *requests == 0 ? int64_t{-1} : answer.steps.at("bloom filters").bytes;
  };
  int64_t requests = 0;
  // 1 kB between requests: 17 bytes of header and a block of 32 of each filter.
  EXPECT_EQ(bloom_bytes({1'000, 1'000'000'000, 16 << 20, 1}, "c = 4001", &requests), 2 * (17 + 32));
  EXPECT_EQ(requests, 4);
  // 3 MB between requests, one at a time: all in one.
  EXPECT_GT(bloom_bytes({30'000'000, 100'000'000, 16 << 20, 1}, "c = 4001", &requests), 128 << 10);
  EXPECT_EQ(requests, 1);
  // The same with many at a time: the blocks.
  EXPECT_EQ(bloom_bytes(CostModel::ObjectStore(), "c = 4001", &requests), 2 * (17 + 32));
  EXPECT_EQ(requests, 4);
  // A block that several values map to is read once, and no more than the filter is read for many.
  std::string list = "c IN (1";
  for (int i = 3; i < 20'000; i += 2) list += ", " + std::to_string(i);
  EXPECT_LE(bloom_bytes({1'000, 1'000'000'000, 16 << 20, 1}, list + ")", &requests), 2 * (17 + (128 << 10)));
}

TEST(Bloom, WhatIsDamagedOrUnknownIsNotUsed) {
  const auto edited = [](const std::function<void(std::string&)>& edit, bool length = true) {
    FileSpec file = Int64s(0, 100, 2);
    file.row_groups[0].chunks[0].bloom_filter.edit_bytes = edit;
    file.row_groups[0].chunks[0].bloom_filter.declare_length = length;
    return file;
  };
  for (const bool length : {true, false}) {
    // Bytes 4, 8 and 12 tell the members of the three unions.
    for (const size_t at : {4, 8, 12}) {
      const Answer answer = Ask(edited([at](std::string& bytes) { bytes[at] = '\x2c'; }, length), "c = 5");
      EXPECT_EQ(answer.kept, 1);
      EXPECT_NE(answer.unusable.find("is not known (number 2)"), std::string::npos) << answer.unusable;
    }
    Answer answer = Ask(edited([](std::string& bytes) { bytes[1] = '\x81'; }, length), "c = 5");
    EXPECT_NE(answer.unusable.find("whole blocks"), std::string::npos) << answer.unusable;
    EXPECT_EQ(answer.kept, 1);
    answer = Ask(edited([](std::string& bytes) { bytes[0] = '\0'; }, length), "c = 5");
    EXPECT_EQ(answer.kept, 1);
    EXPECT_NE(answer.unusable, "");
  }
  const auto moved = [](const std::function<void(filegen::ColumnChunkMetadata&)>& edit) {
    FileSpec file = Int64s(0, 100, 2);
    file.row_groups[0].chunks[0].edit_metadata = edit;
    return Ask(file, "c = 5");
  };
  using Metadata = filegen::ColumnChunkMetadata;
  EXPECT_EQ(moved([](Metadata&) {}).kept, 0);
  const std::vector<std::pair<std::function<void(Metadata&)>, const char*>> lies{
      {[](Metadata& m) { m.bloom_filter_offset.reset(); }, nullptr},
      {[](Metadata& m) { m.bloom_filter_offset = 0; }, nullptr},
      {[](Metadata& m) { m.bloom_filter_offset = -4; }, nullptr},
      {[](Metadata& m) { m.bloom_filter_offset = 1 << 30; }, "outside the file"},
      {[](Metadata& m) { m.bloom_filter_offset = INT64_MAX; }, "outside the file"},
      {[](Metadata& m) { *m.bloom_filter_offset += 1; }, "the bloom filter"},
      {[](Metadata& m) { *m.bloom_filter_offset += 32; }, "the bloom filter"},
      {[](Metadata& m) { m.bloom_filter_length = 16 + 2048; }, "the bloom filter"},
      {[](Metadata& m) { m.bloom_filter_length = 16 + 512; }, "contradicts its length"},
      {[](Metadata& m) { m.bloom_filter_length = 7; }, "contradicts its length"},
      {[](Metadata& m) { m.bloom_filter_length = INT32_MAX; }, "the bloom filter"},
  };
  for (const auto& [lie, reason] : lies) {
    const Answer answer = moved(lie);
    EXPECT_EQ(answer.kept, 1);
    if (reason == nullptr) {  // as if there were none
      EXPECT_EQ(answer.unusable, "");
    } else {
      EXPECT_NE(answer.unusable.find(reason), std::string::npos) << answer.unusable;
    }
  }
  // A length that the footer does not tell, or that makes no sense, costs nothing but a round.
  EXPECT_EQ(moved([](Metadata& m) { m.bloom_filter_length = -3; }).kept, 0);
  EXPECT_EQ(moved([](Metadata& m) { m.bloom_filter_length = 0; }).kept, 0);
}

TEST(Bloom, IsNotReadWhereItCostsMoreThanTheColumn) {
  FileSpec file = Int64s(0, 100, 2, 1 << 20);
  file.footer_gap_bytes = 200'000;
  const Answer answer = Ask(file, "c IN (1, 3, 5)");
  EXPECT_EQ(answer.kept, 0) << "three blocks are less";
  std::string list = "c IN (1";
  for (int i = 3; i < 200; i += 2) list += ", " + std::to_string(i);
  const Answer many = Ask(file, list + ")");
  EXPECT_NE(many.unusable.find("costs more"), std::string::npos) << many.unusable;
  EXPECT_EQ(many.kept, 1);
}

}  // namespace
}  // namespace frazil
