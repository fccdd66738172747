// SPDX-License-Identifier: Apache-2.0
//
// Sort keys as bytes: comparing two rows is comparing two strings of unsigned bytes, whatever the columns are.
//
// A column's part of a key is a byte that says null or not, and the value: integers big-endian with the sign bit
// flipped, floating-point numbers by the total order of IEEE 754, text and binary with 0x00 written as 0x00 0xff and
// ended by 0x00 0x00. A descending value has its bits flipped.
// Source of the orders: Iceberg specification, "Sort Orders".
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/record_batch.h>
#include <arrow/result.h>

#include "frazil/rewrite.h"

namespace frazil::layout {

// The keys of many rows, one after another.
class SortKeys {
 public:
  int64_t count() const { return static_cast<int64_t>(ends_.size()); }
  std::string_view operator[](int64_t row) const {
    const size_t begin = row == 0 ? 0 : ends_[static_cast<size_t>(row) - 1];
    return std::string_view(bytes_).substr(begin, ends_[static_cast<size_t>(row)] - begin);
  }
  int64_t memory_bytes() const { return static_cast<int64_t>(bytes_.capacity() + ends_.capacity() * sizeof(size_t)); }
  void Clear() {
    bytes_.clear();
    ends_.clear();
  }

 private:
  friend class SortKeyEncoder;
  std::string bytes_;
  std::vector<size_t> ends_;
};

class SortKeyEncoder {
 public:
  // Errors, of kind usage: columns that are not there, and such that have no order (lists, maps, structs, intervals).
  static arrow::Result<SortKeyEncoder> Make(const arrow::Schema& schema, const std::vector<SortColumn>& columns);

  // Appends a key for each row of a batch of that schema.
  arrow::Status Append(const arrow::RecordBatch& batch, SortKeys* keys) const;

 private:
  struct Part {
    std::vector<int> path;  // of fields, from the schema down
    SortColumn column;
  };
  std::vector<Part> parts_;
};

}  // namespace frazil::layout
