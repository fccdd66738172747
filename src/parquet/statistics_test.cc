// SPDX-License-Identifier: Apache-2.0

#include "src/parquet/statistics.h"

#include <cstring>
#include <limits>

#include <gtest/gtest.h>
#include <parquet/types.h>

#include "src/parquet/footer_for_test.h"

namespace frazil::parquet {
namespace {

using expr::Int128;
using expr::Key;
using ::parquet::ConvertedType;
using ::parquet::LogicalType;
using ::parquet::Repetition;
using ::parquet::schema::PrimitiveNode;
using PhysicalType = ::parquet::Type;
using std::string_literals::operator""s;

template <typename T>
std::string Plain(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

BoundsDecoder DecoderOf(const ::parquet::schema::NodePtr& node, ColumnOrder order = ColumnOrder::kTypeDefined) {
  const ::parquet::ColumnDescriptor leaf(node, 1, 0);
  return MakeBoundsDecoder(leaf, order);
}

BoundsDecoder Decoder(std::shared_ptr<const LogicalType> logical, PhysicalType::type type, int length = -1,
                      ColumnOrder order = ColumnOrder::kTypeDefined) {
  return DecoderOf(PrimitiveNode::Make("x", Repetition::OPTIONAL, std::move(logical), type, length), order);
}

BoundsDecoder Decoder(PhysicalType::type type, int length = -1, ColumnOrder order = ColumnOrder::kTypeDefined) {
  return DecoderOf(PrimitiveNode::Make("x", Repetition::OPTIONAL, type, ConvertedType::NONE, length), order);
}

std::optional<Key> Number(Int128 value) { return Key(value); }

TEST(DecodeBound, PlainNumbers) {
  EXPECT_EQ(DecodeBound(Decoder(PhysicalType::BOOLEAN), "\x01"), Number(1));
  EXPECT_EQ(DecodeBound(Decoder(PhysicalType::INT32), Plain<int32_t>(-7)), Number(-7));
  EXPECT_EQ(DecodeBound(Decoder(PhysicalType::INT64), Plain(INT64_MIN)), Number(INT64_MIN));
  EXPECT_EQ(DecodeBound(Decoder(PhysicalType::DOUBLE), Plain(1.5)), Number(expr::DoubleKey(1.5)));
  EXPECT_EQ(DecodeBound(Decoder(PhysicalType::FLOAT), Plain(-1.5f)), Number(expr::FloatKey(-1.5f)));
  EXPECT_EQ(DecodeBound(Decoder(LogicalType::Date(), PhysicalType::INT32), Plain<int32_t>(-1)), Number(-1));
  EXPECT_EQ(DecodeBound(Decoder(LogicalType::Float16(), PhysicalType::FIXED_LEN_BYTE_ARRAY, 2), "\x00\x3c"s),
            Number(expr::HalfKey(0x3c00)));
}

TEST(DecodeBound, ZerosShareAKey) {
  EXPECT_EQ(DecodeBound(Decoder(PhysicalType::DOUBLE), Plain(-0.0)), Number(0));
  EXPECT_EQ(DecodeBound(Decoder(PhysicalType::DOUBLE), Plain(0.0)), Number(0));
}

TEST(DecodeBound, UnsignedIntegersAreReinterpreted) {
  EXPECT_EQ(DecodeBound(Decoder(LogicalType::Int(32, false), PhysicalType::INT32), Plain<int32_t>(-1)),
            Number(4294967295));
  EXPECT_EQ(DecodeBound(Decoder(LogicalType::Int(64, false), PhysicalType::INT64), Plain<int64_t>(-1)),
            Number(static_cast<Int128>(UINT64_MAX)));
}

TEST(DecodeBound, NarrowIntegersOutsideTheirRangeAreUnusable) {
  const BoundsDecoder int8 = Decoder(LogicalType::Int(8, true), PhysicalType::INT32);
  EXPECT_EQ(DecodeBound(int8, Plain<int32_t>(-128)), Number(-128));
  EXPECT_EQ(DecodeBound(int8, Plain<int32_t>(127)), Number(127));
  EXPECT_EQ(DecodeBound(int8, Plain<int32_t>(128)), std::nullopt);
  EXPECT_EQ(DecodeBound(int8, Plain<int32_t>(-129)), std::nullopt);
  const BoundsDecoder uint16 = Decoder(LogicalType::Int(16, false), PhysicalType::INT32);
  EXPECT_EQ(DecodeBound(uint16, Plain<int32_t>(65535)), Number(65535));
  EXPECT_EQ(DecodeBound(uint16, Plain<int32_t>(65536)), std::nullopt);
  EXPECT_EQ(DecodeBound(uint16, Plain<int32_t>(-1)), std::nullopt);
}

TEST(DecodeBound, WrongWidthsAreUnusable) {
  EXPECT_EQ(DecodeBound(Decoder(PhysicalType::BOOLEAN), ""), std::nullopt);
  EXPECT_EQ(DecodeBound(Decoder(PhysicalType::BOOLEAN), "\x02"), std::nullopt);
  EXPECT_EQ(DecodeBound(Decoder(PhysicalType::INT32), ""), std::nullopt);
  EXPECT_EQ(DecodeBound(Decoder(PhysicalType::INT32), Plain<int64_t>(1)), std::nullopt);
  EXPECT_EQ(DecodeBound(Decoder(PhysicalType::INT64), Plain<int32_t>(1)), std::nullopt);
  EXPECT_EQ(DecodeBound(Decoder(PhysicalType::DOUBLE), Plain(1.0f)), std::nullopt);
  EXPECT_EQ(DecodeBound(Decoder(PhysicalType::FIXED_LEN_BYTE_ARRAY, 3), "ab"), std::nullopt);
  EXPECT_EQ(DecodeBound(Decoder(PhysicalType::FIXED_LEN_BYTE_ARRAY, 3), "abcd"), std::nullopt);
}

TEST(DecodeBound, NanIsUnusable) {
  EXPECT_EQ(DecodeBound(Decoder(PhysicalType::FLOAT), Plain(std::numeric_limits<float>::quiet_NaN())), std::nullopt);
  EXPECT_EQ(DecodeBound(Decoder(PhysicalType::DOUBLE), Plain(-std::numeric_limits<double>::quiet_NaN())), std::nullopt);
  EXPECT_EQ(DecodeBound(Decoder(LogicalType::Float16(), PhysicalType::FIXED_LEN_BYTE_ARRAY, 2), "\x01\x7c"s),
            std::nullopt);
}

TEST(DecodeBound, Bytes) {
  EXPECT_EQ(DecodeBound(Decoder(LogicalType::String(), PhysicalType::BYTE_ARRAY), ""), Key(""s));
  EXPECT_EQ(DecodeBound(Decoder(PhysicalType::BYTE_ARRAY), "a\xff"), Key("a\xff"s));
  EXPECT_EQ(DecodeBound(Decoder(PhysicalType::FIXED_LEN_BYTE_ARRAY, 3), "abc"), Key("abc"s));
  EXPECT_EQ(DecodeBound(Decoder(LogicalType::UUID(), PhysicalType::FIXED_LEN_BYTE_ARRAY, 16), "0123456789abcdef"),
            Key("0123456789abcdef"s));
}

TEST(DecodeBound, DecimalsInIntegers) {
  EXPECT_EQ(DecodeBound(Decoder(LogicalType::Decimal(9, 2), PhysicalType::INT32), Plain<int32_t>(-150)), Number(-150));
  EXPECT_EQ(DecodeBound(Decoder(LogicalType::Decimal(18, 2), PhysicalType::INT64), Plain<int64_t>(150)), Number(150));
}

TEST(DecodeBound, DecimalsInBytesOfAnyLength) {
  const BoundsDecoder decoder = Decoder(LogicalType::Decimal(30, 2), PhysicalType::BYTE_ARRAY);
  EXPECT_EQ(DecodeBound(decoder, "\xff"), Number(-1));
  EXPECT_EQ(DecodeBound(decoder, "\x01\x00"s), Number(256));
  EXPECT_EQ(DecodeBound(decoder, std::string(40, '\xff') + "\x00"s), Number(-256));
  EXPECT_EQ(DecodeBound(decoder, std::string(40, '\0') + "\xff"), Number(255));
  EXPECT_EQ(DecodeBound(decoder, "\x80"s + std::string(15, '\0')), Number(std::numeric_limits<Int128>::min()));
  EXPECT_EQ(DecodeBound(decoder, "\x01"s + std::string(16, '\0')), std::nullopt);  // beyond 128 bits
  EXPECT_EQ(DecodeBound(decoder, ""), std::nullopt);
}

TEST(DecodeBound, FixedDecimalsMayBeSignExtendedNeverCut) {
  const BoundsDecoder decoder = Decoder(LogicalType::Decimal(3, 0), PhysicalType::FIXED_LEN_BYTE_ARRAY, 2);
  EXPECT_EQ(DecodeBound(decoder, "\xff\xf9"), Number(-7));
  EXPECT_EQ(DecodeBound(decoder, std::string(15, '\xff') + "\xf9"), Number(-7));
  EXPECT_EQ(DecodeBound(decoder, std::string(14, '\0') + "\x01\x0c"), Number(268));
  EXPECT_EQ(DecodeBound(decoder, "\x01\x00\x00"s), std::nullopt);  // does not fit two bytes
  EXPECT_EQ(DecodeBound(decoder, "\x07"), std::nullopt);
}

TEST(DecodeBound, WideDecimals) {
  const BoundsDecoder decoder = Decoder(LogicalType::Decimal(60, 2), PhysicalType::FIXED_LEN_BYTE_ARRAY, 26);
  const std::string minus_one(26, '\xff');
  EXPECT_EQ(DecodeBound(decoder, minus_one), Key(expr::WideDecimalKey(minus_one)));
  EXPECT_EQ(DecodeBound(decoder, minus_one), Key(expr::WideDecimalKey("\xff")));
  EXPECT_EQ(DecodeBound(decoder, std::string(25, '\xff')), std::nullopt);
}

TEST(MakeBoundsDecoder, OrdersThatMeanNothing) {
  EXPECT_EQ(Decoder(PhysicalType::INT96).reason, "INT96 has no order");
  EXPECT_EQ(Decoder(PhysicalType::INT32, -1, ColumnOrder::kUndefined).reason, "column order not given");
  EXPECT_EQ(Decoder(PhysicalType::INT32, -1, ColumnOrder::kUnknown).reason, "column order unknown");
  EXPECT_EQ(Decoder(PhysicalType::INT32, -1, ColumnOrder::kIeee754Total).reason,
            "floating-point order on another type");
  EXPECT_TRUE(Decoder(PhysicalType::DOUBLE, -1, ColumnOrder::kIeee754Total).usable);
  EXPECT_EQ(Decoder(LogicalType::Interval(), PhysicalType::FIXED_LEN_BYTE_ARRAY, 12).reason, "the type has no order");
  EXPECT_EQ(DecodeBound(Decoder(PhysicalType::INT96), std::string(12, 'x')), std::nullopt);
}

// A file with one leaf and one row group of ten rows, and what ChunkBounds says of it.
struct OneChunk {
  ThriftStruct element = LeafElement("x", PhysicalType::INT32);
  ChunkForTest chunk = {.path = {"x"}};
  int order = 1;  // 0: no column orders
  std::string unusable;

  std::shared_ptr<const Footer> Parse() {
    FooterForTest footer;
    footer.schema = {element};
    footer.row_groups = {FooterForTest::RowGroup({chunk.Thrift()}, 10)};
    if (order != 0) footer.column_orders = {{FooterForTest::Order(order)}};
    auto parsed = footer.Parse();
    EXPECT_TRUE(parsed.ok()) << parsed.status();
    return *parsed;
  }
  expr::ColumnBounds Bounds() {
    const auto footer = Parse();
    const auto decoded = footer->Chunk(0, 0);
    EXPECT_TRUE(decoded.ok()) << decoded.status();
    const BoundsDecoder decoder = MakeBoundsDecoder(*footer->schema().Column(0), footer->column_order(0));
    return ChunkBounds(*footer, *decoded, decoder, 10, &unusable);
  }
};

ThriftStruct NewBounds(const std::string& min, const std::string& max) {
  return ThriftStruct().Binary(5, max).Binary(6, min);
}
ThriftStruct LegacyBounds(const std::string& min, const std::string& max) {
  return ThriftStruct().Binary(1, max).Binary(2, min);
}

TEST(ChunkBounds, SoundStatistics) {
  OneChunk file;
  file.chunk.statistics = ThriftStruct().I64(3, 2).Binary(5, Plain<int32_t>(9)).Binary(6, Plain<int32_t>(-3));
  const expr::ColumnBounds bounds = file.Bounds();
  EXPECT_EQ(bounds.min, Number(-3));
  EXPECT_EQ(bounds.max, Number(9));
  EXPECT_EQ(bounds.null_count, 2);
  EXPECT_EQ(bounds.nan_count, std::nullopt);
  EXPECT_EQ(bounds.row_count, 10);
  EXPECT_EQ(file.unusable, "");
}

TEST(ChunkBounds, AbsentIsNotZero) {
  OneChunk file;
  const expr::ColumnBounds bounds = file.Bounds();
  EXPECT_EQ(bounds.min, std::nullopt);
  EXPECT_EQ(bounds.null_count, std::nullopt);
  EXPECT_EQ(bounds.row_count, 10);
  EXPECT_EQ(file.unusable, "");
}

TEST(ChunkBounds, RequiredColumnsHaveNoNulls) {
  OneChunk file;
  file.element = LeafElement("x", PhysicalType::INT32, 0);
  EXPECT_EQ(file.Bounds().null_count, 0);
  file.chunk.statistics = NewBounds(Plain<int32_t>(1), Plain<int32_t>(2));
  file.chunk.statistics->I64(3, 1);
  const expr::ColumnBounds bounds = file.Bounds();
  EXPECT_EQ(bounds.min, std::nullopt);
  EXPECT_EQ(file.unusable, "null_count of a required column");
}

TEST(ChunkBounds, LegacyBoundsOfSignedTypesOnly) {
  OneChunk file;
  file.order = 0;
  file.chunk.statistics = LegacyBounds(Plain<int32_t>(1), Plain<int32_t>(2));
  EXPECT_EQ(file.Bounds().min, Number(1));
  EXPECT_EQ(file.unusable, "");
  file.element = LeafElement("x", PhysicalType::INT32).I32(6, 13);  // UINT_32
  EXPECT_EQ(file.Bounds().min, std::nullopt);
  EXPECT_NE(file.unusable, "");
  file.element = LeafElement("x", PhysicalType::BYTE_ARRAY).I32(6, 0);  // UTF8
  file.chunk.type = PhysicalType::BYTE_ARRAY;
  EXPECT_EQ(file.Bounds().max, std::nullopt);
  file.element = LeafElement("x", PhysicalType::INT96);
  file.chunk.type = PhysicalType::INT96;
  EXPECT_EQ(file.Bounds().max, std::nullopt);
}

TEST(ChunkBounds, NewBoundsNeedAKnownOrder) {
  OneChunk file;
  file.chunk.statistics = NewBounds(Plain<int32_t>(1), Plain<int32_t>(2));
  for (const int order : {0, 2, 3}) {
    file.order = order;
    EXPECT_EQ(file.Bounds().min, std::nullopt) << order;
    EXPECT_NE(file.unusable, "");
  }
}

TEST(ChunkBounds, NewBoundsCountWhereBothAreStored) {
  OneChunk file;
  file.chunk.statistics = ThriftStruct()
                              .Binary(1, Plain<int32_t>(200))
                              .Binary(2, Plain<int32_t>(100))
                              .Binary(5, Plain<int32_t>(2))
                              .Binary(6, Plain<int32_t>(1));
  EXPECT_EQ(file.Bounds().max, Number(2));
}

TEST(ChunkBounds, OneBoundAloneIsUsed) {
  OneChunk file;
  file.chunk.statistics = ThriftStruct().Binary(5, Plain<int32_t>(2));
  EXPECT_EQ(file.Bounds().min, std::nullopt);
  EXPECT_EQ(file.Bounds().max, Number(2));
}

TEST(ChunkBounds, BoundsThatContradictAreIgnored) {
  OneChunk file;
  file.chunk.statistics = NewBounds(Plain<int32_t>(2), Plain<int32_t>(1));
  EXPECT_EQ(file.Bounds().min, std::nullopt);
  EXPECT_EQ(file.Bounds().max, std::nullopt);
  EXPECT_EQ(file.unusable, "min above max");
  // A bound of the wrong width makes the other doubtful.
  file.chunk.statistics = NewBounds(Plain<int32_t>(2), "abc");
  EXPECT_EQ(file.Bounds().min, std::nullopt);
  EXPECT_EQ(file.unusable, "a bound is no value of the type");
}

TEST(ChunkBounds, CountsThatContradictAreIgnored) {
  OneChunk file;
  for (const int64_t null_count : {-1, 11}) {
    file.chunk.statistics = ThriftStruct().I64(3, null_count).Binary(5, Plain<int32_t>(2));
    EXPECT_EQ(file.Bounds().null_count, std::nullopt);
    EXPECT_EQ(file.Bounds().max, std::nullopt);
    EXPECT_NE(file.unusable, "");
  }
  file.chunk.statistics = ThriftStruct().I64(3, 10).Binary(5, Plain<int32_t>(2));
  EXPECT_EQ(file.Bounds().null_count, std::nullopt);
  EXPECT_EQ(file.unusable, "every value is null by null_count, yet there are bounds");
  file.chunk.statistics = ThriftStruct().I64(3, 10).Binary(5, "").Binary(6, "");
  EXPECT_EQ(file.Bounds().null_count, 10);
  // Statistics of another number of values than rows speak of something else.
  file.chunk.statistics = ThriftStruct().I64(3, 0).Binary(5, Plain<int32_t>(2));
  file.chunk.num_values = 0;
  EXPECT_EQ(file.Bounds().null_count, std::nullopt);
  EXPECT_EQ(file.Bounds().max, std::nullopt);
  EXPECT_EQ(file.unusable, "num_values is not the row count");
}

TEST(ChunkBounds, NanBoundsHarmOnlyThemselves) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  OneChunk file;
  file.element = LeafElement("x", PhysicalType::DOUBLE);
  file.chunk.type = PhysicalType::DOUBLE;
  file.chunk.statistics = NewBounds(Plain(10.0), Plain(nan));
  EXPECT_EQ(file.Bounds().min, Number(expr::DoubleKey(10.0)));
  EXPECT_EQ(file.Bounds().max, std::nullopt);
  EXPECT_EQ(file.unusable, "NaN as a bound");
}

TEST(ChunkBounds, NanCounts) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  OneChunk file;
  file.element = LeafElement("x", PhysicalType::DOUBLE);
  file.chunk.type = PhysicalType::DOUBLE;
  file.order = 2;
  const auto with_counts = [&](const std::string& bound, int64_t null_count, int64_t nan_count) {
    file.chunk.statistics = ThriftStruct().I64(3, null_count).Binary(5, bound).Binary(6, bound).I64(9, nan_count);
    return file.Bounds();
  };
  EXPECT_EQ(with_counts(Plain(1.0), 2, 8 - 1).nan_count, 7);
  EXPECT_EQ(file.unusable, "");
  EXPECT_EQ(with_counts(Plain(nan), 2, 8).nan_count, 8);
  EXPECT_EQ(file.unusable, "");  // as the order asks for
  EXPECT_EQ(with_counts(Plain(1.0), 2, 8).nan_count, std::nullopt);
  EXPECT_NE(file.unusable, "");
  EXPECT_EQ(with_counts(Plain(1.0), 2, 9).nan_count, std::nullopt);
  EXPECT_EQ(with_counts(Plain(1.0), 2, -1).nan_count, std::nullopt);
  EXPECT_EQ(file.unusable, "impossible nan_count");
  // A NaN count of a column that is not floating-point is no count.
  file = {};
  file.chunk.statistics = ThriftStruct().I64(9, 0);
  EXPECT_EQ(file.Bounds().nan_count, std::nullopt);
}

TEST(ChunkBounds, RepeatedLeavesGetNone) {
  OneChunk file;
  file.element = LeafElement("x", PhysicalType::INT32, 2);
  file.chunk.statistics = NewBounds(Plain<int32_t>(1), Plain<int32_t>(2));
  const expr::ColumnBounds bounds = file.Bounds();
  EXPECT_EQ(bounds.min, std::nullopt);
  EXPECT_EQ(bounds.null_count, std::nullopt);
}

TEST(ChunkBounds, LevelHistogramsStandInForNullCounts) {
  OneChunk file;
  file.chunk.size_statistics = ThriftStruct().I64s(3, {4, 6});
  EXPECT_EQ(file.Bounds().null_count, 4);
  file.chunk.statistics = ThriftStruct().I64(3, 5);
  EXPECT_EQ(file.Bounds().null_count, std::nullopt);
  EXPECT_EQ(file.unusable, "the level histogram contradicts the counts");
  file.chunk.size_statistics = ThriftStruct().I64s(3, {0, 1});  // filler
  EXPECT_EQ(file.Bounds().null_count, 5);
  file.chunk.size_statistics = ThriftStruct().I64s(3, {10});  // another number of levels
  EXPECT_EQ(file.Bounds().null_count, 5);
}

// optional group g { <repetition> x }, ten rows.
std::optional<int64_t> NullGroups(int repetition, std::optional<ThriftStruct> statistics,
                                  std::optional<ThriftStruct> size_statistics, int64_t num_values = 10) {
  FooterForTest footer;
  footer.schema = {GroupElement("g", 1), LeafElement("x", PhysicalType::INT32, repetition)};
  ChunkForTest chunk = {.path = {"g", "x"}, .num_values = num_values};
  chunk.statistics = std::move(statistics);
  chunk.size_statistics = std::move(size_statistics);
  footer.row_groups = {FooterForTest::RowGroup({chunk.Thrift()}, 10)};
  const auto parsed = footer.Parse();
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return NullGroupCount(**parsed, *(*parsed)->Chunk(0, 0), 1, 10);
}

TEST(NullGroupCount, FromNullCountsWhereTheyProveIt) {
  const ThriftStruct none = ThriftStruct().I64(3, 0), four = ThriftStruct().I64(3, 4), all = ThriftStruct().I64(3, 10);
  EXPECT_EQ(NullGroups(0, four, std::nullopt), 4);             // a required leaf is null with its group
  EXPECT_EQ(NullGroups(1, none, std::nullopt), 0);             // a leaf that is never null
  EXPECT_EQ(NullGroups(1, four, std::nullopt), std::nullopt);  // the leaf or the group
  EXPECT_EQ(NullGroups(1, all, std::nullopt), std::nullopt);
  EXPECT_EQ(NullGroups(1, std::nullopt, std::nullopt), std::nullopt);
  EXPECT_EQ(NullGroups(1, none, std::nullopt, 0), std::nullopt);  // statistics of no values
  EXPECT_EQ(NullGroups(2, none, std::nullopt), std::nullopt);     // null counts of lists mean many things
}

TEST(NullGroupCount, FromLevelHistograms) {
  EXPECT_EQ(NullGroups(1, std::nullopt, ThriftStruct().I64s(3, {3, 2, 5})), 3);
  EXPECT_EQ(NullGroups(2, std::nullopt, ThriftStruct().I64s(3, {3, 2, 15}), 20), 3);
  EXPECT_EQ(NullGroups(1, std::nullopt, ThriftStruct().I64s(3, {3, 2, 6})), std::nullopt);
  EXPECT_EQ(NullGroups(1, std::nullopt, ThriftStruct().I64s(3, {-1, 6, 5})), std::nullopt);
  EXPECT_EQ(NullGroups(2, std::nullopt, ThriftStruct().I64s(3, {13, 2, 5}), 20), std::nullopt);
}

}  // namespace
}  // namespace frazil::parquet
