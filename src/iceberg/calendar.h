// SPDX-License-Identifier: Apache-2.0
//
// Years, months, days and hours since 1970 of dates and timestamps, before 1970 too: always the floor.
#pragma once

#include "src/expr/type.h"
#include "src/iceberg/transform.h"
#include "src/iceberg/type.h"

namespace frazil::iceberg {

// The greatest integer not above number / divisor. REQUIRES: divisor > 0.
constexpr expr::Int128 FloorDiv(expr::Int128 number, expr::Int128 divisor) {
  return number / divisor - (number % divisor < 0 ? 1 : 0);
}

// How many whole units a date or timestamp lies after the beginning of 1970.
// REQUIRES: kind is year, month, day or hour, and can transform the type; the value fits 64 bits.
expr::Int128 TimeOrdinal(TransformKind kind, const Type& source, expr::Int128 value);

// The first value of the type in unit `ordinal`: the inverse. Unset when it lies beyond 64 bits.
// REQUIRES: the same; |ordinal| < 2^40.
std::optional<expr::Int128> TimeBegin(TransformKind kind, const Type& source, expr::Int128 ordinal);

}  // namespace frazil::iceberg
