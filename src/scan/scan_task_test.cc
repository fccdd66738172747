// SPDX-License-Identifier: Apache-2.0
#include "frazil/scan_task.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "src/expr/literal.h"
#include "src/expr/parse.h"
#include "src/iceberg/json.h"
#include "src/iceberg/schema_json.h"
#include "src/scan/iceberg_binding.h"
#include "src/scan/task_filter.h"

namespace frazil {
namespace {

constexpr const char* kSchema = R"json({"type": "struct", "schema-id": 4, "fields": [
    {"id": 1, "name": "n", "required": true, "type": "int"},
    {"id": 2, "name": "s", "required": false, "type": "string"},
    {"id": 3, "name": "b", "required": false, "type": "binary"},
    {"id": 4, "name": "f", "required": false, "type": "double", "initial-default": 1.5},
    {"id": 5, "name": "d", "required": false, "type": "decimal(38, 2)", "initial-default": "-0.10"},
    {"id": 6, "name": "t", "required": false, "type": "timestamptz"},
    {"id": 7, "name": "u", "required": false, "type": "uuid"},
    {"id": 8, "name": "g", "required": false, "type": {"type": "struct", "fields": [
      {"id": 9, "name": "x", "required": false, "type": "fixed[3]"},
      {"id": 10, "name": "l", "required": false, "type": {"type": "list", "element-id": 11, "element": "long",
        "element-required": true}},
      {"id": 12, "name": "m", "required": false, "type": {"type": "map", "key-id": 13, "key": "string", "value-id": 14,
        "value": "date", "value-required": false}}]}}]
})json";

iceberg::Schema TestSchema() { return iceberg::ParseSchema(kSchema).ValueOrDie(); }

TEST(SchemaJson, IsReadBackAsItWas) {
  const iceberg::Schema schema = TestSchema();
  const std::string text = iceberg::SchemaToJson(schema).dump();
  const iceberg::Schema again = iceberg::ParseSchema(text).ValueOrDie();
  EXPECT_EQ(again.schema_id(), 4);
  EXPECT_EQ(iceberg::SchemaToJson(again).dump(), text);
  ASSERT_EQ(again.fields().size(), schema.fields().size());
  for (size_t i = 0; i < schema.fields().size(); ++i) {
    EXPECT_TRUE(iceberg::SameType(again.fields()[i].type, schema.fields()[i].type));
    EXPECT_EQ(again.fields()[i].name, schema.fields()[i].name);
    EXPECT_EQ(again.fields()[i].required, schema.fields()[i].required);
  }
  EXPECT_EQ(again.FindById(4)->initial_default->bytes, schema.FindById(4)->initial_default->bytes);
  EXPECT_EQ(again.FindById(5)->initial_default->bytes, schema.FindById(5)->initial_default->bytes);
}

bool SamePredicate(const expr::Predicate& a, const expr::Predicate& b) {
  if (a.kind != b.kind || a.children.size() != b.children.size()) return false;
  for (size_t i = 0; i < a.children.size(); ++i) {
    if (!SamePredicate(a.children[i], b.children[i])) return false;
  }
  if (a.kind != expr::Predicate::Kind::kLeaf) return true;
  return a.leaf.keys == b.leaf.keys && a.leaf.matches_null == b.leaf.matches_null && a.leaf.text == b.leaf.text &&
         (a.leaf.pattern == nullptr) == (b.leaf.pattern == nullptr) && a.leaf.pattern_negated == b.leaf.pattern_negated;
}

arrow::Result<expr::BoundFilter> Bound(const std::string& filter) {
  ScanOptions options;
  options.filter = filter;
  ARROW_ASSIGN_OR_RAISE(const auto request, scan::ParseRequest(options));
  ARROW_ASSIGN_OR_RAISE(auto binding, scan::BindTable(request, TestSchema()));
  return std::move(binding.filter);
}

arrow::Result<expr::BoundFilter> ReadBack(const std::string& json) {
  ARROW_ASSIGN_OR_RAISE(const auto document, iceberg::JsonDocument::Parse(json, {}));
  ARROW_ASSIGN_OR_RAISE(const auto binding, scan::BindTable({}, TestSchema()));
  return scan::ResidualFromJson(document.root(), TestSchema(), binding);
}

