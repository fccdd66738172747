// SPDX-License-Identifier: Apache-2.0
#include "src/layout/external_sort.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <queue>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/compute/api_vector.h>
#include <arrow/datum.h>
#include <arrow/io/file.h>
#include <arrow/ipc/reader.h>
#include <arrow/ipc/writer.h>
#include <arrow/table.h>
#include <arrow/util/byte_size.h>
#include <arrow/util/compression.h>

#include "frazil/error.h"
#include "src/layout/unnamed_file.h"

namespace frazil::layout {
namespace {

using arrow::RecordBatch;

constexpr int64_t kRunBytesMax = int64_t{1} << 30;  // text of more bytes than 2 GiB does not fit into one Arrow array
constexpr int64_t kSpillBatchBytes = 1 << 20;
constexpr int64_t kSpillBatchRows = 8 << 10;
constexpr int64_t kFanInMax = 64;

struct Entry {
  uint64_t prefix;  // of the key: most comparisons need no more
  uint32_t row;
};

uint64_t PrefixOf(std::string_view key) {
  uint64_t prefix = 0;
  for (size_t i = 0; i < sizeof(prefix); ++i)
    prefix = prefix << 8 | (i < key.size() ? static_cast<uint8_t>(key[i]) : 0);
  return prefix;
}

// The rows in order of their keys; equal ones in their own.
std::vector<uint32_t> SortedRows(const SortKeys& keys) {
  std::vector<Entry> entries;
  entries.reserve(static_cast<size_t>(keys.count()));
  for (int64_t row = 0; row < keys.count(); ++row) entries.push_back({PrefixOf(keys[row]), static_cast<uint32_t>(row)});
  std::sort(entries.begin(), entries.end(), [&keys](const Entry& a, const Entry& b) {
    if (a.prefix != b.prefix) return a.prefix < b.prefix;
    const int order = keys[a.row].compare(keys[b.row]);
    return order != 0 ? order < 0 : a.row < b.row;
  });
  std::vector<uint32_t> rows;
  rows.reserve(entries.size());
  for (const Entry& entry : entries) rows.push_back(entry.row);
  return rows;
}

arrow::Result<std::shared_ptr<RecordBatch>> TakeRows(const std::shared_ptr<RecordBatch>& batch,
                                                     std::shared_ptr<arrow::Array> rows) {
  ARROW_ASSIGN_OR_RAISE(const arrow::Datum taken,
                        arrow::compute::Take(batch, std::move(rows), arrow::compute::TakeOptions::NoBoundsCheck()));
  return taken.record_batch();
}

arrow::Status Disk(const arrow::Status& status, const std::string& folder) {
  if (status.ok()) return status;
  ErrorPlace place;
  place.file = folder;
  return MakeError(ErrorKind::kUnavailable, "can not sort on disk there: " + status.message(), place);
}

}  // namespace

// A sorted run on disk.
struct ExternalSorter::Run {
  ~Run() {
    if (descriptor >= 0) ::close(descriptor);
  }
  int descriptor = -1;
};

// One sorted run in memory, handed out piece by piece.
class ExternalSorter::MemoryReader : public arrow::RecordBatchReader {
 public:
  // The keys come along as a last column when `schema` has one more than the batch.
  MemoryReader(std::shared_ptr<arrow::Schema> schema, std::shared_ptr<RecordBatch> rows, const SortKeys& keys,
               int64_t batch_rows)
      : schema_(std::move(schema)),
        rows_(std::move(rows)),
        keys_(keys),
        order_(SortedRows(keys)),
        batch_rows_(batch_rows) {}

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  arrow::Status ReadNext(std::shared_ptr<RecordBatch>* batch) override {
    *batch = nullptr;
    const size_t count = std::min(static_cast<size_t>(batch_rows_), order_.size() - next_);
    if (count == 0) {
      rows_ = nullptr;
      return arrow::Status::OK();
    }
    arrow::UInt32Builder picks;
    ARROW_RETURN_NOT_OK(picks.AppendValues(order_.data() + next_, static_cast<int64_t>(count)));
    ARROW_ASSIGN_OR_RAISE(auto indexes, picks.Finish());
    ARROW_ASSIGN_OR_RAISE(*batch, TakeRows(rows_, std::move(indexes)));
    if (schema_->num_fields() > rows_->num_columns()) {
      arrow::BinaryBuilder keys;
      for (size_t i = next_; i < next_ + count; ++i) ARROW_RETURN_NOT_OK(keys.Append(keys_[order_[i]]));
      ARROW_ASSIGN_OR_RAISE(auto column, keys.Finish());
      arrow::ArrayVector columns = (*batch)->columns();
      columns.push_back(std::move(column));
      *batch = RecordBatch::Make(schema_, (*batch)->num_rows(), std::move(columns));
    }
    next_ += count;
    return arrow::Status::OK();
  }

