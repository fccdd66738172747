// SPDX-License-Identifier: Apache-2.0
//
// Every part of a file with single bits turned over. What can be promised depends on what the format protects:
//
//   page bodies     have checksums: with verify_checksums, the right rows or an error, always
//   page headers    have none, but their counts must add up to the index and to the footer: the right rows or an error
//                   (of chunks that are fetched whole; a larger one without an index is believed as far as it is read)
//   offset index    is contradicted by the pages that it points at: the right rows or an error, always
//   column index    has no checksum: what contradicts itself or the footer is not used; a bound that stays sound but
//                   says too little loses rows, as any reader's; switched off, it harms nothing
//   bloom filter    has no checksum: a header that is damaged is not used, where the footer tells the length; a bit of
//   a
//                   value that is lost loses its rows, as any reader's; switched off, it harms nothing
//   footer          has no checksum: an error or a table, never a crash
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <arrow/table.h>
#include <gtest/gtest.h>

#include "frazil/table.h"
#include "tests/filegen/write.h"

namespace frazil {
namespace {

using filegen::ChunkSpec;
using filegen::PageSpec;
using filegen::Value;

constexpr int64_t kRows = 120;
constexpr const char* kName = "flipped.parquet";

struct FlipFile {
  std::string bytes;
  filegen::FileLayout layout;
};

// id (V1), name (dictionary, V2), tags (list, V1), every page with a checksum.
FlipFile MakeFile(arrow::Compression::type codec) {
  filegen::FileSpec file;
  file.schema = {filegen::Leaf("id", ::parquet::Type::INT64, filegen::kRequired), filegen::StringLeaf("name"),
                 filegen::ListOf("tags", filegen::Leaf("element", ::parquet::Type::INT32))};
  std::vector<filegen::Row> rows;
  for (int64_t i = 0; i < kRows; ++i) {
    filegen::List tags;
    for (int64_t j = 0; j < i % 3; ++j) tags.items.emplace_back(static_cast<int32_t>(10 * i + j));
    rows.push_back({Value(i), i % 7 == 0 ? Value() : Value("name-" + std::to_string(i % 5)),
                    i % 11 == 0 ? Value() : Value(std::move(tags))});
  }
  auto columns = filegen::Shred(file.schema, rows).ValueOrDie();
  filegen::RowGroupSpec& group = file.row_groups.emplace_back();
  group.row_count = kRows;
  const int64_t page_rows[] = {30, 40, 25};
  for (size_t i = 0; i < columns.size(); ++i) {
    PageSpec page;
    page.crc = filegen::CrcPolicy::kRight;
    page.version = i == 1 ? 2 : 1;
    if (i == 1) page.encoding = ::parquet::Encoding::RLE_DICTIONARY;
    ChunkSpec& chunk = group.chunks.emplace_back();
    chunk.data = std::move(columns[i]);
    chunk.pages = filegen::PagesOf(kRows, page_rows[i], page);
    chunk.codec = codec;
    chunk.dictionary.crc = filegen::CrcPolicy::kRight;
    if (i < 2) chunk.bloom_filter.bitset_bytes = 64;
  }
  FlipFile out;
  out.bytes = filegen::WriteFile(file, &out.layout).ValueOrDie()->ToString();
  return out;
}

struct Query {
  std::string filter;
  std::vector<Level> disabled = {};
};

const std::vector<Query>& Queries() {
  static const std::vector<Query> kQueries{{"id BETWEEN 40 AND 70"},
                                           {"name = 'name-3' AND id < 100"},
                                           {"id BETWEEN 40 AND 70", AllLevels()},
                                           {""},
                                           {"id = 47"},
                                           {"id = 47 OR name = 'x'", AllLevels()}};
  return kQueries;
}

arrow::Result<std::shared_ptr<arrow::Table>> Run(const std::string& bytes, const Query& query) {
  ARROW_ASSIGN_OR_RAISE(auto table, Table::OpenSources({FromBuffer(arrow::Buffer::FromString(bytes), kName)}));
  Scan scan = table->NewScan().Filter(query.filter).Threads(1);
  scan.options().disabled_levels = query.disabled;
  scan.options().verify_checksums = true;
  ARROW_ASSIGN_OR_RAISE(auto reader, scan.ToReader());
  ARROW_ASSIGN_OR_RAISE(auto rows, reader->ToTable());
  ARROW_RETURN_NOT_OK(rows->ValidateFull());
  return rows;
}

struct Tally {
  int64_t flips = 0;
  int64_t same = 0;
  int64_t errors = 0;
  std::vector<std::string> other;  // where the rows were others
};

// Turns over bits [0, 8) of every byte of `ranges`, or one of each byte, and runs every query.
Tally Flip(
    const FlipFile& file, const std::vector<ByteRange>& ranges, bool every_bit,
    const std::function<bool(const Query&)>& asked = [](const Query&) { return true; }) {
  std::vector<std::shared_ptr<arrow::Table>> want;
  for (const Query& query : Queries()) want.push_back(Run(file.bytes, query).ValueOrDie());
  Tally tally;
  std::string bytes = file.bytes;
  for (const ByteRange& range : ranges) {
    for (int64_t at = range.offset; at < range.end(); ++at) {
      for (int bit = 0; bit < 8; ++bit) {
        if (!every_bit && bit != at * 5 % 8) continue;
        char& byte = bytes[static_cast<size_t>(at)];
        byte = static_cast<char>(byte ^ (1 << bit));
        for (size_t i = 0; i < Queries().size(); ++i) {
          if (!asked(Queries()[i])) continue;
          ++tally.flips;
          auto got = Run(bytes, Queries()[i]);
          if (!got.ok()) {
            ++tally.errors;
            EXPECT_NE(got.status().message().find(kName), std::string::npos) << got.status();
            EXPECT_NE(KindOf(got.status()), ErrorKind::kInternal) << got.status();
          } else if ((*got)->Equals(*want[i])) {
            ++tally.same;
          } else {
            tally.other.push_back("byte " + std::to_string(at) + " bit " + std::to_string(bit) + " query " +
                                  std::to_string(i));
          }
        }
        byte = static_cast<char>(byte ^ (1 << bit));
      }
    }
  }
  return tally;
}

std::vector<ByteRange> Bodies(const FlipFile& file, bool bodies) {
  std::vector<ByteRange> out;
  for (const filegen::ChunkLayout& chunk : file.layout.chunks[0]) {
    for (const filegen::PageLayout& page : chunk.pages) {
      const ByteRange header{page.range.offset, page.header_bytes};
      out.push_back(bodies ? ByteRange{header.end(), page.range.end() - header.end()} : header);
    }
  }
  return out;
}

std::vector<ByteRange> Indexes(const FlipFile& file, std::optional<ByteRange> filegen::ChunkLayout::*index) {
  std::vector<ByteRange> out;
  for (const filegen::ChunkLayout& chunk : file.layout.chunks[0]) out.push_back(*(chunk.*index));
  return out;
}

std::vector<ByteRange> Filters(const FlipFile& file) {
  return {*file.layout.chunks[0][0].bloom_filter, *file.layout.chunks[0][1].bloom_filter};
}

std::string Examples(const Tally& tally) {
  std::string text = std::to_string(tally.other.size()) + " of " + std::to_string(tally.flips) + " gave other rows:";
  for (size_t i = 0; i < std::min<size_t>(10, tally.other.size()); ++i) text += "\n  " + tally.other[i];
  return text;
}

class BitFlips : public testing::TestWithParam<arrow::Compression::type> {};

TEST_P(BitFlips, InPageBodiesAreErrors) {
  const Tally tally = Flip(MakeFile(GetParam()), Bodies(MakeFile(GetParam()), true), /*every_bit=*/false);
  EXPECT_TRUE(tally.other.empty()) << Examples(tally);
  EXPECT_GT(tally.errors, tally.flips / 3);
  EXPECT_GT(tally.same, 0);  // pages that are not read
}

TEST_P(BitFlips, InPageHeadersAreErrorsOrHarmless) {
  const Tally tally = Flip(MakeFile(GetParam()), Bodies(MakeFile(GetParam()), false), /*every_bit=*/true);
  EXPECT_TRUE(tally.other.empty()) << Examples(tally);
}

TEST_P(BitFlips, InTheDictionaryAreErrors) {
  const FlipFile file = MakeFile(GetParam());
  const Tally tally = Flip(file, {*file.layout.chunks[0][1].dictionary}, /*every_bit=*/true);
  EXPECT_TRUE(tally.other.empty()) << Examples(tally);
  EXPECT_GT(tally.errors, 0);
}

TEST_P(BitFlips, InTheOffsetIndexGiveTheRowsOrAnError) {
  const FlipFile file = MakeFile(GetParam());
  const Tally tally = Flip(file, Indexes(file, &filegen::ChunkLayout::offset_index), /*every_bit=*/true);
  EXPECT_TRUE(tally.other.empty()) << Examples(tally);
  EXPECT_GT(tally.same, tally.errors);
}

TEST_P(BitFlips, InTheColumnIndexAreHarmlessWhereItIsNotUsed) {
  const FlipFile file = MakeFile(GetParam());
  const auto ranges = Indexes(file, &filegen::ChunkLayout::column_index);
  const Tally off = Flip(file, ranges, true, [](const Query& query) { return !query.disabled.empty(); });
  EXPECT_EQ(off.same, off.flips);
  const Tally on = Flip(file, ranges, true, [](const Query& query) { return query.disabled.empty(); });
  EXPECT_EQ(on.errors, 0);
  // Bounds that stay sound: few, for most contradict their neighbours or the footer.
  EXPECT_LT(static_cast<int64_t>(on.other.size()), on.flips / 20) << Examples(on);
}

TEST_P(BitFlips, InHeadersOfBloomFiltersAreHarmless) {
  const FlipFile file = MakeFile(GetParam());
  std::vector<ByteRange> headers;
  for (const ByteRange& range : Filters(file)) headers.push_back({range.offset, range.length - 64});
  const Tally tally = Flip(file, headers, /*every_bit=*/true);
  EXPECT_EQ(tally.same, tally.flips) << Examples(tally);
}

TEST_P(BitFlips, InBloomFiltersAreHarmlessWhereTheyAreNotUsed) {
  const FlipFile file = MakeFile(GetParam());
  const Tally off = Flip(file, Filters(file), true, [](const Query& query) { return !query.disabled.empty(); });
  EXPECT_EQ(off.same, off.flips);
  const Tally on = Flip(file, Filters(file), true, [](const Query& query) { return query.disabled.empty(); });
  EXPECT_EQ(on.errors, 0);
  // The eight bits of the value that is asked for, of each filter.
  EXPECT_LE(on.other.size(), 16U) << Examples(on);
}

TEST_P(BitFlips, InTheFooterNeverCrash) {
  const FlipFile file = MakeFile(GetParam());
  const ByteRange tail{file.layout.footer.offset, static_cast<int64_t>(file.bytes.size()) - file.layout.footer.offset};
  const Tally tally = Flip(file, {tail}, /*every_bit=*/true);
  EXPECT_GT(tally.errors, 0);
  EXPECT_GT(tally.same, 0);
}

INSTANTIATE_TEST_SUITE_P(, BitFlips, testing::Values(arrow::Compression::UNCOMPRESSED, arrow::Compression::SNAPPY),
                         [](const testing::TestParamInfo<arrow::Compression::type>& info) {
                           return info.param == arrow::Compression::SNAPPY ? "snappy" : "uncompressed";
                         });

}  // namespace
}  // namespace frazil
