// SPDX-License-Identifier: Apache-2.0

#include "src/iceberg/puffin.h"

#include <cstring>
#include <utility>

#include "src/base/text.h"
#include "src/iceberg/decompress.h"
#include "src/iceberg/json.h"

namespace frazil::iceberg {

namespace {

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

// Members that are not text are left out.
arrow::Result<std::map<std::string, std::string>> Properties(const JsonField& object) {
  std::map<std::string, std::string> properties;
  ARROW_ASSIGN_OR_RAISE(const auto found, object.Find<JsonField>("properties"));
  if (!found || !found->is_object()) return properties;
  ARROW_ASSIGN_OR_RAISE(const auto members, found->Members());
  for (const auto& [name, value] : members) {
    if (!value.is_string()) continue;
    ARROW_ASSIGN_OR_RAISE(properties[name], value.As<std::string>());
  }
  return properties;
}

arrow::Result<PuffinBlob> Blob(const JsonField& json, int64_t footer_offset) {
  PuffinBlob blob;
  ARROW_ASSIGN_OR_RAISE(blob.type, json.Get<std::string>("type"));
  ARROW_ASSIGN_OR_RAISE(const int64_t offset, json.Get<int64_t>("offset"));
  ARROW_ASSIGN_OR_RAISE(const int64_t length, json.Get<int64_t>("length"));
  if (offset < kMagicBytes || length < 0 || offset > footer_offset || length > footer_offset - offset) {
    return json.Error("a blob of type '" + Printable(blob.type, 64) +
                      "' does not lie between the beginning and the footer");
  }
  blob.range = {offset, length};
  ARROW_ASSIGN_OR_RAISE(const auto snapshot_id, json.Find<int64_t>("snapshot-id"));
  blob.snapshot_id = snapshot_id.value_or(-1);
  ARROW_ASSIGN_OR_RAISE(const auto sequence_number, json.Find<int64_t>("sequence-number"));
  blob.sequence_number = sequence_number.value_or(-1);
  ARROW_ASSIGN_OR_RAISE(const auto codec, json.Find<std::string>("compression-codec"));
  blob.codec = codec.value_or("");
  ARROW_ASSIGN_OR_RAISE(auto fields, json.Find<std::vector<int32_t>>("fields"));
  if (fields) blob.field_ids = *std::move(fields);
  for (const int32_t id : blob.field_ids) {
    if (id < 0) return json.Error("its fields are not ids");
  }
  ARROW_ASSIGN_OR_RAISE(blob.properties, Properties(json));
  return blob;
}

arrow::Result<PuffinFooter> FooterOf(std::string_view text, int64_t footer_offset) {
  ARROW_ASSIGN_OR_RAISE(const JsonDocument document,
                        JsonDocument::Parse(text, {.text_bytes_max = kPuffinFooterTextMax}));
  const JsonField root = document.root();
  ARROW_ASSIGN_OR_RAISE(const auto blobs, root.Get<std::vector<JsonField>>("blobs"));
  PuffinFooter footer;
  ARROW_ASSIGN_OR_RAISE(footer.properties, Properties(root));
  for (const JsonField& blob : blobs) {
    ARROW_ASSIGN_OR_RAISE(PuffinBlob added, Blob(blob, footer_offset));
    footer.blobs.push_back(std::move(added));
  }
  return footer;
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
  auto parsed = FooterOf(text, file_bytes - footer_bytes);
  if (parsed.ok()) return parsed;
  return MakeError(KindOf(parsed.status()), "the footer of the Puffin file: " + parsed.status().message());
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