 private:
  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<RecordBatch> rows_;
  const SortKeys& keys_;
  std::vector<uint32_t> order_;
  int64_t batch_rows_;
  size_t next_ = 0;
};

// The rows of several runs, in order.
class ExternalSorter::MergeReader : public arrow::RecordBatchReader {
 public:
  // With the keys as a last column when `schema` has one.
  static arrow::Result<std::shared_ptr<MergeReader>> Make(std::shared_ptr<arrow::Schema> schema,
                                                          const std::vector<std::unique_ptr<Run>>& runs, size_t count,
                                                          int64_t batch_rows) {
    auto merge = std::make_shared<MergeReader>();
    merge->schema_ = std::move(schema);
    merge->batch_rows_ = batch_rows;
    for (size_t i = 0; i < count; ++i) {
      // A descriptor of its own: the file is closed with the stream.
      const int descriptor = ::dup(runs[i]->descriptor);
      if (descriptor < 0 || ::lseek(descriptor, 0, SEEK_SET) != 0) return arrow::Status::IOError(std::strerror(errno));
      ARROW_ASSIGN_OR_RAISE(auto file, arrow::io::ReadableFile::Open(descriptor));
      Cursor cursor;
      ARROW_ASSIGN_OR_RAISE(cursor.reader, arrow::ipc::RecordBatchStreamReader::Open(std::move(file)));
      merge->cursors_.push_back(std::move(cursor));
    }
    for (size_t i = 0; i < count; ++i) {
      ARROW_RETURN_NOT_OK(merge->cursors_[i].Fill());
      if (merge->cursors_[i].batch != nullptr) merge->Push(i);
    }
    return merge;
  }

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  arrow::Status ReadNext(std::shared_ptr<RecordBatch>* batch) override {
    *batch = nullptr;
    if (heap_.empty()) return arrow::Status::OK();
    for (Cursor& cursor : cursors_) cursor.piece = -1;
    pieces_.clear();
    picks_.clear();
    while (!heap_.empty() && static_cast<int64_t>(picks_.size()) < batch_rows_) {
      const size_t run = Pop();
      Cursor& cursor = cursors_[run];
      // Stays in front as long as it is the least: no work on the heap for sorted stretches.
      while (true) {
        Pick(&cursor);
        ++cursor.row;
        if (cursor.row == cursor.batch->num_rows()) {
          cursor.piece = -1;
          ARROW_RETURN_NOT_OK(cursor.Fill());
          if (cursor.batch == nullptr) break;
        }
        if (static_cast<int64_t>(picks_.size()) == batch_rows_ || (!heap_.empty() && !Before(run, heap_.front()))) {
          Push(run);
          break;
        }
      }
    }
    return Gather(batch);
  }

 private:
  struct Cursor {
    std::shared_ptr<arrow::ipc::RecordBatchStreamReader> reader;
    std::shared_ptr<RecordBatch> batch;  // null at the end
    const arrow::BinaryArray* keys = nullptr;
    int64_t row = 0;
    int64_t piece = -1;  // of the output at hand that this batch is

    arrow::Status Fill() {
      row = 0;
      do {
        ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
      } while (batch != nullptr && batch->num_rows() == 0);
      if (batch != nullptr)
        keys = static_cast<const arrow::BinaryArray*>(batch->column(batch->num_columns() - 1).get());
      return arrow::Status::OK();
    }
    std::string_view key() const { return keys->GetView(row); }
  };
  // The rows [first, end) of a batch.
  struct Piece {
    std::shared_ptr<RecordBatch> batch;
    int64_t first;
    int64_t end;
  };
  struct PickedRow {
    int64_t piece;
    int64_t row;
  };

