// SPDX-License-Identifier: Apache-2.0

#include "src/iceberg/puffin.h"

#include <cstring>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "src/base/text.h"
#include "src/iceberg/decompress.h"

namespace frazil::iceberg {

namespace {

using Json = nlohmann::json;

constexpr std::string_view kMagic = "PFA1";
constexpr auto kMagicBytes = static_cast<int64_t>(kMagic.size());

arrow::Status Corrupt(std::string text) {
  return MakeError(ErrorKind::kCorrupt, "the Puffin file is malformed: " + std::move(text));
}

uint32_t LittleEndian32(std::string_view bytes) {
  uint32_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

std::optional<int64_t> IntegerMember(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_integer()) return std::nullopt;
  if (found->is_number_unsigned() && found->get<uint64_t>() > INT64_MAX) return std::nullopt;
  return found->get<int64_t>();
}

// Members that are not text are left out.
std::map<std::string, std::string> Properties(const Json& object) {
  std::map<std::string, std::string> properties;
  const auto found = object.find("properties");
  if (found == object.end() || !found->is_object()) return properties;
  for (const auto& [name, value] : found->items()) {
    if (value.is_string()) properties.emplace(name, value.get_ref<const std::string&>());
  }
  return properties;
}

arrow::Result<PuffinBlob> Blob(const Json& json, int64_t footer_offset) {
  if (!json.is_object()) return Corrupt("a blob's description is no object");
  PuffinBlob blob;
  const auto type = json.find("type");
  if (type == json.end() || !type->is_string()) return Corrupt("a blob has no type");
  blob.type = type->get<std::string>();
  const auto offset = IntegerMember(json, "offset");
  const auto length = IntegerMember(json, "length");
  if (!offset || !length || *offset < kMagicBytes || *length < 0 || *offset > footer_offset ||
      *length > footer_offset - *offset) {
    return Corrupt("a blob of type '" + Printable(blob.type, 64) +
                   "' does not lie between the beginning and the footer");
  }
  blob.range = {*offset, *length};
  blob.snapshot_id = IntegerMember(json, "snapshot-id").value_or(-1);
  blob.sequence_number = IntegerMember(json, "sequence-number").value_or(-1);
  if (const auto codec = json.find("compression-codec"); codec != json.end() && codec->is_string()) {
    blob.codec = codec->get<std::string>();
  }
  if (const auto fields = json.find("fields"); fields != json.end() && fields->is_array()) {
    for (const Json& field : *fields) {
      const auto id = field.is_number_integer() ? field.get<int64_t>() : -1;
      if (id < 0 || id > INT32_MAX) return Corrupt("a blob's fields are not ids");
      blob.field_ids.push_back(static_cast<int32_t>(id));
    }
  }
  blob.properties = Properties(json);
  return blob;
}

}  // namespace

arrow::Result<int64_t> PuffinFooterBytes(std::string_view tail, int64_t file_bytes) {
  if (static_cast<int64_t>(tail.size()) < kPuffinTailBytes || !tail.ends_with(kMagic)) {
    return Corrupt("it does not end with PFA1");
  }
  tail = tail.substr(tail.size() - kPuffinTailBytes);
  const uint32_t text_bytes = LittleEndian32(tail);
  const uint32_t flags = LittleEndian32(tail.substr(4));
  if ((flags & ~1U) != 0) {
    return MakeError(ErrorKind::kUnsupported, "the Puffin file has flags that are not known: " + std::to_string(flags));
  }
  const int64_t footer_bytes = kMagicBytes + int64_t{text_bytes} + kPuffinTailBytes;
  if (footer_bytes > file_bytes - kMagicBytes) {
    return Corrupt("its footer of " + std::to_string(footer_bytes) + " bytes does not fit the file of " +
                   std::to_string(file_bytes));
  }
  return footer_bytes;
}

arrow::Result<PuffinFooter> ParsePuffinFooter(std::string_view footer, int64_t file_bytes) {
  ARROW_ASSIGN_OR_RAISE(const int64_t footer_bytes, PuffinFooterBytes(footer, file_bytes));
  if (static_cast<int64_t>(footer.size()) != footer_bytes || !footer.starts_with(kMagic)) {
    return Corrupt("its footer does not begin with PFA1");
  }
  const bool compressed = (static_cast<uint8_t>(footer[footer.size() - 8]) & 1) != 0;
  const std::string_view stored = footer.substr(kMagic.size(), footer.size() - kMagic.size() - kPuffinTailBytes);
  ARROW_ASSIGN_OR_RAISE(Decompressor decompressor,
                        Decompressor::Make(compressed ? Compression::kLz4Frame : Compression::kNone));
  ARROW_ASSIGN_OR_RAISE(const std::string_view text, decompressor.Run(stored, kPuffinFooterTextMax));
  if (static_cast<int64_t>(text.size()) > kPuffinFooterTextMax) {
    return MakeError(ErrorKind::kBudget, "the footer of the Puffin file is longer than 16 MiB");
  }
  const Json json = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded() || !json.is_object()) return Corrupt("its footer is not JSON");
  const auto blobs = json.find("blobs");
  if (blobs == json.end() || !blobs->is_array()) return Corrupt("its footer has no list of blobs");
  PuffinFooter parsed{.blobs = {}, .properties = Properties(json)};
  for (const Json& blob : *blobs) {
    ARROW_ASSIGN_OR_RAISE(PuffinBlob added, Blob(blob, file_bytes - footer_bytes));
    parsed.blobs.push_back(std::move(added));
  }
  return parsed;
}

arrow::Result<std::shared_ptr<arrow::Buffer>> DecodePuffinBlob(const PuffinBlob& blob, std::string_view stored,
                                                               int64_t bytes_max) {
  if (static_cast<int64_t>(stored.size()) != blob.range.length) {
    return Corrupt("a blob of " + std::to_string(blob.range.length) + " bytes came as " +
                   std::to_string(stored.size()));
  }
  const bool lz4 = blob.codec == "lz4";
  if (!blob.codec.empty() && !lz4 && blob.codec != "zstd") {
    return MakeError(ErrorKind::kUnsupported,
                     "the Puffin codec '" + Printable(blob.codec, 32) + "' is not read; lz4 and zstd are");
  }
  ARROW_ASSIGN_OR_RAISE(Decompressor decompressor, Decompressor::Make(blob.codec.empty() ? Compression::kNone
                                                                      : lz4              ? Compression::kLz4Frame
                                                                                         : Compression::kZstd));
  ARROW_ASSIGN_OR_RAISE(const std::string_view bytes, decompressor.Run(stored, bytes_max));
  return arrow::Buffer::FromString(std::string(bytes));
}

}  // namespace frazil::iceberg
