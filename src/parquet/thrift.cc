// SPDX-License-Identifier: Apache-2.0

#include "src/parquet/thrift.h"

#include <limits>

namespace frazil::parquet {

namespace {

using Type = CompactReader::Type;

// Skipping works on bare pointers: footers of many row groups are mostly skipped, and this loop is what planning over
// them costs. A null pointer means malformed, and every function below passes it on.

// Byte by byte on purpose: the lengths of varints repeat from one column chunk to the next, so the branches are
// predicted, and the next field is begun before the bytes of this one have arrived.
inline const char* SkipVarint(const char* p, const char* end) {
  if (end - p >= 4) [[likely]] {
    if (static_cast<int8_t>(p[0]) >= 0) return p + 1;
    if (static_cast<int8_t>(p[1]) >= 0) return p + 2;
    if (static_cast<int8_t>(p[2]) >= 0) return p + 3;
    if (static_cast<int8_t>(p[3]) >= 0) return p + 4;
  }
  for (int i = 0; i < 10 && p < end; ++i) {
    if (static_cast<int8_t>(*p++) >= 0) return p;
  }
  return nullptr;
}

// Reads a varint that counts bytes or elements: more than the bytes left is malformed.
inline const char* ReadCount(const char* p, const char* end, uint64_t* count) {
  uint64_t value = 0;
  if (p < end && static_cast<int8_t>(*p) >= 0) [[likely]] {
    *count = static_cast<uint8_t>(*p++);
    return *count <= static_cast<uint64_t>(end - p) ? p : nullptr;
  }
  for (int shift = 0; shift < 35; shift += 7) {
    if (p == end) return nullptr;
    const auto byte = static_cast<uint8_t>(*p++);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) {
      *count = value;
      return value <= static_cast<uint64_t>(end - p) ? p : nullptr;
    }
  }
  return nullptr;
}

// Containers: out of line, so that the loops over their members keep everything in registers.
const char* SkipContainer(Type type, const char* p, const char* end, int depth);

// One value that is not a boolean, which differs between fields and elements.
inline const char* SkipValue(Type type, const char* p, const char* end, int depth) {
  if (type >= Type::kI16 && type <= Type::kI64) return SkipVarint(p, end);
  if (type == Type::kBinary) {
    uint64_t size = 0;
    p = ReadCount(p, end, &size);
    return p == nullptr ? nullptr : p + size;
  }
  if (type == Type::kByte) return p < end ? p + 1 : nullptr;
  if (type == Type::kDouble) return end - p >= 8 ? p + 8 : nullptr;
  return SkipContainer(type, p, end, depth);
}

inline bool IsBool(Type type) { return type == Type::kTrue || type == Type::kFalse; }

inline const char* SkipElementAt(Type type, const char* p, const char* end, int depth) {
  if (IsBool(type)) return p < end ? p + 1 : nullptr;
  return SkipValue(type, p, end, depth);
}

inline const char* SkipStruct(const char* p, const char* end, int depth) {
  if (depth > CompactReader::kDepthMax) return nullptr;
  while (p < end) {
    const auto header = static_cast<uint8_t>(*p++);
    const auto type = static_cast<Type>(header & 0x0f);
    if (type == Type::kStop) return p;
    if ((header >> 4) == 0) {
      p = SkipVarint(p, end);
      if (p == nullptr) return nullptr;
    }
    if (IsBool(type)) continue;
    p = SkipValue(type, p, end, depth);
    if (p == nullptr) return nullptr;
  }
  return nullptr;
}

inline const char* SkipList(const char* p, const char* end, int depth) {
  if (depth > CompactReader::kDepthMax || p == end) return nullptr;
  const auto header = static_cast<uint8_t>(*p++);
  const auto type = static_cast<Type>(header & 0x0f);
  uint64_t count = header >> 4;
  if (count == 15) {
    p = ReadCount(p, end, &count);
    if (p == nullptr) return nullptr;
  }
  for (; count != 0; --count) {
    p = SkipElementAt(type, p, end, depth);
    if (p == nullptr) return nullptr;
  }
  return p;
}

inline const char* SkipMap(const char* p, const char* end, int depth) {
  if (depth > CompactReader::kDepthMax) return nullptr;
  uint64_t count = 0;
  p = ReadCount(p, end, &count);
  if (p == nullptr || count == 0) return p;
  if (p == end) return nullptr;
  const auto types = static_cast<uint8_t>(*p++);
  for (; count != 0; --count) {
    p = SkipElementAt(static_cast<Type>(types >> 4), p, end, depth);
    if (p == nullptr) return nullptr;
    p = SkipElementAt(static_cast<Type>(types & 0x0f), p, end, depth);
    if (p == nullptr) return nullptr;
  }
  return p;
}

const char* SkipContainer(Type type, const char* p, const char* end, int depth) {
  switch (type) {
    case Type::kStruct:
      return SkipStruct(p, end, depth + 1);
    case Type::kList:
    case Type::kSet:
      return SkipList(p, end, depth + 1);
    case Type::kMap:
      return SkipMap(p, end, depth + 1);
    default:
      return nullptr;
  }
}

}  // namespace

