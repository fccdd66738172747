// SPDX-License-Identifier: Apache-2.0
#include "src/parquet/page_reader.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include <arrow/util/crc32.h>
#include <parquet/exception.h>
#include <parquet/types.h>

#include "src/parquet/snappy.h"

namespace frazil::parquet {
namespace {

namespace pq = ::parquet;

// The most that a codec can expand one byte to; a page that claims more is damaged and gets no memory. Zstandard: a
// block of four bytes holds at most 128 KiB (RFC 8878). Brotli has no useful limit.
int64_t ExpansionMax(arrow::Compression::type codec) {
  switch (codec) {
    case arrow::Compression::SNAPPY:
      return 64;
    case arrow::Compression::GZIP:
      return 1100;
    case arrow::Compression::LZ4:
    case arrow::Compression::LZ4_FRAME:
    case arrow::Compression::LZ4_HADOOP:
      return 300;
    case arrow::Compression::ZSTD:
      return 32 << 10;
    default:
      return std::numeric_limits<int32_t>::max();
  }
}

// Headers are tens of bytes unless they carry statistics of long values.
constexpr int64_t kHeaderBytesFirst = 256;
constexpr int64_t kHeaderBytesMax = 16 << 20;

pq::Encoding::type ToArrow(int encoding) { return static_cast<pq::Encoding::type>(encoding); }

}  // namespace

SelectedPageReader::SelectedPageReader(io::RangeReader* reader, const ChunkPlan* plan, const pq::ColumnDescriptor* leaf,
                                       const PageReadOptions& options, std::shared_ptr<PageReadState> state)
    : reader_(reader),
      plan_(plan),
      leaf_(leaf),
      options_(options),
      state_(std::move(state)),
      sequential_offset_(plan->chunk_range.offset) {
  const arrow::Compression::type codec = plan->chunk.codec;
  if (codec == arrow::Compression::GZIP) {
    gzip_.emplace();
  } else if (codec != arrow::Compression::UNCOMPRESSED && codec != arrow::Compression::SNAPPY) {
    codec_ = pq::GetCodec(codec);
    if (codec == arrow::Compression::ZSTD) zstd_ = codec_->MakeDecompressor().ValueOr(nullptr);
  }
}

void SelectedPageReader::Throw(ErrorKind kind, const std::string& text, int64_t offset, int64_t length) const {
  ErrorPlace place;
  if (page_ordinal_ >= 0) place.page = page_ordinal_;
  place.range = ByteRange{offset, length};
  throw pq::ParquetStatusException(MakeError(kind, text, std::move(place)));
}

std::shared_ptr<arrow::Buffer> SelectedPageReader::Bytes(ByteRange range) {
  if (!reader_->Holds(range)) {
    // Fetch what the stream will want next in the same go, so that a large chunk costs one request a window.
    std::vector<ByteRange> wanted{range};
    int64_t bytes = range.length;
    if (plan_->offsets == nullptr) {
      const int64_t end =
          std::min(plan_->chunk_range.end(), std::max(range.end(), range.offset + options_.window_bytes));
      wanted[0].length = end - range.offset;
    } else {
      for (size_t i = next_planned_; i < plan_->pages.size() && bytes < options_.window_bytes; ++i) {
        wanted.push_back(plan_->offsets->range(plan_->pages[i]));
        bytes += wanted.back().length;
      }
    }
    PARQUET_THROW_NOT_OK(reader_->Fetch(wanted, "pages"));
  }
  PARQUET_ASSIGN_OR_THROW(auto buffer, reader_->Get(range));
  return buffer;
}

PageHeader SelectedPageReader::ReadHeader(int64_t offset, int64_t limit, std::shared_ptr<arrow::Buffer>* bytes) {
  const int64_t available = limit - offset;
  for (int64_t length = std::min(kHeaderBytesFirst, available); length > 0;) {
    *bytes = Bytes({offset, length});
    auto parsed = ParsePageHeader(
        std::string_view(reinterpret_cast<const char*>((*bytes)->data()), static_cast<size_t>((*bytes)->size())));
    // Where the index says a page is, there is none: the index may lie, the data may be sound.
    if (!parsed.ok()) state_->index_contradicted = plan_->offsets != nullptr;
    if (!parsed.ok()) Throw(KindOf(parsed.status()), parsed.status().message(), offset, length);
    if (parsed->has_value()) {
      if (offset + (*parsed)->page_bytes() > limit) {
        state_->index_contradicted = plan_->offsets != nullptr;
        Throw(ErrorKind::kCorrupt,
              "page of " + std::to_string((*parsed)->page_bytes()) + " bytes ends behind its " +
                  (plan_->offsets ? "index entry" : "column chunk"),
              offset, available);
      }
      return **parsed;
    }
    if (length >= available || length >= kHeaderBytesMax) break;
    length = std::min(length * 8, std::min(available, kHeaderBytesMax));
  }
  state_->index_contradicted = plan_->offsets != nullptr;
  Throw(ErrorKind::kCorrupt, "page header is not decodable", offset, available);
}

bool SelectedPageReader::AdvancePlanned() {
  const OffsetIndex& offsets = *plan_->offsets;
  while (next_planned_ < plan_->pages.size()) {
    const int page = plan_->pages[next_planned_];
    page_ordinal_ = page;
    if (offsets.end_row(page) <= wanted_row_) {
      ++next_planned_;
      ++state_->pages_skipped;
      continue;
    }
    const ByteRange range = offsets.range(page);
    std::shared_ptr<arrow::Buffer> bytes;
    ++next_planned_;
    pending_header_ = ReadHeader(range.offset, range.end(), &bytes);
    pending_offset_ = range.offset;
    if (!pending_header_.is_data()) {
      state_->index_contradicted = true;
      Throw(ErrorKind::kCorrupt, "the offset index points at something that is not a data page", range.offset,
            range.length);
    }
    pending_first_row_ = offsets.first_row(page);
    pending_end_row_ = offsets.end_row(page);
    if (pending_header_.num_values == 0) {
      state_->index_contradicted = true;
      Throw(ErrorKind::kCorrupt,
            "page holds no values, its offset index says " + std::to_string(pending_end_row_ - pending_first_row_) +
                " rows",
            range.offset, range.length);
    }
    return true;
  }
  return false;
}

// Without an index the rows of a page follow from the counts in the headers before it, which no checksum protects. A
// wrong one would move all rows behind it, so the counts must add up to what the footer says. Headers only: free where
// the chunk was fetched whole; where it was not, asked for only when the index and the pages contradict each other.
void SelectedPageReader::CheckTotals() {
  totals_checked_ = true;
  const bool held = reader_->Holds(plan_->chunk_range);
  if (!held && !plan_->index_distrusted) return;
  const ByteRange chunk = plan_->chunk_range;
  const int64_t expected = is_flat() ? plan_->row_count : plan_->chunk.num_values;
  int64_t values = 0;
  for (int64_t offset = chunk.offset; offset < chunk.end() && values < expected;) {
    std::shared_ptr<arrow::Buffer> bytes;
    const PageHeader header = ReadHeader(offset, chunk.end(), &bytes);
    if (header.is_data()) values += header.num_values;
    offset += header.page_bytes();
    // Read again when they are decoded: memory stays bounded by the window.
    if (!held) reader_->Release({chunk.offset, offset - chunk.offset});
  }
  if (values != expected) {
    Throw(ErrorKind::kCorrupt,
          "the pages hold " + std::to_string(values) + " values, the footer says " + std::to_string(expected),
          chunk.offset, chunk.length);
  }
}

bool SelectedPageReader::AdvanceSequential() {
  const int64_t limit = plan_->chunk_range.end();
  if (!totals_checked_) CheckTotals();
  while (sequential_offset_ < limit && values_seen_ < plan_->chunk.num_values) {
    std::shared_ptr<arrow::Buffer> bytes;
    const PageHeader header = ReadHeader(sequential_offset_, limit, &bytes);
    const int64_t offset = sequential_offset_;
    sequential_offset_ += header.page_bytes();
    if (!header.is_data()) continue;  // the dictionary page is fetched by offset when a page needs it
    ++page_ordinal_;
    values_seen_ += header.num_values;
    if (header.num_values == 0) continue;
    int64_t rows = -1;
    if (is_flat()) {
      rows = header.num_values;
    } else if (header.kind == PageHeader::Kind::kDataV2) {
      // Counted in the levels, which are not compressed, and not taken from the header: a wrong num_rows would shift
      // every row behind a page that is passed over.
      bool begins_at_row = true;
      rows = CountRows(header, Bytes({offset + header.header_bytes, header.repetition_levels_byte_length}),
                       &begins_at_row);
      if (!begins_at_row) Throw(ErrorKind::kCorrupt, "page begins inside a row", offset, header.page_bytes());
    }
    pending_first_row_ = sequential_row_;
    pending_end_row_ = rows >= 0 && sequential_row_ >= 0 ? sequential_row_ + rows : -1;
    sequential_row_ = pending_end_row_;
    if (pending_end_row_ >= 0 && pending_end_row_ <= wanted_row_) {
      ++state_->pages_skipped;
      continue;
    }
    pending_header_ = header;
    pending_offset_ = offset;
    // What lies before this page will not be read again, but for a dictionary that is still to be given.
    if (dictionary_given_ || !UsesDictionary(header.encoding)) {
      reader_->Release({plan_->chunk_range.offset, offset - plan_->chunk_range.offset});
    }
    return true;
  }
  return false;
}

bool SelectedPageReader::Advance() {
  if (!pending_) pending_ = plan_->offsets ? AdvancePlanned() : AdvanceSequential();
  return pending_;
}

int64_t SelectedPageReader::SkipToWantedRow() {
  if (pending_ && pending_end_row_ >= 0 && pending_end_row_ <= wanted_row_) pending_ = false;
  if (Advance()) return pending_first_row_;
  // The footer promises more rows than the pages hold.
  if (plan_->offsets == nullptr && wanted_row_ < plan_->row_count) {
    Throw(ErrorKind::kCorrupt,
          "the column ends at row " + (sequential_row_ >= 0 ? std::to_string(sequential_row_) : "?") +
              " of the row group, which has " + std::to_string(plan_->row_count),
          plan_->chunk_range.offset, plan_->chunk_range.length);
  }
  return plan_->row_count;
}

std::shared_ptr<pq::Page> SelectedPageReader::NextPage() {
  do {
    if (!Advance()) return nullptr;
    if (UsesDictionary(pending_header_.encoding) && !dictionary_given_) {
      dictionary_given_ = true;
      const int64_t limit = plan_->dictionary_range ? plan_->dictionary_range->end() : pending_offset_;
      return DictionaryPageAt(plan_->chunk_range.offset, limit);
    }
    pending_ = false;
    page_first_row_ = pending_first_row_;
    page_end_row_ = pending_end_row_;
    // A page of no values in front of others stops Arrow's decoders: there is nothing in it to give.
  } while (pending_header_.num_values == 0);
  ++state_->pages_read;
  return DataPage(pending_header_, pending_offset_);
}

std::shared_ptr<pq::DictionaryPage> SelectedPageReader::ReadDictionary() {
  return DictionaryPageAt(plan_->dictionary_range->offset, plan_->dictionary_range->end());
}

std::shared_ptr<pq::DictionaryPage> SelectedPageReader::DictionaryPageAt(int64_t offset, int64_t limit) {
  while (offset < limit) {
    std::shared_ptr<arrow::Buffer> bytes;
    if (plan_->dictionary_range) Bytes(*plan_->dictionary_range);  // header and body in one request
    const PageHeader header = ReadHeader(offset, limit, &bytes);
    if (header.kind == PageHeader::Kind::kDictionary) return DictionaryPage(header, offset);
    if (header.is_data()) break;
    offset += header.page_bytes();
  }
  state_->index_contradicted = plan_->offsets != nullptr;
  Throw(ErrorKind::kCorrupt, "a page is dictionary-encoded, but the column chunk has no dictionary page", offset,
        limit - offset);
}

std::shared_ptr<pq::DictionaryPage> SelectedPageReader::DictionaryPage(const PageHeader& header, int64_t offset) {
  auto body = Decompress(header, Body(header, offset), 0);
  return std::make_shared<pq::DictionaryPage>(body, header.num_values, ToArrow(header.encoding), header.is_sorted);
}

std::shared_ptr<arrow::Buffer> SelectedPageReader::Body(const PageHeader& header, int64_t offset) {
  auto body = Bytes({offset + header.header_bytes, header.compressed_page_size});
  if (options_.verify_checksums && header.crc) {
    const uint32_t crc = arrow::internal::crc32(0, body->data(), static_cast<size_t>(body->size()));
    if (crc != *header.crc) {
      Throw(ErrorKind::kCorrupt, "page checksum does not match", offset, header.page_bytes());
    }
  }
  return body;
}

// The number of bytes that came out of `in`.
arrow::Result<int64_t> SelectedPageReader::DecompressBody(std::span<const uint8_t> in, std::span<uint8_t> out) {
  if (gzip_) {
    const std::optional<int64_t> size = gzip_->Run(in, out);
    if (!size) return arrow::Status::Invalid("malformed gzip, or more bytes than the page has");
    return *size;
  }
  if (codec_ == nullptr) {
    if (!DecompressSnappy(in, out)) return arrow::Status::Invalid("malformed Snappy block, or one of another size");
    return static_cast<int64_t>(out.size());
  }
  if (zstd_ != nullptr) {
    const auto size = DecompressZstd(in, out);
    if (size.ok()) return size;  // else the codec has the last word: it takes frames with windows of any size
  }
  return codec_->Decompress(static_cast<int64_t>(in.size()), in.data(), static_cast<int64_t>(out.size()), out.data());
}

// Frames one after the other. One that names its size, as all but streaming writers do, goes straight into `out`.
arrow::Result<int64_t> SelectedPageReader::DecompressZstd(std::span<const uint8_t> in, std::span<uint8_t> out) {
  ARROW_RETURN_NOT_OK(zstd_->Reset());
  int64_t written = 0;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const auto step,
                          zstd_->Decompress(static_cast<int64_t>(in.size()), in.data(),
                                            static_cast<int64_t>(out.size()) - written, out.data() + written));
    in = in.subspan(static_cast<size_t>(step.bytes_read));
    written += step.bytes_written;
    if (zstd_->IsFinished()) {
      if (in.empty()) return written;
      ARROW_RETURN_NOT_OK(zstd_->Reset());
    } else if (step.bytes_read == 0 && step.bytes_written == 0) {
      return arrow::Status::Invalid("the frame ends too soon, or holds more than the page says");
    }
  }
}

