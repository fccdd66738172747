// SPDX-License-Identifier: Apache-2.0
//
// Audit: whether the files of a table are laid out so that lookups are cheap, column by column, from footers and page
// indexes alone. Every finding names its evidence, what it costs, and its cure.
//
//   ARROW_ASSIGN_OR_RAISE(const AuditReport report, Audit({"orders/"}, {.columns = {"customer_id"}}));
//   std::fputs(AuditToText(report).c_str(), stdout);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <arrow/result.h>

#include "frazil/table.h"

namespace frazil {

struct AuditOptions {
  // Paths of the columns that lookups name. Empty: every column with an order, and only its figures; what a bad layout
  // of it costs is told of columns named here or used by a filter.
  std::vector<std::string> columns;
  std::vector<std::string> filters;  // what each would read of the whole rows
};

// How narrow the bounds of containers (files, row groups, pages) are. A value from the middle of a container's bounds
// lies within the bounds of `hit_mean` of all `count` containers, on average: 1 is ideal, `count` is as good as no
// bounds.
struct Clustering {
  int64_t count = 0;  // containers with bounds
  double hit_mean = 0;

  double share() const { return count == 0 ? 1 : hit_mean / static_cast<double>(count); }
};

struct ColumnAudit {
  std::string column;
  int64_t chunks = 0;
  int64_t bytes = 0;               // compressed, of its column chunks
  int64_t chunks_indexed = 0;      // with a usable column index and offset index
  int64_t chunks_with_bounds = 0;  // in the footer
  int64_t chunks_with_bloom = 0;
  int64_t chunks_dictionary = 0;  // every data page dictionary-encoded
  int64_t chunks_fallback = 0;    // dictionary pages, and data pages that are not dictionary-encoded
  int64_t pages = 0;              // data pages, by the offset indexes
  int64_t page_rows_median = 0;
  int64_t page_bytes_median = 0;
  int64_t pages_alike = 0;  // whose bounds are both cut off and equal: they can not be told apart
  Clustering files;
  Clustering row_groups;
  Clustering pages_clustering;
};

struct FilterAudit {
  std::string filter;
  int64_t files_total = 0, files_kept = 0;
  int64_t row_groups_total = 0, row_groups_kept = 0;
  int64_t rows_total = 0, rows_selected = 0;
  int64_t bytes_planned = 0;  // of pages and dictionaries of whole rows
  int64_t bytes_full = 0;     // of all pages of all columns
};

// In the order of what they cost.
struct AuditFinding {
  std::string name;    // "no-page-index", ...: docs/reference/audit.md has them all
  std::string column;  // empty: of the files
  std::string evidence;
  std::string cost;
  std::string cure;
  int64_t cost_bytes = 0;  // read in vain by one lookup, about: what findings are ordered by
};

struct AuditReport {
  int64_t files = 0;
  int64_t row_groups = 0;
  int64_t rows = 0;
  int64_t bytes = 0;  // sizes of the files
  std::vector<ColumnAudit> columns;
  std::vector<FilterAudit> filters;
  std::vector<AuditFinding> findings;
};

// `addresses` as Table::Open takes them; Parquet files only (kind unsupported for an Iceberg table).
// Cost: of each file the footer and the page indexes of the audited columns, in two requests or three; nothing of data
// pages. Memory: the bounds of every page of the audited columns.
// Errors: those of opening, and of unknown columns and filters. Damaged indexes are findings, not errors.
arrow::Result<AuditReport> Audit(const std::vector<std::string>& addresses, const AuditOptions& options);

// For people: the findings, then a line a column.
std::string AuditToText(const AuditReport& report);

}  // namespace frazil
