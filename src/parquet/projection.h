// SPDX-License-Identifier: Apache-2.0
//
// Projection: which leaves of the schema to read, and the Arrow fields that come of it. Sub-fields of a struct can be
// chosen alone, at any depth, also inside lists; a map is read whole.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include <arrow/result.h>
#include <arrow/type.h>
#include <parquet/arrow/schema.h>
#include <parquet/schema.h>

#include "src/expr/expression.h"

namespace frazil::parquet {

// A node of the schema with only the chosen children.
struct ProjectedField {
  std::shared_ptr<arrow::Field> field;
  ::parquet::internal::LevelInfo level_info;
  int leaf = -1;  // leaf ordinal; -1 for groups
  std::vector<ProjectedField> children;

  bool is_leaf() const { return leaf >= 0; }
  // True when every leaf below this node lies in a list or map: no leaf has just one level a row of the parent.
  bool all_repeated() const;
  // Leaf ordinals below this node, ascending.
  void AppendLeaves(std::vector<int>* leaves) const;
};

// What an extension type is stored as; any other type itself.
std::shared_ptr<arrow::DataType> StorageType(std::shared_ptr<arrow::DataType> type);

// All top-level fields.
std::vector<ProjectedField> ProjectAll(const ::parquet::arrow::SchemaManifest& manifest);

// One column path, resolved by names as Arrow sees them ("s.x"; below a list its element has the name that Arrow gives
// it, and may be left out). Returns the top-level field with only what the path names.
// Error: usage, with near matches.
arrow::Result<ProjectedField> ProjectPath(const ::parquet::arrow::SchemaManifest& manifest,
                                          const expr::ColumnPath& path);

// Merges paths that share a top-level field, in order of first appearance: s.x, b, s.y -> s{x,y}, b.
std::vector<ProjectedField> MergeProjected(std::vector<ProjectedField> fields);

// The part of a field that holds these leaves; a map is taken whole. REQUIRES: it holds one of them.
ProjectedField ProjectLeaves(const ::parquet::arrow::SchemaField& field, const std::set<int>& leaves);

// The leaf alone, as a field of its own name: for filter columns.
arrow::Result<ProjectedField> ProjectLeaf(const ::parquet::arrow::SchemaManifest& manifest, int leaf);

}  // namespace frazil::parquet
