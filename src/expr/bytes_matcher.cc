// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <arrow/array.h>
#include <arrow/type.h>

#include "src/expr/miss_filter.h"
#include "src/expr/value_matcher.h"

namespace frazil::expr {

namespace {

using Texts = IntervalSet<std::string>;
using MatcherResult = arrow::Result<std::unique_ptr<ValueMatcher>>;

// The way to ask a set of byte keys for many values, chosen once.
class BytesProbe {
 public:
  explicit BytesProbe(const Texts& keys) : keys_(keys), complement_(keys.Complement()) {
    if (keys_.empty() || keys_.is_all()) {
      way_ = Way::kConstant;
      negated_ = keys_.is_all();
    } else if (TakePoints(keys_)) {
      negated_ = false;
    } else if (TakePoints(complement_)) {
      negated_ = true;
    } else if (keys_.intervals().size() == 1) {
      way_ = IsPrefix(keys_.intervals()[0]) ? Way::kPrefix : Way::kInterval;
    }
  }
  BytesProbe(const BytesProbe&) = delete;
  BytesProbe& operator=(const BytesProbe&) = delete;

  // Get: std::string_view(int64_t row)
  template <typename Get>
  void Match(const Get& get, int64_t begin, int64_t count, uint8_t* out) const {
    switch (way_) {
      case Way::kConstant:
        std::memset(out, negated_, static_cast<size_t>(count));
        return;
      case Way::kPoint: {
        const std::string_view point = *points_.begin();
        for (int64_t i = 0; i < count; ++i) out[i] = (get(begin + i) == point) != negated_;
        return;
      }
      case Way::kPoints:
        for (int64_t i = 0; i < count; ++i) {
          const std::string_view value = get(begin + i);
          const bool is_point = filter_.MayHold(EndsHash(value)) && points_.contains(value);
          out[i] = is_point != negated_;
        }
        return;
      case Way::kPrefix: {
        const std::string_view prefix = keys_.intervals()[0].begin;
        for (int64_t i = 0; i < count; ++i) out[i] = get(begin + i).starts_with(prefix);
        return;
      }
      case Way::kInterval: {
        const std::string_view low = keys_.intervals()[0].begin;
        const bool has_end = keys_.intervals()[0].end.has_value();
        const std::string_view end = has_end ? std::string_view(*keys_.intervals()[0].end) : std::string_view();
        for (int64_t i = 0; i < count; ++i) {
          const std::string_view value = get(begin + i);
          out[i] = low <= value && (!has_end || value < end);
        }
        return;
      }
      case Way::kSearch:
        for (int64_t i = 0; i < count; ++i) out[i] = keys_.Contains(get(begin + i));
        return;
    }
  }

 private:
  enum class Way { kConstant, kPoint, kPoints, kPrefix, kInterval, kSearch };

  // False when `keys` holds more than points. The views point into `keys`.
  bool TakePoints(const Texts& keys) {
    const auto& intervals = keys.intervals();
    if (!std::all_of(intervals.begin(), intervals.end(), [](const auto& i) { return i.is_point(); })) return false;
    points_.reserve(intervals.size());
    filter_ = MissFilter(intervals.size());
    for (const Interval<std::string>& interval : intervals) {
      points_.insert(interval.begin);
      filter_.Add(EndsHash(interval.begin));
    }
    way_ = points_.size() == 1 ? Way::kPoint : Way::kPoints;
    return true;
  }

  // Whether the interval holds the texts that start with its begin: ['ab', 'ac').
  static bool IsPrefix(const Interval<std::string>& interval) {
    std::string next = interval.begin;
    if (next.empty() || next.back() == '\xff' || !interval.end) return false;
    next.back() = static_cast<char>(static_cast<unsigned char>(next.back()) + 1);
    return *interval.end == next;
  }

