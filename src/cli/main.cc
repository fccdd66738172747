// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "frazil/error.h"
#include "src/base/text.h"
#include "src/base/version.h"
#include "src/cli/commands.h"
#include "src/cli/format/sink.h"

namespace {

using frazil::cli::CommandOptions;

// Nothing is half-written that a later run could trust, so Ctrl+C may end the process where it stands.
void StopAtOnce(int) { _exit(130); }

const std::vector<std::string> kCommands{"scan",    "count",   "explain", "plan",  "verify",
                                         "inspect", "rewrite", "audit",   "config"};

constexpr const char* kExitCodes =
    "Exit codes: 0 ok (also for no rows), 1 anything without a code of its own, 2 usage, 3 not found, 4 access,\n"
    "5 corrupt, 6 unsupported, 7 unavailable, 8 budget, 130 stopped";

// What is wrong with the first word, when it is no command; CLI11 would only say that one is missing.
int NoCommand(const std::string& word) {
  std::string names;
  for (const std::string& name : kCommands) names += (names.empty() ? "" : ", ") + name;
  std::string what = "a command is needed; the commands are " + names;
  if (!word.empty()) {
    constexpr size_t kShownBytesMax = 40;
    const auto near = frazil::NearMatches(word, kCommands, 1);
    what = "unknown command " + frazil::Printable(word, kShownBytesMax) + "; " +
           (near.empty() ? "the commands are " + names : "did you mean " + kCommands[near[0]] + "?");
  }
  std::fprintf(stderr, "frazil: usage: %s (frazil --help tells more)\n", what.c_str());
  return static_cast<int>(frazil::ErrorKind::kUsage);
}

// `help` and `help COMMAND` are `--help` and `COMMAND --help`.
std::vector<std::string> Words(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words[0] == "help") {
    words.erase(words.begin());
    words.resize(words.empty() ? 0 : 1);
    words.emplace_back("--help");
  }
  return words;
}

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

// What the commands are told, beside what several of them share.
struct Arguments {
  CommandOptions options;
  bool analyze = false;
  std::string level;
  std::string task_file;
  frazil::TaskSplit split;
  std::string source;
  std::string what;
  std::string column;
  std::string catalog_name;
  frazil::cli::RewriteCommand rewrite;
  frazil::AuditOptions audit;
};

void AddPlanOptions(CLI::App* plan, Arguments* more) {
  plan->footer(
      "  frazil plan events.parquet --where \"event_id = 42\" --split-rows 1000000 > tasks.jsonl\n"
      "  head -1 tasks.jsonl | frazil scan --task -");
  plan->add_option("--format", more->options.format, "jsonl, a task a line");
  auto* split_rows = plan->add_option("--split-rows", more->split.rows, "Rows of a task")->check(CLI::PositiveNumber);
  plan->add_option("--split-bytes", more->split.bytes, "Bytes of a file that a task covers")
      ->check(CLI::PositiveNumber)
      ->excludes(split_rows);
}

void AddInspect(CLI::App* app, Arguments* more) {
  auto* inspect = app->add_subcommand("inspect", "Show metadata of a file or of an Iceberg table");
  inspect->footer(
      "  frazil inspect events.parquet schema\n"
      "  frazil inspect events.parquet pages --column event_id\n"
      "  frazil inspect warehouse/sales files --select file_path,partition,record_count --limit 20");
  inspect->add_option("SRC", more->source, "One Parquet file; or the folder or metadata file of an Iceberg table")
      ->required();
  inspect->add_option("WHAT", more->what,
                      "Of a file: schema, row-groups, columns, pages or stats (default: row-groups). Of a table: "
                      "overview, snapshots, history, refs, schemas, specs, properties, manifests, files or partitions "
                      "(default: overview)");
  inspect->add_option("--column", more->column,
                      "File: only this column, or the columns below this struct, list or map");
  inspect->add_option("--select", more->options.select, "Table: columns of the rows, separated by commas");
  inspect->add_option("--limit", more->options.limit, "Table: stop after so many rows")
      ->check(frazil::cli::NotNegative());
  frazil::cli::AddTableOptions(inspect, &more->options);
  frazil::cli::AddStoreOptions(inspect, &more->options);
  inspect->add_option("--format", more->options.format, "table, json, jsonl, csv or arrow (default: table)");
}

