// SPDX-License-Identifier: Apache-2.0
#include "frazil/table.h"

#include <algorithm>
#include <atomic>
#include <string_view>
#include <thread>
#include <utility>

#include "src/iceberg/arrow_type.h"
#include "src/io/address.h"
#include "src/scan/file_scan.h"
#include "src/scan/iceberg_planner.h"
#include "src/scan/iceberg_table.h"
#include "src/scan/open_file.h"
#include "src/scan/scan_reader.h"

namespace frazil {

using scan::FileScan;
using scan::ScanContext;

struct Table::Impl {
  std::vector<std::shared_ptr<ByteSource>> sources;
  scan::OpenedFile first;
  // Set: the table is this one, and has no sources.
  std::shared_ptr<const scan::IcebergTable> iceberg;
  std::shared_ptr<arrow::Schema> iceberg_schema;
  // The requests that opening made; the first scan counts them as its own.
  std::vector<io::TraceEntry> opening;
  mutable std::atomic<bool> opening_counted{false};
};

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
  const bool is_iceberg = std::any_of(addresses.begin(), addresses.end(), scan::IsIcebergAddress);
  if (is_iceberg && addresses.size() > 1) {
    return MakeError(ErrorKind::kUsage, "an Iceberg table can not be read together with other files");
  }
  if (is_iceberg) {
    std::shared_ptr<Table> table(new Table());
    auto trace = std::make_shared<io::Trace>();
    ARROW_ASSIGN_OR_RAISE(table->impl_->iceberg, scan::OpenIcebergTable(addresses[0], options, trace));
    table->impl_->iceberg_schema = iceberg::ArrowSchema(table->impl_->iceberg->schema);
    table->impl_->opening = trace->entries();
    return table;
  }
  if (options.snapshot_id || options.ref || options.as_of_ms || !options.rewrite_locations.empty()) {
    return MakeError(ErrorKind::kUsage, "snapshots and rewritten locations are for Iceberg tables, which this is not",
                     {.file = addresses.empty() ? "" : addresses[0]});
  }
  std::vector<std::shared_ptr<ByteSource>> sources;
  for (const std::string& address : addresses) {
    ARROW_ASSIGN_OR_RAISE(auto paths, io::ExpandAddress(address));
    for (const std::string& path : paths) {
      ARROW_ASSIGN_OR_RAISE(auto source, OpenLocalFile(path));
      sources.push_back(std::move(source));
    }
  }
  return OpenSources(std::move(sources));
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

int Table::file_count() const { return static_cast<int>(impl_->sources.size()); }

Scan Table::NewScan() const { return Scan(shared_from_this(), {}); }

namespace {

arrow::Result<std::shared_ptr<ScanContext>> MakeContext(const Table& table, const ScanOptions& options,
                                                        bool count_only) {
  auto context = std::make_shared<ScanContext>();
  context->options = options;
  context->trace = std::make_shared<io::Trace>();
  context->evidence = std::make_shared<scan::Evidence>(options, context->trace);
  ARROW_ASSIGN_OR_RAISE(context->request, scan::ParseRequest(options));
  context->request.count_only = count_only;
  context->threads =
      options.threads > 0 ? options.threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const Table::Impl& impl = table.impl();
  expr::Predicate root;
  if (impl.iceberg != nullptr) {
    auto binding = scan::BindTable(context->request, impl.iceberg->schema);
    if (!binding.ok()) return AddPlace(binding.status(), {.file = impl.iceberg->metadata_address});
    context->schema = binding->schema;
    root = binding->filter.root;
    context->table_binding = std::make_shared<const scan::TableBinding>(*std::move(binding));
  } else {
    auto binding = scan::Bind(context->request, *impl.first.footer);
    if (!binding.ok()) return AddPlace(binding.status(), {.file = impl.first.source->name()});
    context->schema = binding->schema;
    root = std::move(binding->filter.root);
  }
  std::vector<std::string> columns;
  for (const auto& field : context->schema->fields()) columns.push_back(field->name());
  context->evidence->SetTexts(context->request.filter ? context->request.filter->ToString() : "",
                              root.is_true() ? "" : root.ToString(), columns);
  if (!impl.opening_counted.exchange(true)) {
    for (const io::TraceEntry& entry : impl.opening) {
      context->opening_rounds = std::max(context->opening_rounds, entry.round + 1);
      context->trace->Add(entry);
    }
  }
  return context;
}

scan::NextFile FilesOf(std::shared_ptr<const Table> table, std::shared_ptr<const ScanContext> context) {
  if (table->impl().iceberg != nullptr) {
    auto planner = std::make_shared<scan::IcebergPlanner>(table->impl().iceberg, context->table_binding, context);
    return [planner] { return planner->Next(); };
  }
  return [table = std::move(table), context = std::move(context),
          next = size_t{0}]() mutable -> arrow::Result<std::shared_ptr<FileScan>> {
    const Table::Impl& impl = table->impl();
    if (next >= impl.sources.size()) return nullptr;
    const size_t file = next++;
    return scan::PlanFile(context, impl.sources[file], file == 0 ? &impl.first : nullptr);
  };
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Scan::ToReader(std::shared_ptr<ScanReport> report) const {
  ARROW_ASSIGN_OR_RAISE(auto context, MakeContext(*table_, options_, /*count_only=*/false));
  return std::make_shared<scan::ScanReader>(context, FilesOf(table_, context), std::move(report));
}

arrow::Result<int64_t> Scan::Count(ScanReport* report) const {
  ARROW_ASSIGN_OR_RAISE(auto context, MakeContext(*table_, options_, /*count_only=*/true));
  auto next_file = FilesOf(table_, context);
  int64_t rows = 0;
  const int64_t limit = options_.limit;
  while (limit < 0 || rows < limit) {
    ARROW_ASSIGN_OR_RAISE(auto file, next_file());
    if (file == nullptr) break;
    for (const auto& candidate : file->candidates) {
      if (limit >= 0 && rows >= limit) break;
      scan::RowGroupScan row_group(file, candidate, limit < 0 ? -1 : limit - rows);
      ARROW_ASSIGN_OR_RAISE(const int64_t count, row_group.CountRows());
      rows += count;
    }
  }
  if (report != nullptr) *report = context->evidence->Report(/*analyzed=*/true);
  return rows;
}

arrow::Result<ScanReport> Scan::Explain() const {
  ARROW_ASSIGN_OR_RAISE(auto context, MakeContext(*table_, options_, /*count_only=*/false));
  auto next_file = FilesOf(table_, context);
  while (true) {
    ARROW_ASSIGN_OR_RAISE(auto file, next_file());
    if (file == nullptr) break;
    for (const auto& candidate : file->candidates) {
      ARROW_RETURN_NOT_OK(scan::RowGroupScan(file, candidate, options_.limit).ExplainOnly());
    }
  }
  return context->evidence->Report(/*analyzed=*/false);
}

}  // namespace frazil
