// SPDX-License-Identifier: Apache-2.0
//
// Random columns against a naive evaluation: one arrow::Scalar a value, printed with other means than ours.
#include <cinttypes>
#include <cstdio>
#include <random>

#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_decimal.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/compute/cast.h>
#include <arrow/compute/initialize.h>
#include <arrow/scalar.h>
#include <arrow/util/decimal.h>
#include <gtest/gtest.h>

#include "src/cli/format/cell.h"

namespace frazil::cli {
namespace {

using ArrayPointer = std::shared_ptr<arrow::Array>;
using Random = std::mt19937_64;

int64_t Below(Random& random, int64_t limit) { return static_cast<int64_t>(random() % static_cast<uint64_t>(limit)); }

// Small, large and negative numbers, all of them likely.
int64_t AnyInteger(Random& random) {
  const auto value = static_cast<int64_t>(random());
  return value >> Below(random, 64);
}

ArrayPointer RandomArray(const std::shared_ptr<arrow::DataType>& type, int64_t length, Random& random);

ArrayPointer RandomTexts(int64_t length, Random& random) {
  static constexpr std::string_view kPieces[] = {"a", ",", "\"", "\n", "\\", "é", "日", "😀", " ", "\x01", "zz"};
  arrow::StringBuilder builder;
  for (int64_t i = 0; i < length; ++i) {
    if (Below(random, 5) == 0) {
      EXPECT_TRUE(builder.AppendNull().ok());
      continue;
    }
    std::string text;
    for (int64_t piece = Below(random, 6); piece > 0; --piece) {
      text += kPieces[static_cast<size_t>(Below(random, std::size(kPieces)))];
    }
    EXPECT_TRUE(builder.Append(text).ok());
  }
  return builder.Finish().ValueOrDie();
}

// 64-bit types whose every bit pattern is a value.
ArrayPointer RandomWords(const std::shared_ptr<arrow::DataType>& type, int64_t length, Random& random) {
  arrow::Int64Builder builder;
  for (int64_t i = 0; i < length; ++i) {
    const auto status = Below(random, 5) == 0 ? builder.AppendNull() : builder.Append(AnyInteger(random));
    EXPECT_TRUE(status.ok());
  }
  return builder.Finish().ValueOrDie()->View(type).ValueOrDie();
}

ArrayPointer RandomDecimals(const std::shared_ptr<arrow::DataType>& type, int64_t length, Random& random) {
  arrow::Decimal128Builder builder(type);
  for (int64_t i = 0; i < length; ++i) {
    const arrow::Decimal128 value(AnyInteger(random) >> 26, random());  // below 10^38
    EXPECT_TRUE((Below(random, 5) == 0 ? builder.AppendNull() : builder.Append(value)).ok());
  }
  return builder.Finish().ValueOrDie();
}

ArrayPointer RandomList(const std::shared_ptr<arrow::DataType>& type, int64_t length, Random& random) {
  arrow::Int32Builder offsets;
  int32_t offset = 0;
  for (int64_t i = 0; i < length; ++i) {
    EXPECT_TRUE((Below(random, 5) == 0 ? offsets.AppendNull() : offsets.Append(offset)).ok());
    offset += static_cast<int32_t>(Below(random, 4));
  }
  EXPECT_TRUE(offsets.Append(offset).ok());
  const ArrayPointer values = RandomArray(type->field(0)->type(), offset, random);
  return arrow::ListArray::FromArrays(*offsets.Finish().ValueOrDie(), *values).ValueOrDie();
}

ArrayPointer RandomStruct(const std::shared_ptr<arrow::DataType>& type, int64_t length, Random& random) {
  arrow::ArrayVector children;
  for (const auto& field : type->fields()) children.push_back(RandomArray(field->type(), length, random));
  const ArrayPointer validity = RandomArray(arrow::int64(), length, random);
  return arrow::StructArray::Make(children, type->fields(), validity->null_bitmap()).ValueOrDie();
}

ArrayPointer RandomArray(const std::shared_ptr<arrow::DataType>& type, int64_t length, Random& random) {
  // Now and then a slice of something longer: offsets are where columnar code goes wrong.
  if (length > 0 && Below(random, 3) == 0) {
    const int64_t front = Below(random, 20);
    return RandomArray(type, length + front, random)->Slice(front);
  }
  switch (type->id()) {
    case arrow::Type::STRING:
      return RandomTexts(length, random);
    case arrow::Type::DECIMAL128:
      return RandomDecimals(type, length, random);
    case arrow::Type::LIST:
      return RandomList(type, length, random);
    case arrow::Type::STRUCT:
      return RandomStruct(type, length, random);
    default:
      return RandomWords(type, length, random);
  }
}

std::string NaiveString(const std::string& text) {
  std::string out = "\"";
  for (const char byte : text) {
    if (byte == '\n') {
      out += "\\n";
    } else if (byte == '\x01') {
      out += "\\u0001";
    } else {
      if (byte == '"' || byte == '\\') out += '\\';
      out += byte;
    }
  }
  return out + '"';
}

// The shortest of 1 to 17 digits that reads back the same, as a number: only its value is compared.
bool SameDouble(const std::string& text, double value) {
  if (value != value) return text == "\"NaN\"";
  return std::strtod(text.c_str(), nullptr) == value;
}

std::string NaiveJson(const arrow::Scalar& scalar) {
  if (!scalar.is_valid) return "null";
  switch (scalar.type->id()) {
    case arrow::Type::INT64:
      return std::to_string(static_cast<const arrow::Int64Scalar&>(scalar).value);
    case arrow::Type::STRING:
      return NaiveString(scalar.ToString());
    case arrow::Type::DECIMAL128: {
      const int scale = static_cast<const arrow::DecimalType&>(*scalar.type).scale();
      std::string digits = static_cast<const arrow::Decimal128Scalar&>(scalar).value.ToIntegerString();
      const std::string sign = digits[0] == '-' ? "-" : "";
      digits.erase(0, sign.size());
      while (static_cast<int>(digits.size()) <= scale) digits = "0" + digits;
      return sign + digits.substr(0, digits.size() - static_cast<size_t>(scale)) + "." +
             digits.substr(digits.size() - static_cast<size_t>(scale));
    }
    case arrow::Type::TIMESTAMP: {
      // Arrow's own text: "2024-01-02 03:04:05.000001" and, with a zone, "Z".
      std::string text = scalar.CastTo(arrow::utf8()).ValueOrDie()->ToString();
      text[text.find(' ')] = 'T';
      return '"' + text + '"';
    }
    case arrow::Type::LIST: {
      std::string out = "[";
      const auto& values = *static_cast<const arrow::ListScalar&>(scalar).value;
      for (int64_t i = 0; i < values.length(); ++i) {
        out += (i > 0 ? "," : "") + NaiveJson(*values.GetScalar(i).ValueOrDie());
      }
      return out + "]";
    }
    case arrow::Type::STRUCT: {
      std::string out = "{";
      const auto& fields = static_cast<const arrow::StructScalar&>(scalar).value;
      for (size_t i = 0; i < fields.size(); ++i) {
        out += (i > 0 ? ",\"" : "\"") + scalar.type->field(static_cast<int>(i))->name() + "\":" + NaiveJson(*fields[i]);
      }
      return out + "}";
    }
    default:
      ADD_FAILURE() << "no naive form of " << scalar.type->ToString();
      return "";
  }
}

// What a CSV parser makes of one field.
std::string Unquoted(const std::string& field) {
  if (field.empty() || field[0] != '"') {
    EXPECT_EQ(field.find_first_of(",\"\n\r"), std::string::npos) << field;
    return field;
  }
  std::string out;
  for (size_t i = 1; i + 1 < field.size(); ++i) {
    out += field[i];
    if (field[i] != '"') continue;
    EXPECT_EQ(field[++i], '"') << field;
  }
  return out;
}

void CompareAll(const ArrayPointer& array) {
  const auto json = MakeCellAppender(array, {CellStyle::kJson}).ValueOrDie();
  const auto csv = MakeCellAppender(array, {CellStyle::kCsv}).ValueOrDie();
  for (int64_t row = 0; row < array->length(); ++row) {
    std::string json_text;
    std::string csv_text;
    json->AppendCell(row, json_text);
    csv->AppendCell(row, csv_text);
    const auto scalar = array->GetScalar(row).ValueOrDie();
    ASSERT_EQ(json->IsNull(row), !scalar->is_valid);
    if (!scalar->is_valid) {
      ASSERT_EQ(json_text, "null");
      ASSERT_EQ(csv_text, "");
    } else if (array->type_id() == arrow::Type::DOUBLE) {
      ASSERT_TRUE(SameDouble(json_text, static_cast<const arrow::DoubleScalar&>(*scalar).value)) << json_text;
    } else {
      const std::string expected = NaiveJson(*scalar);
      ASSERT_EQ(json_text, expected) << array->type()->ToString() << " row " << row;
      const bool is_text = array->type_id() == arrow::Type::STRING;
      const bool is_time = array->type_id() == arrow::Type::TIMESTAMP;
      const std::string plain = is_text   ? scalar->ToString()
                                : is_time ? expected.substr(1, expected.size() - 2)
                                          : expected;
      ASSERT_EQ(Unquoted(csv_text), plain) << array->type()->ToString() << " row " << row;
      ASSERT_FALSE(csv_text.empty());
    }
  }
}

TEST(CellOracle, RandomColumnsAreTheSameAsNaively) {
  ASSERT_TRUE(arrow::compute::Initialize().ok());
  const uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::printf("seed %" PRIu64 "\n", seed);
  Random random(seed);
  const auto pair = arrow::struct_({arrow::field("a", arrow::int64()), arrow::field("b", arrow::utf8())});
  // Nanoseconds stay in years of four digits, where Arrow's text and ours agree.
  const std::shared_ptr<arrow::DataType> types[] = {
      arrow::int64(),
      arrow::float64(),
      arrow::utf8(),
      arrow::decimal128(38, 5),
      arrow::timestamp(arrow::TimeUnit::NANO),
      arrow::timestamp(arrow::TimeUnit::NANO, "UTC"),
      arrow::list(arrow::utf8()),
      pair,
      arrow::list(pair),
      arrow::struct_({arrow::field("x", arrow::list(arrow::list(arrow::int64()))), arrow::field("y", pair)}),
  };
  for (int round = 0; round < 20; ++round) {
    for (const auto& type : types) {
      const ArrayPointer array = RandomArray(type, Below(random, 60), random);
      ASSERT_TRUE(array->ValidateFull().ok()) << array->ValidateFull().ToString();
      ASSERT_NO_FATAL_FAILURE(CompareAll(array));
    }
  }
}

}  // namespace
}  // namespace frazil::cli
