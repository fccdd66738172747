// SPDX-License-Identifier: Apache-2.0

#include "src/parquet/page_index.h"

#include <cstring>
#include <limits>
#include <random>

#include <gtest/gtest.h>
#include <parquet/types.h>

#include "src/parquet/thrift_for_test.h"

namespace frazil::parquet {
namespace {

using expr::TypeKind;
using Pages = std::vector<PageLocation>;

template <typename T>
std::string Plain(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

std::string OffsetIndexBytes(const Pages& pages) {
  std::vector<ThriftStruct> locations;
  for (const PageLocation& page : pages) {
    locations.push_back(
        ThriftStruct().I64(1, page.offset).I32(2, page.compressed_page_size).I64(3, page.first_row_index));
  }
  return ThriftStruct().Structs(1, locations).I64s(2, {1, 2}).bytes();
}

// In a chunk of bytes [100, 400) and 30 rows.
arrow::Result<OffsetIndex> Parse(const Pages& pages, int64_t row_count = 30) {
  return ParseOffsetIndex(OffsetIndexBytes(pages), {100, 300}, row_count);
}

std::string Reason(const arrow::Status& status) {
  EXPECT_FALSE(status.ok());
  if (status.ok()) return "";
  EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt);
  return status.message();
}

TEST(OffsetIndex, GivesRowsAndRangesOfPages) {
  const auto index = Parse({{100, 50, 0}, {150, 100, 10}, {300, 100, 20}});
  ASSERT_TRUE(index.ok()) << index.status();
  EXPECT_EQ(index->page_count(), 3);
  EXPECT_EQ(index->first_row(1), 10);
  EXPECT_EQ(index->end_row(1), 20);
  EXPECT_EQ(index->end_row(2), 30);
  EXPECT_EQ(index->range(2), (ByteRange{300, 100}));
}

TEST(OffsetIndex, PagesWithoutRowsAreAllowed) {
  // In front, in the middle and at the end.
  const auto index = Parse({{100, 10, 0}, {110, 10, 0}, {120, 10, 10}, {130, 10, 10}, {140, 10, 30}});
  ASSERT_TRUE(index.ok()) << index.status();
  EXPECT_EQ(index->end_row(0), 0);
  EXPECT_EQ(index->end_row(2), 10);
  EXPECT_EQ(index->end_row(3), 30);
  EXPECT_EQ(index->end_row(4), 30);
}

TEST(OffsetIndex, WithoutRowsPagesMayBeMissing) {
  EXPECT_TRUE(Parse({}, 0).ok());
  EXPECT_TRUE(Parse({{100, 10, 0}}, 0).ok());
  EXPECT_EQ(Reason(Parse({}, 30).status()), "no pages");
}

TEST(OffsetIndex, RefusesRowsThatMakeNoSense) {
  EXPECT_EQ(Reason(Parse({{100, 10, 1}}).status()), "page 0: does not begin at row 0");
  EXPECT_EQ(Reason(Parse({{100, 10, 0}, {110, 10, 20}, {120, 10, 10}}).status()),
            "page 2: its first row lies before that of the page in front of it");
  EXPECT_EQ(Reason(Parse({{100, 10, 0}, {110, 10, 31}}).status()), "page 1: its first row lies after the last row");
}

TEST(OffsetIndex, RefusesBytesThatMakeNoSense) {
  EXPECT_EQ(Reason(Parse({{99, 10, 0}}).status()), "page 0: begins before its column chunk");
  EXPECT_EQ(Reason(Parse({{391, 10, 0}}).status()), "page 0: ends after its column chunk");
  EXPECT_EQ(Reason(Parse({{100, 0, 0}}).status()), "page 0: its size is not positive");
  EXPECT_EQ(Reason(Parse({{100, 11, 0}, {110, 10, 10}}).status()),
            "page 1: begins before the page in front of it ends");
  EXPECT_EQ(Reason(Parse({{std::numeric_limits<int64_t>::max(), 10, 0}}).status()),
            "page 0: ends after its column chunk");
}

TEST(OffsetIndex, RefusesMissingFieldsAndCutBytes) {
  const ByteRange chunk{100, 300};
  EXPECT_EQ(Reason(ParseOffsetIndex(std::string(1, '\0'), chunk, 30).status()),
            "the offset index lacks page_locations");
  const std::string no_size = ThriftStruct().Structs(1, {ThriftStruct().I64(1, 100).I64(3, 0)}).bytes();
  EXPECT_EQ(Reason(ParseOffsetIndex(no_size, chunk, 30).status()), "page 0: its size is not positive");
  const std::string whole = OffsetIndexBytes({{100, 50, 0}, {150, 100, 10}});
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);
    EXPECT_EQ(Reason(ParseOffsetIndex(cut, chunk, 30).status()), "the offset index is not Thrift") << size;
  }
}

