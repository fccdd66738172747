// SPDX-License-Identifier: Apache-2.0
//
// Rows as JSON in the words of the answers that outside files come with, and comparison of such texts. Independent of
// the product's own printing, so that each can be wrong alone.
#pragma once

#include <cstdint>
#include <string>

#include <arrow/result.h>
#include <arrow/table.h>

namespace frazil {

// [[value, ...], ...] of the first `rows_max` rows. Numbers as numbers ("NaN", "Infinity", "-Infinity" as text),
// decimals and UUIDs as text, dates YYYY-MM-DD, timestamps YYYY-MM-DDThh:mm:ss.ffffff (with Z when adjusted to UTC),
// bytes "0x...", lists as arrays, structs as objects, maps as arrays of pairs.
// Error: not implemented, for a type without such a form.
arrow::Result<std::string> RowsToJson(const arrow::Table& table, int64_t rows_max);

// Same JSON, whatever the spaces, the escapes in strings and the spelling of numbers: a number that is no integer
// equals what rounds to the same float.
bool SameJson(const std::string& a, const std::string& b);

}  // namespace frazil