// `levels_bytes` at the front of a V2 page are stored uncompressed and copied as they are.
std::shared_ptr<arrow::Buffer> SelectedPageReader::Decompress(const PageHeader& header,
                                                              const std::shared_ptr<arrow::Buffer>& body,
                                                              int64_t levels_bytes) {
  const bool compressed = plan_->chunk.codec != arrow::Compression::UNCOMPRESSED &&
                          (header.kind != PageHeader::Kind::kDataV2 || header.is_compressed);
  if (!compressed) {
    if (header.compressed_page_size != header.uncompressed_page_size) {
      Throw(ErrorKind::kCorrupt, "an uncompressed page names two sizes", pending_offset_, header.page_bytes());
    }
    return body;
  }
  const int64_t size = header.uncompressed_page_size;
  const int64_t in_bytes = header.compressed_page_size - levels_bytes;
  if (size > options_.page_bytes_max) {
    Throw(ErrorKind::kBudget, "page decompresses to " + std::to_string(size) + " bytes, more than page_bytes_max",
          pending_offset_, header.page_bytes());
  }
  if (size - levels_bytes > (in_bytes + 64) * ExpansionMax(plan_->chunk.codec)) {
    Throw(ErrorKind::kCorrupt, "page claims " + std::to_string(size) + " bytes, more than its codec can hold",
          pending_offset_, header.page_bytes());
  }
  if (decompressed_[0] == nullptr || decompressed_[0].use_count() > 1) std::swap(decompressed_[0], decompressed_[1]);
  std::shared_ptr<arrow::ResizableBuffer>& page = decompressed_[0];
  if (page == nullptr || page.use_count() > 1) {
    PARQUET_ASSIGN_OR_THROW(page, arrow::AllocateResizableBuffer(size));
  } else {
    PARQUET_THROW_NOT_OK(page->Resize(size, /*shrink_to_fit=*/false));
  }
  uint8_t* out = page->mutable_data();
  if (levels_bytes > 0) std::memcpy(out, body->data(), static_cast<size_t>(levels_bytes));
  if (in_bytes > 0) {
    const auto written = DecompressBody({body->data() + levels_bytes, static_cast<size_t>(in_bytes)},
                                        {out + levels_bytes, static_cast<size_t>(size - levels_bytes)});
    if (!written.ok()) {
      Throw(ErrorKind::kCorrupt, "page does not decompress: " + written.status().message(), pending_offset_,
            header.page_bytes());
    }
    if (*written != size - levels_bytes) {
      Throw(ErrorKind::kCorrupt,
            "page decompresses to " + std::to_string(*written + levels_bytes) + " bytes instead of " +
                std::to_string(size),
            pending_offset_, header.page_bytes());
    }
  } else if (size != levels_bytes) {
    Throw(ErrorKind::kCorrupt, "page has no bytes but claims some", pending_offset_, header.page_bytes());
  }
  return page;
}

