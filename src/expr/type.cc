// SPDX-License-Identifier: Apache-2.0
#include "src/expr/type.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "src/base/text.h"
#include "src/expr/datetime.h"

namespace frazil::expr {
namespace {

// IEEE 754 magnitudes order like integers; only the sign needs care. Bits in, key out, for any width. `infinity`
// is the bit pattern above which only NaNs lie.
template <typename Signed, typename Unsigned>
Signed KeyOfBits(Unsigned bits, Unsigned infinity) {
  constexpr auto kMagnitudeMask = static_cast<Unsigned>(std::numeric_limits<Signed>::max());
  const auto magnitude = static_cast<Unsigned>(bits & kMagnitudeMask);
  if (magnitude > infinity) return std::numeric_limits<Signed>::max();
  return bits == magnitude ? static_cast<Signed>(magnitude) : static_cast<Signed>(-static_cast<Signed>(magnitude));
}

template <typename Signed, typename Unsigned>
Unsigned BitsOfKey(Signed key, Unsigned quiet_nan) {
  constexpr auto kSign = static_cast<Unsigned>(Unsigned{1} << (sizeof(Unsigned) * 8 - 1));
  if (key == std::numeric_limits<Signed>::max()) return quiet_nan;
  // Unsigned arithmetic: the negative of the least key is itself, never an overflow.
  if (key < 0) return static_cast<Unsigned>(kSign | static_cast<Unsigned>(Unsigned{0} - static_cast<Unsigned>(key)));
  return static_cast<Unsigned>(key);
}

float FloatOfHalf(uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int mantissa = bits & 1023;
  float magnitude = 0;
  if (exponent == 31) {
    magnitude = mantissa == 0 ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<float>(mantissa), -24);
  } else {
    magnitude = std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

template <typename T>
std::string FloatToString(T value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  std::array<char, 64> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
  return std::string(text.data(), end.ptr);
}

// The shortest text that reads back to the half, not to the float of the same value: 0.1, not 0.099975586.
std::string HalfToString(uint16_t bits) {
  const float value = FloatOfHalf(bits);
  if (!std::isfinite(value)) return FloatToString(value);
  std::array<char, 64> text;
  for (int precision = 1; precision <= 5; ++precision) {
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, precision);
    float back = 0;
    std::from_chars(text.data(), end.ptr, back);
    // Nearer to this half than to its neighbours: within half a unit in the last place.
    const auto next = static_cast<uint16_t>(bits + 1);
    const float gap = std::abs(FloatOfHalf((next & 0x7FFF) < 0x7C00 ? next : static_cast<uint16_t>(bits - 1)) - value);
    // The gap below a power of two is half as wide.
    const float reach = (bits & 1023) == 0 ? gap / 4 : gap / 2;
    if (std::abs(back - value) < reach) return std::string(text.data(), end.ptr);
  }
  return FloatToString(value);
}

// The point of a decimal, put into the digits of an integer.
std::string WithScale(std::string digits, int scale) {
  if (scale <= 0) return digits;
  const bool negative = !digits.empty() && digits[0] == '-';
  if (negative) digits.erase(0, 1);
  const auto width = static_cast<size_t>(scale);
  if (digits.size() <= width) digits.insert(0, width + 1 - digits.size(), '0');
  digits.insert(digits.size() - width, ".");
  return negative ? "-" + digits : digits;
}

// Decimal digits of a 32-byte WideDecimalKey.
std::string WideDecimalToString(std::string_view key) {
  std::array<uint8_t, 32> bytes;
  std::transform(key.begin(), key.end(), bytes.begin(), [](char c) { return static_cast<uint8_t>(c); });
  bytes[0] ^= 0x80;
  const bool negative = (bytes[0] & 0x80) != 0;
  if (negative) {
    unsigned carry = 1;
    for (size_t i = bytes.size(); i-- > 0;) {
      carry += static_cast<uint8_t>(~bytes[i]);
      bytes[i] = static_cast<uint8_t>(carry);
      carry >>= 8;
    }
  }
  std::string digits;  // least significant first
  while (std::any_of(bytes.begin(), bytes.end(), [](uint8_t byte) { return byte != 0; })) {
    unsigned remainder = 0;
    for (uint8_t& byte : bytes) {
      remainder = remainder << 8 | byte;
      byte = static_cast<uint8_t>(remainder / 10);
      remainder %= 10;
    }
    digits += static_cast<char>('0' + remainder);
  }
  if (digits.empty()) digits = "0";
  if (negative) digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::string HexBytes(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    out += HexDigit(static_cast<uint8_t>(c) >> 4);
    out += HexDigit(static_cast<uint8_t>(c) & 15);
  }
  return out;
}

std::string BytesToString(std::string_view bytes, size_t bytes_max) {
  const bool cut = bytes.size() > bytes_max;
  return "X'" + HexBytes(bytes.substr(0, bytes_max)) + (cut ? "...'" : "'");
}

std::string UuidToString(std::string_view bytes) {
  std::string text = HexBytes(bytes);
  for (const size_t at : {size_t{20}, size_t{16}, size_t{12}, size_t{8}}) text.insert(at, "-");
  return text;
}

std::string QuotedText(std::string_view text, size_t bytes_max) {
  std::string out = "'";
  for (const char c : Printable(text, bytes_max)) {
    out += c;
    if (c == '\'') out += c;
  }
  return out + "'";
}

std::string Int128KeyToString(Int128 key, const ColumnType& type) {
  const bool is_64_bits = key >= std::numeric_limits<int64_t>::min() && key <= std::numeric_limits<int64_t>::max();
  if (is_64_bits) {
    const auto value = static_cast<int64_t>(key);
    switch (type.kind) {
      case TypeKind::kBool:
        return value == 0 ? "FALSE" : "TRUE";
      case TypeKind::kFloat16:
        return HalfToString(HalfFromKey(static_cast<int16_t>(value)));
      case TypeKind::kFloat:
        return FloatToString(FloatFromKey(static_cast<int32_t>(value)));
      case TypeKind::kDouble:
        return FloatToString(DoubleFromKey(value));
      case TypeKind::kDate:
        return DateToString(value);
      case TypeKind::kTime:
        return TimeToString(value, type.unit);
      case TypeKind::kTimestamp:
        return TimestampToString(value, type.unit, type.utc);
      default:
        break;
    }
  }
  const std::string digits = Int128ToString(key);
  return type.kind == TypeKind::kDecimal ? WithScale(digits, type.scale) : digits;
}

const char* UnitName(TimeUnit unit) { return unit == TimeUnit::kMilli ? "ms" : unit == TimeUnit::kMicro ? "us" : "ns"; }

}  // namespace

std::string ColumnType::ToString() const {
  switch (kind) {
    case TypeKind::kBool:
      return "bool";
    case TypeKind::kInt:
      return "int" + std::to_string(bit_width);
    case TypeKind::kUInt:
      return "uint" + std::to_string(bit_width);
    case TypeKind::kFloat16:
      return "float16";
    case TypeKind::kFloat:
      return "float";
    case TypeKind::kDouble:
      return "double";
    case TypeKind::kDecimal:
      return "decimal(" + std::to_string(precision) + "," + std::to_string(scale) + ")";
    case TypeKind::kString:
      return "string";
    case TypeKind::kBinary:
      return "binary";
    case TypeKind::kFixed:
      return "fixed(" + std::to_string(byte_width) + ")";
    case TypeKind::kUuid:
      return "uuid";
    case TypeKind::kDate:
      return "date";
    case TypeKind::kTime:
      return std::string("time[") + UnitName(unit) + (utc ? ", UTC]" : "]");
    case TypeKind::kTimestamp:
      return std::string("timestamp[") + UnitName(unit) + (utc ? ", UTC]" : "]");
    case TypeKind::kGroup:
      return "group";
    case TypeKind::kUnsupported:
      break;
  }
  return "unsupported";
}

int64_t DoubleKey(double value) {
  return KeyOfBits<int64_t, uint64_t>(std::bit_cast<uint64_t>(value), 0x7FF0000000000000);
}

int32_t FloatKey(float value) { return KeyOfBits<int32_t, uint32_t>(std::bit_cast<uint32_t>(value), 0x7F800000); }

int16_t HalfKey(uint16_t bits) { return KeyOfBits<int16_t, uint16_t>(bits, 0x7C00); }

double DoubleFromKey(int64_t key) {
  return std::bit_cast<double>(BitsOfKey<int64_t, uint64_t>(key, 0x7FF8000000000000));
}

float FloatFromKey(int32_t key) { return std::bit_cast<float>(BitsOfKey<int32_t, uint32_t>(key, 0x7FC00000)); }

uint16_t HalfFromKey(int16_t key) { return BitsOfKey<int16_t, uint16_t>(key, 0x7E00); }

Int128 NanKey(const ColumnType& type) {
  switch (type.kind) {
    case TypeKind::kFloat16:
      return kNanKey16;
    case TypeKind::kFloat:
      return kNanKey32;
    default:
      return kNanKey64;
  }
}

std::string WideDecimalKey(std::string_view big_endian) {
  constexpr size_t kBytes = 32;
  const bool negative = !big_endian.empty() && (static_cast<uint8_t>(big_endian[0]) & 0x80) != 0;
  std::string key(kBytes - std::min(kBytes, big_endian.size()), negative ? '\xFF' : '\0');
  key += big_endian;
  key[0] = static_cast<char>(static_cast<uint8_t>(key[0]) ^ 0x80);
  return key;
}

std::string KeyToString(const Key& key, const ColumnType& type, int text_bytes_max) {
  if (const auto* number = std::get_if<Int128>(&key)) return Int128KeyToString(*number, type);
  const auto& bytes = std::get<std::string>(key);
  const auto bytes_max = static_cast<size_t>(std::max(0, text_bytes_max));
  if (type.kind == TypeKind::kString) return QuotedText(bytes, bytes_max);
  if (type.kind == TypeKind::kUuid && bytes.size() == 16) return UuidToString(bytes);
  if (type.kind == TypeKind::kDecimal && bytes.size() == 32) return WithScale(WideDecimalToString(bytes), type.scale);
  return BytesToString(bytes, bytes_max);
}

std::string Int128ToString(Int128 value) {
  // Unsigned, because the least number has no positive counterpart.
  UInt128 magnitude = static_cast<UInt128>(value);
  if (value < 0) magnitude = UInt128{0} - magnitude;
  std::string digits;
  do {
    digits += static_cast<char>('0' + static_cast<int>(magnitude % 10));
    magnitude /= 10;
  } while (magnitude != 0);
  if (value < 0) digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

}  // namespace frazil::expr