BoundsDecoder Decoder(TypeKind kind, int physical_type) {
  BoundsDecoder decoder;
  decoder.type.kind = kind;
  decoder.type.bit_width = physical_type == ::parquet::Type::INT32 ? 32 : 64;
  decoder.physical_type = physical_type;
  return decoder;
}

const BoundsDecoder kInt32 = Decoder(TypeKind::kInt, ::parquet::Type::INT32);

// Three pages of ten rows.
OffsetIndex ThreePages() { return {{{100, 50, 0}, {150, 50, 10}, {200, 50, 20}}, 30}; }

struct Index {
  std::vector<int> null_pages{0, 0, 0};
  std::vector<std::string> min, max;
  std::optional<int> order = 0;
  std::optional<std::vector<int64_t>> null_counts, levels, nan_counts;

  Index& Values(const std::vector<int32_t>& mins, const std::vector<int32_t>& maxs) {
    for (const int32_t value : mins) min.push_back(Plain(value));
    for (const int32_t value : maxs) max.push_back(Plain(value));
    return *this;
  }
  std::string bytes() const {
    ThriftStruct s;
    s.Bools(1, null_pages).Binaries(2, min).Binaries(3, max);
    if (order) s.I32(4, *order);
    if (null_counts) s.I64s(5, *null_counts);
    if (levels) s.I64s(7, *levels);
    if (nan_counts) s.I64s(8, *nan_counts);
    return s.bytes();
  }
};

arrow::Result<ColumnIndex> Parse(const std::string& bytes, const BoundsDecoder& decoder = kInt32,
                                 int max_definition_level = 1) {
  return ParseColumnIndex(bytes, decoder, ThreePages(), max_definition_level);
}

TEST(ColumnIndex, DecodesBoundsAndCounts) {
  Index index;
  index.Values({1, -5, 7}, {2, 9, 7}).null_counts = {0, 3, 9};
  const std::string bytes = index.bytes();
  const auto parsed = Parse(bytes);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->has_bounds, (std::vector<uint8_t>{1, 1, 1}));
  EXPECT_EQ(parsed->int_min, (std::vector<expr::Int128>{1, -5, 7}));
  EXPECT_EQ(parsed->int_max, (std::vector<expr::Int128>{2, 9, 7}));
  EXPECT_EQ(parsed->null_counts, (std::vector<int64_t>{0, 3, 9}));
  EXPECT_TRUE(parsed->nan_counts.empty());
}

TEST(ColumnIndex, AbsentNullCountsAreUnknownUnlessTheColumnIsRequired) {
  const std::string bytes = Index().Values({1, 2, 3}, {1, 2, 3}).bytes();
  EXPECT_TRUE(Parse(bytes)->null_counts.empty());
  EXPECT_EQ(Parse(bytes, kInt32, 0)->null_counts, (std::vector<int64_t>{0, 0, 0}));
}

TEST(ColumnIndex, NullPagesInBothFormsOfBoolean) {
  for (const int no : {0, 2}) {
    Index index;
    index.null_pages = {no, 1, no};
    index.min = index.max = {Plain<int32_t>(1), "", Plain<int32_t>(3)};
    index.order = 1;
    const std::string bytes = index.bytes();
    const auto parsed = Parse(bytes);
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(parsed->null_pages, (std::vector<uint8_t>{0, 1, 0}));
    EXPECT_EQ(parsed->has_bounds, (std::vector<uint8_t>{1, 0, 1}));
    EXPECT_EQ(parsed->order, BoundaryOrder::kAscending);
  }
}

