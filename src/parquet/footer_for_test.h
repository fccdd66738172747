// SPDX-License-Identifier: Apache-2.0
//
// For tests only: footers made field by field, so that they can also be wrong.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/buffer.h>

#include "src/parquet/footer.h"
#include "src/parquet/thrift_for_test.h"

namespace frazil::parquet {

// SchemaElement of a leaf: physical type (parquet.thrift Type), repetition (0 required, 1 optional, 2 repeated).
inline ThriftStruct LeafElement(std::string_view name, int type, int repetition = 1, int type_length = 0) {
  ThriftStruct element;
  element.I32(1, type);
  if (type_length != 0) element.I32(2, type_length);
  return element.I32(3, repetition).Binary(4, name);
}

inline ThriftStruct GroupElement(std::string_view name, int children, int repetition = 1) {
  return ThriftStruct().I32(3, repetition).Binary(4, name).I32(5, children);
}

// A column chunk that can be changed before it is written.
struct ChunkForTest {
  std::vector<std::string> path = {};
  int type = 1;
  int codec = 0;
  int64_t num_values = 10;
  int64_t total_compressed_size = 100;
  int64_t data_page_offset = 4;
  std::optional<int64_t> dictionary_page_offset = std::nullopt;
  std::optional<ThriftStruct> statistics = std::nullopt;
  std::optional<ThriftStruct> size_statistics = std::nullopt;

  ThriftStruct MetaData() const {
    ThriftStruct meta;
    meta.I32(1, type).I32s(2, {0, 3});
    if (!path.empty()) meta.Binaries(3, path);
    meta.I32(4, codec).I64(5, num_values).I64(6, total_compressed_size).I64(7, total_compressed_size);
    meta.I64(9, data_page_offset).I64(10, -1);
    if (dictionary_page_offset) meta.I64(11, *dictionary_page_offset);
    if (statistics) meta.Struct(12, *statistics);
    if (size_statistics) meta.Struct(16, *size_statistics);
    return meta;
  }
  ThriftStruct Thrift() const { return ThriftStruct().I64(2, 0).Struct(3, MetaData()); }
};

struct FooterForTest {
  std::vector<ThriftStruct> schema;  // without the root
  int root_children = 1;
  std::vector<ThriftStruct> row_groups;
  std::optional<std::vector<ThriftStruct>> column_orders;
  std::optional<std::string> created_by;
  std::vector<std::pair<std::string, std::string>> key_values;
  std::string magic = "PAR1";

  static ThriftStruct RowGroup(const std::vector<ThriftStruct>& chunks, int64_t num_rows) {
    return ThriftStruct().Structs(1, chunks).I64(2, 100).I64(3, num_rows);
  }
  // ColumnOrder with the member `member` set: 1 type-defined, 2 IEEE 754 total order.
  static ThriftStruct Order(int member) { return ThriftStruct().Struct(member, ThriftStruct()); }

  std::string Thrift() const {
    std::vector<ThriftStruct> elements{ThriftStruct().Binary(4, "schema").I32(5, root_children)};
    elements.insert(elements.end(), schema.begin(), schema.end());
    ThriftStruct meta;
    meta.I32(1, 2).Structs(2, elements).I64(3, 12345).Structs(4, row_groups);
    std::vector<ThriftStruct> pairs;
    for (const auto& [key, value] : key_values) pairs.push_back(ThriftStruct().Binary(1, key).Binary(2, value));
    if (!pairs.empty()) meta.Structs(5, pairs);
    if (created_by) meta.Binary(6, *created_by);
    if (column_orders) meta.Structs(7, *column_orders);
    return meta.bytes();
  }
  // A whole file: data_bytes of nothing, then the footer.
  std::string File(int64_t data_bytes = 1000) const { return Frame(Thrift(), magic, data_bytes); }
  static std::string Frame(const std::string& thrift, std::string_view magic = "PAR1", int64_t data_bytes = 1000) {
    std::string file = "PAR1" + std::string(data_bytes, 'x') + thrift;
    for (int i = 0; i < 4; ++i) file.push_back(static_cast<char>(thrift.size() >> (8 * i)));
    return file.append(magic);
  }
  arrow::Result<std::shared_ptr<const Footer>> Parse() const { return Parse(File()); }
  static arrow::Result<std::shared_ptr<const Footer>> Parse(const std::string& file) {
    int64_t tail_bytes_needed = 0;
    return Footer::Parse(arrow::Buffer::FromString(file), static_cast<int64_t>(file.size()), {}, &tail_bytes_needed);
  }
};

}  // namespace frazil::parquet
