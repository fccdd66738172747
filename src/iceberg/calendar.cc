// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/calendar.h"

#include <cstdint>
#include <limits>

#include "src/expr/datetime.h"

namespace frazil::iceberg {
namespace {

using expr::Int128;

// Values of the type in an hour of it; 0 for dates.
Int128 ValuesPerHour(const Type& source) {
  switch (source.id) {
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
      return Int128{3600} * 1000000;
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTzNs:
      return Int128{3600} * 1000000000;
    default:
      return 0;
  }
}

Int128 ValuesPerDay(const Type& source) { return source.id == TypeId::kDate ? 1 : 24 * ValuesPerHour(source); }

}  // namespace

Int128 TimeOrdinal(TransformKind kind, const Type& source, Int128 value) {
  if (kind == TransformKind::kHour) return FloorDiv(value, ValuesPerHour(source));
  const Int128 days = FloorDiv(value, ValuesPerDay(source));
  if (kind == TransformKind::kDay) return days;
  const expr::CivilDate date = expr::CivilFromDays(static_cast<int64_t>(days));
  const int64_t years = date.year - 1970;
  return kind == TransformKind::kYear ? years : years * 12 + date.month - 1;
}

std::optional<Int128> TimeBegin(TransformKind kind, const Type& source, Int128 ordinal) {
  Int128 value = 0;
  if (kind == TransformKind::kHour) {
    value = ordinal * ValuesPerHour(source);
  } else {
    Int128 days = ordinal;
    if (kind != TransformKind::kDay) {
      const auto years = static_cast<int64_t>(kind == TransformKind::kYear ? ordinal : FloorDiv(ordinal, 12));
      const int month = kind == TransformKind::kYear ? 1 : static_cast<int>(ordinal - Int128{years} * 12) + 1;
      days = expr::DaysFromCivil(1970 + years, month, 1);
    }
    value = days * ValuesPerDay(source);
  }
  if (value < std::numeric_limits<int64_t>::min() || value > std::numeric_limits<int64_t>::max()) return std::nullopt;
  return value;
}

}  // namespace frazil::iceberg