TEST(ColumnIndex, RefusesNullPagesThatContradictTheRest) {
  Index index;
  index.null_pages = {0, 1, 0};
  index.min = index.max = {Plain<int32_t>(1), "", Plain<int32_t>(3)};
  index.null_counts = {0, 0, 0};
  EXPECT_EQ(Reason(Parse(index.bytes()).status()), "page 1: a null page with fewer nulls than rows");
  index.null_counts = {0, 10, 10};
  EXPECT_EQ(Reason(Parse(index.bytes()).status()), "page 2: only nulls by its null count, yet not a null page");
  index.null_counts = {0, 10, 0};
  index.max[1] = std::string(1, '\0');  // filler of some writers
  EXPECT_TRUE(Parse(index.bytes()).ok());
  EXPECT_EQ(Reason(Parse(index.bytes(), kInt32, 0).status()), "page 1: a null page of a required column");
  index.max[1] = Plain<int32_t>(5);
  EXPECT_EQ(Reason(Parse(index.bytes()).status()), "page 1: a null page with bounds");
}

TEST(ColumnIndex, PagesWithoutRowsMayBeNullPagesWithoutNulls) {
  const OffsetIndex offsets{{{100, 50, 0}, {150, 50, 0}, {200, 50, 30}}, 30};
  Index index;
  index.null_pages = {1, 0, 0};
  index.min = index.max = {"", Plain<int32_t>(3), ""};
  index.null_counts = {0, 0, 0};
  index.order = 1;
  const std::string bytes = index.bytes();
  const auto parsed = ParseColumnIndex(bytes, kInt32, offsets, 1);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->has_bounds, (std::vector<uint8_t>{0, 1, 0}));
  EXPECT_EQ(parsed->order, BoundaryOrder::kAscending);
}

TEST(ColumnIndex, RefusesCountsThatDoNotFit) {
  Index index;
  index.Values({1, 2, 3}, {1, 2, 3});
  index.null_counts = {0, -1, 0};
  EXPECT_EQ(Reason(Parse(index.bytes()).status()), "page 1: its null count does not fit its rows");
  index.null_counts = {0, 11, 0};
  EXPECT_EQ(Reason(Parse(index.bytes()).status()), "page 1: its null count does not fit its rows");
  index.null_counts = {0, 1, 0};
  EXPECT_EQ(Reason(Parse(index.bytes(), kInt32, 0).status()), "page 1: nulls in a required column");
}

TEST(ColumnIndex, RefusesListsOfAnotherLength) {
  Index index;
  index.Values({1, 2, 3}, {1, 2, 3});
  index.null_pages = {0, 0, 0, 0};
  EXPECT_EQ(Reason(Parse(index.bytes()).status()), "4 null_pages for 3 pages");
  index.null_pages = {0, 0, 0};
  index.min.pop_back();
  EXPECT_EQ(Reason(Parse(index.bytes()).status()), "2 min_values for 3 pages");
  index.min.push_back(Plain<int32_t>(3));
  index.null_counts = {0};
  EXPECT_EQ(Reason(Parse(index.bytes()).status()), "1 null_counts for 3 pages");
  index.null_counts = std::vector<int64_t>();
  EXPECT_TRUE(Parse(index.bytes())->null_counts.empty());
}

TEST(ColumnIndex, RefusesMissingListsAndCutBytes) {
  EXPECT_EQ(Reason(Parse(std::string(1, '\0')).status()), "the column index lacks null_pages");
  EXPECT_EQ(Reason(Parse(ThriftStruct().Bools(1, {0, 0, 0}).bytes()).status()),
            "the column index lacks min_values or max_values");
  Index index;
  index.Values({1, 2, 3}, {1, 2, 3}).null_counts = {0, 0, 0};
  const std::string whole = index.bytes();
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);
    EXPECT_FALSE(Parse(cut).ok()) << size;
  }
}

TEST(ColumnIndex, RefusesMinAboveMax) {
  EXPECT_EQ(Reason(Parse(Index().Values({1, 3, 3}, {1, 2, 3}).bytes()).status()), "page 1: its min is above its max");
}

