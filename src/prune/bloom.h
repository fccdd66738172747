// SPDX-License-Identifier: Apache-2.0
//
// Level "bloom": which hashes would have to be in a row group's bloom filter for a leaf of the filter to match there.
// =, IN, IS NOT DISTINCT FROM and ranges that hold few values are sets of single keys; the bounds of the row group cut
// the others down, so that "x = 3 OR x > 5" asks for 3 where nothing lies above 5.
//
// Safety rule: the leaf matches nothing only if every key that it accepts and the bounds allow is absent, nulls do not
// match or there are none, and neither does NaN. A key that the column's physical type can not hold is absent. Types
// whose values have more than one encoding (INT96, decimals in byte arrays, both zeros) are not asked for, or by all
// of their encodings.
// Source: parquet-format BloomFilter.md, "Filter Data"; Encodings.md, PLAIN; LogicalTypes.md.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <parquet/schema.h>

#include "src/expr/bounds.h"
#include "src/expr/predicate.h"

namespace frazil::prune {

class BloomQuestion {
 public:
  // Unset when no row group's filter can be of use for the leaf, whatever its bounds: the column is no leaf of the
  // schema, it is BOOLEAN, or its values have several encodings. `leaf` must outlive the question; `column` is what
  // the footer's schema says of it.
  static std::optional<BloomQuestion> Make(const expr::Leaf& leaf, const expr::ColumnType& type,
                                           const ::parquet::ColumnDescriptor& column);

  // The hashes of all non-null values that the leaf accepts within the bounds. If none of them is in the filter, no row
  // matches. Unset: a filter can not tell (a range of many values, null or NaN that may match). Empty: nothing can
  // match. O(log intervals + hashes).
  std::optional<std::vector<uint64_t>> HashesWithin(const expr::ColumnBounds& bounds) const;

 private:
  BloomQuestion(const expr::Leaf& leaf, const expr::ColumnType& type, int physical_type, int type_length)
      : leaf_(&leaf), type_(type), physical_type_(physical_type), type_length_(type_length) {}

  bool AppendWithin(const expr::IntervalSet<expr::Int128>& keys, const expr::ColumnBounds& bounds,
                    std::vector<uint64_t>* hashes) const;
  bool AppendWithin(const expr::IntervalSet<std::string>& keys, const expr::ColumnBounds& bounds,
                    std::vector<uint64_t>* hashes) const;
  void AppendKey(expr::Int128 key, std::vector<uint64_t>* hashes) const;
  void AppendKey(std::string_view key, std::vector<uint64_t>* hashes) const;

  const expr::Leaf* leaf_;
  expr::ColumnType type_;
  int physical_type_;
  int type_length_;  // FIXED_LEN_BYTE_ARRAY
};

}  // namespace frazil::prune
