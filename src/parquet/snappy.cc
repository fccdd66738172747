// SPDX-License-Identifier: Apache-2.0
//
// A block is the length of its content, then elements: literals, and copies of what was decompressed before. While
// there is room behind both cursors, elements are copied in steps of 16 bytes, beyond their end, which the next element
// overwrites; near the end of either span each element is checked and copied exactly.
#include "src/parquet/snappy.h"

#include <cstddef>
#include <cstring>

namespace frazil::parquet {
namespace {

constexpr unsigned kLiteral = 0;
constexpr unsigned kCopy1ByteOffset = 1;
constexpr unsigned kCopy2ByteOffset = 2;

// The longest element but for long literals.
constexpr ptrdiff_t kElementBytesMax = 64;
// A tag with the longest operand behind it.
constexpr ptrdiff_t kTagBytesMax = 5;

void Copy8(const uint8_t* from, uint8_t* to) { __builtin_memcpy(to, from, 8); }
void Copy16(const uint8_t* from, uint8_t* to) { __builtin_memcpy(to, from, 16); }

// Copies at least `length` bytes, at most 64, in steps of 16.
void CopyFar(const uint8_t* from, uint8_t* to, uint32_t length) {
  Copy16(from, to);
  if (length <= 16) return;
  Copy16(from + 16, to + 16);
  if (length <= 32) return;
  Copy16(from + 32, to + 32);
  Copy16(from + 48, to + 48);
}

// The last `offset` bytes before `to`, over and over; `offset` < 16. May write up to 15 bytes beyond `length`.
void CopyNear(uint8_t* to, uint32_t offset, uint32_t length) {
  const uint8_t* from = to - offset;
  if (offset >= 8) {
    for (uint32_t i = 0; i < length; i += 8) Copy8(from + i, to + i);
    return;
  }
  uint8_t pattern[16];
  for (uint32_t i = 0; i < 16; ++i) pattern[i] = from[i % offset];
  const uint32_t step = 16 - 16 % offset;
  for (uint32_t i = 0; i < length; i += step) Copy16(pattern, to + i);
}

uint32_t LoadLittleEndian(const uint8_t* bytes, uint32_t count) {
  uint32_t value = 0;
  for (uint32_t i = 0; i < count; ++i) value |= uint32_t{bytes[i]} << (8 * i);
  return value;
}

// The varint in front of a block; false when it is longer than 32 bits.
bool ReadLength(const uint8_t** in, const uint8_t* in_end, uint64_t* length) {
  *length = 0;
  for (unsigned shift = 0; shift < 35; shift += 7) {
    if (*in == in_end) return false;
    const uint8_t byte = *(*in)++;
    *length |= uint64_t{byte & 127u} << shift;
    if (byte < 128) return *length <= UINT32_MAX;
  }
  return false;
}

struct Cursor {
  const uint8_t* in;
  uint8_t* out;
};

// Decodes elements while a tag, its operand and 64 bytes of literal lie before `in_end`, and two elements of 64 bytes
// fit before `out_end`. False when the block is malformed.
bool DecodeFast(Cursor* cursor, const uint8_t* in_end, const uint8_t* out_begin, const uint8_t* out_end) {
  if (in_end - cursor->in <= kTagBytesMax + kElementBytesMax) return true;
  if (out_end - cursor->out <= 2 * kElementBytesMax) return true;
  const uint8_t* in = cursor->in;
  uint8_t* out = cursor->out;
  const uint8_t* const in_limit = in_end - kTagBytesMax - kElementBytesMax;
  const uint8_t* const out_limit = out_end - 2 * kElementBytesMax;
  while (in < in_limit && out < out_limit) {
    const uint32_t tag = *in++;
    const uint32_t kind = tag & 3;
    uint32_t length = (tag >> 2) + 1;
    if (kind == kLiteral) {
      if (length > 60) {
        const uint32_t operand_bytes = length - 60;
        const uint64_t long_length = uint64_t{LoadLittleEndian(in, operand_bytes)} + 1;
        in += operand_bytes;
        if (long_length > static_cast<uint64_t>(in_end - in) || long_length > static_cast<uint64_t>(out_end - out)) {
          return false;
        }
        std::memcpy(out, in, long_length);
        in += long_length;
        out += long_length;
        continue;
      }
      CopyFar(in, out, length);
      in += length;
      out += length;
      continue;
    }
    uint32_t offset = 0;
    if (kind == kCopy1ByteOffset) {
      length = ((tag >> 2) & 7) + 4;
      offset = ((tag >> 5) << 8) | *in++;
    } else if (kind == kCopy2ByteOffset) {
      offset = LoadLittleEndian(in, 2);
      in += 2;
    } else {
      offset = LoadLittleEndian(in, 4);
      in += 4;
    }
    if (offset == 0 || offset > static_cast<uint64_t>(out - out_begin)) return false;
    if (offset >= 16) {
      CopyFar(out - offset, out, length);
    } else {
      CopyNear(out, offset, length);
    }
    out += length;
  }
  *cursor = {in, out};
  return true;
}

// Decodes the rest, every element checked against both ends.
bool DecodeExactly(Cursor cursor, const uint8_t* in_end, const uint8_t* out_begin, const uint8_t* out_end) {
  auto [in, out] = cursor;
  while (in < in_end) {
    const uint32_t tag = *in++;
    const uint32_t kind = tag & 3;
    uint64_t length = (tag >> 2) + 1;
    uint32_t operand_bytes = kind == kCopy1ByteOffset ? 1 : kind == kCopy2ByteOffset ? 2 : 4;
    if (kind == kLiteral) operand_bytes = length > 60 ? static_cast<uint32_t>(length) - 60 : 0;
    if (operand_bytes > static_cast<uint64_t>(in_end - in)) return false;
    const uint32_t operand = LoadLittleEndian(in, operand_bytes);
    in += operand_bytes;
    if (kind == kLiteral) {
      if (operand_bytes > 0) length = uint64_t{operand} + 1;
      if (length > static_cast<uint64_t>(in_end - in) || length > static_cast<uint64_t>(out_end - out)) return false;
      std::memcpy(out, in, length);
      in += length;
      out += length;
      continue;
    }
    uint32_t offset = operand;
    if (kind == kCopy1ByteOffset) {
      length = ((tag >> 2) & 7) + 4;
      offset |= (tag >> 5) << 8;
    }
    if (offset == 0 || offset > static_cast<uint64_t>(out - out_begin)) return false;
    if (length > static_cast<uint64_t>(out_end - out)) return false;
    const uint8_t* from = out - offset;
    for (uint64_t i = 0; i < length; ++i) *out++ = *from++;
  }
  return out == out_end;
}

}  // namespace

bool DecompressSnappy(std::span<const uint8_t> in, std::span<uint8_t> out) {
  Cursor cursor{in.data(), out.data()};
  const uint8_t* const in_end = in.data() + in.size();
  const uint8_t* const out_end = out.data() + out.size();
  uint64_t length = 0;
  if (!ReadLength(&cursor.in, in_end, &length) || length != out.size()) return false;
  return DecodeFast(&cursor, in_end, out.data(), out_end) && DecodeExactly(cursor, in_end, out.data(), out_end);
}

}  // namespace frazil::parquet
