// SPDX-License-Identifier: Apache-2.0
//
// csv, see writer.h and RFC 4180.
#include <utility>

#include "src/cli/format/cell.h"
#include "src/cli/format/row_writers.h"
#include "src/cli/format/value_text.h"

namespace frazil::cli {

namespace {

class CsvWriter final : public RowWriter {
 public:
  explicit CsvWriter(OutputSink& sink) : sink_(sink) {}

  arrow::Status Begin(const std::shared_ptr<arrow::Schema>& schema) override {
    ARROW_RETURN_NOT_OK(CheckPrintable(*schema));
    schema_ = schema;
    std::string& out = sink_.buffer();
    for (int i = 0; i < schema->num_fields(); ++i) {
      if (i > 0) out += ',';
      AppendCsvField(schema->field(i)->name(), out);
    }
    out += '\n';
    return sink_.FlushIfFull();
  }

  arrow::Status Write(const arrow::RecordBatch& batch) override {
    ARROW_RETURN_NOT_OK(CheckBatch(batch, schema_.get()));
    ARROW_ASSIGN_OR_RAISE(const auto cells, MakeCellAppenders(batch, {CellStyle::kCsv}));
    std::string& out = sink_.buffer();
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      for (size_t i = 0; i < cells.size(); ++i) {
        if (i > 0) out += ',';
        cells[i]->AppendCell(row, out);
      }
      out += '\n';
      ARROW_RETURN_NOT_OK(sink_.FlushIfFull());
    }
    return sink_.Flush();
  }

  arrow::Status Finish(const RowWriterSummary&) override { return sink_.Flush(); }

 private:
  OutputSink& sink_;
  std::shared_ptr<arrow::Schema> schema_;
};

}  // namespace

std::unique_ptr<RowWriter> MakeCsvWriter(OutputSink& sink) { return std::make_unique<CsvWriter>(sink); }

}  // namespace frazil::cli
