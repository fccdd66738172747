// SPDX-License-Identifier: Apache-2.0
//
// Any arrow::io::RandomAccessFile as a ByteSource: the way to S3, GCS and Azure through Arrow's file systems.
#include <mutex>
#include <optional>
#include <utility>

#include "frazil/byte_source.h"
#include "src/io/range_check.h"

namespace frazil {

namespace {

class ArrowSource : public ByteSource {
 public:
  ArrowSource(std::shared_ptr<arrow::io::RandomAccessFile> file, std::string name, CostModel cost_model)
      : file_(std::move(file)), name_(std::move(name)), cost_model_(cost_model) {}

  const std::string& name() const override { return name_; }
  CostModel cost_model() const override { return cost_model_; }

  arrow::Result<int64_t> Size() override {
    // Kept, because some files ask the store each time.
    std::lock_guard lock(mutex_);
    if (!size_bytes_) {
      arrow::Result<int64_t> size_bytes = file_->GetSize();
      ErrorPlace place;
      place.file = name_;
      if (!size_bytes.ok()) return AddPlace(size_bytes.status(), place);
      if (*size_bytes < 0) return MakeError(ErrorKind::kInternal, "the file reports a negative size", place);
      size_bytes_ = *size_bytes;
    }
    return *size_bytes_;
  }

  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(ByteRange range) override {
    ARROW_ASSIGN_OR_RAISE(const int64_t file_bytes, Size());
    ARROW_RETURN_NOT_OK(io::CheckRangeInside(range, file_bytes, name_));
    arrow::Result<std::shared_ptr<arrow::Buffer>> buffer = file_->ReadAt(range.offset, range.length);
    if (!buffer.ok()) {
      ErrorPlace place;
      place.file = name_;
      place.range = range;
      return AddPlace(buffer.status(), place);
    }
    if (*buffer == nullptr) return io::ShortRead(range, 0, name_);
    if ((*buffer)->size() < range.length) return io::ShortRead(range, (*buffer)->size(), name_);
    // More than asked for is as wrong as less; the bytes asked for are at the front.
    if ((*buffer)->size() > range.length) return arrow::SliceBuffer(*buffer, 0, range.length);
    return buffer;
  }

 private:
  const std::shared_ptr<arrow::io::RandomAccessFile> file_;
  const std::string name_;
  const CostModel cost_model_;
  std::mutex mutex_;
  std::optional<int64_t> size_bytes_;
};

}  // namespace

std::shared_ptr<ByteSource> FromArrowFile(std::shared_ptr<arrow::io::RandomAccessFile> file, std::string name,
                                          CostModel cost_model) {
  return std::make_shared<ArrowSource>(std::move(file), std::move(name), cost_model);
}

}  // namespace frazil
