// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/decompress.h"
#include "src/iceberg/metadata.h"

namespace frazil::iceberg {
namespace {

constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";

}  // namespace

arrow::Result<std::string> DecodeMetadataFile(std::string_view bytes, const JsonLimits& limits) {
  const Compression compression = bytes.starts_with(kGzipMagic)   ? Compression::kGzip
                                  : bytes.starts_with(kZstdMagic) ? Compression::kZstd
                                                                  : Compression::kNone;
  ARROW_ASSIGN_OR_RAISE(Decompressor decompressor, Decompressor::Make(compression));
  ARROW_ASSIGN_OR_RAISE(const std::string_view text, decompressor.Run(bytes, limits.text_bytes_max));
  return std::string(text);
}

}  // namespace frazil::iceberg
