// SPDX-License-Identifier: Apache-2.0
#include "src/cli/page_rows.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <arrow/util/compression.h>

#include "src/parquet/page_header.h"
#include "src/parquet/page_index.h"
#include "src/parquet/statistics.h"

namespace frazil::cli {
namespace {

using Cell = MetadataRows::Cell;
using Kind = MetadataRows::Kind;

constexpr int64_t kHeaderBytesRead = 4 << 10;
constexpr int64_t kHeaderBytesMax = 1 << 20;

std::string_view View(const arrow::Buffer& buffer) {
  return {reinterpret_cast<const char*>(buffer.data()), static_cast<size_t>(buffer.size())};
}

struct Chunk {
  int row_group = 0;
  int leaf = 0;
  int64_t row_count = 0;
  parquet::ColumnChunk metadata;
  ByteRange range;
};

class PageLister {
 public:
  PageLister(const parquet::Footer& footer, io::RangeReader* reader)
      : footer_(footer),
        reader_(reader),
        rows_({{"row_group", Kind::kNumber},
               {"column"},
               {"page", Kind::kNumber},
               {"kind"},
               {"encoding"},
               {"first_row", Kind::kNumber},
               {"row_count", Kind::kNumber},
               {"num_values", Kind::kNumber},
               {"offset", Kind::kNumber},
               {"compressed_bytes", Kind::kNumber},
               {"null_count", Kind::kNumber},
               {"null_page", Kind::kBool},
               {"min"},
               {"max"},
               {"index"}}) {}

  arrow::Status List(const Chunk& chunk) {
    std::string why = "no offset index";
    if (chunk.metadata.offset_index) {
      auto bytes = Get(*chunk.metadata.offset_index);
      if (!bytes.ok()) {
        why = "offset index lies outside the file";
      } else {
        auto offsets = parquet::ParseOffsetIndex(View(**bytes), chunk.range, chunk.row_count);
        if (offsets.ok()) return ListIndexed(chunk, *offsets);
        why = "offset index: " + offsets.status().message();
      }
    }
    return WalkHeaders(chunk, why);
  }

  MetadataRows Take() { return std::move(rows_); }

 private:
  arrow::Result<std::shared_ptr<arrow::Buffer>> Get(const ByteRange& range) {
    if (range.offset >= footer_.footer_offset() || range.length > footer_.footer_offset() - range.offset) {
      return MakeError(ErrorKind::kCorrupt, "lies outside the file");
    }
    ARROW_RETURN_NOT_OK(reader_->Fetch({range}, "page index"));
    return reader_->Get(range);
  }

  arrow::Status ListIndexed(const Chunk& chunk, const parquet::OffsetIndex& offsets) {
    const ::parquet::ColumnDescriptor& leaf = *footer_.schema().Column(chunk.leaf);
    const auto decoder = parquet::MakeBoundsDecoder(leaf, footer_.column_order(chunk.leaf));
    std::optional<parquet::ColumnIndex> index;
    std::shared_ptr<arrow::Buffer> index_bytes;
    std::string state = leaf.max_repetition_level() > 0 ? "inside a list or map: no bounds" : "no column index";
    if (chunk.metadata.column_index && leaf.max_repetition_level() == 0) {
      auto bytes = Get(*chunk.metadata.column_index);
      if (bytes.ok()) {
        index_bytes = *bytes;
        auto parsed = parquet::ParseColumnIndex(View(*index_bytes), decoder, offsets, leaf.max_definition_level());
        state = parsed.ok() ? "ok" : "column index: " + parsed.status().message();
        if (parsed.ok()) index = std::move(*parsed);
      } else {
        state = "column index lies outside the file";
      }
    }
    for (int page = 0; page < offsets.page_count(); ++page) {
      const size_t p = static_cast<size_t>(page);
      const bool bounded = index && index->has_bounds[p];
      const bool counted = index && !index->null_counts.empty() && index->null_counts[p] >= 0;
      rows_.Add({int64_t{chunk.row_group}, footer_.leaf_path(chunk.leaf), int64_t{page}, std::string("data"), Cell(),
                 offsets.first_row(page), offsets.end_row(page) - offsets.first_row(page), Cell(),
                 offsets.pages[p].offset, int64_t{offsets.pages[p].compressed_page_size},
                 counted ? Cell(index->null_counts[p]) : Cell(), index ? Cell(index->null_pages[p] != 0) : Cell(),
                 bounded ? Cell(BoundText(*index, p, decoder.type, true)) : Cell(),
                 bounded ? Cell(BoundText(*index, p, decoder.type, false)) : Cell(), state});
    }
    return arrow::Status::OK();
  }

