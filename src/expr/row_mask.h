// SPDX-License-Identifier: Apache-2.0
//
// Row masks: one byte a row, 0 or 1. The form in which the row filter works: bytes, unlike bits, are written by plain
// loops that compilers vectorise, and are combined eight at a time.
#pragma once

#include <cstdint>

#include "src/base/row_ranges.h"

namespace frazil::expr {

// mask[i] = bit `bit_offset + i` of an Arrow bitmap. Reads no byte behind the last bit asked for.
void MaskFromBitmap(const uint8_t* bitmap, int64_t bit_offset, int64_t row_count, uint8_t* mask);

// Where the bit is 0, the row is null: mask[i] = matches_null. A null `bitmap` means no row is null.
void ApplyValidity(const uint8_t* bitmap, int64_t bit_offset, int64_t row_count, bool matches_null, uint8_t* mask);

// mask[i] &= other[i], and mask[i] |= other[i].
void MaskAnd(const uint8_t* other, int64_t row_count, uint8_t* mask);
void MaskOr(const uint8_t* other, int64_t row_count, uint8_t* mask);

bool MaskIsEmpty(const uint8_t* mask, int64_t row_count);
bool MaskIsFull(const uint8_t* mask, int64_t row_count);

// Appends the runs of ones, each moved by `first_row`. A mask that has few of them costs about a cycle per eight rows.
void AppendRuns(const uint8_t* mask, int64_t row_count, int64_t first_row, RowRanges* ranges);

}  // namespace frazil::expr
