// SPDX-License-Identifier: Apache-2.0

#include "src/iceberg/avro_decoder.h"

namespace frazil::iceberg {

uint64_t AvroDecoder::LongVarint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 70 && cursor_ < end_; shift += 7) {
    const auto byte = static_cast<uint8_t>(*cursor_++);
    // Bits beyond the 64th fall away: there are tables with snapshot ids of 65 bits, which other readers take so.
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  Fail();
  return 0;
}

int64_t AvroDecoder::BlockCount(int64_t item_bytes_min, std::optional<int64_t>* end) {
  *end = std::nullopt;
  int64_t count = Long();
  int64_t bytes = remaining();
  if (count < 0) {
    const int64_t told = Long();
    if (!ok_ || told < 0 || told > remaining() || count == INT64_MIN) {
      Fail();
      return 0;
    }
    count = -count;
    bytes = told;
    *end = position() + told;
  }
  if (!ok_ || count > bytes / item_bytes_min) {
    Fail();
    return 0;
  }
  return count;
}

// A varint ends at its byte without the top bit, so eight bytes are counted at once. The counts of a manifest entry,
// three or four maps of a pair a column, are mostly skipped: this loop is much of what walking over an entry costs. It
// never runs past the last item: eight ends in a word leave no varint begun, and fewer leave items to come.
void AvroDecoder::SkipVarints(int64_t count) {
  constexpr uint64_t kTopBits = 0x8080808080808080U;
  while (count >= 8 && end_ - cursor_ >= 8) {
    uint64_t word;
    std::memcpy(&word, cursor_, sizeof(word));
    const uint64_t ends = (~word & kTopBits) >> 7;
    count -= static_cast<int64_t>((ends * 0x0101010101010101U) >> 56);
    cursor_ += 8;
  }
  while (count > 0 && cursor_ < end_) {
    if (static_cast<int8_t>(*cursor_++) >= 0) --count;
  }
  if (count > 0) Fail();
}

void AvroDecoder::SkipItems(const AvroSchema& schema, const AvroType& container, int depth) {
  const AvroType& item = schema[container.items[0]];
  const bool map = container.kind == AvroKind::kMap;
  const int64_t item_bytes_min = item.min_bytes + (map ? 1 : 0);
  while (ok_) {
    int64_t count = Long();
    if (count == 0) return;
    if (count < 0) {
      // Written with its size, for this very purpose.
      const int64_t bytes = Long();
      if (count == INT64_MIN || (item_bytes_min > 0 && -count > bytes / item_bytes_min)) return Fail();
      Fixed(bytes);
      continue;
    }
    if (item_bytes_min == 0) continue;
    if (count > remaining() / item_bytes_min) return Fail();
    switch (container.skip) {
      case AvroSkip::kVarints:
        SkipVarints(count);
        break;
      case AvroSkip::kVarintPairs:
        SkipVarints(2 * count);
        break;
      case AvroSkip::kVarintBytes:
        for (; count > 0 && ok_; --count) {
          Varint();
          Bytes();
        }
        break;
      default:
        for (; count > 0 && ok_; --count) {
          if (map) Bytes();
          SkipNested(schema, container.items[0], depth + 1);
        }
    }
  }
}

void AvroDecoder::SkipNested(const AvroSchema& schema, AvroTypeId id, int depth) {
  const AvroType& type = schema[id];
  if (type.min_bytes > remaining() || depth > AvroSchema::kDepthMax) return Fail();
  switch (type.skip) {
    case AvroSkip::kNothing:
      break;
    case AvroSkip::kVarint:
      Varint();
      break;
    case AvroSkip::kFixedBytes:
      cursor_ += type.fixed_bytes;
      break;
    case AvroSkip::kBytes:
      Bytes();
      break;
    case AvroSkip::kRecord:
      for (const AvroField& field : type.fields) SkipNested(schema, field.type, depth + 1);
      break;
    case AvroSkip::kOptional:
    case AvroSkip::kUnion:
      SkipNested(schema, type.items[Branch(static_cast<int32_t>(type.items.size()))], depth + 1);
      break;
    case AvroSkip::kArray:
    case AvroSkip::kMap:
    case AvroSkip::kVarints:
    case AvroSkip::kVarintPairs:
    case AvroSkip::kVarintBytes:
      SkipItems(schema, type, depth);
  }
}

}  // namespace frazil::iceberg
