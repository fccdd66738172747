// SPDX-License-Identifier: Apache-2.0
//
// json and jsonl: an object a line, with the column names as keys; see writer.h. Two columns of one name give two
// members of one name, which RFC 8259 allows: nothing is dropped or renamed.
#include <utility>

#include "src/cli/format/cell.h"
#include "src/cli/format/json_text.h"
#include "src/cli/format/row_writers.h"

namespace frazil::cli {

namespace {

class JsonWriter final : public RowWriter {
 public:
  JsonWriter(OutputSink& sink, JsonRows rows) : sink_(sink), rows_(rows) {}

  arrow::Status Begin(const std::shared_ptr<arrow::Schema>& schema) override {
    ARROW_RETURN_NOT_OK(CheckPrintable(*schema));
    schema_ = schema;
    for (const auto& field : schema->fields()) {
      std::string& key = keys_.emplace_back(keys_.empty() ? "{" : ",");
      AppendJsonString(field->name(), key);
      key += ':';
    }
    row_end_ = keys_.empty() ? "{}" : "}";
    return arrow::Status::OK();
  }

  arrow::Status Write(const arrow::RecordBatch& batch) override {
    ARROW_RETURN_NOT_OK(CheckBatch(batch, schema_.get()));
    ARROW_ASSIGN_OR_RAISE(const auto cells, MakeCellAppenders(batch, {CellStyle::kJson}));
    std::string& out = sink_.buffer();
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      if (rows_ == JsonRows::kArray) {
        out += any_row_ ? ",\n" : "[\n";
        any_row_ = true;
      }
      for (size_t i = 0; i < cells.size(); ++i) {
        out += keys_[i];
        cells[i]->AppendCell(row, out);
      }
      out += row_end_;
      if (rows_ == JsonRows::kLines) out += '\n';
      ARROW_RETURN_NOT_OK(sink_.FlushIfFull());
    }
    return sink_.Flush();
  }

  arrow::Status Finish(const RowWriterSummary&) override {
    if (rows_ == JsonRows::kArray) sink_.buffer() += any_row_ ? "\n]\n" : "[]\n";
    return sink_.Flush();
  }

 private:
  OutputSink& sink_;
  JsonRows rows_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<std::string> keys_;  // with the brace or comma before and the colon behind
  std::string row_end_;
  bool any_row_ = false;
};

}  // namespace

std::unique_ptr<RowWriter> MakeJsonWriter(OutputSink& sink, JsonRows rows) {
  return std::make_unique<JsonWriter>(sink, rows);
}

}  // namespace frazil::cli
