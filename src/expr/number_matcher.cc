// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/type.h>

#include "src/expr/int_probe.h"
#include "src/expr/key_intervals.h"
#include "src/expr/row_mask.h"
#include "src/expr/value_matcher.h"

namespace frazil::expr {

namespace {

using Intervals = std::vector<ClosedInterval<Int128>>;
using MatcherResult = arrow::Result<std::unique_ptr<ValueMatcher>>;

class BoolMatcher : public ValueMatcher {
 public:
  BoolMatcher(const Intervals& intervals, const arrow::Array& array)
      : bitmap_(array.data()->buffers[1] ? array.data()->buffers[1]->data() : nullptr), offset_(array.offset()) {
    const auto holds = [&](Int128 key) {
      return std::any_of(intervals.begin(), intervals.end(),
                         [key](const auto& interval) { return interval.lo <= key && key <= interval.hi; });
    };
    matches_false_ = holds(0);
    matches_true_ = holds(1);
  }

  void Match(int64_t begin, int64_t count, uint8_t* out) override {
    if (matches_false_ == matches_true_ || bitmap_ == nullptr) {
      std::memset(out, matches_true_ && matches_false_, static_cast<size_t>(count));
      return;
    }
    MaskFromBitmap(bitmap_, offset_ + begin, count, out);
    if (matches_true_) return;
    for (int64_t i = 0; i < count; ++i) out[i] ^= 1;
  }

 private:
  const uint8_t* bitmap_;
  int64_t offset_;
  bool matches_false_;
  bool matches_true_;
};

// Arrays whose values are native integers in key order.
template <typename T>
class IntMatcher : public ValueMatcher {
 public:
  IntMatcher(const Intervals& intervals, const arrow::Array& array)
      : values_(array.data()->GetValues<T>(1)), probe_(ClipTo<T>(intervals)) {}

  void Match(int64_t begin, int64_t count, uint8_t* out) override { probe_.Match(values_ + begin, count, out); }

 private:
  const T* values_;
  IntProbe<T> probe_;
};

// Arrays whose values must be turned into integer keys first, a small block at a time.
// Source: { using Key; Key KeyAt(int64_t) const; }
template <typename Source>
class KeyMatcher : public ValueMatcher {
 public:
  using Key = typename Source::Key;
  KeyMatcher(const Intervals& intervals, Source source) : source_(source), probe_(ClipTo<Key>(intervals)) {}

  void Match(int64_t begin, int64_t count, uint8_t* out) override {
    std::array<Key, 512> keys;
    constexpr auto kBlock = static_cast<int64_t>(keys.size());
    for (int64_t done = 0; done < count; done += kBlock) {
      const int64_t block = std::min(kBlock, count - done);
      for (int64_t i = 0; i < block; ++i) keys[static_cast<size_t>(i)] = source_.KeyAt(begin + done + i);
      probe_.Match(keys.data(), block, out + done);
    }
  }

 private:
  Source source_;
  IntProbe<Key> probe_;
};

struct HalfSource {
  using Key = int16_t;
  const uint16_t* values;
  Key KeyAt(int64_t i) const { return HalfKey(values[i]); }
};

struct FloatSource {
  using Value = float;
  using Key = int32_t;
  static constexpr Key kNan = kNanKey32;
  static Key KeyOf(float value) { return FloatKey(value); }
  static float ValueOf(Key key) { return FloatFromKey(key); }
  const float* values;
  Key KeyAt(int64_t i) const { return FloatKey(values[i]); }
};

struct DoubleSource {
  using Value = double;
  using Key = int64_t;
  static constexpr Key kNan = kNanKey64;
  static Key KeyOf(double value) { return DoubleKey(value); }
  static double ValueOf(Key key) { return DoubleFromKey(key); }
  const double* values;
  Key KeyAt(int64_t i) const { return DoubleKey(values[i]); }
};

struct Decimal128Source {
  using Key = Int128;
  const uint8_t* values;
  Key KeyAt(int64_t i) const {
    Int128 value = 0;
    std::memcpy(&value, values + 16 * i, sizeof(value));
    return value;
  }
};

struct Decimal256Source {
  using Key = Int128;
  const uint8_t* values;
  Key KeyAt(int64_t i) const {
    Int128 low = 0;
    Int128 high = 0;
    std::memcpy(&low, values + 32 * i, sizeof(low));
    std::memcpy(&high, values + 32 * i + 16, sizeof(high));
    if (high == (low < 0 ? -1 : 0)) return low;
    // Beyond the column's precision: keep at least the order.
    return high < 0 ? std::numeric_limits<Int128>::min() : std::numeric_limits<Int128>::max();
  }
};

// Few intervals of floating-point values: compared as they are, since IEEE order is key order but for NaN.
template <typename Source>
class FloatMatcher : public ValueMatcher {
 public:
  using Value = typename Source::Value;
  using Key = typename Source::Key;

