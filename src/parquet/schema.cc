// SPDX-License-Identifier: Apache-2.0

#include "src/parquet/schema.h"

#include <climits>

#include <parquet/types.h>

namespace frazil::parquet {

namespace {

using expr::ColumnType;
using expr::TypeKind;
using Logical = ::parquet::LogicalType::Type;

// Arrow's decimals end here; a wider one has no arithmetic to be compared by.
constexpr int kDecimalPrecisionMax = 76;

ColumnType Integer(TypeKind kind, int bit_width) {
  ColumnType type;
  type.kind = kind;
  type.bit_width = bit_width;
  return type;
}

ColumnType Plain(TypeKind kind) {
  ColumnType type;
  type.kind = kind;
  return type;
}

ColumnType Timed(TypeKind kind, ::parquet::LogicalType::TimeUnit::unit unit, bool utc) {
  ColumnType type;
  type.kind = kind;
  type.utc = utc;
  switch (unit) {
    case ::parquet::LogicalType::TimeUnit::MILLIS:
      type.unit = expr::TimeUnit::kMilli;
      return type;
    case ::parquet::LogicalType::TimeUnit::MICROS:
      type.unit = expr::TimeUnit::kMicro;
      return type;
    case ::parquet::LogicalType::TimeUnit::NANOS:
      type.unit = expr::TimeUnit::kNano;
      return type;
    default:
      return {};
  }
}

ColumnType Decimal(int precision, int scale) {
  if (precision < 1 || precision > kDecimalPrecisionMax) return {};
  ColumnType type;
  type.kind = TypeKind::kDecimal;
  type.precision = precision;
  type.scale = scale;
  return type;
}

ColumnType PhysicalType(const ::parquet::ColumnDescriptor& leaf) {
  switch (leaf.physical_type()) {
    case ::parquet::Type::BOOLEAN:
      return Plain(TypeKind::kBool);
    case ::parquet::Type::INT32:
      return Integer(TypeKind::kInt, 32);
    case ::parquet::Type::INT64:
      return Integer(TypeKind::kInt, 64);
    case ::parquet::Type::INT96: {
      ColumnType type = Timed(TypeKind::kTimestamp, ::parquet::LogicalType::TimeUnit::NANOS, false);
      type.bit_width = 96;
      return type;
    }
    case ::parquet::Type::FLOAT:
      return Plain(TypeKind::kFloat);
    case ::parquet::Type::DOUBLE:
      return Plain(TypeKind::kDouble);
    case ::parquet::Type::BYTE_ARRAY:
      return Plain(TypeKind::kBinary);
    case ::parquet::Type::FIXED_LEN_BYTE_ARRAY: {
      ColumnType type = Plain(TypeKind::kFixed);
      type.byte_width = leaf.type_length();
      return type;
    }
    default:
      return {};
  }
}

// Bytes of one value, to choose the cheapest leaf; byte arrays count as wide as a short text.
int LeafWidth(const ::parquet::ColumnDescriptor& leaf) {
  switch (leaf.physical_type()) {
    case ::parquet::Type::BOOLEAN:
      return 0;
    case ::parquet::Type::INT32:
    case ::parquet::Type::FLOAT:
      return 4;
    case ::parquet::Type::INT64:
    case ::parquet::Type::DOUBLE:
      return 8;
    case ::parquet::Type::INT96:
      return 12;
    case ::parquet::Type::FIXED_LEN_BYTE_ARRAY:
      return leaf.type_length();
    default:
      return 32;
  }
}

class TreeMaker {
 public:
  explicit TreeMaker(const ::parquet::SchemaDescriptor& schema) : schema_(schema) {}

  FilterSchema Make() {
    const ::parquet::schema::GroupNode& root = *schema_.group_node();
    for (int i = 0; i < root.field_count(); ++i) out_.tree.fields.push_back(MakeField(*root.field(i), 0, false));
    return std::move(out_);
  }

