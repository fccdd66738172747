// SPDX-License-Identifier: Apache-2.0
#include "frazil/table.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "frazil/explain.h"
#include "src/iceberg/arrow_type.h"
#include "src/io/stores.h"
#include "src/scan/catalog_address.h"
#include "src/scan/iceberg_table.h"
#include "src/scan/scan_reader.h"
#include "src/scan/table_impl.h"
#include "src/scan/table_scan.h"

namespace frazil {

Table::Table() : impl_(std::make_unique<Impl>()) {}
Table::~Table() = default;

const char* LevelName(Level level) {
  switch (level) {
    case Level::kManifest:
      return "manifest";
    case Level::kPartition:
      return "partition";
    case Level::kFileMetrics:
      return "file-metrics";
    case Level::kDeleteFiles:
      return "delete-files";
    case Level::kFile:
      return "file";
    case Level::kRowGroup:
      return "row-group";
    case Level::kBloom:
      return "bloom";
    case Level::kPageIndex:
      return "page-index";
    case Level::kDictionary:
      return "dictionary";
    case Level::kTwoStages:
      return "two-stages";
  }
  return "";
}

const std::vector<Level>& AllLevels() {
  static const std::vector<Level> kLevels{
      Level::kManifest, Level::kPartition, Level::kFileMetrics, Level::kDeleteFiles, Level::kFile,
      Level::kRowGroup, Level::kBloom,     Level::kPageIndex,   Level::kDictionary,  Level::kTwoStages};
  return kLevels;
}

const std::vector<Level>& FileLevels() {
  static const std::vector<Level> kLevels{Level::kFile,      Level::kRowGroup,   Level::kBloom,
                                          Level::kPageIndex, Level::kDictionary, Level::kTwoStages};
  return kLevels;
}

arrow::Result<Level> ParseLevel(std::string_view name) {
  std::string names;
  for (Level level : AllLevels()) {
    if (name == LevelName(level)) return level;
    names += (names.empty() ? "" : ", ") + std::string(LevelName(level));
  }
  return MakeError(ErrorKind::kUsage, "unknown level " + std::string(name) + "; the levels are " + names);
}

arrow::Result<std::shared_ptr<Table>> Table::Open(const std::vector<std::string>& addresses,
                                                  const TableOptions& options) {
  bool is_iceberg = std::any_of(addresses.begin(), addresses.end(), scan::IsIcebergAddress);
  std::optional<scan::CatalogAddress> name;
  for (size_t i = 0; i < addresses.size() && !is_iceberg; ++i) {
    ARROW_ASSIGN_OR_RAISE(name, scan::FindCatalogAddress(addresses[i], options));
    is_iceberg = name.has_value();
  }
  if (is_iceberg && addresses.size() > 1) {
    return MakeError(ErrorKind::kUsage, "an Iceberg table can not be read together with other files");
  }
  if (is_iceberg) {
    std::shared_ptr<Table> table(new Table());
    auto trace = std::make_shared<io::Trace>();
    ARROW_ASSIGN_OR_RAISE(table->impl_->iceberg, name ? scan::OpenCatalogTable(*name, options, trace)
                                                      : scan::OpenIcebergTable(addresses[0], options, trace));
    table->impl_->iceberg_schema = iceberg::ArrowSchema(table->impl_->iceberg->schema);
    table->impl_->opening = trace->entries();
    return table;
  }
  if (options.snapshot_id || options.ref || options.as_of_ms || !options.rewrite_locations.empty()) {
    return MakeError(ErrorKind::kUsage, "snapshots and rewritten locations are for Iceberg tables, which this is not",
                     {.file = addresses.empty() ? "" : addresses[0]});
  }
  auto stores = std::make_shared<io::Stores>(options.properties);
  io::Trace listing;
  std::shared_ptr<ByteSource> first;
  std::vector<io::StoredFile> files;
  for (const std::string& address : addresses) {
    ARROW_ASSIGN_OR_RAISE(auto expanded, stores->Expand(address, &listing));
    for (io::StoredFile& file : expanded) {
      // All are opened once: what can not be read is told before anything is.
      ARROW_ASSIGN_OR_RAISE(auto source, stores->Open(file.address, file.size_bytes));
      if (first == nullptr) first = std::move(source);
      files.push_back(std::move(file));
    }
  }
  if (first == nullptr) return OpenSources({});
  ARROW_ASSIGN_OR_RAISE(auto table, OpenSources({std::move(first)}));
  table->impl_->stores = std::move(stores);
  table->impl_->files = std::move(files);
  std::vector<io::TraceEntry>& opening = table->impl_->opening;
  const auto listed = listing.entries();
  opening.insert(opening.begin(), listed.begin(), listed.end());
  return table;
}

arrow::Result<std::shared_ptr<Table>> Table::OpenSources(std::vector<std::shared_ptr<ByteSource>> sources) {
  if (sources.empty()) return MakeError(ErrorKind::kUsage, "a table needs at least one file");
  std::shared_ptr<Table> table(new Table());
  auto trace = std::make_shared<io::Trace>();
  io::RangeReader reader(sources[0], trace);
  ARROW_ASSIGN_OR_RAISE(table->impl_->first, scan::OpenFile(sources[0], &reader));
  table->impl_->opening = trace->entries();
  table->impl_->sources = std::move(sources);
  return table;
}

const std::shared_ptr<arrow::Schema>& Table::schema() const {
  if (impl_->iceberg != nullptr) return impl_->iceberg_schema;
  return impl_->first.footer->arrow_schema();
}

int Table::file_count() const { return static_cast<int>(impl_->file_count()); }

Scan Table::NewScan() const { return Scan(shared_from_this(), {}); }

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Scan::ToReader(std::shared_ptr<ScanReport> report) const {
  ARROW_ASSIGN_OR_RAISE(auto context, scan::BindScan(*table_, options_, /*count_only=*/false));
  return std::make_shared<scan::ScanReader>(context, scan::FilesOf(table_, context), std::move(report));
}

arrow::Result<int64_t> Scan::Count(ScanReport* report) const {
  ARROW_ASSIGN_OR_RAISE(auto context, scan::BindScan(*table_, options_, /*count_only=*/true));
  auto next_file = scan::FilesOf(table_, context);
  int64_t rows = 0;
  const int64_t limit = options_.limit;
  while (limit < 0 || rows < limit) {
    ARROW_ASSIGN_OR_RAISE(auto file, next_file());
    if (file == nullptr) break;
    rows += file->rows_counted;
    for (const auto& candidate : file->candidates) {
      if (limit >= 0 && rows >= limit) break;
      scan::RowGroupScan row_group(file, candidate, limit < 0 ? -1 : limit - rows);
      ARROW_ASSIGN_OR_RAISE(const int64_t count, row_group.CountRows());
      rows += count;
    }
  }
  if (report != nullptr) *report = context->evidence->Report(/*analyzed=*/true);
  return limit >= 0 ? std::min(rows, limit) : rows;
}

arrow::Result<ScanReport> Scan::Explain() const { return ExplainScan(table_, options_); }

}  // namespace frazil