  static std::string BoundText(const parquet::ColumnIndex& index, size_t page, const expr::ColumnType& type, bool min) {
    if (type.has_byte_keys()) {
      return expr::KeyToString(std::string(min ? index.bytes_min[page] : index.bytes_max[page]), type);
    }
    return expr::KeyToString(min ? index.int_min[page] : index.int_max[page], type);
  }

  arrow::Result<parquet::PageHeader> HeaderAt(int64_t offset, int64_t limit) {
    for (int64_t length = kHeaderBytesRead;; length *= 8) {
      const ByteRange range{offset, std::min(length, limit - offset)};
      ARROW_RETURN_NOT_OK(reader_->Fetch({range}, "page headers"));
      ARROW_ASSIGN_OR_RAISE(auto bytes, reader_->Get(range));
      ARROW_ASSIGN_OR_RAISE(auto header, parquet::ParsePageHeader(View(*bytes)));
      if (header) return *header;
      if (range.length < length || length > kHeaderBytesMax) break;
    }
    return MakeError(ErrorKind::kCorrupt, "page header is not decodable", {.range = ByteRange{offset, limit - offset}});
  }

  arrow::Status WalkHeaders(const Chunk& chunk, const std::string& why) {
    int64_t offset = chunk.range.offset;
    int64_t values = 0;
    int64_t page = 0;
    while (offset < chunk.range.end() && values < chunk.metadata.num_values) {
      ARROW_ASSIGN_OR_RAISE(const auto header, HeaderAt(offset, chunk.range.end()));
      const bool v2 = header.kind == parquet::PageHeader::Kind::kDataV2;
      const char* kind = header.kind == parquet::PageHeader::Kind::kDictionary ? "dictionary"
                         : header.is_data()                                    ? (v2 ? "data v2" : "data v1")
                                                                               : "other";
      rows_.Add({int64_t{chunk.row_group}, footer_.leaf_path(chunk.leaf), header.is_data() ? Cell(page++) : Cell(),
                 std::string(kind), EncodingName(header.encoding), Cell(), v2 ? Cell(int64_t{header.num_rows}) : Cell(),
                 int64_t{header.num_values}, offset, header.page_bytes(), v2 ? Cell(int64_t{header.num_nulls}) : Cell(),
                 Cell(), Cell(), Cell(), why});
      if (header.is_data()) values += header.num_values;
      offset += header.page_bytes();
    }
    reader_->Release(chunk.range);
    return arrow::Status::OK();
  }

  const parquet::Footer& footer_;
  io::RangeReader* reader_;
  MetadataRows rows_;
};

}  // namespace

std::string EncodingName(int encoding) {
  switch (encoding) {
    case 0:
      return "PLAIN";
    case 2:
      return "PLAIN_DICTIONARY";
    case 3:
      return "RLE";
    case 4:
      return "BIT_PACKED";
    case 5:
      return "DELTA_BINARY_PACKED";
    case 6:
      return "DELTA_LENGTH_BYTE_ARRAY";
    case 7:
      return "DELTA_BYTE_ARRAY";
    case 8:
      return "RLE_DICTIONARY";
    case 9:
      return "BYTE_STREAM_SPLIT";
    default:
      return std::to_string(encoding);
  }
}

std::string CodecName(const parquet::ColumnChunk& chunk) {
  if (!chunk.codec_supported) return std::to_string(chunk.codec_number);
  return arrow::util::Codec::GetCodecAsString(chunk.codec);
}

arrow::Result<MetadataRows> PageRows(const parquet::Footer& footer, const std::vector<int>& leaves,
                                     io::RangeReader* reader) {
  PageLister lister(footer, reader);
  for (int row_group = 0; row_group < footer.row_group_count(); ++row_group) {
    for (int leaf : leaves) {
      const ErrorPlace place{.row_group = row_group, .column = footer.leaf_path(leaf)};
      Chunk chunk{row_group, leaf, footer.row_group_row_count(row_group), {}, {}};
      ARROW_ASSIGN_OR_RAISE(chunk.metadata, footer.Chunk(row_group, leaf));
      if (chunk.row_count == 0 && chunk.metadata.num_values == 0) continue;
      auto range = parquet::ChunkRange(chunk.metadata, footer.file_size());
      if (!range.ok()) return AddPlace(range.status(), place);
      chunk.range = *range;
      auto listed = lister.List(chunk);
      if (!listed.ok()) return AddPlace(listed, place);
    }
  }
  return lister.Take();
}

}  // namespace frazil::cli