TEST(Residual, IsReadBackAsItWas) {
  for (const char* filter : {"TRUE",
                             "FALSE",
                             "n = 5",
                             "n <> 5",
                             "n < -3 OR n BETWEEN 7 AND 9 OR n IS NULL",
                             "n IN (1, 2, 3, 10, 500)",
                             "n >= 2147483647 AND n <= 99999999999",
                             "s = ''",
                             "s LIKE 'a%'",
                             "s LIKE 'a_c%d\\%'",
                             "s NOT LIKE '%x%'",
                             "s STARTS WITH 'it''s'",
                             "NOT (s STARTS WITH 'b' OR s IS NULL)",
                             "b >= X'00ff' AND b < X'01'",
                             "f IS NAN",
                             "f IS NOT NAN AND f > -0.0",
                             "f = 'Infinity' OR f < 1e-320",
                             "d = 99999999999999999999999999999999999.99",
                             "d < -0.005 OR d IS NULL",
                             "t >= TIMESTAMP '1969-12-31T23:59:59.999999Z'",
                             "u > 'f79c3e09-677c-4bbd-a479-3f349cb785e7'",
                             "g IS NULL",
                             "g IS NOT NULL AND g.l IS NULL",
                             "g.x = X'010203'",
                             "_pos BETWEEN 3 AND 5 AND _file = 'a.parquet' AND _spec_id = 0",
                             "(n = 1 AND s = 'x' OR n = 2 AND (s = 'y' OR f > 3)) AND (t IS NULL OR d > 1)"}) {
    SCOPED_TRACE(filter);
    const auto bound = Bound(filter);
    ASSERT_TRUE(bound.ok()) << bound.status();
    const auto json = scan::ResidualToJson(*bound);
    ASSERT_TRUE(json.ok()) << json.status();
    const auto again = ReadBack(json->dump());
    ASSERT_TRUE(again.ok()) << again.status() << json->dump();
    EXPECT_TRUE(SamePredicate(bound->root, again->root)) << json->dump();
    EXPECT_EQ(scan::ResidualToJson(*again).ValueOrDie(), *json);
    for (const expr::BoundColumn& column : again->columns) {
      const auto same = std::find_if(bound->columns.begin(), bound->columns.end(),
                                     [&](const expr::BoundColumn& other) { return other.ref == column.ref; });
      ASSERT_NE(same, bound->columns.end());
      EXPECT_EQ(same->type, column.type);
      EXPECT_EQ(same->path, column.path);
    }
  }
}

TEST(Residual, ReadsAPatternAsItWas) {
  const auto bound = Bound("s LIKE 'a_c%d\\%'").ValueOrDie();
  const auto again = ReadBack(scan::ResidualToJson(bound).ValueOrDie().dump()).ValueOrDie();
  EXPECT_TRUE(again.root.leaf.pattern->Matches("abc...d%"));
  EXPECT_FALSE(again.root.leaf.pattern->Matches("abc...dd"));
}

TEST(Residual, IsWrittenLikeThis) {
  EXPECT_EQ(scan::ResidualToJson(Bound("n IN (3, 5) OR s IS NULL").ValueOrDie()).ValueOrDie().dump(),
            R"json({"or":[{"field_id":1,"column":"n","keys":[["3"],["5"]],"null":false,"text":"n IN (3, 5)"},)json"
            R"json({"field_id":2,"column":"s","keys":[],"null":true,"text":"s IS NULL"}]})json");
  EXPECT_EQ(scan::ResidualToJson(Bound("s >= 'b'").ValueOrDie()).ValueOrDie().dump(),
            R"json({"field_id":2,"column":"s","keys":[["62",null]],"null":false,"text":"s >= 'b'"})json");
}

std::string Refusal(const std::string& json) {
  const auto filter = ReadBack(json);
  EXPECT_FALSE(filter.ok()) << json;
  return filter.ok() ? "" : filter.status().message();
}

