// SPDX-License-Identifier: Apache-2.0
//
// Deletion vectors: the positions of a data file's deleted rows as a bitmap, decoded to the ranges of rows that the
// rest of the reader works with. Decoded here and not by a library, because the runs of the bitmap become ranges as
// they are, and because every container is checked: libraries accept containers that are unsorted or of a false
// cardinality. Source: Puffin specification "deletion-vector-v1"; RoaringFormatSpec "General layout" and "64-bit
// implementations".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <arrow/result.h>

#include "src/base/row_ranges.h"

namespace frazil::iceberg {

// The deleted rows. `blob` is the stored blob: of a manifest entry the content_size_in_bytes bytes at content_offset,
// also when no Puffin file is around it, as an old writer has it. `cardinality` is the entry's record_count, if known.
// Cost: linear in the blob and the runs; memory at most 64 times the blob, when every other row is deleted.
// Errors (kind corrupt): a wrong length, magic or checksum, a malformed bitmap, another number of rows than
// `cardinality`.
arrow::Result<RowRanges> DecodeDeletionVector(std::string_view blob, std::optional<int64_t> cardinality);

// The set bits of a bitmap of 64-bit positions in the portable format, all of `bytes`. Errors (kind corrupt): a key or
// position that does not ascend, a container of another cardinality than it tells, bytes that are missing or left over,
// a position of the sign bit.
arrow::Result<RowRanges> DecodeRoaring64(std::string_view bytes);

}  // namespace frazil::iceberg
