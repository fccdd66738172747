// SPDX-License-Identifier: Apache-2.0
#include "src/cli/format/writer.h"

#include <string>

#include <arrow/array/data.h>

#include "frazil/error.h"
#include "src/cli/format/row_writers.h"

namespace frazil::cli {

namespace {

constexpr Format kFormats[] = {Format::kTable, Format::kJson, Format::kJsonl, Format::kCsv, Format::kArrow};

}  // namespace

const char* FormatName(Format format) {
  switch (format) {
    case Format::kTable:
      return "table";
    case Format::kJson:
      return "json";
    case Format::kJsonl:
      return "jsonl";
    case Format::kCsv:
      return "csv";
    case Format::kArrow:
      return "arrow";
  }
  return "";
}

arrow::Result<Format> ParseFormat(std::string_view name) {
  std::string known;
  for (const Format format : kFormats) {
    if (name == FormatName(format)) return format;
    known += known.empty() ? "" : ", ";
    known += FormatName(format);
  }
  return MakeError(ErrorKind::kUsage, "unknown format '" + std::string(name) + "'; the formats are " + known);
}

arrow::Status CheckBatch(const arrow::RecordBatch& batch, const arrow::Schema* schema) {
  if (schema == nullptr) return MakeError(ErrorKind::kInternal, "rows were written before the schema");
  bool same = batch.num_columns() == schema->num_fields();
  for (int i = 0; same && i < batch.num_columns(); ++i) {
    same = batch.column_data(i)->type->Equals(*schema->field(i)->type());
  }
  if (same) return arrow::Status::OK();
  return MakeError(ErrorKind::kInternal, "a batch with the columns (" + batch.schema()->ToString() + ") came where (" +
                                             schema->ToString() + ") was announced");
}

arrow::Result<std::unique_ptr<RowWriter>> MakeRowWriter(Format format, OutputSink& sink,
                                                        const RowWriterOptions& options) {
  if (options.table_rows_max < 0 || options.cell_columns_max < 1) {
    return MakeError(ErrorKind::kUsage, "a table needs at least 0 rows and cells of at least 1 column");
  }
  switch (format) {
    case Format::kTable:
      return MakeTableWriter(sink, options);
    case Format::kJson:
      return MakeJsonWriter(sink, JsonRows::kArray);
    case Format::kJsonl:
      return MakeJsonWriter(sink, JsonRows::kLines);
    case Format::kCsv:
      return MakeCsvWriter(sink);
    case Format::kArrow:
      return MakeArrowWriter(sink);
  }
  return MakeError(ErrorKind::kInternal, "a format without a writer");
}

}  // namespace frazil::cli
