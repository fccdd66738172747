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

arrow::Result<std::shared_ptr<arrow::Buffer>> IcebergPlanner::ReadFile(const std::string& location, int64_t size_bytes,
                                                                       const char* purpose) {
  ARROW_ASSIGN_OR_RAISE(const std::string address, table_->locations.Address(location));
  return ReadWholeFile(*table_->stores, address, size_bytes, purpose, context_->trace, budget());
}

arrow::Status IcebergPlanner::ListManifests() {
  const iceberg::Snapshot& snapshot = *table_->snapshot;
  if (snapshot.manifest_list.empty()) {
    for (const std::string& path : snapshot.manifests) manifests_.push_back({.path = path, .partition_spec_id = -1});
    return arrow::Status::OK();
  }
  ARROW_ASSIGN_OR_RAISE(const auto bytes, ReadFile(snapshot.manifest_list, -1, "manifest list"));
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
      ARROW_ASSIGN_OR_RAISE(const auto bytes, ReadFile(manifest.path, manifest.size_bytes, "manifests"));
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
    ARROW_ASSIGN_OR_RAISE(const auto bytes, ReadFile(manifest.path, manifest.size_bytes, "manifests"));
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
  options.keep = [&](const ManifestEntry& entry) {
    residual = binding_->filter.root;
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
    const bool judged = context_->enabled(Level::kFileMetrics);
    const bool kept = !judged || prune::JudgeFileMetrics(*entry, table_->schema, binding_->filter, residual,
                                                         &unusable) != Verdict::kNone;
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
    files_.push_back({location, entry->size_bytes, spec, tuples->Scope(entry->partition),
                      tuples->Identity(entry->partition), entry->sequence_number, residual});
  }
  evidence.AddUnusable(Level::kFileMetrics, unusable);
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<FileScan>> IcebergPlanner::Plan(const DataFile& file) {
  DataFileFacts facts;
  facts.location = file.location;
  facts.spec_id = file.spec->spec.spec_id;
  facts.identity_values = file.identity_values;
  facts.filter = {file.residual, binding_->filter.columns};
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
  ARROW_ASSIGN_OR_RAISE(const std::string address, table_->locations.Address(file.location));
  ARROW_ASSIGN_OR_RAISE(auto source, table_->stores->Open(address, file.size_bytes > 0 ? file.size_bytes : -1));
  return PlanFile(context_, std::move(source), nullptr,
                  [&](const parquet::Footer& footer) { return BindDataFile(*table_, *binding_, facts, footer); });
}

}  // namespace frazil::scan
