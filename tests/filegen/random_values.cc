// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "tests/filegen/bounds.h"
#include "tests/filegen/column_data.h"
#include "tests/filegen/random_table.h"

namespace frazil::filegen {

namespace {

using ::parquet::Type;

constexpr int64_t kNanosPerDay = 86'400'000'000'000;
constexpr int64_t kJulianDayOf1970 = 2'440'588;

// The value cut to `bit_width` bits and extended again.
int64_t Wrap(int64_t value, int bit_width, bool is_signed) {
  if (bit_width == 64) return value;
  int shift = 64 - bit_width;
  auto shifted = static_cast<uint64_t>(value) << shift;
  return is_signed ? static_cast<int64_t>(shifted) >> shift : static_cast<int64_t>(shifted >> shift);
}

int64_t RandomInteger(Random& random, Spread spread, int bit_width, bool is_signed) {
  int64_t value = 0;
  if (spread == Spread::kFew) {
    value = random.Below(6) - 1;
  } else if (spread == Spread::kNarrow) {
    value = random.Below(1000) - 100;
  } else if (random.Percent(10)) {
    value = random.Pick({std::numeric_limits<int64_t>::min() >> (64 - bit_width),
                         std::numeric_limits<int64_t>::max() >> (64 - bit_width), int64_t{0}, int64_t{-1}});
  } else {
    value = static_cast<int64_t>(random.Bits());
  }
  return Wrap(value, bit_width, is_signed);
}

int64_t UnitsPerDay(TimeUnit unit) {
  return kNanosPerDay / (unit == TimeUnit::kMilli ? 1'000'000 : unit == TimeUnit::kMicro ? 1'000 : 1);
}

// The integer of INT32 and INT64 leaves.
int64_t RandomIntegerOf(Random& random, const Node& leaf, Spread spread) {
  const Annotation& annotation = leaf.annotation;
  int physical_bits = *leaf.physical == Type::INT32 ? 32 : 64;
  switch (annotation.kind) {
    case Annotation::Kind::kInt:
      return RandomInteger(random, spread, annotation.bit_width, annotation.is_signed);
    case Annotation::Kind::kDate:
      return spread == Spread::kWide ? random.Between(-700'000, 2'900'000)
                                     : 19'000 + RandomInteger(random, spread, 32, true);
    case Annotation::Kind::kTime: {
      int64_t day = UnitsPerDay(annotation.unit);
      if (spread != Spread::kWide) return day / 2 + RandomInteger(random, spread, 32, true);
      return random.Percent(10) ? random.Pick({int64_t{0}, day - 1}) : random.Below(day);
    }
    case Annotation::Kind::kTimestamp:
      if (spread == Spread::kWide) return RandomInteger(random, spread, 64, true);
      return 19'800 * UnitsPerDay(annotation.unit) + RandomInteger(random, spread, 32, true);
    case Annotation::Kind::kDecimal: {
      int64_t limit = 1;
      for (int32_t i = 0; i < annotation.precision; ++i) limit *= 10;
      return (spread == Spread::kWide ? static_cast<int64_t>(random.Bits() >> 1)
                                      : RandomInteger(random, spread, 32, true)) %
             limit;
    }
    default:
      return RandomInteger(random, spread, physical_bits, true);
  }
}

// Two's complement big-endian bytes; in FIXED leaves of the leaf's length, else of any sufficient length.
std::string RandomDecimalBytes(Random& random, const Node& leaf, Spread spread) {
  int32_t precision = leaf.annotation.precision;
  // Signed integers of so many bytes have at most `precision` digits.
  int64_t bytes_max = std::max<int64_t>(1, static_cast<int64_t>(precision * 0.4152));
  int64_t byte_count = spread == Spread::kWide ? random.Between(1, bytes_max) : 1;
  std::string bytes;
  for (int64_t i = 0; i < byte_count; ++i) bytes.push_back(static_cast<char>(random.Bits()));
  if (spread == Spread::kFew || precision < 3) bytes[0] = static_cast<char>(random.Between(-3, 3));
  auto width_max = static_cast<int64_t>(precision > 38 ? 32 : 16);
  int64_t width = *leaf.physical == Type::FIXED_LEN_BYTE_ARRAY ? leaf.type_length
                  : random.Percent(70)                         ? byte_count
                                                               : random.Between(byte_count, width_max);
  char fill = (bytes[0] & 0x80) != 0 ? '\xFF' : '\0';
  return std::string(static_cast<size_t>(width - byte_count), fill) + bytes;
}

// Characters of every length, next to the borders where a bound that is rounded up must carry.
std::string RandomText(Random& random, Spread spread) {
  static const std::vector<std::string> kCharacters = {"a",
                                                       "b",
                                                       "z",
                                                       " ",
                                                       "\x7F",
                                                       "\xC3\xA9",
                                                       "\xDF\xBF",
                                                       "\xE6\xBC\xA2",
                                                       "\xED\x9F\xBF",
                                                       "\xEF\xBF\xBF",
                                                       "\xF0\x9F\x98\x80",
                                                       "\xF4\x8F\xBF\xBF"};
  if (spread == Spread::kFew) return "value " + std::to_string(random.Below(5));
  std::string text = spread == Spread::kNarrow ? "common prefix " : "";
  int64_t length = random.Percent(3) ? random.Between(50, 200) : random.Below(12);
  for (int64_t i = 0; i < length; ++i) text += random.Pick(kCharacters);
  return text;
}

std::string RandomBytes(Random& random, Spread spread, int64_t length) {
  std::string bytes;
  for (int64_t i = 0; i < length; ++i) {
    bool is_fixed_part = spread != Spread::kWide && i + 2 < length;
    uint64_t bits = random.Bits();
    if (spread == Spread::kFew) bits %= 2;
    bytes.push_back(is_fixed_part ? '\x10' : random.Percent(30) ? '\xFF' : static_cast<char>(bits));
  }
  return bytes;
}

std::string RandomHalf(Random& random, Spread spread, bool nan) {
  auto bits = static_cast<uint16_t>(random.Bits());
  if (spread == Spread::kFew) bits = random.Pick<uint16_t>({0x0000, 0x8000, 0x3C00, 0xBC00, 0x7E00, 0xFE00});
  if (spread == Spread::kNarrow) bits = static_cast<uint16_t>(0x3C00 + random.Below(200));
  if (!nan && (bits & 0x7C00) == 0x7C00) bits = static_cast<uint16_t>(bits & 0xFC00);  // an infinity
  return {static_cast<char>(bits), static_cast<char>(bits >> 8)};
}

template <typename T, typename BitsType>
T RandomFloat(Random& random, Spread spread, bool nan) {
  T value = std::bit_cast<T>(static_cast<BitsType>(random.Bits()));
  T not_a_number = std::numeric_limits<T>::quiet_NaN();
  T infinity = std::numeric_limits<T>::infinity();
  if (spread == Spread::kFew || (spread == Spread::kWide && random.Percent(20))) {
    value = random.Pick({T{0}, -T{0}, T{1}, T{-1.5}, infinity, -infinity, not_a_number, -not_a_number});
  } else if (spread == Spread::kNarrow) {
    value = static_cast<T>(random.Below(1000)) / 8 - 10;
  }
  return std::isnan(value) && !nan ? T{0.25} : value;
}

Int96 RandomInt96(Random& random, Spread spread) {
  // 1700 to 2240: what fits into 64 bits of nanoseconds.
  int64_t days = spread == Spread::kWide ? random.Between(-98'000, 98'000) : 19'800 + random.Below(3);
  int64_t nanos = spread == Spread::kFew ? random.Below(3) : random.Below(kNanosPerDay);
  auto unsigned_nanos = static_cast<uint64_t>(nanos);
  return {{static_cast<uint32_t>(unsigned_nanos), static_cast<uint32_t>(unsigned_nanos >> 32),
           static_cast<uint32_t>(days + kJulianDayOf1970)}};
}

std::string RandomBytesOf(Random& random, const Node& leaf, Spread spread, bool nan) {
  switch (leaf.annotation.kind) {
    case Annotation::Kind::kDecimal:
      return RandomDecimalBytes(random, leaf, spread);
    case Annotation::Kind::kFloat16:
      return RandomHalf(random, spread, nan);
    case Annotation::Kind::kJson:
      return "\"" + RandomText(random, spread) + "\"";
    case Annotation::Kind::kString:
    case Annotation::Kind::kEnum:
      return RandomText(random, spread);
    default: {
      bool is_fixed = *leaf.physical == Type::FIXED_LEN_BYTE_ARRAY;
      return RandomBytes(random, spread, is_fixed ? leaf.type_length : random.Below(10));
    }
  }
}

}  // namespace

Value RandomScalar(Random& random, const Node& leaf, Spread spread, bool nan) {
  switch (*leaf.physical) {
    case Type::BOOLEAN:
      return Value(random.Percent(spread == Spread::kFew ? 95 : 50));
    case Type::INT32:
      return Value(static_cast<int32_t>(RandomIntegerOf(random, leaf, spread)));
    case Type::INT64:
      return Value(RandomIntegerOf(random, leaf, spread));
    case Type::INT96:
      return Value(RandomInt96(random, spread));
    case Type::FLOAT:
      return Value(RandomFloat<float, uint32_t>(random, spread, nan));
    case Type::DOUBLE:
      return Value(RandomFloat<double, uint64_t>(random, spread, nan));
    default:
      return Value(RandomBytesOf(random, leaf, spread, nan));
  }
}

}  // namespace frazil::filegen
