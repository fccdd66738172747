// SPDX-License-Identifier: Apache-2.0

#include "src/iceberg/decompress.h"

#include <algorithm>
#include <string>
#include <utility>

#include <libdeflate.h>

#include "frazil/error.h"

namespace frazil::iceberg {

namespace {

arrow::Result<std::unique_ptr<arrow::util::Codec>> MakeCodec(Compression compression) {
  switch (compression) {
    case Compression::kSnappy:
      return arrow::util::Codec::Create(arrow::Compression::SNAPPY);
    case Compression::kZstd:
      return arrow::util::Codec::Create(arrow::Compression::ZSTD);
    case Compression::kGzip:
      return arrow::util::Codec::Create(arrow::Compression::GZIP);
    default:
      return arrow::util::Codec::Create(arrow::Compression::LZ4_FRAME);
  }
}

const uint8_t* Bytes(std::string_view text) { return reinterpret_cast<const uint8_t*>(text.data()); }

}  // namespace

const char* CompressionName(Compression compression) {
  constexpr const char* kNames[] = {"no compression", "deflate", "snappy", "zstandard", "lz4", "gzip"};
  return kNames[static_cast<int>(compression)];
}

void Decompressor::FreeInflater::operator()(libdeflate_decompressor* inflater) const {
  libdeflate_free_decompressor(inflater);
}

arrow::Result<Decompressor> Decompressor::Make(Compression compression) {
  Decompressor made;
  made.compression_ = compression;
  if (compression == Compression::kNone) return made;
  if (compression == Compression::kDeflate) {
    made.inflater_.reset(libdeflate_alloc_decompressor());
    if (made.inflater_ == nullptr) return arrow::Status::OutOfMemory("no memory to inflate with");
    return made;
  }
  auto codec = MakeCodec(compression);
  if (!codec.ok()) {
    return MakeError(ErrorKind::kUnsupported, std::string(CompressionName(compression)) +
                                                  " can not be decompressed: " + codec.status().message());
  }
  made.codec_ = std::move(*codec);
  if (compression != Compression::kSnappy) {
    ARROW_ASSIGN_OR_RAISE(made.stream_, made.codec_->MakeDecompressor());
  }
  return made;
}

arrow::Status Decompressor::Reserve(int64_t bytes, int64_t bytes_max) {
  if (buffer_ == nullptr) {
    ARROW_ASSIGN_OR_RAISE(buffer_, arrow::AllocateResizableBuffer(0));
  }
  if (bytes > bytes_max) {
    return MakeError(ErrorKind::kBudget, "more than " + std::to_string(bytes_max) + " bytes come out of " +
                                             CompressionName(compression_) + " in one piece");
  }
  return buffer_->size() >= bytes ? arrow::Status::OK() : buffer_->Resize(bytes, /*shrink_to_fit=*/false);
}

arrow::Result<std::string_view> Decompressor::Run(std::string_view input, int64_t bytes_max) {
  if (compression_ == Compression::kNone) return input;
  if (compression_ == Compression::kDeflate) return RunDeflate(input, bytes_max);
  return compression_ == Compression::kSnappy ? RunSnappy(input, bytes_max) : RunStream(input, bytes_max);
}

int64_t Decompressor::FirstGuess(std::string_view input, int64_t bytes_max) const {
  const int64_t known = buffer_ == nullptr ? 0 : buffer_->size();
  return std::min(std::max({known, 8 * static_cast<int64_t>(input.size()), int64_t{4096}}), bytes_max);
}

// From the start again in twice the room, when it was too little: the buffer stays, so this happens in first blocks
// only.
arrow::Result<std::string_view> Decompressor::RunDeflate(std::string_view input, int64_t bytes_max) {
  for (int64_t room = FirstGuess(input, bytes_max);;
       room = room == bytes_max ? room + 1 : std::min(2 * room, bytes_max)) {
    ARROW_RETURN_NOT_OK(Reserve(room, bytes_max));
    size_t read = 0;
    size_t written = 0;
    const auto outcome =
        libdeflate_deflate_decompress_ex(inflater_.get(), input.data(), input.size(), buffer_->mutable_data(),
                                         static_cast<size_t>(buffer_->size()), &read, &written);
    if (outcome == LIBDEFLATE_SUCCESS) {
      return std::string_view(reinterpret_cast<const char*>(buffer_->data()), written);
    }
    if (outcome != LIBDEFLATE_INSUFFICIENT_SPACE) {
      return MakeError(ErrorKind::kCorrupt, "deflate bytes are malformed, or end too soon");
    }
  }
}

arrow::Result<std::string_view> Decompressor::RunSnappy(std::string_view input, int64_t bytes_max) {
  // The size stands in front, as a varint. No element of two bytes or more gives more than 64.
  int64_t size = 0;
  size_t at = 0;
  for (int shift = 0; shift < 35; shift += 7) {
    if (at == input.size()) return MakeError(ErrorKind::kCorrupt, "a snappy block ends inside its size");
    const auto byte = static_cast<uint8_t>(input[at++]);
    size |= static_cast<int64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  if (size > 64 * static_cast<int64_t>(input.size())) {
    return MakeError(ErrorKind::kCorrupt, "a snappy block of " + std::to_string(input.size()) +
                                              " bytes claims to hold " + std::to_string(size));
  }
  ARROW_RETURN_NOT_OK(Reserve(size, bytes_max));
  const auto written =
      codec_->Decompress(static_cast<int64_t>(input.size()), Bytes(input), buffer_->size(), buffer_->mutable_data());
  if (!written.ok() || *written != size) return MakeError(ErrorKind::kCorrupt, "a snappy block is malformed");
  return std::string_view(reinterpret_cast<const char*>(buffer_->data()), static_cast<size_t>(size));
}

arrow::Result<std::string_view> Decompressor::RunStream(std::string_view input, int64_t bytes_max) {
  const auto input_bytes = static_cast<int64_t>(input.size());
  ARROW_RETURN_NOT_OK(Reserve(FirstGuess(input, bytes_max), bytes_max));
  ARROW_RETURN_NOT_OK(stream_->Reset());
  int64_t read = 0;
  int64_t written = 0;
  while (true) {
    const auto step = stream_->Decompress(input_bytes - read, Bytes(input) + read, buffer_->size() - written,
                                          buffer_->mutable_data() + written);
    if (!step.ok()) {
      return MakeError(ErrorKind::kCorrupt, std::string(CompressionName(compression_)) + " bytes are malformed");
    }
    read += step->bytes_read;
    written += step->bytes_written;
    if (stream_->IsFinished()) {
      if (read == input_bytes) break;
      ARROW_RETURN_NOT_OK(stream_->Reset());
    } else if (written == buffer_->size()) {
      ARROW_RETURN_NOT_OK(
          Reserve(buffer_->size() == bytes_max ? bytes_max + 1 : std::min(2 * buffer_->size(), bytes_max), bytes_max));
    } else if (step->bytes_read == 0 && step->bytes_written == 0) {
      return MakeError(ErrorKind::kCorrupt, std::string(CompressionName(compression_)) + " bytes end too soon");
    }
  }
  return std::string_view(reinterpret_cast<const char*>(buffer_->data()), static_cast<size_t>(written));
}

}  // namespace frazil::iceberg
