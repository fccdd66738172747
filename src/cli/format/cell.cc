// SPDX-License-Identifier: Apache-2.0
#include "src/cli/format/cell.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include <arrow/extension_type.h>
#include <arrow/record_batch.h>
#include <arrow/util/float16.h>

#include "frazil/error.h"
#include "src/cli/format/json_text.h"
#include "src/cli/format/nested_cell.h"
#include "src/cli/format/value_text.h"

namespace frazil::cli {

namespace {

using ArrayPointer = std::shared_ptr<arrow::Array>;
using CellPointer = std::unique_ptr<CellAppender>;

std::string_view NullText(CellStyle style) {
  switch (style) {
    case CellStyle::kJson:
      return "null";
    case CellStyle::kCsv:
      return "";
    case CellStyle::kText:
      return "NULL";
  }
  return "";
}

// A value by value printer: `Print` is called as print(array, row, out) for valid rows only.
template <typename ArrayType, typename Print>
class ScalarCell final : public CellAppender {
 public:
  ScalarCell(const ArrayPointer& array, CellStyle style, Print print, std::string_view quote)
      : CellAppender(array, style),
        array_(static_cast<const ArrayType&>(*array)),
        print_(std::move(print)),
        quote_(quote) {}

  void AppendCell(int64_t row, std::string& out) override {
    if (!IsValidAt(row)) return AppendNull(out);
    out += quote_;
    print_(array_, row, out);
    out += quote_;
  }

 private:
  const ArrayType& array_;
  Print print_;
  std::string_view quote_;
};

template <typename ArrayType, typename Print>
CellPointer MakeBare(const ArrayPointer& array, CellStyle style, Print print) {
  return std::make_unique<ScalarCell<ArrayType, Print>>(array, style, std::move(print), "");
}

// For texts that JSON has no other form for: quoted there, and nothing in them ever needs an escape.
template <typename ArrayType, typename Print>
CellPointer MakeQuoted(const ArrayPointer& array, CellStyle style, Print print) {
  const std::string_view quote = style == CellStyle::kJson ? "\"" : "";
  return std::make_unique<ScalarCell<ArrayType, Print>>(array, style, std::move(print), quote);
}

class NullCell final : public CellAppender {
 public:
  NullCell(const ArrayPointer& array, CellStyle style) : CellAppender(array, style) {}
  void AppendCell(int64_t, std::string& out) override { AppendNull(out); }
  bool IsNull(int64_t) const override { return true; }
};

class DictionaryCell final : public CellAppender {
 public:
  DictionaryCell(const ArrayPointer& array, CellStyle style, CellPointer dictionary)
      : CellAppender(array, style),
        array_(static_cast<const arrow::DictionaryArray&>(*array)),
        dictionary_(std::move(dictionary)) {}

  void AppendCell(int64_t row, std::string& out) override {
    if (!IsValidAt(row)) return AppendNull(out);
    dictionary_->AppendCell(array_.GetValueIndex(row), out);
  }
  bool IsNull(int64_t row) const override { return !IsValidAt(row) || dictionary_->IsNull(array_.GetValueIndex(row)); }

 private:
  const arrow::DictionaryArray& array_;
  CellPointer dictionary_;
};

template <typename RunEndArrayType>
class RunEndCell final : public CellAppender {
 public:
  RunEndCell(const ArrayPointer& array, CellStyle style, CellPointer values)
      : CellAppender(array, style),
        offset_(array->offset()),
        run_ends_(
            static_cast<const RunEndArrayType&>(*static_cast<const arrow::RunEndEncodedArray&>(*array).run_ends())),
        values_(std::move(values)) {}

  void AppendCell(int64_t row, std::string& out) override { values_->AppendCell(RunOf(row), out); }
  bool IsNull(int64_t row) const override { return values_->IsNull(RunOf(row)); }

 private:
  // Run ends count from the start of the unsliced array.
  int64_t RunOf(int64_t row) const {
    const auto* begin = run_ends_.raw_values();
    return std::upper_bound(begin, begin + run_ends_.length(), row + offset_) - begin;
  }

