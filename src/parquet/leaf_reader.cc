// SPDX-License-Identifier: Apache-2.0
#include "src/parquet/leaf_reader.h"

#include <algorithm>
#include <utility>

#include <parquet/exception.h>
#include <parquet/level_conversion.h>

#include "src/parquet/leaf_values.h"

namespace frazil::parquet {

namespace pq = ::parquet;

arrow::Result<std::unique_ptr<LeafReader>> LeafReader::Open(const Footer* footer, io::RangeReader* reader,
                                                            ChunkPlan plan, std::shared_ptr<arrow::DataType> type,
                                                            bool nullable, const PageReadOptions& options) {
  std::unique_ptr<LeafReader> self(new LeafReader());
  self->footer_ = footer;
  self->plan_ = std::move(plan);
  self->type_ = std::move(type);
  self->nullable_ = nullable;
  const ColumnChunk& chunk = self->plan_.chunk;
  if (chunk.encrypted) {
    return self->Place(MakeError(ErrorKind::kUnsupported, "the column is encrypted"));
  }
  if (chunk.other_file) {
    return self->Place(MakeError(ErrorKind::kUnsupported, "the column's data lie in another file"));
  }
  if (!chunk.codec_supported || !pq::IsCodecSupported(chunk.codec)) {
    return self->Place(MakeError(ErrorKind::kUnsupported,
                                 "compression codec " + std::to_string(chunk.codec_number) + " is not supported"));
  }
  const pq::ColumnDescriptor* leaf = footer->schema().Column(chunk.leaf);
  self->state_ = std::make_shared<PageReadState>();
  const bool read_dictionary = self->type_->id() == arrow::Type::DICTIONARY;
  // Only byte arrays care for the Arrow type; decimals in them are read as bytes.
  auto value_type =
      read_dictionary ? static_cast<const arrow::DictionaryType&>(*self->type_).value_type() : self->type_;
  if (arrow::is_decimal(value_type->id())) value_type = arrow::binary();
  try {
    self->record_reader_ =
        pq::internal::RecordReader::Make(leaf, pq::internal::LevelInfo::ComputeLevelInfo(leaf),
                                         arrow::default_memory_pool(), read_dictionary, false, value_type);
    auto pages = std::make_unique<SelectedPageReader>(reader, &self->plan_, leaf, options, self->state_);
    self->pages_ = pages.get();
    self->record_reader_->SetPageReader(std::move(pages));
  } catch (const pq::ParquetException& e) {
    return self->Place(MakeError(ErrorKind::kCorrupt, e.what()));
  }
  return self;
}

arrow::Status LeafReader::Place(arrow::Status status) const {
  return AddPlace(std::move(status), {.column = footer_->leaf_path(plan_.chunk.leaf)});
}

arrow::Status LeafReader::Read(const RowRanges& rows) {
  try {
    return Place(ReadUnchecked(rows));
  } catch (const pq::ParquetStatusException& e) {
    // Arrow wraps some of our statuses in its own text; ours carry the detail.
    return Place(e.status());
  } catch (const std::exception& e) {
    ErrorPlace place;
    place.range = plan_.chunk_range;
    return Place(MakeError(ErrorKind::kCorrupt, e.what(), std::move(place)));
  }
}

arrow::Status LeafReader::ReadUnchecked(const RowRanges& rows) {
  // Builders of byte arrays keep what was read until it is taken, beyond Reset.
  if (values_pending_) ARROW_RETURN_NOT_OK(Values().status());
  record_reader_->Reset();
  batch_rows_ = 0;
  values_pending_ = true;
  record_reader_->Reserve(rows.count());
  for (const RowRange& run : rows.runs()) {
    ARROW_RETURN_NOT_OK(MoveTo(run.begin));
    pages_->set_wanted_row(run.begin);
    int64_t missing = run.count();
    while (missing > 0) {
      const int64_t read = record_reader_->ReadRecords(missing);
      if (read <= 0) {
        return MakeError(ErrorKind::kCorrupt, "the column ends at row " + std::to_string(run.end - missing) +
                                                  " of the row group, which has " + std::to_string(plan_.row_count));
      }
      missing -= read;
    }
    row_ = run.end;
    batch_rows_ += run.count();
  }
  return arrow::Status::OK();
}

// Skips records until the next one is `row`. Each turn uses up rows of the loaded page, or goes on to a later page.
arrow::Status LeafReader::MoveTo(int64_t row) {
  if (row < row_) return MakeError(ErrorKind::kInternal, "rows must be read in ascending order");
  // Unwanted pages are passed over from here on, when a page is next asked for.
  pages_->set_wanted_row(row);
  while (true) {
    // A repeated column looks into the next page to see where its last record ends. When that page begins later than
    // the next row, the rows between are not in the stream.
    row_ = std::max(row_, pages_->page_first_row());
    if (row_ >= row) break;
    const int64_t loaded_end = pages_->page_end_row();
    if (loaded_end >= 0 && row_ >= loaded_end) {
      row_ = std::max(row_, pages_->SkipToWantedRow());
      if (row_ >= row) break;
    }
    int64_t skip = plan_.page_rows.Slice(row_, row).count();
    if (loaded_end > row_) skip = std::min(skip, loaded_end - row_);
    const int64_t skipped = skip > 0 ? record_reader_->SkipRecords(skip) : 0;
    if (skip == 0 || skipped != skip) {
      return MakeError(ErrorKind::kCorrupt, "the column ends at row " + std::to_string(row_ + skipped) +
                                                " of the row group, which has " + std::to_string(plan_.row_count));
    }
    row_ += skip;
  }
  if (row_ > row) {
    return MakeError(ErrorKind::kInternal, "row " + std::to_string(row) + " is not in the planned pages");
  }
  return arrow::Status::OK();
}

const int16_t* LeafReader::def_levels() const {
  return footer_->schema().Column(leaf())->max_definition_level() > 0 ? record_reader_->def_levels() : nullptr;
}

const int16_t* LeafReader::rep_levels() const {
  return footer_->schema().Column(leaf())->max_repetition_level() > 0 ? record_reader_->rep_levels() : nullptr;
}

arrow::Result<std::shared_ptr<arrow::Array>> LeafReader::Values() {
  values_pending_ = false;
  try {
    auto values = TakeValues(record_reader_.get(), *footer_->schema().Column(leaf()), type_, nullable_);
    if (!values.ok()) return Place(values.status());
    return values;
  } catch (const std::exception& e) {
    return Place(MakeError(ErrorKind::kCorrupt, e.what()));
  }
}

}  // namespace frazil::parquet
