// SPDX-License-Identifier: Apache-2.0
#include "src/cli/report_json.h"

#include <algorithm>
#include <string_view>

#include "src/cli/format/json_text.h"

namespace frazil::cli {
namespace {

void AppendLevel(const LevelReport& level, JsonText& json) {
  json.BeginObject();
  json.Field("name", level.name).Field("unit", level.unit).Field("total", level.total).Field("kept", level.kept);
  json.Field("enabled", level.enabled);
  json.Key("unusable").BeginArray();
  for (const UnusableEvidence& unusable : level.unusable) {
    json.BeginObject();
    json.Field("column", unusable.column).Field("reason", unusable.reason).Field("count", unusable.count);
    json.EndObject();
  }
  json.EndArray().EndObject();
}

void AppendRowGroup(const RowGroupReport& row_group, JsonText& json) {
  json.BeginObject();
  json.Field("file", row_group.file).Field("row_group", row_group.row_group);
  json.Field("rows_total", row_group.rows_total).Field("rows_selected", row_group.rows_selected);
  json.Field("rows_proven", row_group.rows_proven);
  json.Field("pages_total", row_group.pages_total).Field("pages_kept", row_group.pages_kept);
  json.Field("bytes_planned", row_group.bytes_planned).Field("stages", row_group.stages);
  json.EndObject();
}

// The counters of Iceberg's own scan report, by its names, of an Iceberg table.
void AppendIcebergNames(const ScanReport& report, JsonText& json) {
  const auto level = [&](std::string_view name) {
    const auto found = std::find_if(report.levels.begin(), report.levels.end(),
                                    [&](const LevelReport& other) { return other.name == name; });
    return found == report.levels.end() ? nullptr : &*found;
  };
  const LevelReport* manifests = level("manifest");
  const LevelReport* partition = level("partition");
  const LevelReport* metrics = level("file-metrics");
  const LevelReport* deletes = level("delete-files");
  if (manifests == nullptr || partition == nullptr || metrics == nullptr || deletes == nullptr) return;
  const LevelReport none;
  const LevelReport* delete_manifests = level("delete-manifests");
  if (delete_manifests == nullptr) delete_manifests = &none;
  json.Key("iceberg_scan").BeginObject();
  json.Field("total_data_manifests", manifests->total).Field("scanned_data_manifests", manifests->kept);
  json.Field("skipped_data_manifests", manifests->total - manifests->kept);
  json.Field("total_delete_manifests", delete_manifests->total);
  json.Field("scanned_delete_manifests", delete_manifests->kept);
  json.Field("skipped_delete_manifests", delete_manifests->total - delete_manifests->kept);
  json.Field("result_data_files", metrics->kept).Field("skipped_data_files", partition->total - metrics->kept);
  json.Field("indexed_delete_files", deletes->total).Field("result_delete_files", deletes->kept);
  json.EndObject();
}

}  // namespace

std::string ReportToJson(const ScanReport& report) {
  JsonText json(JsonLayout::kPretty);
  json.BeginObject();
  json.Field("version", 1);
  json.Field("files_total", report.files_total).Field("files_kept", report.files_kept);
  json.Field("files_counted", report.files_counted);
  json.Field("row_groups_total", report.row_groups_total).Field("row_groups_kept", report.row_groups_kept);
  json.Field("pages_total", report.pages_total).Field("pages_kept", report.pages_kept);
  json.Field("rows_total", report.rows_total).Field("rows_selected", report.rows_selected);
  json.Field("rows_matched", report.rows_matched);
  json.Field("bytes_total", report.bytes_total)
      .Field("bytes_planned", report.bytes_planned)
      .Field("bytes_read", report.bytes_read);
  json.Field("requests", report.requests).Field("rounds", report.rounds);
  json.Field("retries", report.retries).Field("hedges", report.hedges);
  json.Field("elapsed_ns", report.elapsed_ns).Field("analyzed", report.analyzed);
  json.Field("filter", report.filter).Field("residual", report.residual);
  json.Key("columns").BeginArray();
  for (const std::string& column : report.columns) json.Value(column);
  json.EndArray();
  json.Key("levels").BeginArray();
  for (const LevelReport& level : report.levels) AppendLevel(level, json);
  json.EndArray();
  AppendIcebergNames(report, json);
  json.Key("io").BeginArray();
  for (const IoStep& step : report.io) {
    json.BeginObject();
    json.Field("purpose", step.purpose).Field("requests", step.requests).Field("bytes", step.bytes);
    json.EndObject();
  }
  json.EndArray();
  json.Key("row_groups").BeginArray();
  for (const RowGroupReport& row_group : report.row_groups) AppendRowGroup(row_group, json);
  json.EndArray().EndObject();
  return json.Take();
}

}  // namespace frazil::cli
