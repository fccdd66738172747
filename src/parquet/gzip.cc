// SPDX-License-Identifier: Apache-2.0
#include "src/parquet/gzip.h"

#include <new>

#include <libdeflate.h>

namespace frazil::parquet {
namespace {

bool IsGzip(std::span<const uint8_t> in) { return in.size() >= 2 && in[0] == 0x1f && in[1] == 0x8b; }

}  // namespace

void GzipDecompressor::Free::operator()(libdeflate_decompressor* inflater) const {
  libdeflate_free_decompressor(inflater);
}

GzipDecompressor::GzipDecompressor() : inflater_(libdeflate_alloc_decompressor()) {
  if (inflater_ == nullptr) throw std::bad_alloc();
}

std::optional<int64_t> GzipDecompressor::Run(std::span<const uint8_t> in, std::span<uint8_t> out) {
  const bool gzip = IsGzip(in);
  int64_t written = 0;
  do {
    size_t read_bytes = 0;
    size_t written_bytes = 0;
    const auto inflate = gzip ? libdeflate_gzip_decompress_ex : libdeflate_zlib_decompress_ex;
    if (inflate(inflater_.get(), in.data(), in.size(), out.data() + written, out.size() - static_cast<size_t>(written),
                &read_bytes, &written_bytes) != LIBDEFLATE_SUCCESS) {
      return std::nullopt;
    }
    in = in.subspan(read_bytes);
    written += static_cast<int64_t>(written_bytes);
  } while (written < static_cast<int64_t>(out.size()) && gzip && !in.empty());
  return written;
}

}  // namespace frazil::parquet
