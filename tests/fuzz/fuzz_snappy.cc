// SPDX-License-Identifier: Apache-2.0
//
// Snappy blocks: what our decoder accepts, Arrow's does too, and to the same bytes; and the other way round. The
// buffers are of exactly the sizes given, so that the address sanitizer sees a step outside.
//
// Input: the decompressed size (2 bytes), then the block.
#include <memory>
#include <vector>

#include <arrow/util/compression.h>

#include "src/parquet/snappy.h"
#include "tests/fuzz/target.h"

namespace frazil::fuzz {
namespace {

void Check(std::string_view bytes) {
  Input input(bytes);
  const size_t size = input.Number(2);
  const std::string_view block = input.Rest();
  const auto in = std::make_unique<uint8_t[]>(block.size());
  std::copy(block.begin(), block.end(), in.get());
  const auto out = std::make_unique<uint8_t[]>(size);
  const bool ours = parquet::DecompressSnappy({in.get(), block.size()}, {out.get(), size});

  static const auto kCodec = arrow::util::Codec::Create(arrow::Compression::SNAPPY).ValueOrDie();
  std::vector<uint8_t> expected(size + 1);
  const auto written =
      kCodec->Decompress(static_cast<int64_t>(block.size()), in.get(), static_cast<int64_t>(size), expected.data());
  const bool theirs = written.ok() && *written == static_cast<int64_t>(size);
  Require(ours == theirs, "our Snappy and Arrow's accept the same blocks");
  if (ours) Require(std::equal(out.get(), out.get() + size, expected.data()), "our Snappy gives what Arrow's gives");
}

}  // namespace
}  // namespace frazil::fuzz

FRAZIL_FUZZ_TARGET(snappy, frazil::fuzz::Check)
