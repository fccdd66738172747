// SPDX-License-Identifier: Apache-2.0
//
// ScanReport: what a scan skipped, read and could not use. One object, collected along the way, feeds explain, the
// counters of --stats and the tests. Every kept has its total. All sizes are in bytes, all times in nanoseconds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frazil/error.h"

namespace frazil {

// Evidence that could not be used: missing, malformed, contradicting itself, or of no defined meaning.
struct UnusableEvidence {
  std::string column;
  std::string reason;
  int64_t count = 0;  // containers (files, row groups or column chunks) it happened in
};

// One skipping level.
struct LevelReport {
  std::string name;  // "manifest", "partition", ..., "file", "row-group", "bloom", "page-index", "dictionary",
                     // "filter"
  std::string unit;  // what total and kept count: "manifests", "files", "row groups", "rows"
  int64_t total = 0;
  int64_t kept = 0;
  bool enabled = true;
  std::vector<UnusableEvidence> unusable;
};

// Requests and bytes by purpose, in order of first use.
struct IoStep {
  std::string purpose;  // "metadata", "manifests", "delete files", "footer", "bloom filters", "page index",
                        // "dictionaries", "filter pages", "pages"
  int64_t requests = 0;
  int64_t bytes = 0;
};

// One request made of a byte source.
struct IoRequest {
  std::string file;
  int64_t round = 0;  // of the file, from 0; requests of one round do not wait for each other
  std::string purpose;
  ByteRange range;
};

// What is planned for one row group that is left after pruning.
struct RowGroupReport {
  std::string file;
  int row_group = 0;
  int64_t rows_total = 0;
  int64_t rows_selected = 0;  // rows of pages that may match
  int64_t rows_proven = 0;    // of these, rows that need no filter
  int64_t pages_total = 0;
  int64_t pages_kept = 0;
  int64_t bytes_planned = 0;  // of pages and dictionaries, before gaps are bridged
  std::string stages;         // "one stage" or "two stages", and why
};

struct ScanReport {
  int64_t files_total = 0;
  int64_t files_kept = 0;
  int64_t files_counted = 0;  // not opened, as the manifest tells how many rows they have and all of them match
  int64_t row_groups_total = 0;
  int64_t row_groups_kept = 0;
  // Data pages of the columns read (filter and projection) in the row groups kept, where an offset index tells.
  // kept: planned to be read (after a scan: of both stages).
  int64_t pages_total = 0;
  int64_t pages_kept = 0;
  int64_t rows_total = 0;
  int64_t rows_selected = 0;  // rows left after the last level before the filter
  int64_t rows_matched = 0;   // rows that the filter accepts, before a limit cuts them; 0 for explain without analyze
  int64_t bytes_total = 0;    // sizes of the files
  int64_t bytes_planned = 0;  // of pages and dictionaries of the row groups kept, before gaps are bridged
  int64_t bytes_read = 0;     // as the byte sources saw it
  int64_t requests = 0;       // retries and hedges among them
  int64_t retries = 0;        // requests made again because one failed
  int64_t hedges = 0;         // requests made a second time because one was slow
  int64_t rounds = 0;         // the longest chain of dependent requests of any one file
  int64_t elapsed_ns = 0;
  bool analyzed = false;  // data were read

  std::string filter;
  std::string residual;  // what is left to ask of the selected rows; empty: nothing
  std::vector<std::string> columns;
  std::vector<LevelReport> levels;
  std::vector<IoStep> io;
  std::vector<RowGroupReport> row_groups;  // at most kRowGroupsMax
  static constexpr size_t kRowGroupsMax = 100;
  std::vector<IoRequest> trace;  // in the order in which they were made; at most kTraceMax
  static constexpr size_t kTraceMax = 1000;
};

// For people: one line a level, total -> kept, with reasons and costs.
std::string ReportToText(const ScanReport& report);

}  // namespace frazil
