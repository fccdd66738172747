// SPDX-License-Identifier: Apache-2.0
//
// rewrite: the rows of a scan, written anew, sorted and indexed.
#include <cctype>

#include "frazil/rewrite.h"
#include "src/base/human_text.h"
#include "src/base/text.h"
#include "src/cli/commands.h"
#include "src/expr/parse.h"

namespace frazil::cli {
namespace {

constexpr size_t kShownBytesMax = 80;

// The pieces between commas that no double quotes enclose.
std::vector<std::string> SplitAtCommas(const std::string& text) {
  std::vector<std::string> pieces(1);
  bool quoted = false;
  for (char c : text) {
    if (c == '"') quoted = !quoted;
    if (c == ',' && !quoted) {
      pieces.emplace_back();
    } else {
      pieces.back() += c;
    }
  }
  return pieces;
}

std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// Takes `word` off the end of the text, whatever its case; the word before it is not touched.
bool TakeLastWord(std::string* text, const std::string& word) {
  while (!text->empty() && text->back() == ' ') text->pop_back();
  if (text->size() <= word.size() || Lower(text->substr(text->size() - word.size())) != word) return false;
  if ((*text)[text->size() - word.size() - 1] != ' ') return false;
  text->resize(text->size() - word.size());
  while (!text->empty() && text->back() == ' ') text->pop_back();
  return true;
}

// "customer_id, at desc nulls last": nulls come first when ascending and last when descending, unless it is said.
arrow::Result<std::vector<SortColumn>> ParseSort(const std::string& text) {
  std::vector<SortColumn> columns;
  for (std::string piece : SplitAtCommas(text)) {
    SortColumn column;
    const bool nulls_last = TakeLastWord(&piece, "nulls last");
    const bool nulls_first = !nulls_last && TakeLastWord(&piece, "nulls first");
    column.descending = TakeLastWord(&piece, "desc");
    if (!column.descending) TakeLastWord(&piece, "asc");
    column.nulls_first = nulls_first || (!nulls_last && !column.descending);
    auto path = expr::ParseColumnPath(piece);
    if (!path.ok()) {
      return MakeError(ErrorKind::kUsage,
                       "--sort takes columns, each with asc or desc and nulls first or nulls last, "
                       "separated by commas; not " +
                           Printable(piece, kShownBytesMax));
    }
    column.column = path->ToString();
    columns.push_back(std::move(column));
  }
  return columns;
}

arrow::Result<RewriteOptions> ToRewriteOptions(const RewriteCommand& command) {
  RewriteOptions options;
  if (!command.sort.empty()) {
    ARROW_ASSIGN_OR_RAISE(options.sort, ParseSort(command.sort));
  }
  for (const std::string& setting : command.settings) {
    const size_t equals = setting.find('=');
    if (equals == std::string::npos) {
      return MakeError(ErrorKind::kUsage, "--option takes NAME=VALUE, not " + Printable(setting, kShownBytesMax));
    }
    ARROW_RETURN_NOT_OK(SetWriteOption(setting.substr(0, equals), setting.substr(equals + 1), &options.write));
  }
  if (command.page_rows > 0) options.write.page_rows = command.page_rows;
  if (!command.bloom.empty() && command.bloom != "off") {
    ARROW_ASSIGN_OR_RAISE(const auto paths, expr::ParseColumnList(command.bloom));
    for (const auto& path : paths) options.write.bloom_columns.push_back(path.ToString());
  }
  if (command.memory_bytes > 0) options.memory_bytes = command.memory_bytes;
  options.overwrite = command.overwrite;
  return options;
}

}  // namespace

void AddRewriteOptions(CLI::App* app, RewriteCommand* command) {
  app->add_option("--out", command->destination, "The file to write")->required();
  app->add_option("--sort", command->sort, "Columns to sort by, as in: customer_id, at desc nulls last");
  app->add_option("--page-rows", command->page_rows, "Rows of a page, at most (default: 20000)")
      ->check(CLI::PositiveNumber);
  app->add_option("--bloom", command->bloom, "Columns that get a bloom filter in every row group; off: none");
  app->add_option("--option", command->settings,
                  "NAME=VALUE by Iceberg's names: write.parquet.compression-codec=snappy")
      ->allow_extra_args(false);
  app->add_option("--memory-bytes", command->memory_bytes,
                  "For sorting (default: 512 MiB); more rows than that are sorted on disk, in TMPDIR")
      ->check(CLI::PositiveNumber);
  app->add_flag("--overwrite", command->overwrite, "Replace the file if it is there");
  app->footer("  frazil rewrite 'orders/*.parquet' --out sorted.parquet --sort customer_id --bloom order_id");
}

arrow::Status RunRewrite(const CommandOptions& options, const RewriteCommand& command) {
  ARROW_ASSIGN_OR_RAISE(const RewriteOptions rewrite, ToRewriteOptions(command));
  ARROW_ASSIGN_OR_RAISE(const Scan scan, OpenScan(options));
  ARROW_ASSIGN_OR_RAISE(const RewriteReport report, Rewrite(scan, command.destination, rewrite));
  std::string text = command.destination + ": " + Counted(report.rows, "row") + " in " +
                     Counted(report.row_groups, "row group") + ", " + HumanBytes(report.bytes_written);
  if (report.runs_spilled > 0) {
    text += "; sorted on disk in " + Counted(report.runs_spilled, "run") + " of " + HumanBytes(report.bytes_spilled);
  }
  ARROW_RETURN_NOT_OK(WriteText(text + "\n"));
  return WriteStats(options, report.scan);
}

}  // namespace frazil::cli
