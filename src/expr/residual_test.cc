// SPDX-License-Identifier: Apache-2.0
//
// The row filter against a naive evaluator that turns each value into its key, one row at a time: random arrays of
// every type, plain, sliced, dictionary-encoded and as extension arrays; random key sets made from the values.
#include "src/expr/residual.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <random>

#include <arrow/api.h>
#include <gtest/gtest.h>

namespace frazil::expr {
namespace {

using Ints = IntervalSet<Int128>;
using Texts = IntervalSet<std::string>;
using Random = std::mt19937_64;
using ArrayPtr = std::shared_ptr<arrow::Array>;

// A column: its array, and the key of each row, null where the row is null.
struct Column {
  ColumnType type;
  ArrayPtr array;
  std::vector<std::optional<Key>> keys;
};

template <typename Builder, typename Value>
Column Build(ColumnType type, std::shared_ptr<arrow::DataType> arrow_type, int64_t rows, int null_percent,
             Random& random, const std::function<Value(Random&)>& draw, const std::function<Key(const Value&)>& key) {
  Builder builder(std::move(arrow_type), arrow::default_memory_pool());
  Column column{type, nullptr, {}};
  for (int64_t i = 0; i < rows; ++i) {
    if (static_cast<int>(random() % 100) < null_percent) {
      EXPECT_TRUE(builder.AppendNull().ok());
      column.keys.push_back(std::nullopt);
    } else {
      const Value value = draw(random);
      EXPECT_TRUE(builder.Append(value).ok());
      column.keys.push_back(key(value));
    }
  }
  column.array = builder.Finish().ValueOrDie();
  return column;
}

// Small numbers, and now and then the ends of the type.
template <typename T>
T DrawInt(Random& random) {
  switch (random() % 16) {
    case 0:
      return std::numeric_limits<T>::min();
    case 1:
      return std::numeric_limits<T>::max();
    default:
      return static_cast<T>(random() % 120);
  }
}

double DrawDouble(Random& random) {
  constexpr double kSpecial[] = {NAN, -NAN, 0.0, -0.0, INFINITY, -INFINITY, 5e-324, 1.0, -1.0};
  if (random() % 3 == 0) return kSpecial[random() % std::size(kSpecial)];
  return (static_cast<double>(random() % 200) - 100) / 4;
}

std::string DrawText(Random& random) {
  static const std::string kSpecial[] = {"", std::string(1, '\0'), "\xff", "\xff\xff", "a", std::string("a\0", 2)};
  if (random() % 4 == 0) return kSpecial[random() % std::size(kSpecial)];
  std::string text(random() % 20, 'a');
  for (char& c : text) c = static_cast<char>('a' + random() % 3);
  return text;
}

using Maker = std::function<Column(int64_t rows, int null_percent, Random& random)>;

template <typename ArrowType>
Maker IntMaker(ColumnType type, std::shared_ptr<arrow::DataType> arrow_type, int64_t divisor = 1, int64_t factor = 1) {
  using T = typename ArrowType::c_type;
  return [=](int64_t rows, int null_percent, Random& random) {
    return Build<typename arrow::TypeTraits<ArrowType>::BuilderType, T>(
        type, arrow_type, rows, null_percent, random, DrawInt<T>, [=](const T& value) -> Key {
          const Int128 wide = value;
          return (wide >= 0 ? wide / divisor : -((-wide + divisor - 1) / divisor)) * factor;
        });
  };
}

template <typename ArrowType>
Maker TextMaker(TypeKind kind) {
  return [=](int64_t rows, int null_percent, Random& random) {
    return Build<typename arrow::TypeTraits<ArrowType>::BuilderType, std::string>(
        {.kind = kind}, std::make_shared<ArrowType>(), rows, null_percent, random, DrawText,
        [](const std::string& value) -> Key { return value; });
  };
}

Maker FixedMaker(ColumnType type, int width) {
  return [=](int64_t rows, int null_percent, Random& random) {
    auto draw = [width](Random& r) {
      std::string bytes(static_cast<size_t>(width), '\0');
      for (char& c : bytes) c = static_cast<char>(r() % 2 ? 0x7f : 0x80);
      return bytes;
    };
    return Build<arrow::FixedSizeBinaryBuilder, std::string>(type, arrow::fixed_size_binary(width), rows, null_percent,
                                                             random, draw,
                                                             [](const std::string& value) -> Key { return value; });
  };
}

template <typename ArrowType, typename Value>
Maker DecimalMaker(int precision, int scale) {
  const ColumnType type{.kind = TypeKind::kDecimal, .precision = precision, .scale = scale};
  const bool wide = precision > 38;
  return [=](int64_t rows, int null_percent, Random& random) {
    auto draw = [precision](Random& r) {
      // Digits are drawn too, so that all lengths occur.
      Value value(static_cast<int64_t>(r() % 200) - 100);
      for (int digits = static_cast<int>(r() % static_cast<unsigned>(precision - 2)); digits > 0 && r() % 8; --digits) {
        if (digits + 3 <= precision) value *= Value(int64_t{10});
      }
      return value;
    };
    auto key = [wide](const Value& value) -> Key {
      const std::string digits = value.ToIntegerString();
      const auto exact = arrow::Decimal256::FromString(digits).ValueOrDie();
      if (!wide) {
        Int128 number = 0;
        for (const char c : digits) {
          if (c != '-') number = number * 10 + (c - '0');
        }
        return digits[0] == '-' ? -number : number;
      }
      std::string bytes(32, '\0');
      exact.ToBytes(reinterpret_cast<uint8_t*>(bytes.data()));
      std::reverse(bytes.begin(), bytes.end());
      return WideDecimalKey(bytes);
    };
    return Build<typename arrow::TypeTraits<ArrowType>::BuilderType, Value>(
        type, std::make_shared<ArrowType>(precision, scale), rows, null_percent, random, draw, key);
  };
}

std::vector<std::pair<std::string, Maker>> AllMakers() {
  using TU = arrow::TimeUnit;
  auto integer = [](TypeKind kind, int bits) { return ColumnType{.kind = kind, .bit_width = bits}; };
  auto time = [](TypeKind kind, TimeUnit unit) { return ColumnType{.kind = kind, .unit = unit}; };
  const auto kInt = TypeKind::kInt, kUInt = TypeKind::kUInt, kStamp = TypeKind::kTimestamp, kTime = TypeKind::kTime;
  std::vector<std::pair<std::string, Maker>> makers{
      {"int8", IntMaker<arrow::Int8Type>(integer(kInt, 8), arrow::int8())},
      {"int16", IntMaker<arrow::Int16Type>(integer(kInt, 16), arrow::int16())},
      {"int32", IntMaker<arrow::Int32Type>(integer(kInt, 32), arrow::int32())},
      {"int64", IntMaker<arrow::Int64Type>(integer(kInt, 64), arrow::int64())},
      {"uint32 as int64", IntMaker<arrow::UInt32Type>(integer(kInt, 64), arrow::uint32())},
      {"duration", IntMaker<arrow::DurationType>(integer(kInt, 64), arrow::duration(TU::NANO))},
      {"uint8", IntMaker<arrow::UInt8Type>(integer(kUInt, 8), arrow::uint8())},
      {"uint16", IntMaker<arrow::UInt16Type>(integer(kUInt, 16), arrow::uint16())},
      {"uint32", IntMaker<arrow::UInt32Type>(integer(kUInt, 32), arrow::uint32())},
      {"uint64", IntMaker<arrow::UInt64Type>(integer(kUInt, 64), arrow::uint64())},
      {"date32", IntMaker<arrow::Date32Type>({.kind = TypeKind::kDate}, arrow::date32())},
      {"date64", IntMaker<arrow::Date64Type>({.kind = TypeKind::kDate}, arrow::date64(), 86'400'000)},
      {"time32", IntMaker<arrow::Time32Type>(time(kTime, TimeUnit::kMilli), arrow::time32(TU::MILLI))},
      {"time32 s", IntMaker<arrow::Time32Type>(time(kTime, TimeUnit::kMilli), arrow::time32(TU::SECOND), 1, 1000)},
      {"time64", IntMaker<arrow::Time64Type>(time(kTime, TimeUnit::kNano), arrow::time64(TU::NANO))},
      {"timestamp", IntMaker<arrow::TimestampType>(time(kStamp, TimeUnit::kMicro), arrow::timestamp(TU::MICRO, "UTC"))},
      {"ms as us", IntMaker<arrow::TimestampType>(time(kStamp, TimeUnit::kMilli), arrow::timestamp(TU::MICRO), 1000)},
      {"ns as us", IntMaker<arrow::TimestampType>(time(kStamp, TimeUnit::kNano), arrow::timestamp(TU::MICRO), 1, 1000)},
      {"ns as s",
       IntMaker<arrow::TimestampType>(time(kStamp, TimeUnit::kNano), arrow::timestamp(TU::SECOND), 1, 1'000'000'000)},
      {"string", TextMaker<arrow::StringType>(TypeKind::kString)},
      {"large_string", TextMaker<arrow::LargeStringType>(TypeKind::kString)},
      {"string_view", TextMaker<arrow::StringViewType>(TypeKind::kString)},
      {"binary", TextMaker<arrow::BinaryType>(TypeKind::kBinary)},
      {"large_binary", TextMaker<arrow::LargeBinaryType>(TypeKind::kBinary)},
      {"binary_view", TextMaker<arrow::BinaryViewType>(TypeKind::kBinary)},
      {"fixed", FixedMaker({.kind = TypeKind::kFixed, .byte_width = 3}, 3)},
      {"uuid storage", FixedMaker({.kind = TypeKind::kUuid}, 16)},
      {"decimal32", DecimalMaker<arrow::Decimal32Type, arrow::Decimal32>(9, 2)},
      {"decimal64", DecimalMaker<arrow::Decimal64Type, arrow::Decimal64>(18, 3)},
      {"decimal128", DecimalMaker<arrow::Decimal128Type, arrow::Decimal128>(38, 4)},
      {"decimal256", DecimalMaker<arrow::Decimal256Type, arrow::Decimal256>(30, 5)},
      {"wide decimal", DecimalMaker<arrow::Decimal256Type, arrow::Decimal256>(76, 6)},
  };
  makers.emplace_back("bool", [](int64_t rows, int nulls, Random& random) {
    return Build<arrow::BooleanBuilder, bool>(
        {.kind = TypeKind::kBool}, arrow::boolean(), rows, nulls, random, [](Random& r) { return r() % 2 == 0; },
        [](const bool& value) -> Key { return Int128{value}; });
  });
  makers.emplace_back("double", [](int64_t rows, int nulls, Random& random) {
    return Build<arrow::DoubleBuilder, double>({.kind = TypeKind::kDouble}, arrow::float64(), rows, nulls, random,
                                               DrawDouble, [](const double& v) -> Key { return Int128{DoubleKey(v)}; });
  });
  makers.emplace_back("float", [](int64_t rows, int nulls, Random& random) {
    return Build<arrow::FloatBuilder, float>(
        {.kind = TypeKind::kFloat}, arrow::float32(), rows, nulls, random,
        [](Random& r) { return static_cast<float>(DrawDouble(r)); },
        [](const float& v) -> Key { return Int128{FloatKey(v)}; });
  });
  makers.emplace_back("float16", [](int64_t rows, int nulls, Random& random) {
    return Build<arrow::HalfFloatBuilder, uint16_t>(
        {.kind = TypeKind::kFloat16}, arrow::float16(), rows, nulls, random,
        [](Random& r) { return static_cast<uint16_t>(r() & 0xfc0f); },
        [](const uint16_t& v) -> Key { return Int128{HalfKey(v)}; });
  });
  return makers;
}

// The same column behind a dictionary, whose entries may be null too.
template <typename IndexBuilder>
Column Encode(const Column& entries, int64_t rows, int null_percent, Random& random) {
  IndexBuilder builder;
  Column column{entries.type, nullptr, {}};
  for (int64_t i = 0; i < rows; ++i) {
    if (entries.keys.empty() || static_cast<int>(random() % 100) < null_percent) {
      EXPECT_TRUE(builder.AppendNull().ok());
      column.keys.push_back(std::nullopt);
    } else {
      const size_t index = random() % std::min<size_t>(entries.keys.size(), 100);
      EXPECT_TRUE(builder.Append(static_cast<typename IndexBuilder::value_type>(index)).ok());
      column.keys.push_back(entries.keys[index]);
    }
  }
  const ArrayPtr indices = builder.Finish().ValueOrDie();
  column.array = arrow::DictionaryArray::FromArrays(arrow::dictionary(indices->type(), entries.array->type()), indices,
                                                    entries.array)
                     .ValueOrDie();
  return column;
}

Column Slice(const Column& column, int64_t offset) {
  const auto rows = static_cast<int64_t>(column.keys.size());
  offset = std::min(offset, rows);
  return {column.type, column.array->Slice(offset), {column.keys.begin() + offset, column.keys.end()}};
}

template <typename K>
KeySet DrawKeys(const Column& column, Random& random) {
  std::vector<K> known;
  for (const auto& key : column.keys) {
    if (key) known.push_back(std::get<K>(*key));
  }
  auto draw = [&]() -> K {
    K key = known.empty() ? K{} : known[random() % known.size()];
    if (random() % 3 == 0) key = KeyTraits<K>::Successor(key);
    return key;
  };
  IntervalSet<K> set;
  constexpr int kPointCounts[] = {1, 2, 10, 60, 300};
  switch (random() % 4) {
    case 0: {
      std::vector<K> points;
      for (int n = kPointCounts[random() % 5]; n > 0; --n) points.push_back(draw());
      set = IntervalSet<K>::Points(points);
      break;
    }
    case 1:
      set = IntervalSet<K>::Range(draw(), random() % 2 ? std::optional<K>(draw()) : std::nullopt);
      break;
    default:
      for (int n = static_cast<int>(random() % 12); n > 0; --n) {
        set = set.Union(IntervalSet<K>::Range(draw(), draw()));
      }
      if (random() % 8 == 0) set = IntervalSet<K>::All();
  }
  return random() % 3 == 0 ? set.Complement() : set;
}

Leaf DrawLeaf(const Column& column, Random& random) {
  Leaf leaf;
  leaf.keys = column.type.has_byte_keys() ? DrawKeys<std::string>(column, random) : DrawKeys<Int128>(column, random);
  leaf.matches_null = random() % 3 == 0;
  if (column.type.kind == TypeKind::kString && random() % 3 == 0) {
    constexpr const char* kPatterns[] = {"%a%", "a_b%", "%c", "", "_", "%ab%c%"};
    leaf.pattern = std::make_shared<LikePattern>(kPatterns[random() % std::size(kPatterns)]);
    leaf.pattern_negated = random() % 2;
  }
  return leaf;
}

bool NaiveLeaf(const Leaf& leaf, const std::optional<Key>& key) {
  if (!key) return leaf.matches_null;
  const bool in_keys = std::visit(
      [&](const auto& set) {
        using K = std::decay_t<decltype(set.intervals()[0].begin)>;
        return set.Contains(std::get<K>(*key));
      },
      leaf.keys);
  if (!in_keys || leaf.is_exact()) return in_keys;
  return leaf.pattern->Matches(std::get<std::string>(*key)) != leaf.pattern_negated;
}

bool Naive(const Predicate& predicate, const std::vector<Column>& columns, size_t row) {
  auto holds = [&](const Predicate& child) { return Naive(child, columns, row); };
  switch (predicate.kind) {
    case Predicate::Kind::kTrue:
      return true;
    case Predicate::Kind::kFalse:
      return false;
    case Predicate::Kind::kLeaf:
      return NaiveLeaf(predicate.leaf, columns[static_cast<size_t>(predicate.leaf.column)].keys[row]);
    case Predicate::Kind::kAnd:
      return std::all_of(predicate.children.begin(), predicate.children.end(), holds);
    case Predicate::Kind::kOr:
      return std::any_of(predicate.children.begin(), predicate.children.end(), holds);
  }
  return false;
}

void ExpectSameRows(const Predicate& predicate, const std::vector<Column>& columns) {
  BoundFilter filter{predicate, {}};
  std::vector<ArrayPtr> arrays;
  for (const Column& column : columns) {
    filter.columns.push_back({"c" + std::to_string(arrays.size()), column.type, 0});
    arrays.push_back(column.array);
  }
  RowRanges expected;
  for (size_t row = 0; row < columns[0].keys.size(); ++row) {
    if (Naive(predicate, columns, row)) expected.Append(static_cast<int64_t>(row), static_cast<int64_t>(row) + 1);
  }
  auto matches = MatchRows(filter, predicate, arrays, static_cast<int64_t>(columns[0].keys.size()));
  ASSERT_TRUE(matches.ok()) << matches.status();
  EXPECT_EQ(*matches, expected);
}

int64_t DrawRows(Random& random) {
  constexpr int64_t kRows[] = {0, 1, 7, 64, 65, 200, 1000, 9000, 20'000};
  return kRows[random() % (random() % 8 == 0 ? 9 : 7)];
}

TEST(MatchRows, EveryTypeAgainstRowAtATime) {
  const auto seed = std::random_device{}();
  Random random(seed);
  for (const auto& [name, make] : AllMakers()) {
    SCOPED_TRACE(name + ", seed " + std::to_string(seed));
    for (int round = 0; round < 60 && !testing::Test::HasFailure(); ++round) {
      const int null_percent = static_cast<int>(random() % 3) * 50;
      Column column = make(DrawRows(random), null_percent, random);
      switch (random() % 6) {
        case 0:
          column = Encode<arrow::Int8Builder>(column, DrawRows(random), 20, random);
          break;
        case 1:
          column = Encode<arrow::UInt16Builder>(column, DrawRows(random), 0, random);
          break;
        case 2:
          column = Encode<arrow::Int32Builder>(Slice(column, 3), DrawRows(random), 20, random);
          break;
        default:
          break;
      }
      if (random() % 2) column = Slice(column, static_cast<int64_t>(random() % 20));
      ExpectSameRows(Predicate::Of(DrawLeaf(column, random)), {column});
    }
  }
}

TEST(MatchRows, TreesOverManyColumns) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  const auto makers = AllMakers();
  for (int round = 0; round < 100 && !testing::Test::HasFailure(); ++round) {
    const int64_t rows = DrawRows(random);
    std::vector<Column> columns;
    for (int i = 0; i < 4; ++i) columns.push_back(makers[random() % makers.size()].second(rows, 20, random));
    std::function<Predicate(int)> grow = [&](int depth) {
      if (depth == 0) {
        const size_t at = random() % columns.size();
        Leaf leaf = DrawLeaf(columns[at], random);
        leaf.column = static_cast<int>(at);
        return Predicate::Of(std::move(leaf));
      }
      std::vector<Predicate> children;
      for (int i = 0; i < 3; ++i) children.push_back(grow(depth - 1));
      return random() % 2 ? Predicate::And(children) : Predicate::Or(children);
    };
    ExpectSameRows(grow(2), columns);
  }
}

}  // namespace
}  // namespace frazil::expr
