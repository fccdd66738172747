// SPDX-License-Identifier: Apache-2.0
//
// The vectorised row filter against one value at a time: integers of each width, floating-point values, text, with
// nulls, slices and dictionaries.
//
// Input: what to test (1 byte), rows to skip at the front (1), intervals (1 + theirs), then the values.
#include <cstring>
#include <memory>
#include <vector>

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_dict.h>
#include <arrow/array/builder_primitive.h>

#include "src/expr/int_probe.h"
#include "src/expr/residual.h"
#include "tests/fuzz/target.h"

namespace frazil::fuzz {
namespace {

using expr::Int128;
using expr::TypeKind;
using ArrayPtr = std::shared_ptr<arrow::Array>;

template <typename T>
T Draw(Input& input) {
  const uint64_t bits = input.Number(static_cast<int>(sizeof(T)));
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

// Whether the row filter and Contains agree. `keys`: of each row, unset for null.
template <typename K>
void Compare(expr::Leaf leaf, const expr::ColumnType& type, const ArrayPtr& array, int64_t offset,
             const std::vector<std::optional<K>>& keys) {
  const expr::BoundFilter filter{expr::Predicate::Of(leaf), {{"c", type, 0}}};
  const ArrayPtr rest = array->Slice(offset);
  const auto matched = expr::MatchRows(filter, filter.root, {rest}, rest->length());
  Require(matched.ok(), "the row filter takes the array");
  const auto& set = std::get<expr::IntervalSet<K>>(leaf.keys);
  for (int64_t row = 0; row < rest->length(); ++row) {
    const auto& key = keys[static_cast<size_t>(row + offset)];
    Require(matched->Contains(row) == (key ? set.Contains(*key) : leaf.matches_null), "a row matches as its key does");
  }
}

template <typename K>
expr::Leaf LeafOf(expr::IntervalSet<K> set, int flags) {
  expr::Leaf leaf;
  leaf.keys = (flags & 1) != 0 ? set.Complement() : std::move(set);
  leaf.matches_null = (flags & 2) != 0;
  return leaf;
}

template <typename Type, typename KeyOf>
void CompareNumbers(Input& input, const expr::ColumnType& type, const KeyOf& key_of) {
  using T = typename Type::c_type;
  const int flags = input.Byte();
  const int64_t skipped = input.Byte();
  expr::IntervalSet<Int128> set;
  std::vector<Int128> points;
  for (int count = input.Byte(); count > 0; --count) {
    const Int128 begin = key_of(Draw<T>(input));
    if ((flags & 4) != 0) {
      points.push_back(begin);
    } else {
      const Int128 end = key_of(Draw<T>(input));
      set = set.Union(expr::IntervalSet<Int128>::Range(std::min(begin, end), std::max(begin, end)));
    }
  }
  set = set.Union(expr::IntervalSet<Int128>::Points(std::move(points)));
  typename arrow::TypeTraits<Type>::BuilderType builder;
  std::vector<std::optional<Int128>> keys;
  while (!input.empty()) {
    const T value = Draw<T>(input);
    const bool is_null = (flags & 8) != 0 && (keys.size() * 7 + static_cast<size_t>(flags)) % 5 == 0;
    Require((is_null ? builder.AppendNull() : builder.Append(value)).ok(), "memory");
    keys.push_back(is_null ? std::nullopt : std::optional<Int128>(key_of(value)));
  }
  const ArrayPtr array = builder.Finish().ValueOrDie();
  Compare(LeafOf(std::move(set), flags), type, array, std::min(skipped, array->length()), keys);
}

template <typename Builder>
void CompareTexts(Input& input) {
  const int flags = input.Byte();
  const int64_t skipped = input.Byte();
  auto text = [&input] { return std::string(input.Take(static_cast<size_t>(input.Byte() % 24))); };
  expr::IntervalSet<std::string> set;
  std::vector<std::string> points;
  for (int count = input.Byte(); count > 0; --count) {
    std::string begin = text();
    if ((flags & 4) != 0) {
      points.push_back(std::move(begin));
    } else {
      std::string end = text();
      if (end < begin) std::swap(begin, end);
      set = set.Union(expr::IntervalSet<std::string>::Range(begin, end));
    }
  }
  set = set.Union(expr::IntervalSet<std::string>::Points(std::move(points)));
  Builder builder;
  std::vector<std::optional<std::string>> keys;
  while (!input.empty()) {
    const std::string value = text();
    const bool is_null = (flags & 8) != 0 && (keys.size() * 7 + static_cast<size_t>(flags)) % 5 == 0;
    Require((is_null ? builder.AppendNull() : builder.Append(value)).ok(), "memory");
    keys.push_back(is_null ? std::nullopt : std::optional(value));
  }
  const ArrayPtr array = builder.Finish().ValueOrDie();
  Compare(LeafOf(std::move(set), flags), {.kind = TypeKind::kBinary}, array, std::min(skipped, array->length()), keys);
}

// The probe by itself: closed intervals over all of a type, its ends included.
template <typename T>
void CompareProbe(Input& input) {
  std::vector<expr::ClosedInterval<T>> intervals;
  Int128 next = std::numeric_limits<T>::min();
  for (int count = input.Byte(); count > 0 && next <= std::numeric_limits<T>::max(); --count) {
    const T lo = std::max<T>(Draw<T>(input), static_cast<T>(next));
    const T hi = std::max<T>(Draw<T>(input), lo);
    intervals.push_back({lo, hi});
    next = Int128{hi} + 2;
  }
  std::vector<T> values;
  for (const auto& interval : intervals) values.insert(values.end(), {interval.lo, interval.hi});
  while (!input.empty()) values.push_back(Draw<T>(input));
  std::vector<uint8_t> out(values.size());
  expr::IntProbe<T>(intervals).Match(values.data(), static_cast<int64_t>(values.size()), out.data());
  for (size_t i = 0; i < values.size(); ++i) {
    bool within = false;
    for (const auto& interval : intervals) within |= interval.lo <= values[i] && values[i] <= interval.hi;
    Require(out[i] == (within ? 1 : 0), "a probe finds what a search finds");
  }
}

void Check(std::string_view bytes) {
  Input input(bytes);
  const auto whole = [](auto value) { return Int128{value}; };
  switch (input.Byte() % 12) {
    case 0:
      return CompareNumbers<arrow::Int8Type>(input, {.kind = TypeKind::kInt, .bit_width = 8}, whole);
    case 1:
      return CompareNumbers<arrow::UInt16Type>(input, {.kind = TypeKind::kUInt, .bit_width = 16}, whole);
    case 2:
      return CompareNumbers<arrow::Int32Type>(input, {.kind = TypeKind::kInt, .bit_width = 32}, whole);
    case 3:
      return CompareNumbers<arrow::UInt64Type>(input, {.kind = TypeKind::kUInt, .bit_width = 64}, whole);
    case 4:
      return CompareNumbers<arrow::FloatType>(input, {.kind = TypeKind::kFloat},
                                              [](float value) { return Int128{expr::FloatKey(value)}; });
    case 5:
      return CompareNumbers<arrow::DoubleType>(input, {.kind = TypeKind::kDouble},
                                               [](double value) { return Int128{expr::DoubleKey(value)}; });
    case 6:
      return CompareTexts<arrow::BinaryBuilder>(input);
    case 7:
      return CompareTexts<arrow::LargeBinaryBuilder>(input);
    case 8:
      return CompareTexts<arrow::BinaryDictionaryBuilder>(input);
    case 9:
      return CompareProbe<int8_t>(input);
    case 10:
      return CompareProbe<uint32_t>(input);
    default:
      return CompareProbe<int64_t>(input);
  }
}

}  // namespace
}  // namespace frazil::fuzz

FRAZIL_FUZZ_TARGET(matcher, frazil::fuzz::Check)
