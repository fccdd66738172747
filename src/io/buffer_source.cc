// SPDX-License-Identifier: Apache-2.0
//
// Bytes in memory as a ByteSource: tests, and files that a caller already holds. Reads are slices, not copies.
#include <utility>

#include "frazil/byte_source.h"
#include "src/io/range_check.h"

namespace frazil {

namespace {

class BufferSource : public ByteSource {
 public:
  BufferSource(std::shared_ptr<arrow::Buffer> buffer, std::string name)
      : buffer_(std::move(buffer)), name_(std::move(name)) {}

  const std::string& name() const override { return name_; }
  arrow::Result<int64_t> Size() override { return buffer_->size(); }
  CostModel cost_model() const override { return CostModel::Memory(); }

  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(ByteRange range) override {
    ARROW_RETURN_NOT_OK(io::CheckRangeInside(range, buffer_->size(), name_));
    return arrow::SliceBuffer(buffer_, range.offset, range.length);
  }

 private:
  const std::shared_ptr<arrow::Buffer> buffer_;
  const std::string name_;
};

}  // namespace

std::shared_ptr<ByteSource> FromBuffer(std::shared_ptr<arrow::Buffer> buffer, std::string name) {
  return std::make_shared<BufferSource>(std::move(buffer), std::move(name));
}

}  // namespace frazil
