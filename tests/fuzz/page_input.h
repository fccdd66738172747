// SPDX-License-Identifier: Apache-2.0
//
// The input of the fuzz target `page`: what the footer says of a chunk, in a head of twelve bytes, and its pages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tests/fuzz/target.h"

namespace frazil::fuzz {

struct PageInput {
  // The first three are the numbers of parquet.thrift FieldRepetitionType.
  enum Structure { kRequired, kOptional, kRepeated, kList, kListOfLists };

  int physical_type = 1;  // parquet.thrift Type; fixed values have five bytes
  int structure = kRequired;
  int codec = 0;
  int flags = 0;  // 1: checksums are verified
  int64_t row_count = 0;
  int64_t value_count = 0;
  uint64_t selection = 0;  // seed of the rows that are read
  std::string_view chunk;

  static PageInput Parse(std::string_view bytes) {
    Input in(bytes);
    PageInput input;
    input.physical_type = in.Byte() % 8;
    input.structure = in.Byte() % 5;
    input.codec = in.Byte() % 8;
    input.flags = in.Byte();
    input.row_count = static_cast<int64_t>(in.Number(2));
    input.value_count = static_cast<int64_t>(in.Number(2));
    input.selection = in.Number(4);
    input.chunk = in.Rest();
    return input;
  }

  std::string Bytes() const {
    std::string bytes{static_cast<char>(physical_type), static_cast<char>(structure), static_cast<char>(codec),
                      static_cast<char>(flags)};
    const auto append = [&bytes](uint64_t value, int byte_count) {
      for (int i = 0; i < byte_count; ++i) bytes.push_back(static_cast<char>(value >> (8 * i)));
    };
    append(static_cast<uint64_t>(row_count), 2);
    append(static_cast<uint64_t>(value_count), 2);
    append(selection, 4);
    return bytes + std::string(chunk);
  }
};

}  // namespace frazil::fuzz
