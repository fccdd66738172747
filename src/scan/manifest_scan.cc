// SPDX-License-Identifier: Apache-2.0
#include "src/scan/manifest_scan.h"

#include <algorithm>
#include <utility>

#include "frazil/error.h"
#include "src/iceberg/manifest.h"
#include "src/iceberg/project.h"
#include "src/prune/manifest.h"

namespace frazil::scan {
namespace {

using expr::Verdict;
using iceberg::DeleteFile;
using iceberg::FileContent;
using iceberg::FileFormat;
using iceberg::ManifestContent;
using iceberg::ManifestEntry;
using iceberg::ManifestFile;

std::optional<std::string> Owned(const std::optional<std::string_view>& text) {
  if (!text) return std::nullopt;
  return std::string(*text);
}

// A field whose values are as many as the rows of a file, wherever the file has it; -1: there is none.
int FieldOfEachRow(const iceberg::Schema& schema) {
  for (const iceberg::NestedField& field : schema.fields()) {
    if (!field.type.is_nested()) return field.id;
  }
  return -1;
}

// What the manifest list says of the live rows of a manifest.
std::optional<int64_t> ListedRows(const ManifestFile& manifest) {
  int64_t rows = 0;
  if (!manifest.added_row_count || !manifest.existing_row_count ||
      __builtin_add_overflow(*manifest.added_row_count, *manifest.existing_row_count, &rows)) {
    return std::nullopt;
  }
  return rows;
}

// What one manifest adds to the evidence, at once: its entries may be many.
struct EntryCounts {
  int64_t entries = 0;
  int64_t of_partition = 0;  // that their tuples left
  int64_t by_file = 0;       // of these, left out by conditions that the file decides
  int64_t of_metrics = 0;    // that their metrics left
  int64_t skipped_bytes = 0;
  int64_t skipped_rows = 0;
  prune::Unusable unusable;

