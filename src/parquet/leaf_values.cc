// SPDX-License-Identifier: Apache-2.0
#include "src/parquet/leaf_values.h"

#include <cstring>
#include <utility>
#include <vector>

#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/chunked_array.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>
#include <arrow/util/decimal.h>
#include <parquet/types.h>

#include "frazil/error.h"

namespace frazil::parquet {
namespace {

namespace pq = ::parquet;
using arrow::Array;
using arrow::ArrayData;
using arrow::Buffer;
using arrow::DataType;
using arrow::Result;
using arrow::Status;
using ArrayPtr = std::shared_ptr<Array>;
using TypePtr = std::shared_ptr<DataType>;

Status Unsupported(const pq::ColumnDescriptor& leaf, const DataType& type) {
  return MakeError(ErrorKind::kUnsupported,
                   "no way from Parquet " + pq::TypeToString(leaf.physical_type()) + " to Arrow " + type.ToString());
}

// Values and validity of a reader of numbers.
struct Numbers {
  int64_t count = 0;
  int64_t null_count = 0;
  std::shared_ptr<arrow::ResizableBuffer> values;
  std::shared_ptr<Buffer> validity;
};

Numbers Take(pq::internal::RecordReader* reader, bool nullable) {
  Numbers numbers;
  numbers.count = reader->values_written();
  if (nullable && reader->nullable_values()) {
    numbers.null_count = reader->null_count();
    numbers.validity = reader->ReleaseIsValid();
    if (numbers.null_count == 0) numbers.validity = nullptr;
  }
  numbers.values = reader->ReleaseValues();
  return numbers;
}

ArrayPtr Make(const TypePtr& type, const Numbers& numbers, std::shared_ptr<Buffer> values) {
  return arrow::MakeArray(
      ArrayData::Make(type, numbers.count, {numbers.validity, std::move(values)}, numbers.null_count));
}

// Slots of null values may hold anything; every conversion below is defined for any input.
template <typename In, typename Out, typename Convert>
Result<ArrayPtr> ConvertEach(const TypePtr& type, const Numbers& numbers, Convert convert) {
  ARROW_ASSIGN_OR_RAISE(auto out, arrow::AllocateBuffer(numbers.count * static_cast<int64_t>(sizeof(Out))));
  const In* in = reinterpret_cast<const In*>(numbers.values->data());
  Out* values = reinterpret_cast<Out*>(out->mutable_data());
  for (int64_t i = 0; i < numbers.count; ++i) values[i] = convert(in[i]);
  return Make(type, numbers, std::move(out));
}

template <typename Out>
Result<ArrayPtr> Narrow(const TypePtr& type, const Numbers& numbers) {
  return ConvertEach<int32_t, Out>(type, numbers, [](int32_t value) { return static_cast<Out>(value); });
}

template <typename In>
Result<ArrayPtr> IntegerToDecimal(const TypePtr& type, const Numbers& numbers) {
  switch (type->id()) {
    case arrow::Type::DECIMAL32:
      return ConvertEach<In, int32_t>(type, numbers, [](In value) { return static_cast<int32_t>(value); });
    case arrow::Type::DECIMAL64:
      return ConvertEach<In, int64_t>(type, numbers, [](In value) { return static_cast<int64_t>(value); });
    case arrow::Type::DECIMAL128: {
      ARROW_ASSIGN_OR_RAISE(auto out, arrow::AllocateBuffer(numbers.count * 16));
      const In* in = reinterpret_cast<const In*>(numbers.values->data());
      for (int64_t i = 0; i < numbers.count; ++i) arrow::Decimal128(in[i]).ToBytes(out->mutable_data() + i * 16);
      return Make(type, numbers, std::move(out));
    }
    default: {
      ARROW_ASSIGN_OR_RAISE(auto out, arrow::AllocateBuffer(numbers.count * 32));
      const In* in = reinterpret_cast<const In*>(numbers.values->data());
      for (int64_t i = 0; i < numbers.count; ++i) {
        arrow::Decimal256(arrow::Decimal128(in[i])).ToBytes(out->mutable_data() + i * 32);
      }
      return Make(type, numbers, std::move(out));
    }
  }
}

Result<ArrayPtr> FromInt32(pq::internal::RecordReader* reader, const pq::ColumnDescriptor& leaf, const TypePtr& type,
                           bool nullable) {
  const Numbers numbers = Take(reader, nullable);
  switch (type->id()) {
    case arrow::Type::INT32:
    case arrow::Type::UINT32:
    case arrow::Type::DATE32:
    case arrow::Type::TIME32:
      return Make(type, numbers, numbers.values);
    case arrow::Type::INT8:
      return Narrow<int8_t>(type, numbers);
    case arrow::Type::UINT8:
      return Narrow<uint8_t>(type, numbers);
    case arrow::Type::INT16:
      return Narrow<int16_t>(type, numbers);
    case arrow::Type::UINT16:
      return Narrow<uint16_t>(type, numbers);
    case arrow::Type::INT64:
      return ConvertEach<int32_t, int64_t>(type, numbers, [](int32_t value) { return int64_t{value}; });
    case arrow::Type::DATE64:
      return ConvertEach<int32_t, int64_t>(type, numbers, [](int32_t days) { return int64_t{days} * 86'400'000; });
    case arrow::Type::DECIMAL32:
    case arrow::Type::DECIMAL64:
    case arrow::Type::DECIMAL128:
    case arrow::Type::DECIMAL256:
      return IntegerToDecimal<int32_t>(type, numbers);
    default:
      return Unsupported(leaf, *type);
  }
}

Result<ArrayPtr> FromInt64(pq::internal::RecordReader* reader, const pq::ColumnDescriptor& leaf, const TypePtr& type,
                           bool nullable) {
  const Numbers numbers = Take(reader, nullable);
  switch (type->id()) {
    case arrow::Type::INT64:
    case arrow::Type::UINT64:
    case arrow::Type::TIME64:
    case arrow::Type::TIMESTAMP:
    case arrow::Type::DURATION:
    case arrow::Type::DATE64:
      return Make(type, numbers, numbers.values);
    case arrow::Type::DECIMAL32:
    case arrow::Type::DECIMAL64:
    case arrow::Type::DECIMAL128:
    case arrow::Type::DECIMAL256:
      return IntegerToDecimal<int64_t>(type, numbers);
    default:
      return Unsupported(leaf, *type);
  }
}

int64_t Int96To(arrow::TimeUnit::type unit, const pq::Int96& value) {
  // Out of range wraps, as Arrow's own reader does: nanoseconds span the years 1677 to 2262 only.
  constexpr uint64_t kJulianToUnixEpochDays = 2'440'588;
  const uint64_t days = value.value[2] - kJulianToUnixEpochDays;
  uint64_t nanos_of_day = 0;
  std::memcpy(&nanos_of_day, value.value.data(), sizeof(nanos_of_day));
  uint64_t per_second = 1;
  switch (unit) {
    case arrow::TimeUnit::SECOND:
      per_second = 1;
      break;
    case arrow::TimeUnit::MILLI:
      per_second = 1'000;
      break;
    case arrow::TimeUnit::MICRO:
      per_second = 1'000'000;
      break;
    case arrow::TimeUnit::NANO:
      per_second = 1'000'000'000;
      break;
  }
  return static_cast<int64_t>(days * 86'400 * per_second + nanos_of_day / (1'000'000'000 / per_second));
}

// Nanoseconds since 1970 without wrapping, as whole numbers: what filters compare.
Result<ArrayPtr> Int96ToWholeNumbers(const TypePtr& type, const Numbers& numbers) {
  ARROW_ASSIGN_OR_RAISE(auto out, arrow::AllocateBuffer(numbers.count * 16));
  const pq::Int96* in = reinterpret_cast<const pq::Int96*>(numbers.values->data());
  for (int64_t i = 0; i < numbers.count; ++i) {
    const bool valid = numbers.validity == nullptr || arrow::bit_util::GetBit(numbers.validity->data(), i);
    int64_t nanos_of_day = 0;
    std::memcpy(&nanos_of_day, in[i].value.data(), sizeof(nanos_of_day));
    const int64_t days = int64_t{in[i].value[2]} - 2'440'588;
    arrow::Decimal128 nanos(valid ? days : 0);
    nanos *= arrow::Decimal128(int64_t{86'400'000'000'000});
    nanos += arrow::Decimal128(valid ? nanos_of_day : 0);
    nanos.ToBytes(out->mutable_data() + i * 16);
  }
  return Make(type, numbers, std::move(out));
}

Result<ArrayPtr> FromInt96(pq::internal::RecordReader* reader, const pq::ColumnDescriptor& leaf, const TypePtr& type,
                           bool nullable) {
  if (type->id() == arrow::Type::DECIMAL128) return Int96ToWholeNumbers(type, Take(reader, nullable));
  if (type->id() != arrow::Type::TIMESTAMP) return Unsupported(leaf, *type);
  const auto unit = static_cast<const arrow::TimestampType&>(*type).unit();
  const Numbers numbers = Take(reader, nullable);
  ARROW_ASSIGN_OR_RAISE(auto out, arrow::AllocateBuffer(numbers.count * 8));
  int64_t* values = reinterpret_cast<int64_t*>(out->mutable_data());
  const pq::Int96* in = reinterpret_cast<const pq::Int96*>(numbers.values->data());
  for (int64_t i = 0; i < numbers.count; ++i) {
    const bool valid = numbers.validity == nullptr || arrow::bit_util::GetBit(numbers.validity->data(), i);
    values[i] = valid ? Int96To(unit, in[i]) : 0;
  }
  return Make(type, numbers, std::move(out));
}

Result<ArrayPtr> FromBoolean(pq::internal::RecordReader* reader, const TypePtr& type, bool nullable) {
  const Numbers numbers = Take(reader, nullable);
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Buffer> bits, arrow::AllocateEmptyBitmap(numbers.count));
  const uint8_t* in = numbers.values->data();
  uint8_t* out = bits->mutable_data();
  for (int64_t i = 0; i < numbers.count; ++i) {
    out[i / 8] = static_cast<uint8_t>(out[i / 8] | ((in[i] != 0 ? 1 : 0) << (i % 8)));
  }
  return Make(type, numbers, std::move(bits));
}

