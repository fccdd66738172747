// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdlib>
#include <optional>

#include "frazil/error.h"
#include "frazil/explain.h"
#include "src/cli/commands.h"
#include "src/cli/format/sink.h"
#include "src/cli/report_json.h"

namespace frazil::cli {
namespace {

bool ColourWanted() {
  const char* no_colour = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) != 0 && (no_colour == nullptr || *no_colour == '\0');
}

// Reads everything, keeps nothing.
arrow::Status Drain(const Scan& scan, ScanReport* report) {
  auto shared = std::make_shared<ScanReport>();
  ARROW_ASSIGN_OR_RAISE(auto reader, scan.ToReader(shared));
  std::shared_ptr<arrow::RecordBatch> batch;
  do {
    ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
  } while (batch != nullptr);
  ARROW_RETURN_NOT_OK(reader->Close());
  *report = std::move(*shared);
  return arrow::Status::OK();
}

}  // namespace

arrow::Status RunScan(const CommandOptions& options) {
  if (options.sources.empty())
    return MakeError(ErrorKind::kUsage, "SRC is required, or --task (frazil scan --help tells more)");
  ARROW_ASSIGN_OR_RAISE(const Format format, OutputFormat(options));
  ARROW_ASSIGN_OR_RAISE(const Scan scan, OpenScan(options));
  auto report = std::make_shared<ScanReport>();
  ARROW_ASSIGN_OR_RAISE(auto reader, scan.ToReader(report));
  ARROW_RETURN_NOT_OK(WriteRows(reader.get(), format));
  return WriteStats(options, *report);
}

arrow::Status WriteRows(arrow::RecordBatchReader* reader, Format format, int64_t table_rows_max) {
  OutputSink sink(STDOUT_FILENO);
  RowWriterOptions writer_options;
  writer_options.table_rows_max = table_rows_max;
  writer_options.colour = ColourWanted();
  ARROW_ASSIGN_OR_RAISE(auto writer, MakeRowWriter(format, sink, writer_options));
  ARROW_RETURN_NOT_OK(writer->Begin(reader->schema()));
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
    if (batch == nullptr) break;
    ARROW_RETURN_NOT_OK(writer->Write(*batch));
  }
  ARROW_RETURN_NOT_OK(writer->Finish());
  return reader->Close();
}

arrow::Status RunCount(const CommandOptions& options) {
  ARROW_ASSIGN_OR_RAISE(const Scan scan, OpenScan(options));
  ScanReport report;
  ARROW_ASSIGN_OR_RAISE(const int64_t rows, scan.Count(&report));
  ARROW_RETURN_NOT_OK(WriteText(std::to_string(rows) + "\n"));
  return WriteStats(options, report);
}

arrow::Status RunExplain(const CommandOptions& options, const std::string& level, bool analyze) {
  if (!options.format.empty() && options.format != "text" && options.format != "json") {
    return MakeError(ErrorKind::kUsage, "explain prints text or json, not " + options.format);
  }
  std::optional<ExplainLevel> explain_level;
  if (!level.empty()) {
    ARROW_ASSIGN_OR_RAISE(explain_level, ParseExplainLevel(level));
    if (analyze) return MakeError(ErrorKind::kUsage, "--analyze reads the rows, so that --level has nothing to say");
  }
  std::shared_ptr<Table> table;
  ARROW_ASSIGN_OR_RAISE(const Scan scan, OpenScan(options, &table));
  ScanReport report;
  if (analyze) {
    ARROW_RETURN_NOT_OK(Drain(scan, &report));
  } else {
    ARROW_ASSIGN_OR_RAISE(report, ExplainScan(table, scan.options(), explain_level));
  }
  ARROW_RETURN_NOT_OK(WriteText(options.format == "json" ? ReportToJson(report) + "\n" : ReportToText(report)));
  return WriteStats(options, report);
}

}  // namespace frazil::cli
