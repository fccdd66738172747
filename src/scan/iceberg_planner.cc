// SPDX-License-Identifier: Apache-2.0
#include "src/scan/iceberg_planner.h"

#include <algorithm>
#include <utility>

#include "frazil/error.h"

namespace frazil::scan {
namespace {

using iceberg::DeleteFile;
using iceberg::ManifestContent;
using iceberg::ManifestFile;

// Of manifests that are read ahead, stored bytes: what they are decoded to is held a block at a time.
constexpr int64_t kManifestBytesAhead = int64_t{32} << 20;

AheadLimits ManifestLimits(int threads) {
  return {.turns = static_cast<size_t>(threads) * 2 + 1, .bytes = kManifestBytesAhead};
}

}  // namespace

// What is read ahead of a limit may never be asked for.
int IcebergPlanner::threads_ahead() const { return context_->options.limit < 0 ? context_->threads : 1; }

IcebergPlanner::IcebergPlanner(std::shared_ptr<const IcebergTable> table, std::shared_ptr<const TableBinding> binding,
                               std::shared_ptr<const ScanContext> context)
    : table_(std::move(table)),
      binding_(std::move(binding)),
      context_(std::move(context)),
      manifest_scan_(table_, binding_, context_),
      delete_files_(table_, context_),
      manifests_ahead_(threads_ahead(), ManifestLimits(context_->threads),
                       [this]() -> arrow::Result<std::optional<ManifestsAhead::Turn>> {
                         ARROW_ASSIGN_OR_RAISE(const ManifestFile* manifest,
                                               NextManifest(ManifestContent::kData, &next_manifest_));
                         if (manifest == nullptr) return std::nullopt;
                         return ManifestsAhead::Turn{manifest->size_bytes, [this, manifest] {
                                                       return manifest_scan_.DataFiles(*manifest, !deletes_.empty());
                                                     }};
                       }),
      files_ahead_(threads_ahead(), FilesAheadLimits(context_->threads),
                   [this]() -> arrow::Result<std::optional<FilesAhead::Turn>> {
                     ARROW_ASSIGN_OR_RAISE(auto file, NextDataFile());
                     if (!file) return std::nullopt;
                     return FilesAhead::Turn{0, [this, opened = std::make_shared<const DataFile>(*std::move(file))] {
                                               return Open(*opened);
                                             }};
                   }) {}

arrow::Result<std::shared_ptr<FileScan>> IcebergPlanner::Next() {
  ARROW_ASSIGN_OR_RAISE(auto file, files_ahead_.Next());
  return file.value_or(nullptr);
}

arrow::Result<std::optional<DataFile>> IcebergPlanner::NextDataFile() {
  if (!begun_) ARROW_RETURN_NOT_OK(Begin());
  while (next_file_ == files_.size()) {
    ARROW_ASSIGN_OR_RAISE(auto files, manifests_ahead_.Next());
    if (!files) return std::nullopt;
    files_ = *std::move(files);
    next_file_ = 0;
  }
  return std::move(files_[next_file_++]);
}

arrow::Status IcebergPlanner::Begin() {
  begun_ = true;
  for (const Level level : {Level::kManifest, Level::kPartition, Level::kFileMetrics, Level::kDeleteFiles}) {
    context_->evidence->Count(level, 0, 0);
  }
  const io::ReadBudget budget{context_->options.bytes_max, context_->options.requests_max};
  ARROW_ASSIGN_OR_RAISE(manifests_, ListManifests(*table_, context_->trace, budget));
  return ReadDeletes();
}

arrow::Result<const ManifestFile*> IcebergPlanner::NextManifest(ManifestContent content, size_t* next) {
  while (*next < manifests_.size()) {
    const ManifestFile& manifest = manifests_[(*next)++];
    if (manifest.content != content) continue;
    ARROW_ASSIGN_OR_RAISE(const bool may_match, manifest_scan_.MayMatch(manifest));
    if (may_match) return &manifest;
  }
  return nullptr;
}

// Of a partition that can not match there are no rows that its deletes could take away.
arrow::Status IcebergPlanner::ReadDeletes() {
  using Deletes = std::vector<DeleteFile>;
  size_t next = 0;
  ReadAhead<Deletes> ahead(
      context_->threads, ManifestLimits(context_->threads),
      [&]() -> arrow::Result<std::optional<ReadAhead<Deletes>::Turn>> {
        ARROW_ASSIGN_OR_RAISE(const ManifestFile* manifest, NextManifest(ManifestContent::kDeletes, &next));
        if (manifest == nullptr) return std::nullopt;
        return ReadAhead<Deletes>::Turn{manifest->size_bytes,
                                        [this, manifest] { return manifest_scan_.DeleteFiles(*manifest); }};
      });
  while (true) {
    ARROW_ASSIGN_OR_RAISE(auto files, ahead.Next());
    if (!files) return arrow::Status::OK();
    for (DeleteFile& file : *files) deletes_.Add(std::move(file));
  }
}

arrow::Result<std::vector<const DeleteFile*>> IcebergPlanner::DeletesOf(const DataFile& file) const {
  if (deletes_.empty()) return std::vector<const DeleteFile*>();
  if (!file.sequence_number) {
    return MakeError(ErrorKind::kCorrupt, "the data file has no sequence number, and the table has deletes",
                     {.file = file.location});
  }
  return deletes_.Of(file.location, file.scope, *file.sequence_number, context_->enabled(Level::kDeleteFiles));
}

arrow::Result<std::shared_ptr<FileScan>> IcebergPlanner::Open(const DataFile& file) {
  DataFileFacts facts;
  facts.location = file.location;
  facts.spec_id = file.spec->spec.spec_id;
  facts.identity_values = file.identity_values;
  facts.filter = {*file.residual, binding_->filter.columns};
  facts.first_row_id = file.first_row_id;
  facts.sequence_number = file.sequence_number;
  facts.partition = file.partition;
  ARROW_ASSIGN_OR_RAISE(const auto deletes, DeletesOf(file));
  ARROW_RETURN_NOT_OK(delete_files_.Apply(deletes, &facts));
  if (file.row_count >= 0 && facts.filter.root.is_true()) {
    auto counted = std::make_shared<FileScan>();
    counted->rows_counted = RowRanges::Of(0, file.row_count).Difference(facts.deleted).count();
    context_->evidence->AddCountedFile(file.size_bytes, file.row_count, counted->rows_counted);
    return counted;
  }
  ARROW_ASSIGN_OR_RAISE(const std::string address, table_->locations.Address(file.location));
  ARROW_ASSIGN_OR_RAISE(auto source, table_->stores->Open(address, file.size_bytes > 0 ? file.size_bytes : -1));
  return PlanFile(context_, std::move(source), nullptr,
                  [&](const parquet::Footer& footer) { return BindDataFile(*table_, *binding_, facts, footer); });
}

}  // namespace frazil::scan
