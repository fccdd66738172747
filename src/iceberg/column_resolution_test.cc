// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/column_resolution.h"

#include <cmath>

#include <gtest/gtest.h>

#include "frazil/error.h"
#include "src/expr/bind.h"
#include "src/expr/literal.h"
#include "src/expr/parse.h"
#include "src/iceberg/single_value.h"

namespace frazil::iceberg {
namespace {

using expr::Int128;
using expr::Key;
using expr::KeySet;
using ::parquet::LogicalType;
using ::parquet::Repetition;
using ::parquet::schema::GroupNode;
using ::parquet::schema::NodePtr;
using ::parquet::schema::PrimitiveNode;
using Numbers = expr::IntervalSet<Int128>;

NodePtr Leaf(const char* name, int id, std::shared_ptr<const LogicalType> logical, ::parquet::Type::type type,
             int length = -1) {
  return PrimitiveNode::Make(name, Repetition::OPTIONAL, std::move(logical), type, length, id);
}
NodePtr Int32(const char* name, int id) { return Leaf(name, id, LogicalType::None(), ::parquet::Type::INT32); }
NodePtr Int64(const char* name, int id) { return Leaf(name, id, LogicalType::None(), ::parquet::Type::INT64); }
NodePtr Text(const char* name, int id) { return Leaf(name, id, LogicalType::String(), ::parquet::Type::BYTE_ARRAY); }
NodePtr Struct(const char* name, int id, const ::parquet::schema::NodeVector& fields) {
  return GroupNode::Make(name, Repetition::OPTIONAL, fields, nullptr, id);
}
NodePtr List(const char* name, int id, NodePtr element) {
  return GroupNode::Make(name, Repetition::OPTIONAL,
                         {GroupNode::Make("list", Repetition::REPEATED, {std::move(element)})}, LogicalType::List(),
                         id);
}
NodePtr Map(const char* name, int id, NodePtr key, NodePtr value) {
  return GroupNode::Make(name, Repetition::OPTIONAL,
                         {GroupNode::Make("key_value", Repetition::REPEATED, {std::move(key), std::move(value)})},
                         LogicalType::Map(), id);
}

::parquet::SchemaDescriptor File(const ::parquet::schema::NodeVector& fields) {
  ::parquet::SchemaDescriptor schema;
  schema.Init(GroupNode::Make("schema", Repetition::REQUIRED, fields));
  return schema;
}

Schema Table(const std::string& fields) { return ParseSchema(R"({"fields": [)" + fields + "]}").ValueOrDie(); }
std::string Field(int id, const std::string& name, const std::string& type, const std::string& more = "") {
  return R"({"id": )" + std::to_string(id) + R"(, "name": ")" + name + R"(", "required": false, "type": )" +
         (type[0] == '{' ? type : "\"" + type + "\"") + more + "}";
}

// "a=file 2, b=7, c=null, s=file{x=file 1}": where every column comes from.
std::string Text(const std::vector<ResolvedColumn>& columns) {
  std::string text;
  for (const ResolvedColumn& column : columns) {
    if (!text.empty()) text += ", ";
    text += column.name + "=";
    switch (column.origin) {
      case ColumnOrigin::kFile:
        text += column.leaf >= 0 ? "file " + std::to_string(column.leaf) : "file";
        break;
      case ColumnOrigin::kConstant:
        text +=
            expr::KeyToString(DecodeSingleValue(column.type, column.constant).ValueOrDie(), FilterType(column.type));
        break;
      case ColumnOrigin::kNull:
        text += "null";
        break;
      case ColumnOrigin::kStruct:
        text += "struct";
        break;
    }
    if (!column.children.empty()) text += "{" + Text(column.children) + "}";
  }
  return text;
}

std::string Resolved(const Schema& table, const ::parquet::SchemaDescriptor& file, const IdentityValues& values = {},
                     const NameMapping* mapping = nullptr) {
  const auto columns = ResolveColumns(table, file, FieldIdsOf(file, mapping), values);
  return columns.ok() ? Text(*columns) : "error: " + columns.status().message();
}

expr::BoundFilter Bound(const Schema& table, const std::string& filter) {
  return expr::Bind(expr::ParseFilter(filter).ValueOrDie(), table.FilterTree(), filter).ValueOrDie();
}

// The filter of the file: "TRUE", "FALSE", or what is left of it, with the columns it uses.
std::string FileFilter(const Schema& table, const ::parquet::SchemaDescriptor& file, const std::string& filter,
                       const IdentityValues& values = {}) {
  const auto columns = ResolveColumns(table, file, FieldIdsOf(file, nullptr), values).ValueOrDie();
  const auto made = FilterForFile(Bound(table, filter), columns, file);
  if (!made.ok()) return "error: " + made.status().message();
  std::string text = made->root.ToString();
  for (const expr::BoundColumn& column : made->columns) {
    text += " | " + column.path + " " + std::to_string(column.ref) + " " + column.type.ToString();
  }
  return text;
}

TEST(ColumnResolution, ById) {
  const auto file = File({Text("a", 1), Int32("b", 2), Int64("c", 3)});
  // a was renamed to b, b to a; c was dropped, and another c added.
  EXPECT_EQ(Resolved(Table(Field(2, "a", "int") + "," + Field(1, "b", "string") + "," + Field(4, "c", "long")), file),
            "a=file 1, b=file 0, c=null");
}

TEST(ColumnResolution, TheFourSteps) {
  const auto file = File({Int32("a", 1)});
  const Schema table = Table(
      Field(1, "a", "int", R"(, "initial-default": 7)") + "," + Field(2, "p", "string", R"(, "initial-default": "d")") +
      "," + Field(3, "d", "date", R"(, "initial-default": "1969-12-31")") + "," + Field(4, "n", "long"));
  EXPECT_EQ(Resolved(table, file, {{1, std::string(4, '\1')}, {2, "x"}}), "a=file 0, p='x', d=1969-12-31, n=null");
  EXPECT_EQ(Resolved(table, file, {{2, std::nullopt}}), "a=file 0, p=null, d=1969-12-31, n=null");
  EXPECT_EQ(Resolved(table, file), "a=file 0, p='d', d=1969-12-31, n=null");
  EXPECT_EQ(Resolved(table, file, {{4, std::string("\xfe\xff\xff\xff", 4)}}), "a=file 0, p='d', d=1969-12-31, n=-2");
  EXPECT_EQ(Resolved(table, file, {{4, "abc"}}),
            "error: column n: the partition value can not be read: 3 bytes can not be a value of type long");
}

TEST(ColumnResolution, ARequiredFieldThatIsNowhereIsAnError) {
  const auto file = File({Int32("a", 1)});
  const Schema table =
      ParseSchema(R"({"fields": [{"id": 9, "name": "r", "required": true, "type": "int"}]})").ValueOrDie();
  EXPECT_EQ(Resolved(table, file),
            "error: column r: the file does not have this required field, and it has no initial default");
  EXPECT_EQ(Resolved(table, file, {{9, std::string(4, '\0')}}), "r=0");
}

TEST(ColumnResolution, Nested) {
  const auto file = File({Struct("s", 1, {Int32("x", 2), Text("y", 3)}), List("l", 4, Int32("element", 5)),
                          Map("m", 6, Text("key", 7), Struct("value", 8, {Int32("n", 9)}))});
  const Schema table = Table(
      Field(6, "m",
            R"({"type": "map", "key-id": 7, "key": "string", "value-id": 8, "value-required": false, "value":
                 {"type": "struct", "fields": [)" +
                Field(10, "new", "int") + "," + Field(9, "n", "long") + "]}}") +
      "," + Field(4, "l", R"({"type": "list", "element-id": 5, "element-required": false, "element": "long"})") + "," +
      Field(1, "s",
            R"({"type": "struct", "fields": [)" + Field(3, "why", "string") + "," +
                Field(11, "q", "int", R"(, "initial-default": 4)") + "]}") +
      "," +
      Field(12, "t", R"({"type": "struct", "fields": [)" + Field(13, "u", "int", R"(, "initial-default": 4)") + "]}",
            R"(, "initial-default": {})") +
      "," +
      Field(14, "v", R"({"type": "struct", "fields": [)" + Field(15, "w", "int", R"(, "initial-default": 4)") + "]}"));
  EXPECT_EQ(Resolved(table, file),
            "m=file{key=file 3, value=file{new=null, n=file 4}}, l=file{element=file 2}, s=file{why=file 1, q=4}, "
            "t=struct{u=4}, v=null");
}

TEST(ColumnResolution, TypesThatCanBeRead) {
  struct Case {
    NodePtr file;
    const char* table;
    bool readable;
  };
  const auto micros = LogicalType::Timestamp(true, LogicalType::TimeUnit::MICROS);
  const auto millis = LogicalType::Timestamp(false, LogicalType::TimeUnit::MILLIS);
  const std::vector<Case> cases = {
      {Int32("c", 1), "int", true},
      {Int32("c", 1), "long", true},
      {Int64("c", 1), "int", false},
      {Leaf("c", 1, LogicalType::Int(16, false), ::parquet::Type::INT32), "int", true},
      {Leaf("c", 1, LogicalType::Int(32, false), ::parquet::Type::INT32), "int", false},
      {Leaf("c", 1, LogicalType::Int(32, false), ::parquet::Type::INT32), "long", true},
      {Leaf("c", 1, LogicalType::None(), ::parquet::Type::FLOAT), "double", true},
      {Leaf("c", 1, LogicalType::None(), ::parquet::Type::DOUBLE), "float", false},
      {Leaf("c", 1, LogicalType::Decimal(9, 2), ::parquet::Type::INT32), "decimal(18, 2)", true},
      {Leaf("c", 1, LogicalType::Decimal(9, 2), ::parquet::Type::INT32), "decimal(18, 3)", false},
      {Leaf("c", 1, LogicalType::Date(), ::parquet::Type::INT32), "timestamp", true},
      {Leaf("c", 1, LogicalType::Date(), ::parquet::Type::INT32), "timestamp_ns", true},
      {Leaf("c", 1, micros, ::parquet::Type::INT64), "timestamptz", true},
      {Leaf("c", 1, millis, ::parquet::Type::INT64), "timestamp", true},
      {Leaf("c", 1, LogicalType::None(), ::parquet::Type::INT96), "timestamptz", true},
      {Int64("c", 1), "timestamp", false},
      {Text("c", 1), "string", true},
      {Text("c", 1), "int", false},
      {Leaf("c", 1, LogicalType::None(), ::parquet::Type::BYTE_ARRAY), "string", true},
      {Leaf("c", 1, LogicalType::None(), ::parquet::Type::FIXED_LEN_BYTE_ARRAY, 16), "uuid", true},
      {Leaf("c", 1, LogicalType::None(), ::parquet::Type::FIXED_LEN_BYTE_ARRAY, 8), "uuid", false},
      {Leaf("c", 1, LogicalType::None(), ::parquet::Type::FIXED_LEN_BYTE_ARRAY, 8), "fixed[8]", true},
      {Leaf("c", 1, LogicalType::None(), ::parquet::Type::FIXED_LEN_BYTE_ARRAY, 8), "fixed[9]", false},
      {Leaf("c", 1, LogicalType::None(), ::parquet::Type::BYTE_ARRAY), "geometry", true},
      {Struct("c", 1, {Int32("x", 2)}), "int", false},
      {Struct("c", 1, {Int32("x", 2)}), "variant", true},
  };
  for (const Case& c : cases) {
    const std::string resolved = Resolved(Table(Field(1, "c", c.table)), File({c.file}));
    EXPECT_EQ(resolved.starts_with("c=file"), c.readable) << c.table << ": " << resolved;
  }
  EXPECT_EQ(Resolved(Table(Field(1, "c", "int")), File({Text("c", 1)})),
            "error: column c: the file has string, the table int");
  EXPECT_EQ(Resolved(Table(Field(1, "c", "unknown")), File({Text("c", 1)})), "c=null");
}

TEST(ColumnResolution, ARepeatedLeafIsAListThatIsNeverNull) {
  const auto file = File(
      {PrimitiveNode::Make("words", Repetition::REPEATED, LogicalType::String(), ::parquet::Type::BYTE_ARRAY, -1, 1)});
  const Schema table =
      Table(Field(1, "words", R"({"type": "list", "element-id": 2, "element-required": true, "element": "string"})"));
  EXPECT_EQ(Resolved(table, file), "words=file{element=file 0}");
  EXPECT_EQ(FileFilter(table, file, "words IS NULL"), "FALSE");
  EXPECT_EQ(FileFilter(table, file, "words IS NOT NULL"), "TRUE");
}

TEST(ColumnResolution, TwoColumnsOfOneIdAreAnError) {
  EXPECT_EQ(Resolved(Table(Field(1, "a", "int")), File({Int32("a", 1), Int32("b", 1)})),
            "error: two columns of the file have the field id 1; one of them is b");
}

// --- name mapping

constexpr const char* kMapping = R"([
  {"field-id": 1, "names": ["id", "record id"]}, {"names": ["nobody"]},
  {"field-id": 2, "names": ["s"], "fields": [{"field-id": 3, "names": ["lat", "latitude"]}]},
  {"field-id": 4, "names": ["l"], "fields": [{"field-id": 5, "names": ["element"]}]},
  {"field-id": 6, "names": ["m"], "fields": [{"field-id": 7, "names": ["key"]},
                                             {"field-id": 8, "names": ["value"]}]}])";

TEST(NameMapping, NestedColumnsWithoutIds) {
  const NameMapping mapping = ParseNameMapping(kMapping).ValueOrDie();
  const auto file = File({Int32("record id", -1), Int32("nobody", -1), Int32("ID", -1),
                          Struct("s", -1, {Int32("x", -1), Int32("latitude", -1)}), List("l", -1, Int32("item", -1)),
                          Map("m", -1, Text("k", -1), Int32("v", -1))});
  const Schema table = Table(
      Field(1, "id", "int") + "," + Field(2, "s", R"({"type": "struct", "fields": [)" + Field(3, "lat", "int") + "]}") +
      "," + Field(4, "l", R"({"type": "list", "element-id": 5, "element-required": false, "element": "int"})") + "," +
      Field(6, "m", R"({"type": "map", "key-id": 7, "key": "string", "value-id": 8, "value-required": false,
                        "value": "int"})"));
  EXPECT_EQ(Resolved(table, file, {}, &mapping),
            "id=file 0, s=file{lat=file 4}, l=file{element=file 5}, m=file{key=file 6, value=file 7}");
}

TEST(NameMapping, IsNotLookedAtWhenTheFileHasIds) {
  const NameMapping mapping = ParseNameMapping(R"([{"field-id": 1, "names": ["a", "b"]}])").ValueOrDie();
  EXPECT_EQ(Resolved(Table(Field(1, "a", "int")), File({Int32("a", -1), Int32("b", 5)}), {}, &mapping), "a=null");
}

TEST(NameMapping, WithoutIdsAndMappingColumnsGoByPosition) {
  const Schema table = Table(Field(2, "b", "int") + "," + Field(1, "a", "string") + "," + Field(3, "c", "int"));
  EXPECT_EQ(Resolved(table, File({Text("x", -1), Int32("y", -1)})), "b=file 1, a=file 0, c=null");
  const Schema nested = Table(Field(1, "s", R"({"type": "struct", "fields": [)" + Field(2, "x", "int") + "]}"));
  EXPECT_EQ(
      Resolved(nested, File({Struct("s", -1, {Int32("x", -1)})})),
      "error: column s: its parts have no field ids in the file, and no name mapping of the table gives them any");
}

TEST(NameMapping, ListsOfTwoLevels) {
  const auto old = [](const char* name, NodePtr repeated) {
    return GroupNode::Make(name, Repetition::OPTIONAL, {std::move(repeated)}, ::parquet::ConvertedType::LIST);
  };
  const NodePtr bare = PrimitiveNode::Make("array", Repetition::REPEATED, ::parquet::Type::INT32);
  const NodePtr plain = old("l", bare);
  EXPECT_EQ(ListElement(*plain), bare.get());
  const NodePtr tuple = GroupNode::Make("l_tuple", Repetition::REPEATED, {Int32("x", -1)});
  EXPECT_EQ(ListElement(*old("l", tuple)), tuple.get());
  const NodePtr pair = GroupNode::Make("element", Repetition::REPEATED, {Int32("x", -1), Int32("y", -1)});
  EXPECT_EQ(ListElement(*old("l", pair)), pair.get());
  const NodePtr item = Int32("item", -1);
  EXPECT_EQ(ListElement(*List("l", -1, item)), item.get());
  EXPECT_EQ(ListElement(*Struct("l", -1, {item})), nullptr);
}

TEST(NameMapping, ErrorsNameThePlace) {
  const auto error = [](const char* json) { return ParseNameMapping(json).status().message(); };
  EXPECT_EQ(error("{}"), "an array expected, found object");
  EXPECT_EQ(error(R"([{"field-id": 1, "names": ["a"], "fields": [{"field-id": 2}]}])"), "[0].fields[0].names: missing");
  EXPECT_EQ(error(R"([{"field-id": 1, "names": ["a"]}, {"field-id": 2, "names": ["b", "a"]}])"),
            "[1].names[1]: the name a is there twice");
  EXPECT_EQ(error(R"([{"field-id": "1", "names": ["a"]}])"), "[0].field-id: an integer expected, found string");
}

// --- filters

TEST(FilterForFile, ConditionsOnMissingColumnsAreDecided) {
  const auto file = File({Int32("old_a", 1), Int32("b", 9)});
  const Schema table = Table(Field(9, "b", "int") + "," + Field(1, "a", "long") + "," + Field(2, "n", "int") + "," +
                             Field(3, "d", "string", R"(, "initial-default": "dflt")") + "," + Field(4, "p", "int"));
  const IdentityValues values = {{4, std::string("\x05\0\0\0", 4)}};
  const auto filter = [&](const char* text) { return FileFilter(table, file, text, values); };
  EXPECT_EQ(filter("n = 1"), "FALSE");
  EXPECT_EQ(filter("n <> 1"), "FALSE");
  EXPECT_EQ(filter("n IS NULL"), "TRUE");
  EXPECT_EQ(filter("n IS NOT NULL"), "FALSE");
  EXPECT_EQ(filter("d = 'dflt'"), "TRUE");
  EXPECT_EQ(filter("d LIKE 'd%t'"), "TRUE");
  EXPECT_EQ(filter("d NOT LIKE 'd%t'"), "FALSE");
  EXPECT_EQ(filter("d LIKE 'd%x'"), "FALSE");
  EXPECT_EQ(filter("d IS NULL"), "FALSE");
  EXPECT_EQ(filter("p BETWEEN 1 AND 5"), "TRUE");
  EXPECT_EQ(filter("p NOT IN (5)"), "FALSE");
  EXPECT_EQ(filter("a = 3 AND p = 5"), "a = 3 | old_a 0 int32");
  EXPECT_EQ(filter("a = 3 AND n = 5"), "FALSE");
  EXPECT_EQ(filter("(n = 5 AND b = 3) OR (a = 3 AND p = 5)"), "a = 3 | old_a 0 int32");
  EXPECT_EQ(filter("a = 3 OR d <> 'x'"), "TRUE");
}

TEST(FilterForFile, AMemberThatIsMissingIsNullWhereItsStructIs) {
  const auto file = File({Struct("s", 1, {Int32("x", 2)})});
  const Schema table =
      Table(Field(1, "s",
                  R"({"type": "struct", "fields": [)" + Field(2, "x", "int") + "," +
                      Field(3, "q", "int", R"(, "initial-default": 4)") + "," + Field(4, "n", "int") + "]}") +
            "," + Field(5, "t", R"({"type": "struct", "fields": [)" + Field(6, "u", "int") + "]}"));
  const auto filter = [&](const char* text) { return FileFilter(table, file, text); };
  EXPECT_EQ(filter("s.q = 4"), "s.q = 4 | s -1 group");
  EXPECT_EQ(filter("s.q = 5"), "FALSE");
  EXPECT_EQ(filter("s.q IS NULL"), "s.q IS NULL | s -1 group");
  EXPECT_EQ(filter("s.q IS NULL OR s.q = 4"), "TRUE");
  EXPECT_EQ(filter("s.n IS NULL"), "TRUE");
  EXPECT_EQ(filter("s.x = 1"), "s.x = 1 | s.x 0 int32");
  EXPECT_EQ(filter("s IS NULL"), "s IS NULL | s -1 group");
  EXPECT_EQ(filter("t.u IS NULL"), "TRUE");
  EXPECT_EQ(filter("t.u = 1"), "FALSE");
  EXPECT_EQ(filter("t IS NOT NULL"), "FALSE");
}

// Every float and every set: a value of the file has a key in the file's keys exactly if, read as the table's type, it
// has one in the table's.
TEST(KeysInFile, FloatsReadAsDoubles) {
  const expr::ColumnType table = FilterType(Primitive(TypeId::kDouble));
  const expr::ColumnType file = FilterType(Primitive(TypeId::kFloat));
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kMax = std::numeric_limits<float>::max();
  std::vector<float> floats = {-kInf,
                               -kMax,
                               -1.5F,
                               -0.1F,
                               -0.0F,
                               0.0F,
                               std::numeric_limits<float>::denorm_min(),
                               0.1F,
                               1.0F,
                               16777216.0F,
                               kMax,
                               kInf,
                               std::numeric_limits<float>::quiet_NaN()};
  std::vector<double> doubles = {0.1,    -0.1,    0.10000000149011612, 1e300,  -1e300,
                                 1e-320, -1e-320, 16777217.0,          3.5e38, 0.5};
  for (const float value : floats) doubles.push_back(static_cast<double>(value));
  int inside = 0;
  for (const double low : doubles) {
    for (const double high : doubles) {
      const Numbers keys = Numbers::Range(expr::DoubleKey(low), Int128{expr::DoubleKey(high)});
      for (const Numbers& set : {keys, keys.Complement(), Numbers::Point(expr::DoubleKey(low))}) {
        const auto converted = std::get<Numbers>(*KeysInFile(set, table, file));
        for (const float value : floats) {
          const bool expected = set.Contains(expr::DoubleKey(static_cast<double>(value)));
          EXPECT_EQ(converted.Contains(expr::FloatKey(value)), expected) << low << " " << high << " " << value;
          inside += expected ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(inside, 1000);
}

TEST(KeysInFile, TimesInAnotherUnit) {
  const auto type = [](expr::TypeKind kind, expr::TimeUnit unit) {
    expr::ColumnType result;
    result.kind = kind;
    result.unit = unit;
    return result;
  };
  const expr::ColumnType micros = type(expr::TypeKind::kTimestamp, expr::TimeUnit::kMicro);
  struct Case {
    expr::ColumnType file;
    Int128 factor;
    Int128 divisor;
  };
  for (const Case& c : {Case{type(expr::TypeKind::kTimestamp, expr::TimeUnit::kMilli), 1000, 1},
                        Case{type(expr::TypeKind::kTimestamp, expr::TimeUnit::kMicro), 1, 1},
                        Case{type(expr::TypeKind::kTimestamp, expr::TimeUnit::kNano), 1, 1000},
                        Case{type(expr::TypeKind::kDate, expr::TimeUnit::kMicro), Int128{86400} * 1000000, 1}}) {
    const Int128 step = std::max(c.factor, Int128{1});
    for (Int128 low = -2; low <= 2; ++low) {
      for (Int128 high = low; high <= 3; ++high) {
        for (const int off : {-1, 0, 1}) {
          const Numbers keys = Numbers::Range(low * step + off, high * step);
          for (const Numbers& set : {keys, keys.Complement()}) {
            const auto converted = std::get<Numbers>(*KeysInFile(set, micros, c.file));
            for (Int128 value = -3 * c.divisor - 5; value <= 3 * c.divisor + 5; ++value) {
              const Int128 seen = (value >= 0 ? value / c.divisor : -((-value + c.divisor - 1) / c.divisor)) * c.factor;
              EXPECT_EQ(converted.Contains(value), set.Contains(seen));
            }
          }
        }
      }
    }
  }
  EXPECT_TRUE(std::get<Numbers>(*KeysInFile(Numbers::All(), micros, type(expr::TypeKind::kDate, {}))).is_all());
  EXPECT_EQ(KeysInFile(Numbers::All(), micros, type(expr::TypeKind::kTime, {})), std::nullopt);
}

}  // namespace
}  // namespace frazil::iceberg
