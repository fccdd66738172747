// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include <arrow/util/compression.h>

#include "frazil/error.h"
#include "src/iceberg/metadata.h"

namespace frazil::iceberg {
namespace {

constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";

arrow::Result<std::string> Decompress(arrow::Compression::type codec_type, std::string_view bytes,
                                      int64_t text_bytes_max) {
  ARROW_ASSIGN_OR_RAISE(const auto codec, arrow::util::Codec::Create(codec_type));
  ARROW_ASSIGN_OR_RAISE(const auto stream, codec->MakeDecompressor());
  const auto* input = reinterpret_cast<const uint8_t*>(bytes.data());
  auto input_left = static_cast<int64_t>(bytes.size());
  std::string text;
  size_t used = 0;
  bool needs_output = true;
  while (input_left > 0 || needs_output) {
    if (stream->IsFinished()) {
      if (input_left == 0) break;
      ARROW_RETURN_NOT_OK(stream->Reset());  // several members in one file
    }
    if (static_cast<int64_t>(used) > text_bytes_max) break;
    text.resize(std::max<size_t>(used + 65536, used * 2));
    const auto step = stream->Decompress(input_left, input, static_cast<int64_t>(text.size() - used),
                                         reinterpret_cast<uint8_t*>(text.data()) + used);
    if (!step.ok()) {
      return MakeError(ErrorKind::kCorrupt, "can not be decompressed: " + step.status().message());
    }
    input += step->bytes_read;
    input_left -= step->bytes_read;
    used += static_cast<size_t>(step->bytes_written);
    needs_output = step->need_more_output;
    if (step->bytes_read == 0 && step->bytes_written == 0 && !needs_output && !stream->IsFinished()) break;
  }
  if (static_cast<int64_t>(used) > text_bytes_max) {
    return MakeError(ErrorKind::kBudget, "more than " + std::to_string(text_bytes_max) + " bytes of text");
  }
  if (!stream->IsFinished()) return MakeError(ErrorKind::kCorrupt, "the compressed text is cut off");
  text.resize(used);
  return text;
}

}  // namespace

arrow::Result<std::string> DecodeMetadataFile(std::string_view bytes, const JsonLimits& limits) {
  if (bytes.starts_with(kGzipMagic)) return Decompress(arrow::Compression::GZIP, bytes, limits.text_bytes_max);
  if (bytes.starts_with(kZstdMagic)) return Decompress(arrow::Compression::ZSTD, bytes, limits.text_bytes_max);
  return std::string(bytes);
}

}  // namespace frazil::iceberg