  void Skip(const ManifestEntry& entry) {
    skipped_bytes += entry.size_bytes;
    skipped_rows += std::max<int64_t>(0, entry.record_count);
  }
  void AddTo(Evidence* evidence) const {
    evidence->Count(Level::kPartition, entries, of_partition);
    if (by_file > 0) evidence->Count(Level::kFile, by_file, 0);
    evidence->Count(Level::kFileMetrics, of_partition - by_file, of_metrics);
    evidence->AddSkippedFiles(entries - of_metrics, skipped_bytes, skipped_rows);
    evidence->AddUnusable(Level::kFileMetrics, unusable);
  }
};

}  // namespace

SpecFilter::SpecFilter(const iceberg::PartitionSpec& of, const iceberg::Schema& schema, const expr::BoundFilter& filter)
    : spec(of),
      projected(iceberg::ProjectFilter(of, schema, filter, iceberg::ProjectionKind::kInclusive)),
      tuples(of, schema, filter) {}

ManifestScan::ManifestScan(std::shared_ptr<const IcebergTable> table, std::shared_ptr<const TableBinding> binding,
                           std::shared_ptr<const ScanContext> context)
    : table_(std::move(table)),
      binding_(std::move(binding)),
      context_(std::move(context)),
      metrics_(table_->schema, binding_->filter) {}

arrow::Result<const SpecFilter*> ManifestScan::SpecOf(int spec_id, const iceberg::ManifestHeader* header) {
  ARROW_ASSIGN_OR_RAISE(const iceberg::PartitionSpec* spec, SpecOfManifest(*table_, spec_id, header));
  std::lock_guard lock(mutex_);
  std::unique_ptr<const SpecFilter>& known = specs_[spec->spec_id];
  if (known != nullptr) return known.get();
  known = std::make_unique<const SpecFilter>(*spec, table_->schema, binding_->filter);
  return known.get();
}

arrow::Result<bool> ManifestScan::MayMatch(const ManifestFile& manifest) {
  const bool is_data = manifest.content == ManifestContent::kData;
  auto judge = [&]() -> arrow::Result<bool> {
    if (!manifest.may_have_live_files() || binding_->filter.root.is_false()) return false;
    if (manifest.partition_spec_id < 0) return true;
    ARROW_ASSIGN_OR_RAISE(const SpecFilter* spec, SpecOf(manifest.partition_spec_id, nullptr));
    if (!context_->enabled(Level::kManifest)) return true;
    prune::Unusable unusable;
    const bool may_match =
        prune::ManifestMayMatch(manifest, spec->spec, table_->schema, table_->metadata, spec->projected, &unusable);
    if (is_data) context_->evidence->AddUnusable(Level::kManifest, unusable);
    return may_match;
  };
  const auto may_match = judge();
  if (!may_match.ok()) return AddPlace(may_match.status(), {.file = manifest.path});
  if (!is_data) {
    context_->evidence->AddDeleteManifest(*may_match);
    return may_match;
  }
  context_->evidence->Count(Level::kManifest, 1, *may_match ? 1 : 0);
  if (!*may_match) {
    const int64_t files = manifest.added_file_count.value_or(0) + manifest.existing_file_count.value_or(0);
    const int64_t rows = manifest.added_row_count.value_or(0) + manifest.existing_row_count.value_or(0);
    context_->evidence->AddSkippedFiles(files, 0, rows);
  }
  return may_match;
}

arrow::Result<std::shared_ptr<arrow::Buffer>> ManifestScan::ReadManifest(const ManifestFile& manifest) {
  ARROW_ASSIGN_OR_RAISE(const std::string address, table_->locations.Address(manifest.path));
  ARROW_ASSIGN_OR_RAISE(auto bytes,
                        ReadWholeFile(*table_->stores, address, manifest.size_bytes, "manifests", context_->trace,
                                      {context_->options.bytes_max, context_->options.requests_max}));
  ARROW_RETURN_NOT_OK(CheckNotEncrypted(std::string_view(*bytes), manifest));
  return bytes;
}

arrow::Result<std::vector<DeleteFile>> ManifestScan::DeleteFiles(const ManifestFile& manifest) {
  auto read = [&]() -> arrow::Result<std::vector<DeleteFile>> {
    ARROW_ASSIGN_OR_RAISE(const auto bytes, ReadManifest(manifest));
    return DeleteEntries(std::string_view(*bytes), manifest);
  };
  auto files = read();
  return files.ok() ? files : AddPlace(files.status(), {.file = manifest.path});
}

arrow::Result<std::vector<DeleteFile>> ManifestScan::DeleteEntries(std::string_view bytes,
                                                                   const ManifestFile& manifest) {
  iceberg::ManifestReadOptions options{
      .metric_field_ids = {iceberg::kDeletePathFieldId}, .counts = false, .schemas = &schemas_};
  ARROW_ASSIGN_OR_RAISE(auto reader, iceberg::ManifestReader::Open(bytes, manifest, options));
  ARROW_ASSIGN_OR_RAISE(const SpecFilter* spec, SpecOf(manifest.partition_spec_id, &reader.header()));
  const iceberg::TupleReader tuples(spec->spec, table_->schema, table_->metadata, reader.partition_fields());
  const bool unpartitioned = spec->spec.is_unpartitioned();
  std::vector<DeleteFile> files;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const ManifestEntry* entry, reader.Next());
    if (entry == nullptr) break;
    if (!entry->sequence_number) {
      return MakeError(ErrorKind::kCorrupt, "the delete file has no sequence number",
                       {.file = std::string(entry->path)});
    }
    DeleteFile& file = files.emplace_back();
    file.location = entry->path;
    file.content = entry->content;
    file.format = entry->format;
    file.format_name = entry->format_name;
    file.scope = tuples.Scope(entry->partition);
    file.is_global = unpartitioned && entry->content == FileContent::kEqualityDeletes;
    file.sequence_number = *entry->sequence_number;
    file.record_count = entry->record_count;
    file.equality_ids = entry->equality_ids;
    file.referenced_data_file = Owned(entry->referenced_data_file);
    file.content_offset = entry->content_offset;
    file.content_size_bytes = entry->content_size_bytes;
    if (!entry->metrics.empty()) {
      file.path_lower = Owned(entry->metrics[0].lower_bound);
      file.path_upper = Owned(entry->metrics[0].upper_bound);
    }
  }
  context_->evidence->Count(Level::kDeleteFiles, static_cast<int64_t>(files.size()), 0);
  return files;
}

arrow::Result<std::vector<DataFile>> ManifestScan::DataFiles(const ManifestFile& manifest, bool with_scopes) {
  auto read = [&]() -> arrow::Result<std::vector<DataFile>> {
    ARROW_ASSIGN_OR_RAISE(const auto bytes, ReadManifest(manifest));
    return DataEntries(std::string_view(*bytes), manifest, with_scopes);
  };
  auto files = read();
  return files.ok() ? files : AddPlace(files.status(), {.file = manifest.path});
}

