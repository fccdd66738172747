// SPDX-License-Identifier: Apache-2.0
//
// What is left of a filter for the rows of one partition tuple: conditions that the tuple decides are gone. All fields
// of one column are judged together: with year(ts) = 2020 and bucket(ts) = 3, a list of times keeps the tuple only if
// one of those in 2020 falls into bucket 3. Needs no data. Source: Iceberg table specification, "Scan Planning"
// (residual evaluation).
#pragma once

#include <optional>
#include <vector>

#include "src/expr/predicate.h"
#include "src/iceberg/partition_spec.h"
#include "src/iceberg/schema.h"

namespace frazil::iceberg {

// The values of a tuple in the order of the spec's fields, as keys of the result types of today's columns; unset is
// null. Values of fields whose result type is not known are not looked at.
using PartitionTuple = std::vector<std::optional<expr::Key>>;

// False when no row of the tuple can match, true when all must; else the conditions that are still to be tested, over
// the columns of `filter`. `filter` is bound to `schema` (BoundColumn::ref is the field id). A tuple shorter than the
// spec decides nothing by the fields it lacks.
expr::Predicate PartitionResidual(const PartitionSpec& spec, const Schema& schema, const expr::BoundFilter& filter,
                                  const PartitionTuple& tuple);

}  // namespace frazil::iceberg
