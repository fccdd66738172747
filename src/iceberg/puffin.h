// SPDX-License-Identifier: Apache-2.0
//
// Puffin files: blobs about an Iceberg table (deletion vectors, sketches), described by a footer. Works on bytes; reads
// no file. A blob named by a manifest entry (content_offset) needs no footer. Source: Puffin specification, version 1.
//
//   // The last kPuffinTailBytes bytes tell how long the footer is, then the footer says where the blobs are.
//   ARROW_ASSIGN_OR_RAISE(int64_t footer_bytes, PuffinFooterBytes(tail, file_bytes));
//   ARROW_ASSIGN_OR_RAISE(PuffinFooter footer, ParsePuffinFooter(footer_text, file_bytes));
//   ARROW_ASSIGN_OR_RAISE(auto blob, DecodePuffinBlob(footer.blobs[0], stored, blob_bytes_max));
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/result.h>

#include "frazil/error.h"

namespace frazil::iceberg {

struct PuffinBlob {
  std::string type;                // "deletion-vector-v1", "apache-datasketches-theta-v1", ...: any
  std::vector<int32_t> field_ids;  // of the columns it was computed from
  int64_t snapshot_id = -1;        // -1: not known
  int64_t sequence_number = -1;    // likewise
  ByteRange range;                 // in the file; in front of the footer
  std::string codec;               // as written: empty, "lz4", "zstd", or one that is not known
  std::map<std::string, std::string> properties;
};

struct PuffinFooter {
  std::vector<PuffinBlob> blobs;
  std::map<std::string, std::string> properties;
};

constexpr int64_t kPuffinTailBytes = 12;
// A footer whose text is longer is refused (kind budget).
constexpr int64_t kPuffinFooterTextMax = 16 << 20;

// The bytes of the footer, from its magic number to the end of the file, by the last kPuffinTailBytes or more bytes of
// a file of `file_bytes`. Errors: kind corrupt for what is no Puffin file or does not fit the file; kind unsupported
// for flags that are not known.
arrow::Result<int64_t> PuffinFooterBytes(std::string_view tail, int64_t file_bytes);

// `footer`: exactly the bytes that PuffinFooterBytes tells. Members of the text that are not known are ignored. Errors:
// kind corrupt when the text is malformed or a blob's range does not lie between the magic number and the footer.
arrow::Result<PuffinFooter> ParsePuffinFooter(std::string_view footer, int64_t file_bytes);

// The content of a blob, by its stored bytes. Errors: kind corrupt when `stored` is not as long as the footer says or
// is malformed, kind unsupported for another codec, kind budget when more than `bytes_max` bytes come out.
arrow::Result<std::shared_ptr<arrow::Buffer>> DecodePuffinBlob(const PuffinBlob& blob, std::string_view stored,
                                                               int64_t bytes_max);

}  // namespace frazil::iceberg
