// SPDX-License-Identifier: Apache-2.0
//
// For tests only: writes the Thrift compact protocol, sound or not.
//
//   ThriftStruct s;
//   s.I32(1, 7).Binary(4, "name").Struct(5, ThriftStruct().Bool(1, true));
//   s.bytes()   // with the stop byte
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace frazil::parquet {

inline void AppendVarint(std::string* out, uint64_t value) {
  for (; value > 127; value >>= 7) out->push_back(static_cast<char>(value | 128));
  out->push_back(static_cast<char>(value));
}

inline void AppendZigZag(std::string* out, int64_t value) {
  AppendVarint(out, (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63));
}

class ThriftStruct {
 public:
  ThriftStruct& I32(int id, int64_t value) { return Number(id, 5, value); }
  ThriftStruct& I64(int id, int64_t value) { return Number(id, 6, value); }
  ThriftStruct& Bool(int id, bool value) { return Header(id, value ? 1 : 2); }
  ThriftStruct& Binary(int id, std::string_view value) {
    Header(id, 8);
    return Append(value);
  }
  ThriftStruct& Struct(int id, const ThriftStruct& value) {
    Header(id, 12);
    fields_ += value.bytes();
    return *this;
  }
  ThriftStruct& Structs(int id, const std::vector<ThriftStruct>& values) {
    List(id, 12, values.size());
    for (const ThriftStruct& value : values) fields_ += value.bytes();
    return *this;
  }
  ThriftStruct& I32s(int id, const std::vector<int64_t>& values) { return Numbers(id, 5, values); }
  ThriftStruct& I64s(int id, const std::vector<int64_t>& values) { return Numbers(id, 6, values); }
  ThriftStruct& Binaries(int id, const std::vector<std::string>& values) {
    List(id, 8, values.size());
    for (const std::string& value : values) Append(value);
    return *this;
  }
  // Booleans in a list: `bytes` as they are stored.
  ThriftStruct& Bools(int id, const std::vector<int>& bytes) {
    List(id, 1, bytes.size());
    for (const int byte : bytes) fields_.push_back(static_cast<char>(byte));
    return *this;
  }

  std::string bytes() const { return fields_ + std::string(1, '\0'); }

 private:
  ThriftStruct& Header(int id, int type) {
    if (id > last_id_ && id - last_id_ < 16) {
      fields_.push_back(static_cast<char>((id - last_id_) << 4 | type));
    } else {
      fields_.push_back(static_cast<char>(type));
      AppendZigZag(&fields_, id);
    }
    last_id_ = id;
    return *this;
  }
  ThriftStruct& Append(std::string_view value) {
    AppendVarint(&fields_, value.size());
    fields_ += value;
    return *this;
  }
  ThriftStruct& Number(int id, int type, int64_t value) {
    Header(id, type);
    AppendZigZag(&fields_, value);
    return *this;
  }
  void List(int id, int element, size_t size) {
    Header(id, 9);
    if (size < 15) {
      fields_.push_back(static_cast<char>(size << 4 | element));
    } else {
      fields_.push_back(static_cast<char>(0xf0 | element));
      AppendVarint(&fields_, size);
    }
  }
  ThriftStruct& Numbers(int id, int element, const std::vector<int64_t>& values) {
    List(id, element, values.size());
    for (const int64_t value : values) AppendZigZag(&fields_, value);
    return *this;
  }

  std::string fields_;
  int last_id_ = 0;
};

}  // namespace frazil::parquet
