// SPDX-License-Identifier: Apache-2.0

#include "src/parquet/page_index.h"

#include <algorithm>
#include <utility>

#include "src/parquet/thrift.h"

namespace frazil::parquet {

namespace {

using Fields = CompactReader::Fields;
using Type = CompactReader::Type;

// Three fields of two bytes or more, and a stop byte.
constexpr int64_t kPageLocationBytesMin = 7;

arrow::Status Corrupt(std::string text) { return MakeError(ErrorKind::kCorrupt, std::move(text)); }

arrow::Status CorruptPage(size_t page, const char* text) {
  return Corrupt("page " + std::to_string(page) + ": " + text);
}

// A page that lacks a field keeps the -1 that no check lets pass.
PageLocation ReadPageLocation(CompactReader& r) {
  PageLocation page{-1, -1, -1};
  for (Fields f(r); f.Next();) {
    switch (f.id()) {
      case 1:
        page.offset = r.I64If(f).value_or(-1);
        break;
      case 2:
        page.compressed_page_size = r.I32If(f).value_or(-1);
        break;
      case 3:
        page.first_row_index = r.I64If(f).value_or(-1);
        break;
      default:
        r.Skip(f.type());
    }
  }
  return page;
}

arrow::Status CheckPages(const OffsetIndex& index, const ByteRange& chunk_range) {
  if (index.pages.empty()) return index.row_count == 0 ? arrow::Status::OK() : Corrupt("no pages");
  if (index.pages[0].first_row_index != 0) return CorruptPage(0, "does not begin at row 0");
  int64_t free_offset = chunk_range.offset;
  int64_t row = 0;
  for (size_t i = 0; i < index.pages.size(); ++i) {
    const PageLocation& page = index.pages[i];
    if (page.compressed_page_size <= 0) return CorruptPage(i, "its size is not positive");
    if (page.offset < free_offset) {
      return CorruptPage(i, i == 0 ? "begins before its column chunk" : "begins before the page in front of it ends");
    }
    if (page.offset > chunk_range.end() - page.compressed_page_size) {
      return CorruptPage(i, "ends after its column chunk");
    }
    if (page.first_row_index < row) return CorruptPage(i, "its first row lies before that of the page in front of it");
    if (page.first_row_index > index.row_count) return CorruptPage(i, "its first row lies after the last row");
    free_offset = page.offset + page.compressed_page_size;
    row = page.first_row_index;
  }
  return arrow::Status::OK();
}

// The lists of a ColumnIndex as stored. They are read at most to `page_count` entries and must have just as many.
class ColumnIndexReader {
 public:
  ColumnIndexReader(const BoundsDecoder& decoder, const OffsetIndex& offsets, int max_definition_level)
      : decoder_(decoder),
        offsets_(offsets),
        page_count_(offsets.pages.size()),
        level_count_(static_cast<size_t>(max_definition_level) + 1) {}

  arrow::Result<ColumnIndex> Read(std::string_view bytes);

 private:
  struct BoundsList {
    bool present = false;
    std::vector<std::string_view> values;
  };

  arrow::Status ReadNullPages(CompactReader& r, const Fields& field);
  arrow::Status ReadBounds(CompactReader& r, const Fields& field, const char* name, BoundsList* list);
  arrow::Status ReadCounts(CompactReader& r, const Fields& field, const char* name, size_t size,
                           std::vector<int64_t>* counts);
  arrow::Status ReadField(CompactReader& r, const Fields& field);
  arrow::Status CheckCounts();
  arrow::Status CheckLevels();
  arrow::Status CheckNanCounts();
  arrow::Status CheckNullPage(size_t page) const;
  arrow::Status DecodeBounds();
  arrow::Status DecodeInt128Bounds();
  arrow::Status DecodeBytesBounds();
  template <typename Key>
  void CheckOrder(const std::vector<Key>& min, const std::vector<Key>& max);

  int64_t rows(size_t page) const {
    return offsets_.end_row(static_cast<int>(page)) - offsets_.first_row(static_cast<int>(page));
  }

