// SPDX-License-Identifier: Apache-2.0
#include "src/scan/iceberg_planner.h"

#include <algorithm>
#include <utility>

#include "frazil/error.h"
#include "src/iceberg/manifest.h"
#include "src/iceberg/partition_residual.h"
#include "src/iceberg/project.h"
#include "src/prune/file_metrics.h"
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

// Key metadata alone say nothing: writers leave them on files that anybody can read. Encrypted Parquet files have a
// magic number of their own, and are refused where they are opened.
arrow::Status CheckNotEncrypted(std::string_view bytes, const ManifestFile& manifest) {
  if (!manifest.key_metadata || bytes.starts_with("Obj")) return arrow::Status::OK();
  return MakeError(ErrorKind::kUnsupported, "the manifest is encrypted");
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

}  // namespace

IcebergPlanner::IcebergPlanner(std::shared_ptr<const IcebergTable> table, std::shared_ptr<const TableBinding> binding,
                               std::shared_ptr<const ScanContext> context)
    : table_(std::move(table)),
      binding_(std::move(binding)),
      context_(std::move(context)),
      delete_files_(table_, context_) {}

arrow::Result<std::shared_ptr<FileScan>> IcebergPlanner::Next() {
  if (!begun_) ARROW_RETURN_NOT_OK(Begin());
  while (files_.empty()) {
    if (next_manifest_ == manifests_.size()) return nullptr;
    const ManifestFile& manifest = manifests_[next_manifest_++];
    if (manifest.content == ManifestContent::kData) ARROW_RETURN_NOT_OK(ReadDataManifest(manifest));
  }
  const DataFile file = std::move(files_.front());
  files_.pop_front();
  return Plan(file);
}

arrow::Status IcebergPlanner::Begin() {
  begun_ = true;
  for (const Level level : {Level::kManifest, Level::kPartition, Level::kFileMetrics, Level::kDeleteFiles}) {
    context_->evidence->Count(level, 0, 0);
  }
  if (table_->snapshot == nullptr) return arrow::Status::OK();
  ARROW_RETURN_NOT_OK(ListManifests());
  if (!binding_->filter.root.is_false()) return ReadDeletes();
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::Buffer>> IcebergPlanner::ReadFile(const std::string& location,
                                                                       const char* purpose) {
  ARROW_ASSIGN_OR_RAISE(const std::string address, table_->locations.Address(location));
  return ReadWholeFile(address, purpose, context_->trace, budget());
}

arrow::Status IcebergPlanner::ListManifests() {
  const iceberg::Snapshot& snapshot = *table_->snapshot;
  if (snapshot.manifest_list.empty()) {
    for (const std::string& path : snapshot.manifests) manifests_.push_back({.path = path, .partition_spec_id = -1});
    return arrow::Status::OK();
  }
  ARROW_ASSIGN_OR_RAISE(const auto bytes, ReadFile(snapshot.manifest_list, "manifest list"));
  auto manifests = iceberg::ReadManifestList(std::string_view(*bytes));
  if (!manifests.ok()) return AddPlace(manifests.status(), {.file = snapshot.manifest_list});
  manifests_ = *std::move(manifests);
  return arrow::Status::OK();
}

// The spec of a manifest; of one that no list describes, what its header says.
arrow::Result<const IcebergPlanner::SpecFilter*> IcebergPlanner::SpecOf(int spec_id,
                                                                        const iceberg::ManifestHeader* header) {
  if (spec_id < 0 && header != nullptr) spec_id = header->partition_spec_id.value_or(table_->metadata.default_spec_id);
  const auto known = specs_.find(spec_id);
  if (known != specs_.end()) return &known->second;
  const iceberg::PartitionSpec* spec = table_->metadata.FindSpec(spec_id);
  if (spec == nullptr) {
    return MakeError(ErrorKind::kCorrupt, "the manifest is of partition spec " + std::to_string(spec_id) +
                                              ", which the table does not have");
  }
  SpecFilter filter{
      *spec, iceberg::ProjectFilter(*spec, table_->schema, binding_->filter, iceberg::ProjectionKind::kInclusive)};
  return &specs_.emplace(spec_id, std::move(filter)).first->second;
}

bool IcebergPlanner::MayMatch(const ManifestFile& manifest, const SpecFilter& spec) {
  if (!context_->enabled(Level::kManifest)) return true;
  prune::Unusable unusable;
  const bool may_match =
      prune::ManifestMayMatch(manifest, spec.spec, table_->schema, table_->metadata, spec.projected, &unusable);
  if (manifest.content == ManifestContent::kData) context_->evidence->AddUnusable(Level::kManifest, unusable);
  return may_match;
}

void IcebergPlanner::SkipManifest(const ManifestFile& manifest) {
  const int64_t files = manifest.added_file_count.value_or(0) + manifest.existing_file_count.value_or(0);
  const int64_t rows = manifest.added_row_count.value_or(0) + manifest.existing_row_count.value_or(0);
  context_->evidence->AddSkippedFiles(files, 0, rows);
}

arrow::Status IcebergPlanner::ReadDeletes() {
  for (const ManifestFile& manifest : manifests_) {
    if (manifest.content != ManifestContent::kDeletes || !manifest.may_have_live_files()) continue;
    auto read = [&]() -> arrow::Status {
      // A partition that can not match has no rows that its deletes could take away.
      ARROW_ASSIGN_OR_RAISE(const SpecFilter* spec, SpecOf(manifest.partition_spec_id, nullptr));
      if (!MayMatch(manifest, *spec)) return arrow::Status::OK();
      ARROW_ASSIGN_OR_RAISE(const auto bytes, ReadFile(manifest.path, "manifests"));
      return ReadDeleteEntries(std::string_view(*bytes), manifest);
    };
    const arrow::Status status = read();
    if (!status.ok()) return AddPlace(status, {.file = manifest.path});
  }
  return arrow::Status::OK();
}

arrow::Status IcebergPlanner::ReadDeleteEntries(std::string_view bytes, const ManifestFile& manifest) {
  ARROW_RETURN_NOT_OK(CheckNotEncrypted(bytes, manifest));
  iceberg::ManifestReadOptions options{.metric_field_ids = {iceberg::kDeletePathFieldId}, .counts = false};
  ARROW_ASSIGN_OR_RAISE(auto reader, iceberg::ManifestReader::Open(bytes, manifest, options));
  ARROW_ASSIGN_OR_RAISE(const SpecFilter* spec, SpecOf(manifest.partition_spec_id, &reader.header()));
  const iceberg::TupleReader tuples(spec->spec, table_->schema, table_->metadata, reader.partition_fields());
  const bool unpartitioned = spec->spec.is_unpartitioned();
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const ManifestEntry* entry, reader.Next());
    if (entry == nullptr) return arrow::Status::OK();
    if (!entry->sequence_number) {
      return MakeError(ErrorKind::kCorrupt, "the delete file has no sequence number",
                       {.file = std::string(entry->path)});
    }
    DeleteFile file;
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
    context_->evidence->Count(Level::kDeleteFiles, 1, 0);
    deletes_.Add(std::move(file));
  }
}

