// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/schema.h"

#include <gtest/gtest.h>

#include "frazil/error.h"

namespace frazil::iceberg {
namespace {

constexpr const char* kNested = R"json({"type": "struct", "schema-id": 3, "identifier-field-ids": [1], "fields": [
  {"id": 1, "name": "id", "required": true, "type": "long", "doc": "the key"},
  {"id": 2, "name": "point", "required": false, "type": {"type": "struct", "fields": [
     {"id": 3, "name": "x", "required": true, "type": "double"},
     {"id": 4, "name": "Y", "required": false, "type": "decimal(9, 2)"}]}},
  {"id": 5, "name": "tags", "required": false, "type":
     {"type": "list", "element-id": 6, "element-required": true, "element": "string"}},
  {"id": 7, "name": "counts", "required": false, "type": {"type": "map", "key-id": 8, "key": "string",
     "value-id": 9, "value-required": false, "value": {"type": "struct", "fields": [
        {"id": 10, "name": "n", "required": false, "type": "int"}]}}},
  {"id": 11, "name": "a.b", "required": false, "type": "fixed[4]"},
  {"id": 12, "name": "a", "required": false, "type": {"type": "struct", "fields": [
     {"id": 13, "name": "b", "required": false, "type": "uuid"}]}}]})json";

std::string ErrorOf(std::string_view json) {
  const auto schema = ParseSchema(json);
  return schema.ok() ? "no error" : schema.status().message();
}

std::string OneField(const std::string& type, const std::string& more = "") {
  return R"({"type": "struct", "fields": [{"id": 1, "name": "c", "required": false, "type": )" + type + more + "}]}";
}

TEST(Schema, FieldsAreFoundByIdAndByName) {
  const Schema schema = ParseSchema(kNested).ValueOrDie();
  EXPECT_EQ(schema.schema_id(), 3);
  EXPECT_EQ(schema.identifier_field_ids(), std::vector<int>{1});
  EXPECT_EQ(schema.FindById(1)->doc, "the key");
  EXPECT_EQ(schema.FindById(4)->type.precision, 9);
  EXPECT_EQ(schema.FindById(6)->name, "element");
  EXPECT_EQ(schema.FindById(99), nullptr);
  EXPECT_EQ(schema.FindByName("point.x")->id, 3);
  EXPECT_EQ(schema.FindByName("tags.element")->id, 6);
  EXPECT_EQ(schema.FindByName("counts.key")->id, 8);
  EXPECT_EQ(schema.FindByName("counts.value.n")->id, 10);
  EXPECT_EQ(schema.FindByName("point.y"), nullptr);
  EXPECT_EQ(schema.FindByName("POINT.y", false)->id, 4);
  EXPECT_EQ(schema.FindByName("gone", false), nullptr);
  EXPECT_EQ(schema.NameOf(10), "counts.value.n");
  EXPECT_EQ(schema.NameOf(99), "");
  EXPECT_EQ(schema.PathTo(10).size(), 3u);
}

TEST(Schema, AColumnWithADotWinsOverAField) {
  const Schema schema = ParseSchema(kNested).ValueOrDie();
  EXPECT_EQ(schema.FindByName("a.b")->id, 11);
  EXPECT_EQ(schema.FindByName("A.B", false), nullptr);  // two fields: nobody knows which
}

TEST(Schema, CopiesStandAlone) {
  auto original = std::make_unique<Schema>(ParseSchema(kNested).ValueOrDie());
  const Schema copy = *original;
  original.reset();
  EXPECT_EQ(copy.FindById(10)->name, "n");
}

TEST(Schema, SomeOfTheFields) {
  const Schema schema = ParseSchema(kNested).ValueOrDie();
  const auto selected = [&](const std::vector<int>& ids) {
    Type type = Primitive(TypeId::kStruct);
    type.fields = SelectFields(schema, ids).ValueOrDie().fields();
    return type.ToString();
  };
  EXPECT_EQ(selected({4, 1}), "struct<1: id: required long, 2: point: optional struct<4: Y: optional decimal(9, 2)>>");
  EXPECT_EQ(selected({2, 4}), "struct<2: point: optional struct<3: x: required double, 4: Y: optional decimal(9, 2)>>");
  EXPECT_EQ(selected({6}), "struct<5: tags: optional list<6: element: required string>>");
  EXPECT_EQ(selected({10}), selected({7}));
  EXPECT_EQ(selected({99}), "struct<>");
}

TEST(Schema, FiltersSeeIdsTypesAndRepetition) {
  const expr::FieldTree tree = ParseSchema(kNested).ValueOrDie().FilterTree();
  ASSERT_EQ(tree.fields.size(), 6u);
  EXPECT_EQ(tree.fields[0].ref, 1);
  EXPECT_EQ(tree.fields[0].type.ToString(), "int64");
  EXPECT_EQ(tree.fields[1].children[1].type.ToString(), "decimal(9,2)");
  EXPECT_FALSE(tree.fields[1].children[1].repeated);
  EXPECT_FALSE(tree.fields[2].repeated);
  EXPECT_TRUE(tree.fields[2].children[0].repeated);
  EXPECT_TRUE(tree.fields[3].children[1].children[0].repeated);
  EXPECT_EQ(tree.fields[4].type.ToString(), "fixed(4)");
}

