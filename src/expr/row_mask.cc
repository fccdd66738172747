// SPDX-License-Identifier: Apache-2.0
#include "src/expr/row_mask.h"

#include <array>
#include <bit>
#include <cstring>

namespace frazil::expr {

namespace {

static_assert(std::endian::native == std::endian::little, "row masks are read as little-endian words, as Arrow's data");

constexpr uint64_t kOnes = 0x0101010101010101;

// Eight bits spread over eight bytes of 0 or 1.
constexpr std::array<uint64_t, 256> MakeSpread() {
  std::array<uint64_t, 256> table{};
  for (size_t bits = 0; bits < 256; ++bits) {
    for (size_t i = 0; i < 8; ++i) table[bits] |= uint64_t{(bits >> i) & 1} << (8 * i);
  }
  return table;
}

constexpr std::array<uint64_t, 256> kSpread = MakeSpread();

uint64_t Load(const uint8_t* bytes) {
  uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

void Store(uint64_t word, uint8_t* bytes) { std::memcpy(bytes, &word, sizeof(word)); }

bool BitAt(const uint8_t* bitmap, int64_t at) { return (bitmap[at >> 3] >> (at & 7)) & 1; }

// The eight bits from bit `at` on. All of them must exist.
uint8_t EightBitsAt(const uint8_t* bitmap, int64_t at) {
  const int shift = static_cast<int>(at & 7);
  const uint8_t* byte = bitmap + (at >> 3);
  if (shift == 0) return *byte;
  return static_cast<uint8_t>((byte[0] >> shift) | (byte[1] << (8 - shift)));
}

}  // namespace

void MaskFromBitmap(const uint8_t* bitmap, int64_t bit_offset, int64_t row_count, uint8_t* mask) {
  int64_t i = 0;
  for (; i + 8 <= row_count; i += 8) Store(kSpread[EightBitsAt(bitmap, bit_offset + i)], mask + i);
  for (; i < row_count; ++i) mask[i] = BitAt(bitmap, bit_offset + i);
}

void ApplyValidity(const uint8_t* bitmap, int64_t bit_offset, int64_t row_count, bool matches_null, uint8_t* mask) {
  if (bitmap == nullptr) return;
  const uint64_t null_word = matches_null ? kOnes : 0;
  int64_t i = 0;
  for (; i + 8 <= row_count; i += 8) {
    const uint8_t bits = EightBitsAt(bitmap, bit_offset + i);
    if (bits == 0xff) continue;
    const uint64_t valid = kSpread[bits] * 0xff;  // 0x00 or 0xff a row
    Store((Load(mask + i) & valid) | (null_word & ~valid), mask + i);
  }
  for (; i < row_count; ++i) {
    if (!BitAt(bitmap, bit_offset + i)) mask[i] = matches_null;
  }
}

void MaskAnd(const uint8_t* other, int64_t row_count, uint8_t* mask) {
  int64_t i = 0;
  for (; i + 8 <= row_count; i += 8) Store(Load(mask + i) & Load(other + i), mask + i);
  for (; i < row_count; ++i) mask[i] &= other[i];
}

void MaskOr(const uint8_t* other, int64_t row_count, uint8_t* mask) {
  int64_t i = 0;
  for (; i + 8 <= row_count; i += 8) Store(Load(mask + i) | Load(other + i), mask + i);
  for (; i < row_count; ++i) mask[i] |= other[i];
}

bool MaskIsEmpty(const uint8_t* mask, int64_t row_count) {
  return row_count == 0 || std::memchr(mask, 1, static_cast<size_t>(row_count)) == nullptr;
}

bool MaskIsFull(const uint8_t* mask, int64_t row_count) {
  return row_count == 0 || std::memchr(mask, 0, static_cast<size_t>(row_count)) == nullptr;
}

void AppendRuns(const uint8_t* mask, int64_t row_count, int64_t first_row, RowRanges* ranges) {
  uint64_t last = 0;  // the row before the word: 0 or 1
  int64_t begin = 0;  // of the open run, if last is 1
  // Bytes of `word` that differ from the byte before them begin or end a run.
  auto scan = [&](uint64_t word, int64_t at) {
    uint64_t changes = word ^ ((word << 8) | last);
    while (changes != 0) {
      const int64_t row = at + std::countr_zero(changes) / 8;
      if (last == 0) {
        begin = row;
      } else {
        ranges->Append(first_row + begin, first_row + row);
      }
      last ^= 1;
      changes &= changes - 1;
    }
  };
  int64_t i = 0;
  for (; i + 8 <= row_count; i += 8) scan(Load(mask + i), i);
  if (i < row_count) {
    uint64_t word = 0;  // rows behind the end do not match, which closes the run in time
    std::memcpy(&word, mask + i, static_cast<size_t>(row_count - i));
    scan(word, i);
  }
  if (last != 0) ranges->Append(first_row + begin, first_row + row_count);
}

}  // namespace frazil::expr
