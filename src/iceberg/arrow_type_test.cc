// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/arrow_type.h"

#include <bit>
#include <cmath>
#include <limits>

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/util/key_value_metadata.h>
#include <gtest/gtest.h>

#include "frazil/error.h"
#include "src/expr/literal.h"
#include "src/iceberg/single_value.h"

namespace frazil::iceberg {
namespace {

using expr::Int128;
using expr::Key;

Type TypeOf(const char* name) { return ParsePrimitive(name).ValueOrDie(); }

TEST(ArrowType, OfEveryPrimitive) {
  const std::pair<const char*, const char*> cases[] = {
      {"boolean", "bool"},
      {"int", "int32"},
      {"long", "int64"},
      {"float", "float"},
      {"double", "double"},
      {"decimal(9, 2)", "decimal128(9, 2)"},
      {"date", "date32[day]"},
      {"time", "time64[us]"},
      {"timestamp", "timestamp[us]"},
      {"timestamptz", "timestamp[us, tz=UTC]"},
      {"timestamp_ns", "timestamp[ns]"},
      {"timestamptz_ns", "timestamp[ns, tz=UTC]"},
      {"string", "string"},
      {"uuid", "extension<arrow.uuid>"},
      {"fixed[4]", "fixed_size_binary[4]"},
      {"binary", "binary"},
      {"unknown", "null"},
      {"variant", "struct<metadata: binary not null, value: binary>"},
      {"geometry(OGC:CRS84)", "binary"},
  };
  for (const auto& [iceberg, arrow] : cases) EXPECT_EQ(ArrowType(TypeOf(iceberg))->ToString(), arrow) << iceberg;
}

TEST(ArrowType, OfNestedTypesWithTheirFieldIds) {
  const Schema schema = ParseSchema(R"({"fields": [{"id": 1, "name": "s", "required": true, "type": {"type": "struct",
      "fields": [{"id": 2, "name": "l", "required": false, "type":
        {"type": "list", "element-id": 3, "element": "int", "element-required": true}},
       {"id": 4, "name": "m", "required": false, "type":
        {"type": "map", "key-id": 5, "key": "string", "value-id": 6, "value": "date", "value-required": false}}]}}]})")
                            .ValueOrDie();
  const auto field = ArrowSchema(schema)->field(0);
  EXPECT_EQ(field->ToString(), "s: struct<l: list<element: int32 not null>, m: map<string, date32[day]>> not null");
  EXPECT_EQ(field->metadata()->Get("PARQUET:field_id").ValueOrDie(), "1");
  EXPECT_EQ(field->type()->field(0)->type()->field(0)->metadata()->Get("PARQUET:field_id").ValueOrDie(), "3");
}

// A key becomes bytes, bytes an array, and its values have that key again; nothing else is in the array.
TEST(ArrowType, SingleValuesGoThereAndBack) {
  const Int128 big = (Int128{1} << 100) + 7;
  const std::pair<const char*, std::vector<Key>> cases[] = {
      {"boolean", {Key(Int128{0}), Key(Int128{1})}},
      {"int", {Key(Int128{INT32_MIN}), Key(Int128{-1}), Key(Int128{INT32_MAX})}},
      {"long", {Key(Int128{INT64_MIN}), Key(Int128{0}), Key(Int128{INT64_MAX})}},
      {"decimal(38, 2)", {Key(big), Key(-big), Key(Int128{-128}), Key(Int128{0})}},
      {"date", {Key(Int128{-719162}), Key(Int128{1})}},
      {"time", {Key(Int128{86'399'999'999})}},
      {"timestamp", {Key(Int128{-1})}},
      {"timestamptz_ns", {Key(Int128{INT64_MIN})}},
      {"string", {Key(std::string()), Key(std::string("\xf0\x9f\x98\x80"))}},
      {"uuid", {Key(std::string("\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1", 16))}},
      {"fixed[2]", {Key(std::string("\0\xff", 2))}},
      {"binary", {Key(std::string("\0", 1)), Key(std::string())}},
  };
  for (const auto& [name, keys] : cases) {
    const Type type = TypeOf(name);
    for (const Key& key : keys) {
      const auto array = RepeatedValue(type, EncodeSingleValue(type, key), 3);
      ASSERT_TRUE(array.ok()) << name << array.status();
      EXPECT_TRUE((*array)->type()->Equals(*ArrowType(type))) << (*array)->type()->ToString();
      EXPECT_EQ((*array)->length(), 3);
      EXPECT_EQ((*array)->null_count(), 0);
      for (int64_t row = 0; row < 3; ++row) {
        const auto back = KeyOfValue(type, **array, row);
        ASSERT_TRUE(back.ok()) << back.status();
        EXPECT_EQ(*back, key) << name;
      }
      EXPECT_EQ((*RepeatedValue(type, EncodeSingleValue(type, key), 0))->length(), 0);
    }
  }
}

// Keys do not tell -0.0 from 0.0, nor one NaN from another; values do.
TEST(ArrowType, FloatingPointBitsAreKept) {
  for (const uint64_t bits :
       {std::bit_cast<uint64_t>(-0.0), uint64_t{0x7ff8000000000123}, uint64_t{0xfff0000000000000}}) {
    std::string bytes(8, '\0');
    for (int i = 0; i < 8; ++i) bytes[static_cast<size_t>(i)] = static_cast<char>(bits >> (8 * i));
    const auto array = RepeatedValue(TypeOf("double"), bytes, 1).ValueOrDie();
    EXPECT_EQ(std::bit_cast<uint64_t>(static_cast<const arrow::DoubleArray&>(*array).Value(0)), bits);
  }
  const auto array = RepeatedValue(TypeOf("float"), std::string("\0\0\0\x80", 4), 1).ValueOrDie();
  EXPECT_TRUE(std::signbit(static_cast<const arrow::FloatArray&>(*array).Value(0)));
}

TEST(ArrowType, BytesOfAnotherWidth) {
  for (const char* name : {"int", "long", "double", "uuid", "fixed[3]", "boolean"}) {
    const auto array = RepeatedValue(TypeOf(name), "12345", 1);
    ASSERT_FALSE(array.ok()) << name;
    EXPECT_EQ(KindOf(array.status()), ErrorKind::kCorrupt) << array.status();
  }
}

TEST(ArrowType, NullHasNoKey) {
  const auto array = arrow::MakeArrayOfNull(arrow::int64(), 1).ValueOrDie();
  EXPECT_EQ(KeyOfValue(TypeOf("long"), *array, 0).ValueOrDie(), std::nullopt);
}

}  // namespace
}  // namespace frazil::iceberg