// Decimals from big-endian two's complement bytes, each value of its own length.
template <typename Decimal>
Result<ArrayPtr> BytesToDecimal(const TypePtr& type, const Array& bytes) {
  constexpr int kWidth = Decimal::kByteWidth;
  ARROW_ASSIGN_OR_RAISE(auto out, arrow::AllocateBuffer(bytes.length() * kWidth));
  std::memset(out->mutable_data(), 0, static_cast<size_t>(out->size()));
  for (int64_t i = 0; i < bytes.length(); ++i) {
    if (bytes.IsNull(i)) continue;
    const std::string_view value = bytes.type_id() == arrow::Type::FIXED_SIZE_BINARY
                                       ? static_cast<const arrow::FixedSizeBinaryArray&>(bytes).GetView(i)
                                       : static_cast<const arrow::BinaryArray&>(bytes).GetView(i);
    auto decimal =
        Decimal::FromBigEndian(reinterpret_cast<const uint8_t*>(value.data()), static_cast<int32_t>(value.size()));
    if (!decimal.ok()) {
      return MakeError(ErrorKind::kCorrupt,
                       "a decimal of " + std::to_string(value.size()) + " bytes does not fit " + type->ToString());
    }
    decimal->ToBytes(out->mutable_data() + i * kWidth);
  }
  std::shared_ptr<Buffer> validity = bytes.null_count() > 0 ? bytes.null_bitmap() : nullptr;
  return arrow::MakeArray(
      ArrayData::Make(type, bytes.length(), {std::move(validity), std::move(out)}, bytes.null_count()));
}

