// SPDX-License-Identifier: Apache-2.0
//
// One projected top-level field of one row group: reads chosen rows of its leaves and puts levels and values together
// into one Arrow array. Every leaf reads the same rows, so leaves can not drift apart; their lengths are checked
// against each other at each level of nesting. Source: Dremel encoding, parquet-format README "Nested Encoding";
// parquet/level_conversion.h.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <arrow/array.h>
#include <arrow/result.h>

#include "src/base/row_ranges.h"
#include "src/parquet/leaf_reader.h"
#include "src/parquet/projection.h"

namespace frazil::parquet {

// Makes the reader of one leaf: (leaf ordinal, storage type, nullable).
using OpenLeaf = std::function<arrow::Result<std::unique_ptr<LeafReader>>(
    int leaf, const std::shared_ptr<arrow::DataType>& type, bool nullable)>;

class FieldReader {
 public:
  static arrow::Result<std::unique_ptr<FieldReader>> Open(const ProjectedField& field, const OpenLeaf& open_leaf);

  // The leaves, for reading them in parallel: call Read(rows) on each, then Build.
  const std::vector<LeafReader*>& leaves() const { return leaves_; }

  // The array of the batch last read, of the field's type. Error: corrupt, when leaves disagree.
  arrow::Result<std::shared_ptr<arrow::Array>> Build();

 private:
  struct Node {
    ProjectedField field;
    std::unique_ptr<LeafReader> leaf;
    std::vector<Node> children;

    // A leaf whose levels describe this node; one without lists below when there is one.
    const LeafReader* LevelsLeaf() const;
  };

  arrow::Status OpenNode(const ProjectedField& field, const OpenLeaf& open_leaf, Node* node);
  arrow::Result<std::shared_ptr<arrow::Array>> BuildNode(Node& node, int64_t length_max);
  arrow::Result<std::shared_ptr<arrow::Array>> BuildStruct(Node& node, const std::shared_ptr<arrow::DataType>& type,
                                                           int64_t length_max);
  template <typename Offset>
  arrow::Result<std::shared_ptr<arrow::Array>> BuildList(Node& node, const std::shared_ptr<arrow::DataType>& type,
                                                         int64_t length_max);

  Node root_;
  std::vector<LeafReader*> leaves_;
};

}  // namespace frazil::parquet