TEST(ColumnIndex, BoundsOfAnotherWidthAreNoBounds) {
  Index index;
  index.min = {Plain<int32_t>(1), "abc", Plain<int64_t>(3)};
  index.max = {Plain<int32_t>(1), Plain<int32_t>(2), Plain<int32_t>(3)};
  index.order = 1;
  const std::string bytes = index.bytes();
  const auto parsed = Parse(bytes);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->has_bounds, (std::vector<uint8_t>{1, 0, 0}));
  // Nothing can be searched by order when pages with values have no bounds.
  EXPECT_EQ(parsed->order, BoundaryOrder::kUnordered);
  EXPECT_FALSE(parsed->claimed_order_was_false);
}

TEST(ColumnIndex, ClaimedOrderIsChecked) {
  const auto order_of = [](int claim, const std::vector<int32_t>& mins, const std::vector<int32_t>& maxs) {
    Index index;
    index.Values(mins, maxs).order = claim;
    const std::string bytes = index.bytes();
    const auto parsed = Parse(bytes);
    EXPECT_TRUE(parsed.ok()) << parsed.status();
    return std::pair(parsed->order, parsed->claimed_order_was_false);
  };
  EXPECT_EQ(order_of(1, {1, 1, 2}, {5, 5, 6}), std::pair(BoundaryOrder::kAscending, false));
  EXPECT_EQ(order_of(2, {3, 2, 2}, {9, 9, 4}), std::pair(BoundaryOrder::kDescending, false));
  EXPECT_EQ(order_of(1, {1, 3, 2}, {5, 6, 7}), std::pair(BoundaryOrder::kUnordered, true));
  EXPECT_EQ(order_of(1, {1, 2, 3}, {5, 4, 7}), std::pair(BoundaryOrder::kUnordered, true));
  EXPECT_EQ(order_of(2, {1, 2, 3}, {5, 6, 7}), std::pair(BoundaryOrder::kUnordered, true));
  EXPECT_EQ(order_of(7, {1, 2, 3}, {1, 2, 3}), std::pair(BoundaryOrder::kUnordered, false));
  Index index;
  index.Values({1, 2, 3}, {1, 2, 3}).order.reset();
  EXPECT_EQ(Parse(index.bytes())->order, BoundaryOrder::kUnordered);
}

TEST(ColumnIndex, TextBoundsPointIntoTheBytes) {
  Index index;
  index.min = {"", "b", "\xc3\xa9"};
  index.max = {"a", "c", "\xff"};
  index.order = 1;
  const std::string bytes = index.bytes();
  const auto parsed = Parse(bytes, Decoder(TypeKind::kString, ::parquet::Type::BYTE_ARRAY));
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->bytes_min, (std::vector<std::string_view>{"", "b", "\xc3\xa9"}));
  EXPECT_EQ(parsed->order, BoundaryOrder::kAscending);  // as unsigned bytes
  EXPECT_GE(parsed->bytes_max[2].data(), bytes.data());
  EXPECT_LE(parsed->bytes_max[2].data(), bytes.data() + bytes.size());
}

TEST(ColumnIndex, WideDecimalsAreConverted) {
  BoundsDecoder decoder = Decoder(TypeKind::kDecimal, ::parquet::Type::BYTE_ARRAY);
  decoder.type.precision = 50;
  const std::string zero(1, '\0');
  Index index;
  index.min = {"\xff", zero, "\x01\x02"};  // -1, 0, 258
  index.max = {"\xff", "\x7f", "\x01\x03"};
  index.order = 1;
  const std::string bytes = index.bytes();
  auto parsed = Parse(bytes, decoder);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  const ColumnIndex moved = std::move(*parsed);
  EXPECT_EQ(moved.has_bounds, (std::vector<uint8_t>{1, 1, 1}));
  EXPECT_EQ(moved.bytes_min[0], expr::WideDecimalKey("\xff"));
  EXPECT_EQ(moved.bytes_max[2], expr::WideDecimalKey("\x01\x03"));
  EXPECT_EQ(moved.order, BoundaryOrder::kAscending);
}