  bool Before(size_t a, size_t b) const {
    const int order = cursors_[a].key().compare(cursors_[b].key());
    return order != 0 ? order < 0 : a < b;  // the older run first
  }
  void Push(size_t run) {
    heap_.push_back(run);
    std::push_heap(heap_.begin(), heap_.end(), [this](size_t a, size_t b) { return Before(b, a); });
  }
  size_t Pop() {
    std::pop_heap(heap_.begin(), heap_.end(), [this](size_t a, size_t b) { return Before(b, a); });
    const size_t run = heap_.back();
    heap_.pop_back();
    return run;
  }
  void Pick(Cursor* cursor) {
    if (cursor->piece < 0) {
      cursor->piece = static_cast<int64_t>(pieces_.size());
      pieces_.push_back({cursor->batch, cursor->row, cursor->row});
    }
    pieces_[static_cast<size_t>(cursor->piece)].end = cursor->row + 1;
    picks_.push_back({cursor->piece, cursor->row});
  }

  arrow::Status Gather(std::shared_ptr<RecordBatch>* batch) {
    arrow::RecordBatchVector slices;
    std::vector<int64_t> bases;  // what a row of the piece becomes by addition
    int64_t base = 0;
    for (const Piece& piece : pieces_) {
      auto columns = piece.batch->columns();
      if (schema_->num_fields() < piece.batch->num_columns()) columns.pop_back();
      slices.push_back(RecordBatch::Make(schema_, piece.batch->num_rows(), std::move(columns))
                           ->Slice(piece.first, piece.end - piece.first));
      bases.push_back(base - piece.first);
      base += piece.end - piece.first;
    }
    std::shared_ptr<RecordBatch> rows = slices[0];
    if (slices.size() > 1) {
      ARROW_ASSIGN_OR_RAISE(rows, arrow::ConcatenateRecordBatches(slices));
      arrow::Int64Builder indexes;
      ARROW_RETURN_NOT_OK(indexes.Reserve(static_cast<int64_t>(picks_.size())));
      for (const PickedRow& pick : picks_) indexes.UnsafeAppend(bases[static_cast<size_t>(pick.piece)] + pick.row);
      ARROW_ASSIGN_OR_RAISE(auto array, indexes.Finish());
      ARROW_ASSIGN_OR_RAISE(rows, TakeRows(rows, std::move(array)));
    }
    *batch = std::move(rows);
    return arrow::Status::OK();
  }

  std::shared_ptr<arrow::Schema> schema_;
  int64_t batch_rows_ = 0;
  std::vector<Cursor> cursors_;
  std::vector<size_t> heap_;
  std::vector<Piece> pieces_;
  std::vector<PickedRow> picks_;
};

ExternalSorter::ExternalSorter(std::shared_ptr<arrow::Schema> schema, SortKeyEncoder encoder,
                               ExternalSortOptions options)
    : schema_(std::move(schema)), encoder_(std::move(encoder)), options_(std::move(options)) {}

ExternalSorter::~ExternalSorter() = default;

arrow::Status ExternalSorter::Add(std::shared_ptr<RecordBatch> batch) {
  if (batch->num_rows() == 0) return arrow::Status::OK();
  const int64_t keys_before = pending_keys_.memory_bytes();
  ARROW_RETURN_NOT_OK(encoder_.Append(*batch, &pending_keys_));
  ARROW_ASSIGN_OR_RAISE(const int64_t batch_bytes, arrow::util::ReferencedBufferSize(*batch));
  pending_bytes_ += batch_bytes + pending_keys_.memory_bytes() - keys_before;
  row_bytes_ = std::max(row_bytes_, batch_bytes / batch->num_rows());
  pending_.push_back(std::move(batch));
  if (pending_bytes_ < std::min(kRunBytesMax, options_.memory_bytes / 3)) return arrow::Status::OK();
  return Spill();
}

arrow::Status ExternalSorter::Spill() {
  if (pending_.empty()) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(auto rows, arrow::ConcatenateRecordBatches(pending_));
  pending_.clear();
  const int64_t batch_rows = std::clamp<int64_t>(kSpillBatchBytes / row_bytes_, 1, kSpillBatchRows);
  ARROW_ASSIGN_OR_RAISE(auto with_key,
                        schema_->AddField(schema_->num_fields(), arrow::field("", arrow::binary(), false)));
  MemoryReader reader(std::move(with_key), std::move(rows), pending_keys_, batch_rows);
  ARROW_RETURN_NOT_OK(SpillFrom(&reader));
  pending_keys_.Clear();
  pending_bytes_ = 0;
  if (runs_.size() >= static_cast<size_t>(2 * kFanInMax)) return MergeOldest(FanIn());
  return arrow::Status::OK();
}

arrow::Status ExternalSorter::SpillFrom(arrow::RecordBatchReader* reader) {
  auto run = std::make_unique<Run>();
  ARROW_ASSIGN_OR_RAISE(run->descriptor, CreateScratchFile(options_.spill_folder));
  const int descriptor = ::dup(run->descriptor);
  if (descriptor < 0) return Disk(arrow::Status::IOError(std::strerror(errno)), options_.spill_folder);
  ARROW_ASSIGN_OR_RAISE(auto file, arrow::io::FileOutputStream::Open(descriptor));
  arrow::ipc::IpcWriteOptions ipc;
  ARROW_ASSIGN_OR_RAISE(ipc.codec, arrow::util::Codec::Create(arrow::Compression::LZ4_FRAME));
  ipc.use_threads = false;
  const auto write = [&]() -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(auto writer, arrow::ipc::MakeStreamWriter(file, reader->schema(), ipc));
    while (true) {
      std::shared_ptr<RecordBatch> batch;
      ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
      if (batch == nullptr) break;
      ARROW_RETURN_NOT_OK(writer->WriteRecordBatch(*batch));
    }
    ARROW_RETURN_NOT_OK(writer->Close());
    ARROW_ASSIGN_OR_RAISE(const int64_t bytes, file->Tell());
    bytes_spilled_ += bytes;
    return file->Close();
  };
  ARROW_RETURN_NOT_OK(Disk(write(), options_.spill_folder));
  ++runs_spilled_;
  runs_.push_back(std::move(run));
  return arrow::Status::OK();
}

