// SPDX-License-Identifier: Apache-2.0

#include "src/iceberg/manifest_list.h"

#include <initializer_list>
#include <iterator>
#include <utility>

#include "frazil/error.h"
#include "src/iceberg/avro_container.h"
#include "src/iceberg/avro_decoder.h"
#include "src/iceberg/avro_record.h"

namespace frazil::iceberg {

namespace {

enum Slot : int {
  kPath,
  kLength,
  kSpecId,
  kContent,
  kSequenceNumber,
  kMinSequenceNumber,
  kAddedSnapshotId,
  kAddedFiles,
  kExistingFiles,
  kDeletedFiles,
  kAddedRows,
  kExistingRows,
  kDeletedRows,
  kPartitions,
  kKeyMetadata,
  kFirstRowId,
};

constexpr AvroWanted kWanted[] = {
    {500, "manifest_path", "", AvroShape::kBytes, true},
    {501, "manifest_length", "", AvroShape::kNumber, true},
    {502, "partition_spec_id", "", AvroShape::kNumber, true},
    {517, "content", "", AvroShape::kNumber},
    {515, "sequence_number", "", AvroShape::kNumber},
    {516, "min_sequence_number", "", AvroShape::kNumber},
    {503, "added_snapshot_id", "", AvroShape::kNumber},
    {504, "added_files_count", "added_data_files_count", AvroShape::kNumber},
    {505, "existing_files_count", "existing_data_files_count", AvroShape::kNumber},
    {506, "deleted_files_count", "deleted_data_files_count", AvroShape::kNumber},
    {512, "added_rows_count", "", AvroShape::kNumber},
    {513, "existing_rows_count", "", AvroShape::kNumber},
    {514, "deleted_rows_count", "", AvroShape::kNumber},
    {507, "partitions", "", AvroShape::kRecords},
    {519, "key_metadata", "", AvroShape::kBytes},
    {520, "first_row_id", "", AvroShape::kNumber},
};

constexpr size_t kSummariesMax = 65536;

enum SummarySlot : int { kContainsNull, kContainsNan, kLowerBound, kUpperBound };

constexpr AvroWanted kWantedOfSummary[] = {
    {509, "contains_null", "", AvroShape::kBoolean},
    {518, "contains_nan", "", AvroShape::kBoolean},
    {510, "lower_bound", "", AvroShape::kBytes},
    {511, "upper_bound", "", AvroShape::kBytes},
};

arrow::Status Corrupt(std::string text) { return MakeError(ErrorKind::kCorrupt, std::move(text)); }

int64_t MemoryOf(const ManifestFile& manifest) {
  size_t bytes = sizeof(ManifestFile) + manifest.path.capacity();
  if (manifest.key_metadata) bytes += manifest.key_metadata->capacity();
  if (!manifest.partitions) return static_cast<int64_t>(bytes);
  bytes += manifest.partitions->capacity() * sizeof(PartitionFieldSummary);
  for (const PartitionFieldSummary& summary : *manifest.partitions) {
    for (const auto* bound : {&summary.lower_bound, &summary.upper_bound}) bytes += *bound ? (*bound)->capacity() : 0;
  }
  return static_cast<int64_t>(bytes);
}

std::optional<int64_t> SumOf(std::initializer_list<std::optional<int64_t>> counts) {
  int64_t sum = 0;
  for (const auto& count : counts) {
    if (count && __builtin_add_overflow(sum, *count, &sum)) return std::nullopt;
  }
  return sum;
}

class ListReader {
 public:
  explicit ListReader(AvroContainer file) : file_(std::move(file)) {}

  arrow::Result<std::vector<ManifestFile>> Run() {
    ARROW_RETURN_NOT_OK(Plan());
    std::vector<ManifestFile> manifests;
    while (true) {
      ARROW_ASSIGN_OR_RAISE(const auto block, file_.NextBlock());
      if (!block) return manifests;
      AvroDecoder in(block->bytes);
      for (int64_t i = 0; i < block->record_count; ++i) {
        auto manifest = Record(in);
        if (!manifest.ok()) {
          const arrow::Status& status = manifest.status();
          return AddPlace(MakeError(KindOf(status), "manifest " + std::to_string(manifests.size()) +
                                                        " of the list: " + status.message()),
                          {.range = block->stored});
        }
        memory_bytes_ += MemoryOf(*manifest);
        if (memory_bytes_ > kManifestListMemoryMax) {
          return MakeError(ErrorKind::kBudget,
                           "the list takes more than " + std::to_string(kManifestListMemoryMax) + " bytes of memory");
        }
        manifests.push_back(std::move(*manifest));
      }
      if (in.remaining() > 0) {
        return AddPlace(Corrupt("an Avro block holds more bytes than its manifests"), {.range = block->stored});
      }
    }
  }

 private:
  const AvroSchema& schema() const { return file_.schema(); }

  arrow::Status Plan() {
    ARROW_ASSIGN_OR_RAISE(steps_, PlanAvroRecord(schema(), AvroSchema::kRoot, kWanted));
    for (const AvroStep& step : steps_) {
      if (step.slot != kPartitions) continue;
      ARROW_ASSIGN_OR_RAISE(summary_steps_, PlanAvroRecord(schema(), step.item.value, kWantedOfSummary));
    }
    return arrow::Status::OK();
  }

