// SPDX-License-Identifier: Apache-2.0

#include "src/parquet/column_chunk.h"

#include <array>
#include <iterator>
#include <limits>

#include "src/parquet/thrift.h"

namespace frazil::parquet {

namespace {

using Fields = CompactReader::Fields;
using Type = CompactReader::Type;

struct Codec {
  arrow::Compression::type type = arrow::Compression::UNCOMPRESSED;
  bool supported = false;
};

Codec CodecOf(int number) {
  // By the numbers of parquet.thrift CompressionCodec. LZ4 there is Hadoop's framing, LZ4_RAW is the bare block.
  static constexpr arrow::Compression::type kCodecs[] = {
      arrow::Compression::UNCOMPRESSED, arrow::Compression::SNAPPY, arrow::Compression::GZIP,
      arrow::Compression::LZO,          arrow::Compression::BROTLI, arrow::Compression::LZ4_HADOOP,
      arrow::Compression::ZSTD,         arrow::Compression::LZ4,
  };
  if (number < 0 || number >= static_cast<int>(std::size(kCodecs))) return {};
  const arrow::Compression::type type = kCodecs[number];
  // Asked once: whether this build of Arrow has a codec does not change.
  static const std::array<bool, std::size(kCodecs)> kAvailable = [] {
    std::array<bool, std::size(kCodecs)> available{};
    for (size_t i = 0; i < available.size(); ++i) {
      available[i] = kCodecs[i] == arrow::Compression::UNCOMPRESSED || arrow::util::Codec::IsAvailable(kCodecs[i]);
    }
    return available;
  }();
  return {type, kAvailable[number]};
}

std::optional<int64_t> Positive(std::optional<int64_t> value) {
  return value.has_value() && *value > 0 ? value : std::nullopt;
}

std::optional<ByteRange> IndexRange(std::optional<int64_t> offset, std::optional<int32_t> length) {
  if (!offset || !length || *offset <= 0 || *length <= 0) return std::nullopt;
  if (*offset > std::numeric_limits<int64_t>::max() - *length) return std::nullopt;
  return ByteRange{*offset, *length};
}

std::vector<int64_t> ReadI64List(CompactReader& r, const Fields& field) {
  std::vector<int64_t> values;
  r.ForEach(field, Type::kI64, [&] { values.push_back(r.I64()); });
  return values;
}

std::vector<std::string_view> ReadPath(CompactReader& r, const Fields& field) {
  std::vector<std::string_view> path;
  r.ForEach(field, Type::kBinary, [&] { path.push_back(r.Binary()); });
  return path;
}

RawSizeStatistics ReadSizeStatistics(CompactReader& r) {
  RawSizeStatistics size;
  for (Fields f(r); f.Next();) {
    switch (f.id()) {
      case 1:
        size.unencoded_byte_array_data_bytes = r.I64If(f);
        break;
      case 2:
        size.repetition_level_histogram = ReadI64List(r, f);
        break;
      case 3:
        size.definition_level_histogram = ReadI64List(r, f);
        break;
      default:
        r.Skip(f.type());
    }
  }
  return size;
}

// Unset when a field is missing: then nothing can be concluded from the list that holds it.
std::optional<PageEncodingStats> ReadEncodingStats(CompactReader& r) {
  std::optional<int32_t> page_type, encoding, count;
  for (Fields f(r); f.Next();) {
    switch (f.id()) {
      case 1:
        page_type = r.I32If(f);
        break;
      case 2:
        encoding = r.I32If(f);
        break;
      case 3:
        count = r.I32If(f);
        break;
      default:
        r.Skip(f.type());
    }
  }
  if (!page_type || !encoding || !count || *count < 0) return std::nullopt;
  return PageEncodingStats{*page_type, *encoding, *count};
}

std::vector<PageEncodingStats> ReadEncodingStatsList(CompactReader& r, const Fields& field) {
  std::vector<PageEncodingStats> list;
  bool complete = true;
  r.ForEach(field, Type::kStruct, [&] {
    if (const auto stats = ReadEncodingStats(r)) {
      list.push_back(*stats);
    } else {
      complete = false;
    }
  });
  if (!complete) list.clear();
  return list;
}

// The fields that ColumnMetaData must have.
struct RequiredFields {
  std::optional<int32_t> type, codec;
  std::optional<int64_t> num_values, total_uncompressed_size, total_compressed_size, data_page_offset;

