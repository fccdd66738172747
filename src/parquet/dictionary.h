// SPDX-License-Identifier: Apache-2.0
//
// The dictionary page of a column chunk as evidence: when every data page is coded with it, its entries are all the
// values there are (and perhaps some that no row has).
//
// The claim is the writer's, and no byte of the data pages is read to check it, as with statistics. It is believed when
// encoding_stats account for every page and all else that the footer says agrees with them. The list of encodings alone
// proves nothing: PLAIN in it may be the dictionary page's own, and writers are known that leave out what they fell
// back to. The reader of the entries should compare them with exact bounds: a bound that is no entry gives a lie away.
// Source: parquet.thrift ColumnMetaData.encodings, encoding_stats; Encodings.md, "Dictionary Encoding".
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <arrow/array.h>
#include <arrow/result.h>

#include "src/io/range_reader.h"
#include "src/parquet/footer.h"
#include "src/parquet/page_plan.h"
#include "src/parquet/page_reader.h"

namespace frazil::parquet {

enum class DictionaryUse {
  kNone,      // no page is claimed to use one, or some are known not to
  kUnproven,  // the footer does not tell, or contradicts itself
  kWhole,     // every data page
};

// `page_count`: data pages that an offset index lists; -1 when there is none. `*reason` receives why kUnproven.
DictionaryUse DictionaryUseOf(const ColumnChunk& chunk, int page_count, std::string* reason);

// Where the dictionary page lies: from the chunk's start to its first data page. Unset when nothing tells where that
// is.
std::optional<ByteRange> DictionaryRange(const ColumnChunk& chunk, const ByteRange& chunk_range,
                                         const OffsetIndex* offsets);

// The entries, as values of a batch of the leaf would be: an array of `type` (a storage type, not a dictionary),
// without nulls. `plan` is the chunk's, with dictionary_range set; its bytes are fetched unless held. The page must
// hold exactly as many bytes as its count of entries takes. Errors: corrupt, budget, unsupported.
arrow::Result<std::shared_ptr<arrow::Array>> ReadDictionary(const Footer& footer, io::RangeReader* reader,
                                                            const ChunkPlan& plan,
                                                            const std::shared_ptr<arrow::DataType>& type,
                                                            const PageReadOptions& options);

}  // namespace frazil::parquet