arrow::Status IcebergPlanner::ReadDataManifest(const ManifestFile& manifest) {
  auto read = [&]() -> arrow::Status {
    bool may_match = manifest.may_have_live_files() && !binding_->filter.root.is_false();
    if (may_match && manifest.partition_spec_id >= 0) {
      ARROW_ASSIGN_OR_RAISE(const SpecFilter* spec, SpecOf(manifest.partition_spec_id, nullptr));
      may_match = MayMatch(manifest, *spec);
    }
    context_->evidence->Count(Level::kManifest, 1, may_match ? 1 : 0);
    if (!may_match) {
      SkipManifest(manifest);
      return arrow::Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(const auto bytes, ReadFile(manifest.path, "manifests"));
    return ReadDataEntries(std::string_view(*bytes), manifest);
  };
  const arrow::Status status = read();
  return status.ok() ? status : AddPlace(status, {.file = manifest.path});
}

arrow::Status IcebergPlanner::ReadDataEntries(std::string_view bytes, const ManifestFile& manifest) {
  ARROW_RETURN_NOT_OK(CheckNotEncrypted(bytes, manifest));
  Evidence& evidence = *context_->evidence;
  prune::Unusable unusable;
  const SpecFilter* spec = nullptr;
  std::optional<iceberg::TupleReader> tuples;
  expr::Predicate residual;

  iceberg::ManifestReadOptions options;
  for (const expr::BoundColumn& column : binding_->filter.columns) options.metric_field_ids.push_back(column.ref);
  // What is counted unopened must be told the same by all that tell it: record, values, list.
  const bool counts = context_->request.count_only && context_->enabled(Level::kFileMetrics);
  if (counts) options.metric_field_ids.push_back(FieldOfEachRow(table_->schema));
  const size_t first_file = files_.size();
  int64_t live_rows = 0;
  options.keep = [&](const ManifestEntry& entry) {
    residual = binding_->filter.root;
    if (__builtin_add_overflow(live_rows, entry.record_count, &live_rows)) live_rows = -1;
    if (context_->enabled(Level::kPartition)) {
      residual =
          iceberg::PartitionResidual(spec->spec, table_->schema, binding_->filter, tuples->Keys(entry.partition));
    }
    const bool kept = !residual.is_false();
    evidence.Count(Level::kPartition, 1, kept ? 1 : 0);
    if (!kept) evidence.AddSkippedFiles(1, entry.size_bytes, std::max<int64_t>(0, entry.record_count));
    return kept;
  };
  ARROW_ASSIGN_OR_RAISE(auto reader, iceberg::ManifestReader::Open(bytes, manifest, options));
  ARROW_ASSIGN_OR_RAISE(spec, SpecOf(manifest.partition_spec_id, &reader.header()));
  tuples.emplace(spec->spec, table_->schema, table_->metadata, reader.partition_fields());
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const ManifestEntry* entry, reader.Next());
    if (entry == nullptr) break;
    ARROW_ASSIGN_OR_RAISE(auto partition, PartitionOf(spec->spec, *tuples, *entry));
    if (binding_->filters_by_file && context_->enabled(Level::kFile)) {
      DataFileFacts facts;
      facts.location = entry->path;
      facts.spec_id = spec->spec.spec_id;
      facts.filter = {residual, binding_->filter.columns};
      facts.partition = partition;
      residual = DecideByFile(*binding_, facts);
      if (residual.is_false()) {
        evidence.Count(Level::kFile, 1, 0);
        evidence.AddSkippedFiles(1, entry->size_bytes, std::max<int64_t>(0, entry->record_count));
        continue;
      }
    }
    const bool judged = context_->enabled(Level::kFileMetrics);
    Verdict verdict = Verdict::kSome;
    if (judged) verdict = prune::JudgeFileMetrics(*entry, table_->schema, binding_->filter, residual, &unusable);
    const bool kept = verdict != Verdict::kNone;
    evidence.Count(Level::kFileMetrics, 1, kept ? 1 : 0);
    if (!kept) {
      evidence.AddSkippedFiles(1, entry->size_bytes, std::max<int64_t>(0, entry->record_count));
      continue;
    }
    const std::string location(entry->path);
    if (entry->format != FileFormat::kParquet) {
      return MakeError(ErrorKind::kUnsupported,
                       "data files of format " + std::string(entry->format_name) + " are not read", {.file = location});
    }
    files_.push_back({location, spec, tuples->Scope(entry->partition), tuples->Identity(entry->partition),
                      entry->sequence_number, entry->first_row_id, std::move(partition), residual, entry->size_bytes});
    if (!counts || entry->record_count < 0) continue;
    if (verdict == Verdict::kAll) files_.back().residual = expr::Predicate::True();
    const std::optional<int64_t> values = entry->metrics.back().value_count;
    if (!values || *values == entry->record_count) files_.back().row_count = entry->record_count;
  }
  if (counts && ListedRows(manifest).value_or(live_rows) != live_rows) {
    for (size_t i = first_file; i < files_.size(); ++i) files_[i].row_count = -1;
  }
  evidence.AddUnusable(Level::kFileMetrics, unusable);
  return arrow::Status::OK();
}

