// SPDX-License-Identifier: Apache-2.0
//
// The residual of a task as JSON: the tree of a Predicate, exact, with the columns known by field id.
//
//   true | false
//   {"and": [...]} | {"or": [...]}
//   {"field_id": 1, "column": "id", "keys": [["42", "43"], ["50"]], "null": false, "text": "id IN (42, 50)"}
// `keys` are the keys that match, ascending: [begin, end) with null for no end, or [key] for one. Keys of numbers,
// dates and times (expr/type.h) are decimal digits, those of text and bytes hexadecimal ones. With `like`, a pattern
// that rows have to match too, or, with `negated`, must not.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <arrow/result.h>
#include <nlohmann/json_fwd.hpp>

#include "src/expr/predicate.h"
#include "src/iceberg/json.h"
#include "src/iceberg/schema.h"
#include "src/scan/iceberg_binding.h"

namespace frazil::scan {

// ANDs and ORs that stand in each other, at most; filters of people have a handful.
inline constexpr int kResidualDepthMax = 64;

// Error: unsupported, for a filter that is nested deeper.
arrow::Result<nlohmann::ordered_json> ResidualToJson(const expr::BoundFilter& filter);

// Bound to `schema` and the metadata columns of `binding`. Errors (corrupt) name the place.
arrow::Result<expr::BoundFilter> ResidualFromJson(const iceberg::JsonField& json, const iceberg::Schema& schema,
                                                  const TableBinding& binding);

// Lower-case digits of bytes, and back. Unset: no such digits.
std::string HexOf(std::string_view bytes);
std::optional<std::string> BytesOfHex(std::string_view digits);

}  // namespace frazil::scan
