// SPDX-License-Identifier: Apache-2.0
#include "src/parquet/projection.h"

#include <gtest/gtest.h>

#include "frazil/error.h"
#include "src/expr/parse.h"
#include "tests/file_reading.h"

namespace frazil::parquet {
namespace {

using filegen::Leaf;
using filegen::ListOf;
using filegen::MapOf;
using filegen::StringLeaf;
using filegen::StructOf;
using ::parquet::Type;

// id, s{x, y{z}}, tags[name], points[]{lat, lon}, m{key, value}, "a.b"
class Projection : public testing::Test {
 protected:
  Projection() : file_(Spec()) {}

  static filegen::FileSpec Spec() {
    filegen::FileSpec spec;
    spec.schema = {Leaf("id", Type::INT64, filegen::kRequired),
                   StructOf("s", {Leaf("x", Type::INT32), StructOf("y", {StringLeaf("z")})}),
                   ListOf("tags", StringLeaf("element")),
                   ListOf("points", StructOf("element", {Leaf("lat", Type::DOUBLE), Leaf("lon", Type::DOUBLE)})),
                   MapOf("m", StringLeaf("key", filegen::kRequired), Leaf("value", Type::INT32)),
                   Leaf("a.b", Type::INT32),
                   StructOf("lists", {ListOf("l", Leaf("element", Type::INT32))})};
    return spec;
  }

  const ::parquet::arrow::SchemaManifest& manifest() { return file_.footer().manifest(); }

  arrow::Result<ProjectedField> Project(const std::string& path) {
    ARROW_ASSIGN_OR_RAISE(auto parsed, expr::ParseColumnPath(path));
    return ProjectPath(manifest(), parsed);
  }

  static std::vector<int> LeavesOf(const ProjectedField& field) {
    std::vector<int> leaves;
    field.AppendLeaves(&leaves);
    return leaves;
  }

  // "type: leaves", or the error.
  std::string Shown(const std::string& path) {
    auto field = Project(path);
    if (!field.ok()) return std::string(ErrorKindName(KindOf(field.status()))) + ": " + field.status().message();
    std::string text = field->field->name() + " " + field->field->type()->ToString() + ":";
    for (const int leaf : LeavesOf(*field)) text += " " + std::to_string(leaf);
    return text;
  }

  FileReading file_;
};

TEST_F(Projection, AllLeavesAscending) {
  std::vector<int> leaves;
  const auto fields = ProjectAll(manifest());
  ASSERT_EQ(fields.size(), 7u);
  for (const ProjectedField& field : fields) field.AppendLeaves(&leaves);
  EXPECT_EQ(leaves, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST_F(Projection, PathsNarrowStructs) {
  EXPECT_EQ(Shown("id"), "id int64: 0");
  EXPECT_EQ(Shown("s"), "s struct<x: int32, y: struct<z: string>>: 1 2");
  EXPECT_EQ(Shown("s.x"), "s struct<x: int32>: 1");
  EXPECT_EQ(Shown("s.y.z"), "s struct<y: struct<z: string>>: 2");
}

TEST_F(Projection, PathsGoThroughLists) {
  EXPECT_EQ(Shown("tags"), "tags list<element: string>: 3");
  EXPECT_EQ(Shown("tags.element"), "tags list<element: string>: 3");
  EXPECT_EQ(Shown("points.lon"), "points list<element: struct<lon: double>>: 5");
  EXPECT_EQ(Shown("points.element.lat"), "points list<element: struct<lat: double>>: 4");
  EXPECT_EQ(Shown("lists.l"), "lists struct<l: list<element: int32>>: 9");
}

TEST_F(Projection, MapsAreWhole) {
  EXPECT_EQ(Shown("m"), "m map<string, int32 ('m')>: 6 7");
  EXPECT_EQ(Shown("m.value").substr(0, 27), "usage: unknown column m.val");
}

TEST_F(Projection, OddNamesAreQuoted) { EXPECT_EQ(Shown("\"a.b\""), "a.b int32: 8"); }

TEST_F(Projection, UnknownPathsNameWhatIsNear) {
  EXPECT_EQ(Shown("idd"), "usage: unknown column idd; did you mean id?");
  EXPECT_EQ(Shown("s.xx"), "usage: unknown column s.xx; did you mean s.x?");
  EXPECT_EQ(Shown("id.x").substr(0, 26), "usage: unknown column id.x");
  EXPECT_EQ(Shown("s.y.z.z").substr(0, 29), "usage: unknown column s.y.z.z");
}

TEST_F(Projection, PathsOfOneStructAreMerged) {
  const auto field = [&](const char* path) { return Project(path).ValueOrDie(); };
  const auto merged = MergeProjected(
      {field("s.y.z"), field("id"), field("s.x"), field("points.lon"), field("points.lat"), field("s.x")});
  ASSERT_EQ(merged.size(), 3u);
  EXPECT_EQ(merged[0].field->type()->ToString(), "struct<y: struct<z: string>, x: int32>") << "as they were asked for";
  EXPECT_EQ(merged[1].field->name(), "id");
  EXPECT_EQ(merged[2].field->type()->ToString(), "list<element: struct<lon: double, lat: double>>");
}

TEST_F(Projection, AWholeStructTakesItsPartsIn) {
  const auto field = [&](const char* path) { return Project(path).ValueOrDie(); };
  for (const auto& merged : {MergeProjected({field("s"), field("s.x")}), MergeProjected({field("s.x"), field("s")})}) {
    ASSERT_EQ(merged.size(), 1u);
    EXPECT_EQ(merged[0].field->type()->ToString(), "struct<x: int32, y: struct<z: string>>");
  }
  const auto maps = MergeProjected({field("m"), field("m")});
  ASSERT_EQ(maps.size(), 1u);
  EXPECT_EQ(LeavesOf(maps[0]), (std::vector<int>{6, 7}));
}

TEST_F(Projection, TheSameLeafTwiceStaysTwice) {
  const auto field = [&](const char* path) { return Project(path).ValueOrDie(); };
  EXPECT_EQ(MergeProjected({field("id"), field("id")}).size(), 2u);
}

TEST_F(Projection, AllRepeatedIsWhereNoLeafHasOneLevelARow) {
  EXPECT_FALSE(Project("s").ValueOrDie().all_repeated());
  EXPECT_FALSE(Project("id").ValueOrDie().all_repeated());
  EXPECT_TRUE(Project("tags").ValueOrDie().all_repeated());
  EXPECT_TRUE(Project("m").ValueOrDie().all_repeated());
  EXPECT_TRUE(Project("lists").ValueOrDie().all_repeated());
}

TEST_F(Projection, ALeafAloneHasItsOwnName) {
  const auto leaf = ProjectLeaf(manifest(), 2).ValueOrDie();
  EXPECT_TRUE(leaf.is_leaf());
  EXPECT_EQ(leaf.field->name(), "z");
  EXPECT_EQ(leaf.leaf, 2);
}

}  // namespace
}  // namespace frazil::parquet