TEST(Residual, RefusesWhatNoPlannerWrites) {
  const auto leaf = [](const std::string& keys, int field_id = 1) {
    return R"({"field_id": )" + std::to_string(field_id) + R"(, "column": "n", "keys": )" + keys +
           R"(, "null": false, "text": ""})";
  };
  EXPECT_EQ(Refusal(leaf("[]", 77)), "field_id: there is no field 77");
  EXPECT_EQ(Refusal(leaf(R"([["1", "1"]])")), "keys[0]: ends before it begins");
  EXPECT_EQ(Refusal(leaf(R"([["9223372036854775809"]])")), "keys[0][0]: no key of such a column: 9223372036854775809");
  EXPECT_EQ(Refusal(leaf(R"([["170141183460469231731687303715884105728"]])")),
            "keys[0][0]: no key of such a column: 170141183460469231731687303715884105728");
  EXPECT_EQ(Refusal(leaf(R"([["1", "2", "3"]])")), "keys[0]: one key or two are needed");
  EXPECT_EQ(Refusal(leaf(R"([["0g"]])", 2)), "keys[0][0]: no key of such a column: 0g");
  EXPECT_EQ(Refusal(leaf(R"([["1"]])", 8)), "keys: the column has a type without an order");
  EXPECT_NE(Refusal(R"({"and": [{"or": [true, 5]}]})").find("and[0].or[1]"), std::string::npos);
  EXPECT_NE(Refusal("{}").find("field_id: missing"), std::string::npos);
  expr::BoundFilter deep = Bound("n = 1").ValueOrDie();
  for (int i = 0; i < 40; ++i) {
    expr::Predicate both;
    both.kind = expr::Predicate::Kind::kAnd;
    both.children = {deep.root, deep.root};
    expr::Predicate either;
    either.kind = expr::Predicate::Kind::kOr;
    either.children = {Bound("n = 1").ValueOrDie().root, std::move(both)};
    deep.root = std::move(either);
    if (i > 5) deep.root.children[1].children.resize(1);
  }
  EXPECT_EQ(KindOf(scan::ResidualToJson(deep).status()), ErrorKind::kUnsupported);
}

TEST(ScanTask, RefusesWhatNoPlannerWrites) {
  const auto refusal = [](const std::string& text) {
    const auto task = TaskFromJson(text);
    EXPECT_FALSE(task.ok()) << text;
    return task.ok() ? "" : std::string(ErrorKindName(KindOf(task.status()))) + ": " + task.status().message();
  };
  const std::string head =
      R"({"version": 1, "file": "a", "format": "parquet", "file_size_bytes": 9, "record_count": 3)";
  EXPECT_TRUE(TaskFromJson(head + "}").ok());
  EXPECT_TRUE(TaskFromJson(head + R"(, "of a later planner": {}})").ok());
  EXPECT_EQ(refusal(R"({"version": 2})"), "unsupported: task: version 2; version 1 is what can be run");
  EXPECT_EQ(refusal("{}"), "corrupt: task: version: missing");
  EXPECT_EQ(refusal(R"({"version": 1})"), "corrupt: task: file: missing");
  EXPECT_EQ(refusal(head + R"(, "rows": {"begin": 5, "end": 4}})"), "corrupt: task: rows: no range");
  EXPECT_EQ(refusal(head + R"(, "bytes": {"begin": -1}})"), "corrupt: task: bytes: no range");
  EXPECT_EQ(refusal(head + R"(, "rows": {"begin": 0}, "bytes": {"begin": 0}})"),
            "corrupt: task: rows and bytes: one of them is all there can be");
  EXPECT_EQ(refusal(head + R"(, "columns": [1]})").find("corrupt: task: columns[0]:"), 0U);
  EXPECT_EQ(refusal(head + R"(, "iceberg": {}})"), "corrupt: task: iceberg.schema: missing");
  EXPECT_EQ(refusal("").find("corrupt: task: "), 0U);
  EXPECT_EQ(refusal(std::string(100'000, '[')), "corrupt: task: JSON nested more than 148 levels deep");
}

TEST(ScanTask, SaysThatANameCanNotBeWritten) {
  ScanTask task;
  task.file = "a\xff.parquet";
  const auto text = TaskToJson(task);
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(KindOf(text.status()), ErrorKind::kUnsupported);
}

}  // namespace
}  // namespace frazil