 private:
  // `def_level` and `repeated` are those of the parent. Leaves are met in the order of their ordinals.
  expr::Field MakeField(const ::parquet::schema::Node& node, int16_t def_level, bool repeated) {
    expr::Field field;
    field.name = node.name();
    field.repeated = repeated || node.is_repeated();
    if (!node.is_required()) ++def_level;
    if (node.is_primitive()) {
      field.ref = next_leaf_++;
      field.type = LeafType(*schema_.Column(field.ref));
      return field;
    }
    field.type.kind = TypeKind::kGroup;
    const size_t ordinal = out_.groups.size();
    field.ref = -1 - static_cast<int>(ordinal);
    out_.groups.emplace_back();
    const int leaf_begin = next_leaf_;
    const auto& group = static_cast<const ::parquet::schema::GroupNode&>(node);
    field.children.reserve(group.field_count());
    for (int i = 0; i < group.field_count(); ++i) {
      field.children.push_back(MakeField(*group.field(i), def_level, field.repeated));
    }
    // A repeated field is never null: it is empty.
    out_.groups[ordinal] = {NarrowestLeaf(leaf_begin, next_leaf_), field.repeated ? int16_t{0} : def_level};
    return field;
  }

  // Leaves that are not repeated first, then the fewest bytes; -1 for a group without leaves.
  int NarrowestLeaf(int begin, int end) const {
    int best = -1;
    std::pair<bool, int> best_cost(true, INT_MAX);
    for (int leaf = begin; leaf < end; ++leaf) {
      const ::parquet::ColumnDescriptor& descriptor = *schema_.Column(leaf);
      const std::pair<bool, int> cost(descriptor.max_repetition_level() > 0, LeafWidth(descriptor));
      if (best < 0 || cost < best_cost) {
        best = leaf;
        best_cost = cost;
      }
    }
    return best;
  }

  const ::parquet::SchemaDescriptor& schema_;
  FilterSchema out_;
  int next_leaf_ = 0;
};

}  // namespace

expr::ColumnType LeafType(const ::parquet::ColumnDescriptor& leaf) {
  // Arrow has already turned converted types into logical types where there was no logical type.
  const auto& logical = leaf.logical_type();
  if (logical == nullptr) return PhysicalType(leaf);
  switch (logical->type()) {
    case Logical::NONE:
      return PhysicalType(leaf);
    case Logical::STRING:
    case Logical::ENUM:
    case Logical::JSON:
      return Plain(TypeKind::kString);
    case Logical::BSON:
      return Plain(TypeKind::kBinary);
    case Logical::UUID:
      return Plain(TypeKind::kUuid);
    case Logical::FLOAT16:
      return Plain(TypeKind::kFloat16);
    case Logical::DATE:
      return Plain(TypeKind::kDate);
    case Logical::DECIMAL: {
      const auto& decimal = static_cast<const ::parquet::DecimalLogicalType&>(*logical);
      return Decimal(decimal.precision(), decimal.scale());
    }
    case Logical::INT: {
      const auto& integer = static_cast<const ::parquet::IntLogicalType&>(*logical);
      return Integer(integer.is_signed() ? TypeKind::kInt : TypeKind::kUInt, integer.bit_width());
    }
    case Logical::TIME: {
      const auto& time = static_cast<const ::parquet::TimeLogicalType&>(*logical);
      return Timed(TypeKind::kTime, time.time_unit(), false);  // a time of day is no instant, adjusted or not
    }
    case Logical::TIMESTAMP: {
      const auto& timestamp = static_cast<const ::parquet::TimestampLogicalType&>(*logical);
      return Timed(TypeKind::kTimestamp, timestamp.time_unit(), timestamp.is_adjusted_to_utc());
    }
    default:
      return {};  // interval, null, variant, geometry, geography, and what this library does not know
  }
}

FilterSchema MakeFilterSchema(const ::parquet::SchemaDescriptor& schema) { return TreeMaker(schema).Make(); }

}  // namespace frazil::parquet
