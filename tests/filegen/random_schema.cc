// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "tests/filegen/random_table.h"

namespace frazil::filegen {

namespace {

using ::parquet::Type;

Node AnnotatedText(Random& random, std::string name, ::parquet::Repetition::type repetition) {
  Node node = Leaf(std::move(name), Type::BYTE_ARRAY, repetition);
  node.annotation.kind = random.Pick({Annotation::Kind::kString, Annotation::Kind::kString, Annotation::Kind::kEnum,
                                      Annotation::Kind::kJson, Annotation::Kind::kNone});
  return node;
}

Node RandomDecimal(Random& random, std::string name, ::parquet::Repetition::type repetition) {
  int32_t precision = 0;
  int32_t type_length = 0;
  Type::type physical = random.Pick({Type::INT32, Type::INT64, Type::FIXED_LEN_BYTE_ARRAY, Type::BYTE_ARRAY});
  if (physical == Type::INT32) {
    precision = static_cast<int32_t>(random.Between(1, 9));
  } else if (physical == Type::INT64) {
    precision = static_cast<int32_t>(random.Between(1, 18));
  } else {
    // Some beyond 38 digits, where 128 bits end.
    precision = static_cast<int32_t>(random.Percent(25) ? random.Between(39, 76) : random.Between(1, 38));
    // Bytes for the digits: log2(10) / 8 = 0.4153, and the sign.
    auto least = static_cast<int32_t>(precision * 0.4153 + 1.2);
    if (physical == Type::FIXED_LEN_BYTE_ARRAY) {
      int32_t most = precision > 38 ? 32 : 16;
      type_length = static_cast<int32_t>(least >= most ? least : random.Between(least, most));
    }
  }
  auto scale = static_cast<int32_t>(random.Between(0, precision));
  return DecimalLeaf(std::move(name), physical, precision, scale, type_length, repetition);
}

}  // namespace

Node RandomLeaf(Random& random, std::string name, ::parquet::Repetition::type repetition) {
  TimeUnit unit = random.Pick({TimeUnit::kMilli, TimeUnit::kMicro, TimeUnit::kNano});
  bool utc = random.Percent(50);
  Node node;
  switch (random.Below(16)) {
    case 0:
      node = Leaf(name, Type::BOOLEAN, repetition);
      break;
    case 1:
      node = Leaf(name, random.Pick({Type::INT32, Type::INT64}), repetition);
      break;
    case 2:
    case 3: {
      int bit_width = random.Pick({8, 16, 32, 64});
      node = IntLeaf(name, bit_width, random.Percent(50), repetition);
      break;
    }
    case 4:
      node = Float16Leaf(name, repetition);
      break;
    case 5:
    case 6:
      node = Leaf(name, random.Pick({Type::FLOAT, Type::DOUBLE}), repetition);
      break;
    case 7:
    case 8:
      node = RandomDecimal(random, name, repetition);
      break;
    case 9:
    case 10:
      node = AnnotatedText(random, name, repetition);
      break;
    case 11:
      node = random.Percent(50) ? UuidLeaf(name, repetition)
                                : FixedLeaf(name, static_cast<int32_t>(random.Between(1, 20)), repetition);
      break;
    case 12:
      node = DateLeaf(name, repetition);
      break;
    case 13:
      node = TimeLeaf(name, unit, utc, repetition);
      break;
    case 14:
      node = TimestampLeaf(name, unit, utc, repetition);
      break;
    default:
      node = Leaf(name, Type::INT96, repetition);
      if (random.Percent(30)) node.order = ColumnOrderKind::kInt96Timestamp;
      break;
  }
  bool is_floating = node.physical == Type::FLOAT || node.physical == Type::DOUBLE ||
                     node.annotation.kind == Annotation::Kind::kFloat16;
  if (is_floating && random.Percent(40)) node.order = ColumnOrderKind::kIeee754Total;
  if (random.Percent(5)) node.order = ColumnOrderKind::kUnknown;
  node.annotation.form = random.Pick({Annotation::Form::kBoth, Annotation::Form::kBoth, Annotation::Form::kLogicalOnly,
                                      Annotation::Form::kConvertedOnly});
  // A converted type alone means UTC; nanoseconds have none and keep the logical type.
  if (node.annotation.form == Annotation::Form::kConvertedOnly && node.annotation.unit != TimeUnit::kNano) {
    node.annotation.utc = true;
  }
  if (random.Percent(40)) node.field_id = static_cast<int32_t>(random.Below(1000));
  return node;
}

Node RandomGroup(Random& random, std::string name, int depth) {
  auto member = [&random, depth](std::string member_name) {
    if (depth > 1 && random.Percent(40)) return RandomGroup(random, std::move(member_name), depth - 1);
    return RandomLeaf(random, std::move(member_name), random.Pick({kRequired, kOptional, kOptional}));
  };
  // An element or map value that is itself repeated would read as another kind of list.
  auto single = [&member](std::string member_name) {
    Node node = member(std::move(member_name));
    if (node.repetition == kRepeated) node.repetition = kOptional;
    return node;
  };
  ::parquet::Repetition::type repetition = random.Pick({kRequired, kOptional, kOptional});
  switch (random.Below(6)) {
    case 0:
    case 1: {
      std::vector<Node> children;
      int64_t child_count = random.Between(1, 3);
      for (int64_t i = 0; i < child_count; ++i) children.push_back(member("f" + std::to_string(i)));
      return StructOf(std::move(name), std::move(children), repetition);
    }
    case 2: {
      Node key = RandomLeaf(random, "key", kRequired);
      return MapOf(std::move(name), std::move(key), single("value"), repetition);
    }
    case 3:
      if (random.Percent(50)) return List2Of(std::move(name), RandomLeaf(random, "element", kRepeated), repetition);
      return RandomLeaf(random, std::move(name), kRepeated);
    default:
      return ListOf(std::move(name), single("element"), repetition);
  }
}

std::vector<Node> RandomSchema(Random& random, const RandomFileOptions& options) {
  std::vector<Node> schema;
  if (options.row_number_column) schema.push_back(Leaf("row", ::parquet::Type::INT64, kRequired));
  int64_t column_count = random.Between(1, options.column_count_max);
  for (int64_t i = 0; i < column_count; ++i) {
    std::string name = "c" + std::to_string(i);
    if (options.nested && random.Percent(35)) {
      schema.push_back(RandomGroup(random, std::move(name), 3));
    } else {
      schema.push_back(RandomLeaf(random, std::move(name), random.Pick({kRequired, kOptional, kOptional})));
    }
  }
  return schema;
}

}  // namespace frazil::filegen