TEST(Schema, EveryPrimitive) {
  for (const char* name : {"boolean",      "int",
                           "long",         "float",
                           "double",       "decimal(38, 38)",
                           "date",         "time",
                           "timestamp",    "timestamptz",
                           "timestamp_ns", "timestamptz_ns",
                           "string",       "uuid",
                           "fixed[16]",    "binary",
                           "unknown",      "variant",
                           "geometry",     "geometry(srid:3857)",
                           "geography",    "geography(OGC:CRS84, spherical)"}) {
    const auto type = ParsePrimitive(name);
    ASSERT_TRUE(type.ok()) << type.status();
    EXPECT_EQ(type->ToString(), name);
  }
  EXPECT_EQ(ParsePrimitive("decimal(9,2)").ValueOrDie().scale, 2);
  for (const char* name : {"decimal(0,0)", "decimal(39,0)", "decimal(5,6)", "decimal(5)", "decimal(5,-1)",
                           "decimal(a,b)", "fixed[-1]", "fixed[]", "fixed[99999999999]"}) {
    EXPECT_EQ(KindOf(ParsePrimitive(name).status()), ErrorKind::kCorrupt) << name;
  }
  EXPECT_EQ(KindOf(ParsePrimitive("int256").status()), ErrorKind::kUnsupported);
}

TEST(Schema, Defaults) {
  const Schema schema = ParseSchema(R"({"type": "struct", "fields": [
     {"id": 1, "name": "c", "required": true, "type": "int", "initial-default": 7, "write-default": 8},
     {"id": 2, "name": "s", "required": true, "initial-default": {}, "type": {"type": "struct", "fields": [
        {"id": 3, "name": "q", "required": false, "type": "string", "initial-default": "x"}]}},
     {"id": 4, "name": "l", "required": false, "initial-default": null, "type": "variant"}]})")
                            .ValueOrDie();
  EXPECT_EQ(schema.FindById(1)->initial_default->bytes, std::string("\x07\0\0\0", 4));
  EXPECT_EQ(schema.FindById(1)->write_default->json, "8");
  EXPECT_EQ(schema.FindById(2)->initial_default->json, "{}");
  EXPECT_EQ(schema.FindById(2)->initial_default->bytes, std::nullopt);
  EXPECT_EQ(schema.FindById(3)->initial_default->bytes, "x");
  EXPECT_FALSE(schema.FindById(4)->initial_default);
}

TEST(Schema, ErrorsNameTheField) {
  EXPECT_EQ(ErrorOf(R"({"type": "struct"})"), "fields: missing");
  EXPECT_EQ(ErrorOf(R"({"fields": [{"name": "c"}]})"), "fields[0].id: missing");
  EXPECT_EQ(ErrorOf(OneField("\"int256\"")), "fields[0].type: the type 'int256' is not known");
  EXPECT_EQ(ErrorOf(OneField(R"({"type": "set"})")), "fields[0].type: no type is called 'set'");
  EXPECT_EQ(ErrorOf(OneField(R"({"type": "list", "element-id": 2, "element": "int"})")),
            "fields[0].type.element-required: missing");
  EXPECT_EQ(ErrorOf(OneField("\"int\"", R"(, "initial-default": "seven")")),
            "fields[0].initial-default: an integer expected, found string");
  EXPECT_EQ(ErrorOf(OneField(R"({"type": "struct", "fields": []})", R"(, "initial-default": {"a": 1})")),
            "fields[0].initial-default: the default of a struct is {}, its members have their own");
  EXPECT_EQ(ErrorOf(R"({"fields": [{"id": 1, "name": "a", "required": true, "type": "int"},
                                   {"id": 1, "name": "b", "required": true, "type": "int"}]})"),
            "two fields have the id 1; one of them is b");
  EXPECT_EQ(ErrorOf(R"({"fields": [{"id": 1, "name": "a", "required": true, "type": "int"},
                                   {"id": 2, "name": "a", "required": true, "type": "int"}]})"),
            "two fields of one struct are named a");
  EXPECT_EQ(ErrorOf(R"({"fields": [{"id": -1, "name": "a", "required": true, "type": "int"}]})"),
            "field a has the id -1");
}

TEST(Schema, Promotions) {
  const auto type = [](const char* name) { return ParsePrimitive(name).ValueOrDie(); };
  EXPECT_TRUE(CanPromote(type("int"), type("long")));
  EXPECT_TRUE(CanPromote(type("decimal(9,2)"), type("decimal(18,2)")));
  EXPECT_TRUE(CanPromote(type("date"), type("timestamp_ns")));
  EXPECT_TRUE(CanPromote(type("unknown"), type("string")));
  EXPECT_TRUE(CanPromote(type("fixed[3]"), type("fixed[3]")));
  EXPECT_FALSE(CanPromote(type("long"), type("int")));
  EXPECT_FALSE(CanPromote(type("decimal(9,2)"), type("decimal(18,3)")));
  EXPECT_FALSE(CanPromote(type("decimal(9,2)"), type("decimal(8,2)")));
  EXPECT_FALSE(CanPromote(type("date"), type("timestamptz")));
  EXPECT_FALSE(CanPromote(type("fixed[3]"), type("fixed[4]")));
  EXPECT_FALSE(CanPromote(type("int"), type("double")));
}

}  // namespace
}  // namespace frazil::iceberg
