// SPDX-License-Identifier: Apache-2.0
#include "src/expr/leaf_matcher.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <arrow/extension_type.h>
#include <arrow/type.h>

#include "frazil/error.h"
#include "src/expr/row_mask.h"
#include "src/expr/value_matcher.h"

namespace frazil::expr {

namespace {

using MatcherResult = arrow::Result<std::unique_ptr<LeafMatcher>>;

// Values and a validity bitmap.
class PlainMatcher : public LeafMatcher {
 public:
  // Without `values`, every non-null row gets `fill`.
  PlainMatcher(std::unique_ptr<ValueMatcher> values, bool fill, bool matches_null, std::shared_ptr<arrow::Array> array)
      : values_(std::move(values)), fill_(fill), matches_null_(matches_null), array_(std::move(array)) {
    // Counting the nulls once spares a pass over the bitmap where a file has the column optional but full.
    if (array_->null_count() > 0) bitmap_ = array_->null_bitmap_data();
  }

  arrow::Status Match(int64_t begin, int64_t count, uint8_t* out) override {
    if (values_ != nullptr) {
      values_->Match(begin, count, out);
    } else {
      std::fill_n(out, count, static_cast<uint8_t>(fill_));
    }
    ApplyValidity(bitmap_, array_->offset() + begin, count, matches_null_, out);
    return arrow::Status::OK();
  }

 private:
  const std::unique_ptr<ValueMatcher> values_;
  const bool fill_;
  const bool matches_null_;
  const std::shared_ptr<arrow::Array> array_;
  const uint8_t* bitmap_ = nullptr;
};

// Rows are indexes into a dictionary. An entry is judged when it is first met, or all at once when there are no more
// of them than rows: a page of a few rows must not pay for a dictionary of a million.
class DictionaryMatcher : public LeafMatcher {
 public:
  DictionaryMatcher(std::unique_ptr<LeafMatcher> entries, bool matches_null,
                    std::shared_ptr<arrow::DictionaryArray> array)
      : entries_(std::move(entries)),
        matches_null_(matches_null),
        array_(std::move(array)),
        verdicts_(static_cast<size_t>(array_->dictionary()->length()), kUnknown) {
    if (array_->indices()->null_count() > 0) bitmap_ = array_->indices()->null_bitmap_data();
  }

  arrow::Status JudgeAllEntries() {
    if (verdicts_.empty()) return arrow::Status::OK();
    return entries_->Match(0, static_cast<int64_t>(verdicts_.size()), verdicts_.data());
  }
  bool has_few_entries() const { return array_->dictionary()->length() <= array_->length(); }

  arrow::Status Match(int64_t begin, int64_t count, uint8_t* out) override {
    const arrow::ArrayData& indices = *array_->indices()->data();
    switch (indices.type->id()) {
      case arrow::Type::INT8:
        return MatchIndices(indices.GetValues<int8_t>(1) + begin, begin, count, out);
      case arrow::Type::UINT8:
        return MatchIndices(indices.GetValues<uint8_t>(1) + begin, begin, count, out);
      case arrow::Type::INT16:
        return MatchIndices(indices.GetValues<int16_t>(1) + begin, begin, count, out);
      case arrow::Type::UINT16:
        return MatchIndices(indices.GetValues<uint16_t>(1) + begin, begin, count, out);
      case arrow::Type::INT32:
        return MatchIndices(indices.GetValues<int32_t>(1) + begin, begin, count, out);
      case arrow::Type::UINT32:
        return MatchIndices(indices.GetValues<uint32_t>(1) + begin, begin, count, out);
      case arrow::Type::INT64:
        return MatchIndices(indices.GetValues<int64_t>(1) + begin, begin, count, out);
      case arrow::Type::UINT64:
        return MatchIndices(indices.GetValues<uint64_t>(1) + begin, begin, count, out);
      default:
        return MakeError(ErrorKind::kInternal, "dictionary indices of type " + indices.type->ToString());
    }
  }

 private:
  static constexpr uint8_t kUnknown = 4;  // not judged yet
  static constexpr uint8_t kOutside = 2;  // no such entry; an error unless the row is null

