// SPDX-License-Identifier: Apache-2.0

#include "src/iceberg/avro_decoder.h"

#include <limits>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "src/iceberg/avro_for_test.h"

namespace frazil::iceberg {
namespace {

AvroSchema Parsed(std::string_view json) { return AvroSchema::Parse(json).ValueOrDie(); }

// What is left after a value of the schema was skipped; -1 when the bytes were refused.
int64_t LeftAfterSkip(std::string_view schema_json, std::string_view bytes) {
  const AvroSchema schema = Parsed(schema_json);
  AvroDecoder in(bytes);
  in.Skip(schema, AvroSchema::kRoot);
  return in.ok() ? in.remaining() : -1;
}

TEST(AvroDecoder, ReadsEveryKind) {
  AvroBytes written;
  written.Long(0).Long(-1).Long(std::numeric_limits<int64_t>::max()).Long(std::numeric_limits<int64_t>::min());
  written.Boolean(true).Float(-1.5F).Double(0.1).Bytes("abc").Raw("xy");
  AvroDecoder in(written.bytes());
  EXPECT_EQ(in.Long(), 0);
  EXPECT_EQ(in.Int(), -1);
  EXPECT_EQ(in.Long(), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(in.Long(), std::numeric_limits<int64_t>::min());
  EXPECT_TRUE(in.Boolean());
  EXPECT_EQ(in.Float(), -1.5F);
  EXPECT_EQ(in.Double(), 0.1);
  EXPECT_EQ(in.Bytes(), "abc");
  EXPECT_EQ(in.Fixed(2), "xy");
  EXPECT_TRUE(in.ok());
  EXPECT_EQ(in.remaining(), 0);
  EXPECT_EQ(in.Long(), 0);
  EXPECT_FALSE(in.ok());
}

TEST(AvroDecoder, RefusesWhatDoesNotFit) {
  const auto fails = [](std::string_view bytes, auto read) {
    AvroDecoder in(bytes);
    read(in);
    return !in.ok() && in.remaining() == 0;
  };
  const std::string eleven(11, '\xff');
  EXPECT_TRUE(fails(eleven, [](AvroDecoder& in) { in.Long(); }));
  EXPECT_TRUE(fails("\xff", [](AvroDecoder& in) { in.Long(); }));
  EXPECT_TRUE(fails(AvroBytes().Long(int64_t{1} << 31).bytes(), [](AvroDecoder& in) { in.Int(); }));
  EXPECT_TRUE(fails("\x02", [](AvroDecoder& in) { in.Boolean(); }));
  EXPECT_TRUE(fails("abc", [](AvroDecoder& in) { in.Float(); }));
  EXPECT_TRUE(fails(AvroBytes().Long(4).Raw("abc").bytes(), [](AvroDecoder& in) { in.Bytes(); }));
  EXPECT_TRUE(fails(AvroBytes().Long(-1).Raw("abc").bytes(), [](AvroDecoder& in) { in.Bytes(); }));
  EXPECT_TRUE(fails(AvroBytes().Long(int64_t{1} << 40).Raw("abc").bytes(), [](AvroDecoder& in) { in.Bytes(); }));
  EXPECT_TRUE(fails(AvroBytes().Branch(2).bytes(), [](AvroDecoder& in) { in.Branch(2); }));
  EXPECT_TRUE(fails(AvroBytes().Branch(-1).bytes(), [](AvroDecoder& in) { in.Branch(2); }));
}

TEST(AvroDecoder, DropsBitsBeyondTheSixtyFourth) {
  // A snapshot id of 65 bits, as one writer makes them: other readers take the low 64.
  std::string bytes(9, '\x80');
  bytes.push_back('\x02');
  AvroDecoder in(bytes);
  EXPECT_EQ(in.Long(), 0);
  EXPECT_TRUE(in.ok());
}

TEST(AvroDecoder, VisitsItemsOfAllBlocks) {
  AvroBytes written;
  written.Long(2).Long(10).Long(20).Long(-1).Long(1).Long(30).Long(0).Raw("rest");
  AvroDecoder in(written.bytes());
  int64_t sum = 0;
  for (AvroDecoder::Blocks items(in, 1); items.Next();) sum += in.Long();
  EXPECT_EQ(sum, 60);
  EXPECT_EQ(in.remaining(), 4);
}

TEST(AvroDecoder, BoundsCountsOfItems) {
  const auto visited = [](const AvroBytes& written, int64_t item_bytes_min) {
    AvroDecoder in(written.bytes());
    int64_t count = 0;
    for (AvroDecoder::Blocks items(in, item_bytes_min); items.Next(); ++count) in.Long();
    EXPECT_FALSE(in.ok());
    return count;
  };
  EXPECT_EQ(visited(AvroBytes().Long(1'000'000'000'000).Long(1).Long(1), 1), 0);
  EXPECT_EQ(visited(AvroBytes().Long(3).Long(1).Long(1).Long(1).Long(0), 2), 0);
  EXPECT_EQ(visited(AvroBytes().Long(std::numeric_limits<int64_t>::min()).Long(2).Long(1), 1), 0);
  EXPECT_EQ(visited(AvroBytes().Long(-1).Long(100).Long(1), 1), 0);        // a size beyond the end
  EXPECT_EQ(visited(AvroBytes().Long(-5).Long(2).Long(1).Long(1), 1), 0);  // more items than its size allows
  EXPECT_EQ(visited(AvroBytes().Long(2).Long(1).Long(1), 1), 2);           // no end
  // Items that end before the size that is told, or after it.
  EXPECT_EQ(visited(AvroBytes().Long(-1).Long(2).Long(1).Long(0).Long(0), 1), 1);
  EXPECT_EQ(visited(AvroBytes().Long(-1).Long(1).Long(1000).Long(0), 1), 1);
}

TEST(AvroDecoder, SkipsEveryKind) {
  AvroBytes written;
  written.Boolean(false).Long(300).Float(1).Double(1).Bytes("abc").Bytes("d").Raw("0123").Long(1);
  written.Branch(1).Bytes("x").Branch(0).Branch(2).Double(1);
  written.Long(1).Bytes("key").Long(5).Long(0);
  EXPECT_EQ(LeftAfterSkip(R"({"type": "record", "name": "r", "fields": [
      {"name": "a", "type": "boolean"}, {"name": "b", "type": "long"}, {"name": "c", "type": "float"},
      {"name": "d", "type": "double"}, {"name": "e", "type": "bytes"}, {"name": "f", "type": "string"},
      {"name": "g", "type": {"type": "fixed", "name": "g", "size": 4}},
      {"name": "h", "type": {"type": "enum", "name": "h", "symbols": ["A", "B"]}}, {"name": "i", "type": "null"},
      {"name": "j", "type": ["null", "string"]}, {"name": "k", "type": ["null", "string"]},
      {"name": "l", "type": ["null", "string", "double"]},
      {"name": "m", "type": {"type": "map", "values": "int"}}]})",
                          written.bytes() + "rest"),
            4);
}

