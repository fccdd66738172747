// SPDX-License-Identifier: Apache-2.0
#include "src/prune/bloom.h"

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <variant>

#include "src/parquet/bloom_filter.h"

namespace frazil::prune {
namespace {

using expr::ColumnBounds;
using expr::ColumnType;
using expr::Int128;
using expr::Interval;
using expr::IntervalSet;
using expr::TypeKind;
using ::parquet::Type;

// Values of a range that are asked for one by one.
constexpr Int128 kRangeKeysMax = 32;

template <typename T>
uint64_t HashOf(T value) {
  return parquet::BloomHash({reinterpret_cast<const char*>(&value), sizeof(value)});  // little-endian, as this machine
}

// Whether the values of a column have one encoding each (zeros apart).
bool IsHashed(const ColumnType& type, int physical_type, int type_length) {
  switch (type.kind) {
    case TypeKind::kInt:
    case TypeKind::kUInt:
    case TypeKind::kDate:
    case TypeKind::kTime:
    case TypeKind::kTimestamp:
      return physical_type == Type::INT32 || physical_type == Type::INT64;
    case TypeKind::kFloat16:
      return physical_type == Type::FIXED_LEN_BYTE_ARRAY && type_length == 2;
    case TypeKind::kFloat:
      return physical_type == Type::FLOAT;
    case TypeKind::kDouble:
      return physical_type == Type::DOUBLE;
    case TypeKind::kDecimal:
      return physical_type == Type::INT32 || physical_type == Type::INT64 ||
             (physical_type == Type::FIXED_LEN_BYTE_ARRAY && type_length > 0 && type_length <= 32);
    case TypeKind::kString:
    case TypeKind::kBinary:
    case TypeKind::kFixed:
    case TypeKind::kUuid:
      return physical_type == Type::BYTE_ARRAY || physical_type == Type::FIXED_LEN_BYTE_ARRAY;
    default:
      return false;
  }
}

// The bounds as keys of one space; unset where there are none, or where they contradict themselves.
template <typename K>
std::pair<const K*, const K*> BoundsOf(const ColumnBounds& bounds) {
  const K* min = bounds.min ? std::get_if<K>(&*bounds.min) : nullptr;
  const K* max = bounds.max ? std::get_if<K>(&*bounds.max) : nullptr;
  if (min != nullptr && max != nullptr && *max < *min) return {nullptr, nullptr};
  return {min, max};
}

// Big-endian two's complement in `width` bytes; empty when it does not fit.
std::string BigEndian(Int128 value, int width) {
  std::string bytes(static_cast<size_t>(width), '\0');
  for (size_t i = bytes.size(); i-- > 0;) {
    bytes[i] = static_cast<char>(value & 0xff);
    value >>= 8;  // arithmetic: ends as the sign
  }
  const bool negative = (static_cast<uint8_t>(bytes[0]) & 0x80) != 0;
  return value == (negative ? -1 : 0) ? bytes : "";
}

// WideDecimalKey's 32 bytes as `width` bytes of big-endian two's complement; empty when they do not fit.
std::string NarrowDecimal(std::string_view key, int width) {
  if (key.size() != 32) return "";
  std::string bytes(key);
  bytes[0] = static_cast<char>(static_cast<uint8_t>(bytes[0]) ^ 0x80U);
  const size_t cut = 32 - static_cast<size_t>(width);
  const char fill = (static_cast<uint8_t>(bytes[cut]) & 0x80) != 0 ? '\xff' : '\0';
  const bool fits = std::all_of(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(cut),
                                [fill](char byte) { return byte == fill; });
  return fits ? bytes.substr(cut) : "";
}

}  // namespace

std::optional<BloomQuestion> BloomQuestion::Make(const expr::Leaf& leaf, const ColumnType& type,
                                                 const ::parquet::ColumnDescriptor& column) {
  const int length = column.physical_type() == Type::FIXED_LEN_BYTE_ARRAY ? column.type_length() : 0;
  if (!IsHashed(type, column.physical_type(), length)) return std::nullopt;
  // The leaf's keys are of the space that the type compares in, or it asks for nulls alone.
  if (std::holds_alternative<IntervalSet<std::string>>(leaf.keys) != type.has_byte_keys()) return std::nullopt;
  return BloomQuestion(leaf, type, column.physical_type(), length);
}

std::optional<std::vector<uint64_t>> BloomQuestion::HashesWithin(const ColumnBounds& bounds) const {
  if (leaf_->matches_null && bounds.null_count != 0) return std::nullopt;
  std::vector<uint64_t> hashes;
  const bool told = std::visit([&](const auto& keys) { return AppendWithin(keys, bounds, &hashes); }, leaf_->keys);
  if (!told) return std::nullopt;
  return hashes;
}

bool BloomQuestion::AppendWithin(const IntervalSet<Int128>& keys, const ColumnBounds& bounds,
                                 std::vector<uint64_t>* hashes) const {
  auto [min, max] = BoundsOf<Int128>(bounds);
  Int128 low = expr::KeyTraits<Int128>::kLeast;
  std::optional<Int128> high;  // the greatest that is allowed
  if (type_.is_floating()) {
    const Int128 nan = expr::NanKey(type_);
    if (keys.Contains(nan) && bounds.nan_count != 0) return false;
    if (min != nullptr && *min >= nan) min = nullptr;
    if (max != nullptr && *max >= nan) max = nullptr;
    high = nan - 1;
  }
  if (min != nullptr) low = *min;
  if (max != nullptr) high = *max;
  const auto& intervals = keys.intervals();
  auto interval = std::partition_point(intervals.begin(), intervals.end(),
                                       [low](const auto& other) { return other.end && *other.end <= low; });
  for (; interval != intervals.end() && (!high || interval->begin <= *high); ++interval) {
    const Int128 begin = std::max(interval->begin, low);
    if (!interval->end && !high) return false;
    const Int128 last = !interval->end ? *high : (high ? std::min(*interval->end - 1, *high) : *interval->end - 1);
    // The difference of two keys may not fit: it is asked whether few lie between without taking it.
    if (begin <= last - kRangeKeysMax && last > expr::KeyTraits<Int128>::kLeast + kRangeKeysMax) return false;
    if (last <= expr::KeyTraits<Int128>::kLeast + kRangeKeysMax) return false;
    for (Int128 key = begin; key <= last; ++key) AppendKey(key, hashes);
  }
  return true;
}

bool BloomQuestion::AppendWithin(const IntervalSet<std::string>& keys, const ColumnBounds& bounds,
                                 std::vector<uint64_t>* hashes) const {
  const auto [min, max] = BoundsOf<std::string>(bounds);
  const auto& intervals = keys.intervals();
  auto interval = intervals.begin();
  if (min != nullptr) {
    interval = std::partition_point(interval, intervals.end(),
                                    [min = min](const auto& other) { return other.end && *other.end <= *min; });
  }
  for (; interval != intervals.end() && (max == nullptr || interval->begin <= *max); ++interval) {
    const std::string& begin = min != nullptr && *min > interval->begin ? *min : interval->begin;
    // A single value, by itself or because the bounds leave no other.
    if (!interval->is_point() && (max == nullptr || begin != *max)) return false;
    AppendKey(std::string_view(begin), hashes);
  }
  return true;
}

void BloomQuestion::AppendKey(Int128 key, std::vector<uint64_t>* hashes) const {
  switch (type_.kind) {
    case TypeKind::kFloat16: {
      const uint16_t bits = expr::HalfFromKey(static_cast<int16_t>(key));
      hashes->push_back(HashOf(bits));
      if (key == 0) hashes->push_back(HashOf(static_cast<uint16_t>(bits ^ 0x8000U)));
      return;
    }
    case TypeKind::kFloat: {
      const float value = expr::FloatFromKey(static_cast<int32_t>(key));
      hashes->push_back(HashOf(value));
      if (key == 0) hashes->push_back(HashOf(-value));
      return;
    }
    case TypeKind::kDouble: {
      const double value = expr::DoubleFromKey(static_cast<int64_t>(key));
      hashes->push_back(HashOf(value));
      if (key == 0) hashes->push_back(HashOf(-value));
      return;
    }
    default:
      break;
  }
  if (physical_type_ == Type::FIXED_LEN_BYTE_ARRAY) {
    const std::string bytes = BigEndian(key, type_length_);
    if (!bytes.empty()) hashes->push_back(parquet::BloomHash(bytes));
    return;
  }
  const bool is_unsigned = type_.kind == TypeKind::kUInt;
  const int bits = physical_type_ == Type::INT32 ? 32 : 64;
  const Int128 least = is_unsigned ? Int128{0} : -(Int128{1} << (bits - 1));
  const Int128 end = Int128{1} << (is_unsigned ? bits : bits - 1);
  if (key < least || key >= end) return;
  if (bits == 32) {
    hashes->push_back(HashOf(static_cast<uint32_t>(key)));
  } else {
    hashes->push_back(HashOf(static_cast<uint64_t>(key)));
  }
}

void BloomQuestion::AppendKey(std::string_view key, std::vector<uint64_t>* hashes) const {
  if (type_.kind == TypeKind::kDecimal) {
    const std::string bytes = NarrowDecimal(key, type_length_);
    if (!bytes.empty()) hashes->push_back(parquet::BloomHash(bytes));
    return;
  }
  if (physical_type_ == Type::FIXED_LEN_BYTE_ARRAY && key.size() != static_cast<size_t>(type_length_)) return;
  hashes->push_back(parquet::BloomHash(key));
}

}  // namespace frazil::prune
