// SPDX-License-Identifier: Apache-2.0
//
// For tests: a Parquet file in memory, read by the classes of src/parquet alone, row group by row group: no filter, no
// executor. Says which requests were made.
//
//   FileReading file(bytes);
//   auto rows = file.Read(0, RowRanges{{3, 5}, {9, 10}}, {.batch_rows = 1});
//   file.requests()   // of pages, in order
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <gtest/gtest.h>

#include "frazil/byte_source.h"
#include "src/io/range_reader.h"
#include "src/parquet/field_reader.h"
#include "src/parquet/footer.h"
#include "src/parquet/page_plan.h"
#include "src/parquet/projection.h"
#include "tests/filegen/file_spec.h"
#include "tests/filegen/write.h"

namespace frazil {

struct ReadingOptions {
  int row_group = 0;
  bool use_index = true;
  int64_t batch_rows = std::numeric_limits<int64_t>::max();
  parquet::PageReadOptions pages = {};
};

class FileReading {
 public:
  explicit FileReading(std::shared_ptr<arrow::Buffer> bytes) : bytes_(std::move(bytes)) {
    int64_t needed = 0;
    auto footer = parquet::Footer::Parse(bytes_, bytes_->size(), {}, &needed);
    EXPECT_TRUE(footer.ok()) << footer.status();
    footer_ = footer.ok() ? *footer : nullptr;
    Restart();
  }
  explicit FileReading(const filegen::FileSpec& spec) : FileReading(Write(spec)) {}

  // Forgets what was fetched.
  void Restart() {
    trace_ = std::make_shared<io::Trace>();
    reader_ = std::make_unique<io::RangeReader>(FromBuffer(bytes_, "file"), trace_);
  }

  const parquet::Footer& footer() const { return *footer_; }
  io::RangeReader* reader() { return reader_.get(); }
  std::vector<ByteRange> requests() const {
    std::vector<ByteRange> ranges;
    for (const io::TraceEntry& entry : trace_->entries()) ranges.push_back(entry.range);
    return ranges;
  }

  // The offset index of a leaf; null when the file has none or it is unusable.
  std::shared_ptr<const parquet::OffsetIndex> Offsets(int leaf, int row_group = 0) const {
    const parquet::ColumnChunk chunk = footer_->Chunk(row_group, leaf).ValueOrDie();
    if (!chunk.offset_index) return nullptr;
    const std::string bytes = bytes_->ToString().substr(static_cast<size_t>(chunk.offset_index->offset),
                                                        static_cast<size_t>(chunk.offset_index->length));
    auto offsets = parquet::ParseOffsetIndex(bytes, parquet::ChunkRange(chunk, bytes_->size()).ValueOrDie(),
                                             footer_->row_group_row_count(row_group));
    if (!offsets.ok()) return nullptr;
    return std::make_shared<parquet::OffsetIndex>(std::move(*offsets));
  }

  parquet::ChunkPlan Plan(int leaf, const RowRanges& rows, int row_group = 0, bool use_index = true) const {
    const parquet::ColumnChunk chunk = footer_->Chunk(row_group, leaf).ValueOrDie();
    return parquet::PlanChunk(chunk, parquet::ChunkRange(chunk, bytes_->size()).ValueOrDie(),
                              use_index ? Offsets(leaf, row_group) : nullptr, rows,
                              footer_->row_group_row_count(row_group));
  }

  // The leaf alone, with the pages of `rows` fetched.
  arrow::Result<std::unique_ptr<parquet::LeafReader>> OpenLeaf(int leaf, const std::shared_ptr<arrow::DataType>& type,
                                                               bool nullable, const RowRanges& rows,
                                                               const ReadingOptions& options = {}) {
    const auto plan = Plan(leaf, rows, options.row_group, options.use_index);
    ARROW_RETURN_NOT_OK(reader_->Fetch(plan.Ranges(), "pages"));
    ARROW_ASSIGN_OR_RAISE(auto opened,
                          parquet::LeafReader::Open(footer_.get(), reader_.get(), plan, type, nullable, options.pages));
    states_.push_back(opened->state());
    return opened;
  }

  // The top-level field `field` on `rows` (ordinals in the row group), batch by batch.
  arrow::Result<std::shared_ptr<arrow::Array>> Read(int field, const RowRanges& rows,
                                                    const ReadingOptions& options = {}) {
    return Read(parquet::ProjectAll(footer_->manifest())[static_cast<size_t>(field)], rows, options);
  }
  arrow::Result<std::shared_ptr<arrow::Array>> Read(const parquet::ProjectedField& field, const RowRanges& rows,
                                                    const ReadingOptions& options = {}) {
    states_.clear();
    ARROW_ASSIGN_OR_RAISE(auto reader,
                          parquet::FieldReader::Open(field, [&](int leaf, const auto& type, bool nullable) {
                            return OpenLeaf(leaf, type, nullable, rows, options);
                          }));
    arrow::ArrayVector batches;
    const int64_t count = rows.count();
    for (int64_t rank = 0; rank < count;) {
      const int64_t end = count - rank > options.batch_rows ? rank + options.batch_rows : count;
      for (parquet::LeafReader* leaf : reader->leaves()) {
        ARROW_RETURN_NOT_OK(leaf->Read(rows.SliceByRank(rank, end)));
      }
      ARROW_ASSIGN_OR_RAISE(auto batch, reader->Build());
      batches.push_back(std::move(batch));
      rank = end;
    }
    if (batches.empty()) return arrow::MakeArrayOfNull(field.field->type(), 0);
    return batches.size() == 1 ? arrow::Result<std::shared_ptr<arrow::Array>>(batches[0]) : arrow::Concatenate(batches);
  }

  // Of the leaves of the last Read, in order.
  const std::vector<std::shared_ptr<const parquet::PageReadState>>& states() const { return states_; }

 private:
  static std::shared_ptr<arrow::Buffer> Write(const filegen::FileSpec& spec) {
    auto bytes = filegen::WriteFile(spec);
    EXPECT_TRUE(bytes.ok()) << bytes.status();
    return bytes.ok() ? *bytes : nullptr;
  }

  std::shared_ptr<arrow::Buffer> bytes_;
  std::shared_ptr<const parquet::Footer> footer_;
  std::shared_ptr<io::Trace> trace_;
  std::unique_ptr<io::RangeReader> reader_;
  std::vector<std::shared_ptr<const parquet::PageReadState>> states_;
};

}  // namespace frazil
