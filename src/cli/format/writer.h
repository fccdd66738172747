// SPDX-License-Identifier: Apache-2.0
//
// RowWriter: rows out of a scan onto stdout, in one of five formats.
//
//   table  for people: aligned, the first rows only, long values cut; the last line says how many rows there are
//   json   one array of objects, an object a line
//   jsonl  one object a line
//   csv    a header line, then RFC 4180 with \n line ends; null is an empty field, an empty text is ""
//   arrow  Arrow IPC stream
//
//   ARROW_ASSIGN_OR_RAISE(Format format, ParseFormat("csv"));
//   OutputSink sink(STDOUT_FILENO);
//   ARROW_ASSIGN_OR_RAISE(auto writer, MakeRowWriter(format, sink));
//   ARROW_RETURN_NOT_OK(writer->Begin(schema));
//   for each batch: ARROW_RETURN_NOT_OK(writer->Write(*batch));
//   ARROW_RETURN_NOT_OK(writer->Finish({.rows_total = 2345}));
//
// Values are never rounded (value_text.h says how each type looks). csv, json and jsonl are complete after an error
// up to the rows already written. Text that is not UTF-8 keeps its bytes in csv and gets U+FFFD in JSON and tables.
// In a csv of one column a null row is an empty line: the format has no other form for it.
//
// Errors: unsupported at Begin for a type without text (unions), before anything is written; those of OutputSink.
// Cost: text needs one virtual call a cell; memory is the sink's buffer, plus the shown rows of a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <arrow/type.h>

#include "src/cli/format/sink.h"

namespace frazil::cli {

enum class Format { kTable, kJson, kJsonl, kCsv, kArrow };

// "table", "json", "jsonl", "csv", "arrow"; anything else is an error of kind usage that lists them.
arrow::Result<Format> ParseFormat(std::string_view name);
const char* FormatName(Format format);

struct RowWriterOptions {
  // Of tables only:
  int64_t table_rows_max = 20;   // rows shown
  size_t cell_columns_max = 60;  // terminal columns of a value; >= 1
  bool colour = false;           // nulls and types dimmed by ANSI escapes
};

struct RowWriterSummary {
  // Rows of the whole answer, when more are known of than were written.
  std::optional<int64_t> rows_total;
};

// Calls come in this order: Begin once, Write any number of times, Finish once (or never, after an error).
class RowWriter {
 public:
  virtual ~RowWriter() = default;

  virtual arrow::Status Begin(const std::shared_ptr<arrow::Schema>& schema) = 0;
  // Everything but a table is handed to the sink's descriptor before this returns, so that a reader sees rows as
  // they are found, and a reader that went away is noticed at once.
  virtual arrow::Status Write(const arrow::RecordBatch& batch) = 0;
  // Writes what is left and flushes the sink.
  virtual arrow::Status Finish(const RowWriterSummary& summary = {}) = 0;
};

// `sink` must outlive the writer.
arrow::Result<std::unique_ptr<RowWriter>> MakeRowWriter(Format format, OutputSink& sink,
                                                        const RowWriterOptions& options = {});

}  // namespace frazil::cli
