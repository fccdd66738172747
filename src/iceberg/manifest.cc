// SPDX-License-Identifier: Apache-2.0

#include "src/iceberg/manifest.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "frazil/error.h"
#include "src/base/text.h"
#include "src/iceberg/avro_container.h"
#include "src/iceberg/avro_decoder.h"
#include "src/iceberg/entry_metrics.h"
#include "src/iceberg/manifest_plan.h"

namespace frazil::iceberg {

namespace {

constexpr int kFormatVersionMax = 3;
constexpr int64_t kNoOffset = -1;

std::optional<int32_t> NumberOf(std::optional<std::string_view> text) {
  int32_t number = 0;
  if (!text) return std::nullopt;
  const auto parsed = std::from_chars(text->data(), text->data() + text->size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != text->data() + text->size()) return std::nullopt;
  return number;
}

ManifestHeader HeaderOf(const AvroContainer& file) {
  ManifestHeader header{.schema_json = file.metadata("schema"),
                        .partition_spec_json = file.metadata("partition-spec"),
                        .schema_id = NumberOf(file.metadata("schema-id")),
                        .partition_spec_id = NumberOf(file.metadata("partition-spec-id")),
                        .format_version = NumberOf(file.metadata("format-version"))};
  const auto content = file.metadata("content");
  if (content == "data") header.content = ManifestContent::kData;
  if (content == "deletes") header.content = ManifestContent::kDeletes;
  return header;
}

FileFormat FormatOf(std::string_view name) {
  if (name == "PARQUET" || EqualsIgnoreCase(name, "parquet")) return FileFormat::kParquet;
  if (EqualsIgnoreCase(name, "avro")) return FileFormat::kAvro;
  if (EqualsIgnoreCase(name, "orc")) return FileFormat::kOrc;
  if (EqualsIgnoreCase(name, "puffin")) return FileFormat::kPuffin;
  return FileFormat::kOther;
}

arrow::Status Corrupt(std::string text) { return MakeError(ErrorKind::kCorrupt, std::move(text)); }

}  // namespace

class ManifestReader::Impl {
 public:
  Impl(AvroContainer file, ManifestPlan plan, const ManifestFile& list, int64_t listed_count,
       ManifestReadOptions options)
      : file_(std::move(file)),
        plan_(std::move(plan)),
        options_(std::move(options)),
        content_(list.content),
        sequence_number_(list.sequence_number),
        snapshot_id_(list.added_snapshot_id),
        next_row_id_(list.content == ManifestContent::kData ? list.first_row_id : std::nullopt),
        listed_count_(listed_count),
        metrics_(options_.metric_field_ids),
        header_(HeaderOf(file_)) {}

  const ManifestHeader& header() const { return header_; }
  const std::vector<PartitionFieldType>& partition_fields() const { return plan_.partition_fields; }
  int64_t entry_count() const { return entry_count_; }
  int64_t dropped_metric_count() const { return dropped_metric_count_; }

  arrow::Result<const ManifestEntry*> Next() {
    while (true) {
      while (left_ == 0) {
        if (in_.remaining() > 0) return Located(Corrupt("an Avro block holds more bytes than its entries"));
        ARROW_ASSIGN_OR_RAISE(const auto block, file_.NextBlock());
        if (!block) return End();
        in_ = AvroDecoder(block->bytes);
        left_ = block->record_count;
        block_range_ = block->stored;
      }
      --left_;
      const auto kept = Entry();
      if (!kept.ok()) {
        return Located(MakeError(KindOf(kept.status()),
                                 "manifest entry " + std::to_string(entry_count_) + ": " + kept.status().message()));
      }
      ++entry_count_;
      if (*kept) return &entry_;
    }
  }

 private:
  const AvroSchema& schema() const { return file_.schema(); }
  arrow::Status Located(arrow::Status status) { return AddPlace(std::move(status), {.range = block_range_}); }

  arrow::Result<const ManifestEntry*> End() {
    if (entry_count_ < listed_count_) {
      return Corrupt("the manifest holds " + std::to_string(entry_count_) + " entries, its list tells of " +
                     std::to_string(listed_count_));
    }
    return nullptr;
  }