Result<ArrayPtr> ToDecimal(const TypePtr& type, const Array& bytes) {
  switch (type->id()) {
    case arrow::Type::DECIMAL32:
      return BytesToDecimal<arrow::Decimal32>(type, bytes);
    case arrow::Type::DECIMAL64:
      return BytesToDecimal<arrow::Decimal64>(type, bytes);
    case arrow::Type::DECIMAL128:
      return BytesToDecimal<arrow::Decimal128>(type, bytes);
    default:
      return BytesToDecimal<arrow::Decimal256>(type, bytes);
  }
}

bool IsDecimal(const DataType& type) { return arrow::is_decimal(type.id()); }

Result<ArrayPtr> OneArray(const arrow::ArrayVector& chunks, const TypePtr& type) {
  if (chunks.empty()) return arrow::MakeEmptyArray(type);
  if (chunks.size() == 1) return chunks[0];
  auto joined = arrow::Concatenate(chunks);
  if (joined.ok()) return joined;
  return MakeError(ErrorKind::kBudget,
                   "the values of one batch do not fit one Arrow array: " + joined.status().message());
}

// A required field's array must not carry a bitmap, even an all-valid one.
ArrayPtr WithoutNulls(const ArrayPtr& array, bool nullable) {
  if (nullable || array->null_bitmap() == nullptr || array->null_count() > 0) return array;
  auto data = array->data()->Copy();
  data->buffers[0] = nullptr;
  data->null_count = 0;
  return arrow::MakeArray(std::move(data));
}