  FloatMatcher(const Intervals& intervals, const Value* values) : values_(values) {
    const Int128 least = Source::KeyOf(-std::numeric_limits<Value>::infinity());
    const Int128 greatest = Source::KeyOf(std::numeric_limits<Value>::infinity());
    for (const ClosedInterval<Int128>& interval : intervals) {
      matches_nan_ = matches_nan_ || (interval.lo <= Source::kNan && Source::kNan <= interval.hi);
      const Int128 lo = std::max(interval.lo, least);
      const Int128 hi = std::min(interval.hi, greatest);
      if (lo <= hi) {
        intervals_.push_back({Source::ValueOf(static_cast<Key>(lo)), Source::ValueOf(static_cast<Key>(hi))});
      }
    }
  }

  void Match(int64_t begin, int64_t count, uint8_t* __restrict out) override {
    const Value* __restrict values = values_ + begin;
    std::memset(out, 0, static_cast<size_t>(count));
    for (const ClosedInterval<Value>& interval : intervals_) {
      const Value lo = interval.lo;
      const Value hi = interval.hi;
      ForEachRow(count,
                 [=](int64_t i) { out[i] = static_cast<uint8_t>(out[i] | ((values[i] >= lo) & (values[i] <= hi))); });
    }
    if (!matches_nan_) return;
    ForEachRow(count, [=](int64_t i) { out[i] = static_cast<uint8_t>(out[i] | (values[i] != values[i])); });
  }

 private:
  const Value* values_;
  std::vector<ClosedInterval<Value>> intervals_;
  bool matches_nan_ = false;
};

template <typename Source>
std::unique_ptr<ValueMatcher> MakeFloatMatcher(const Intervals& intervals, const arrow::Array& array) {
  const auto* values = array.data()->GetValues<typename Source::Value>(1);
  if (intervals.size() <= 4) return std::make_unique<FloatMatcher<Source>>(intervals, values);
  return std::make_unique<KeyMatcher<Source>>(intervals, Source{values});
}

template <typename T>
std::unique_ptr<ValueMatcher> MakeIntMatcher(const Intervals& intervals, const arrow::Array& array) {
  return std::make_unique<IntMatcher<T>>(intervals, array);
}

// Units a second, in Arrow's and in our terms.
int64_t UnitsPerSecond(arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND:
      return 1;
    case arrow::TimeUnit::MILLI:
      return 1'000;
    case arrow::TimeUnit::MICRO:
      return 1'000'000;
    case arrow::TimeUnit::NANO:
      return 1'000'000'000;
  }
  return 1;
}

int64_t UnitsPerSecond(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kMilli:
      return 1'000;
    case TimeUnit::kMicro:
      return 1'000'000;
    case TimeUnit::kNano:
      return 1'000'000'000;
  }
  return 1;
}

ValueScale ScaleBetween(arrow::TimeUnit::type array_unit, TimeUnit column_unit) {
  const int64_t array_units = UnitsPerSecond(array_unit);
  const int64_t column_units = UnitsPerSecond(column_unit);
  if (array_units >= column_units) return {array_units / column_units, 1};
  return {1, column_units / array_units};
}

MatcherResult MakeInteger(const IntervalSet<Int128>& keys, const ColumnType& type, const arrow::Array& array) {
  const Intervals intervals = ValueIntervals(keys, {});
  // Signed columns may come as unsigned arrays that hold the same numbers (uint32 stored as INT64); the reverse would
  // be another number.
  const bool is_signed = type.kind == TypeKind::kInt;
  switch (array.type_id()) {
    case arrow::Type::UINT8:
      return MakeIntMatcher<uint8_t>(intervals, array);
    case arrow::Type::UINT16:
      return MakeIntMatcher<uint16_t>(intervals, array);
    case arrow::Type::UINT32:
      return MakeIntMatcher<uint32_t>(intervals, array);
    case arrow::Type::UINT64:
      return MakeIntMatcher<uint64_t>(intervals, array);
    case arrow::Type::INT8:
      if (is_signed) return MakeIntMatcher<int8_t>(intervals, array);
      break;
    case arrow::Type::INT16:
      if (is_signed) return MakeIntMatcher<int16_t>(intervals, array);
      break;
    case arrow::Type::INT32:
      if (is_signed) return MakeIntMatcher<int32_t>(intervals, array);
      break;
    case arrow::Type::INT64:
    case arrow::Type::DURATION:
      if (is_signed) return MakeIntMatcher<int64_t>(intervals, array);
      break;
    default:
      break;
  }
  return ArrayDoesNotFit(type, array);
}

