// SPDX-License-Identifier: Apache-2.0
//
// For tests only: writes Avro's binary encoding and container files, sound or not.
//
//   AvroBytes record;
//   record.Long(1).Bytes("name").Branch(0);
//   const std::string file = AvroFile(schema_json, {{.record_count = 1, .bytes = record.bytes()}});
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/util/compression.h>
#include <arrow/util/crc32.h>

namespace frazil::iceberg {

class AvroBytes {
 public:
  // int, long, enum: a zigzag varint.
  AvroBytes& Long(int64_t value) {
    return Varint((static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63));
  }
  AvroBytes& Branch(int64_t branch) { return Long(branch); }
  AvroBytes& Boolean(bool value) { return Raw(value ? std::string_view("\x01", 1) : std::string_view("\x00", 1)); }
  AvroBytes& Double(double value) {
    char bytes[sizeof(value)];
    std::memcpy(bytes, &value, sizeof(value));
    return Raw({bytes, sizeof(value)});
  }
  AvroBytes& Float(float value) {
    char bytes[sizeof(value)];
    std::memcpy(bytes, &value, sizeof(value));
    return Raw({bytes, sizeof(value)});
  }
  AvroBytes& Bytes(std::string_view value) { return Long(static_cast<int64_t>(value.size())).Raw(value); }
  AvroBytes& Raw(std::string_view value) {
    bytes_ += value;
    return *this;
  }
  AvroBytes& Add(const AvroBytes& other) { return Raw(other.bytes_); }
  AvroBytes& Varint(uint64_t raw) {
    for (; raw > 127; raw >>= 7) bytes_.push_back(static_cast<char>(raw | 128));
    bytes_.push_back(static_cast<char>(raw));
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

struct AvroTestBlock {
  int64_t record_count = 0;
  std::string bytes;
};

inline constexpr std::string_view kTestSync = "0123456789abcdef";

// The bytes of a block as `codec` stores them.
inline std::string CompressForTest(std::string_view codec, std::string_view bytes) {
  if (codec == "null") return std::string(bytes);
  arrow::util::GZipCodecOptions deflate;
  deflate.gzip_format = arrow::util::GZipFormat::DEFLATE;
  auto made = codec == "deflate"  ? arrow::util::Codec::Create(arrow::Compression::GZIP, deflate)
              : codec == "snappy" ? arrow::util::Codec::Create(arrow::Compression::SNAPPY)
              : codec == "lz4"    ? arrow::util::Codec::Create(arrow::Compression::LZ4_FRAME)
                                  : arrow::util::Codec::Create(arrow::Compression::ZSTD);
  auto compressor = std::move(made).ValueOrDie();
  const auto* input = reinterpret_cast<const uint8_t*>(bytes.data());
  const auto size = static_cast<int64_t>(bytes.size());
  std::string out(static_cast<size_t>(compressor->MaxCompressedLen(size, input)), '\0');
  out.resize(static_cast<size_t>(
      compressor->Compress(size, input, static_cast<int64_t>(out.size()), reinterpret_cast<uint8_t*>(out.data()))
          .ValueOrDie()));
  if (codec == "snappy") {
    const uint32_t crc = arrow::internal::crc32(0, bytes.data(), bytes.size());
    for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(crc >> shift));
  }
  return out;
}

inline std::string AvroHeader(std::string_view schema_json, std::string_view codec,
                              const std::vector<std::pair<std::string, std::string>>& metadata = {}) {
  AvroBytes file;
  file.Raw({"Obj\x01", 4}).Long(static_cast<int64_t>(metadata.size()) + 2);
  file.Bytes("avro.schema").Bytes(schema_json).Bytes("avro.codec").Bytes(codec);
  for (const auto& [key, value] : metadata) file.Bytes(key).Bytes(value);
  return file.Long(0).Raw(kTestSync).bytes();
}

inline std::string AvroFile(std::string_view schema_json, const std::vector<AvroTestBlock>& blocks,
                            std::string_view codec = "null",
                            const std::vector<std::pair<std::string, std::string>>& metadata = {}) {
  AvroBytes file;
  file.Raw(AvroHeader(schema_json, codec, metadata));
  for (const AvroTestBlock& block : blocks) {
    file.Long(block.record_count).Bytes(CompressForTest(codec, block.bytes)).Raw(kTestSync);
  }
  return file.bytes();
}

}  // namespace frazil::iceberg