  const BoundsDecoder& decoder_;
  const OffsetIndex& offsets_;
  const size_t page_count_;
  const size_t level_count_;
  bool has_null_pages_ = false;
  BoundsList min_, max_;
  ColumnIndex out_;
};

arrow::Status ColumnIndexReader::ReadNullPages(CompactReader& r, const Fields& field) {
  out_.null_pages.clear();
  out_.null_pages.reserve(page_count_);
  size_t size = 0;
  has_null_pages_ = r.ForEach(field, Type::kTrue, [&] {
    const bool is_null = r.BoolElement();
    if (size++ < page_count_) out_.null_pages.push_back(is_null);
  });
  if (has_null_pages_ && size != page_count_) {
    return Corrupt(std::to_string(size) + " null_pages for " + std::to_string(page_count_) + " pages");
  }
  return arrow::Status::OK();
}

arrow::Status ColumnIndexReader::ReadBounds(CompactReader& r, const Fields& field, const char* name, BoundsList* list) {
  list->values.clear();
  list->values.reserve(page_count_);
  size_t size = 0;
  list->present = r.ForEach(field, Type::kBinary, [&] {
    const std::string_view value = r.Binary();
    if (size++ < page_count_) list->values.push_back(value);
  });
  if (list->present && size != page_count_) {
    return Corrupt(std::to_string(size) + " " + name + " for " + std::to_string(page_count_) + " pages");
  }
  return arrow::Status::OK();
}

// An optional list; an empty one counts as absent.
arrow::Status ColumnIndexReader::ReadCounts(CompactReader& r, const Fields& field, const char* name, size_t size,
                                            std::vector<int64_t>* counts) {
  counts->clear();
  size_t read = 0;
  r.ForEach(field, Type::kI64, [&] {
    const int64_t count = r.I64();
    if (read++ < size) counts->push_back(count);
  });
  if (r.ok() && read != 0 && read != size) {
    return Corrupt(std::to_string(read) + " " + name + " for " + std::to_string(page_count_) + " pages");
  }
  return arrow::Status::OK();
}

arrow::Status ColumnIndexReader::ReadField(CompactReader& r, const Fields& field) {
  switch (field.id()) {
    case 1:
      return ReadNullPages(r, field);
    case 2:
      return ReadBounds(r, field, "min_values", &min_);
    case 3:
      return ReadBounds(r, field, "max_values", &max_);
    case 4:
      switch (r.I32If(field).value_or(0)) {
        case 1:
          out_.order = BoundaryOrder::kAscending;
          break;
        case 2:
          out_.order = BoundaryOrder::kDescending;
          break;
        default:
          out_.order = BoundaryOrder::kUnordered;
      }
      return arrow::Status::OK();
    case 5:
      return ReadCounts(r, field, "null_counts", page_count_, &out_.null_counts);
    case 7:
      return ReadCounts(r, field, "definition level counts", page_count_ * level_count_,
                        &out_.definition_level_histograms);
    case 8:
      return ReadCounts(r, field, "nan_counts", page_count_, &out_.nan_counts);
    default:
      r.Skip(field.type());
      return arrow::Status::OK();
  }
}

// Level histograms that do not add up to the rows are dropped, for they mean nothing. Those that do must agree with the
// null counts; where the null counts are absent, they give them.
arrow::Status ColumnIndexReader::CheckLevels() {
  std::vector<int64_t>& levels = out_.definition_level_histograms;
  for (size_t page = 0; page < page_count_ && !levels.empty(); ++page) {
    expr::Int128 sum = 0;
    bool negative = false;
    for (size_t level = 0; level < level_count_; ++level) {
      const int64_t count = levels[page * level_count_ + level];
      negative |= count < 0;
      sum += count;
    }
    if (negative || sum != rows(page)) levels.clear();
  }
  if (levels.empty()) return arrow::Status::OK();
  const bool has_null_counts = !out_.null_counts.empty();
  if (!has_null_counts) out_.null_counts.resize(page_count_);
  for (size_t page = 0; page < page_count_; ++page) {
    const int64_t null_count = rows(page) - levels[page * level_count_ + level_count_ - 1];
    if (!has_null_counts) {
      out_.null_counts[page] = null_count;
    } else if (out_.null_counts[page] != null_count) {
      return CorruptPage(page, "its null count is not that of its level counts");
    }
  }
  return arrow::Status::OK();
}

arrow::Status ColumnIndexReader::CheckNullPage(size_t page) const {
  if (rows(page) == 0) return arrow::Status::OK();
  if (level_count_ == 1) return CorruptPage(page, "a null page of a required column");
  // Some writers fill in zeros where bounds have no meaning; anything else contradicts the nulls.
  const auto filler = [](std::string_view bytes) { return bytes.find_first_not_of('\0') == std::string_view::npos; };
  if (!filler(min_.values[page]) || !filler(max_.values[page])) return CorruptPage(page, "a null page with bounds");
  return arrow::Status::OK();
}

arrow::Status ColumnIndexReader::CheckCounts() {
  if (out_.null_counts.empty() && level_count_ == 1) {
    out_.null_counts.assign(page_count_, 0);  // a required column: no level can say null
  }
  for (size_t page = 0; page < page_count_; ++page) {
    if (out_.null_pages[page]) ARROW_RETURN_NOT_OK(CheckNullPage(page));
    if (out_.null_counts.empty()) continue;
    const int64_t null_count = out_.null_counts[page];
    if (null_count < 0 || null_count > rows(page)) return CorruptPage(page, "its null count does not fit its rows");
    if (rows(page) == 0) continue;
    if (out_.null_pages[page] && null_count != rows(page)) {
      return CorruptPage(page, "a null page with fewer nulls than rows");
    }
    if (!out_.null_pages[page] && null_count == rows(page)) {
      return CorruptPage(page, "only nulls by its null count, yet not a null page");
    }
    if (null_count != 0 && level_count_ == 1) return CorruptPage(page, "nulls in a required column");
  }
  return arrow::Status::OK();
}

arrow::Status ColumnIndexReader::CheckNanCounts() {
  if (!decoder_.type.is_floating()) out_.nan_counts.clear();
  for (size_t page = 0; page < out_.nan_counts.size(); ++page) {
    const int64_t null_count = out_.null_counts.empty() ? 0 : out_.null_counts[page];
    const int64_t nan_count = out_.nan_counts[page];
    if (nan_count < 0 || nan_count > rows(page) - null_count) {
      return CorruptPage(page, "its NaN count does not fit its rows");
    }
    if (nan_count != 0 && nan_count == rows(page) - null_count && out_.has_bounds[page]) {
      return CorruptPage(page, "only NaN by its counts, yet it has bounds");
    }
  }
  return arrow::Status::OK();
}

arrow::Status ColumnIndexReader::DecodeInt128Bounds() {
  out_.int_min.resize(page_count_);
  out_.int_max.resize(page_count_);
  for (size_t page = 0; page < page_count_; ++page) {
    if (out_.null_pages[page]) continue;
    if (!DecodeInt128Bound(decoder_, min_.values[page], &out_.int_min[page]) ||
        !DecodeInt128Bound(decoder_, max_.values[page], &out_.int_max[page])) {
      continue;
    }
    if (out_.int_min[page] > out_.int_max[page]) return CorruptPage(page, "its min is above its max");
    out_.has_bounds[page] = 1;
  }
  CheckOrder(out_.int_min, out_.int_max);
  return arrow::Status::OK();
}

arrow::Status ColumnIndexReader::DecodeBytesBounds() {
  out_.bytes_min.resize(page_count_);
  out_.bytes_max.resize(page_count_);
  const bool converted = decoder_.type.kind == expr::TypeKind::kDecimal;
  if (converted) out_.arena.resize(2 * page_count_);  // never resized again: views point into it
  std::string unused;
  for (size_t page = 0; page < page_count_; ++page) {
    if (out_.null_pages[page]) continue;
    std::string* min_storage = converted ? &out_.arena[2 * page] : &unused;
    std::string* max_storage = converted ? &out_.arena[2 * page + 1] : &unused;
    if (!DecodeBytesBound(decoder_, min_.values[page], min_storage, &out_.bytes_min[page]) ||
        !DecodeBytesBound(decoder_, max_.values[page], max_storage, &out_.bytes_max[page])) {
      continue;
    }
    if (out_.bytes_min[page] > out_.bytes_max[page]) return CorruptPage(page, "its min is above its max");
    out_.has_bounds[page] = 1;
  }
  CheckOrder(out_.bytes_min, out_.bytes_max);
  return arrow::Status::OK();
}

// A claimed order serves binary search, so it must hold for every page that can match a comparison: null pages and
// pages without rows are passed over, any other page without bounds ends the claim.
template <typename Key>
void ColumnIndexReader::CheckOrder(const std::vector<Key>& min, const std::vector<Key>& max) {
  if (out_.order == BoundaryOrder::kUnordered) return;
  const bool ascending = out_.order == BoundaryOrder::kAscending;
  size_t previous = page_count_;
  for (size_t page = 0; page < page_count_; ++page) {
    if (!out_.has_bounds[page]) {
      if (out_.null_pages[page] || rows(page) == 0) continue;
      out_.order = BoundaryOrder::kUnordered;
      return;
    }
    if (previous != page_count_) {
      const size_t low = ascending ? previous : page, high = ascending ? page : previous;
      if (min[low] > min[high] || max[low] > max[high]) {
        out_.order = BoundaryOrder::kUnordered;
        out_.claimed_order_was_false = true;
        return;
      }
    }
    previous = page;
  }
}

arrow::Status ColumnIndexReader::DecodeBounds() {
  out_.has_bounds.assign(page_count_, 0);
  if (!decoder_.usable) {
    out_.order = BoundaryOrder::kUnordered;
    return arrow::Status::OK();
  }
  return decoder_.type.has_byte_keys() ? DecodeBytesBounds() : DecodeInt128Bounds();
}

arrow::Result<ColumnIndex> ColumnIndexReader::Read(std::string_view bytes) {
  CompactReader r(bytes);
  for (Fields f(r); f.Next();) ARROW_RETURN_NOT_OK(ReadField(r, f));
  if (!r.ok()) return Corrupt("the column index is not Thrift");
  if (!has_null_pages_) return Corrupt("the column index lacks null_pages");
  if (!min_.present || !max_.present) return Corrupt("the column index lacks min_values or max_values");
  ARROW_RETURN_NOT_OK(CheckLevels());
  ARROW_RETURN_NOT_OK(CheckCounts());
  ARROW_RETURN_NOT_OK(DecodeBounds());
  ARROW_RETURN_NOT_OK(CheckNanCounts());
  return std::move(out_);
}

}  // namespace

arrow::Result<OffsetIndex> ParseOffsetIndex(std::string_view bytes, const ByteRange& chunk_range, int64_t row_count) {
  OffsetIndex index;
  index.row_count = row_count;
  bool has_pages = false;
  CompactReader r(bytes);
  for (Fields f(r); f.Next();) {
    if (f.id() == 1) {
      index.pages.clear();
      index.pages.reserve(r.remaining() / kPageLocationBytesMin);
      has_pages = r.ForEach(f, Type::kStruct, [&] { index.pages.push_back(ReadPageLocation(r)); });
    } else {
      r.Skip(f.type());
    }
  }
  if (!r.ok()) return Corrupt("the offset index is not Thrift");
  if (!has_pages) return Corrupt("the offset index lacks page_locations");
  ARROW_RETURN_NOT_OK(CheckPages(index, chunk_range));
  return index;
}

arrow::Result<ColumnIndex> ParseColumnIndex(std::string_view bytes, const BoundsDecoder& decoder,
                                            const OffsetIndex& offsets, int max_definition_level) {
  return ColumnIndexReader(decoder, offsets, max_definition_level).Read(bytes);
}

}  // namespace frazil::parquet
