// SPDX-License-Identifier: Apache-2.0
//
// One page header: what is parsed is bounded, and depends on the header's own bytes alone.
#include "src/parquet/page_header.h"

#include "tests/fuzz/target.h"

namespace frazil::fuzz {
namespace {

void Check(std::string_view bytes) {
  const auto header = parquet::ParsePageHeader(bytes);
  if (!header.ok() || !header->has_value()) return;
  const parquet::PageHeader& h = **header;
  Require(h.header_bytes > 0 && static_cast<size_t>(h.header_bytes) <= bytes.size(), "the header lies in the bytes");
  Require(h.compressed_page_size >= 0 && h.uncompressed_page_size >= 0 && h.num_values >= 0, "sizes are not negative");
  const auto alone = parquet::ParsePageHeader(bytes.substr(0, static_cast<size_t>(h.header_bytes)));
  Require(alone.ok() && alone->has_value(), "the header's bytes are enough");
  Require((*alone)->header_bytes == h.header_bytes && (*alone)->num_values == h.num_values &&
              (*alone)->encoding == h.encoding && (*alone)->kind == h.kind && (*alone)->crc == h.crc &&
              (*alone)->compressed_page_size == h.compressed_page_size,
          "what follows the header does not matter");
  const auto cut = parquet::ParsePageHeader(bytes.substr(0, static_cast<size_t>(h.header_bytes) - 1));
  Require(cut.ok() && !cut->has_value(), "a header that is cut short asks for more");
}

}  // namespace
}  // namespace frazil::fuzz

FRAZIL_FUZZ_TARGET(page_header, frazil::fuzz::Check)
