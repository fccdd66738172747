// SPDX-License-Identifier: Apache-2.0
//
// ThriftWriter: writes structures in the Thrift compact protocol, field by field. It knows no schema, so it can
// also write what no schema allows (missing required fields, unknown ids, wrong types).
//
//   ThriftWriter w;
//   w.BeginStruct();
//   w.I32(1, 42);                       // field id 1
//   w.Field(2, ThriftType::kStruct);    // field id 2 holds a structure
//   w.BeginStruct(); w.Binary(1, "x"); w.EndStruct();
//   w.EndStruct();
//   w.Take()  ->  the bytes
//
// Field ids may come in any order; ids below the last one take the long form.
// Cost: appends to one string. Source: the Thrift compact protocol specification.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace frazil::filegen {

enum class ThriftType : uint8_t {
  kTrue = 1,
  kFalse = 2,
  kByte = 3,
  kI16 = 4,
  kI32 = 5,
  kI64 = 6,
  kDouble = 7,
  kBinary = 8,
  kList = 9,
  kStruct = 12,
};

class ThriftWriter {
 public:
  void BeginStruct() { last_ids_.push_back(0); }
  void EndStruct() {
    bytes_.push_back('\0');
    last_ids_.pop_back();
  }

  // The header of a field whose value follows by other calls.
  void Field(int16_t id, ThriftType type) {
    int delta = id - last_ids_.back();
    if (delta > 0 && delta <= 15) {
      bytes_.push_back(static_cast<char>((delta << 4) | static_cast<int>(type)));
    } else {
      bytes_.push_back(static_cast<char>(type));
      ZigZag(id);
    }
    last_ids_.back() = id;
  }

  // Whole fields.
  void Bool(int16_t id, bool value) { Field(id, value ? ThriftType::kTrue : ThriftType::kFalse); }
  void Byte(int16_t id, int8_t value) {
    Field(id, ThriftType::kByte);
    bytes_.push_back(static_cast<char>(value));
  }
  void I16(int16_t id, int16_t value) { Field(id, ThriftType::kI16), ZigZag(value); }
  void I32(int16_t id, int32_t value) { Field(id, ThriftType::kI32), ZigZag(value); }
  void I64(int16_t id, int64_t value) { Field(id, ThriftType::kI64), ZigZag(value); }
  void Binary(int16_t id, std::string_view value) { Field(id, ThriftType::kBinary), BinaryElement(value); }
  // A structure without fields: how unions name a member that carries nothing.
  void EmptyStruct(int16_t id) {
    Field(id, ThriftType::kStruct);
    bytes_.push_back('\0');
  }
  // A union holding one structure without fields.
  void EmptyUnion(int16_t id, int16_t member) {
    Field(id, ThriftType::kStruct);
    BeginStruct();
    EmptyStruct(member);
    EndStruct();
  }

  // A list field; `size` elements must follow by the calls below, or structures.
  void List(int16_t id, ThriftType element, size_t size) {
    Field(id, ThriftType::kList);
    if (size < 15) {
      bytes_.push_back(static_cast<char>((size << 4) | static_cast<size_t>(element)));
    } else {
      bytes_.push_back(static_cast<char>(0xF0 | static_cast<int>(element)));
      VarInt(size);
    }
  }
  void BoolElement(bool value) { bytes_.push_back(value ? '\1' : '\2'); }
  // I16, I32 and I64 elements.
  void IntElement(int64_t value) { ZigZag(value); }
  void BinaryElement(std::string_view value) {
    VarInt(value.size());
    bytes_.append(value);
  }
  void I64List(int16_t id, const std::vector<int64_t>& values) {
    List(id, ThriftType::kI64, values.size());
    for (int64_t value : values) ZigZag(value);
  }
  void BinaryList(int16_t id, const std::vector<std::string>& values) {
    List(id, ThriftType::kBinary, values.size());
    for (const std::string& value : values) BinaryElement(value);
  }

  std::string Take() { return std::move(bytes_); }

 private:
  void VarInt(uint64_t value) {
    while (value >= 0x80) {
      bytes_.push_back(static_cast<char>(value | 0x80));
      value >>= 7;
    }
    bytes_.push_back(static_cast<char>(value));
  }
  void ZigZag(int64_t value) { VarInt((static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63)); }

  std::string bytes_;
  std::vector<int> last_ids_;
};

}  // namespace frazil::filegen
