// SPDX-License-Identifier: Apache-2.0
//
// table: aligned text for people. Names, types, a rule, the first rows, and a last line that tells how many rows
// there are; nothing is drawn before Finish, because the widths depend on every shown row.
#include <algorithm>
#include <utility>
#include <vector>

#include <arrow/extension_type.h>

#include "src/base/human_text.h"
#include "src/cli/format/cell.h"
#include "src/cli/format/display_text.h"
#include "src/cli/format/row_writers.h"

namespace frazil::cli {

namespace {

constexpr std::string_view kDim = "\x1b[2m";
constexpr std::string_view kPlain = "\x1b[0m";

struct ShownCell {
  std::string text;
  bool is_null = false;
};

// The type whose values are shown: what a dictionary or run ends stand for.
const arrow::DataType& ShownType(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::DICTIONARY:
      return ShownType(*static_cast<const arrow::DictionaryType&>(type).value_type());
    case arrow::Type::RUN_END_ENCODED:
      return ShownType(*type.field(1)->type());
    default:
      return type;
  }
}

std::string TypeName(const arrow::DataType& type) {
  if (type.id() != arrow::Type::EXTENSION) return type.ToString();
  std::string name = static_cast<const arrow::ExtensionType&>(type).extension_name();
  constexpr std::string_view kArrowPrefix = "arrow.";
  if (name.starts_with(kArrowPrefix)) name.erase(0, kArrowPrefix.size());
  return name;
}

std::string RowCountLine(int64_t shown, int64_t total) {
  if (shown < total) return HumanCount(shown) + " of " + HumanCount(total) + " rows shown\n";
  return Counted(total, "row") + "\n";
}

class TableWriter final : public RowWriter {
 public:
  TableWriter(OutputSink& sink, const RowWriterOptions& options) : sink_(sink), options_(options) {}

  arrow::Status Begin(const std::shared_ptr<arrow::Schema>& schema) override {
    ARROW_RETURN_NOT_OK(CheckPrintable(*schema));
    schema_ = schema;
    for (const auto& field : schema->fields()) {
      const arrow::DataType& type = ShownType(*field->type());
      names_.push_back(FitForDisplay(field->name(), options_.cell_columns_max));
      types_.push_back(FitForDisplay(TypeName(type), options_.cell_columns_max));
      const bool is_number = arrow::is_numeric(type.id()) || arrow::is_decimal(type.id());
      aligns_.push_back(is_number ? Align::kRight : Align::kLeft);
      widths_.push_back(std::max(DisplayColumns(names_.back()), DisplayColumns(types_.back())));
    }
    return arrow::Status::OK();
  }

  arrow::Status Write(const arrow::RecordBatch& batch) override {
    ARROW_RETURN_NOT_OK(CheckBatch(batch, schema_.get()));
    const int64_t take = std::min(batch.num_rows(), options_.table_rows_max - shown_rows_);
    row_count_ += batch.num_rows();
    if (take <= 0) return arrow::Status::OK();
    // A character has at most 4 bytes, and some take no column: enough text to fill the cell, and no more.
    const size_t bytes_max =
        options_.cell_columns_max > (size_t{1} << 40) ? kColumnsUnlimited : 4096 + 4 * options_.cell_columns_max;
    ARROW_ASSIGN_OR_RAISE(const auto cells, MakeCellAppenders(batch, {CellStyle::kText, bytes_max}));
    std::string text;
    for (int64_t row = 0; row < take; ++row) {
      for (size_t i = 0; i < cells.size(); ++i) {
        text.clear();
        cells[i]->AppendCell(row, text);
        ShownCell& cell =
            shown_.emplace_back(ShownCell{FitForDisplay(text, options_.cell_columns_max), cells[i]->IsNull(row)});
        widths_[i] = std::max(widths_[i], DisplayColumns(cell.text));
      }
    }
    shown_rows_ += take;
    return arrow::Status::OK();
  }

  arrow::Status Finish(const RowWriterSummary& summary) override {
    std::string& out = sink_.buffer();
    if (!names_.empty()) {
      AppendHeader(out);
      AppendRows(out);
      out += '\n';
    }
    out += RowCountLine(shown_rows_, std::max(row_count_, summary.rows_total.value_or(0)));
    return sink_.Flush();
  }

 private:
  LineCell Dimmed(std::string_view text) const {
    return options_.colour ? LineCell{text, kDim, kPlain} : LineCell{text};
  }

  void AppendHeader(std::string& out) const {
    std::vector<LineCell> names;
    std::vector<LineCell> types;
    std::vector<std::string> dashes;
    for (size_t i = 0; i < names_.size(); ++i) {
      names.push_back({names_[i]});
      types.push_back(Dimmed(types_[i]));
      dashes.emplace_back(widths_[i], '-');
    }
    AppendLine(names, widths_, aligns_, out);
    AppendLine(types, widths_, aligns_, out);
    std::vector<LineCell> rules;
    for (const std::string& rule : dashes) rules.push_back(Dimmed(rule));
    AppendLine(rules, widths_, aligns_, out);
  }

  void AppendRows(std::string& out) const {
    std::vector<LineCell> line;
    for (const ShownCell& cell : shown_) {
      line.push_back(cell.is_null ? Dimmed(cell.text) : LineCell{cell.text});
      if (line.size() < names_.size()) continue;
      AppendLine(line, widths_, aligns_, out);
      line.clear();
    }
  }

  OutputSink& sink_;
  RowWriterOptions options_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<std::string> names_;
  std::vector<std::string> types_;
  std::vector<Align> aligns_;
  std::vector<size_t> widths_;
  std::vector<ShownCell> shown_;  // row after row
  int64_t shown_rows_ = 0;
  int64_t row_count_ = 0;
};

}  // namespace

std::unique_ptr<RowWriter> MakeTableWriter(OutputSink& sink, const RowWriterOptions& options) {
  return std::make_unique<TableWriter>(sink, options);
}

}  // namespace frazil::cli