void AddConfig(CLI::App* app, Arguments* more) {
  auto* config = app->add_subcommand("config", "Show how catalogs and stores are configured, and where");
  auto* config_show = config->add_subcommand("show", "Every value and its source; secrets are hidden");
  config->require_subcommand(1);
  config_show->add_option("--catalog", more->catalog_name, "Only this catalog");
  frazil::cli::AddStoreOptions(config_show, &more->options);
  config_show->add_option("--format", more->options.format, "table, json, jsonl, csv or arrow (default: table)");
  config_show->footer("  frazil config show --catalog prod");
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
  app.footer(kExitCodes);
  app.set_version_flag("--version", std::string("frazil ") + frazil::kVersion);
  app.require_subcommand(1);
  app.set_help_all_flag("--help-all", "Help of every command");

  Arguments more;
  CommandOptions& options = more.options;

  auto* scan = app.add_subcommand("scan", "Print the rows that a filter accepts");
  auto* count = app.add_subcommand("count", "Print the number of rows that a filter accepts");
  auto* explain = app.add_subcommand("explain", "Say what a scan would read and why, without reading a data page");
  auto* plan = app.add_subcommand("plan", "Print the tasks of a scan, for scan --task to run in any process");
  auto* verify = app.add_subcommand("verify", "Compare a scan with pruning to one without: rows, positions, order");
  auto* rewrite = app.add_subcommand("rewrite", "Write the rows of a scan to a file, sorted and with a page index");
  auto* audit = app.add_subcommand("audit", "Say whether files are laid out so that lookups are cheap");
  AddInspect(&app, &more);
  AddConfig(&app, &more);
  frazil::cli::AddRewriteOptions(rewrite, &more.rewrite);
  frazil::cli::AddAuditOptions(audit, &options, &more.audit);
  for (auto* command : {scan, count, explain, plan, verify, rewrite}) {
    frazil::cli::AddSourceOptions(command, &options);
    frazil::cli::AddScanOptions(command, &options, command != count);
    frazil::cli::AddStoreOptions(command, &options);
  }
  scan->footer(
      "  frazil scan events.parquet --where \"event_id = 42\" --select event_id,place.city --format csv\n"
      "  frazil scan 'logs/*.parquet' --where \"level IN ('warn', 'error')\" --limit 100 --stats stats.json");
  count->footer("  frazil count 'logs/*.parquet' --where \"day >= DATE '2024-01-01'\"");
  explain->footer(
      "  frazil explain events.parquet --where \"event_id = 42\" --select amount\n"
      "  frazil explain events.parquet --where \"event_id = 42\" --analyze --format json");
  verify->footer("  frazil verify events.parquet --where \"event_id BETWEEN 40 AND 60\"");
  scan->add_option("--format", options.format,
                   "table, json, jsonl, csv or arrow (default: table on a terminal, else jsonl)");
  explain->add_option("--format", options.format, "text or json (default: text)");
  explain->add_flag("--analyze", more.analyze, "Run the scan and report what it really read");
  explain->add_option("--level", more.level,
                      "How deep: files, row-groups or pages (default: files for an Iceberg table, else pages)");
  AddPlanOptions(plan, &more);
  auto* task_option =
      scan->add_option("--task", more.task_file, "Run the tasks in this file, as plan prints them; - is stdin");
  scan->get_option("SRC")->required(false);
  verify->get_option("--where")->required();
  std::vector<std::string> words = Words(argc, argv);
  const std::string first = words.empty() ? "" : words[0];
  if (first.rfind('-', 0) != 0 && std::find(kCommands.begin(), kCommands.end(), first) == kCommands.end()) {
    return NoCommand(first);
  }
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  try {
    app.parse(words);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);
    std::fprintf(stderr, "frazil: usage: %s (frazil %s--help tells more)\n", e.what(),
                 app.get_subcommands().empty() ? "" : (app.get_subcommands()[0]->get_name() + " ").c_str());
    return static_cast<int>(frazil::ErrorKind::kUsage);
  }
  if (scan->parsed() && task_option->count() > 0) return Finish(frazil::cli::RunTaskScan(options, more.task_file));
  if (scan->parsed()) return Finish(frazil::cli::RunScan(options));
  if (plan->parsed()) return Finish(frazil::cli::RunPlan(options, more.split));
  if (count->parsed()) return Finish(frazil::cli::RunCount(options));
  if (explain->parsed()) return Finish(frazil::cli::RunExplain(options, more.level, more.analyze));
  if (verify->parsed()) return Finish(frazil::cli::RunVerify(options));
  if (rewrite->parsed()) return Finish(frazil::cli::RunRewrite(options, more.rewrite));
  if (audit->parsed()) return Finish(frazil::cli::RunAudit(options, more.audit));
  if (app.got_subcommand("config")) return Finish(frazil::cli::RunConfigShow(options, more.catalog_name));
  options.sources = {more.source};
  return Finish(frazil::cli::RunInspect(options, more.what, more.column));
}
