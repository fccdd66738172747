// SPDX-License-Identifier: Apache-2.0
#include "frazil/rewrite.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <arrow/io/file.h>

#include "frazil/error.h"
#include "src/layout/external_sort.h"
#include "src/layout/file_writer.h"
#include "src/layout/unnamed_file.h"

namespace frazil {
namespace {

// A descriptor that is closed in the end, and the hidden name of its file, removed unless it was published.
class NewFile {
 public:
  static arrow::Result<NewFile> Make(const std::string& folder) {
    NewFile file;
    ARROW_ASSIGN_OR_RAISE(file.descriptor_, layout::CreateUnnamedFile(folder, &file.name_));
    return file;
  }
  NewFile(NewFile&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), name_(std::exchange(other.name_, {})) {}
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile() {
    if (!name_.empty()) ::unlink(name_.c_str());
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  // For writing; closing it leaves the descriptor open.
  arrow::Result<std::shared_ptr<arrow::io::OutputStream>> Sink() const {
    const int copy = ::dup(descriptor_);
    if (copy < 0) return MakeError(ErrorKind::kUnavailable, std::strerror(errno));
    return arrow::io::FileOutputStream::Open(copy);
  }
  arrow::Status Publish(const std::string& path, bool overwrite) {
    return layout::PublishFile(descriptor_, std::exchange(name_, {}), path, overwrite);
  }

 private:
  NewFile() = default;
  int descriptor_ = -1;
  std::string name_;
};

std::string SpillFolder(const RewriteOptions& options) {
  if (!options.spill_folder.empty()) return options.spill_folder;
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

// What the writer could not do is told of the file; what the scan could not, of its own files.
arrow::Status AtDestination(const arrow::Status& status, const std::string& destination) {
  if (status.ok()) return status;
  ErrorPlace place;
  place.file = destination;
  return status.IsIOError() ? MakeError(ErrorKind::kUnavailable, "can not write: " + status.message(), place)
                            : AddPlace(status, place);
}

arrow::Status CheckDestination(const std::string& destination, bool overwrite) {
  std::error_code error;
  const auto status = std::filesystem::status(destination, error);
  ErrorPlace place;
  place.file = destination;
  if (std::filesystem::is_directory(status)) return MakeError(ErrorKind::kUsage, "is a folder", place);
  if (std::filesystem::exists(status) && !overwrite) {
    return MakeError(ErrorKind::kConflict, "exists already; --overwrite replaces it", place);
  }
  return arrow::Status::OK();
}

arrow::Status Copy(arrow::RecordBatchReader* from, layout::FileWriter* to, const std::string& destination) {
  std::shared_ptr<arrow::RecordBatch> batch;
  while (true) {
    ARROW_RETURN_NOT_OK(from->ReadNext(&batch));
    if (batch == nullptr) return arrow::Status::OK();
    ARROW_RETURN_NOT_OK(AtDestination(to->Write(std::move(batch)), destination));
  }
}

}  // namespace

arrow::Result<RewriteReport> Rewrite(const Scan& scan, const std::string& destination, const RewriteOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  ARROW_RETURN_NOT_OK(CheckDestination(destination, options.overwrite));
  auto scan_report = std::make_shared<ScanReport>();
  ARROW_ASSIGN_OR_RAISE(const auto source, scan.ToReader(scan_report));
  const std::shared_ptr<arrow::Schema> schema = source->schema();
  ARROW_ASSIGN_OR_RAISE(auto encoder, layout::SortKeyEncoder::Make(*schema, options.sort));
  const std::string folder = std::filesystem::path(destination).parent_path().string();
  ARROW_ASSIGN_OR_RAISE(NewFile file, NewFile::Make(folder.empty() ? "." : folder));
  ARROW_ASSIGN_OR_RAISE(auto sink, file.Sink());
  ARROW_ASSIGN_OR_RAISE(const auto writer, layout::FileWriter::Open(schema, sink, options.write, options.sort));

  RewriteReport report;
  if (options.sort.empty()) {
    ARROW_RETURN_NOT_OK(Copy(source.get(), writer.get(), destination));
  } else {
    layout::ExternalSorter sorter(schema, std::move(encoder), {options.memory_bytes, SpillFolder(options)});
    std::shared_ptr<arrow::RecordBatch> batch;
    while (true) {
      ARROW_RETURN_NOT_OK(source->ReadNext(&batch));
      if (batch == nullptr) break;
      ARROW_RETURN_NOT_OK(sorter.Add(std::move(batch)));
    }
    ARROW_ASSIGN_OR_RAISE(const auto sorted, sorter.Finish());
    ARROW_RETURN_NOT_OK(Copy(sorted.get(), writer.get(), destination));
    report.runs_spilled = sorter.runs_spilled();
    report.bytes_spilled = sorter.bytes_spilled();
  }
  ARROW_RETURN_NOT_OK(source->Close());
  ARROW_RETURN_NOT_OK(AtDestination(writer->Close(), destination));
  ARROW_ASSIGN_OR_RAISE(report.bytes_written, sink->Tell());
  ARROW_RETURN_NOT_OK(AtDestination(sink->Close(), destination));
  ARROW_RETURN_NOT_OK(file.Publish(destination, options.overwrite));
  report.rows = writer->row_count();
  report.row_groups = writer->row_group_count();
  report.scan = *scan_report;
  report.elapsed_ns = std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace frazil
