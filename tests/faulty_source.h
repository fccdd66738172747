// SPDX-License-Identifier: Apache-2.0
//
// A byte source on which one request goes wrong, as stores and disks go wrong.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frazil/byte_source.h"

namespace frazil {

enum class Fault {
  kUnavailable,  // an error of Arrow's, as a connection that is reset gives
  kCancelled,
  kShort,       // one byte less than asked for, as if all were well
  kEmpty,       // no byte at all, as if all were well
  kLong,        // one byte more
  kNull,        // no buffer, as if all were well
  kZeros,       // the right length, every byte 0
  kOtherPlace,  // the bytes of another offset
};

inline const std::vector<Fault>& AllFaults() {
  static const std::vector<Fault> kFaults{Fault::kUnavailable, Fault::kCancelled, Fault::kShort, Fault::kEmpty,
                                          Fault::kLong,        Fault::kNull,      Fault::kZeros, Fault::kOtherPlace};
  return kFaults;
}

// True where the source itself shows that the bytes are not what was asked for; the others look sound from outside.
inline bool IsTold(Fault fault) { return fault != Fault::kZeros && fault != Fault::kOtherPlace; }

class FaultySource : public ByteSource {
 public:
  // `at`: the ordinal of the request that goes wrong, counted from 0; -1: none.
  FaultySource(std::shared_ptr<arrow::Buffer> bytes, std::string name, CostModel cost_model, Fault fault, int at)
      : bytes_(std::move(bytes)), name_(std::move(name)), cost_model_(cost_model), fault_(fault), at_(at) {}

  const std::string& name() const override { return name_; }
  arrow::Result<int64_t> Size() override { return bytes_->size(); }
  CostModel cost_model() const override { return cost_model_; }
  int requests() const { return requests_; }

  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(ByteRange range) override {
    if (range.end() > bytes_->size()) return MakeError(ErrorKind::kCorrupt, "the range ends behind the file");
    const bool wrong = requests_++ == at_;
    std::shared_ptr<arrow::Buffer> right = arrow::SliceBuffer(bytes_, range.offset, range.length);
    if (!wrong) return right;
    switch (fault_) {
      case Fault::kUnavailable:
        return arrow::Status::IOError("connection reset by peer");
      case Fault::kCancelled:
        return arrow::Status::Cancelled("stopped");
      case Fault::kShort:
        return arrow::SliceBuffer(right, 0, right->size() - 1);
      case Fault::kEmpty:
        return arrow::SliceBuffer(right, 0, 0);
      case Fault::kLong:
        return arrow::Buffer::FromString(right->ToString() + "x");
      case Fault::kNull:
        return std::shared_ptr<arrow::Buffer>();
      case Fault::kZeros:
        return arrow::Buffer::FromString(std::string(static_cast<size_t>(range.length), '\0'));
      case Fault::kOtherPlace: {
        const int64_t other = (range.offset + 64) % (bytes_->size() - range.length + 1);
        return arrow::SliceBuffer(bytes_, other, range.length);
      }
    }
    return right;
  }

 private:
  std::shared_ptr<arrow::Buffer> bytes_;
  std::string name_;
  CostModel cost_model_;
  Fault fault_;
  int at_;
  std::atomic<int> requests_{0};
};

// Another size than the file has.
class MisjudgedSource : public FaultySource {
 public:
  MisjudgedSource(std::shared_ptr<arrow::Buffer> bytes, std::string name, arrow::Result<int64_t> size)
      : FaultySource(std::move(bytes), std::move(name), CostModel::Memory(), Fault::kNull, -1),
        size_(std::move(size)) {}
  arrow::Result<int64_t> Size() override { return size_; }

 private:
  arrow::Result<int64_t> size_;
};

}  // namespace frazil
