// SPDX-License-Identifier: Apache-2.0
#include "src/layout/file_writer.h"

#include <algorithm>
#include <map>
#include <utility>

#include <arrow/table.h>
#include <arrow/util/byte_size.h>
#include <parquet/arrow/schema.h>
#include <parquet/exception.h>
#include <parquet/properties.h>
#include <parquet/schema.h>

#include "frazil/error.h"
#include "src/base/text.h"
#include "src/expr/parse.h"

namespace frazil::layout {
namespace {

arrow::Result<arrow::Compression::type> CodecOf(const std::string& name) {
  static const std::map<std::string, arrow::Compression::type> kCodecs{
      {"uncompressed", arrow::Compression::UNCOMPRESSED},
      {"snappy", arrow::Compression::SNAPPY},
      {"gzip", arrow::Compression::GZIP},
      {"brotli", arrow::Compression::BROTLI},
      {"lz4", arrow::Compression::LZ4},
      {"zstd", arrow::Compression::ZSTD}};
  const auto found = kCodecs.find(name);
  if (found != kCodecs.end()) return found->second;
  return MakeError(ErrorKind::kUsage, "unknown codec " + Printable(name, 80));
}

// The leaf with that path; the names of lists' own groups are part of it.
arrow::Result<int> FindLeaf(const ::parquet::SchemaDescriptor& schema, const std::string& path_text) {
  ARROW_ASSIGN_OR_RAISE(const auto path, expr::ParseColumnPath(path_text));
  std::vector<std::string> names;
  for (int leaf = 0; leaf < schema.num_columns(); ++leaf) {
    if (schema.Column(leaf)->path()->ToDotVector() == path.parts) return leaf;
    names.push_back(schema.Column(leaf)->path()->ToDotString());
  }
  std::string text = "bloom filter: there is no column " + Printable(path_text, 80);
  const auto near = NearMatches(path_text, names, 1);
  if (!near.empty()) text += "; did you mean " + names[near[0]] + "?";
  return MakeError(ErrorKind::kUsage, text);
}

arrow::Status AddBloomFilters(const ::parquet::SchemaDescriptor& schema, const WriteOptions& options,
                              ::parquet::WriterProperties::Builder* builder) {
  if (!(options.bloom_fpp > 0 && options.bloom_fpp < 1)) {
    return MakeError(ErrorKind::kUsage, "the false-positive probability of a bloom filter lies between 0 and 1");
  }
  for (const std::string& column : options.bloom_columns) {
    ARROW_ASSIGN_OR_RAISE(const int leaf, FindLeaf(schema, column));
    if (schema.Column(leaf)->physical_type() == ::parquet::Type::BOOLEAN) {
      return MakeError(ErrorKind::kUsage, "a boolean column can not have a bloom filter", {.column = column});
    }
    ::parquet::BloomFilterOptions filter;
    filter.fpp = options.bloom_fpp;
    filter.fold = true;  // to the values that are there
    builder->enable_bloom_filter(schema.Column(leaf)->path(), filter);
  }
  return arrow::Status::OK();
}

// Those before the first that the file has no leaf for.
std::vector<::parquet::SortingColumn> SortingColumns(const ::parquet::SchemaDescriptor& schema,
                                                     const std::vector<SortColumn>& sorted_by) {
  std::vector<::parquet::SortingColumn> columns;
  for (const SortColumn& column : sorted_by) {
    const auto leaf = FindLeaf(schema, column.column);
    if (!leaf.ok()) break;
    columns.push_back({*leaf, column.descending, column.nulls_first});
  }
  return columns;
}

arrow::Result<std::shared_ptr<::parquet::WriterProperties>> PropertiesOf(const arrow::Schema& schema,
                                                                         const WriteOptions& options,
                                                                         const std::vector<SortColumn>& sorted_by) {
  ::parquet::WriterProperties::Builder builder;
  ARROW_ASSIGN_OR_RAISE(const auto codec, CodecOf(options.codec));
  builder.compression(codec);
  if (options.codec_level != 0) builder.compression_level(options.codec_level);
  builder.data_pagesize(options.page_bytes);
  builder.max_rows_per_page(options.page_rows);
  builder.max_row_group_length(std::numeric_limits<int64_t>::max());  // cut here, by bytes too
  builder.data_page_version(options.page_version == 2 ? ::parquet::ParquetDataPageVersion::V2
                                                      : ::parquet::ParquetDataPageVersion::V1);
  if (options.dictionary_bytes == 0) {
    builder.disable_dictionary();
  } else {
    builder.dictionary_pagesize_limit(options.dictionary_bytes);
  }
  builder.max_statistics_size(FileWriter::kBoundBytesMax);
  builder.enable_write_page_index();
  if (options.checksums) builder.enable_page_checksum();
  std::shared_ptr<::parquet::SchemaDescriptor> descriptor;
  ARROW_RETURN_NOT_OK(::parquet::arrow::ToParquetSchema(&schema, *builder.build(), &descriptor));
  ARROW_RETURN_NOT_OK(AddBloomFilters(*descriptor, options, &builder));
  builder.set_sorting_columns(SortingColumns(*descriptor, sorted_by));
  return builder.build();
}

}  // namespace

arrow::Result<std::unique_ptr<FileWriter>> FileWriter::Open(std::shared_ptr<arrow::Schema> schema,
                                                            std::shared_ptr<arrow::io::OutputStream> sink,
                                                            const WriteOptions& options,
                                                            const std::vector<SortColumn>& sorted_by) {
  std::unique_ptr<FileWriter> writer(new FileWriter);
  writer->options_ = options;
  writer->schema_ = schema;
  try {
    ARROW_ASSIGN_OR_RAISE(const auto properties, PropertiesOf(*schema, options, sorted_by));
    const auto arrow_properties = ::parquet::ArrowWriterProperties::Builder().store_schema()->build();
    ARROW_ASSIGN_OR_RAISE(writer->writer_,
                          ::parquet::arrow::FileWriter::Open(*schema, arrow::default_memory_pool(), std::move(sink),
                                                             properties, arrow_properties));
  } catch (const ::parquet::ParquetException& e) {
    return MakeError(ErrorKind::kUsage, e.what());
  }
  return writer;
}

arrow::Status FileWriter::Write(std::shared_ptr<arrow::RecordBatch> batch) {
  while (batch->num_rows() > 0) {
    ARROW_ASSIGN_OR_RAISE(const int64_t bytes, arrow::util::ReferencedBufferSize(*batch));
    const int64_t row_bytes = std::max<int64_t>(1, bytes / batch->num_rows());
    int64_t rows = std::max<int64_t>(1, (options_.row_group_bytes - pending_bytes_) / row_bytes);
    if (options_.row_group_rows > 0) rows = std::min(rows, options_.row_group_rows - pending_rows_);
    rows = std::min(rows, batch->num_rows());
    pending_.push_back(batch->Slice(0, rows));
    pending_rows_ += rows;
    pending_bytes_ += rows * row_bytes;
    batch = batch->Slice(rows);
    if (pending_bytes_ >= options_.row_group_bytes || pending_rows_ == options_.row_group_rows) {
      ARROW_RETURN_NOT_OK(WriteRowGroup());
    } else if (batch->num_rows() > 0) {
      // The next row is too many bytes for what is left.
      ARROW_RETURN_NOT_OK(WriteRowGroup());
    }
  }
  return arrow::Status::OK();
}

arrow::Status FileWriter::WriteRowGroup() {
  ARROW_ASSIGN_OR_RAISE(const auto table, arrow::Table::FromRecordBatches(schema_, std::exchange(pending_, {})));
  ARROW_RETURN_NOT_OK(writer_->WriteTable(*table, std::max<int64_t>(1, pending_rows_)));
  row_count_ += pending_rows_;
  ++row_group_count_;
  pending_rows_ = 0;
  pending_bytes_ = 0;
  return arrow::Status::OK();
}

arrow::Status FileWriter::Close() {
  if (pending_rows_ > 0) ARROW_RETURN_NOT_OK(WriteRowGroup());
  return writer_->Close();
}

}  // namespace frazil::layout
