// SPDX-License-Identifier: Apache-2.0
#include "src/cli/options.h"

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <optional>

#include "frazil/error.h"
#include "src/base/text.h"
#include "src/cli/format/sink.h"
#include "src/cli/report_json.h"
#include "src/expr/literal.h"
#include "src/expr/parse.h"

namespace frazil::cli {
namespace {

constexpr int kThreadsMax = 1024;
constexpr size_t kShownBytesMax = 80;

template <typename T>
std::optional<T> WholeNumber(const std::string& text) {
  T number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Milliseconds since 1970-01-01 UTC of a time as filters write it; a part of a millisecond is cut off.
arrow::Result<int64_t> TimeOf(const std::string& text) {
  expr::ColumnType type;
  type.kind = expr::TypeKind::kTimestamp;
  type.unit = expr::TimeUnit::kMilli;
  type.utc = true;
  expr::Literal literal;
  literal.kind = expr::Literal::Kind::kTimestamp;
  literal.text = text;
  auto place = expr::PlaceLiteral(literal, type);
  if (!place.ok()) return MakeError(ErrorKind::kUsage, "--as-of: " + place.status().message());
  return static_cast<int64_t>(std::get<expr::KeyPlace<expr::Int128>>(*place).key);
}

}  // namespace

CLI::Validator NotNegative() {
  return CLI::Validator(
      [](const std::string& value) { return value.rfind('-', 0) == 0 ? value + " is negative" : std::string(); }, "");
}

void AddSourceOptions(CLI::App* command, CommandOptions* options) {
  command
      ->add_option("SRC", options->sources,
                   "Parquet files, globs or folders, also s3:// and https://; or an Iceberg table: its folder, its "
                   "metadata file, or catalog.namespace.table")
      ->required();
  AddTableOptions(command, options);
}

void AddTableOptions(CLI::App* command, CommandOptions* options) {
  command->add_option("--snapshot-id", options->snapshot_id, "Iceberg: read this snapshot");
  command->add_option("--ref", options->ref, "Iceberg: read this branch or tag");
  command->add_option("--as-of", options->as_of,
                      "Iceberg: read what was current then: 2024-01-31T12:00:00Z, or milliseconds since 1970");
  command
      ->add_option("--rewrite-location", options->rewrite_locations,
                   "Iceberg: FROM=TO reads from TO what the metadata say is below FROM; repeatable")
      ->allow_extra_args(false);
}

void AddStoreOptions(CLI::App* command, CommandOptions* options) {
  command
      ->add_option("--property", options->properties,
                   "Stores: NAME=VALUE, as in s3.endpoint=http://127.0.0.1:9000; repeatable. What is not given comes "
                   "from the environment, as for the AWS tools")
      ->allow_extra_args(false);
}

void AddScanOptions(CLI::App* command, CommandOptions* options, bool with_columns) {
  command->add_option("--where", options->where, "Filter, as in: id = 42 AND day >= DATE '2024-01-01'");
  if (with_columns) {
    command->add_option("--select", options->select, "Columns, separated by commas; also s.field, _pos, _file");
  }
  command->add_option("--limit", options->limit, "Stop after so many rows")->check(NotNegative());
  command
      ->add_option("--no-prune", options->no_prune,
                   "Switch levels off: manifest, partition, file-metrics, delete-files, file, row-group, page-index, "
                   "two-stages; without a name, all")
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

arrow::Result<TableOptions> ToTableOptions(const CommandOptions& options) {
  TableOptions table;
  if (!options.snapshot_id.empty()) {
    const auto id = WholeNumber<int64_t>(options.snapshot_id);
    const auto unsigned_id = WholeNumber<uint64_t>(options.snapshot_id);
    if (!id && !unsigned_id) {
      return MakeError(ErrorKind::kUsage,
                       "--snapshot-id takes a whole number, not " + Printable(options.snapshot_id, kShownBytesMax));
    }
    table.snapshot_id = id ? *id : static_cast<int64_t>(*unsigned_id);
  }
  if (!options.ref.empty()) table.ref = options.ref;
  if (!options.as_of.empty()) {
    table.as_of_ms = WholeNumber<int64_t>(options.as_of);
    if (!table.as_of_ms) {
      ARROW_ASSIGN_OR_RAISE(table.as_of_ms, TimeOf(options.as_of));
    }
  }
  for (const std::string& rewrite : options.rewrite_locations) {
    const size_t equals = rewrite.find('=');
    if (equals == std::string::npos || equals == 0) {
      return MakeError(ErrorKind::kUsage,
                       "--rewrite-location takes FROM=TO, not " + Printable(rewrite, kShownBytesMax));
    }
    table.rewrite_locations.emplace_back(rewrite.substr(0, equals), rewrite.substr(equals + 1));
  }
  for (const std::string& property : options.properties) {
    const size_t equals = property.find('=');
    if (equals == std::string::npos || equals == 0) {
      return MakeError(ErrorKind::kUsage, "--property takes NAME=VALUE, as in s3.region=eu-central-1");
    }
    table.properties[property.substr(0, equals)] = property.substr(equals + 1);
  }
  return table;
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
  ARROW_ASSIGN_OR_RAISE(const TableOptions table_options, ToTableOptions(options));
  ARROW_ASSIGN_OR_RAISE(auto opened, Table::Open(options.sources, table_options));
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