  // Decodes the next entry; whether it is kept.
  arrow::Result<bool> Entry() {
    Clear();
    const size_t decided_at = plan_.decided_at;
    for (size_t i = 0; i < decided_at; ++i) {
      const EntryStep& step = plan_.steps[i];
      if (DecidesWhetherWanted(step.entry_slot)) {
        ARROW_RETURN_NOT_OK(Run(step, in_));
      } else {
        deferred_.emplace_back(&step, in_);
        in_.Skip(schema(), step.type);
      }
    }
    ARROW_RETURN_NOT_OK(CheckHead());
    const bool live = entry_.status != EntryStatus::kDeleted;
    const bool kept = (live || options_.deleted_entries) && (!options_.keep || options_.keep(entry_));
    if (kept) metrics_.Clear(&entry_.metrics);
    for (size_t i = decided_at; i < plan_.steps.size(); ++i) ARROW_RETURN_NOT_OK(RunTail(plan_.steps[i], kept, in_));
    for (auto& [step, in] : deferred_) {
      ARROW_RETURN_NOT_OK(RunTail(*step, kept, in));
      if (!in.ok()) in_.Fail();
    }
    if (!in_.ok()) return Corrupt("the bytes are malformed, or end inside it");
    ARROW_RETURN_NOT_OK(AssignFirstRowId(live));
    if (kept) ARROW_RETURN_NOT_OK(CheckTail());
    return kept;
  }

  void Clear() {
    entry_.ordinal = entry_count_;
    entry_.snapshot_id = entry_.sequence_number = entry_.file_sequence_number = std::nullopt;
    entry_.content = FileContent::kData;
    entry_.path = entry_.format_name = {};
    entry_.partition.clear();
    entry_.metrics.clear();
    entry_.split_offsets.clear();
    entry_.equality_ids.clear();
    entry_.key_metadata = entry_.referenced_data_file = std::nullopt;
    entry_.sort_order_id = std::nullopt;
    entry_.first_row_id = entry_.content_offset = entry_.content_size_bytes = std::nullopt;
    status_ = record_count_ = size_bytes_ = std::nullopt;
    content_code_ = 0;
    deferred_.clear();
  }

  // A step of what is only decoded of entries that are kept. Row ids are counted over all entries.
  arrow::Status RunTail(const EntryStep& step, bool kept, AvroDecoder& in) {
    const bool is_map = step.entry_slot >= EntrySlot::kColumnSizes && step.entry_slot <= EntrySlot::kUpperBounds;
    if (is_map ? kept && WantsMap(step.entry_slot) : kept || step.entry_slot == EntrySlot::kFirstRowId) {
      return Run(step, in);
    }
    in.Skip(schema(), step.type);
    return arrow::Status::OK();
  }

  bool WantsMap(EntrySlot slot) const {
    if (!metrics_.wants_any()) return false;
    if (slot == EntrySlot::kColumnSizes) return options_.column_sizes;
    return slot >= EntrySlot::kLowerBounds ? options_.bounds : options_.counts;
  }

  arrow::Status Run(const EntryStep& step, AvroDecoder& in) {
    if (step.entry_slot == EntrySlot::kSkip) {
      in.Skip(schema(), step.type);
      return arrow::Status::OK();
    }
    if (!in.Present(step.value)) {
      if (step.entry_slot != EntrySlot::kEnterDataFile) return arrow::Status::OK();
      return Corrupt(in.ok() ? "it has no data_file" : "the bytes are malformed, or end inside it");
    }
    switch (step.entry_slot) {
      case EntrySlot::kSkip:
      case EntrySlot::kEnterDataFile:
        break;
      case EntrySlot::kStatus:
        status_ = in.Long();
        break;
      case EntrySlot::kSnapshotId:
        entry_.snapshot_id = in.Long();
        break;
      case EntrySlot::kSequenceNumber:
        entry_.sequence_number = in.Long();
        break;
      case EntrySlot::kFileSequenceNumber:
        entry_.file_sequence_number = in.Long();
        break;
      case EntrySlot::kContent:
        content_code_ = in.Long();
        break;
      case EntrySlot::kPath:
        entry_.path = in.Bytes();
        break;
      case EntrySlot::kFormat:
        entry_.format_name = in.Bytes();
        break;
      case EntrySlot::kPartition:
        Partition(in);
        break;
      case EntrySlot::kRecordCount:
        record_count_ = in.Long();
        break;
      case EntrySlot::kSizeBytes:
        size_bytes_ = in.Long();
        break;
      default:
        RunOfFile(step, in);
    }
    return arrow::Status::OK();
  }

  void RunOfFile(const EntryStep& step, AvroDecoder& in) {
    switch (step.entry_slot) {
      case EntrySlot::kKeyMetadata:
        entry_.key_metadata = in.Bytes();
        break;
      case EntrySlot::kSplitOffsets:
        SplitOffsets(step, in);
        break;
      case EntrySlot::kEqualityIds:
        EqualityIds(step, in);
        break;
      case EntrySlot::kSortOrderId:
        entry_.sort_order_id = in.Int();
        break;
      case EntrySlot::kFirstRowId:
        entry_.first_row_id = in.Long();
        break;
      case EntrySlot::kReferencedDataFile:
        entry_.referenced_data_file = in.Bytes();
        break;
      case EntrySlot::kContentOffset:
        entry_.content_offset = in.Long();
        break;
      case EntrySlot::kContentSize:
        entry_.content_size_bytes = in.Long();
        break;
      default:
        metrics_.Read(schema(), step, in, &entry_.metrics);
    }
  }

