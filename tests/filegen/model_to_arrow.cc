// SPDX-License-Identifier: Apache-2.0
#include "tests/filegen/model_to_arrow.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#include <arrow/array/builder_base.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_decimal.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/builder.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/writer.h>
#include <arrow/util/base64.h>
#include <arrow/util/checked_cast.h>
#include <arrow/util/decimal.h>
#include <parquet/arrow/schema.h>
#include <parquet/file_reader.h>

#include "tests/filegen/write.h"

namespace frazil::filegen {

namespace {

using ::arrow::internal::checked_cast;

arrow::Status Unfit(const arrow::ArrayBuilder& builder) {
  return arrow::Status::Invalid("value does not fit ", builder.type()->ToString());
}

// Integers of any width, dates, times and timestamps: from INT32 or INT64 by their bits.
template <typename Builder>
arrow::Status AppendInteger(const Value& value, arrow::ArrayBuilder* builder) {
  using T = typename Builder::value_type;
  if (const auto* narrow = value.get<int32_t>()) {
    return checked_cast<Builder&>(*builder).Append(static_cast<T>(*narrow));
  }
  const auto* wide = value.get<int64_t>();
  if (wide == nullptr) return Unfit(*builder);
  return checked_cast<Builder&>(*builder).Append(static_cast<T>(*wide));
}

// Values that are stored as they are.
template <typename Builder, typename T>
arrow::Status AppendAs(const Value& value, arrow::ArrayBuilder* builder) {
  const T* typed = value.get<T>();
  if (typed == nullptr) return Unfit(*builder);
  return checked_cast<Builder&>(*builder).Append(*typed);
}

arrow::Status AppendHalf(const Value& value, arrow::ArrayBuilder* builder) {
  const auto* bytes = value.get<std::string>();
  if (bytes == nullptr || bytes->size() != 2) return Unfit(*builder);
  uint16_t bits = 0;
  std::memcpy(&bits, bytes->data(), sizeof(bits));
  return checked_cast<arrow::HalfFloatBuilder&>(*builder).Append(bits);
}

arrow::Status AppendTimestamp(const Value& value, arrow::ArrayBuilder* builder) {
  const auto* int96 = value.get<Int96>();
  if (int96 == nullptr) return AppendInteger<arrow::TimestampBuilder>(value, builder);
  return checked_cast<arrow::TimestampBuilder&>(*builder).Append(::parquet::Int96GetNanoSeconds(*int96));
}

template <typename Builder, typename Decimal>
arrow::Status AppendDecimal(const Value& value, arrow::ArrayBuilder* builder) {
  auto& typed = checked_cast<Builder&>(*builder);
  if (const auto* narrow = value.get<int32_t>()) return typed.Append(Decimal(*narrow));
  if (const auto* wide = value.get<int64_t>()) return typed.Append(Decimal(*wide));
  const auto* bytes = value.get<std::string>();
  if (bytes == nullptr) return Unfit(*builder);
  ARROW_ASSIGN_OR_RAISE(Decimal decimal, Decimal::FromBigEndian(reinterpret_cast<const uint8_t*>(bytes->data()),
                                                                static_cast<int32_t>(bytes->size())));
  return typed.Append(decimal);
}

arrow::Status AppendValue(const Value& value, arrow::ArrayBuilder* builder);

template <typename Builder>
arrow::Status AppendList(const Value& value, arrow::ArrayBuilder* builder) {
  const List* list = value.get<List>();
  if (list == nullptr) return Unfit(*builder);
  auto& typed = checked_cast<Builder&>(*builder);
  ARROW_RETURN_NOT_OK(typed.Append());
  for (const Value& item : list->items) ARROW_RETURN_NOT_OK(AppendValue(item, typed.value_builder()));
  return arrow::Status::OK();
}

arrow::Status AppendMap(const Value& value, arrow::ArrayBuilder* builder) {
  const List* list = value.get<List>();
  if (list == nullptr) return Unfit(*builder);
  auto& typed = checked_cast<arrow::MapBuilder&>(*builder);
  ARROW_RETURN_NOT_OK(typed.Append());
  for (const Value& item : list->items) {
    const Struct* entry = item.get<Struct>();
    if (entry == nullptr || entry->fields.size() != 2) return Unfit(*builder);
    ARROW_RETURN_NOT_OK(AppendValue(entry->fields[0], typed.key_builder()));
    ARROW_RETURN_NOT_OK(AppendValue(entry->fields[1], typed.item_builder()));
  }
  return arrow::Status::OK();
}

arrow::Status AppendStruct(const Value& value, arrow::ArrayBuilder* builder) {
  const Struct* group = value.get<Struct>();
  auto& typed = checked_cast<arrow::StructBuilder&>(*builder);
  if (group == nullptr || static_cast<int>(group->fields.size()) != typed.num_fields()) return Unfit(*builder);
  ARROW_RETURN_NOT_OK(typed.Append());
  for (int i = 0; i < typed.num_fields(); ++i) {
    ARROW_RETURN_NOT_OK(AppendValue(group->fields[i], typed.field_builder(i)));
  }
  return arrow::Status::OK();
}

arrow::Status AppendNumber(const Value& value, arrow::ArrayBuilder* builder) {
  switch (builder->type()->id()) {
    case arrow::Type::INT8:
      return AppendInteger<arrow::Int8Builder>(value, builder);
    case arrow::Type::INT16:
      return AppendInteger<arrow::Int16Builder>(value, builder);
    case arrow::Type::INT32:
      return AppendInteger<arrow::Int32Builder>(value, builder);
    case arrow::Type::INT64:
      return AppendInteger<arrow::Int64Builder>(value, builder);
    case arrow::Type::UINT8:
      return AppendInteger<arrow::UInt8Builder>(value, builder);
    case arrow::Type::UINT16:
      return AppendInteger<arrow::UInt16Builder>(value, builder);
    case arrow::Type::UINT32:
      return AppendInteger<arrow::UInt32Builder>(value, builder);
    case arrow::Type::UINT64:
      return AppendInteger<arrow::UInt64Builder>(value, builder);
    case arrow::Type::DATE32:
      return AppendInteger<arrow::Date32Builder>(value, builder);
    case arrow::Type::TIME32:
      return AppendInteger<arrow::Time32Builder>(value, builder);
    case arrow::Type::TIME64:
      return AppendInteger<arrow::Time64Builder>(value, builder);
    case arrow::Type::DURATION:
      return AppendInteger<arrow::DurationBuilder>(value, builder);
    case arrow::Type::FLOAT:
      return AppendAs<arrow::FloatBuilder, float>(value, builder);
    case arrow::Type::DOUBLE:
      return AppendAs<arrow::DoubleBuilder, double>(value, builder);
    case arrow::Type::DECIMAL128:
      return AppendDecimal<arrow::Decimal128Builder, arrow::Decimal128>(value, builder);
    case arrow::Type::DECIMAL256:
      return AppendDecimal<arrow::Decimal256Builder, arrow::Decimal256>(value, builder);
    default:
      return arrow::Status::NotImplemented("rows as ", builder->type()->ToString());
  }
}

arrow::Status AppendValue(const Value& value, arrow::ArrayBuilder* builder) {
  if (value.is_null()) return builder->AppendNull();
  switch (builder->type()->id()) {
    case arrow::Type::BOOL:
      return AppendAs<arrow::BooleanBuilder, bool>(value, builder);
    case arrow::Type::HALF_FLOAT:
      return AppendHalf(value, builder);
    case arrow::Type::TIMESTAMP:
      return AppendTimestamp(value, builder);
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return AppendAs<arrow::BinaryBuilder, std::string>(value, builder);
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
      return AppendAs<arrow::LargeBinaryBuilder, std::string>(value, builder);
    case arrow::Type::FIXED_SIZE_BINARY:
      return AppendAs<arrow::FixedSizeBinaryBuilder, std::string>(value, builder);
    case arrow::Type::LIST:
      return AppendList<arrow::ListBuilder>(value, builder);
    case arrow::Type::LARGE_LIST:
      return AppendList<arrow::LargeListBuilder>(value, builder);
    case arrow::Type::MAP:
      return AppendMap(value, builder);
    case arrow::Type::STRUCT:
      return AppendStruct(value, builder);
    default:
      return AppendNumber(value, builder);
  }
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::Schema>> ArrowSchemaOf(const FileSpec& file) {
  FileSpec empty;
  empty.schema = file.schema;
  empty.key_value_metadata = file.key_value_metadata;
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> bytes, WriteFile(empty));
  try {
    auto reader = ::parquet::ParquetFileReader::Open(std::make_shared<arrow::io::BufferReader>(bytes));
    std::shared_ptr<arrow::Schema> schema;
    ARROW_RETURN_NOT_OK(::parquet::arrow::FromParquetSchema(reader->metadata()->schema(),
                                                            ::parquet::default_arrow_reader_properties(),
                                                            reader->metadata()->key_value_metadata(), &schema));
    return schema;
  } catch (const std::exception& failure) {
    return arrow::Status::Invalid("schema: ", failure.what());
  }
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> ModelToArrow(const std::shared_ptr<arrow::Schema>& schema,
                                                                std::span<const Row> rows) {
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (int i = 0; i < schema->num_fields(); ++i) {
    ARROW_ASSIGN_OR_RAISE(auto builder, arrow::MakeBuilder(schema->field(i)->type()));
    for (const Row& row : rows) {
      if (static_cast<int>(row.size()) != schema->num_fields()) return arrow::Status::Invalid("row of another width");
      ARROW_RETURN_NOT_OK(AppendValue(row[i], builder.get()));
    }
    ARROW_ASSIGN_OR_RAISE(columns.emplace_back(), builder->Finish());
  }
  return arrow::RecordBatch::Make(schema, static_cast<int64_t>(rows.size()), std::move(columns));
}

arrow::Result<std::pair<std::string, std::string>> ArrowSchemaEntry(const arrow::Schema& schema) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> message, arrow::ipc::SerializeSchema(schema));
  return std::pair<std::string, std::string>("ARROW:schema", arrow::util::base64_encode(std::string_view(*message)));
}

arrow::Result<const Value*> ValueAtPath(const std::vector<Node>& schema, const Row& row, const std::string& path) {
  std::vector<int> ordinals;
  const std::vector<Node>* nodes = &schema;
  for (size_t begin = 0; begin <= path.size();) {
    size_t end = std::min(path.find('.', begin), path.size());
    std::string name = path.substr(begin, end - begin);
    size_t i = 0;
    while (i < nodes->size() && (*nodes)[i].name != name) ++i;
    if (i == nodes->size()) return arrow::Status::Invalid("no field ", name, " in ", path);
    const Node& node = (*nodes)[i];
    if (end < path.size() && (node.shape != Shape::kPlain || node.repetition == kRepeated)) {
      return arrow::Status::Invalid(path, " leads through a list or map");
    }
    ordinals.push_back(static_cast<int>(i));
    nodes = &node.children;
    begin = end + 1;
  }
  return &ValueAt(row, ordinals);
}

}  // namespace frazil::filegen
