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
  AddConfig(&app, &more);
  auto* audit = app.add_subcommand("audit", "Say whether files are laid out so that lookups are cheap");
  frazil::AuditOptions audit_options;
  frazil::cli::AddAuditOptions(audit, &options, &audit_options);

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
  if (plan->parsed()) return Finish(frazil::cli::RunPlan(options, more.split));
  if (scan->parsed()) return Finish(frazil::cli::RunScan(options));
  if (count->parsed()) return Finish(frazil::cli::RunCount(options));
  if (explain->parsed()) return Finish(frazil::cli::RunExplain(options, more.level, more.analyze));
  if (verify->parsed()) return Finish(frazil::cli::RunVerify(options));
  if (rewrite->parsed()) return Finish(frazil::cli::RunRewrite(options, rewrite_command));
  if (audit->parsed()) return Finish(frazil::cli::RunAudit(options, audit_options));
  if (app.got_subcommand("config")) return Finish(frazil::cli::RunConfigShow(options, more.catalog_name));
  options.sources = {more.source};
  return Finish(frazil::cli::RunInspect(options, more.what, more.column));
}
