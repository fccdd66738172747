// SPDX-License-Identifier: Apache-2.0
//
// A bounded reader of Avro's binary encoding, over bytes in memory. It allocates nothing, never reads past its end, and
// turns every malformed input into ok() == false: from then on every call returns zero.
// Source: Apache Avro specification 1.12 "Binary Encoding".
//
//   AvroDecoder in(bytes);
//   const int64_t status = in.Long();
//   in.Skip(schema, type);                        // any value, by the schema it was written with
//   for (AvroDecoder::Blocks items(in, 1); items.Next();) sum += in.Long();
//   if (!in.ok()) ...
//
// Cost: linear in the bytes, whatever the bytes say: an item takes a byte or more, or is not visited.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "src/iceberg/avro_schema.h"

namespace frazil::iceberg {

class AvroDecoder {
 public:
  AvroDecoder() = default;
  explicit AvroDecoder(std::string_view bytes)
      : begin_(bytes.data()), cursor_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool ok() const { return ok_; }
  int64_t position() const { return cursor_ - begin_; }
  // Bytes not read yet.
  int64_t remaining() const { return end_ - cursor_; }
  void Fail() {
    ok_ = false;
    cursor_ = end_;
  }

  // Most numbers of a manifest take one or two bytes, so those cases are inlined.
  int64_t Long() {
    const uint64_t raw = Varint();
    return static_cast<int64_t>((raw >> 1) ^ (~(raw & 1) + 1));
  }
  int32_t Int() {
    const int64_t value = Long();
    if (value < INT32_MIN || value > INT32_MAX) [[unlikely]] {
      Fail();
      return 0;
    }
    return static_cast<int32_t>(value);
  }
  bool Boolean() {
    const std::string_view byte = Fixed(1);
    if (byte.empty() || static_cast<uint8_t>(byte[0]) > 1) [[unlikely]] {
      Fail();
      return false;
    }
    return byte[0] != 0;
  }
  float Float() { return LittleEndian<float>(); }
  double Double() { return LittleEndian<double>(); }
  // A view into the bytes; of strings too, whose UTF-8 is not checked.
  std::string_view Bytes() { return Fixed(Long()); }
  std::string_view Fixed(int64_t size) {
    if (size < 0 || size > remaining()) [[unlikely]] {
      Fail();
      return {};
    }
    const std::string_view bytes(cursor_, static_cast<size_t>(size));
    cursor_ += size;
    return bytes;
  }
  // The branch of a union of `count` types.
  int32_t Branch(int32_t count) {
    const int64_t branch = Long();
    if (branch < 0 || branch >= count) [[unlikely]] {
      Fail();
      return 0;
    }
    return static_cast<int32_t>(branch);
  }
  // Whether a value follows: reads the branch of an optional union. False when the reader failed.
  bool Present(const AvroOptional& type) {
    if (type.branch_count == 0) return ok_;
    return Branch(type.branch_count) != type.null_branch && ok_;
  }

  // The items of an array or the pairs of a map, block by block. Next() is true once for each item, which the caller
  // then reads or skips. `item_bytes_min` is the least an item takes: a count that can not fit the bytes left fails the
  // reader, and so does a block whose items do not end where it says: skipped by that size, the reader would be
  // elsewhere. REQUIRES: item_bytes_min >= 1 (SkipItems serves the others).
  class Blocks {
   public:
    Blocks(AvroDecoder& in, int64_t item_bytes_min) : in_(in), item_bytes_min_(item_bytes_min) {}
    bool Next() {
      if (left_ == 0) {
        if (done_) return false;
        if (block_end_ && in_.position() != *block_end_) in_.Fail();
        left_ = in_.BlockCount(item_bytes_min_, &block_end_);
        done_ = left_ == 0;
        if (done_) return false;
      }
      --left_;
      return in_.ok_;
    }

   private:
    AvroDecoder& in_;
    int64_t item_bytes_min_;
    int64_t left_ = 0;
    std::optional<int64_t> block_end_ = std::nullopt;  // where the items of a block that tells its size have to end
    bool done_ = false;
  };

  // Skips one value. Nesting beyond AvroSchema::kDepthMax fails the reader.
  void Skip(const AvroSchema& schema, AvroTypeId type) { SkipNested(schema, type, 0); }

 private:
  uint64_t Varint() {
    if (end_ - cursor_ >= 2) [[likely]] {
      const auto low = static_cast<uint8_t>(cursor_[0]);
      if (low < 0x80) {
        ++cursor_;
        return low;
      }
      const auto high = static_cast<uint8_t>(cursor_[1]);
      if (high < 0x80) {
        cursor_ += 2;
        return (low & 0x7fU) | static_cast<uint64_t>(high) << 7;
      }
    }
    return LongVarint();
  }
  uint64_t LongVarint();
  template <typename T>
  T LittleEndian() {
    static_assert(std::endian::native == std::endian::little);
    const std::string_view bytes = Fixed(sizeof(T));
    T value{};
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }

  // Items of the next block, and where it ends if it tells that; 0 at the end, and when the reader failed.
  int64_t BlockCount(int64_t item_bytes_min, std::optional<int64_t>* end);
  void SkipNested(const AvroSchema& schema, AvroTypeId type, int depth);
  void SkipItems(const AvroSchema& schema, const AvroType& container, int depth);
  void SkipVarints(int64_t count);

  const char* begin_ = nullptr;
  const char* cursor_ = nullptr;
  const char* end_ = nullptr;
  bool ok_ = true;
};

}  // namespace frazil::iceberg