Result<ArrayPtr> FromBytes(pq::internal::RecordReader* reader, const pq::ColumnDescriptor& leaf, const TypePtr& type,
                           bool nullable) {
  auto* binary = dynamic_cast<pq::internal::BinaryRecordReader*>(reader);
  if (binary == nullptr) return Unsupported(leaf, *type);
  const bool fixed = leaf.physical_type() == pq::Type::FIXED_LEN_BYTE_ARRAY;
  const TypePtr stored =
      fixed ? arrow::fixed_size_binary(leaf.type_length()) : (IsDecimal(*type) ? arrow::binary() : type);
  ARROW_ASSIGN_OR_RAISE(auto bytes, OneArray(binary->GetBuilderChunks(), stored));
  bytes = WithoutNulls(bytes, nullable);
  if (IsDecimal(*type)) return ToDecimal(type, *bytes);
  if (bytes->type()->Equals(*type)) return bytes;
  return bytes->View(type);  // half float over two fixed bytes, text over binary: the same layout
}

Result<ArrayPtr> FromDictionary(pq::internal::RecordReader* reader, const pq::ColumnDescriptor& leaf,
                                const TypePtr& type) {
  auto* dictionary = dynamic_cast<pq::internal::DictionaryRecordReader*>(reader);
  if (dictionary == nullptr) return Unsupported(leaf, *type);
  auto chunked = dictionary->GetResult();
  arrow::ArrayVector chunks;
  for (const auto& chunk : chunked->chunks()) {
    ARROW_ASSIGN_OR_RAISE(auto viewed, chunk->type()->Equals(*type) ? Result<ArrayPtr>(chunk) : chunk->View(type));
    chunks.push_back(std::move(viewed));
  }
  return OneArray(chunks, type);
}

}  // namespace

Result<ArrayPtr> TakeValues(pq::internal::RecordReader* reader, const pq::ColumnDescriptor& leaf, const TypePtr& type,
                            bool nullable) {
  if (type->id() == arrow::Type::NA) return std::make_shared<arrow::NullArray>(reader->values_written());
  if (type->id() == arrow::Type::DICTIONARY) return FromDictionary(reader, leaf, type);
  switch (leaf.physical_type()) {
    case pq::Type::BOOLEAN:
      return FromBoolean(reader, type, nullable);
    case pq::Type::INT32:
      return FromInt32(reader, leaf, type, nullable);
    case pq::Type::INT64:
      return FromInt64(reader, leaf, type, nullable);
    case pq::Type::INT96:
      return FromInt96(reader, leaf, type, nullable);
    case pq::Type::FLOAT:
    case pq::Type::DOUBLE: {
      const Numbers numbers = Take(reader, nullable);
      return Make(type, numbers, numbers.values);
    }
    case pq::Type::BYTE_ARRAY:
    case pq::Type::FIXED_LEN_BYTE_ARRAY:
      return FromBytes(reader, leaf, type, nullable);
    default:
      return Unsupported(leaf, *type);
  }
}

}  // namespace frazil::parquet
