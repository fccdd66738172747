// SPDX-License-Identifier: Apache-2.0
//
// Decompression with a bound, into a buffer that is used again: the blocks of Avro files, the footers and blobs of
// Puffin files, table metadata. The sizes of the output are not known beforehand, or not to be believed: the buffer
// grows with what really comes out, and stops at the bound.
//
//   ARROW_ASSIGN_OR_RAISE(auto decompressor, Decompressor::Make(Compression::kDeflate));
//   ARROW_ASSIGN_OR_RAISE(std::string_view bytes, decompressor.Run(block, 1 << 20));   // valid until the next Run
//
// Thread safety: none; one a thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include <arrow/buffer.h>
#include <arrow/result.h>
#include <arrow/util/compression.h>

struct libdeflate_decompressor;

namespace frazil::iceberg {

enum class Compression : uint8_t {
  kNone,
  kDeflate,   // raw, RFC 1951; bytes after its end are ignored, because writers leave some
  kSnappy,    // one raw block
  kZstd,      // frames, one after the other
  kLz4Frame,  // likewise
  kGzip,      // members, one after the other
};

// "deflate", ...: for messages.
const char* CompressionName(Compression compression);

class Decompressor {
 public:
  // Error: kind unsupported, when Arrow was built without the codec.
  static arrow::Result<Decompressor> Make(Compression compression);

  // The bytes, valid until the next Run; of kNone a view of the input. Memory: at most twice what comes out, and
  // `bytes_max`. Errors: kind corrupt when the input is malformed or ends too soon; kind budget when more than
  // `bytes_max` would come out.
  arrow::Result<std::string_view> Run(std::string_view input, int64_t bytes_max);

 private:
  Decompressor() = default;
  // How much room to begin with: what the last input needed, or eight times this one; manifests give four to ten times.
  int64_t FirstGuess(std::string_view input, int64_t bytes_max) const;
  arrow::Status Reserve(int64_t bytes, int64_t bytes_max);
  arrow::Result<std::string_view> RunSnappy(std::string_view input, int64_t bytes_max);
  arrow::Result<std::string_view> RunDeflate(std::string_view input, int64_t bytes_max);
  arrow::Result<std::string_view> RunStream(std::string_view input, int64_t bytes_max);

  Compression compression_ = Compression::kNone;

  struct FreeInflater {
    void operator()(libdeflate_decompressor* inflater) const;
  };
  std::unique_ptr<libdeflate_decompressor, FreeInflater> inflater_;
  std::unique_ptr<arrow::util::Codec> codec_;
  std::shared_ptr<arrow::util::Decompressor> stream_;
  std::shared_ptr<arrow::ResizableBuffer> buffer_;
};

}  // namespace frazil::iceberg
