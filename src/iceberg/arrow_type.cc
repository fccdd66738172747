// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/arrow_type.h"

#include <bit>
#include <utility>

#include <arrow/array/util.h>
#include <arrow/extension/uuid.h>
#include <arrow/scalar.h>
#include <arrow/util/decimal.h>
#include <arrow/util/key_value_metadata.h>

#include "frazil/error.h"
#include "src/iceberg/single_value.h"

namespace frazil::iceberg {
namespace {

using expr::Int128;
using expr::Key;

arrow::Decimal128 ToDecimal(Int128 value) { return {static_cast<int64_t>(value >> 64), static_cast<uint64_t>(value)}; }

Int128 FromDecimal(const arrow::Decimal128& value) {
  return (Int128{value.high_bits()} << 64) | static_cast<Int128>(value.low_bits());
}

// Little-endian bits of a float or double: a way through keys would lose -0.0 and the kind of a NaN.
uint64_t Bits(std::string_view bytes) {
  uint64_t bits = 0;
  for (size_t i = bytes.size(); i-- > 0;) bits = bits << 8 | static_cast<uint8_t>(bytes[i]);
  return bits;
}

arrow::Result<std::shared_ptr<arrow::Scalar>> ScalarOf(const Type& type, std::string_view bytes) {
  ARROW_ASSIGN_OR_RAISE(const Key key, DecodeSingleValue(type, bytes));
  const std::shared_ptr<arrow::DataType> arrow_type = ArrowType(type);
  const Int128 number = std::holds_alternative<Int128>(key) ? std::get<Int128>(key) : 0;
  const auto whole = static_cast<int64_t>(number);
  switch (type.id) {
    case TypeId::kBoolean:
      return std::make_shared<arrow::BooleanScalar>(number != 0);
    case TypeId::kInt:
      return std::make_shared<arrow::Int32Scalar>(static_cast<int32_t>(whole));
    case TypeId::kLong:
      return std::make_shared<arrow::Int64Scalar>(whole);
    case TypeId::kFloat:
      return std::make_shared<arrow::FloatScalar>(std::bit_cast<float>(static_cast<uint32_t>(Bits(bytes))));
    case TypeId::kDouble:
      return std::make_shared<arrow::DoubleScalar>(std::bit_cast<double>(Bits(bytes)));
    case TypeId::kDecimal:
      return std::make_shared<arrow::Decimal128Scalar>(ToDecimal(number), arrow_type);
    case TypeId::kDate:
      return std::make_shared<arrow::Date32Scalar>(static_cast<int32_t>(whole));
    case TypeId::kTime:
      return std::make_shared<arrow::Time64Scalar>(whole, arrow_type);
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTzNs:
      return std::make_shared<arrow::TimestampScalar>(whole, arrow_type);
    case TypeId::kString:
      return std::make_shared<arrow::StringScalar>(std::get<std::string>(key));
    case TypeId::kUuid:
      return std::make_shared<arrow::FixedSizeBinaryScalar>(arrow::Buffer::FromString(std::get<std::string>(key)),
                                                            arrow::fixed_size_binary(16));
    case TypeId::kFixed:
      return std::make_shared<arrow::FixedSizeBinaryScalar>(arrow::Buffer::FromString(std::get<std::string>(key)),
                                                            arrow_type);
    default:
      return std::make_shared<arrow::BinaryScalar>(std::get<std::string>(key));
  }
}

template <typename ArrayType>
Int128 NumberAt(const arrow::Array& array, int64_t row) {
  return Int128{static_cast<const ArrayType&>(array).Value(row)};
}

}  // namespace

std::shared_ptr<arrow::DataType> ArrowType(const Type& type) {
  switch (type.id) {
    case TypeId::kBoolean:
      return arrow::boolean();
    case TypeId::kInt:
      return arrow::int32();
    case TypeId::kLong:
      return arrow::int64();
    case TypeId::kFloat:
      return arrow::float32();
    case TypeId::kDouble:
      return arrow::float64();
    case TypeId::kDecimal:
      return arrow::decimal128(type.precision, type.scale);
    case TypeId::kDate:
      return arrow::date32();
    case TypeId::kTime:
      return arrow::time64(arrow::TimeUnit::MICRO);
    case TypeId::kTimestamp:
      return arrow::timestamp(arrow::TimeUnit::MICRO);
    case TypeId::kTimestampTz:
      return arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
    case TypeId::kTimestampNs:
      return arrow::timestamp(arrow::TimeUnit::NANO);
    case TypeId::kTimestampTzNs:
      return arrow::timestamp(arrow::TimeUnit::NANO, "UTC");
    case TypeId::kString:
      return arrow::utf8();
    case TypeId::kUuid:
      return arrow::extension::uuid();
    case TypeId::kFixed:
      return arrow::fixed_size_binary(type.length);
    case TypeId::kBinary:
    case TypeId::kGeometry:
    case TypeId::kGeography:
      return arrow::binary();
    case TypeId::kUnknown:
      return arrow::null();
    case TypeId::kVariant:
      return arrow::struct_({arrow::field("metadata", arrow::binary(), false), arrow::field("value", arrow::binary())});
    case TypeId::kList:
      return arrow::list(ArrowField(type.fields[0]));
    case TypeId::kMap:
      return std::make_shared<arrow::MapType>(ArrowField(type.fields[0])->WithNullable(false),
                                              ArrowField(type.fields[1]));
    case TypeId::kStruct:
      break;
  }
  arrow::FieldVector fields;
  for (const NestedField& field : type.fields) fields.push_back(ArrowField(field));
  return arrow::struct_(std::move(fields));
}

std::shared_ptr<arrow::Field> ArrowField(const NestedField& field) {
  return arrow::field(field.name, ArrowType(field.type), !field.required || field.type.id == TypeId::kUnknown,
                      arrow::key_value_metadata({"PARQUET:field_id"}, {std::to_string(field.id)}));
}

std::shared_ptr<arrow::Schema> ArrowSchema(const Schema& schema) {
  arrow::FieldVector fields;
  for (const NestedField& field : schema.fields()) fields.push_back(ArrowField(field));
  return arrow::schema(std::move(fields));
}

arrow::Result<std::shared_ptr<arrow::Array>> RepeatedValue(const Type& type, std::string_view bytes, int64_t length) {
  ARROW_ASSIGN_OR_RAISE(const auto scalar, ScalarOf(type, bytes));
  ARROW_ASSIGN_OR_RAISE(auto array, arrow::MakeArrayFromScalar(*scalar, length));
  if (type.id == TypeId::kUuid) return arrow::ExtensionType::WrapArray(ArrowType(type), array);
  return array;
}

arrow::Result<ValueBuilder> ValueBuilder::Make(const Type& type) {
  // The builder is of the storage: there is none for extension types.
  const auto arrow_type = type.id == TypeId::kUuid ? arrow::fixed_size_binary(16) : ArrowType(type);
  ARROW_ASSIGN_OR_RAISE(auto builder, arrow::MakeBuilder(arrow_type));
  return ValueBuilder(type, std::move(builder));
}

arrow::Status ValueBuilder::Append(const std::optional<std::string_view>& bytes) {
  if (!bytes || type_.id == TypeId::kUnknown) return builder_->AppendNull();
  ARROW_ASSIGN_OR_RAISE(const auto scalar, ScalarOf(type_, *bytes));
  return builder_->AppendScalar(*scalar);
}

arrow::Result<std::shared_ptr<arrow::Array>> ValueBuilder::Finish() {
  ARROW_ASSIGN_OR_RAISE(auto array, builder_->Finish());
  if (type_.id == TypeId::kUuid) return arrow::ExtensionType::WrapArray(ArrowType(type_), array);
  return array;
}

arrow::Result<std::optional<Key>> KeyOfValue(const Type& type, const arrow::Array& array, int64_t row) {
  if (array.IsNull(row)) return std::nullopt;
  switch (type.id) {
    case TypeId::kBoolean:
      return Key(Int128{static_cast<const arrow::BooleanArray&>(array).Value(row) ? 1 : 0});
    case TypeId::kInt:
      return Key(NumberAt<arrow::Int32Array>(array, row));
    case TypeId::kLong:
      return Key(NumberAt<arrow::Int64Array>(array, row));
    case TypeId::kFloat:
      return Key(Int128{expr::FloatKey(static_cast<const arrow::FloatArray&>(array).Value(row))});
    case TypeId::kDouble:
      return Key(Int128{expr::DoubleKey(static_cast<const arrow::DoubleArray&>(array).Value(row))});
    case TypeId::kDecimal:
      return Key(FromDecimal(arrow::Decimal128(static_cast<const arrow::Decimal128Array&>(array).GetValue(row))));
    case TypeId::kDate:
      return Key(NumberAt<arrow::Date32Array>(array, row));
    case TypeId::kTime:
      return Key(NumberAt<arrow::Time64Array>(array, row));
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTzNs:
      return Key(NumberAt<arrow::TimestampArray>(array, row));
    case TypeId::kString:
    case TypeId::kBinary:
      return Key(std::string(static_cast<const arrow::BinaryArray&>(array).GetView(row)));
    case TypeId::kFixed:
      return Key(std::string(static_cast<const arrow::FixedSizeBinaryArray&>(array).GetView(row)));
    case TypeId::kUuid: {
      const auto& storage = *static_cast<const arrow::ExtensionArray&>(array).storage();
      return Key(std::string(static_cast<const arrow::FixedSizeBinaryArray&>(storage).GetView(row)));
    }
    default:
      return MakeError(ErrorKind::kUnsupported, "values of type " + type.ToString() + " can not be compared");
  }
}

}  // namespace frazil::iceberg