size_t ExternalSorter::FanIn() const {
  // Each run holds a batch while it is read, and the output refers to it.
  const int64_t batch_bytes = std::max<int64_t>(kSpillBatchBytes, row_bytes_);
  return static_cast<size_t>(std::clamp<int64_t>(options_.memory_bytes / 3 / (2 * batch_bytes), 2, kFanInMax));
}

arrow::Status ExternalSorter::MergeOldest(size_t count) {
  const int64_t batch_rows = std::clamp<int64_t>(kSpillBatchBytes / row_bytes_, 1, kSpillBatchRows);
  ARROW_ASSIGN_OR_RAISE(auto with_key,
                        schema_->AddField(schema_->num_fields(), arrow::field("", arrow::binary(), false)));
  ARROW_ASSIGN_OR_RAISE(auto merge, MergeReader::Make(std::move(with_key), runs_, count, batch_rows));
  ARROW_RETURN_NOT_OK(SpillFrom(merge.get()));
  // The merged run stands where its parts stood: the oldest.
  runs_.erase(runs_.begin(), runs_.begin() + static_cast<ptrdiff_t>(count));
  std::rotate(runs_.begin(), runs_.end() - 1, runs_.end());
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> ExternalSorter::Finish() {
  if (runs_.empty()) {
    std::shared_ptr<RecordBatch> rows;
    if (pending_.empty()) {
      ARROW_ASSIGN_OR_RAISE(rows, RecordBatch::MakeEmpty(schema_));
    } else {
      ARROW_ASSIGN_OR_RAISE(rows, arrow::ConcatenateRecordBatches(pending_));
    }
    pending_.clear();
    return std::make_shared<MemoryReader>(schema_, std::move(rows), pending_keys_, options_.batch_rows);
  }
  ARROW_RETURN_NOT_OK(Spill());
  while (runs_.size() > FanIn()) ARROW_RETURN_NOT_OK(MergeOldest(std::min(FanIn(), runs_.size() - FanIn() + 1)));
  const int64_t rows_that_fit = std::max<int64_t>(1, options_.memory_bytes / 6 / row_bytes_);
  auto merge = MergeReader::Make(schema_, runs_, runs_.size(), std::min(options_.batch_rows, rows_that_fit));
  if (!merge.ok()) return Disk(merge.status(), options_.spill_folder);
  return merge;
}

}  // namespace frazil::layout
