// SPDX-License-Identifier: Apache-2.0
//
// From a Parquet schema to the types that filters speak.
// Source: parquet.thrift SchemaElement and LogicalType; LogicalTypes.md.
#pragma once

#include <cstdint>
#include <vector>

#include <parquet/schema.h>

#include "src/expr/bind.h"

namespace frazil::parquet {

// What a leaf's physical type, logical type and converted type mean for comparisons. INT96 is a timestamp in
// nanoseconds without zone. Types without a defined order are kUnsupported.
expr::ColumnType LeafType(const ::parquet::ColumnDescriptor& leaf);

// The Parquet schema as a tree of the file's own nodes ("l.list.element", "m.key_value.key"). `repeated` is set at and
// under every REPEATED node; a group annotated LIST or MAP is itself a plain group, for it can be null.
// Field::ref of a leaf is its leaf ordinal (>= 0). Field::ref of a group is -1 - n, where n is its index in
// `groups`.
struct FilterSchema {
  expr::FieldTree tree;
  // For IS [NOT] NULL of groups: the leaf to read (the narrowest under the group, -1 when there is none) and the
  // definition level from which the group is not null: 0 for a group that is required all the way up, and for a
  // repeated group, which is never null.
  struct Group {
    int leaf = -1;
    int16_t def_level = 0;
  };
  std::vector<Group> groups;

  // The group of a negative Field::ref.
  const Group& GroupOf(int ref) const { return groups[static_cast<size_t>(-1 - ref)]; }
};

FilterSchema MakeFilterSchema(const ::parquet::SchemaDescriptor& schema);

}  // namespace frazil::parquet