uint64_t CompactReader::LongVarint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    if (cursor_ == end_) break;
    const auto byte = static_cast<uint8_t>(*cursor_++);
    // The tenth byte holds the one bit that is left of 64.
    if (shift == 63 && byte > 1) break;
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  Fail();
  return 0;
}

bool CompactReader::Fields::Truncated() {
  reader_.Fail();
  return false;
}

bool CompactReader::Fields::LongForm(uint8_t header) {
  const int64_t id = header < 0x10 ? reader_.ZigZag() : int64_t{id_};
  if (!reader_.ok_ || type_ > Type::kStruct || id < std::numeric_limits<int16_t>::min() ||
      id > std::numeric_limits<int16_t>::max()) {
    reader_.Fail();
    return false;
  }
  id_ = static_cast<int>(id);
  return true;
}

bool CompactReader::Bool(Type type) {
  if (!IsBool(type)) Fail();
  return ok_ && type == Type::kTrue;
}

bool CompactReader::BoolElement() {
  const uint8_t byte = Byte();
  if (byte > 2) Fail();
  return ok_ && byte == 1;
}

int32_t CompactReader::I32(Type type) {
  if (type != Type::kI32) Fail();
  return I32();
}

int64_t CompactReader::I64(Type type) {
  if (type != Type::kI64) Fail();
  return I64();
}

std::string_view CompactReader::Binary(Type type) {
  if (type != Type::kBinary) Fail();
  return Binary();
}

std::optional<bool> CompactReader::BoolIf(const Fields& field) {
  if (IsBool(field.type())) return field.type() == Type::kTrue;
  Skip(field.type());
  return std::nullopt;
}

std::optional<int32_t> CompactReader::I32If(const Fields& field) {
  if (field.type() == Type::kI32) return I32();
  Skip(field.type());
  return std::nullopt;
}

std::optional<int64_t> CompactReader::I64If(const Fields& field) {
  if (field.type() == Type::kI64) return I64();
  Skip(field.type());
  return std::nullopt;
}

std::optional<std::string_view> CompactReader::BinaryIf(const Fields& field) {
  if (field.type() == Type::kBinary) return Binary();
  Skip(field.type());
  return std::nullopt;
}

CompactReader::List CompactReader::ListHeader(Type type) {
  if (type != Type::kList && type != Type::kSet) Fail();
  const uint8_t header = Byte();
  uint64_t size = header >> 4;
  if (size == 15) size = Varint();
  const uint8_t element = header & 0x0f;
  const bool element_known = element != 0 && element <= static_cast<uint8_t>(Type::kStruct);
  if (size > static_cast<uint64_t>(remaining()) || size > std::numeric_limits<uint32_t>::max() ||
      (size != 0 && !element_known)) {
    Fail();
  }
  if (!ok_) return {};
  return {static_cast<Type>(element_known ? element : 0), static_cast<uint32_t>(size)};
}

void CompactReader::Skip(Type type) {
  if (!ok_ || IsBool(type)) return;
  const char* after = SkipValue(type, cursor_, end_, depth_);
  if (after == nullptr) return Fail();
  cursor_ = after;
}

void CompactReader::SkipElement(Type type) {
  if (!ok_) return;
  const char* after = SkipElementAt(type, cursor_, end_, depth_);
  if (after == nullptr) return Fail();
  cursor_ = after;
}

}  // namespace frazil::parquet
