// SPDX-License-Identifier: Apache-2.0
#include "tests/filegen/bounds.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstring>

#include <arrow/util/float16.h>

namespace frazil::filegen {

namespace {

template <typename T>
T Load(std::string_view bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

template <typename T>
int Order(T a, T b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

template <typename T>
int CompareAs(std::string_view a, std::string_view b) {
  return Order(Load<T>(a), Load<T>(b));
}

// `sign` is the sign bit of the unsigned form.
template <typename Unsigned>
int CompareTotal(std::string_view a, std::string_view b) {
  constexpr Unsigned kSign = static_cast<Unsigned>(Unsigned{1} << (sizeof(Unsigned) * 8 - 1));
  auto key = [](Unsigned bits) {
    return static_cast<Unsigned>((bits & kSign) != 0 ? static_cast<Unsigned>(~bits) : (bits | kSign));
  };
  return Order(key(Load<Unsigned>(a)), key(Load<Unsigned>(b)));
}

float HalfToFloat(std::string_view bytes) { return ::arrow::util::Float16::FromBits(Load<uint16_t>(bytes)).ToFloat(); }

int CompareSignedBytes(std::string_view a, std::string_view b) {
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i] != b[i]) return Order(static_cast<int8_t>(a[i]), static_cast<int8_t>(b[i]));
  }
  return Order(a.size(), b.size());
}

// Two's complement integers; an empty one is 0.
int CompareBigEndian(std::string_view a, std::string_view b) {
  size_t width = std::max({a.size(), b.size(), size_t{1}});
  auto extended = [width](std::string_view bytes) {
    char fill = !bytes.empty() && (bytes[0] & 0x80) != 0 ? '\xFF' : '\0';
    std::string wide(width - bytes.size(), fill);
    wide.append(bytes);
    wide[0] = static_cast<char>(wide[0] ^ 0x80);
    return wide;
  };
  return extended(a).compare(extended(b));
}

int CompareInt96(std::string_view a, std::string_view b) {
  int days = Order(Load<int32_t>(a.substr(8)), Load<int32_t>(b.substr(8)));
  return days != 0 ? days : CompareAs<int64_t>(a, b);
}

// The zeros that a bound is widened to; others stay.
void WidenZero(SortOrder order, bool is_max, std::string* bound) {
  bool is_zero = (order == SortOrder::kFloat && Load<float>(*bound) == 0) ||
                 (order == SortOrder::kDouble && Load<double>(*bound) == 0) ||
                 (order == SortOrder::kFloat16 && HalfToFloat(*bound) == 0);
  if (!is_zero) return;
  std::fill(bound->begin(), bound->end(), '\0');
  if (!is_max) bound->back() = '\x80';
}

bool IsText(const Node& leaf) {
  auto kind = leaf.annotation.kind;
  return kind == Annotation::Kind::kString || kind == Annotation::Kind::kEnum || kind == Annotation::Kind::kJson;
}

// The start of the character that holds byte `position`.
size_t CharacterStart(std::string_view text, size_t position) {
  while (position > 0 && (text[position] & 0xC0) == 0x80) --position;
  return position;
}

// The next code point in as many bytes, or false when there is none. Steps over the surrogates.
bool RaiseCharacter(std::string* character) {
  if (character->size() == 3 && *character == "\xED\x9F\xBF") {
    *character = "\xEE\x80\x80";
    return true;
  }
  if (character->size() == 4 && *character == "\xF4\x8F\xBF\xBF") return false;
  for (size_t i = character->size(); i-- > 1;) {
    auto byte = static_cast<uint8_t>((*character)[i]);
    if (byte < 0xBF) {
      (*character)[i] = static_cast<char>(byte + 1);
      return true;
    }
    (*character)[i] = '\x80';
  }
  auto lead = static_cast<uint8_t>((*character)[0]);
  uint8_t lead_max = character->size() == 1   ? 0x7F
                     : character->size() == 2 ? 0xDF
                     : character->size() == 3 ? 0xEF
                                              : 0xF4;
  if (lead >= lead_max) return false;
  (*character)[0] = static_cast<char>(lead + 1);
  return true;
}

}  // namespace

SortOrder OrderOf(const Node& leaf) {
  using Kind = Annotation::Kind;
  Kind kind = leaf.annotation.kind;
  bool is_unsigned = kind == Kind::kInt && !leaf.annotation.is_signed;
  if (kind == Kind::kInterval || kind == Kind::kNull) return SortOrder::kNone;
  switch (*leaf.physical) {
    case ::parquet::Type::BOOLEAN:
      return SortOrder::kBool;
    case ::parquet::Type::INT32:
      return is_unsigned ? SortOrder::kUInt32 : SortOrder::kInt32;
    case ::parquet::Type::INT64:
      return is_unsigned ? SortOrder::kUInt64 : SortOrder::kInt64;
    case ::parquet::Type::INT96:
      return leaf.order == ColumnOrderKind::kInt96Timestamp ? SortOrder::kInt96 : SortOrder::kNone;
    case ::parquet::Type::FLOAT:
      return SortOrder::kFloat;
    case ::parquet::Type::DOUBLE:
      return SortOrder::kDouble;
    default:
      return kind == Kind::kDecimal   ? SortOrder::kBigEndian
             : kind == Kind::kFloat16 ? SortOrder::kFloat16
                                      : SortOrder::kBytes;
  }
}