  int64_t offset_;
  const RunEndArrayType& run_ends_;
  CellPointer values_;
};

template <typename ArrayType>
CellPointer MakeIntegers(const ArrayPointer& array, CellStyle style) {
  return MakeBare<ArrayType>(array, style, [](const ArrayType& values, int64_t row, std::string& out) {
    AppendInteger(values.Value(row), out);
  });
}

template <typename ArrayType>
CellPointer MakeFloats(const ArrayPointer& array, CellStyle style) {
  const NonFiniteText non_finite = style == CellStyle::kJson ? NonFiniteText::kQuoted : NonFiniteText::kBare;
  return MakeBare<ArrayType>(array, style, [non_finite](const ArrayType& values, int64_t row, std::string& out) {
    if constexpr (std::is_same_v<ArrayType, arrow::HalfFloatArray>) {
      AppendFloating(arrow::util::Float16::FromBits(values.Value(row)).ToFloat(), non_finite, out);
    } else {
      AppendFloating(values.Value(row), non_finite, out);
    }
  });
}

CellPointer MakeDecimals(const ArrayPointer& array, CellStyle style) {
  const auto& type = static_cast<const arrow::DecimalType&>(*array->type());
  return MakeBare<arrow::FixedSizeBinaryArray>(
      array, style,
      [byte_width = type.byte_width(), scale = type.scale()](const arrow::FixedSizeBinaryArray& values, int64_t row,
                                                             std::string& out) {
        AppendDecimal(values.GetValue(row), byte_width, scale, out);
      });
}

// Null when the type is no number.
CellPointer MakeNumberCell(const ArrayPointer& array, CellStyle style) {
  switch (array->type_id()) {
    case arrow::Type::INT8:
      return MakeIntegers<arrow::Int8Array>(array, style);
    case arrow::Type::INT16:
      return MakeIntegers<arrow::Int16Array>(array, style);
    case arrow::Type::INT32:
      return MakeIntegers<arrow::Int32Array>(array, style);
    case arrow::Type::INT64:
      return MakeIntegers<arrow::Int64Array>(array, style);
    case arrow::Type::UINT8:
      return MakeIntegers<arrow::UInt8Array>(array, style);
    case arrow::Type::UINT16:
      return MakeIntegers<arrow::UInt16Array>(array, style);
    case arrow::Type::UINT32:
      return MakeIntegers<arrow::UInt32Array>(array, style);
    case arrow::Type::UINT64:
      return MakeIntegers<arrow::UInt64Array>(array, style);
    case arrow::Type::HALF_FLOAT:
      return MakeFloats<arrow::HalfFloatArray>(array, style);
    case arrow::Type::FLOAT:
      return MakeFloats<arrow::FloatArray>(array, style);
    case arrow::Type::DOUBLE:
      return MakeFloats<arrow::DoubleArray>(array, style);
    case arrow::Type::DECIMAL32:
    case arrow::Type::DECIMAL64:
    case arrow::Type::DECIMAL128:
    case arrow::Type::DECIMAL256:
      return MakeDecimals(array, style);
    default:
      return nullptr;
  }
}

template <typename ArrayType>
CellPointer MakeTimes(const ArrayPointer& array, CellStyle style, arrow::TimeUnit::type unit) {
  return MakeQuoted<ArrayType>(array, style, [unit](const ArrayType& values, int64_t row, std::string& out) {
    AppendTime(values.Value(row), unit, out);
  });
}

// Null when the type is no date, time or interval.
CellPointer MakeTemporalCell(const ArrayPointer& array, CellStyle style) {
  const arrow::DataType& type = *array->type();
  switch (type.id()) {
    case arrow::Type::DATE32:
      return MakeQuoted<arrow::Date32Array>(
          array, style, [](const auto& values, int64_t row, std::string& out) { AppendDate(values.Value(row), out); });
    case arrow::Type::DATE64:
      return MakeQuoted<arrow::Date64Array>(array, style, [](const auto& values, int64_t row, std::string& out) {
        // Milliseconds; the format demands whole days, and a stray time of day belongs to the day it is in.
        constexpr int64_t kMillisPerDay = 86'400'000;
        const int64_t value = values.Value(row);
        AppendDate(value / kMillisPerDay - (value % kMillisPerDay < 0 ? 1 : 0), out);
      });
    case arrow::Type::TIME32:
      return MakeTimes<arrow::Time32Array>(array, style, static_cast<const arrow::TimeType&>(type).unit());
    case arrow::Type::TIME64:
      return MakeTimes<arrow::Time64Array>(array, style, static_cast<const arrow::TimeType&>(type).unit());
    case arrow::Type::TIMESTAMP: {
      const auto& timestamp = static_cast<const arrow::TimestampType&>(type);
      const bool utc = !timestamp.timezone().empty();
      return MakeQuoted<arrow::TimestampArray>(
          array, style, [unit = timestamp.unit(), utc](const auto& values, int64_t row, std::string& out) {
            AppendTimestamp(values.Value(row), unit, utc, out);
          });
    }
    case arrow::Type::DURATION:
      return MakeQuoted<arrow::DurationArray>(
          array, style,
          [unit = static_cast<const arrow::DurationType&>(type).unit()](
              const auto& values, int64_t row, std::string& out) { AppendDuration(values.Value(row), unit, out); });
    case arrow::Type::INTERVAL_MONTHS:
      return MakeQuoted<arrow::MonthIntervalArray>(array, style, [](const auto& values, int64_t row, std::string& out) {
        AppendInterval(values.Value(row), 0, 0, arrow::TimeUnit::SECOND, out);
      });
    case arrow::Type::INTERVAL_DAY_TIME:
      return MakeQuoted<arrow::DayTimeIntervalArray>(
          array, style, [](const auto& values, int64_t row, std::string& out) {
            const auto value = values.GetValue(row);
            AppendInterval(0, value.days, value.milliseconds, arrow::TimeUnit::MILLI, out);
          });
    case arrow::Type::INTERVAL_MONTH_DAY_NANO:
      return MakeQuoted<arrow::MonthDayNanoIntervalArray>(
          array, style, [](const auto& values, int64_t row, std::string& out) {
            const auto value = values.GetValue(row);
            AppendInterval(value.months, value.days, value.nanoseconds, arrow::TimeUnit::NANO, out);
          });
    default:
      return nullptr;
  }
}

template <typename ArrayType>
CellPointer MakeTexts(const ArrayPointer& array, const CellOptions& options) {
  const size_t bytes_max = options.cell_bytes_max;
  switch (options.style) {
    case CellStyle::kJson:
      return MakeBare<ArrayType>(array, options.style, [bytes_max](const auto& texts, int64_t row, std::string& out) {
        AppendJsonString(std::string_view(texts.GetView(row)).substr(0, bytes_max), out);
      });
    case CellStyle::kCsv:
      return MakeBare<ArrayType>(array, options.style, [bytes_max](const auto& texts, int64_t row, std::string& out) {
        AppendCsvField(std::string_view(texts.GetView(row)).substr(0, bytes_max), out);
      });
    case CellStyle::kText:
      break;
  }
  return MakeBare<ArrayType>(array, options.style, [bytes_max](const auto& texts, int64_t row, std::string& out) {
    out += std::string_view(texts.GetView(row)).substr(0, bytes_max);
  });
}

template <typename ArrayType>
CellPointer MakeBytes(const ArrayPointer& array, const CellOptions& options) {
  return MakeQuoted<ArrayType>(array, options.style,
                               [bytes_max = options.cell_bytes_max](const auto& bytes, int64_t row, std::string& out) {
                                 AppendHex(std::string_view(bytes.GetView(row)).substr(0, bytes_max), out);
                               });
}

// Null when the type is neither bool, text nor bytes.
CellPointer MakeFlatCell(const ArrayPointer& array, const CellOptions& options) {
  switch (array->type_id()) {
    case arrow::Type::NA:
      return std::make_unique<NullCell>(array, options.style);
    case arrow::Type::BOOL:
      return MakeBare<arrow::BooleanArray>(array, options.style, [](const auto& values, int64_t row, std::string& out) {
        out += values.Value(row) ? "true" : "false";
      });
    case arrow::Type::STRING:
      return MakeTexts<arrow::StringArray>(array, options);
    case arrow::Type::LARGE_STRING:
      return MakeTexts<arrow::LargeStringArray>(array, options);
    case arrow::Type::STRING_VIEW:
      return MakeTexts<arrow::StringViewArray>(array, options);
    case arrow::Type::BINARY:
      return MakeBytes<arrow::BinaryArray>(array, options);
    case arrow::Type::LARGE_BINARY:
      return MakeBytes<arrow::LargeBinaryArray>(array, options);
    case arrow::Type::BINARY_VIEW:
      return MakeBytes<arrow::BinaryViewArray>(array, options);
    case arrow::Type::FIXED_SIZE_BINARY:
      return MakeBytes<arrow::FixedSizeBinaryArray>(array, options);
    default:
      return nullptr;
  }
}

bool IsUuid(const arrow::ExtensionType& type) {
  return type.extension_name() == "arrow.uuid" && type.storage_type()->id() == arrow::Type::FIXED_SIZE_BINARY &&
         static_cast<const arrow::FixedSizeBinaryType&>(*type.storage_type()).byte_width() == 16;
}

arrow::Result<CellPointer> MakeExtensionCell(const ArrayPointer& array, const CellOptions& options) {
  const ArrayPointer& storage = static_cast<const arrow::ExtensionArray&>(*array).storage();
  if (!IsUuid(static_cast<const arrow::ExtensionType&>(*array->type()))) return MakeCellAppender(storage, options);
  return MakeQuoted<arrow::FixedSizeBinaryArray>(
      storage, options.style,
      [](const auto& values, int64_t row, std::string& out) { AppendUuid(values.GetView(row), out); });
}

arrow::Result<CellPointer> MakeRunEndCell(const ArrayPointer& array, const CellOptions& options) {
  const auto& run_end_encoded = static_cast<const arrow::RunEndEncodedArray&>(*array);
  ARROW_ASSIGN_OR_RAISE(CellPointer values, MakeCellAppender(run_end_encoded.values(), options));
  switch (run_end_encoded.run_ends()->type_id()) {
    case arrow::Type::INT16:
      return std::make_unique<RunEndCell<arrow::Int16Array>>(array, options.style, std::move(values));
    case arrow::Type::INT32:
      return std::make_unique<RunEndCell<arrow::Int32Array>>(array, options.style, std::move(values));
    default:
      return std::make_unique<RunEndCell<arrow::Int64Array>>(array, options.style, std::move(values));
  }
}

arrow::Status CheckPrintableAtDepth(const arrow::DataType& type, int depth) {
  if (depth > kTypeDepthMax) {
    return MakeError(ErrorKind::kUnsupported, "type nested more than " + std::to_string(kTypeDepthMax) + " deep");
  }
  if (arrow::is_decimal(type.id())) {
    const int scale = static_cast<const arrow::DecimalType&>(type).scale();
    if (scale > kDecimalScaleMax || scale < -kDecimalScaleMax) {
      return MakeError(ErrorKind::kUnsupported, "decimal of scale " + std::to_string(scale));
    }
  }
  switch (type.id()) {
    case arrow::Type::SPARSE_UNION:
    case arrow::Type::DENSE_UNION:
      return MakeError(ErrorKind::kUnsupported, "values of type " + type.ToString() + " have no text form");
    case arrow::Type::EXTENSION:
      return CheckPrintableAtDepth(*static_cast<const arrow::ExtensionType&>(type).storage_type(), depth + 1);
    case arrow::Type::DICTIONARY:
      return CheckPrintableAtDepth(*static_cast<const arrow::DictionaryType&>(type).value_type(), depth + 1);
    default:
      break;
  }
  for (const auto& field : type.fields()) ARROW_RETURN_NOT_OK(CheckPrintableAtDepth(*field->type(), depth + 1));
  return arrow::Status::OK();
}

}  // namespace

CellAppender::CellAppender(std::shared_ptr<arrow::Array> array, CellStyle style)
    : array_(std::move(array)),
      validity_(array_->null_bitmap_data()),
      bit_offset_(array_->offset()),
      null_text_(NullText(style)) {}

arrow::Result<CellPointer> MakeCellAppender(const ArrayPointer& array, const CellOptions& options) {
  if (CellPointer cell = MakeFlatCell(array, options)) return cell;
  if (CellPointer cell = MakeNumberCell(array, options.style)) return cell;
  if (CellPointer cell = MakeTemporalCell(array, options.style)) return cell;
  switch (array->type_id()) {
    case arrow::Type::DICTIONARY: {
      const auto& dictionary = static_cast<const arrow::DictionaryArray&>(*array).dictionary();
      ARROW_ASSIGN_OR_RAISE(CellPointer values, MakeCellAppender(dictionary, options));
      return std::make_unique<DictionaryCell>(array, options.style, std::move(values));
    }
    case arrow::Type::EXTENSION:
      return MakeExtensionCell(array, options);
    case arrow::Type::RUN_END_ENCODED:
      return MakeRunEndCell(array, options);
    case arrow::Type::SPARSE_UNION:
    case arrow::Type::DENSE_UNION:
      return CheckPrintable(*array->type());
    default:
      return MakeNestedCell(array, options);
  }
}

arrow::Result<std::vector<CellPointer>> MakeCellAppenders(const arrow::RecordBatch& batch, const CellOptions& options) {
  std::vector<CellPointer> cells;
  for (int i = 0; i < batch.num_columns(); ++i) {
    ARROW_ASSIGN_OR_RAISE(cells.emplace_back(), MakeCellAppender(batch.column(i), options));
  }
  return cells;
}

arrow::Status CheckPrintable(const arrow::DataType& type) { return CheckPrintableAtDepth(type, 0); }

arrow::Status CheckPrintable(const arrow::Schema& schema) {
  for (const auto& field : schema.fields()) {
    arrow::Status status = CheckPrintable(*field->type());
    if (status.ok()) continue;
    ErrorPlace place;
    place.column = field->name();
    return AddPlace(std::move(status), place);
  }
  return arrow::Status::OK();
}

}  // namespace frazil::cli