TEST(ColumnIndex, NanBoundsAreNoBoundsAndNanCountsAreKept) {
  const BoundsDecoder decoder = Decoder(TypeKind::kDouble, ::parquet::Type::DOUBLE);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Index index;
  index.min = {Plain(1.0), Plain(nan), Plain(0.0)};
  index.max = {Plain(2.0), Plain(nan), Plain(-0.0)};
  index.null_counts = {0, 1, 0};
  index.nan_counts = {3, 9, 0};
  const std::string bytes = index.bytes();
  const auto parsed = Parse(bytes, decoder);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->has_bounds, (std::vector<uint8_t>{1, 0, 1}));
  EXPECT_EQ(parsed->nan_counts, (std::vector<int64_t>{3, 9, 0}));
  index.nan_counts = {10, 9, 0};
  EXPECT_EQ(Reason(Parse(index.bytes(), decoder).status()), "page 0: only NaN by its counts, yet it has bounds");
  index.nan_counts = {0, 10, 0};
  EXPECT_EQ(Reason(Parse(index.bytes(), decoder).status()), "page 1: its NaN count does not fit its rows");
}

TEST(ColumnIndex, LevelHistogramsStandInForNullCounts) {
  Index index;
  index.Values({1, 2, 3}, {1, 2, 3}).levels = {1, 9, 0, 10, 9, 1};
  const std::string bytes = index.bytes();
  auto parsed = Parse(bytes);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->null_counts, (std::vector<int64_t>{1, 0, 9}));
  EXPECT_EQ(parsed->definition_level_histograms.size(), 6u);
  index.null_counts = {1, 0, 8};
  EXPECT_EQ(Reason(Parse(index.bytes()).status()), "page 2: its null count is not that of its level counts");
  // Histograms that do not add up mean nothing.
  index.levels = {0, 1, 0, 1, 0, 1};
  parsed = Parse(index.bytes());
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_TRUE(parsed->definition_level_histograms.empty());
  EXPECT_EQ(parsed->null_counts, (std::vector<int64_t>{1, 0, 8}));
  index.levels = {-1, 11, 0, 10, 2, 8};
  EXPECT_TRUE(Parse(index.bytes())->definition_level_histograms.empty());
}

TEST(ColumnIndex, AnUnusableOrderLeavesTheNulls) {
  BoundsDecoder decoder = kInt32;
  decoder.usable = false;
  Index index;
  index.Values({1, 3, 3}, {1, 2, 3});
  index.null_counts = {0, 3, 0};
  index.order = 1;
  const std::string bytes = index.bytes();
  const auto parsed = Parse(bytes, decoder);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->has_bounds, (std::vector<uint8_t>{0, 0, 0}));
  EXPECT_EQ(parsed->null_counts, (std::vector<int64_t>{0, 3, 0}));
  EXPECT_EQ(parsed->order, BoundaryOrder::kUnordered);
}

TEST(PageIndex, FlippedBytesNeverCrash) {
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  Index index;
  index.Values({1, 2, 3}, {1, 2, 3}).null_counts = {0, 1, 2};
  index.levels = {0, 10, 1, 9, 2, 8};
  const std::string column = index.bytes();
  const std::string offset = OffsetIndexBytes({{100, 50, 0}, {150, 100, 10}, {300, 100, 20}});
  for (int round = 0; round < 5000; ++round) {
    std::string column_bytes = column, offset_bytes = offset;
    for (int flips = 0; flips < 3; ++flips) {
      column_bytes[random() % column_bytes.size()] = static_cast<char>(random());
      offset_bytes[random() % offset_bytes.size()] = static_cast<char>(random());
    }
    const auto parsed = Parse(column_bytes);
    if (parsed.ok()) {
      ASSERT_EQ(parsed->page_count(), 3);
      ASSERT_EQ(parsed->has_bounds.size(), 3u);
    }
    const auto offsets = ParseOffsetIndex(offset_bytes, {100, 300}, 30);
    for (int page = 0; offsets.ok() && page < offsets->page_count(); ++page) {
      ASSERT_LE(offsets->first_row(page), offsets->end_row(page));
      ASSERT_GE(offsets->range(page).offset, 100);
      ASSERT_LE(offsets->range(page).end(), 400);
    }
  }
}

}  // namespace
}  // namespace frazil::parquet
