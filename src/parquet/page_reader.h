// SPDX-License-Identifier: Apache-2.0
//
// The chosen pages of a column chunk as one stream for Arrow's decoders. Ours rather than Arrow's PageReader, because
// it reads pages by their index entries, fetches the dictionary only when a page that uses it comes by, drops empty
// pages (Arrow's decoders fail on them), skips pages of unwanted rows without decompressing them, bounds every size
// before memory is taken, and checks each page's row count against the OffsetIndex.
// Source: parquet-format README "Data Pages", "Checksumming"; parquet.thrift PageHeader.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <arrow/buffer.h>
#include <arrow/util/compression.h>
#include <parquet/column_page.h>
#include <parquet/column_reader.h>

#include "src/io/range_reader.h"
#include "src/parquet/gzip.h"
#include "src/parquet/page_header.h"
#include "src/parquet/page_plan.h"

namespace frazil::parquet {

struct PageReadOptions {
  bool verify_checksums = false;
  // Pages that decompress to more are refused (kind budget).
  int64_t page_bytes_max = int64_t{2} << 30;
  // Pages of a repeated column with more level pairs are refused (kind budget): run lengths can claim billions in a few
  // bytes, and all of a row's are decoded at once.
  int64_t page_levels_max = int64_t{1} << 27;
  // Bytes fetched ahead when a page is not held yet.
  int64_t window_bytes = 4 << 20;
};

// What was read, for evidence and for recovery.
struct PageReadState {
  int64_t pages_read = 0;     // data pages decompressed
  int64_t pages_skipped = 0;  // data pages passed without decompressing
  // True when a page holds other rows than the OffsetIndex says: the index lies, the data may be sound.
  bool index_contradicted = false;
};

// Errors are thrown as ::parquet::ParquetStatusException, as the decoders expect; LeafReader catches them.
class SelectedPageReader : public ::parquet::PageReader {
 public:
  // `reader` and `plan` must outlive this object.
  SelectedPageReader(io::RangeReader* reader, const ChunkPlan* plan, const ::parquet::ColumnDescriptor* leaf,
                     const PageReadOptions& options, std::shared_ptr<PageReadState> state);

  std::shared_ptr<::parquet::Page> NextPage() override;
  // The dictionary page alone. REQUIRES: the plan has a dictionary_range; NextPage was not called.
  std::shared_ptr<::parquet::DictionaryPage> ReadDictionary();
  void set_max_page_header_size(uint32_t) override {}

  // Rows before `row` (ordinal in the row group) are not wanted: pages that lie wholly before it are passed over,
  // where their row count is known without decompressing.
  void set_wanted_row(int64_t row) { wanted_row_ = row; }
  // Passes over unwanted pages now; returns the first row of the page that NextPage will give.
  int64_t SkipToWantedRow();
  // The rows of the last data page given, [begin, end); end is -1 when unknown until decoded.
  int64_t page_first_row() const { return page_first_row_; }
  int64_t page_end_row() const { return page_end_row_; }

 private:
  struct StoredPage {
    PageHeader header;
    int64_t offset = 0;  // of the header, in the file
    std::shared_ptr<arrow::Buffer> body;
  };

  // Finds the next data page that is wanted, without its body; false at the end.
  bool Advance();
  bool AdvancePlanned();
  bool AdvanceSequential();
  void CheckTotals();
  PageHeader ReadHeader(int64_t offset, int64_t limit, std::shared_ptr<arrow::Buffer>* bytes);
  std::shared_ptr<arrow::Buffer> Bytes(ByteRange range);
  std::shared_ptr<::parquet::DictionaryPage> DictionaryPageAt(int64_t offset, int64_t limit);
  std::shared_ptr<::parquet::DictionaryPage> DictionaryPage(const PageHeader& header, int64_t offset);
  std::shared_ptr<::parquet::Page> DataPage(const PageHeader& header, int64_t offset);
  std::shared_ptr<arrow::Buffer> Body(const PageHeader& header, int64_t offset);
  arrow::Result<int64_t> DecompressBody(std::span<const uint8_t> in, std::span<uint8_t> out);
  std::shared_ptr<arrow::Buffer> Decompress(const PageHeader& header, const std::shared_ptr<arrow::Buffer>& body,
                                            int64_t levels_bytes);
  void CheckRows(const PageHeader& header, const std::shared_ptr<arrow::Buffer>& page);
  int64_t CountRows(const PageHeader& header, const std::shared_ptr<arrow::Buffer>& page, bool* begins_at_row);
  [[noreturn]] void Throw(ErrorKind kind, const std::string& text, int64_t offset, int64_t length) const;
  bool is_flat() const { return leaf_->max_repetition_level() == 0; }

  io::RangeReader* reader_;
  const ChunkPlan* plan_;
  const ::parquet::ColumnDescriptor* leaf_;
  PageReadOptions options_;
  std::shared_ptr<PageReadState> state_;
  arrow::Result<int64_t> DecompressZstd(std::span<const uint8_t> in, std::span<uint8_t> out);

  std::unique_ptr<arrow::util::Codec> codec_;  // null: uncompressed, Snappy, which is ours, or gzip
  // Of Zstandard: one context for all pages; the codec makes and clears one for each.
  std::shared_ptr<arrow::util::Decompressor> zstd_;
  std::optional<GzipDecompressor> gzip_;
  // Two, because the decoders still hold the last page while the next is made.
  std::shared_ptr<arrow::ResizableBuffer> decompressed_[2];

  int64_t wanted_row_ = 0;
  int64_t page_first_row_ = 0;
  int64_t page_end_row_ = 0;
  // The data page found by Advance and not given yet.
  bool pending_ = false;
  PageHeader pending_header_;
  int64_t pending_offset_ = 0;
  int64_t pending_first_row_ = 0;
  int64_t pending_end_row_ = -1;

  size_t next_planned_ = 0;     // planned mode: index into plan_->pages
  int64_t sequential_offset_;   // sequential mode: where the next header is
  int64_t sequential_row_ = 0;  // first row of the next page; -1 unknown
  int64_t values_seen_ = 0;
  bool totals_checked_ = false;
  int64_t page_ordinal_ = -1;
  bool dictionary_given_ = false;
};

}  // namespace frazil::parquet