  const Texts& keys_;
  const Texts complement_;
  std::unordered_set<std::string_view> points_;
  MissFilter filter_;  // of points_
  Way way_ = Way::kSearch;
  bool negated_ = false;
};

template <typename Offset>
struct OffsetGet {
  const Offset* offsets;
  const char* bytes;
  std::string_view operator()(int64_t row) const {
    return {bytes + offsets[row], static_cast<size_t>(offsets[row + 1] - offsets[row])};
  }
};

struct ViewGet {
  const arrow::BinaryViewArray* array;
  std::string_view operator()(int64_t row) const {
    // The view of a null row may point anywhere.
    return array->IsNull(row) ? std::string_view() : array->GetView(row);
  }
};

struct FixedGet {
  const char* bytes;
  size_t width;
  std::string_view operator()(int64_t row) const { return {bytes + static_cast<size_t>(row) * width, width}; }
};

// Decimals of more than 38 digits; see WideDecimalKey. Each view is valid until the next call.
struct WideDecimalGet {
  const uint8_t* bytes;
  mutable std::array<char, 32> key{};
  std::string_view operator()(int64_t row) const {
    std::reverse_copy(bytes + 32 * row, bytes + 32 * row + 32, key.begin());  // Arrow's values are little-endian
    key[0] = static_cast<char>(key[0] ^ 0x80);
    return {key.data(), key.size()};
  }
};

template <typename Get>
class BytesMatcher : public ValueMatcher {
 public:
  BytesMatcher(const Leaf& leaf, Get get) : leaf_(leaf), get_(get), probe_(std::get<Texts>(leaf.keys)) {}

  void Match(int64_t begin, int64_t count, uint8_t* out) override {
    probe_.Match(get_, begin, count, out);
    if (leaf_.is_exact()) return;
    // The keys were the cheap test; the pattern decides among what they let through.
    for (int64_t i = 0; i < count; ++i) {
      if (out[i] != 0) out[i] = leaf_.pattern->Matches(get_(begin + i)) != leaf_.pattern_negated;
    }
  }

 private:
  const Leaf& leaf_;
  Get get_;
  BytesProbe probe_;
};

template <typename Get>
std::unique_ptr<ValueMatcher> Make(const Leaf& leaf, Get get) {
  return std::make_unique<BytesMatcher<Get>>(leaf, get);
}

template <typename ArrayType>
std::unique_ptr<ValueMatcher> MakeOffsets(const Leaf& leaf, const arrow::Array& array) {
  const auto& binary = static_cast<const ArrayType&>(array);
  const auto* bytes = reinterpret_cast<const char*>(binary.raw_data());
  return Make(leaf, OffsetGet<typename ArrayType::offset_type>{binary.raw_value_offsets(), bytes});
}

}  // namespace

MatcherResult MakeBytesMatcher(const Leaf& leaf, const ColumnType& type, const arrow::Array& array) {
  if (type.kind == TypeKind::kDecimal) {
    if (array.type_id() != arrow::Type::DECIMAL256 ||
        static_cast<const arrow::DecimalType&>(*array.type()).scale() != type.scale) {
      return ArrayDoesNotFit(type, array);
    }
    return Make(leaf, WideDecimalGet{static_cast<const arrow::FixedSizeBinaryArray&>(array).raw_values()});
  }
  switch (array.type_id()) {
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return MakeOffsets<arrow::BinaryArray>(leaf, array);
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
      return MakeOffsets<arrow::LargeBinaryArray>(leaf, array);
    case arrow::Type::STRING_VIEW:
    case arrow::Type::BINARY_VIEW:
      return Make(leaf, ViewGet{static_cast<const arrow::BinaryViewArray*>(&array)});
    case arrow::Type::FIXED_SIZE_BINARY: {
      const auto& fixed = static_cast<const arrow::FixedSizeBinaryArray&>(array);
      const int width = type.kind == TypeKind::kUuid ? 16 : type.byte_width;
      const bool has_width = type.kind == TypeKind::kUuid || type.kind == TypeKind::kFixed;
      if (has_width && fixed.byte_width() != width) return ArrayDoesNotFit(type, array);
      return Make(leaf,
                  FixedGet{reinterpret_cast<const char*>(fixed.raw_values()), static_cast<size_t>(fixed.byte_width())});
    }
    default:
      return ArrayDoesNotFit(type, array);
  }
}

}  // namespace frazil::expr
