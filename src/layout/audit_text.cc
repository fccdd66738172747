// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>

#include "frazil/audit.h"
#include "src/base/human_text.h"

namespace frazil {
namespace {

using Row = std::vector<std::string>;

// Columns padded to their widest cell; the first is text, the others numbers.
std::string Aligned(const std::vector<Row>& rows) {
  std::vector<size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line = "  ";
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - row[i].size(), ' ');
      line += (i == 0 ? "" : "  ") + (i == 0 ? row[i] + padding : padding + row[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string HitText(const Clustering& clustering) {
  if (clustering.count == 0) return "-";
  char text[32];
  std::snprintf(text, sizeof(text), clustering.hit_mean < 10 ? "%.1f" : "%.0f", clustering.hit_mean);
  return text + (" of " + HumanCount(clustering.count));
}

std::string ShareText(int64_t part, int64_t whole) {
  return whole == 0 ? "-" : std::to_string(part * 100 / whole) + "%";
}

}  // namespace

std::string AuditToText(const AuditReport& report) {
  std::string text = Counted(report.files, "file") + ", " + Counted(report.row_groups, "row group") + ", " +
                     Counted(report.rows, "row") + ", " + HumanBytes(report.bytes) + "\n";
  for (const FilterAudit& filter : report.filters) {
    text += "\n" + filter.filter + "\n  would read " + HumanBytes(filter.bytes_planned) + " of " +
            HumanBytes(filter.bytes_full) + " of pages: " + HumanCount(filter.files_kept) + " of " +
            Counted(filter.files_total, "file") + ", " + HumanCount(filter.row_groups_kept) + " of " +
            Counted(filter.row_groups_total, "row group") + ", " + HumanCount(filter.rows_selected) + " of " +
            Counted(filter.rows_total, "row") + "\n";
  }
  text += report.findings.empty() ? "\nno finding\n" : "";
  for (const AuditFinding& finding : report.findings) {
    text += "\n" + finding.name + (finding.column.empty() ? "" : "  " + finding.column) + "\n  found  " +
            finding.evidence + "\n  costs  " + finding.cost + "\n  cure   " + finding.cure + "\n";
  }
  std::vector<Row> rows{{"column", "bytes", "indexed", "bounds", "bloom", "dictionary", "pages", "rows/page",
                         "bytes/page", "files hit", "row groups hit", "pages hit"}};
  for (const ColumnAudit& column : report.columns) {
    rows.push_back({column.column, HumanBytes(column.bytes), ShareText(column.chunks_indexed, column.chunks),
                    ShareText(column.chunks_with_bounds, column.chunks),
                    ShareText(column.chunks_with_bloom, column.chunks),
                    ShareText(column.chunks_dictionary, column.chunks), HumanCount(column.pages),
                    HumanCount(column.page_rows_median), HumanBytes(column.page_bytes_median), HitText(column.files),
                    HitText(column.row_groups), HitText(column.pages_clustering)});
  }
  return text +
         "\ncolumns: shares of the column chunks; of the pages the medians; hit: within whose bounds a value "
         "lies, on average\n" +
         Aligned(rows);
}

}  // namespace frazil
