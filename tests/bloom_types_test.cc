// SPDX-License-Identifier: Apache-2.0
//
// Bloom filters asked for values of every type, in the physical form of the column: values that are there are found,
// and others ruled out.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/bloom_file.h"
#include "tests/level_answer.h"

namespace frazil {
namespace {

using filegen::FileSpec;
using filegen::Node;
using filegen::Value;
using ::parquet::Type;

struct TypeCase {
  std::string name;
  Node leaf;
  std::vector<Value> values;
  std::vector<std::string> there;      // conditions that some row meets
  std::vector<std::string> absent;     // conditions that the filter rules out
  std::vector<std::string> kept = {};  // that no row meets, but the filter can not tell
};

void PrintTo(const TypeCase& type, std::ostream* out) { *out << type.name; }

std::string Repeated(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

std::vector<TypeCase> IntegerCases() {
  return {
      {"int8",
       filegen::IntLeaf("c", 8, true),
       {Value(int32_t{-1}), Value(int32_t{7})},
       {"c = -1", "c = 7"},
       {"c = 1", "c = 255", "c = 1.5"}},
      {"int16", filegen::IntLeaf("c", 16, true), {Value(int32_t{-300})}, {"c = -300"}, {"c = 300", "c = 65236"}},
      {"int32",
       filegen::Leaf("c", Type::INT32),
       {Value(int32_t{1 << 30}), Value()},
       {"c = 1073741824", "c IN (5, 1073741824)"},
       {"c = 5", "c IN (5, 6, 7)", "c = 4294967296", "c > 5 AND c < 7"},
       {"c > 1073741824"}},
      {"int64",
       filegen::Leaf("c", Type::INT64),
       {Value(int64_t{1} << 60)},
       {"c = 1152921504606846976"},
       {"c = 1152921504606846975", "c BETWEEN 3 AND 3", "c BETWEEN 3 AND 6"},
       {"c BETWEEN 3 AND 6000"}},
      {"uint8", filegen::IntLeaf("c", 8, false), {Value(int32_t{200})}, {"c = 200"}, {"c = 201", "c = -56"}},
      {"uint32",
       filegen::IntLeaf("c", 32, false),
       {Value(static_cast<int32_t>(4'000'000'000U))},
       {"c = 4000000000"},
       {"c = -294967296", "c = 3999999999"}},
      {"uint64",
       filegen::IntLeaf("c", 64, false),
       {Value(int64_t{-1})},
       {"c = 18446744073709551615"},
       {"c = -1", "c = 18446744073709551614"}},
  };
}

std::vector<TypeCase> FloatingCases() {
  const float minus_zero = -0.0F;
  return {
      {"float",
       filegen::Leaf("c", Type::FLOAT),
       {Value(0.1F), Value(1.5F)},
       {"c = 0.1", "c = 1.5"},
       {"c = 0", "c = -0.0", "c = 0.2", "c = -1.5"},
       {"c = 'NaN'", "c IN (7, 'NaN')"}},
      {"float zero", filegen::Leaf("c", Type::FLOAT), {Value(minus_zero)}, {"c = 0", "c = -0.0"}, {"c = 1e-40"}},
      {"double",
       filegen::Leaf("c", Type::DOUBLE),
       {Value(0.1), Value(1e300)},
       {"c = 0.1", "c = 1e300"},
       {"c = 0.25", "c = 0"},
       {"c IS NAN"}},
      {"double zero", filegen::Leaf("c", Type::DOUBLE), {Value(0.0)}, {"c = 0", "c = -0.0"}, {"c = 5e-324"}},
      {"float16",
       filegen::Float16Leaf("c"),
       {Value(std::string("\x00\x3e", 2)), Value(std::string("\x00\x80", 2))},
       {"c = 1.5", "c = 0"},
       {"c = 2.5"}},
  };
}

std::vector<TypeCase> DecimalCases() {
  return {
      {"decimal of int32",
       filegen::DecimalLeaf("c", Type::INT32, 9, 2),
       {Value(int32_t{1250})},
       {"c = 12.5", "c = 12.50"},
       {"c = 1250", "c = 12.501", "c = 99999999999"}},
      {"decimal of int64",
       filegen::DecimalLeaf("c", Type::INT64, 18, 2),
       {Value(int64_t{-4094})},
       {"c = -40.94"},
       {"c = 40.94", "c = -40.93"}},
      {"decimal of 5 bytes",
       filegen::DecimalLeaf("c", Type::FIXED_LEN_BYTE_ARRAY, 11, 3, 5),
       {Value(std::string("\xff\xff\xff\xff\x85", 5))},
       {"c = -0.123"},
       {"c = 0.123", "c = 5"}},
      {"decimal of 16 bytes",
       filegen::DecimalLeaf("c", Type::FIXED_LEN_BYTE_ARRAY, 38, 0, 16),
       {Value(std::string(15, '\0') + "\x2a"), Value(std::string(15, '\xff') + "\xfe")},
       {"c = 42", "c = -2"},
       {"c = 43", "c = -42"}},
      {"wide decimal",
       filegen::DecimalLeaf("c", Type::FIXED_LEN_BYTE_ARRAY, 45, 0, 19),
       {Value(std::string(18, '\0') + "\x2a"), Value(std::string(18, '\xff') + "\xfe")},
       {"c = 42", "c = -2"},
       {"c = 43", "c = -42"}},
      {"decimal of bytes",
       filegen::DecimalLeaf("c", Type::BYTE_ARRAY, 9, 2),
       {Value(std::string("\x00\x04\xe2", 3))},
       {"c = 12.5"},
       {},
       {"c = 5"}},
  };
}

std::vector<TypeCase> TextCases() {
  const std::string uuid("\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff", 16);
  return {
      {"string",
       filegen::StringLeaf("c"),
       {Value("hello"), Value("")},
       {"c = 'hello'", "c = ''", "c LIKE 'hello'"},
       {"c = 'hell'", "c IN ('a', 'b')", "c LIKE 'x'"},
       {"c LIKE 'x%'", "c > 'hello'"}},
      {"binary",
       filegen::Leaf("c", Type::BYTE_ARRAY),
       {Value(std::string("\x00\xff", 2))},
       {"c = X'00ff'"},
       {"c = X'00'", "c = X'00ff00'"}},
      {"fixed", filegen::FixedLeaf("c", 3), {Value("abc")}, {"c = 'abc'"}, {"c = 'ab'", "c = 'abcd'", "c = 'abd'"}},
      {"uuid",
       filegen::UuidLeaf("c"),
       {Value(uuid)},
       {"c = '00112233-4455-6677-8899-AABBCCDDEEFF'"},
       {"c = '00112233-4455-6677-8899-aabbccddeefe'"}},
      {"long text",
       filegen::StringLeaf("c"),
       {Value(Repeated("text ", 100))},
       {"c = '" + Repeated("text ", 100) + "'"},
       {"c = '" + Repeated("text ", 99) + "'"}},
  };
}

std::vector<TypeCase> TimeCases() {
  using filegen::TimeUnit;
  return {
      {"date",
       filegen::DateLeaf("c"),
       {Value(int32_t{19723})},
       {"c = DATE '2024-01-01'", "c = TIMESTAMP '2024-01-01T00:00:00'"},
       {"c = DATE '2024-01-02'", "c = TIMESTAMP '2024-01-01T00:00:01'"}},
      {"time of milliseconds",
       filegen::TimeLeaf("c", TimeUnit::kMilli, false),
       {Value(int32_t{3'600'001})},
       {"c = TIME '01:00:00.001'"},
       {"c = TIME '01:00:00'", "c = TIME '01:00:00.001001'"}},
      {"time of microseconds",
       filegen::TimeLeaf("c", TimeUnit::kMicro, false),
       {Value(int64_t{3'600'000'001})},
       {"c = TIME '01:00:00.000001'"},
       {"c = TIME '01:00:00'"}},
      {"timestamp of milliseconds",
       filegen::TimestampLeaf("c", TimeUnit::kMilli, false),
       {Value(int64_t{1001})},
       {"c = TIMESTAMP '1970-01-01T00:00:01.001'"},
       {"c = TIMESTAMP '1970-01-01T00:00:01'", "c = TIMESTAMP '1970-01-01T00:00:01.001001'"}},
      {"timestamp of microseconds",
       filegen::TimestampLeaf("c", TimeUnit::kMicro, true),
       {Value(int64_t{1'000'001})},
       {"c = TIMESTAMP '1970-01-01T00:00:01.000001Z'", "c = TIMESTAMP '1970-01-01T01:00:01.000001+01:00'"},
       {"c = TIMESTAMP '1970-01-01T00:00:01Z'"}},
      {"timestamp of nanoseconds",
       filegen::TimestampLeaf("c", TimeUnit::kNano, false),
       {Value(int64_t{1'000'000'001})},
       {"c = TIMESTAMP '1970-01-01T00:00:01.000000001'"},
       {"c = TIMESTAMP '1970-01-01T00:00:01'"}},
      {"timestamp of 96 bits",
       filegen::Leaf("c", Type::INT96),
       {Value(filegen::Int96{{1000, 0, 2'440'588}})},
       {"c = TIMESTAMP '1970-01-01T00:00:00.000001'"},
       {},
       {"c = TIMESTAMP '1970-01-02T00:00:00'"}},
  };
}

std::vector<TypeCase> TypeCases() {
  std::vector<TypeCase> all;
  for (const auto& some : {IntegerCases(), FloatingCases(), DecimalCases(), TextCases(), TimeCases()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

class BloomTypes : public testing::TestWithParam<TypeCase> {};

TEST_P(BloomTypes, ValuesAreFoundAndOthersRuledOut) {
  const FileSpec file = OneColumn(GetParam().leaf, GetParam().values);
  for (const std::string& filter : GetParam().there) {
    const LevelAnswer answer = AskLevel(Level::kBloom, file, filter);
    EXPECT_GT(answer.rows, 0) << filter;
    EXPECT_EQ(answer.kept, 1) << filter;
    EXPECT_EQ(answer.unusable, "") << filter;
  }
  for (const std::string& filter : GetParam().absent)
    EXPECT_EQ(AskLevel(Level::kBloom, file, filter).row_groups_kept, 0) << filter;
  for (const std::string& filter : GetParam().kept) {
    const LevelAnswer answer = AskLevel(Level::kBloom, file, filter);
    EXPECT_EQ(answer.kept, 1) << filter;
    EXPECT_EQ(answer.rows, 0) << filter;
  }
}

INSTANTIATE_TEST_SUITE_P(, BloomTypes, testing::ValuesIn(TypeCases()),
                         [](const testing::TestParamInfo<TypeCase>& info) {
                           std::string name = info.param.name;
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name;
                         });

}  // namespace
}  // namespace frazil
