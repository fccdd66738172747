// SPDX-License-Identifier: Apache-2.0
//
// Evidence: the counters of one scan, added to by every stage on any thread, and turned into a ScanReport at the end.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "frazil/report.h"
#include "frazil/table.h"
#include "src/io/trace.h"
#include "src/prune/unusable.h"

namespace frazil::scan {

class Evidence {
 public:
  Evidence(const ScanOptions& options, std::shared_ptr<io::Trace> trace);

  // Adds `total` and `kept` containers to a level.
  void Count(Level level, int64_t total, int64_t kept);
  void AddUnusable(Level level, const prune::Unusable& unusable);
  void AddRowGroup(RowGroupReport row_group);
  void AddPages(int64_t total, int64_t kept);
  void AddRows(int64_t total, int64_t selected);
  void AddMatched(int64_t rows);
  // Manifests of delete files, of which there is no level of their own.
  void AddDeleteManifest(bool kept);
  // Rows of an Iceberg table, and those of them that position deletes and deletion vectors left.
  void AddLive(int64_t total, int64_t live);
  void AddFile(int64_t bytes, bool kept);
  // Files that were skipped unopened; `bytes` and `rows` where they are known.
  void AddSkippedFiles(int64_t files, int64_t bytes, int64_t rows);
  // A file that was not opened, as all its rows match: so many, of which `live` are not deleted.
  void AddCountedFile(int64_t bytes, int64_t rows, int64_t live);
  void SetRounds(int rounds);
  void SetTexts(std::string filter, std::string residual, std::vector<std::string> columns);

  // The scan's clock starts at construction.
  ScanReport Report(bool analyzed) const;

 private:
  struct LevelCounts {
    int64_t total = 0;
    int64_t kept = 0;
    prune::Unusable unusable;
  };

  mutable std::mutex mutex_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::shared_ptr<io::Trace> trace_;
  std::map<Level, LevelCounts> levels_;
  std::vector<Level> disabled_;
  LevelCounts deletes_;
  LevelCounts delete_manifests_;
  ScanReport report_;
};

}  // namespace frazil::scan
