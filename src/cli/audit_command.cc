// SPDX-License-Identifier: Apache-2.0
//
// audit: whether files are laid out so that lookups are cheap.
#include "frazil/audit.h"
#include "src/cli/commands.h"
#include "src/cli/format/json_text.h"

namespace frazil::cli {
namespace {

void AppendClustering(const char* name, const Clustering& clustering, JsonText& json) {
  json.Key(name).BeginObject();
  json.Field("count", clustering.count).Field("hit_mean", clustering.hit_mean);
  json.EndObject();
}

void AppendColumn(const ColumnAudit& column, JsonText& json) {
  json.BeginObject();
  json.Field("column", column.column).Field("chunks", column.chunks).Field("bytes", column.bytes);
  json.Field("chunks_indexed", column.chunks_indexed).Field("chunks_with_bounds", column.chunks_with_bounds);
  json.Field("chunks_with_bloom", column.chunks_with_bloom).Field("chunks_dictionary", column.chunks_dictionary);
  json.Field("chunks_fallback", column.chunks_fallback).Field("pages", column.pages);
  json.Field("page_rows_median", column.page_rows_median).Field("page_bytes_median", column.page_bytes_median);
  json.Field("pages_alike", column.pages_alike);
  AppendClustering("files_clustering", column.files, json);
  AppendClustering("row_groups_clustering", column.row_groups, json);
  AppendClustering("pages_clustering", column.pages_clustering, json);
  json.EndObject();
}

void AppendFilter(const FilterAudit& filter, JsonText& json) {
  json.BeginObject();
  json.Field("filter", filter.filter);
  json.Field("files_total", filter.files_total).Field("files_kept", filter.files_kept);
  json.Field("row_groups_total", filter.row_groups_total).Field("row_groups_kept", filter.row_groups_kept);
  json.Field("rows_total", filter.rows_total).Field("rows_selected", filter.rows_selected);
  json.Field("bytes_planned", filter.bytes_planned).Field("bytes_full", filter.bytes_full);
  json.EndObject();
}

std::string AuditToJson(const AuditReport& report) {
  JsonText json(JsonLayout::kPretty);
  json.BeginObject();
  json.Field("version", 1).Field("files", report.files).Field("row_groups", report.row_groups);
  json.Field("rows", report.rows).Field("bytes", report.bytes);
  json.Key("filters").BeginArray();
  for (const FilterAudit& filter : report.filters) AppendFilter(filter, json);
  json.EndArray().Key("findings").BeginArray();
  for (const AuditFinding& finding : report.findings) {
    json.BeginObject();
    json.Field("name", finding.name).Field("column", finding.column).Field("evidence", finding.evidence);
    json.Field("cost", finding.cost).Field("cure", finding.cure).Field("cost_bytes", finding.cost_bytes);
    json.EndObject();
  }
  json.EndArray().Key("columns").BeginArray();
  for (const ColumnAudit& column : report.columns) AppendColumn(column, json);
  json.EndArray().EndObject();
  return json.Take();
}

}  // namespace

void AddAuditOptions(CLI::App* app, CommandOptions* options, AuditOptions* audit) {
  app->add_option("SRC", options->sources, "Parquet files, globs or folders")->required();
  app->add_option("--column", audit->columns, "A column that lookups name; may be given several times")
      ->allow_extra_args(false);
  app->add_option("--where", audit->filters, "A filter: what it would read; may be given several times")
      ->allow_extra_args(false);
  app->add_option("--format", options->format, "text or json (default: text)");
  app->footer("  frazil audit 'orders/*.parquet' --column customer_id --where \"customer_id = 42\"");
}

arrow::Status RunAudit(const CommandOptions& options, const AuditOptions& audit) {
  if (!options.format.empty() && options.format != "text" && options.format != "json") {
    return MakeError(ErrorKind::kUsage, "audit prints text or json, not " + options.format);
  }
  ARROW_ASSIGN_OR_RAISE(const AuditReport report, Audit(options.sources, audit));
  return WriteText(options.format == "json" ? AuditToJson(report) + "\n" : AuditToText(report));
}

}  // namespace frazil::cli
