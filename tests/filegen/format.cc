// SPDX-License-Identifier: Apache-2.0
#include "tests/filegen/format.h"

#include "tests/filegen/thrift_writer.h"

namespace frazil::filegen {

namespace {

void WriteStatistics(int16_t id, const Statistics& statistics, ThriftWriter* w) {
  w->Field(id, ThriftType::kStruct);
  w->BeginStruct();
  if (statistics.max) w->Binary(1, *statistics.max);
  if (statistics.min) w->Binary(2, *statistics.min);
  if (statistics.null_count) w->I64(3, *statistics.null_count);
  if (statistics.distinct_count) w->I64(4, *statistics.distinct_count);
  if (statistics.max_value) w->Binary(5, *statistics.max_value);
  if (statistics.min_value) w->Binary(6, *statistics.min_value);
  if (statistics.is_max_value_exact) w->Bool(7, *statistics.is_max_value_exact);
  if (statistics.is_min_value_exact) w->Bool(8, *statistics.is_min_value_exact);
  if (statistics.nan_count) w->I64(9, *statistics.nan_count);
  w->EndStruct();
}

void WriteKeyValues(int16_t id, const KeyValues& pairs, ThriftWriter* w) {
  if (pairs.empty()) return;
  w->List(id, ThriftType::kStruct, pairs.size());
  for (const auto& [key, value] : pairs) {
    w->BeginStruct();
    w->Binary(1, key);
    w->Binary(2, value);
    w->EndStruct();
  }
}

// The converted type of an annotation, -1 when there is none.
int ConvertedType(const Annotation& annotation) {
  using Kind = Annotation::Kind;
  switch (annotation.kind) {
    case Kind::kString:
      return 0;
    case Kind::kMap:
      return 1;
    case Kind::kMapKeyValue:
      return 2;
    case Kind::kList:
      return 3;
    case Kind::kEnum:
      return 4;
    case Kind::kDecimal:
      return 5;
    case Kind::kDate:
      return 6;
    case Kind::kTime:
      return annotation.unit == TimeUnit::kNano ? -1 : annotation.unit == TimeUnit::kMilli ? 7 : 8;
    case Kind::kTimestamp:
      return annotation.unit == TimeUnit::kNano ? -1 : annotation.unit == TimeUnit::kMilli ? 9 : 10;
    case Kind::kInt: {
      int log2 = annotation.bit_width == 8 ? 0 : annotation.bit_width == 16 ? 1 : annotation.bit_width == 32 ? 2 : 3;
      return (annotation.is_signed ? 15 : 11) + log2;
    }
    case Kind::kJson:
      return 19;
    case Kind::kBson:
      return 20;
    case Kind::kInterval:
      return 21;
    default:
      return -1;
  }
}

// The member of the LogicalType union, 0 when there is none.
int16_t LogicalMember(Annotation::Kind kind) {
  using Kind = Annotation::Kind;
  switch (kind) {
    case Kind::kString:
      return 1;
    case Kind::kMap:
      return 2;
    case Kind::kList:
      return 3;
    case Kind::kEnum:
      return 4;
    case Kind::kDecimal:
      return 5;
    case Kind::kDate:
      return 6;
    case Kind::kTime:
      return 7;
    case Kind::kTimestamp:
      return 8;
    case Kind::kInt:
      return 10;
    case Kind::kNull:
      return 11;
    case Kind::kJson:
      return 12;
    case Kind::kBson:
      return 13;
    case Kind::kUuid:
      return 14;
    case Kind::kFloat16:
      return 15;
    default:
      return 0;
  }
}

void WriteLogicalType(const Annotation& annotation, ThriftWriter* w) {
  w->Field(10, ThriftType::kStruct);
  w->BeginStruct();
  w->Field(LogicalMember(annotation.kind), ThriftType::kStruct);
  w->BeginStruct();
  if (annotation.kind == Annotation::Kind::kDecimal) {
    w->I32(1, annotation.scale);
    w->I32(2, annotation.precision);
  } else if (annotation.kind == Annotation::Kind::kTime || annotation.kind == Annotation::Kind::kTimestamp) {
    w->Bool(1, annotation.utc);
    w->EmptyUnion(2, static_cast<int16_t>(annotation.unit));
  } else if (annotation.kind == Annotation::Kind::kInt) {
    w->Byte(1, static_cast<int8_t>(annotation.bit_width));
    w->Bool(2, annotation.is_signed);
  }
  w->EndStruct();
  w->EndStruct();
}

void WriteSchemaElement(const Node& node, ThriftWriter* w) {
  const Annotation& annotation = node.annotation;
  int converted = ConvertedType(annotation);
  bool has_logical = LogicalMember(annotation.kind) != 0;
  bool write_logical = has_logical && (annotation.form != Annotation::Form::kConvertedOnly || converted < 0);
  bool write_converted = converted >= 0 && (annotation.form != Annotation::Form::kLogicalOnly || !has_logical);
  w->BeginStruct();
  if (node.is_leaf()) w->I32(1, *node.physical);
  if (node.type_length != 0) w->I32(2, node.type_length);
  w->I32(3, node.repetition);
  w->Binary(4, node.name);
  if (!node.is_leaf()) w->I32(5, static_cast<int32_t>(node.children.size()));
  if (write_converted) w->I32(6, converted);
  if (annotation.kind == Annotation::Kind::kDecimal) {
    w->I32(7, annotation.scale);
    w->I32(8, annotation.precision);
  }
  if (node.field_id) w->I32(9, *node.field_id);
  if (write_logical) WriteLogicalType(annotation, w);
  w->EndStruct();
  for (const Node& child : node.children) WriteSchemaElement(child, w);
}

size_t ElementCount(const std::vector<Node>& nodes) {
  size_t count = nodes.size();
  for (const Node& node : nodes) count += ElementCount(node.children);
  return count;
}

void WriteSchema(const std::vector<Node>& schema, ThriftWriter* w) {
  w->List(2, ThriftType::kStruct, ElementCount(schema) + 1);
  w->BeginStruct();
  w->Binary(4, "schema");
  w->I32(5, static_cast<int32_t>(schema.size()));
  w->EndStruct();
  for (const Node& node : schema) WriteSchemaElement(node, w);
}

void WriteSizeStatistics(const SizeStatistics& sizes, ThriftWriter* w) {
  w->Field(16, ThriftType::kStruct);
  w->BeginStruct();
  if (sizes.unencoded_byte_array_data_bytes) w->I64(1, *sizes.unencoded_byte_array_data_bytes);
  if (sizes.repetition_level_histogram) w->I64List(2, *sizes.repetition_level_histogram);
  if (sizes.definition_level_histogram) w->I64List(3, *sizes.definition_level_histogram);
  w->EndStruct();
}

void WriteColumnMetaData(const ColumnChunkMetadata& chunk, ThriftWriter* w) {
  w->Field(3, ThriftType::kStruct);
  w->BeginStruct();
  w->I32(1, chunk.type);
  w->List(2, ThriftType::kI32, chunk.encodings.size());
  for (int encoding : chunk.encodings) w->IntElement(encoding);
  w->BinaryList(3, chunk.path_in_schema);
  w->I32(4, chunk.codec);
  w->I64(5, chunk.num_values);
  w->I64(6, chunk.total_uncompressed_size);
  w->I64(7, chunk.total_compressed_size);
  WriteKeyValues(8, chunk.key_value_metadata, w);
  w->I64(9, chunk.data_page_offset);
  if (chunk.index_page_offset) w->I64(10, *chunk.index_page_offset);
  if (chunk.dictionary_page_offset) w->I64(11, *chunk.dictionary_page_offset);
  if (chunk.statistics) WriteStatistics(12, *chunk.statistics, w);
  if (!chunk.encoding_stats.empty()) {
    w->List(13, ThriftType::kStruct, chunk.encoding_stats.size());
    for (const PageEncodingStats& stats : chunk.encoding_stats) {
      w->BeginStruct();
      w->I32(1, stats.page_type);
      w->I32(2, stats.encoding);
      w->I32(3, stats.count);
      w->EndStruct();
    }
  }
  if (chunk.bloom_filter_offset) w->I64(14, *chunk.bloom_filter_offset);
  if (chunk.bloom_filter_length) w->I32(15, *chunk.bloom_filter_length);
  if (chunk.size_statistics) WriteSizeStatistics(*chunk.size_statistics, w);
  w->EndStruct();
}

void WriteColumnChunk(const ColumnChunkMetadata& chunk, ThriftWriter* w) {
  w->BeginStruct();
  if (chunk.file_path) w->Binary(1, *chunk.file_path);
  w->I64(2, chunk.file_offset);
  if (chunk.has_meta_data) WriteColumnMetaData(chunk, w);
  if (chunk.offset_index_offset) w->I64(4, *chunk.offset_index_offset);
  if (chunk.offset_index_length) w->I32(5, *chunk.offset_index_length);
  if (chunk.column_index_offset) w->I64(6, *chunk.column_index_offset);
  if (chunk.column_index_length) w->I32(7, *chunk.column_index_length);
  w->EndStruct();
}

void WriteRowGroup(const RowGroupMetadata& group, ThriftWriter* w) {
  w->BeginStruct();
  w->List(1, ThriftType::kStruct, group.columns.size());
  for (const ColumnChunkMetadata& chunk : group.columns) WriteColumnChunk(chunk, w);
  w->I64(2, group.total_byte_size);
  w->I64(3, group.num_rows);
  if (!group.sorting_columns.empty()) {
    w->List(4, ThriftType::kStruct, group.sorting_columns.size());
    for (const SortingColumn& sorting : group.sorting_columns) {
      w->BeginStruct();
      w->I32(1, sorting.column_idx);
      w->Bool(2, sorting.descending);
      w->Bool(3, sorting.nulls_first);
      w->EndStruct();
    }
  }
  if (group.file_offset) w->I64(5, *group.file_offset);
  if (group.total_compressed_size) w->I64(6, *group.total_compressed_size);
  if (group.ordinal) w->I16(7, *group.ordinal);
  w->EndStruct();
}

}  // namespace

std::string Serialize(const PageHeader& header) {
  ThriftWriter w;
  w.BeginStruct();
  w.I32(1, header.type);
  w.I32(2, header.uncompressed_page_size);
  w.I32(3, header.compressed_page_size);
  if (header.crc) w.I32(4, static_cast<int32_t>(*header.crc));
  // The member of each page type is its number plus 5.
  w.Field(static_cast<int16_t>(5 + header.type), ThriftType::kStruct);
  w.BeginStruct();
  if (header.type == kDataPage) {
    w.I32(1, header.num_values);
    w.I32(2, header.encoding);
    w.I32(3, header.definition_level_encoding);
    w.I32(4, header.repetition_level_encoding);
    if (header.statistics) WriteStatistics(5, *header.statistics, &w);
  } else if (header.type == kDictionaryPage) {
    w.I32(1, header.num_values);
    w.I32(2, header.encoding);
    if (header.is_sorted) w.Bool(3, *header.is_sorted);
  } else if (header.type == kDataPageV2) {
    w.I32(1, header.num_values);
    w.I32(2, header.num_nulls);
    w.I32(3, header.num_rows);
    w.I32(4, header.encoding);
    w.I32(5, header.definition_levels_byte_length);
    w.I32(6, header.repetition_levels_byte_length);
    if (header.is_compressed) w.Bool(7, *header.is_compressed);
    if (header.statistics) WriteStatistics(8, *header.statistics, &w);
  }
  w.EndStruct();
  w.EndStruct();
  return w.Take();
}

std::string Serialize(const OffsetIndexSpec& index) {
  ThriftWriter w;
  w.BeginStruct();
  w.List(1, ThriftType::kStruct, index.page_locations.size());
  for (const PageLocation& page : index.page_locations) {
    w.BeginStruct();
    w.I64(1, page.offset);
    w.I32(2, page.compressed_page_size);
    w.I64(3, page.first_row_index);
    w.EndStruct();
  }
  if (index.unencoded_byte_array_data_bytes) w.I64List(2, *index.unencoded_byte_array_data_bytes);
  w.EndStruct();
  return w.Take();
}

std::string Serialize(const ColumnIndexSpec& index) {
  ThriftWriter w;
  w.BeginStruct();
  w.List(1, ThriftType::kTrue, index.null_pages.size());
  for (bool null_page : index.null_pages) w.BoolElement(null_page);
  w.BinaryList(2, index.min_values);
  w.BinaryList(3, index.max_values);
  w.I32(4, index.boundary_order);
  if (index.null_counts) w.I64List(5, *index.null_counts);
  if (index.repetition_level_histograms) w.I64List(6, *index.repetition_level_histograms);
  if (index.definition_level_histograms) w.I64List(7, *index.definition_level_histograms);
  if (index.nan_counts) w.I64List(8, *index.nan_counts);
  w.EndStruct();
  return w.Take();
}

std::string Serialize(const FileMetadata& file) {
  ThriftWriter w;
  w.BeginStruct();
  w.I32(1, file.version);
  WriteSchema(file.schema, &w);
  w.I64(3, file.num_rows);
  w.List(4, ThriftType::kStruct, file.row_groups.size());
  for (const RowGroupMetadata& group : file.row_groups) WriteRowGroup(group, &w);
  WriteKeyValues(5, file.key_value_metadata, &w);
  if (file.created_by) w.Binary(6, *file.created_by);
  if (!file.column_orders.empty()) {
    w.List(7, ThriftType::kStruct, file.column_orders.size());
    for (int member : file.column_orders) {
      w.BeginStruct();
      w.EmptyStruct(static_cast<int16_t>(member));
      w.EndStruct();
    }
  }
  w.EndStruct();
  return w.Take();
}

}  // namespace frazil::filegen
