// SPDX-License-Identifier: Apache-2.0
#include "src/parquet/page_header.h"

#include <string>

#include "frazil/error.h"
#include "src/parquet/thrift.h"

namespace frazil::parquet {
namespace {

using Type = CompactReader::Type;

// Which fields of a struct are there, by id.
class FieldSet {
 public:
  void Add(int id) { bits_ |= id >= 0 && id < 32 ? uint32_t{1} << id : 0; }
  // All of first .. last.
  bool HasAll(int first, int last) const {
    const uint32_t wanted = (uint32_t{2} << last) - (uint32_t{1} << first);
    return (bits_ & wanted) == wanted;
  }

 private:
  uint32_t bits_ = 0;
};

// Each reads one struct, and returns whether the fields that the format requires are there: a page of zeros, say, is
// no header with every number 0.
bool ReadDataV1(CompactReader& reader, PageHeader* header) {
  header->kind = PageHeader::Kind::kDataV1;
  FieldSet fields;
  for (CompactReader::Fields field(reader); field.Next();) {
    fields.Add(field.id());
    switch (field.id()) {
      case 1:
        header->num_values = reader.I32(field.type());
        break;
      case 2:
        header->encoding = reader.I32(field.type());
        break;
      case 3:
        header->definition_level_encoding = reader.I32(field.type());
        break;
      case 4:
        header->repetition_level_encoding = reader.I32(field.type());
        break;
      default:
        reader.Skip(field.type());
    }
  }
  return fields.HasAll(1, 4);
}

bool ReadDictionary(CompactReader& reader, PageHeader* header) {
  header->kind = PageHeader::Kind::kDictionary;
  FieldSet fields;
  for (CompactReader::Fields field(reader); field.Next();) {
    fields.Add(field.id());
    switch (field.id()) {
      case 1:
        header->num_values = reader.I32(field.type());
        break;
      case 2:
        header->encoding = reader.I32(field.type());
        break;
      case 3:
        header->is_sorted = reader.Bool(field.type());
        break;
      default:
        reader.Skip(field.type());
    }
  }
  return fields.HasAll(1, 2);
}

bool ReadDataV2(CompactReader& reader, PageHeader* header) {
  header->kind = PageHeader::Kind::kDataV2;
  FieldSet fields;
  for (CompactReader::Fields field(reader); field.Next();) {
    fields.Add(field.id());
    switch (field.id()) {
      case 1:
        header->num_values = reader.I32(field.type());
        break;
      case 2:
        header->num_nulls = reader.I32(field.type());
        break;
      case 3:
        header->num_rows = reader.I32(field.type());
        break;
      case 4:
        header->encoding = reader.I32(field.type());
        break;
      case 5:
        header->definition_levels_byte_length = reader.I32(field.type());
        break;
      case 6:
        header->repetition_levels_byte_length = reader.I32(field.type());
        break;
      case 7:
        header->is_compressed = reader.Bool(field.type());
        break;
      default:
        reader.Skip(field.type());
    }
  }
  return fields.HasAll(1, 6);
}

arrow::Status CheckNumbers(const PageHeader& h, int page_type) {
  auto corrupt = [](const std::string& what, int64_t value) {
    return MakeError(ErrorKind::kCorrupt, "page header: " + what + " is " + std::to_string(value));
  };
  if (h.uncompressed_page_size < 0) return corrupt("uncompressed_page_size", h.uncompressed_page_size);
  if (h.compressed_page_size < 0) return corrupt("compressed_page_size", h.compressed_page_size);
  if (h.num_values < 0) return corrupt("num_values", h.num_values);
  // Arrow's decoders take an enumeration: a number outside it must not reach them.
  for (int encoding : {h.encoding, h.definition_level_encoding, h.repetition_level_encoding}) {
    if (encoding >= 0 && encoding <= 9 && encoding != 1) continue;
    return MakeError(ErrorKind::kUnsupported, "page header: encoding " + std::to_string(encoding) + " is not known");
  }
  // The type field and the header that is present must agree: 0 data V1, 1 index, 2 dictionary, 3 data V2.
  constexpr PageHeader::Kind kKinds[] = {PageHeader::Kind::kDataV1, PageHeader::Kind::kOther,
                                         PageHeader::Kind::kDictionary, PageHeader::Kind::kDataV2};
  if (page_type >= 0 && page_type <= 3 && kKinds[page_type] != h.kind) return corrupt("page type", page_type);
  if (h.kind == PageHeader::Kind::kDataV2) {
    if (h.num_nulls < 0 || h.num_nulls > h.num_values) return corrupt("num_nulls", h.num_nulls);
    if (h.num_rows < 0 || h.num_rows > h.num_values) return corrupt("num_rows", h.num_rows);
    const int64_t levels = int64_t{h.definition_levels_byte_length} + h.repetition_levels_byte_length;
    if (h.definition_levels_byte_length < 0 || h.repetition_levels_byte_length < 0 || levels > h.compressed_page_size ||
        levels > h.uncompressed_page_size) {
      return corrupt("length of levels", levels);
    }
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<std::optional<PageHeader>> ParsePageHeader(std::string_view bytes) {
  PageHeader header;
  CompactReader reader(bytes);
  int page_type = -1;
  bool complete = true;
  {
    FieldSet fields;
    for (CompactReader::Fields field(reader); field.Next();) {
      fields.Add(field.id());
      switch (field.id()) {
        case 1:
          page_type = reader.I32(field.type());
          break;
        case 2:
          header.uncompressed_page_size = reader.I32(field.type());
          break;
        case 3:
          header.compressed_page_size = reader.I32(field.type());
          break;
        case 4:
          header.crc = static_cast<uint32_t>(reader.I32(field.type()));
          break;
        case 5:
        case 7:
        case 8:
          if (field.type() != Type::kStruct) {
            reader.Fail();
          } else if (field.id() == 5) {
            complete &= ReadDataV1(reader, &header);
          } else if (field.id() == 7) {
            complete &= ReadDictionary(reader, &header);
          } else {
            complete &= ReadDataV2(reader, &header);
          }
          break;
        default:
          reader.Skip(field.type());
      }
    }
    complete &= fields.HasAll(1, 3);
  }
  if (!reader.ok()) return std::nullopt;
  if (!complete) return MakeError(ErrorKind::kCorrupt, "page header: a required field is missing");
  header.header_bytes = static_cast<int32_t>(reader.position());
  ARROW_RETURN_NOT_OK(CheckNumbers(header, page_type));
  return header;
}

}  // namespace frazil::parquet
