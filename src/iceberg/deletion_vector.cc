// SPDX-License-Identifier: Apache-2.0

#include "src/iceberg/deletion_vector.h"

#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include <arrow/util/crc32.h>

#include "frazil/error.h"

namespace frazil::iceberg {

namespace {

arrow::Status Corrupt(const std::string& text) {
  return MakeError(ErrorKind::kCorrupt, "the deletion vector is malformed: " + text);
}

uint32_t BigEndian32(std::string_view bytes) {
  uint32_t value = 0;
  for (const char byte : bytes.substr(0, 4)) value = value << 8 | static_cast<uint8_t>(byte);
  return value;
}

// Little-endian numbers one after the other. Past the end it gives zeros and ok() is false.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : left_(bytes) {}

  bool ok() const { return ok_; }
  size_t remaining() const { return left_.size(); }
  std::string_view Take(size_t size) {
    if (size > left_.size()) {
      ok_ = false;
      left_ = {};
      return {};
    }
    const std::string_view taken = left_.substr(0, size);
    left_.remove_prefix(size);
    return taken;
  }
  template <typename T>
  T Number() {
    static_assert(std::endian::native == std::endian::little);
    const std::string_view bytes = Take(sizeof(T));
    T value = 0;
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }

 private:
  std::string_view left_;
  bool ok_ = true;
};

// A bitmap of 32-bit positions: containers of 2^16 positions each, as a sorted list, as bits, or as runs.
class Roaring32 {
 public:
  Roaring32(Cursor& in, int64_t base, RowRanges* rows) : in_(in), base_(base), rows_(rows) {}

  int64_t row_count() const { return row_count_; }

  arrow::Status Run() {
    constexpr uint32_t kCookie = 12347;  // some containers are runs
    constexpr uint32_t kCookieNoRuns = 12346;
    constexpr uint32_t kContainersMax = 1 << 16;
    constexpr uint32_t kOffsetsFrom = 4;  // with fewer containers, bitmaps with runs have no offsets
    const auto cookie = in_.Number<uint32_t>();
    uint32_t count = 0;
    std::string_view run_flags;
    if ((cookie & 0xffff) == kCookie) {
      count = (cookie >> 16) + 1;
      run_flags = in_.Take((count + 7) / 8);
    } else if (cookie == kCookieNoRuns) {
      count = in_.Number<uint32_t>();
    } else {
      return Corrupt("it holds no Roaring bitmap");
    }
    if (count > kContainersMax) return Corrupt("a bitmap claims " + std::to_string(count) + " containers");
    Cursor descriptions(in_.Take(size_t{count} * 4));
    // The containers lie one after the other, so where they begin is known.
    if (run_flags.empty() || count >= kOffsetsFrom) in_.Take(size_t{count} * 4);
    int32_t last_key = -1;
    for (uint32_t i = 0; i < count && in_.ok(); ++i) {
      const auto key = descriptions.Number<uint16_t>();
      const uint32_t cardinality = uint32_t{descriptions.Number<uint16_t>()} + 1;
      if (key <= last_key) return Corrupt("its containers are not sorted");
      last_key = key;
      const bool runs = !run_flags.empty() && (static_cast<uint8_t>(run_flags[i / 8]) >> (i % 8) & 1) != 0;
      ARROW_RETURN_NOT_OK(Container(base_ + (int64_t{key} << 16), cardinality, runs));
    }
    return in_.ok() ? arrow::Status::OK() : Corrupt("it ends inside a bitmap");
  }

 private:
  static constexpr uint32_t kListMax = 4096;  // a container of more positions is bits

  arrow::Status Container(int64_t base, uint32_t cardinality, bool runs) {
    container_rows_ = 0;
    ARROW_RETURN_NOT_OK(runs ? Runs(base) : cardinality <= kListMax ? List(base, cardinality) : Bits(base));
    if (in_.ok() && container_rows_ != cardinality)
      return Corrupt("a container has another number of rows than it tells");
    row_count_ += container_rows_;
    return arrow::Status::OK();
  }

