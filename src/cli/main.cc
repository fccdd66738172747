// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>

#include <CLI/CLI.hpp>

#include "frazil/error.h"
#include "src/base/version.h"
#include "src/cli/commands.h"
#include "src/cli/format/sink.h"

namespace {

using frazil::cli::CommandOptions;

// Nothing is half-written that a later run could trust, so Ctrl+C may end the process where it stands.
void StopAtOnce(int) { _exit(130); }

int Finish(const arrow::Status& status) {
  if (status.ok()) return 0;
  if (frazil::cli::IsBrokenPipe(status)) return 0;
  std::string message = status.message();
  for (char& c : message) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  std::fprintf(stderr, "frazil: %s: %s\n", frazil::ErrorKindName(frazil::KindOf(status)), message.c_str());
  return frazil::ExitCodeOf(status);
}

}  // namespace

int main(int argc, char** argv) {
  frazil::cli::IgnoreBrokenPipeSignal();
  std::signal(SIGINT, StopAtOnce);
  std::signal(SIGTERM, StopAtOnce);

  CLI::App app(
      "Frazil reads from Parquet files only the pages that can hold the wanted rows.\n\n"
      "  frazil scan events.parquet --where \"event_id = 42\"\n"
      "  frazil explain events.parquet --where \"event_id = 42\"\n"
      "  frazil count 'logs/*.parquet' --where \"day >= DATE '2024-01-01'\"");
  app.name("frazil");
  app.set_version_flag("--version", std::string("frazil ") + frazil::kVersion);
  app.require_subcommand(1);
  app.set_help_all_flag("--help-all", "Help of every command");

  CommandOptions options;
  bool analyze = false;
  std::string what = "row-groups";
  std::string column;

  auto* scan = app.add_subcommand("scan", "Print the rows that a filter accepts");
  auto* count = app.add_subcommand("count", "Print the number of rows that a filter accepts");
  auto* explain = app.add_subcommand("explain", "Say what a scan would read and why, without reading a data page");
  auto* verify = app.add_subcommand("verify", "Compare a scan with pruning to one without: rows, positions, order");
  auto* inspect = app.add_subcommand("inspect", "Show metadata: schema, row-groups, columns, pages or stats");
  for (auto* command : {scan, count, explain, verify}) {
    frazil::cli::AddSourceOptions(command, &options);
    frazil::cli::AddScanOptions(command, &options, command != count);
  }
  scan->add_option("--format", options.format,
                   "table, json, jsonl, csv or arrow (default: table on a terminal, else jsonl)");
  explain->add_option("--format", options.format, "text or json");
  explain->add_flag("--analyze", analyze, "Run the scan and report what it really read");
  verify->get_option("--where")->required();
  std::string source;
  inspect->add_option("SRC", source, "One Parquet file")->required();
  inspect->add_option("WHAT", what, "schema, row-groups, columns, pages or stats")
      ->check(CLI::IsMember({"schema", "row-groups", "columns", "pages", "stats"}));
  inspect->add_option("--column", column, "Only this column");
  inspect->add_option("--format", options.format, "table, json, jsonl or csv");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);
    std::fprintf(stderr, "frazil: usage: %s (frazil %s--help tells more)\n", e.what(),
                 app.get_subcommands().empty() ? "" : (app.get_subcommands()[0]->get_name() + " ").c_str());
    return static_cast<int>(frazil::ErrorKind::kUsage);
  }
  if (scan->parsed()) return Finish(frazil::cli::RunScan(options));
  if (count->parsed()) return Finish(frazil::cli::RunCount(options));
  if (explain->parsed()) return Finish(frazil::cli::RunExplain(options, analyze));
  if (verify->parsed()) return Finish(frazil::cli::RunVerify(options));
  options.sources = {source};
  return Finish(frazil::cli::RunInspect(options, what, column));
}