  template <typename Index>
  arrow::Status MatchIndices(const Index* indices, int64_t begin, int64_t count, uint8_t* out) {
    const uint64_t entry_count = verdicts_.size();
    const uint8_t* verdicts = verdicts_.data();
    uint8_t seen = 0;
    for (int64_t i = 0; i < count; ++i) {
      // A negative index becomes a huge one.
      const auto index = static_cast<uint64_t>(static_cast<int64_t>(indices[i]));
      out[i] = index < entry_count ? verdicts[index] : kOutside;
      seen |= out[i];
    }
    ApplyValidity(bitmap_, array_->indices()->offset() + begin, count, matches_null_, out);
    if (seen <= 1) return arrow::Status::OK();
    for (int64_t i = 0; i < count; ++i) {
      if (out[i] <= 1) continue;
      if (out[i] == kOutside) {
        return MakeError(ErrorKind::kCorrupt, "dictionary index " + std::to_string(indices[i]) +
                                                  " is outside of a dictionary of " + std::to_string(entry_count) +
                                                  " entries");
      }
      uint8_t& verdict = verdicts_[static_cast<size_t>(indices[i])];
      if (verdict == kUnknown) ARROW_RETURN_NOT_OK(entries_->Match(static_cast<int64_t>(indices[i]), 1, &verdict));
      out[i] = verdict;
    }
    return arrow::Status::OK();
  }

  const std::unique_ptr<LeafMatcher> entries_;
  const bool matches_null_;
  const std::shared_ptr<arrow::DictionaryArray> array_;
  std::vector<uint8_t> verdicts_;  // by entry: 0, 1 or kUnknown
  const uint8_t* bitmap_ = nullptr;
};

MatcherResult MakeDictionaryMatcher(const Leaf& leaf, const ColumnType& type, std::shared_ptr<arrow::Array> array) {
  auto dictionary_array = std::static_pointer_cast<arrow::DictionaryArray>(std::move(array));
  ARROW_ASSIGN_OR_RAISE(auto entries, MakeLeafMatcher(leaf, type, dictionary_array->dictionary()));
  auto matcher =
      std::make_unique<DictionaryMatcher>(std::move(entries), leaf.matches_null, std::move(dictionary_array));
  if (matcher->has_few_entries()) ARROW_RETURN_NOT_OK(matcher->JudgeAllEntries());
  return matcher;
}

}  // namespace

arrow::Status ArrayDoesNotFit(const ColumnType& type, const arrow::Array& array) {
  return MakeError(ErrorKind::kInternal,
                   "a column of type " + type.ToString() + " was decoded as " + array.type()->ToString());
}

MatcherResult MakeLeafMatcher(const Leaf& leaf, const ColumnType& type, std::shared_ptr<arrow::Array> array) {
  switch (array->type_id()) {
    case arrow::Type::EXTENSION:
      return MakeLeafMatcher(leaf, type, static_cast<const arrow::ExtensionArray&>(*array).storage());
    case arrow::Type::DICTIONARY:
      return MakeDictionaryMatcher(leaf, type, std::move(array));
    case arrow::Type::NA:
      // All null, without a bitmap that says so.
      return std::make_unique<PlainMatcher>(nullptr, leaf.matches_null, leaf.matches_null, std::move(array));
    case arrow::Type::SPARSE_UNION:
    case arrow::Type::DENSE_UNION:
    case arrow::Type::RUN_END_ENCODED:
      // Their nulls are not in a bitmap; no Parquet column decodes to them.
      return ArrayDoesNotFit(type, *array);
    default:
      break;
  }
  if (leaf.is_exact() && (leaf.keys_all() || leaf.keys_empty())) {
    return std::make_unique<PlainMatcher>(nullptr, leaf.keys_all(), leaf.matches_null, std::move(array));
  }
  if (!type.is_comparable() || type.has_byte_keys() != std::holds_alternative<IntervalSet<std::string>>(leaf.keys)) {
    return ArrayDoesNotFit(type, *array);
  }
  std::unique_ptr<ValueMatcher> values;
  if (type.has_byte_keys()) {
    ARROW_ASSIGN_OR_RAISE(values, MakeBytesMatcher(leaf, type, *array));
  } else {
    ARROW_ASSIGN_OR_RAISE(values, MakeNumberMatcher(std::get<IntervalSet<Int128>>(leaf.keys), type, *array));
  }
  return std::make_unique<PlainMatcher>(std::move(values), false, leaf.matches_null, std::move(array));
}

}  // namespace frazil::expr
