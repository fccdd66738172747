// SPDX-License-Identifier: Apache-2.0
//
// The pages of column chunks as rows: from the page index where it is sound, else by walking the page headers.
#pragma once

#include <string>
#include <vector>

#include <arrow/result.h>

#include "src/cli/metadata_rows.h"
#include "src/io/range_reader.h"
#include "src/parquet/footer.h"

namespace frazil::cli {

// Cost: the index pieces in one round; a chunk without a usable offset index is read through its page headers.
arrow::Result<MetadataRows> PageRows(const parquet::Footer& footer, const std::vector<int>& leaves,
                                     io::RangeReader* reader);

// "PLAIN", "RLE_DICTIONARY", ... as in parquet.thrift; the number for others.
std::string EncodingName(int encoding);
std::string CodecName(const parquet::ColumnChunk& chunk);

}  // namespace frazil::cli
