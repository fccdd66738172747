// SPDX-License-Identifier: Apache-2.0
#include "src/expr/literal.h"

#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "frazil/error.h"
#include "src/base/text.h"
#include "src/expr/datetime.h"

namespace frazil::expr {
namespace {

using LiteralKind = Literal::Kind;

// Of a literal in a message.
constexpr size_t kShownBytesMax = 40;

arrow::Status Mismatch(std::string how_to_write) { return MakeError(ErrorKind::kUsage, std::move(how_to_write)); }

template <typename K>
KeyPlace<K> Exactly(K key) {
  KeyPlace<K> place;
  place.exact = true;
  place.key = std::move(key);
  return place;
}

// The least and the greatest key that values of the type can have; unset when no narrower than the key space
// (decimals and times, whose stored integers may exceed what their type grants).
struct KeyRange {
  Int128 min;
  Int128 max;
};

std::optional<KeyRange> RangeOf(const ColumnType& type) {
  switch (type.kind) {
    case TypeKind::kBool:
      return KeyRange{0, 1};
    case TypeKind::kInt:
      return KeyRange{-(Int128{1} << (type.bit_width - 1)), (Int128{1} << (type.bit_width - 1)) - 1};
    case TypeKind::kUInt:
      return KeyRange{0, (Int128{1} << type.bit_width) - 1};
    case TypeKind::kFloat16:
      return KeyRange{HalfKey(0xFC00), kNanKey16};
    case TypeKind::kFloat:
      return KeyRange{FloatKey(-std::numeric_limits<float>::infinity()), kNanKey32};
    case TypeKind::kDouble:
      return KeyRange{DoubleKey(-std::numeric_limits<double>::infinity()), kNanKey64};
    case TypeKind::kDate:
      return KeyRange{std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
    case TypeKind::kTimestamp:
      if (type.bit_width == 96) return std::nullopt;
      return KeyRange{std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
    default:
      return std::nullopt;
  }
}

KeyPlace<Int128> Clamp(KeyPlace<Int128> place, const ColumnType& type) {
  const auto range = RangeOf(type);
  if (!range || place.below || place.above) return place;
  place.above = place.key > range->max;
  // A literal between two keys whose upper one is the least of all is below them too.
  place.below = place.key < range->min || (place.key == range->min && !place.exact);
  place.exact = place.exact && !place.above && !place.below;
  return place;
}

arrow::Result<Number> NumberOf(const Literal& literal) {
  const auto number = ParseNumber(literal.text);
  if (literal.kind == LiteralKind::kNumber && number) return *number;
  if (literal.kind == LiteralKind::kString && number) {
    return Mismatch("write the number without quotes: " + Printable(literal.text, kShownBytesMax));
  }
  return Mismatch("write a number");
}

// Infinity and NaN have no number syntax.
std::optional<double> SpecialFloat(const Literal& literal) {
  if (literal.kind != LiteralKind::kString) return std::nullopt;
  std::string_view text = literal.text;
  if (EqualsIgnoreCase(text, "nan")) return std::numeric_limits<double>::quiet_NaN();
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (!EqualsIgnoreCase(text, "inf") && !EqualsIgnoreCase(text, "infinity")) return std::nullopt;
  return negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
}

arrow::Result<KeyPlace<Int128>> PlaceFloat(const Literal& literal, const ColumnType& type) {
  const auto special = SpecialFloat(literal);
  Number number;
  if (!special) {
    if (literal.kind == LiteralKind::kString && !ParseNumber(literal.text)) {
      return Mismatch("write a number, 'NaN', 'Infinity' or '-Infinity'");
    }
    ARROW_ASSIGN_OR_RAISE(number, NumberOf(literal));
  }
  switch (type.kind) {
    case TypeKind::kFloat16:
      if (!special) return Exactly<Int128>(HalfKey(NearestHalf(number)));
      return Exactly<Int128>(*special != *special ? kNanKey16 : HalfKey(*special < 0 ? 0xFC00 : 0x7C00));
    case TypeKind::kFloat:
      return Exactly<Int128>(FloatKey(special ? static_cast<float>(*special) : NearestFloat(number)));
    default:
      return Exactly<Int128>(DoubleKey(special ? *special : NearestDouble(number)));
  }
}

// A point in time among the multiples of a unit of 10^-digits seconds.
KeyPlace<Int128> PlaceTime(Int128 seconds, const TimeOfDay& time, TimeUnit unit) {
  int64_t units_per_second = 1;
  for (int i = 0; i < UnitDigits(unit); ++i) units_per_second *= 10;
  const int64_t nanos_per_unit = 1000000000 / units_per_second;
  KeyPlace<Int128> place;
  place.exact = time.nanos % nanos_per_unit == 0 && !time.is_between;
  place.key = seconds * units_per_second + time.nanos / nanos_per_unit + (place.exact ? 0 : 1);
  return place;
}

arrow::Result<DateTime> DateTimeOf(const Literal& literal, const char* how_to_write) {
  switch (literal.kind) {
    case LiteralKind::kString:
    case LiteralKind::kTimestamp:
      return ParseTimestamp(literal.text);
    case LiteralKind::kDate: {
      DateTime result;
      ARROW_ASSIGN_OR_RAISE(result.days, ParseDate(literal.text));
      return result;
    }
    default:
      return Mismatch(how_to_write);
  }
}

arrow::Result<KeyPlace<Int128>> PlaceInDays(const Literal& literal) {
  ARROW_ASSIGN_OR_RAISE(const DateTime value, DateTimeOf(literal, "write a date: DATE '2024-01-31'"));
  if (value.offset_minutes) return Mismatch("a date has no time zone: leave out Z or the offset");
  KeyPlace<Int128> place;
  place.exact = value.time.seconds == 0 && value.time.nanos == 0 && !value.time.is_between;
  place.key = Int128{value.days} + (place.exact ? 0 : 1);
  return place;
}

arrow::Result<KeyPlace<Int128>> PlaceTimestamp(const Literal& literal, const ColumnType& type) {
  ARROW_ASSIGN_OR_RAISE(const DateTime value,
                        DateTimeOf(literal, "write a timestamp: TIMESTAMP '2024-01-31 23:59:59'"));
  if (value.offset_minutes && !type.utc) {
    return Mismatch("the column holds local time without a zone: leave out Z or the offset");
  }
  const int64_t offset_seconds = value.offset_minutes.value_or(0) * 60;
  return PlaceTime(Int128{value.days} * kSecondsPerDay + value.time.seconds - offset_seconds, value.time, type.unit);
}

arrow::Result<KeyPlace<Int128>> PlaceTimeOfDay(const Literal& literal, const ColumnType& type) {
  if (literal.kind != LiteralKind::kTime && literal.kind != LiteralKind::kString) {
    return Mismatch("write a time: TIME '23:59:59'");
  }
  ARROW_ASSIGN_OR_RAISE(const TimeOfDay time, ParseTime(literal.text));
  return PlaceTime(time.seconds, time, type.unit);
}

// Text with \xhh for single bytes; every other backslash is one.
std::string DecodeByteEscapes(std::string_view text) {
  std::string bytes;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_escape = text[i] == '\\' && i + 3 < text.size() && text[i + 1] == 'x' && HexValue(text[i + 2]) >= 0 &&
                           HexValue(text[i + 3]) >= 0;
    if (is_escape) {
      bytes += static_cast<char>(HexValue(text[i + 2]) * 16 + HexValue(text[i + 3]));
      i += 3;
    } else {
      bytes += text[i];
    }
  }
  return bytes;
}

arrow::Result<std::string> ParseUuid(std::string_view text) {
  constexpr std::string_view kShape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  std::string bytes;
  bool fits = text.size() == kShape.size();
  int high = -1;
  for (size_t i = 0; fits && i < kShape.size(); ++i) {
    const int digit = HexValue(text[i]);
    if (kShape[i] == '-') {
      fits = text[i] == '-';
    } else if (digit < 0) {
      fits = false;
    } else if (high < 0) {
      high = digit;
    } else {
      bytes += static_cast<char>(high * 16 + digit);
      high = -1;
    }
  }
  if (!fits) return Mismatch("write a UUID: 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'");
  return bytes;
}

arrow::Result<KeyPlace<std::string>> PlaceBytes(const Literal& literal, const ColumnType& type) {
  const bool is_text = literal.kind == LiteralKind::kString;
  switch (type.kind) {
    case TypeKind::kString:
      if (is_text) return Exactly(literal.text);
      if (literal.kind == LiteralKind::kNumber) {
        return Mismatch("write text in single quotes: '" + Printable(literal.text, kShownBytesMax) + "'");
      }
      return Mismatch("write text in single quotes");
    case TypeKind::kUuid: {
      if (literal.kind == LiteralKind::kBytes && literal.text.size() == 16) return Exactly(literal.text);
      const bool is_uuid = is_text || literal.kind == LiteralKind::kUuid;
      ARROW_ASSIGN_OR_RAISE(std::string bytes, ParseUuid(is_uuid ? std::string_view(literal.text) : ""));
      return Exactly(std::move(bytes));
    }
    case TypeKind::kDecimal: {
      ARROW_ASSIGN_OR_RAISE(const Number number, NumberOf(literal));
      return PlaceWideDecimal(number, type.scale);
    }
    default:
      break;
  }
  KeyPlace<std::string> place = Exactly(is_text ? DecodeByteEscapes(literal.text) : literal.text);
  const bool is_fixed = type.kind == TypeKind::kFixed;
  if (literal.kind == LiteralKind::kUuid && is_fixed && type.byte_width == 16) {
    ARROW_ASSIGN_OR_RAISE(place.key, ParseUuid(literal.text));
  } else if (!is_text && literal.kind != LiteralKind::kBytes) {
    return Mismatch("write bytes: X'00ff'");
  }
  if (is_fixed) place.exact = place.key.size() == static_cast<size_t>(type.byte_width);
  return place;
}

arrow::Result<KeyPlace<Int128>> PlaceNumber(const Literal& literal, const ColumnType& type) {
  switch (type.kind) {
    case TypeKind::kBool:
      if (literal.kind != LiteralKind::kBool) return Mismatch("write TRUE or FALSE");
      return Exactly<Int128>(literal.boolean ? 1 : 0);
    case TypeKind::kFloat16:
    case TypeKind::kFloat:
    case TypeKind::kDouble:
      return PlaceFloat(literal, type);
    case TypeKind::kDate:
      return PlaceInDays(literal);
    case TypeKind::kTime:
      return PlaceTimeOfDay(literal, type);
    case TypeKind::kTimestamp:
      return PlaceTimestamp(literal, type);
    default: {
      ARROW_ASSIGN_OR_RAISE(const Number number, NumberOf(literal));
      return PlaceInt128(number, type.kind == TypeKind::kDecimal ? type.scale : 0);
    }
  }
}

// The ends that values of a type can reach, as keys of the space asked for.
template <typename K>
struct Ends {
  K min = KeyTraits<K>::Least();
  std::optional<K> max;
};

template <typename K>
Ends<K> EndsOf(const ColumnType& type) {
  Ends<K> ends;
  if constexpr (std::is_same_v<K, Int128>) {
    if (const auto range = RangeOf(type)) ends = {range->min, range->max};
  }
  return ends;
}

template <typename K>
IntervalSet<K> Below(const KeyPlace<K>& place, const Ends<K>& ends) {
  if (place.above) return IntervalSet<K>::All();
  if (place.below || place.key <= ends.min) return IntervalSet<K>::None();
  return IntervalSet<K>::Range(KeyTraits<K>::Least(), place.key);
}

template <typename K>
IntervalSet<K> NotBelow(const KeyPlace<K>& place, const Ends<K>& ends) {
  if (place.above) return IntervalSet<K>::None();
  if (place.below || place.key <= ends.min) return IntervalSet<K>::All();
  return IntervalSet<K>::Range(place.key, std::nullopt);
}

template <typename K>
IntervalSet<K> Above(const KeyPlace<K>& place, const Ends<K>& ends) {
  if (!place.exact) return NotBelow(place, ends);
  if (ends.max && place.key >= *ends.max) return IntervalSet<K>::None();
  return IntervalSet<K>::Range(KeyTraits<K>::Successor(place.key), std::nullopt);
}

template <typename K>
IntervalSet<K> NotAbove(const KeyPlace<K>& place, const Ends<K>& ends) {
  if (!place.exact) return Below(place, ends);
  if (ends.max && place.key >= *ends.max) return IntervalSet<K>::All();
  return IntervalSet<K>::Range(KeyTraits<K>::Least(), KeyTraits<K>::Successor(place.key));
}

template <typename K>
IntervalSet<K> SetOf(Expression::Op op, const KeyPlace<K>& place, const ColumnType& type) {
  const Ends<K> ends = EndsOf<K>(type);
  switch (op) {
    case Expression::Op::kEq:
      return place.exact ? IntervalSet<K>::Point(place.key) : IntervalSet<K>::None();
    case Expression::Op::kNe:
      return Below(place, ends).Union(Above(place, ends));
    case Expression::Op::kLt:
      return Below(place, ends);
    case Expression::Op::kLe:
      return NotAbove(place, ends);
    case Expression::Op::kGt:
      return Above(place, ends);
    case Expression::Op::kGe:
      return NotBelow(place, ends);
  }
  return IntervalSet<K>::None();
}

template <typename K>
KeySet PointsOf(const std::vector<LiteralPlace>& places) {
  std::vector<K> keys;
  for (const LiteralPlace& any : places) {
    const auto& place = std::get<KeyPlace<K>>(any);
    if (place.exact) keys.push_back(place.key);
  }
  return IntervalSet<K>::Points(std::move(keys));
}

// Groups and types without order have no keys of their own; theirs are said to be Int128.
bool HasByteKeys(const ColumnType& type) { return type.is_comparable() && type.has_byte_keys(); }

}  // namespace

arrow::Result<LiteralPlace> PlaceLiteral(const Literal& literal, const ColumnType& type) {
  if (HasByteKeys(type)) {
    ARROW_ASSIGN_OR_RAISE(KeyPlace<std::string> place, PlaceBytes(literal, type));
    return place;
  }
  ARROW_ASSIGN_OR_RAISE(const KeyPlace<Int128> place, PlaceNumber(literal, type));
  return Clamp(place, type);
}

KeySet KeysOf(Expression::Op op, const LiteralPlace& place, const ColumnType& type) {
  return std::visit([&](const auto& typed) -> KeySet { return SetOf(op, typed, type); }, place);
}

KeySet NoKeys(const ColumnType& type) {
  if (HasByteKeys(type)) return IntervalSet<std::string>::None();
  return IntervalSet<Int128>::None();
}

KeySet AllKeys(const ColumnType& type) {
  if (HasByteKeys(type)) return IntervalSet<std::string>::All();
  return IntervalSet<Int128>::All();
}

KeySet IntersectKeys(const KeySet& a, const KeySet& b) {
  return std::visit([&](const auto& set) -> KeySet { return set.Intersect(std::get<std::decay_t<decltype(set)>>(b)); },
                    a);
}

KeySet UnionKeys(const KeySet& a, const KeySet& b) {
  return std::visit([&](const auto& set) -> KeySet { return set.Union(std::get<std::decay_t<decltype(set)>>(b)); }, a);
}

KeySet ComplementKeys(const KeySet& keys) {
  return std::visit([](const auto& set) -> KeySet { return set.Complement(); }, keys);
}

bool ContainsKey(const KeySet& keys, const Key& key) {
  if (const auto* number = std::get_if<Int128>(&key)) return std::get<IntervalSet<Int128>>(keys).Contains(*number);
  return std::get<IntervalSet<std::string>>(keys).Contains(std::get<std::string>(key));
}

KeySet PointKeys(const std::vector<LiteralPlace>& places, const ColumnType& type) {
  return HasByteKeys(type) ? PointsOf<std::string>(places) : PointsOf<Int128>(places);
}

IntervalSet<std::string> PrefixKeys(std::string_view prefix) {
  // The first text after all that begin with the prefix: its last byte that can be raised, raised.
  std::string end(prefix);
  while (!end.empty() && end.back() == '\xFF') end.pop_back();
  if (end.empty()) return IntervalSet<std::string>::Range(std::string(prefix), std::nullopt);
  end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
  return IntervalSet<std::string>::Range(std::string(prefix), std::move(end));
}

}  // namespace frazil::expr