// Skipping eight bytes at once stops exactly behind the last varint, whatever their lengths.
TEST(AvroDecoder, SkipsVarintsAtOnce) {
  const uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 2000; ++round) {
    const int64_t count = static_cast<int64_t>(random() % 40) + 1;
    AvroBytes written;
    written.Long(count);
    for (int64_t i = 0; i < 2 * count; ++i) written.Long(static_cast<int64_t>(random() >> (random() % 64)));
    written.Long(0).Raw(std::string(random() % 20, '\x7f'));
    const AvroSchema schema = Parsed(R"({"type": "array", "items": {"type": "record", "name": "p", "fields": [
        {"name": "key", "type": "int"}, {"name": "value", "type": "long"}]}})");
    ASSERT_EQ(schema.root().skip, AvroSkip::kVarintPairs);
    AvroDecoder quick(written.bytes());
    quick.Skip(schema, AvroSchema::kRoot);
    AvroDecoder slow(written.bytes());
    for (AvroDecoder::Blocks items(slow, 2); items.Next();) {
      slow.Long();
      slow.Long();
    }
    ASSERT_TRUE(quick.ok());
    ASSERT_EQ(quick.position(), slow.position());
  }
}

TEST(AvroDecoder, SkipsBlocksThatTellTheirSizeUnread) {
  // The bytes of the block are no varints: only its size was believed.
  AvroBytes written;
  written.Long(-3).Long(3).Raw("\xff\xff\xff").Long(0).Raw("rest");
  EXPECT_EQ(LeftAfterSkip(R"({"type": "array", "items": "long"})", written.bytes()), 4);
}

TEST(AvroDecoder, BoundsWhatIsSkipped) {
  constexpr std::string_view kLongs = R"({"type": "array", "items": "long"})";
  EXPECT_EQ(LeftAfterSkip(kLongs, AvroBytes().Long(1'000'000'000'000).Long(1).bytes()), -1);
  EXPECT_EQ(LeftAfterSkip(kLongs, AvroBytes().Long(-3).Long(2).Long(1).Long(1).Long(0).bytes()), -1);
  EXPECT_EQ(LeftAfterSkip(kLongs, AvroBytes().Long(-1).Long(-1).Long(0).bytes()), -1);
  EXPECT_EQ(LeftAfterSkip(kLongs, AvroBytes().Long(std::numeric_limits<int64_t>::min()).Long(1).Long(0).bytes()), -1);
  EXPECT_EQ(LeftAfterSkip(kLongs, AvroBytes().Long(1).Long(1).bytes()), -1);  // no end
  // Any number of values of no bytes costs nothing.
  EXPECT_EQ(LeftAfterSkip(R"({"type": "array", "items": "null"})",
                          AvroBytes().Long(std::numeric_limits<int64_t>::max()).Long(0).Raw("rest").bytes()),
            4);
  constexpr std::string_view kPairs = R"({"type": "array", "items": {"type": "record", "name": "p", "fields": [
      {"name": "key", "type": "int"}, {"name": "value", "type": "bytes"}]}})";
  EXPECT_EQ(LeftAfterSkip(kPairs, AvroBytes().Long(1).Long(1).Long(int64_t{1} << 30).Raw("abc").Long(0).bytes()), -1);
  EXPECT_EQ(LeftAfterSkip(R"({"type": "fixed", "name": "f", "size": 1000000000000})", "abc"), -1);
}

TEST(AvroDecoder, BoundsRecursion) {
  constexpr std::string_view kList =
      R"({"type": "record", "name": "r", "fields": [{"name": "next", "type": ["null", "r"]}]})";
  const auto nested = [](int depth) {
    AvroBytes written;
    for (int i = 0; i < depth; ++i) written.Branch(1);
    return written.Branch(0).bytes();
  };
  EXPECT_EQ(LeftAfterSkip(kList, nested(20)), 0);
  EXPECT_EQ(LeftAfterSkip(kList, nested(1'000'000)), -1);
  constexpr std::string_view kTree =
      R"({"type": "record", "name": "r", "fields": [{"name": "all", "type": {"type": "array", "items": "r"}}]})";
  AvroBytes deep;
  for (int i = 0; i < 100'000; ++i) deep.Long(1);
  EXPECT_EQ(LeftAfterSkip(kTree, deep.bytes()), -1);
}

}  // namespace
}  // namespace frazil::iceberg