SortOrder LegacyOrderOf(const Node& leaf) {
  SortOrder order = OrderOf(leaf);
  if (order == SortOrder::kUInt32) return SortOrder::kInt32;
  if (order == SortOrder::kUInt64) return SortOrder::kInt64;
  return order == SortOrder::kBytes ? SortOrder::kSignedBytes : order;
}

bool IsFloating(const Node& leaf) {
  SortOrder order = OrderOf(leaf);
  return order == SortOrder::kFloat16 || order == SortOrder::kFloat || order == SortOrder::kDouble;
}

int CompareBounds(SortOrder order, bool ieee, std::string_view a, std::string_view b) {
  switch (order) {
    case SortOrder::kNone:
      return 0;
    case SortOrder::kBool:
      return CompareAs<uint8_t>(a, b);
    case SortOrder::kInt32:
      return CompareAs<int32_t>(a, b);
    case SortOrder::kUInt32:
      return CompareAs<uint32_t>(a, b);
    case SortOrder::kInt64:
      return CompareAs<int64_t>(a, b);
    case SortOrder::kUInt64:
      return CompareAs<uint64_t>(a, b);
    case SortOrder::kFloat16:
      return ieee ? CompareTotal<uint16_t>(a, b) : Order(HalfToFloat(a), HalfToFloat(b));
    case SortOrder::kFloat:
      return ieee ? CompareTotal<uint32_t>(a, b) : CompareAs<float>(a, b);
    case SortOrder::kDouble:
      return ieee ? CompareTotal<uint64_t>(a, b) : CompareAs<double>(a, b);
    case SortOrder::kBytes:
      return a.compare(b);
    case SortOrder::kSignedBytes:
      return CompareSignedBytes(a, b);
    case SortOrder::kBigEndian:
      return CompareBigEndian(a, b);
    case SortOrder::kInt96:
      return CompareInt96(a, b);
  }
  return 0;
}

bool IsNan(SortOrder order, std::string_view value) {
  if (order == SortOrder::kFloat) return std::isnan(Load<float>(value));
  if (order == SortOrder::kDouble) return std::isnan(Load<double>(value));
  return order == SortOrder::kFloat16 && std::isnan(HalfToFloat(value));
}

BoundsOfValues ComputeBounds(SortOrder order, bool ieee, NanPolicy nan, const ValueVector& values, int64_t begin,
                             int64_t end) {
  BoundsOfValues result;
  std::optional<std::string_view> min, max, nan_min, nan_max;
  auto widen = [order, ieee](std::string_view value, std::optional<std::string_view>* low,
                             std::optional<std::string_view>* high, bool total) {
    if (!*low || CompareBounds(order, ieee || total, value, **low) < 0) *low = value;
    if (!*high || CompareBounds(order, ieee || total, value, **high) > 0) *high = value;
  };
  if (order == SortOrder::kNone) return result;
  for (int64_t i = begin; i < end; ++i) {
    std::string_view value = PlainView(values, i);
    if (IsNan(order, value)) {
      ++result.nan_count;
      widen(value, &nan_min, &nan_max, true);
    } else {
      widen(value, &min, &max, false);
    }
  }
  result.only_nan = result.nan_count > 0 && !min;
  if (min) {
    result.bounds = Bounds{std::string(*min), std::string(*max)};
    if (!ieee) WidenZero(order, false, &result.bounds->min);
    if (!ieee) WidenZero(order, true, &result.bounds->max);
  }
  if (result.nan_count == 0) return result;
  if (nan == NanPolicy::kPoison || (result.only_nan && (ieee || nan == NanPolicy::kGreatest))) {
    result.bounds = Bounds{std::string(*nan_min), std::string(*nan_max)};
  } else if (nan == NanPolicy::kGreatest) {
    result.bounds->max = std::string(*nan_max);
  }
  return result;
}

bool MayTruncate(const Node& leaf) {
  return *leaf.physical == ::parquet::Type::BYTE_ARRAY && OrderOf(leaf) == SortOrder::kBytes;
}

std::string TruncateMin(const Node& leaf, const std::string& value, int bytes_max) {
  if (!MayTruncate(leaf) || value.size() <= static_cast<size_t>(bytes_max)) return value;
  size_t cut = static_cast<size_t>(bytes_max);
  return value.substr(0, IsText(leaf) ? CharacterStart(value, cut) : cut);
}

std::string TruncateMax(const Node& leaf, const std::string& value, int bytes_max) {
  if (!MayTruncate(leaf) || value.size() <= static_cast<size_t>(bytes_max)) return value;
  std::string prefix = TruncateMin(leaf, value, bytes_max);
  while (!prefix.empty()) {
    if (!IsText(leaf)) {
      auto last = static_cast<uint8_t>(prefix.back());
      if (last != 0xFF) {
        prefix.back() = static_cast<char>(last + 1);
        return prefix;
      }
      prefix.pop_back();
      continue;
    }
    size_t start = CharacterStart(prefix, prefix.size() - 1);
    std::string character = prefix.substr(start);
    prefix.resize(start);
    if (RaiseCharacter(&character)) return prefix + character;
  }
  return value;
}

}  // namespace frazil::filegen
