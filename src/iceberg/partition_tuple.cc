// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/partition_tuple.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "frazil/error.h"
#include "src/iceberg/single_value.h"

namespace frazil::iceberg {
namespace {

using expr::Int128;
using expr::Key;

bool IsFloating(const PartitionValue& value) {
  return value.kind == AvroKind::kFloat || value.kind == AvroKind::kDouble;
}

bool IsWhole(const PartitionValue& value) {
  return value.kind == AvroKind::kBoolean || value.kind == AvroKind::kInt || value.kind == AvroKind::kLong;
}

std::string LittleEndian(uint64_t value, size_t width) {
  std::string bytes(width, '\0');
  for (char& byte : bytes) {
    byte = static_cast<char>(static_cast<uint8_t>(value));
    value >>= 8;
  }
  return bytes;
}

// As single_value.h has floating-point numbers, with the bits that the writer gave them.
std::string FloatingBytes(const PartitionValue& value, const Type& type) {
  if (type.id == TypeId::kFloat) return LittleEndian(std::bit_cast<uint32_t>(static_cast<float>(value.number)), 4);
  return LittleEndian(std::bit_cast<uint64_t>(value.number), 8);
}

int64_t UnitsPerSecond(const Type& type) {
  return type.id == TypeId::kTimestampNs || type.id == TypeId::kTimestampTzNs ? 1'000'000'000 : 1'000'000;
}

}  // namespace

std::optional<Type> PartitionValueType(const PartitionField& field, const Schema& schema,
                                       const TableMetadata& metadata) {
  if (field.source_ids.size() == 1) {
    if (const NestedField* source = schema.FindById(field.source_ids[0])) {
      return ResultType(field.transform, source->type);
    }
    for (auto older = metadata.schemas.rbegin(); older != metadata.schemas.rend(); ++older) {
      const NestedField* source = older->FindById(field.source_ids[0]);
      if (source != nullptr) return ResultType(field.transform, source->type);
    }
  }
  return ResultType(field.transform);
}

TupleReader::TupleReader(const PartitionSpec& spec, const Schema& schema, const TableMetadata& metadata,
                         const std::vector<PartitionFieldType>& written)
    : spec_id_(spec.spec_id) {
  for (const PartitionField& of_spec : spec.fields) {
    Field field;
    for (size_t i = 0; i < written.size(); ++i) {
      const bool same =
          written[i].field_id ? *written[i].field_id == of_spec.field_id : written[i].name == of_spec.name;
      if (same && field.place < 0) field.place = static_cast<int>(i);
    }
    if (field.place >= 0) field.logical_type = written[static_cast<size_t>(field.place)].logical_type;
    field.type = PartitionValueType(of_spec, schema, metadata);
    if (of_spec.transform.kind == TransformKind::kIdentity && of_spec.source_ids.size() == 1) {
      field.identity_of = of_spec.source_ids[0];
    }
    fields_.push_back(std::move(field));
  }
}

arrow::Result<std::optional<Key>> TupleReader::KeyOf(const Field& field, const PartitionValue& value) const {
  const auto bad = [] { return MakeError(ErrorKind::kCorrupt, "a partition value is not of its field's type"); };
  if (value.kind == AvroKind::kNull) return std::nullopt;
  const Type& type = *field.type;
  const expr::ColumnType filter_type = FilterType(type);
  if (!filter_type.is_comparable()) return bad();
  if (IsFloating(value)) {
    if (!filter_type.is_floating()) return bad();
    ARROW_ASSIGN_OR_RAISE(Key key, DecodeSingleValue(type, FloatingBytes(value, type)));
    return key;
  }
  if (IsWhole(value)) {
    if (filter_type.has_byte_keys() || filter_type.is_floating() || type.id == TypeId::kDecimal) return bad();
    Int128 number = value.integer;
    if (filter_type.kind == expr::TypeKind::kTimestamp) {
      if (field.logical_type == "date") number *= Int128{86400} * UnitsPerSecond(type);
      if (field.logical_type.ends_with("-millis")) number *= UnitsPerSecond(type) / 1000;
      const bool in_nanos = field.logical_type.ends_with("-nanos");
      if (in_nanos != (UnitsPerSecond(type) == 1'000'000'000) && field.logical_type.find('-') != std::string::npos &&
          !field.logical_type.ends_with("-millis")) {
        return bad();
      }
    }
    return Key(number);
  }
  if (!filter_type.has_byte_keys() && type.id != TypeId::kDecimal) return bad();
  ARROW_ASSIGN_OR_RAISE(Key key, DecodeSingleValue(type, value.bytes));
  return key;
}

PartitionTuple TupleReader::Keys(const std::vector<PartitionValue>& values) const {
  PartitionTuple tuple;
  for (const Field& field : fields_) {
    if (!field.type) {
      // Not looked at; and what is not known must not be taken for null by anybody.
      tuple.emplace_back(Key(Int128{0}));
      continue;
    }
    if (field.place < 0 || static_cast<size_t>(field.place) >= values.size()) return {};
    auto key = KeyOf(field, values[static_cast<size_t>(field.place)]);
    if (!key.ok()) return {};
    tuple.push_back(*std::move(key));
  }
  return tuple;
}

arrow::Result<std::optional<std::string>> TupleReader::BytesOf(const Field& field, const PartitionValue& value) const {
  ARROW_ASSIGN_OR_RAISE(const auto key, KeyOf(field, value));
  if (!key) return std::nullopt;
  return IsFloating(value) ? FloatingBytes(value, *field.type) : EncodeSingleValue(*field.type, *key);
}

arrow::Result<std::vector<std::optional<std::string>>> TupleReader::Values(
    const std::vector<PartitionValue>& values) const {
  std::vector<std::optional<std::string>> tuple;
  for (const Field& field : fields_) {
    auto& bytes = tuple.emplace_back();
    if (!field.type || field.place < 0 || static_cast<size_t>(field.place) >= values.size()) continue;
    ARROW_ASSIGN_OR_RAISE(bytes, BytesOf(field, values[static_cast<size_t>(field.place)]));
  }
  return tuple;
}

IdentityValues TupleReader::Identity(const std::vector<PartitionValue>& values) const {
  IdentityValues identity;
  for (const Field& field : fields_) {
    if (field.identity_of < 0 || !field.type || field.place < 0 || static_cast<size_t>(field.place) >= values.size()) {
      continue;
    }
    auto bytes = BytesOf(field, values[static_cast<size_t>(field.place)]);
    if (bytes.ok()) identity.emplace(field.identity_of, *std::move(bytes));
  }
  return identity;
}

std::string TupleReader::Scope(const std::vector<PartitionValue>& values) const {
  std::string text = std::to_string(spec_id_);
  for (const Field& field : fields_) {
    text += '|';
    if (field.place < 0 || static_cast<size_t>(field.place) >= values.size()) continue;
    const PartitionValue& value = values[static_cast<size_t>(field.place)];
    if (value.kind == AvroKind::kNull) continue;
    std::string part;
    auto key = field.type ? KeyOf(field, value) : arrow::Result<std::optional<Key>>(std::nullopt);
    if (key.ok() && *key) {
      const auto* bytes = std::get_if<std::string>(&**key);
      part = bytes != nullptr ? *bytes : expr::Int128ToString(std::get<Int128>(**key));
    } else {
      part = IsFloating(value) ? std::to_string(expr::DoubleKey(value.number))
             : IsWhole(value)  ? std::to_string(value.integer)
                               : std::string(value.bytes);
    }
    text += std::to_string(part.size()) + ":" + part;
  }
  return text;
}

}  // namespace frazil::iceberg
