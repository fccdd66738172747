// SPDX-License-Identifier: Apache-2.0
#include "src/layout/sort_key.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include <arrow/array.h>
#include <arrow/compute/cast.h>
#include <arrow/extension_type.h>
#include <arrow/visit_type_inline.h>

#include "frazil/error.h"
#include "src/base/text.h"
#include "src/expr/parse.h"

namespace frazil::layout {
namespace {

// Writes the values of one column into keys, row by row.
class PartWriter {
 public:
  virtual ~PartWriter() = default;
  virtual void Append(int64_t row, std::string* key) const = 0;
};

template <typename Unsigned>
void AppendBigEndian(Unsigned value, std::string* key) {
  char bytes[sizeof(Unsigned)];
  for (size_t i = 0; i < sizeof(Unsigned); ++i) {
    bytes[i] = static_cast<char>(value >> (8 * (sizeof(Unsigned) - 1 - i)));
  }
  key->append(bytes, sizeof(Unsigned));
}

// Signed integers, and what is stored as one.
template <typename Value>
void AppendOrdered(Value value, std::string* key) {
  using Unsigned = std::make_unsigned_t<Value>;
  constexpr Unsigned kSignBit =
      std::is_signed_v<Value> ? Unsigned(Unsigned{1} << (8 * sizeof(Value) - 1)) : Unsigned{0};
  AppendBigEndian<Unsigned>(static_cast<Unsigned>(static_cast<Unsigned>(value) ^ kSignBit), key);
}

// Floating-point bits: the negative ones in reverse, the others behind them.
template <typename Unsigned>
void AppendTotalOrder(Unsigned bits, std::string* key) {
  constexpr Unsigned kSignBit = Unsigned(Unsigned{1} << (8 * sizeof(Unsigned) - 1));
  AppendBigEndian<Unsigned>(static_cast<Unsigned>((bits & kSignBit) != 0 ? ~bits : bits | kSignBit), key);
}

void AppendEscaped(std::string_view value, std::string* key) {
  for (size_t begin = 0; begin <= value.size();) {
    const size_t zero = value.find('\0', begin);
    key->append(value.substr(begin, zero == std::string_view::npos ? zero : zero - begin));
    if (zero == std::string_view::npos) break;
    key->append("\0\xff", 2);
    begin = zero + 1;
  }
  key->append("\0\0", 2);
}

template <typename ArrayType>
void AppendValue(const ArrayType& array, int64_t row, std::string* key) {
  using Type = typename ArrayType::TypeClass;
  if constexpr (std::is_same_v<Type, arrow::BooleanType>) {
    key->push_back(array.Value(row) ? '\1' : '\0');
  } else if constexpr (std::is_same_v<Type, arrow::FloatType> || std::is_same_v<Type, arrow::DoubleType>) {
    std::conditional_t<std::is_same_v<Type, arrow::FloatType>, uint32_t, uint64_t> bits;
    const auto value = array.Value(row);
    std::memcpy(&bits, &value, sizeof(bits));
    AppendTotalOrder(bits, key);
  } else if constexpr (std::is_same_v<Type, arrow::HalfFloatType>) {
    AppendTotalOrder<uint16_t>(array.Value(row), key);
  } else if constexpr (arrow::is_decimal_type<Type>::value) {
    // Little-endian two's complement in Arrow's arrays.
    const auto* bytes = reinterpret_cast<const char*>(array.GetValue(row));
    const size_t begin = key->size();
    key->append(std::make_reverse_iterator(bytes + array.byte_width()), std::make_reverse_iterator(bytes));
    (*key)[begin] = static_cast<char>((*key)[begin] ^ '\x80');
  } else if constexpr (std::is_same_v<Type, arrow::FixedSizeBinaryType>) {
    key->append(array.GetView(row));
  } else if constexpr (arrow::is_base_binary_type<Type>::value || arrow::is_binary_view_like_type<Type>::value) {
    AppendEscaped(array.GetView(row), key);
  } else {
    AppendOrdered(array.Value(row), key);
  }
}

template <typename ArrayType>
class TypedWriter : public PartWriter {
 public:
  TypedWriter(std::shared_ptr<arrow::Array> array, const SortColumn& column)
      : owner_(std::move(array)),
        array_(static_cast<const ArrayType&>(*owner_)),
        descending_(column.descending),
        null_(column.nulls_first ? '\0' : '\1') {}

  void Append(int64_t row, std::string* key) const override {
    const bool is_null = array_.IsNull(row);
    key->push_back(is_null ? null_ : static_cast<char>(null_ ^ 1));
    if (is_null) return;
    const size_t begin = key->size();
    AppendValue(array_, row, key);
    if (!descending_) return;
    for (size_t i = begin; i < key->size(); ++i) (*key)[i] = static_cast<char>(~(*key)[i]);
  }

