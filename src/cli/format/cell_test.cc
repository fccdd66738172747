// SPDX-License-Identifier: Apache-2.0
#include "src/cli/format/cell.h"

#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/extension/json.h>
#include <arrow/extension/uuid.h>
#include <arrow/json/from_string.h>
#include <arrow/record_batch.h>
#include <gtest/gtest.h>

#include "frazil/error.h"
#include "src/cli/format/value_text.h"

namespace frazil::cli {
namespace {

using ArrayPointer = std::shared_ptr<arrow::Array>;
using Texts = std::vector<std::string>;

ArrayPointer FromJson(const std::shared_ptr<arrow::DataType>& type, const std::string& json) {
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
}

Texts Cells(const ArrayPointer& array, CellStyle style) {
  const auto cell = MakeCellAppender(array, {style}).ValueOrDie();
  Texts texts;
  for (int64_t row = 0; row < array->length(); ++row) {
    std::string& text = texts.emplace_back("|");
    cell->AppendCell(row, text);
    text.erase(0, 1);
    EXPECT_EQ(cell->IsNull(row), text == (style == CellStyle::kCsv    ? ""
                                          : style == CellStyle::kJson ? "null"
                                                                      : "NULL"))
        << array->type()->ToString() << " row " << row;
  }
  return texts;
}

// Checks all of `array`, and that every slice gives the same part of the texts.
void Expect(const ArrayPointer& array, const Texts& json, const Texts& csv) {
  EXPECT_EQ(Cells(array, CellStyle::kJson), json) << array->type()->ToString();
  EXPECT_EQ(Cells(array, CellStyle::kCsv), csv) << array->type()->ToString();
  for (int64_t offset = 0; offset <= array->length(); ++offset) {
    EXPECT_EQ(Cells(array->Slice(offset), CellStyle::kJson), Texts(json.begin() + offset, json.end()))
        << array->type()->ToString() << " from " << offset;
  }
}

// For types that need no quotes in either style.
void ExpectBare(const std::shared_ptr<arrow::DataType>& type, const std::string& values, const Texts& texts) {
  Texts csv = texts;
  for (std::string& text : csv) text = text == "null" ? "" : text;
  Expect(FromJson(type, values), texts, csv);
}

// For types that are JSON strings and need no quotes in CSV; "" stands for null.
void ExpectQuoted(const ArrayPointer& array, const Texts& texts) {
  Texts json;
  for (const std::string& text : texts) json.push_back(text.empty() ? "null" : '"' + text + '"');
  Expect(array, json, texts);
}

TEST(Cell, Integers) {
  ExpectBare(arrow::int8(), "[-128, null, 127]", {"-128", "null", "127"});
  ExpectBare(arrow::int16(), "[-32768, null]", {"-32768", "null"});
  ExpectBare(arrow::int32(), "[-2147483648, null]", {"-2147483648", "null"});
  ExpectBare(arrow::int64(), "[-9223372036854775808, null, 9223372036854775807]",
             {"-9223372036854775808", "null", "9223372036854775807"});
  ExpectBare(arrow::uint8(), "[255]", {"255"});
  ExpectBare(arrow::uint16(), "[65535]", {"65535"});
  ExpectBare(arrow::uint32(), "[4294967295]", {"4294967295"});
  ExpectBare(arrow::uint64(), "[18446744073709551615, null]", {"18446744073709551615", "null"});
}

TEST(Cell, NullsAndBools) {
  ExpectBare(arrow::null(), "[null, null]", {"null", "null"});
  ExpectBare(arrow::boolean(), "[true, null, false, true, true, true, true, true, null, false]",
             {"true", "null", "false", "true", "true", "true", "true", "true", "null", "false"});
}

TEST(Cell, Floats) {
  ExpectBare(arrow::float64(), "[0.1, null, -1.5, 1e300]", {"0.1", "null", "-1.5", "1e+300"});
  Expect(FromJson(arrow::float64(), "[NaN, Inf, -Inf]"), {"\"NaN\"", "\"Infinity\"", "\"-Infinity\""},
         {"NaN", "Infinity", "-Infinity"});
  Expect(FromJson(arrow::float32(), "[16777216, 0.1, NaN]"), {"16777216", "0.1", "\"NaN\""},
         {"16777216", "0.1", "NaN"});
  arrow::HalfFloatBuilder halves;
  ASSERT_TRUE(halves.AppendValues({0x3C00, 0x0001, 0xFBFF, 0x7C00, 0x7E00, 0x8000}).ok());
  Expect(halves.Finish().ValueOrDie(), {"1", "5.9604645e-08", "-65504", "\"Infinity\"", "\"NaN\"", "-0"},
         {"1", "5.9604645e-08", "-65504", "Infinity", "NaN", "-0"});
}

TEST(Cell, Decimals) {
  ExpectBare(arrow::decimal32(7, 2), R"(["-12345.67", null])", {"-12345.67", "null"});
  ExpectBare(arrow::decimal64(18, 0), R"(["999999999999999999"])", {"999999999999999999"});
  ExpectBare(arrow::decimal128(38, 38), R"(["-0.00000000000000000000000000000000000001", null])",
             {"-0.00000000000000000000000000000000000001", "null"});
  const std::string nines(74, '9');
  ExpectBare(arrow::decimal256(76, 2), "[\"-" + nines + ".99\", null]", {"-" + nines + ".99", "null"});
}

TEST(Cell, DatesAndTimes) {
  ExpectQuoted(FromJson(arrow::date32(), "[0, null, -719529, 2932897]"),
               {"1970-01-01", "", "-0001-12-31", "+10000-01-01"});
  ExpectQuoted(FromJson(arrow::date64(), "[0, null, -86400000]"), {"1970-01-01", "", "1969-12-31"});
  ExpectQuoted(FromJson(arrow::time32(arrow::TimeUnit::SECOND), "[86399, null]"), {"23:59:59", ""});
  ExpectQuoted(FromJson(arrow::time32(arrow::TimeUnit::MILLI), "[1, null]"), {"00:00:00.001", ""});
  ExpectQuoted(FromJson(arrow::time64(arrow::TimeUnit::MICRO), "[1, null]"), {"00:00:00.000001", ""});
  ExpectQuoted(FromJson(arrow::time64(arrow::TimeUnit::NANO), "[1, null]"), {"00:00:00.000000001", ""});
  ExpectQuoted(FromJson(arrow::timestamp(arrow::TimeUnit::SECOND), "[-1, null]"), {"1969-12-31T23:59:59", ""});
  ExpectQuoted(FromJson(arrow::timestamp(arrow::TimeUnit::MILLI, "UTC"), "[-1]"), {"1969-12-31T23:59:59.999Z"});
  // An instant is an instant: the zone changes how it is shown elsewhere, never here.
  ExpectQuoted(FromJson(arrow::timestamp(arrow::TimeUnit::MICRO, "Asia/Tokyo"), "[0]"),
               {"1970-01-01T00:00:00.000000Z"});
  ExpectQuoted(FromJson(arrow::timestamp(arrow::TimeUnit::NANO), "[9223372036854775807]"),
               {"2262-04-11T23:47:16.854775807"});
}

TEST(Cell, DurationsAndIntervals) {
  ExpectQuoted(FromJson(arrow::duration(arrow::TimeUnit::MILLI), "[1500, null]"), {"PT1.5S", ""});
  ExpectQuoted(FromJson(arrow::month_interval(), "[14, null]"), {"P14M", ""});
  ExpectQuoted(FromJson(arrow::day_time_interval(), "[[1, -5], null]"), {"P1DT-0.005S", ""});
  ExpectQuoted(FromJson(arrow::month_day_nano_interval(), "[[1, 2, 3000000004], null, [0, 0, 0]]"),
               {"P1M2DT3.000000004S", "", "PT0S"});
}

TEST(Cell, Texts) {
  for (const auto& type : {arrow::utf8(), arrow::large_utf8(), arrow::utf8_view()}) {
    Expect(FromJson(type, R"(["a,b", "", null, "q\"", "two\nlines", "a text too long to be stored inline"])"),
           {R"("a,b")", R"("")", "null", R"("q\"")", R"("two\nlines")", R"("a text too long to be stored inline")"},
           {R"("a,b")", R"("")", "", R"("q""")", "\"two\nlines\"", "a text too long to be stored inline"});
  }
  // Bytes that are not UTF-8: kept in CSV, replaced in JSON, where they cannot be.
  arrow::StringBuilder texts;
  ASSERT_TRUE(texts.Append("a\xFF").ok());
  Expect(texts.Finish().ValueOrDie(), {"\"a\uFFFD\""}, {"a\xFF"});
}

TEST(Cell, Bytes) {
  for (const auto& type : {arrow::binary(), arrow::large_binary(), arrow::binary_view()}) {
    ExpectQuoted(FromJson(type, R"(["Az", null, ""])"), {"0x417a", "", "0x"});
  }
  ExpectQuoted(FromJson(arrow::fixed_size_binary(3), R"(["abc", null])"), {"0x616263", ""});
}

TEST(Cell, Extensions) {
  const ArrayPointer bytes = FromJson(arrow::fixed_size_binary(16), R"(["0123456789abcdef", null])");
  ExpectQuoted(arrow::ExtensionType::WrapArray(arrow::extension::uuid(), bytes),
               {"30313233-3435-3637-3839-616263646566", ""});
  // Without the extension they are only bytes.
  ExpectQuoted(bytes, {"0x30313233343536373839616263646566", ""});
  const ArrayPointer documents = FromJson(arrow::utf8(), R"(["{\"a\":1}", null])");
  Expect(arrow::ExtensionType::WrapArray(arrow::extension::json(), documents), {R"("{\"a\":1}")", "null"},
         {R"("{""a"":1}")", ""});
}

TEST(Cell, DictionariesShowTheirValues) {
  const ArrayPointer dictionary = FromJson(arrow::utf8(), R"(["x", null, ""])");
  for (const auto& index_type : {arrow::int8(), arrow::uint16(), arrow::int64()}) {
    const ArrayPointer indices = FromJson(index_type, "[2, 0, null, 1, 0]");
    const auto array = arrow::DictionaryArray::FromArrays(indices, dictionary).ValueOrDie();
    Expect(array, {R"("")", R"("x")", "null", "null", R"("x")"}, {R"("")", "x", "", "", "x"});
  }
  const auto dates =
      arrow::DictionaryArray::FromArrays(FromJson(arrow::int32(), "[1, 0]"), FromJson(arrow::date32(), "[0, 1]"));
  ExpectQuoted(dates.ValueOrDie(), {"1970-01-02", "1970-01-01"});
}

TEST(Cell, RunEndsShowTheirValues) {
  for (const auto& run_end_type : {arrow::int16(), arrow::int32(), arrow::int64()}) {
    const auto array = arrow::RunEndEncodedArray::Make(5, FromJson(run_end_type, "[2, 3, 5]"),
                                                       FromJson(arrow::int32(), "[7, null, 8]"));
    Expect(array.ValueOrDie(), {"7", "7", "null", "8", "8"}, {"7", "7", "", "8", "8"});
  }
}

TEST(Cell, Structs) {
  const auto type = arrow::struct_({arrow::field("a", arrow::int32()), arrow::field("b \"q\"", arrow::utf8())});
  Expect(FromJson(type, R"([{"a": 1, "b \"q\"": "x"}, null, {"a": null, "b \"q\"": "y"}])"),
         {R"({"a":1,"b \"q\"":"x"})", "null", R"({"a":null,"b \"q\"":"y"})"},
         {R"("{""a"":1,""b \""q\"""":""x""}")", "", R"("{""a"":null,""b \""q\"""":""y""}")"});
  Expect(FromJson(arrow::struct_(arrow::FieldVector{}), "[{}, null]"), {"{}", "null"}, {"{}", ""});
}

TEST(Cell, Lists) {
  for (const auto& type : {arrow::list(arrow::int32()), arrow::large_list(arrow::int32()),
                           arrow::list_view(arrow::int32()), arrow::large_list_view(arrow::int32())}) {
    Expect(FromJson(type, "[[1, null, 3], null, [], [4]]"), {"[1,null,3]", "null", "[]", "[4]"},
           {"\"[1,null,3]\"", "", "[]", "[4]"});
  }
  Expect(FromJson(arrow::fixed_size_list(arrow::date32(), 2), "[[0, 1], null, [null, 2]]"),
         {R"(["1970-01-01","1970-01-02"])", "null", R"([null,"1970-01-03"])"},
         {R"("[""1970-01-01"",""1970-01-02""]")", "", R"("[null,""1970-01-03""]")"});
}

TEST(Cell, ListViewsMayShareAndReorderValues) {
  const auto array =
      arrow::ListViewArray::FromArrays(*FromJson(arrow::int32(), "[2, 0, 1]"), *FromJson(arrow::int32(), "[1, 3, 0]"),
                                       *FromJson(arrow::int64(), "[5, 6, 7]"));
  EXPECT_EQ(Cells(array.ValueOrDie(), CellStyle::kJson), (Texts{"[7]", "[5,6,7]", "[]"}));
}

TEST(Cell, MapsArePairs) {
  const auto type = arrow::map(arrow::utf8(), arrow::int32());
  const ArrayPointer maps = FromJson(type, R"([[["a", 1], ["a", null]], null, [], [["b", 2]]])");
  Expect(maps, {R"([["a",1],["a",null]])", "null", "[]", R"([["b",2]])"},
         {R"("[[""a"",1],[""a"",null]]")", "", "[]", R"("[[""b"",2]]")"});
}

TEST(Cell, AMapWhoseEntriesAreASlice) {
  const auto type = arrow::map(arrow::utf8(), arrow::int32());
  const ArrayPointer maps = FromJson(type, R"([[["a", 1], ["b", 2]], [["c", 3]]])");
  const auto& entries = static_cast<const arrow::MapArray&>(*maps).values();
  // Offsets 0, 1, 2 into entries that begin one later.
  const auto data = maps->data()->Copy();
  data->buffers[1] = arrow::Buffer::FromVector(std::vector<int32_t>{0, 1, 2});
  data->child_data[0] = entries->Slice(1)->data();
  data->SetNullCount(0);
  EXPECT_EQ(Cells(arrow::MakeArray(data), CellStyle::kJson), (Texts{R"([["b",2]])", R"([["c",3]])"}));
}

TEST(Cell, NestedThreeDeep) {
  const auto inner = arrow::struct_({arrow::field("t", arrow::timestamp(arrow::TimeUnit::SECOND, "UTC")),
                                     arrow::field("tags", arrow::list(arrow::utf8()))});
  const auto type = arrow::list(arrow::struct_(
      {arrow::field("m", arrow::map(arrow::int32(), inner)), arrow::field("d", arrow::decimal128(5, 2))}));
  Expect(FromJson(type, R"([[{"m": [[1, {"t": 0, "tags": ["x", null]}], [2, null]], "d": "1.50"}, null], null,
                            [{"m": null, "d": null}, {"m": [], "d": "-0.01"}], []])"),
         {R"([{"m":[[1,{"t":"1970-01-01T00:00:00Z","tags":["x",null]}],[2,null]],"d":1.50},null])", "null",
          R"([{"m":null,"d":null},{"m":[],"d":-0.01}])", "[]"},
         {R"("[{""m"":[[1,{""t"":""1970-01-01T00:00:00Z"",""tags"":[""x"",null]}],[2,null]],""d"":1.50},null]")", "",
          R"("[{""m"":null,""d"":null},{""m"":[],""d"":-0.01}]")", "[]"});
}

TEST(Cell, PreviewsAreRawAndCut) {
  EXPECT_EQ(Cells(FromJson(arrow::utf8(), R"(["a,\"b", null])"), CellStyle::kText), (Texts{"a,\"b", "NULL"}));
  EXPECT_EQ(Cells(FromJson(arrow::list(arrow::utf8()), R"([["a"], null])"), CellStyle::kText),
            (Texts{R"(["a"])", "NULL"}));
  arrow::ListBuilder lists(arrow::default_memory_pool(), std::make_shared<arrow::Int32Builder>());
  ASSERT_TRUE(lists.Append().ok());
  for (int i = 0; i < 100'000; ++i) {
    ASSERT_TRUE(static_cast<arrow::Int32Builder*>(lists.value_builder())->Append(i).ok());
  }
  const ArrayPointer large_list = lists.Finish().ValueOrDie();
  std::string text;
  MakeCellAppender(large_list, {CellStyle::kText, 100}).ValueOrDie()->AppendCell(0, text);
  EXPECT_EQ(text.substr(0, 8), "[0,1,2,3");
  EXPECT_LE(text.size(), 120U);
  text.clear();
  const ArrayPointer large_text = FromJson(arrow::utf8(), "[\"" + std::string(1000, 'x') + "\"]");
  MakeCellAppender(large_text, {CellStyle::kText, 100}).ValueOrDie()->AppendCell(0, text);
  EXPECT_EQ(text, std::string(100, 'x'));
}

TEST(Cell, UnionsAndAbsurdTypesAreUnsupported) {
  const auto union_type = arrow::dense_union({arrow::field("a", arrow::int32())});
  EXPECT_EQ(KindOf(CheckPrintable(*union_type)), ErrorKind::kUnsupported);
  EXPECT_EQ(KindOf(CheckPrintable(*arrow::list(arrow::struct_({arrow::field("u", union_type)})))),
            ErrorKind::kUnsupported);
  EXPECT_EQ(KindOf(MakeCellAppender(FromJson(union_type, "[[0, 1]]"), {}).status()), ErrorKind::kUnsupported);
  std::shared_ptr<arrow::DataType> deep = arrow::int32();
  for (int i = 0; i < kTypeDepthMax; ++i) deep = arrow::list(deep);
  EXPECT_TRUE(CheckPrintable(*deep).ok());
  EXPECT_EQ(KindOf(CheckPrintable(*arrow::list(deep))), ErrorKind::kUnsupported);
  EXPECT_TRUE(CheckPrintable(*arrow::decimal128(38, -kDecimalScaleMax)).ok());
  EXPECT_EQ(KindOf(CheckPrintable(*arrow::decimal128(38, kDecimalScaleMax + 1))), ErrorKind::kUnsupported);
  const arrow::Status status = CheckPrintable(*arrow::schema({arrow::field("bad", union_type)}));
  EXPECT_NE(status.message().find("column bad: "), std::string::npos) << status.message();
}

}  // namespace
}  // namespace frazil::cli
