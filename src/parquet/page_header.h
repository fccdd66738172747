// SPDX-License-Identifier: Apache-2.0
//
// PageHeader, decoded from Thrift and bounded: sizes and counts are never negative.
// Source: parquet.thrift PageHeader, DataPageHeader, DataPageHeaderV2, DictionaryPageHeader.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <arrow/result.h>

namespace frazil::parquet {

// parquet.thrift Encoding, the two values that mean "indexes into the dictionary page".
inline constexpr int kEncodingPlain = 0;
inline constexpr int kEncodingPlainDictionary = 2;
inline constexpr int kEncodingRle = 3;
inline constexpr int kEncodingBitPacked = 4;
inline constexpr int kEncodingRleDictionary = 8;
inline bool UsesDictionary(int encoding) {
  return encoding == kEncodingPlainDictionary || encoding == kEncodingRleDictionary;
}

struct PageHeader {
  enum class Kind { kDataV1, kDataV2, kDictionary, kOther };

  Kind kind = Kind::kOther;
  int32_t header_bytes = 0;  // length of the Thrift itself
  int32_t uncompressed_page_size = 0;
  int32_t compressed_page_size = 0;  // of the body, without the header
  std::optional<uint32_t> crc;       // of the body as stored
  int32_t num_values = 0;
  int encoding = 0;
  int definition_level_encoding = kEncodingRle;
  int repetition_level_encoding = kEncodingRle;
  bool is_sorted = false;  // dictionary
  int32_t num_nulls = 0;   // V2
  int32_t num_rows = 0;    // V2
  int32_t definition_levels_byte_length = 0;
  int32_t repetition_levels_byte_length = 0;
  bool is_compressed = true;  // V2

  bool is_data() const { return kind == Kind::kDataV1 || kind == Kind::kDataV2; }
  int64_t page_bytes() const { return int64_t{header_bytes} + compressed_page_size; }
};

// Decodes the header at the start of `bytes`. Unset when the Thrift does not end inside `bytes` or is malformed
// (more bytes may help). Error (corrupt): decodable, but its numbers are impossible.
arrow::Result<std::optional<PageHeader>> ParsePageHeader(std::string_view bytes);

}  // namespace frazil::parquet