 private:
  std::shared_ptr<arrow::Array> owner_;
  const ArrayType& array_;
  bool descending_;
  char null_;
};

struct WriterMaker {
  template <typename Type>
  arrow::Status Visit(const Type& type) {
    constexpr bool kOrdered = std::is_same_v<Type, arrow::BooleanType> || arrow::is_floating_type<Type>::value ||
                              arrow::is_integer_type<Type>::value || arrow::is_date_type<Type>::value ||
                              arrow::is_time_type<Type>::value || arrow::is_timestamp_type<Type>::value ||
                              arrow::is_duration_type<Type>::value || arrow::is_decimal_type<Type>::value ||
                              arrow::is_base_binary_type<Type>::value || arrow::is_binary_view_like_type<Type>::value ||
                              std::is_same_v<Type, arrow::FixedSizeBinaryType>;
    if constexpr (kOrdered) {
      if (array == nullptr) return arrow::Status::OK();
      made = std::make_unique<TypedWriter<typename arrow::TypeTraits<Type>::ArrayType>>(array, *column);
      return arrow::Status::OK();
    } else {
      return MakeError(ErrorKind::kUsage, "can not sort by a column of type " + type.ToString());
    }
  }

  std::shared_ptr<arrow::Array> array;  // null: only ask whether the type has an order
  const SortColumn* column = nullptr;
  std::unique_ptr<PartWriter> made;
};

// Without extension and dictionary.
const arrow::DataType& StorageOf(const arrow::DataType& type) {
  if (type.id() == arrow::Type::EXTENSION) {
    return StorageOf(*static_cast<const arrow::ExtensionType&>(type).storage_type());
  }
  if (type.id() == arrow::Type::DICTIONARY) {
    return StorageOf(*static_cast<const arrow::DictionaryType&>(type).value_type());
  }
  return type;
}

arrow::Result<std::shared_ptr<arrow::Array>> PlainValues(std::shared_ptr<arrow::Array> array) {
  if (array->type_id() == arrow::Type::EXTENSION) {
    return PlainValues(static_cast<const arrow::ExtensionArray&>(*array).storage());
  }
  if (array->type_id() == arrow::Type::DICTIONARY) {
    ARROW_ASSIGN_OR_RAISE(
        array, arrow::compute::Cast(*array, static_cast<const arrow::DictionaryType&>(*array->type()).value_type()));
    return PlainValues(std::move(array));
  }
  return array;
}

arrow::Result<std::shared_ptr<arrow::Array>> ValuesAt(const arrow::RecordBatch& batch, const std::vector<int>& path) {
  std::shared_ptr<arrow::Array> array = batch.column(path[0]);
  for (size_t i = 1; i < path.size(); ++i) {
    // With the nulls of the struct.
    ARROW_ASSIGN_OR_RAISE(array, static_cast<const arrow::StructArray&>(*array).GetFlattenedField(path[i]));
  }
  return PlainValues(std::move(array));
}

arrow::Result<std::vector<int>> FindField(const arrow::Schema& schema, const std::string& path_text) {
  ARROW_ASSIGN_OR_RAISE(const auto path, expr::ParseColumnPath(path_text));
  std::vector<int> found;
  const arrow::FieldVector* fields = &schema.fields();
  for (const std::string& part : path.parts) {
    std::vector<std::string> names;
    for (const auto& field : *fields) names.push_back(field->name());
    const auto at = std::find(names.begin(), names.end(), part);
    if (at == names.end()) {
      const auto near = NearMatches(part, names, 3);
      std::string text = "sort: there is no column " + path_text;
      for (size_t i = 0; i < near.size(); ++i) text += (i == 0 ? "; did you mean " : " or ") + names[near[i]];
      return MakeError(ErrorKind::kUsage, text + (near.empty() ? "" : "?"));
    }
    found.push_back(static_cast<int>(at - names.begin()));
    const arrow::DataType& type = *(*fields)[static_cast<size_t>(found.back())]->type();
    static const arrow::FieldVector kNone;
    fields = type.id() == arrow::Type::STRUCT ? &type.fields() : &kNone;
  }
  return found;
}

}  // namespace

arrow::Result<SortKeyEncoder> SortKeyEncoder::Make(const arrow::Schema& schema,
                                                   const std::vector<SortColumn>& columns) {
  SortKeyEncoder encoder;
  for (const SortColumn& column : columns) {
    ARROW_ASSIGN_OR_RAISE(auto path, FindField(schema, column.column));
    std::shared_ptr<arrow::Field> field = schema.field(path[0]);
    for (size_t i = 1; i < path.size(); ++i) field = field->type()->field(path[i]);
    WriterMaker maker;
    ErrorPlace place;
    place.column = column.column;
    const arrow::Status status = arrow::VisitTypeInline(StorageOf(*field->type()), &maker);
    if (!status.ok()) return AddPlace(status, place);
    encoder.parts_.push_back({std::move(path), column});
  }
  return encoder;
}

arrow::Status SortKeyEncoder::Append(const arrow::RecordBatch& batch, SortKeys* keys) const {
  std::vector<std::unique_ptr<PartWriter>> writers;
  for (const Part& part : parts_) {
    WriterMaker maker;
    ARROW_ASSIGN_OR_RAISE(maker.array, ValuesAt(batch, part.path));
    maker.column = &part.column;
    ARROW_RETURN_NOT_OK(arrow::VisitTypeInline(*maker.array->type(), &maker));
    writers.push_back(std::move(maker.made));
  }
  for (int64_t row = 0; row < batch.num_rows(); ++row) {
    for (const auto& writer : writers) writer->Append(row, &keys->bytes_);
    keys->ends_.push_back(keys->bytes_.size());
  }
  return arrow::Status::OK();
}

}  // namespace frazil::layout
