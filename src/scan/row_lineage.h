// SPDX-License-Identifier: Apache-2.0
//
// Row lineage (format version 3): the metadata columns _row_id and _last_updated_sequence_number. A row's value is the
// one that its file holds, in a column of the reserved id, or, where that is missing or null, what it inherits: the
// file's first row id and its own position, and the file's data sequence number. In a file without a first row id both
// are null. Source: Iceberg table specification, "Row Lineage".
#pragma once

#include <cstdint>
#include <optional>

#include "src/expr/predicate.h"
#include "src/scan/binding.h"

namespace frazil::scan {

// What a data file gives its rows.
struct FileLineage {
  std::optional<int64_t> first_row_id;
  std::optional<int64_t> sequence_number;
  // Whether the file has the columns.
  bool holds_row_ids = false;
  bool holds_sequence_numbers = false;

  // What rows inherit as the column of this id; unset: null, whatever the file holds.
  std::optional<InheritedValue> Inherited(int field_id) const;
};

// Whether the id is that of one of the two columns.
bool IsLineage(int field_id);

// The filter (BoundColumn::ref is the field id) for this file: conditions on the two columns become conditions on what
// the file holds, on _pos, or constants.
expr::BoundFilter WithLineage(const expr::BoundFilter& filter, const FileLineage& file);

}  // namespace frazil::scan
