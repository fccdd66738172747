// SPDX-License-Identifier: Apache-2.0
//
// Literals become places among the keys of a column's type, and places become sets of keys.
//
//   column      literals                                      a literal that is no value of the column
//   bool        TRUE, FALSE (FALSE < TRUE)                    -
//   integers    numbers                                       lies between, below or above: 1.5, -1, 256 for uint8
//   decimals    numbers                                       the same; precision is not enforced, only 38 digits
//                                                             (or 256 bits) are
//   floats      numbers, 'NaN', '[-]Infinity', '[-]inf'       is rounded to the column's type, ties to even, beyond
//                                                             the range to infinity
//   text        'text'                                        -
//   binary      X'hex', 'text' with \xhh for single bytes     -
//   fixed       the same; UUID '...' for 16 bytes             lies where its bytes lie
//   uuid        'xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx' in any case, UUID '...', X'32 digits'
//   date        DATE '...', TIMESTAMP '...', 'text' of either; between two days unless midnight; no zone
//   time        TIME '...', 'text'; finer than the unit: between
//   timestamp   TIMESTAMP '...', DATE '...' (midnight), 'text' of either; finer than the unit: between. A zone only
//               for columns in UTC, where none means UTC
//
// The text forms are in datetime.h. To write a backslash before xhh in a binary literal, write \x5C for it.
#pragma once

#include <string_view>
#include <variant>

#include <arrow/result.h>

#include "src/expr/expression.h"
#include "src/expr/number.h"
#include "src/expr/predicate.h"
#include "src/expr/type.h"

namespace frazil::expr {

// The alternative that holds is the one of the column's key space.
using LiteralPlace = std::variant<KeyPlace<Int128>, KeyPlace<std::string>>;

// Errors are of kind usage; their text says how to write a literal for such a column ("write a number").
// REQUIRES: literal is not NULL; type.is_comparable().
arrow::Result<LiteralPlace> PlaceLiteral(const Literal& literal, const ColumnType& type);

// The keys k for which `k op literal`. Ends that no value of the type lies beyond are left open, so that "x < 256"
// is all keys of a uint8 column, and "x < 0" none.
KeySet KeysOf(Expression::Op op, const LiteralPlace& place, const ColumnType& type);

// No key, every key, the keys of both, the keys of either, the other keys; whether a key is one of them.
// REQUIRES: all of one key space.
KeySet NoKeys(const ColumnType& type);
KeySet AllKeys(const ColumnType& type);
KeySet IntersectKeys(const KeySet& a, const KeySet& b);
KeySet UnionKeys(const KeySet& a, const KeySet& b);
KeySet ComplementKeys(const KeySet& keys);
bool ContainsKey(const KeySet& keys, const Key& key);

// Exactly the keys of the places that are exact.
KeySet PointKeys(const std::vector<LiteralPlace>& places, const ColumnType& type);

// The byte keys that begin with `prefix`.
IntervalSet<std::string> PrefixKeys(std::string_view prefix);

}  // namespace frazil::expr