  AvroDecoder::Blocks ItemsOf(const EntryStep& step, AvroDecoder& in) const {
    return {in, schema()[schema()[step.value.value].items[0]].min_bytes};
  }

  // What can not be is read to its end and leaves a list that CheckTail clears.
  void SplitOffsets(const EntryStep& step, AvroDecoder& in) {
    auto& offsets = entry_.split_offsets;
    for (AvroDecoder::Blocks items = ItemsOf(step, in); items.Next();) {
      const int64_t offset = in.Present(step.item) ? in.Long() : kNoOffset;
      if (static_cast<int64_t>(offsets.size()) < kSplitOffsetsMax) {
        offsets.push_back(offset);
      } else {
        offsets.front() = kNoOffset;
      }
    }
  }

  // Without one of its ids an equality delete would delete other rows, so nothing is left out.
  void EqualityIds(const EntryStep& step, AvroDecoder& in) {
    auto& ids = entry_.equality_ids;
    for (AvroDecoder::Blocks items = ItemsOf(step, in); items.Next();) {
      if (!in.Present(step.item) || static_cast<int64_t>(ids.size()) == kEqualityIdsMax) in.Fail();
      ids.push_back(in.Int());
    }
  }

  void Partition(AvroDecoder& in) {
    for (const PartitionStep& step : plan_.partition_steps) {
      PartitionValue& value = entry_.partition.emplace_back();
      if (!in.Present(step.value)) continue;
      value.kind = step.kind;
      switch (step.kind) {
        case AvroKind::kBoolean:
          value.integer = in.Boolean() ? 1 : 0;
          break;
        case AvroKind::kInt:
          value.integer = in.Int();
          break;
        case AvroKind::kLong:
          value.integer = in.Long();
          break;
        case AvroKind::kFloat:
          value.number = in.Float();
          break;
        case AvroKind::kDouble:
          value.number = in.Double();
          break;
        case AvroKind::kBytes:
        case AvroKind::kString:
          value.bytes = in.Bytes();
          break;
        case AvroKind::kFixed:
          value.bytes = in.Fixed(step.fixed_bytes);
          break;
        default:
          break;  // the type null: the value is null
      }
    }
  }

  // Checks what decides whether the entry is wanted, and fills in what it inherits.
  arrow::Status CheckHead() {
    if (!in_.ok()) return Corrupt("the bytes are malformed, or end inside it");
    if (!status_) return Corrupt("it has no status");
    if (*status_ < 0 || *status_ > 2) {
      return MakeError(ErrorKind::kUnsupported, "its status is " + std::to_string(*status_) + "; 0, 1 and 2 are read");
    }
    entry_.status = static_cast<EntryStatus>(*status_);
    if (content_code_ < 0 || content_code_ > 2) {
      return MakeError(ErrorKind::kUnsupported,
                       "its content is " + std::to_string(content_code_) + "; 0, 1 and 2 are read");
    }
    entry_.content = static_cast<FileContent>(content_code_);
    if ((entry_.content == FileContent::kData) != (content_ == ManifestContent::kData)) {
      return Corrupt(content_ == ManifestContent::kData ? "a delete file stands in a data manifest"
                                                        : "a data file stands in a delete manifest");
    }
    if (entry_.path.empty()) return Corrupt("it has no file_path");
    if (entry_.format_name.empty()) return Corrupt("it has no file_format");
    entry_.format = FormatOf(entry_.format_name);
    if (!record_count_) return Corrupt("it has no record_count");
    // Early writers put -1 for files that they had not counted.
    entry_.record_count = std::max<int64_t>(*record_count_, -1);
    if (!size_bytes_ || *size_bytes_ < 0) return Corrupt("it has no sound file_size_in_bytes");
    entry_.size_bytes = *size_bytes_;
    if (!entry_.snapshot_id) entry_.snapshot_id = snapshot_id_;
    // Manifests of version 1 write none, and 0 is theirs.
    if (entry_.status == EntryStatus::kAdded || sequence_number_ == 0) {
      if (!entry_.sequence_number) entry_.sequence_number = sequence_number_;
      if (!entry_.file_sequence_number) entry_.file_sequence_number = sequence_number_;
    }
    return arrow::Status::OK();
  }