  const char* Missing() const {
    if (!type) return "type";
    if (!codec) return "codec";
    if (!num_values) return "num_values";
    if (!total_uncompressed_size) return "total_uncompressed_size";
    if (!total_compressed_size) return "total_compressed_size";
    if (!data_page_offset) return "data_page_offset";
    return nullptr;
  }
};

void ReadMetaData(CompactReader& r, RequiredFields* required, DecodedChunk* out) {
  ColumnChunk& chunk = out->chunk;
  std::optional<int32_t> bloom_filter_length;
  for (Fields f(r); f.Next();) {
    switch (f.id()) {
      case 1:
        required->type = r.I32If(f);
        break;
      case 2:
        chunk.encodings.clear();
        r.ForEach(f, Type::kI32, [&] { chunk.encodings.push_back(r.I32()); });
        break;
      case 3:
        out->path = ReadPath(r, f);
        break;
      case 4:
        required->codec = r.I32If(f);
        break;
      case 5:
        required->num_values = r.I64If(f);
        break;
      case 6:
        required->total_uncompressed_size = r.I64If(f);
        break;
      case 7:
        required->total_compressed_size = r.I64If(f);
        break;
      case 9:
        required->data_page_offset = r.I64If(f);
        break;
      case 11:
        chunk.dictionary_page_offset = Positive(r.I64If(f));
        break;
      case 12:
        if (f.type() == Type::kStruct) {
          chunk.statistics = DecodeStatistics(r);
        } else {
          r.Skip(f.type());
        }
        break;
      case 13:
        chunk.encoding_stats = ReadEncodingStatsList(r, f);
        break;
      case 14:
        chunk.bloom_filter_offset = Positive(r.I64If(f));
        break;
      case 15:
        bloom_filter_length = r.I32If(f);
        break;
      case 16:
        if (f.type() == Type::kStruct) {
          chunk.size_statistics = ReadSizeStatistics(r);
        } else {
          r.Skip(f.type());
        }
        break;
      default:
        r.Skip(f.type());  // index_page_offset among them: writers set it to anything
    }
  }
  if (chunk.bloom_filter_offset && bloom_filter_length.value_or(0) > 0) chunk.bloom_filter_length = bloom_filter_length;
}

arrow::Status TakeRequired(const RequiredFields& required, ColumnChunk* chunk) {
  if (const char* missing = required.Missing()) {
    return MakeError(ErrorKind::kCorrupt, std::string("column metadata lacks ") + missing);
  }
  if (*required.num_values < 0) {
    return MakeError(ErrorKind::kCorrupt, "negative num_values " + std::to_string(*required.num_values));
  }
  chunk->physical_type = *required.type;
  chunk->codec_number = *required.codec;
  const Codec codec = CodecOf(chunk->codec_number);
  chunk->codec = codec.type;
  chunk->codec_supported = codec.supported;
  chunk->num_values = *required.num_values;
  chunk->total_uncompressed_size = *required.total_uncompressed_size;
  chunk->total_compressed_size = *required.total_compressed_size;
  chunk->data_page_offset = *required.data_page_offset;
  if (chunk->dictionary_page_offset && *chunk->dictionary_page_offset >= chunk->data_page_offset) {
    chunk->dictionary_page_offset.reset();
  }
  return arrow::Status::OK();
}

}  // namespace

RawStatistics DecodeStatistics(CompactReader& r) {
  RawStatistics statistics;
  for (Fields f(r); f.Next();) {
    switch (f.id()) {
      case 1:
        statistics.max = r.BinaryIf(f);
        break;
      case 2:
        statistics.min = r.BinaryIf(f);
        break;
      case 3:
        statistics.null_count = r.I64If(f);
        break;
      case 4:
        statistics.distinct_count = r.I64If(f);
        break;
      case 5:
        statistics.max_value = r.BinaryIf(f);
        break;
      case 6:
        statistics.min_value = r.BinaryIf(f);
        break;
      case 7:
        statistics.is_max_value_exact = r.BoolIf(f);
        break;
      case 8:
        statistics.is_min_value_exact = r.BoolIf(f);
        break;
      case 9:
        statistics.nan_count = r.I64If(f);
        break;
      default:
        r.Skip(f.type());
    }
  }
  return statistics;
}

arrow::Result<DecodedChunk> DecodeColumnChunk(std::string_view bytes) {
  DecodedChunk out;
  RequiredFields required;
  std::optional<int64_t> offset_index_offset, column_index_offset;
  std::optional<int32_t> offset_index_length, column_index_length;
  CompactReader r(bytes);
  for (Fields f(r); f.Next();) {
    switch (f.id()) {
      case 1:
        out.chunk.other_file = r.BinaryIf(f).has_value();
        break;
      case 3:
        if (f.type() == Type::kStruct) {
          ReadMetaData(r, &required, &out);
          out.has_meta_data = true;
        } else {
          r.Skip(f.type());
        }
        break;
      case 4:
        offset_index_offset = r.I64If(f);
        break;
      case 5:
        offset_index_length = r.I32If(f);
        break;
      case 6:
        column_index_offset = r.I64If(f);
        break;
      case 7:
        column_index_length = r.I32If(f);
        break;
      case 8:
        out.chunk.encrypted |= f.type() == Type::kStruct;
        r.Skip(f.type());
        break;
      case 9:
        out.chunk.encrypted |= r.BinaryIf(f).has_value();
        break;
      default:
        r.Skip(f.type());
    }
  }
  if (!r.ok()) return MakeError(ErrorKind::kCorrupt, "column chunk metadata is not Thrift");
  if (out.has_meta_data) {
    ARROW_RETURN_NOT_OK(TakeRequired(required, &out.chunk));
  } else if (!out.chunk.encrypted) {
    return MakeError(ErrorKind::kCorrupt, "column chunk has no metadata");
  }
  out.chunk.offset_index = IndexRange(offset_index_offset, offset_index_length);
  out.chunk.column_index = IndexRange(column_index_offset, column_index_length);
  return out;
}

std::vector<std::string_view> DecodeChunkPath(std::string_view bytes) {
  std::vector<std::string_view> path;
  CompactReader r(bytes);
  for (Fields f(r); f.Next();) {
    if (f.id() != 3 || f.type() != Type::kStruct) {
      r.Skip(f.type());
      continue;
    }
    for (Fields meta(r); meta.Next();) {
      if (meta.id() == 3) {
        path = ReadPath(r, meta);
      } else {
        r.Skip(meta.type());
      }
    }
  }
  return path;
}

}  // namespace frazil::parquet
