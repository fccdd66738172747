// SPDX-License-Identifier: Apache-2.0
//
// Partition specs and sort orders: how rows are spread over files, and sorted in them.
// Source: Iceberg table specification, "Partition Specs", "Sorting", Appendix C.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>

#include "src/iceberg/json.h"
#include "src/iceberg/schema.h"
#include "src/iceberg/transform.h"

namespace frazil::iceberg {

// The first id that partition fields get.
inline constexpr int kPartitionFieldIdMin = 1000;

struct PartitionField {
  std::vector<int> source_ids;  // several only with transforms that are not known yet
  int field_id = 0;
  std::string name;
  Transform transform;
};

struct PartitionSpec {
  int spec_id = 0;
  std::vector<PartitionField> fields;

  // No fields, or only void ones: equality deletes written under it are global.
  bool is_unpartitioned() const;
  // "[day(ts), bucket[16](id)]", with the names that the columns have in `schema`.
  std::string ToString(const Schema& schema) const;
};

struct SortField {
  std::vector<int> source_ids;
  Transform transform;
  bool ascending = true;
  bool nulls_first = true;
};

struct SortOrder {
  int order_id = 0;
  std::vector<SortField> fields;
};

// Of an object with "spec-id" and "fields".
arrow::Result<PartitionSpec> ParsePartitionSpec(const JsonField& json);
// Of the array of fields alone, as v1 metadata and the header of manifests have it. Fields without an id are numbered
// from kPartitionFieldIdMin.
arrow::Result<PartitionSpec> ParsePartitionFields(const JsonField& json, int spec_id);
arrow::Result<PartitionSpec> ParsePartitionFields(std::string_view json_text, int spec_id);
arrow::Result<SortOrder> ParseSortOrder(const JsonField& json);

}  // namespace frazil::iceberg
