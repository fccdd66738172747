// SPDX-License-Identifier: Apache-2.0
#include "src/cli/format/nested_cell.h"

#include <utility>

#include "frazil/error.h"
#include "src/cli/format/json_text.h"
#include "src/cli/format/value_text.h"

namespace frazil::cli {

namespace {

using CellPointer = std::unique_ptr<CellAppender>;

arrow::Result<CellPointer> MakeChild(const std::shared_ptr<arrow::Array>& array, const CellOptions& options) {
  return MakeCellAppender(array, {CellStyle::kJson, options.cell_bytes_max});
}

class StructCell final : public CellAppender {
 public:
  StructCell(std::shared_ptr<arrow::Array> array, std::vector<std::string> keys, std::vector<CellPointer> fields)
      : CellAppender(std::move(array), CellStyle::kJson), keys_(std::move(keys)), fields_(std::move(fields)) {}

  void AppendCell(int64_t row, std::string& out) override {
    if (!IsValidAt(row)) return AppendNull(out);
    out += '{';
    for (size_t i = 0; i < fields_.size(); ++i) {
      if (i > 0) out += ',';
      out += keys_[i];
      fields_[i]->AppendCell(row, out);
    }
    out += '}';
  }

 private:
  std::vector<std::string> keys_;  // "name": with quotes and colon
  std::vector<CellPointer> fields_;
};

// Every kind of list: they differ only in where a row's values lie.
template <typename ListArrayType>
class ListCell final : public CellAppender {
 public:
  ListCell(const std::shared_ptr<arrow::Array>& array, CellPointer values, size_t cell_bytes_max)
      : CellAppender(array, CellStyle::kJson),
        list_(static_cast<const ListArrayType&>(*array)),
        values_(std::move(values)),
        cell_bytes_max_(cell_bytes_max) {}

  void AppendCell(int64_t row, std::string& out) override {
    if (!IsValidAt(row)) return AppendNull(out);
    const size_t size_before = out.size();
    const int64_t begin = list_.value_offset(row);
    const int64_t end = begin + list_.value_length(row);
    out += '[';
    for (int64_t i = begin; i < end; ++i) {
      if (i > begin) out += ',';
      values_->AppendCell(i, out);
      if (out.size() - size_before > cell_bytes_max_) break;
    }
    out += ']';
  }

 private:
  const ListArrayType& list_;
  CellPointer values_;
  size_t cell_bytes_max_;
};

// The entry of a map: a pair, not an object, because a key may be of any type and may repeat.
class PairCell final : public CellAppender {
 public:
  PairCell(std::shared_ptr<arrow::Array> array, CellPointer key, CellPointer value)
      : CellAppender(std::move(array), CellStyle::kJson), key_(std::move(key)), value_(std::move(value)) {}

  void AppendCell(int64_t row, std::string& out) override {
    out += '[';
    key_->AppendCell(row, out);
    out += ',';
    value_->AppendCell(row, out);
    out += ']';
  }

 private:
  CellPointer key_;
  CellPointer value_;
};

// JSON text as a CSV field.
class QuotedCell final : public CellAppender {
 public:
  QuotedCell(std::shared_ptr<arrow::Array> array, CellPointer json)
      : CellAppender(std::move(array), CellStyle::kCsv), json_(std::move(json)) {}

  void AppendCell(int64_t row, std::string& out) override {
    if (!IsValidAt(row)) return AppendNull(out);
    scratch_.clear();
    json_->AppendCell(row, scratch_);
    AppendCsvField(scratch_, out);
  }

 private:
  CellPointer json_;
  std::string scratch_;
};

// JSON text as it is, but for the null.
class PreviewCell final : public CellAppender {
 public:
  PreviewCell(std::shared_ptr<arrow::Array> array, CellPointer json)
      : CellAppender(std::move(array), CellStyle::kText), json_(std::move(json)) {}

  void AppendCell(int64_t row, std::string& out) override {
    if (!IsValidAt(row)) return AppendNull(out);
    json_->AppendCell(row, out);
  }

 private:
  CellPointer json_;
};

arrow::Result<CellPointer> MakeStruct(const std::shared_ptr<arrow::Array>& array, const CellOptions& options) {
  const auto& struct_array = static_cast<const arrow::StructArray&>(*array);
  std::vector<std::string> keys;
  std::vector<CellPointer> fields;
  for (int i = 0; i < struct_array.num_fields(); ++i) {
    std::string& key = keys.emplace_back();
    AppendJsonString(array->type()->field(i)->name(), key);
    key += ':';
    // field(i) applies the offset of the struct, so that rows of both agree.
    ARROW_ASSIGN_OR_RAISE(fields.emplace_back(), MakeChild(struct_array.field(i), options));
  }
  return std::make_unique<StructCell>(array, std::move(keys), std::move(fields));
}

template <typename ListArrayType>
arrow::Result<CellPointer> MakeList(const std::shared_ptr<arrow::Array>& array, const CellOptions& options) {
  // values() is the whole child: value_offset(row) is relative to it, whatever the slice.
  ARROW_ASSIGN_OR_RAISE(CellPointer values, MakeChild(static_cast<const ListArrayType&>(*array).values(), options));
  return std::make_unique<ListCell<ListArrayType>>(array, std::move(values), options.cell_bytes_max);
}

arrow::Result<CellPointer> MakeMap(const std::shared_ptr<arrow::Array>& array, const CellOptions& options) {
  // The entries are taken as a struct, not by keys() and items(), which ignore an offset of that struct.
  const std::shared_ptr<arrow::Array>& entries = static_cast<const arrow::MapArray&>(*array).values();
  const auto& pairs = static_cast<const arrow::StructArray&>(*entries);
  ARROW_ASSIGN_OR_RAISE(CellPointer key, MakeChild(pairs.field(0), options));
  ARROW_ASSIGN_OR_RAISE(CellPointer value, MakeChild(pairs.field(1), options));
  auto pair = std::make_unique<PairCell>(entries, std::move(key), std::move(value));
  return std::make_unique<ListCell<arrow::MapArray>>(array, std::move(pair), options.cell_bytes_max);
}

arrow::Result<CellPointer> MakeJson(const std::shared_ptr<arrow::Array>& array, const CellOptions& options) {
  switch (array->type_id()) {
    case arrow::Type::STRUCT:
      return MakeStruct(array, options);
    case arrow::Type::LIST:
      return MakeList<arrow::ListArray>(array, options);
    case arrow::Type::LARGE_LIST:
      return MakeList<arrow::LargeListArray>(array, options);
    case arrow::Type::FIXED_SIZE_LIST:
      return MakeList<arrow::FixedSizeListArray>(array, options);
    case arrow::Type::LIST_VIEW:
      return MakeList<arrow::ListViewArray>(array, options);
    case arrow::Type::LARGE_LIST_VIEW:
      return MakeList<arrow::LargeListViewArray>(array, options);
    case arrow::Type::MAP:
      return MakeMap(array, options);
    default:
      return MakeError(ErrorKind::kInternal, "not a nested type: " + array->type()->ToString());
  }
}

}  // namespace

arrow::Result<CellPointer> MakeNestedCell(const std::shared_ptr<arrow::Array>& array, const CellOptions& options) {
  ARROW_ASSIGN_OR_RAISE(CellPointer json, MakeJson(array, options));
  switch (options.style) {
    case CellStyle::kJson:
      return json;
    case CellStyle::kCsv:
      return std::make_unique<QuotedCell>(array, std::move(json));
    case CellStyle::kText:
      return std::make_unique<PreviewCell>(array, std::move(json));
  }
  return json;
}

}  // namespace frazil::cli
