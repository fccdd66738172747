// SPDX-License-Identifier: Apache-2.0

#include "src/iceberg/avro_container.h"

#include <string>

#include <arrow/util/crc32.h>

#include "src/base/text.h"
#include "src/iceberg/avro_decoder.h"

namespace frazil::iceberg {

namespace {

constexpr std::string_view kMagic{"Obj\x01", 4};
constexpr std::string_view kEncryptedMagic = "AGS1";  // Iceberg's "AES GCM Stream"
constexpr int64_t kSyncBytes = 16;
constexpr size_t kMetadataPairsMax = 65536;  // writers put six to ten

arrow::Status Corrupt(std::string text, std::optional<ByteRange> range = std::nullopt) {
  return MakeError(ErrorKind::kCorrupt, std::move(text), {.range = range});
}

arrow::Result<Compression> CompressionOf(std::string_view codec) {
  if (codec.empty() || codec == "null") return Compression::kNone;
  if (codec == "deflate") return Compression::kDeflate;
  if (codec == "snappy") return Compression::kSnappy;
  if (codec == "zstandard") return Compression::kZstd;
  return MakeError(ErrorKind::kUnsupported, "the Avro codec '" + Printable(codec, 32) +
                                                "' is not read; null, deflate, snappy and zstandard are");
}

}  // namespace

std::optional<std::string_view> AvroContainer::metadata(std::string_view key) const {
  for (auto entry = metadata_.rbegin(); entry != metadata_.rend(); ++entry) {
    if (entry->first == key) return entry->second;
  }
  return std::nullopt;
}

arrow::Result<AvroContainer> AvroContainer::Open(std::string_view bytes, AvroSchemas* schemas) {
  if (bytes.starts_with(kEncryptedMagic)) {
    return MakeError(ErrorKind::kUnsupported, "the file is encrypted (AES GCM stream); encrypted metadata is not read");
  }
  if (!bytes.starts_with(kMagic)) {
    return Corrupt(bytes.empty() ? "the file is empty, not an Avro file"
                                 : "this is no Avro file: it does not begin with Obj");
  }
  AvroDecoder in(bytes.substr(kMagic.size()));
  std::vector<std::pair<std::string_view, std::string_view>> metadata;
  for (AvroDecoder::Blocks pairs(in, 2); pairs.Next();) {
    // A pair takes two bytes or more, and far more memory.
    if (metadata.size() == kMetadataPairsMax) in.Fail();
    const std::string_view key = in.Bytes();
    metadata.emplace_back(key, in.Bytes());
  }
  const std::string_view sync = in.Fixed(kSyncBytes);
  if (!in.ok()) return Corrupt("the Avro header is malformed, or the file ends inside it");

  const auto find = [&](std::string_view key) {
    std::optional<std::string_view> found;
    for (const auto& [name, value] : metadata) {
      if (name == key) found = value;
    }
    return found;
  };
  const auto schema = find("avro.schema");
  if (!schema) return Corrupt("the Avro header has no avro.schema");
  ARROW_ASSIGN_OR_RAISE(const Compression compression, CompressionOf(find("avro.codec").value_or("")));
  ARROW_ASSIGN_OR_RAISE(Decompressor decompressor, Decompressor::Make(compression));
  AvroContainer file(std::move(decompressor));
  AvroSchemas none;
  ARROW_ASSIGN_OR_RAISE(file.schema_, (schemas != nullptr ? *schemas : none).Parse(*schema));
  if (file.schema().root().min_bytes == 0) return Corrupt("the Avro schema is one of values that take no bytes");
  file.file_ = bytes;
  file.position_ = static_cast<int64_t>(kMagic.size()) + in.position();
  file.sync_ = sync;
  file.metadata_ = std::move(metadata);
  file.has_checksum_ = compression == Compression::kSnappy;
  return file;
}

arrow::Result<std::optional<AvroBlock>> AvroContainer::NextBlock() {
  if (position_ == static_cast<int64_t>(file_.size())) return std::nullopt;
  AvroDecoder in(file_.substr(static_cast<size_t>(position_)));
  const ByteRange rest{position_, in.remaining()};
  const int64_t count = in.Long();
  const std::string_view stored = in.Bytes();
  const std::string_view sync = in.Fixed(kSyncBytes);
  if (!in.ok() || count < 0) return Corrupt("an Avro block is malformed, or the file ends inside it", rest);
  const ByteRange range{stored.data() - file_.data(), static_cast<int64_t>(stored.size())};
  if (sync != sync_) return Corrupt("the marker after an Avro block is not the file's", range);
  auto bytes = Decompressed(stored);
  if (!bytes.ok()) return AddPlace(bytes.status(), {.range = range});
  if (count > static_cast<int64_t>(bytes->size()) / schema().root().min_bytes) {
    return Corrupt(
        "an Avro block of " + std::to_string(bytes->size()) + " bytes claims " + std::to_string(count) + " records",
        range);
  }
  position_ += in.position();
  return AvroBlock{.record_count = count, .bytes = *bytes, .stored = range};
}

arrow::Result<std::string_view> AvroContainer::Decompressed(std::string_view stored) {
  if (!has_checksum_) return decompressor_.Run(stored, kBlockBytesMax);
  constexpr size_t kChecksumBytes = 4;
  if (stored.size() < kChecksumBytes) return Corrupt("a snappy block has no room for its checksum");
  const std::string_view checksum = stored.substr(stored.size() - kChecksumBytes);
  ARROW_ASSIGN_OR_RAISE(const std::string_view bytes,
                        decompressor_.Run(stored.substr(0, stored.size() - kChecksumBytes), kBlockBytesMax));
  uint32_t expected = 0;
  for (const char byte : checksum) expected = expected << 8 | static_cast<uint8_t>(byte);
  if (arrow::internal::crc32(0, bytes.data(), bytes.size()) != expected) {
    return Corrupt("the checksum of a snappy block is wrong");
  }
  return bytes;
}

}  // namespace frazil::iceberg