MatcherResult MakeTemporal(const IntervalSet<Int128>& keys, const ColumnType& type, const arrow::Array& array) {
  constexpr int64_t kMillisPerDay = 86'400'000;
  switch (array.type_id()) {
    case arrow::Type::DATE32:
      if (type.kind == TypeKind::kDate) return MakeIntMatcher<int32_t>(ValueIntervals(keys, {}), array);
      break;
    case arrow::Type::DATE64:
      if (type.kind == TypeKind::kDate) {
        return MakeIntMatcher<int64_t>(ValueIntervals(keys, {.divisor = kMillisPerDay, .factor = 1}), array);
      }
      break;
    case arrow::Type::TIME32:
      if (type.kind == TypeKind::kTime) {
        const auto unit = static_cast<const arrow::Time32Type&>(*array.type()).unit();
        return MakeIntMatcher<int32_t>(ValueIntervals(keys, ScaleBetween(unit, type.unit)), array);
      }
      break;
    case arrow::Type::TIME64:
      if (type.kind == TypeKind::kTime) {
        const auto unit = static_cast<const arrow::Time64Type&>(*array.type()).unit();
        return MakeIntMatcher<int64_t>(ValueIntervals(keys, ScaleBetween(unit, type.unit)), array);
      }
      break;
    case arrow::Type::TIMESTAMP:
      if (type.kind == TypeKind::kTimestamp) {
        const auto unit = static_cast<const arrow::TimestampType&>(*array.type()).unit();
        return MakeIntMatcher<int64_t>(ValueIntervals(keys, ScaleBetween(unit, type.unit)), array);
      }
      break;
    case arrow::Type::DECIMAL128:
      // INT96 spans more nanoseconds than int64 holds; decoded for filters as whole numbers.
      if (type.kind == TypeKind::kTimestamp && type.bit_width == 96) {
        const auto* bytes = static_cast<const arrow::FixedSizeBinaryArray&>(array).raw_values();
        return std::make_unique<KeyMatcher<Decimal128Source>>(ValueIntervals(keys, {}), Decimal128Source{bytes});
      }
      break;
    default:
      break;
  }
  return ArrayDoesNotFit(type, array);
}

MatcherResult MakeDecimal(const IntervalSet<Int128>& keys, const ColumnType& type, const arrow::Array& array) {
  if (!arrow::is_decimal(array.type_id()) ||
      static_cast<const arrow::DecimalType&>(*array.type()).scale() != type.scale) {
    return ArrayDoesNotFit(type, array);
  }
  const Intervals intervals = ValueIntervals(keys, {});
  const auto* bytes = static_cast<const arrow::FixedSizeBinaryArray&>(array).raw_values();
  switch (array.type_id()) {
    case arrow::Type::DECIMAL32:
      return MakeIntMatcher<int32_t>(intervals, array);
    case arrow::Type::DECIMAL64:
      return MakeIntMatcher<int64_t>(intervals, array);
    case arrow::Type::DECIMAL128:
      return std::make_unique<KeyMatcher<Decimal128Source>>(intervals, Decimal128Source{bytes});
    case arrow::Type::DECIMAL256:
      return std::make_unique<KeyMatcher<Decimal256Source>>(intervals, Decimal256Source{bytes});
    default:
      return ArrayDoesNotFit(type, array);
  }
}

}  // namespace

MatcherResult MakeNumberMatcher(const IntervalSet<Int128>& keys, const ColumnType& type, const arrow::Array& array) {
  const auto id = array.type_id();
  switch (type.kind) {
    case TypeKind::kBool:
      if (id == arrow::Type::BOOL) return std::make_unique<BoolMatcher>(ValueIntervals(keys, {}), array);
      break;
    case TypeKind::kInt:
    case TypeKind::kUInt:
      return MakeInteger(keys, type, array);
    case TypeKind::kFloat16:
      if (id == arrow::Type::HALF_FLOAT) {
        const HalfSource source{array.data()->GetValues<uint16_t>(1)};
        return std::make_unique<KeyMatcher<HalfSource>>(ValueIntervals(keys, {}), source);
      }
      break;
    case TypeKind::kFloat:
      if (id == arrow::Type::FLOAT) return MakeFloatMatcher<FloatSource>(ValueIntervals(keys, {}), array);
      break;
    case TypeKind::kDouble:
      if (id == arrow::Type::DOUBLE) return MakeFloatMatcher<DoubleSource>(ValueIntervals(keys, {}), array);
      break;
    case TypeKind::kDate:
    case TypeKind::kTime:
    case TypeKind::kTimestamp:
      return MakeTemporal(keys, type, array);
    case TypeKind::kDecimal:
      return MakeDecimal(keys, type, array);
    default:
      break;
  }
  return ArrayDoesNotFit(type, array);
}

}  // namespace frazil::expr
