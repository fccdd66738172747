// SPDX-License-Identifier: Apache-2.0
//
// verify: runs the scan twice, with pruning and without, and compares rows, positions and order.
#include <algorithm>

#include <arrow/array.h>
#include <arrow/compare.h>
#include <arrow/scalar.h>

#include "src/cli/commands.h"
#include "src/expr/expression.h"

namespace frazil::cli {
namespace {

// Hands out the rows of a reader in pieces of any length.
class RowCursor {
 public:
  explicit RowCursor(std::shared_ptr<arrow::RecordBatchReader> reader) : reader_(std::move(reader)) {}

  // Makes the current piece non-empty, or finds the end.
  arrow::Status Fill() {
    while (!ended_ && (batch_ == nullptr || batch_->num_rows() == 0)) {
      ARROW_RETURN_NOT_OK(reader_->ReadNext(&batch_));
      ended_ = batch_ == nullptr;
    }
    return arrow::Status::OK();
  }
  bool ended() const { return ended_; }
  const arrow::RecordBatch& batch() const { return *batch_; }
  void Advance(int64_t rows) { batch_ = batch_->Slice(rows); }

 private:
  std::shared_ptr<arrow::RecordBatchReader> reader_;
  std::shared_ptr<arrow::RecordBatch> batch_;
  bool ended_ = false;
};

std::string RowText(const arrow::RecordBatch& batch, int64_t row) {
  std::string text;
  for (int i = 0; i < batch.num_columns(); ++i) {
    auto value = batch.column(i)->GetScalar(row);
    text += (i > 0 ? ", " : "") + batch.column_name(i) + "=" + (value.ok() ? (*value)->ToString() : "?");
  }
  return text;
}

// NaN equals NaN here: the same bits were written once.
arrow::EqualOptions Exactly() { return arrow::EqualOptions::Defaults().nans_equal(true).signed_zeros_equal(false); }

arrow::Status Difference(int64_t row, const std::string& pruned, const std::string& full) {
  return MakeError(ErrorKind::kInternal, "result row " + std::to_string(row) + " differs: with pruning " + pruned +
                                             "; without " + full + ". Please report this with the file");
}

}  // namespace

arrow::Status RunVerify(const CommandOptions& options) {
  std::shared_ptr<Table> table;
  ARROW_ASSIGN_OR_RAISE(Scan pruned, OpenScan(options, &table));
  Scan full = pruned;
  // An Iceberg table is opened once, as it may get another snapshot in between; files twice, so that each scan counts
  // what opening costs.
  if (table->file_count() > 0) {
    ARROW_ASSIGN_OR_RAISE(full, OpenScan(options));
  }
  full.options().disabled_levels = AllLevels();
  if (options.select.empty()) {
    // Positions too, so that a row of equal values from another place is a difference.
    std::vector<std::string> columns{"_file", "_pos"};
    for (const auto& field : table->schema()->fields()) {
      columns.push_back(expr::ColumnPath{{field->name()}, 0}.ToString());
    }
    pruned.Select(columns);
    full.Select(columns);
  }
  auto report = std::make_shared<ScanReport>();
  auto full_report = std::make_shared<ScanReport>();
  ARROW_ASSIGN_OR_RAISE(auto pruned_reader, pruned.ToReader(report));
  ARROW_ASSIGN_OR_RAISE(auto full_reader, full.ToReader(full_report));
  RowCursor a(pruned_reader);
  RowCursor b(full_reader);
  int64_t rows = 0;
  while (true) {
    ARROW_RETURN_NOT_OK(a.Fill());
    ARROW_RETURN_NOT_OK(b.Fill());
    if (a.ended() || b.ended()) break;
    const int64_t count = std::min(a.batch().num_rows(), b.batch().num_rows());
    if (!a.batch().Slice(0, count)->Equals(*b.batch().Slice(0, count), false, Exactly())) {
      for (int64_t row = 0; row < count; ++row) {
        if (a.batch().Slice(row, 1)->Equals(*b.batch().Slice(row, 1), false, Exactly())) continue;
        return Difference(rows + row, RowText(a.batch(), row), RowText(b.batch(), row));
      }
    }
    rows += count;
    a.Advance(count);
    b.Advance(count);
  }
  if (!a.ended()) return Difference(rows, RowText(a.batch(), 0), "the result ends");
  if (!b.ended()) return Difference(rows, "the result ends", RowText(b.batch(), 0));
  ARROW_RETURN_NOT_OK(pruned_reader->Close());
  ARROW_RETURN_NOT_OK(full_reader->Close());
  const auto cost = [](const ScanReport& of) {
    return "(" + std::to_string(of.bytes_read) + " bytes, " + std::to_string(of.requests) + " requests)";
  };
  ARROW_RETURN_NOT_OK(WriteText("ok: " + std::to_string(rows) + " rows are the same with pruning " + cost(*report) +
                                " and without " + cost(*full_report) + "\n"));
  return WriteStats(options, *report);
}

}  // namespace frazil::cli