  arrow::Status Runs(int64_t base) {
    const auto count = in_.Number<uint16_t>();
    Cursor runs(in_.Take(size_t{count} * 4));
    int32_t end = -1;
    for (uint32_t i = 0; i < count && runs.ok(); ++i) {
      const int32_t begin = runs.Number<uint16_t>();
      const int32_t last = begin + runs.Number<uint16_t>();
      if (!runs.ok()) break;
      if (begin <= end || last > 0xffff) return Corrupt("its runs overlap or leave their container");
      Append(base + begin, base + last + 1);
      end = last;
    }
    return arrow::Status::OK();
  }

  arrow::Status List(int64_t base, uint32_t cardinality) {
    Cursor list(in_.Take(size_t{cardinality} * 2));
    int32_t last = -1;
    while (list.remaining() > 0) {
      const int32_t position = list.Number<uint16_t>();
      if (position <= last) return Corrupt("its positions are not sorted");
      Append(base + position, base + position + 1);
      last = position;
    }
    return arrow::Status::OK();
  }

  arrow::Status Bits(int64_t base) {
    Cursor words(in_.Take(8192));
    for (int64_t first = base; words.remaining() > 0; first += 64) {
      auto word = words.Number<uint64_t>();
      int64_t at = first;
      while (word != 0) {
        const int zeros = std::countr_zero(word);
        word >>= zeros;
        at += zeros;
        const int ones = std::countr_one(word);
        Append(at, at + ones);
        at += ones;
        word = ones == 64 ? 0 : word >> ones;
      }
    }
    return arrow::Status::OK();
  }

  void Append(int64_t begin, int64_t end) {
    rows_->Append(begin, end);
    container_rows_ += end - begin;
  }

  Cursor& in_;
  int64_t base_;
  RowRanges* rows_;
  int64_t container_rows_ = 0;
  int64_t row_count_ = 0;
};

arrow::Result<RowRanges> Roaring64(std::string_view bytes, int64_t* row_count) {
  constexpr uint32_t kSignBit = 0x80000000U;
  Cursor in(bytes);
  const auto count = in.Number<uint64_t>();
  RowRanges rows;
  int64_t last_key = -1;
  *row_count = 0;
  for (uint64_t i = 0; i < count && in.ok(); ++i) {
    const auto key = in.Number<uint32_t>();
    if (!in.ok()) break;
    if (key <= last_key) return Corrupt("its bitmaps are not sorted");
    if (key >= kSignBit) return Corrupt("a position is above all that are possible");
    last_key = key;
    Roaring32 bitmap(in, int64_t{key} << 32, &rows);
    ARROW_RETURN_NOT_OK(bitmap.Run());
    *row_count += bitmap.row_count();
  }
  if (!in.ok()) return Corrupt("it ends too soon");
  if (in.remaining() > 0) return Corrupt(std::to_string(in.remaining()) + " bytes are left over");
  return rows;
}

}  // namespace

arrow::Result<RowRanges> DecodeRoaring64(std::string_view bytes) {
  int64_t row_count = 0;
  return Roaring64(bytes, &row_count);
}

arrow::Result<RowRanges> DecodeDeletionVector(std::string_view blob, std::optional<int64_t> cardinality) {
  constexpr std::string_view kMagic = "\xD1\xD3\x39\x64";
  constexpr size_t kNumberBytes = 4;  // of the length in front and the checksum behind
  if (blob.size() < 2 * kNumberBytes + kMagic.size())
    return Corrupt("it has " + std::to_string(blob.size()) + " bytes");
  const std::string_view checked = blob.substr(kNumberBytes, blob.size() - 2 * kNumberBytes);
  if (BigEndian32(blob) != checked.size()) {
    return Corrupt("it tells a length of " + std::to_string(BigEndian32(blob)) + " in a blob of " +
                   std::to_string(blob.size()) + " bytes");
  }
  if (!checked.starts_with(kMagic)) return Corrupt("it does not begin with its magic number");
  if (arrow::internal::crc32(0, checked.data(), checked.size()) !=
      BigEndian32(blob.substr(blob.size() - kNumberBytes))) {
    return Corrupt("its checksum is wrong");
  }
  int64_t row_count = 0;
  ARROW_ASSIGN_OR_RAISE(RowRanges rows, Roaring64(checked.substr(kMagic.size()), &row_count));
  if (cardinality && row_count != *cardinality) {
    return Corrupt("it has " + std::to_string(row_count) + " rows, its manifest entry tells of " +
                   std::to_string(*cardinality));
  }
  return rows;
}

}  // namespace frazil::iceberg