  // "First Row ID Inheritance": a manifest that has none has assigned none; else files without one get the next ones,
  // in the order of the entries that are live.
  arrow::Status AssignFirstRowId(bool live) {
    if (!next_row_id_) {
      entry_.first_row_id = std::nullopt;
      return arrow::Status::OK();
    }
    if (entry_.first_row_id) {
      if (*entry_.first_row_id < 0) return Corrupt("its first_row_id is negative");
      return arrow::Status::OK();
    }
    if (!live) return arrow::Status::OK();
    if (entry_.record_count < 0) return Corrupt("its rows have no ids: its record_count is not known");
    entry_.first_row_id = next_row_id_;
    if (entry_.record_count > INT64_MAX - *next_row_id_) return Corrupt("its record_count is beyond all row ids");
    *next_row_id_ += entry_.record_count;
    return arrow::Status::OK();
  }

  arrow::Status CheckTail() {
    for (const auto& [name, value] : {std::pair{"content_offset", entry_.content_offset},
                                      std::pair{"content_size_in_bytes", entry_.content_size_bytes}}) {
      if (value && *value < 0) return Corrupt(std::string("its ") + name + " is negative");
    }
    const auto& ids = entry_.equality_ids;
    if (ids.empty() && entry_.content == FileContent::kEqualityDeletes) return Corrupt("it has no equality_ids");
    if (std::any_of(ids.begin(), ids.end(), [](int32_t id) { return id < 0; })) {
      return Corrupt("one of its equality_ids is negative");
    }
    const auto& offsets = entry_.split_offsets;
    if (!offsets.empty() && (offsets.front() < 0 || offsets.back() >= entry_.size_bytes ||
                             !std::is_sorted(offsets.begin(), offsets.end()))) {
      entry_.split_offsets.clear();
    }
    dropped_metric_count_ += metrics_.DropContradictions(&entry_.metrics);
    return arrow::Status::OK();
  }

  AvroContainer file_;
  ManifestPlan plan_;
  ManifestReadOptions options_;
  ManifestContent content_;
  int64_t sequence_number_;
  std::optional<int64_t> snapshot_id_;
  std::optional<int64_t> next_row_id_;
  int64_t listed_count_;
  EntryMetrics metrics_;
  ManifestHeader header_;

  AvroDecoder in_;
  int64_t left_ = 0;  // entries of the block that are not decoded yet
  ByteRange block_range_;
  ManifestEntry entry_;
  std::optional<int64_t> status_;
  std::optional<int64_t> record_count_;
  std::optional<int64_t> size_bytes_;
  int64_t content_code_ = 0;
  std::vector<std::pair<const EntryStep*, AvroDecoder>> deferred_;
  int64_t entry_count_ = 0;
  int64_t dropped_metric_count_ = 0;
};

arrow::Result<ManifestReader> ManifestReader::Open(std::string_view bytes, const ManifestFile& file,
                                                   ManifestReadOptions options) {
  // Whatever the bytes look like: that nobody has changed them can not be proven without the key.
  if (file.key_metadata && !file.key_metadata->empty()) {
    return MakeError(ErrorKind::kUnsupported,
                     "the manifest is encrypted: its list has key metadata for it; encrypted metadata is not read");
  }
  ARROW_ASSIGN_OR_RAISE(AvroContainer container, AvroContainer::Open(bytes, options.schemas));
  const auto version = NumberOf(container.metadata("format-version"));
  if (version && *version > kFormatVersionMax) {
    return MakeError(ErrorKind::kUnsupported,
                     "the manifest is of format version " + std::to_string(*version) + "; versions 1 to 3 are read");
  }
  const auto listed_count = file.listed_file_count();
  if (!listed_count) return Corrupt("the list tells of more entries in the manifest than can be counted");
  ARROW_ASSIGN_OR_RAISE(ManifestPlan plan, PlanManifest(container.schema()));
  return ManifestReader(
      std::make_unique<Impl>(std::move(container), std::move(plan), file, *listed_count, std::move(options)));
}

ManifestReader::ManifestReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ManifestReader::ManifestReader(ManifestReader&&) noexcept = default;
ManifestReader& ManifestReader::operator=(ManifestReader&&) noexcept = default;
ManifestReader::~ManifestReader() = default;

const ManifestHeader& ManifestReader::header() const { return impl_->header(); }
const std::vector<PartitionFieldType>& ManifestReader::partition_fields() const { return impl_->partition_fields(); }
arrow::Result<const ManifestEntry*> ManifestReader::Next() { return impl_->Next(); }
int64_t ManifestReader::entry_count() const { return impl_->entry_count(); }
int64_t ManifestReader::dropped_metric_count() const { return impl_->dropped_metric_count(); }

}  // namespace frazil::iceberg