std::shared_ptr<pq::Page> SelectedPageReader::DataPage(const PageHeader& header, int64_t offset) {
  if (!is_flat() && header.num_values > options_.page_levels_max) {
    Throw(ErrorKind::kBudget,
          "page of a repeated column holds " + std::to_string(header.num_values) + " levels, more than page_levels_max",
          offset, header.page_bytes());
  }
  auto body = Body(header, offset);
  std::shared_ptr<pq::Page> page;
  if (header.kind == PageHeader::Kind::kDataV2) {
    const int64_t levels = int64_t{header.definition_levels_byte_length} + header.repetition_levels_byte_length;
    auto bytes = Decompress(header, body, levels);
    CheckRows(header, bytes);
    page = std::make_shared<pq::DataPageV2>(bytes, header.num_values, header.num_nulls, header.num_rows,
                                            ToArrow(header.encoding), header.definition_levels_byte_length,
                                            header.repetition_levels_byte_length, header.uncompressed_page_size);
  } else {
    auto bytes = Decompress(header, body, 0);
    CheckRows(header, bytes);
    page = std::make_shared<pq::DataPageV1>(bytes, header.num_values, ToArrow(header.encoding),
                                            ToArrow(header.definition_level_encoding),
                                            ToArrow(header.repetition_level_encoding), header.uncompressed_page_size);
  }
  return page;
}