// The values of _partition; none when nobody asks for them.
arrow::Result<std::vector<std::optional<std::string>>> IcebergPlanner::PartitionOf(const iceberg::PartitionSpec& spec,
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

arrow::Result<std::shared_ptr<FileScan>> IcebergPlanner::Plan(const DataFile& file) {
  DataFileFacts facts;
  facts.location = file.location;
  facts.spec_id = file.spec->spec.spec_id;
  facts.identity_values = file.identity_values;
  facts.filter = {file.residual, binding_->filter.columns};
  facts.first_row_id = file.first_row_id;
  facts.sequence_number = file.sequence_number;
  facts.partition = file.partition;
  if (!deletes_.empty()) {
    if (!file.sequence_number) {
      return MakeError(ErrorKind::kCorrupt, "the data file has no sequence number, and the table has deletes",
                       {.file = file.location});
    }
    ARROW_ASSIGN_OR_RAISE(const auto deletes, deletes_.Of(file.location, file.scope, *file.sequence_number,
                                                          context_->enabled(Level::kDeleteFiles)));
    for (const DeleteFile* of_file : deletes) {
      if (of_file->content == FileContent::kEqualityDeletes) {
        ARROW_RETURN_NOT_OK(delete_files_.KeepOthers(*of_file, &facts.filter));
        continue;
      }
      ARROW_ASSIGN_OR_RAISE(const RowRanges rows, delete_files_.DeletedRows(*of_file, file.location));
      facts.deleted = facts.deleted.Union(rows);
    }
  }
  if (file.row_count >= 0 && facts.filter.root.is_true()) {
    auto counted = std::make_shared<FileScan>();
    counted->rows_counted = RowRanges::Of(0, file.row_count).Difference(facts.deleted).count();
    context_->evidence->AddCountedFile(file.size_bytes, file.row_count, counted->rows_counted);
    return counted;
  }
  ARROW_ASSIGN_OR_RAISE(const std::string address, table_->locations.Address(file.location));
  ARROW_ASSIGN_OR_RAISE(auto source, OpenLocalFile(address));
  return PlanFile(context_, std::move(source), nullptr,
                  [&](const parquet::Footer& footer) { return BindDataFile(*table_, *binding_, facts, footer); });
}

}  // namespace frazil::scan