arrow::Result<std::vector<DataFile>> ManifestScan::DataEntries(std::string_view bytes, const ManifestFile& manifest,
                                                               bool with_scopes) {
  EntryCounts counts;
  const SpecFilter* spec = nullptr;
  std::optional<iceberg::TupleReader> tuples;
  const auto whole_filter = std::make_shared<const expr::Predicate>(binding_->filter.root);
  const auto all_match = std::make_shared<const expr::Predicate>(expr::Predicate::True());
  std::shared_ptr<const expr::Predicate> residual = whole_filter;
  const bool judges_tuples = context_->enabled(Level::kPartition);
  const bool judges_file = binding_->filters_by_file && context_->enabled(Level::kFile);
  const bool judges_metrics = context_->enabled(Level::kFileMetrics) && !whole_filter->is_true();

  iceberg::ManifestReadOptions options{.schemas = &schemas_};
  if (judges_metrics) {
    for (const expr::BoundColumn& column : binding_->filter.columns) options.metric_field_ids.push_back(column.ref);
  }
  // What is counted unopened must be told the same by all that tell it: record, values, list.
  const bool counts_rows = context_->request.count_only && context_->enabled(Level::kFileMetrics);
  if (counts_rows) options.metric_field_ids.push_back(FieldOfEachRow(table_->schema));
  int64_t live_rows = 0;
  options.keep = [&](const ManifestEntry& entry) {
    ++counts.entries;
    if (__builtin_add_overflow(live_rows, entry.record_count, &live_rows)) live_rows = -1;
    residual = judges_tuples ? spec->tuples.Residual(tuples->Keys(entry.partition)) : whole_filter;
    const bool kept = !residual->is_false();
    if (kept) {
      ++counts.of_partition;
    } else {
      counts.Skip(entry);
    }
    return kept;
  };
  ARROW_ASSIGN_OR_RAISE(auto reader, iceberg::ManifestReader::Open(bytes, manifest, options));
  ARROW_ASSIGN_OR_RAISE(spec, SpecOf(manifest.partition_spec_id, &reader.header()));
  tuples.emplace(spec->spec, table_->schema, table_->metadata, reader.partition_fields());
  std::vector<DataFile> files;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const ManifestEntry* entry, reader.Next());
    if (entry == nullptr) break;
    ARROW_ASSIGN_OR_RAISE(auto partition, PartitionOf(spec->spec, *tuples, *entry));
    if (judges_file) {
      DataFileFacts facts;
      facts.location = entry->path;
      facts.spec_id = spec->spec.spec_id;
      facts.filter = {*residual, binding_->filter.columns};
      facts.partition = partition;
      residual = std::make_shared<const expr::Predicate>(DecideByFile(*binding_, facts));
      if (residual->is_false()) {
        ++counts.by_file;
        counts.Skip(*entry);
        continue;
      }
    }
    Verdict verdict = Verdict::kSome;
    if (judges_metrics) verdict = metrics_.Judge(*entry, *residual, &counts.unusable);
    if (verdict == Verdict::kNone) {
      counts.Skip(*entry);
      continue;
    }
    ++counts.of_metrics;
    if (entry->format != FileFormat::kParquet) {
      return MakeError(ErrorKind::kUnsupported,
                       "data files of format " + std::string(entry->format_name) + " are not read",
                       {.file = std::string(entry->path)});
    }
    files.push_back({std::string(entry->path), spec, with_scopes ? tuples->Scope(entry->partition) : "",
                     tuples->Identity(entry->partition), entry->sequence_number, residual, entry->size_bytes,
                     entry->record_count, entry->file_sequence_number, entry->first_row_id, std::move(partition)});
    if (!counts_rows || entry->record_count < 0) continue;
    if (verdict == Verdict::kAll) files.back().residual = all_match;
    const std::optional<int64_t> values = entry->metrics.back().value_count;
    if (!values || *values == entry->record_count) files.back().row_count = entry->record_count;
  }
  if (counts_rows && ListedRows(manifest).value_or(live_rows) != live_rows) {
    for (DataFile& file : files) file.row_count = -1;
  }
  counts.AddTo(context_->evidence.get());
  return files;
}

// The values of _partition; none when nobody asks for them.
arrow::Result<std::vector<std::optional<std::string>>> ManifestScan::PartitionOf(const iceberg::PartitionSpec& spec,
                                                                                 const iceberg::TupleReader& tuples,
                                                                                 const ManifestEntry& entry) const {
  std::vector<std::optional<std::string>> partition;
  if (!binding_->uses_partition) return partition;
  auto values = tuples.Values(entry.partition);
  if (!values.ok()) return AddPlace(values.status(), {.file = std::string(entry.path)});
  partition.resize(table_->partition_type.fields().size());
  const std::vector<int> places = table_->partition_type.PlacesOf(spec);
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i] >= 0) partition[static_cast<size_t>(places[i])] = std::move((*values)[i]);
  }
  return partition;
}

}  // namespace frazil::scan