// Rows that begin in the page; `*begins_at_row` false when the page continues a row of the page before.
int64_t SelectedPageReader::CountRows(const PageHeader& header, const std::shared_ptr<arrow::Buffer>& page,
                                      bool* begins_at_row) {
  *begins_at_row = true;
  if (is_flat()) return header.num_values;
  pq::LevelDecoder decoder;
  if (header.kind == PageHeader::Kind::kDataV2) {
    decoder.SetDataV2(header.repetition_levels_byte_length, leaf_->max_repetition_level(), header.num_values,
                      page->data());
  } else {
    decoder.SetData(ToArrow(header.repetition_level_encoding), leaf_->max_repetition_level(), header.num_values,
                    page->data(), static_cast<int32_t>(page->size()));
  }
  int16_t first = 0;
  if (decoder.Decode(1, &first) == 1) *begins_at_row = first == 0;
  int64_t rows = *begins_at_row ? 1 : 0;
  while (true) {
    const auto counted = decoder.CountUpTo(0, std::numeric_limits<int>::max());
    if (counted.processed_count == 0) break;
    rows += counted.matching_count;
  }
  return rows;
}

void SelectedPageReader::CheckRows(const PageHeader& header, const std::shared_ptr<arrow::Buffer>& page) {
  if (plan_->offsets == nullptr) return;
  bool begins_at_row = true;
  const int64_t rows = CountRows(header, page, &begins_at_row);
  const int64_t expected = page_end_row_ - page_first_row_;
  if (rows == expected && begins_at_row) return;
  state_->index_contradicted = true;
  Throw(ErrorKind::kCorrupt,
        begins_at_row
            ? "page holds " + std::to_string(rows) + " rows, its offset index says " + std::to_string(expected)
            : "page begins inside a row, against its offset index",
        pending_offset_, header.page_bytes());
}

}  // namespace frazil::parquet
