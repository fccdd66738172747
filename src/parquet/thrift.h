// SPDX-License-Identifier: Apache-2.0
//
// A bounded reader of the Thrift compact protocol, over bytes in memory. It allocates nothing, never reads
// past its end, and turns every malformed input into ok() == false: from then on every call returns zero.
// Source: Apache Thrift, "Thrift Compact protocol encoding".
//
//   CompactReader r(bytes);
//   for (CompactReader::Fields f(r); f.Next();)          // one struct
//     switch (f.id()) {
//       case 1: version = r.I32(f.type()); break;
//       default: r.Skip(f.type());
//     }
//   if (!r.ok()) ...
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace frazil::parquet {

class CompactReader {
 public:
  enum class Type : uint8_t {
    kStop = 0,
    kTrue = 1,
    kFalse = 2,
    kByte = 3,
    kI16 = 4,
    kI32 = 5,
    kI64 = 6,
    kDouble = 7,
    kBinary = 8,
    kList = 9,
    kSet = 10,
    kMap = 11,
    kStruct = 12,
  };
  // Deeper nesting is refused.
  static constexpr int kDepthMax = 64;

  CompactReader() = default;
  explicit CompactReader(std::string_view bytes)
      : begin_(bytes.data()), cursor_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool ok() const { return ok_; }
  int64_t position() const { return cursor_ - begin_; }
  // Bytes not read yet.
  int64_t remaining() const { return end_ - cursor_; }
  void Fail() {
    ok_ = false;
    cursor_ = end_;
  }

  // Iterates over the fields of one struct; the caller reads or skips each value. Ends after the stop byte,
  // or at once when the reader failed.
  class Fields {
   public:
    explicit Fields(CompactReader& reader) : reader_(reader) {
      if (++reader_.depth_ > kDepthMax) reader_.Fail();
    }
    ~Fields() { --reader_.depth_; }
    Fields(const Fields&) = delete;
    Fields& operator=(const Fields&) = delete;

    bool Next() {
      if (reader_.cursor_ == reader_.end_) return Truncated();
      const auto header = static_cast<uint8_t>(*reader_.cursor_++);
      const uint8_t type = header & 0x0f;
      if (type == 0) return false;
      type_ = static_cast<Type>(type);
      id_ += header >> 4;
      if (header < 0x10 || type > static_cast<uint8_t>(Type::kStruct) || id_ > INT16_MAX) return LongForm(header);
      return true;
    }
    int id() const { return id_; }
    Type type() const { return type_; }

   private:
    // The bytes end inside the struct, or the reader failed before: its cursor is then at the end.
    bool Truncated();
    // The id follows as a varint, or the field is malformed.
    bool LongForm(uint8_t header);

    CompactReader& reader_;
    int id_ = 0;
    Type type_ = Type::kStop;
  };

  struct List {
    Type type = Type::kStop;
    uint32_t size = 0;  // at most the bytes remaining: an element takes a byte or more
  };

  // Values of a field or list element of exactly the named type; another type fails the reader.
  bool Bool(Type type);  // as a field: the value is in the type
  bool BoolElement();    // as a list element: a byte, 1 true; 0 and 2 false
  int32_t I32(Type type);
  int64_t I64(Type type);
  std::string_view Binary(Type type);  // a view into the bytes
  List ListHeader(Type type);

  // Values of a field of an expected type; a field of another type is skipped and unset, as Thrift's own generated
  // readers do.
  std::optional<bool> BoolIf(const Fields& field);
  std::optional<int32_t> I32If(const Fields& field);
  std::optional<int64_t> I64If(const Fields& field);
  std::optional<std::string_view> BinaryIf(const Fields& field);
  // Calls `read()` once per element of a list field whose elements have type `element` (kTrue: booleans). Any other
  // field is skipped. Returns whether it was such a list, and ends early when the reader fails.
  template <typename Read>
  bool ForEach(const Fields& field, Type element, const Read& read) {
    if (field.type() != Type::kList) {
      Skip(field.type());
      return false;
    }
    const List list = ListHeader(field.type());
    const Type type = list.type == Type::kFalse ? Type::kTrue : list.type;
    const bool expected = list.size == 0 || type == element;
    for (uint32_t i = 0; i < list.size && ok_; ++i) {
      if (expected) {
        read();
      } else {
        SkipElement(list.type);
      }
    }
    return ok_ && expected;
  }

  int32_t I32() { return static_cast<int32_t>(ZigZag()); }
  int64_t I64() { return ZigZag(); }
  std::string_view Binary() {
    const uint64_t size = Varint();
    if (size > static_cast<uint64_t>(remaining())) {
      Fail();
      return {};
    }
    const std::string_view bytes(cursor_, size);
    cursor_ += size;
    return bytes;
  }

  // Skips one value of `type` (as a field; booleans take no bytes there).
  void Skip(Type type);
  // Skips one list element of `type`.
  void SkipElement(Type type);

 private:
  friend class Fields;
  // Most varints are one byte, so that case is inlined.
  uint64_t Varint() {
    if (cursor_ < end_ && static_cast<uint8_t>(*cursor_) < 0x80) return static_cast<uint8_t>(*cursor_++);
    return LongVarint();
  }
  uint64_t LongVarint();
  int64_t ZigZag() {
    const uint64_t raw = Varint();
    return static_cast<int64_t>((raw >> 1) ^ (~(raw & 1) + 1));
  }
  uint8_t Byte() {
    if (cursor_ == end_) {
      Fail();
      return 0;
    }
    return static_cast<uint8_t>(*cursor_++);
  }

  const char* begin_ = nullptr;
  const char* cursor_ = nullptr;
  const char* end_ = nullptr;
  int depth_ = 0;
  bool ok_ = true;
};

}  // namespace frazil::parquet