  arrow::Result<ManifestFile> Record(AvroDecoder& in) {
    ManifestFile manifest;
    std::optional<int64_t> numbers[std::size(kWanted)];
    bool has_path = false;
    for (const AvroStep& step : steps_) {
      if (step.slot < 0) {
        in.Skip(schema(), step.type);
        continue;
      }
      if (!in.Present(step.value)) continue;
      switch (step.slot) {
        case kPath:
          manifest.path = in.Bytes();
          has_path = true;
          break;
        case kKeyMetadata:
          manifest.key_metadata = in.Bytes();
          break;
        case kPartitions:
          manifest.partitions = Summaries(in, step);
          break;
        default:
          numbers[step.slot] = in.Long();
      }
    }
    if (!in.ok()) return Corrupt("the bytes are malformed, or end inside it");
    if (!has_path || manifest.path.empty()) return Corrupt("it has no path");
    ARROW_RETURN_NOT_OK(TakeNumbers(numbers, &manifest));
    return manifest;
  }

  std::vector<PartitionFieldSummary> Summaries(AvroDecoder& in, const AvroStep& step) {
    std::vector<PartitionFieldSummary> summaries;
    const AvroTypeId item = schema()[step.value.value].items[0];
    for (AvroDecoder::Blocks items(in, schema()[item].min_bytes); items.Next();) {
      // A null item takes one byte and is a summary all the same: no spec has so many fields.
      if (summaries.size() == kSummariesMax) in.Fail();
      PartitionFieldSummary summary;
      if (in.Present(step.item)) Summary(in, &summary);
      summaries.push_back(std::move(summary));
    }
    return summaries;
  }

  void Summary(AvroDecoder& in, PartitionFieldSummary* summary) {
    for (const AvroStep& step : summary_steps_) {
      if (step.slot < 0) {
        in.Skip(schema(), step.type);
        continue;
      }
      if (!in.Present(step.value)) continue;
      switch (step.slot) {
        case kContainsNull:
          summary->contains_null = in.Boolean();
          break;
        case kContainsNan:
          summary->contains_nan = in.Boolean();
          break;
        case kLowerBound:
          summary->lower_bound = in.Bytes();
          break;
        default:
          summary->upper_bound = in.Bytes();
      }
    }
  }

  static arrow::Status TakeNumbers(const std::optional<int64_t>* numbers, ManifestFile* manifest) {
    const int64_t content = numbers[kContent].value_or(0);
    if (content != 0 && content != 1) {
      return MakeError(ErrorKind::kUnsupported,
                       "its content is " + std::to_string(content) + "; 0 (data) and 1 (deletes) are read");
    }
    manifest->content = static_cast<ManifestContent>(content);
    if (!numbers[kSpecId] || *numbers[kSpecId] < 0 || *numbers[kSpecId] > INT32_MAX) {
      return Corrupt("it has no sound partition_spec_id");
    }
    manifest->partition_spec_id = static_cast<int32_t>(*numbers[kSpecId]);
    if (!numbers[kLength] || *numbers[kLength] < 0) return Corrupt("it has no sound manifest_length");
    manifest->size_bytes = *numbers[kLength];
    manifest->sequence_number = numbers[kSequenceNumber].value_or(0);
    manifest->min_sequence_number = numbers[kMinSequenceNumber].value_or(0);
    manifest->added_snapshot_id = numbers[kAddedSnapshotId];
    const auto count = [&](Slot slot) {
      return numbers[slot] && *numbers[slot] >= 0 ? numbers[slot] : std::optional<int64_t>();
    };
    manifest->added_file_count = count(kAddedFiles);
    manifest->existing_file_count = count(kExistingFiles);
    manifest->deleted_file_count = count(kDeletedFiles);
    manifest->added_row_count = count(kAddedRows);
    manifest->existing_row_count = count(kExistingRows);
    manifest->deleted_row_count = count(kDeletedRows);
    if (!manifest->listed_file_count()) return Corrupt("its numbers of files add up to no number");
    if (!manifest->listed_row_count()) return Corrupt("its numbers of rows add up to no number");
    manifest->first_row_id = numbers[kFirstRowId];
    if (manifest->first_row_id && *manifest->first_row_id < 0) return Corrupt("its first_row_id is negative");
    return arrow::Status::OK();
  }

  AvroContainer file_;
  std::vector<AvroStep> steps_;
  std::vector<AvroStep> summary_steps_;
  int64_t memory_bytes_ = 0;
};

}  // namespace

std::optional<int64_t> ManifestFile::listed_file_count() const {
  return SumOf({added_file_count, existing_file_count, deleted_file_count});
}

std::optional<int64_t> ManifestFile::listed_row_count() const {
  return SumOf({added_row_count, existing_row_count, deleted_row_count});
}

arrow::Result<std::vector<ManifestFile>> ReadManifestList(std::string_view bytes) {
  ARROW_ASSIGN_OR_RAISE(AvroContainer file, AvroContainer::Open(bytes));
  return ListReader(std::move(file)).Run();
}

}  // namespace frazil::iceberg
