// SPDX-License-Identifier: Apache-2.0
//
// Decodes the Thrift of one ColumnChunk. Only its form is checked here; Footer::Chunk checks it against the schema.
// Source: parquet.thrift ColumnChunk, ColumnMetaData, Statistics, SizeStatistics.
#pragma once

#include <string_view>
#include <vector>

#include <arrow/result.h>

#include "src/parquet/footer.h"

namespace frazil::parquet {

struct DecodedChunk {
  ColumnChunk chunk;  // `leaf` is not known yet
  bool has_meta_data = false;
  // path_in_schema: views into the bytes. Empty when the file has none.
  std::vector<std::string_view> path;
};

// Error: corrupt, for bytes that are not Thrift, required fields that are missing, and a negative value count.
// Optional fields that make no sense (offsets that are not positive, wrong types) are absent.
arrow::Result<DecodedChunk> DecodeColumnChunk(std::string_view bytes);

// path_in_schema alone; empty when there is none.
std::vector<std::string_view> DecodeChunkPath(std::string_view bytes);

// Statistics, also those of data page headers. Reads one struct.
RawStatistics DecodeStatistics(CompactReader& reader);

}  // namespace frazil::parquet
