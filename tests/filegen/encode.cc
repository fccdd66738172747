// SPDX-License-Identifier: Apache-2.0
#include "tests/filegen/encode.h"

#include <bit>
#include <exception>
#include <memory>
#include <type_traits>
#include <vector>

#include <arrow/buffer.h>
#include <parquet/encoding.h>
#include <parquet/schema.h>

namespace frazil::filegen {

namespace {

void AppendVarInt(uint64_t value, std::string* out) {
  while (value >= 0x80) {
    out->push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out->push_back(static_cast<char>(value));
}

void AppendRleRun(uint32_t value, size_t count, int bit_width, std::string* out) {
  AppendVarInt(static_cast<uint64_t>(count) << 1, out);
  for (int bits = 0; bits < bit_width; bits += 8) out->push_back(static_cast<char>(value >> bits));
}

void AppendPackedRun(std::span<const uint32_t> values, int bit_width, std::string* out) {
  if (values.empty()) return;
  size_t groups = (values.size() + 7) / 8;
  AppendVarInt((static_cast<uint64_t>(groups) << 1) | 1, out);
  uint64_t pending = 0;
  int pending_bits = 0;
  for (size_t i = 0; i < groups * 8; ++i) {
    uint64_t value = i < values.size() ? values[i] : 0;
    pending |= value << pending_bits;
    pending_bits += bit_width;
    for (; pending_bits >= 8; pending_bits -= 8, pending >>= 8) out->push_back(static_cast<char>(pending));
  }
}

template <typename DType, typename T>
std::string EncodeTyped(::parquet::Encoding::type encoding, const ::parquet::ColumnDescriptor& descriptor,
                        const T* values, int count) {
  auto encoder = ::parquet::MakeTypedEncoder<DType>(encoding, false, &descriptor);
  encoder->Put(values, count);
  std::shared_ptr<::arrow::Buffer> bytes = encoder->FlushValues();
  return bytes->ToString();
}

std::string EncodeTexts(const Node& leaf, ::parquet::Encoding::type encoding,
                        const ::parquet::ColumnDescriptor& descriptor, std::span<const std::string> texts) {
  if (*leaf.physical == ::parquet::Type::FIXED_LEN_BYTE_ARRAY) {
    std::vector<::parquet::FixedLenByteArray> views;
    views.reserve(texts.size());
    for (const std::string& text : texts) views.emplace_back(reinterpret_cast<const uint8_t*>(text.data()));
    return EncodeTyped<::parquet::FLBAType>(encoding, descriptor, views.data(), static_cast<int>(views.size()));
  }
  std::vector<::parquet::ByteArray> views;
  views.reserve(texts.size());
  for (const std::string& text : texts) views.emplace_back(std::string_view(text));
  return EncodeTyped<::parquet::ByteArrayType>(encoding, descriptor, views.data(), static_cast<int>(views.size()));
}

std::string Encode(const Node& leaf, ::parquet::Encoding::type encoding, const ValueVector& values, int64_t begin,
                   int64_t end) {
  auto node = ::parquet::schema::PrimitiveNode::Make(leaf.name, kRequired, *leaf.physical,
                                                     ::parquet::ConvertedType::NONE, leaf.type_length);
  ::parquet::ColumnDescriptor descriptor(node, 0, 0);
  int count = static_cast<int>(end - begin);
  return std::visit(
      [&](const auto& typed) -> std::string {
        using T = typename std::decay_t<decltype(typed)>::value_type;
        if constexpr (std::is_same_v<T, uint8_t>) {
          auto copy = std::make_unique<bool[]>(count);
          for (int i = 0; i < count; ++i) copy[i] = typed[begin + i] != 0;
          return EncodeTyped<::parquet::BooleanType>(encoding, descriptor, copy.get(), count);
        } else if constexpr (std::is_same_v<T, int32_t>) {
          return EncodeTyped<::parquet::Int32Type>(encoding, descriptor, typed.data() + begin, count);
        } else if constexpr (std::is_same_v<T, int64_t>) {
          return EncodeTyped<::parquet::Int64Type>(encoding, descriptor, typed.data() + begin, count);
        } else if constexpr (std::is_same_v<T, Int96>) {
          return EncodeTyped<::parquet::Int96Type>(encoding, descriptor, typed.data() + begin, count);
        } else if constexpr (std::is_same_v<T, float>) {
          return EncodeTyped<::parquet::FloatType>(encoding, descriptor, typed.data() + begin, count);
        } else if constexpr (std::is_same_v<T, double>) {
          return EncodeTyped<::parquet::DoubleType>(encoding, descriptor, typed.data() + begin, count);
        } else {
          return EncodeTexts(leaf, encoding, descriptor, {typed.data() + begin, static_cast<size_t>(count)});
        }
      },
      values);
}

}  // namespace

int BitWidth(uint32_t max) { return std::bit_width(max); }

void AppendHybrid(std::span<const uint32_t> values, int bit_width, RunStyle runs, std::string* out) {
  if (runs == RunStyle::kBitPacked) {
    AppendPackedRun(values, bit_width, out);
    return;
  }
  size_t packed_begin = 0;  // values from here to i wait for a bit-packed run
  size_t i = 0;
  while (i < values.size()) {
    size_t run_end = i + 1;
    while (run_end < values.size() && values[run_end] == values[i]) ++run_end;
    if (runs == RunStyle::kRle) {
      AppendRleRun(values[i], run_end - i, bit_width, out);
      packed_begin = i = run_end;
      continue;
    }
    // A bit-packed run inside the data holds a multiple of 8: the repeats fill up the last group first.
    size_t fill = (8 - (i - packed_begin) % 8) % 8;
    if (run_end - i >= fill + 8) {
      i += fill;
      AppendPackedRun(values.subspan(packed_begin, i - packed_begin), bit_width, out);
      AppendRleRun(values[i], run_end - i, bit_width, out);
      packed_begin = run_end;
    }
    i = run_end;
  }
  AppendPackedRun(values.subspan(packed_begin), bit_width, out);
}

std::string EncodeLevels(std::span<const int16_t> levels, int16_t max_level, RunStyle runs) {
  std::string out;
  if (max_level == 0) return out;
  std::vector<uint32_t> wide(levels.begin(), levels.end());
  AppendHybrid(wide, BitWidth(static_cast<uint32_t>(max_level)), runs, &out);
  return out;
}

arrow::Result<std::string> EncodeValues(const Node& leaf, ::parquet::Encoding::type encoding, const ValueVector& values,
                                        int64_t begin, int64_t end) {
  try {
    return Encode(leaf, encoding, values, begin, end);
  } catch (const std::exception& failure) {
    return arrow::Status::Invalid("column ", leaf.name, ": ", failure.what());
  }
}

uint32_t DictionaryBuilder::Index(const ValueVector& values, int64_t position) {
  auto next = static_cast<uint32_t>(index_.size());
  auto [entry, is_new] = index_.try_emplace(std::string(PlainView(values, position)), next);
  if (is_new) {
    std::visit([this, position](
                   const auto& typed) { std::get<std::decay_t<decltype(typed)>>(entries_).push_back(typed[position]); },
               values);
  }
  return entry->second;
}

std::string EncodeIndices(std::span<const uint32_t> indices, int64_t entry_count, RunStyle runs) {
  // Width 1 also for a single entry: some readers refuse width 0.
  int bit_width = entry_count <= 2 ? 1 : BitWidth(static_cast<uint32_t>(entry_count - 1));
  std::string out(1, static_cast<char>(bit_width));
  AppendHybrid(indices, bit_width, runs, &out);
  return out;
}

arrow::Result<std::string> Compress(::arrow::util::Codec* codec, std::string_view bytes) {
  if (codec == nullptr) return std::string(bytes);
  const auto* input = reinterpret_cast<const uint8_t*>(bytes.data());
  auto input_bytes = static_cast<int64_t>(bytes.size());
  std::string out(codec->MaxCompressedLen(input_bytes, input), '\0');
  ARROW_ASSIGN_OR_RAISE(int64_t out_bytes, codec->Compress(input_bytes, input, static_cast<int64_t>(out.size()),
                                                           reinterpret_cast<uint8_t*>(out.data())));
  out.resize(out_bytes);
  return out;
}

arrow::Result<int> CodecNumber(::arrow::Compression::type codec) {
  switch (codec) {
    case ::arrow::Compression::UNCOMPRESSED:
      return 0;
    case ::arrow::Compression::SNAPPY:
      return 1;
    case ::arrow::Compression::GZIP:
      return 2;
    case ::arrow::Compression::BROTLI:
      return 4;
    case ::arrow::Compression::LZ4_HADOOP:
      return 5;
    case ::arrow::Compression::ZSTD:
      return 6;
    case ::arrow::Compression::LZ4:
      return 7;
    default:
      return arrow::Status::Invalid("Parquet has no such codec");
  }
}

}  // namespace frazil::filegen
