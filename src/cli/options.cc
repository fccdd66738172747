// SPDX-License-Identifier: Apache-2.0
#include "src/cli/options.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "frazil/error.h"
#include "src/cli/format/sink.h"
#include "src/cli/report_json.h"
#include "src/expr/parse.h"

namespace frazil::cli {
namespace {

// CLI11's own check answers with a range of 300 digits.
CLI::Validator NotNegative() {
  return CLI::Validator(
      [](const std::string& value) { return value.rfind('-', 0) == 0 ? value + " is negative" : std::string(); }, "");
}

constexpr int kThreadsMax = 1024;

}  // namespace

void AddSourceOptions(CLI::App* command, CommandOptions* options) {
  command->add_option("SRC", options->sources, "Parquet files, globs or folders")->required();
}

void AddScanOptions(CLI::App* command, CommandOptions* options, bool with_columns) {
  command->add_option("--where", options->where, "Filter, as in: id = 42 AND day >= DATE '2024-01-01'");
  if (with_columns) {
    command->add_option("--select", options->select, "Columns, separated by commas; also s.field, _pos, _file");
  }
  command->add_option("--limit", options->limit, "Stop after so many rows")->check(NotNegative());
  command
      ->add_option("--no-prune", options->no_prune,
                   "Switch levels off: file, row-group, page-index, two-stages; without a name, all")
      ->delimiter(',')
      ->expected(0, -1)
      ->allow_extra_args(false);
  command->add_option("--threads", options->threads, "Threads at most (default: all cores)")
      ->check(CLI::Range(1, kThreadsMax));
  command->add_option("--max-bytes", options->bytes_max, "Stop with an error before reading more bytes; 0: no limit")
      ->check(NotNegative());
  command
      ->add_option("--max-requests", options->requests_max,
                   "Stop with an error before making more requests; 0: no limit")
      ->check(NotNegative());
  command->add_flag("--verify-checksums", options->verify_checksums, "Check page checksums where files have them");
  command->add_option("--stats", options->stats_file, "Write the scan's counters as JSON to this file; - is stderr");
}

arrow::Result<ScanOptions> ToScanOptions(const CommandOptions& options) {
  ScanOptions scan;
  scan.filter = options.where;
  if (!options.select.empty()) {
    ARROW_ASSIGN_OR_RAISE(auto paths, expr::ParseColumnList(options.select));
    for (const auto& path : paths) scan.columns.push_back(path.ToString());
  }
  scan.limit = options.limit;
  scan.threads = options.threads;
  scan.verify_checksums = options.verify_checksums;
  scan.bytes_max = options.bytes_max;
  scan.requests_max = options.requests_max;
  for (const std::string& name : options.no_prune) {
    if (name.empty() || name == "all") {
      scan.disabled_levels = AllLevels();
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(const Level level, ParseLevel(name));
    scan.disabled_levels.push_back(level);
  }
  return scan;
}

arrow::Result<Format> OutputFormat(const CommandOptions& options) {
  if (options.format.empty()) return isatty(STDOUT_FILENO) != 0 ? Format::kTable : Format::kJsonl;
  return ParseFormat(options.format);
}

arrow::Result<Scan> OpenScan(const CommandOptions& options, std::shared_ptr<Table>* table) {
  ARROW_ASSIGN_OR_RAISE(ScanOptions scan_options, ToScanOptions(options));
  ARROW_ASSIGN_OR_RAISE(auto opened, Table::Open(options.sources));
  Scan scan = opened->NewScan();
  scan.options() = std::move(scan_options);
  if (table != nullptr) *table = std::move(opened);
  return scan;
}

arrow::Status WriteText(const std::string& text) {
  OutputSink sink(STDOUT_FILENO);
  ARROW_RETURN_NOT_OK(sink.Write(text));
  return sink.Flush();
}

arrow::Status WriteStats(const CommandOptions& options, const ScanReport& report) {
  if (options.stats_file.empty()) return arrow::Status::OK();
  const std::string text = ReportToJson(report) + "\n";
  if (options.stats_file == "-") {
    std::fputs(text.c_str(), stderr);
    return arrow::Status::OK();
  }
  std::FILE* file = std::fopen(options.stats_file.c_str(), "w");
  const bool written = file != nullptr && std::fputs(text.c_str(), file) >= 0;
  const bool closed = file != nullptr && std::fclose(file) == 0;
  if (written && closed) return arrow::Status::OK();
  return MakeError(ErrorKind::kInternal, std::string("can not write the counters: ") + std::strerror(errno),
                   {.file = options.stats_file});
}

}  // namespace frazil::cli
