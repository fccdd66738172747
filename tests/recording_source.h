// SPDX-License-Identifier: Apache-2.0
//
// A byte source that keeps a record of what is asked of it, from outside the product: what its counters must equal.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "frazil/byte_source.h"

namespace frazil {

class RecordingSource : public ByteSource {
 public:
  RecordingSource(std::shared_ptr<arrow::Buffer> bytes, std::string name, CostModel cost_model)
      : inner_(FromBuffer(std::move(bytes), std::move(name))), cost_model_(cost_model) {}

  const std::string& name() const override { return inner_->name(); }
  arrow::Result<int64_t> Size() override { return inner_->Size(); }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(ByteRange range) override {
    std::lock_guard lock(mutex_);
    requests_.push_back(range);
    return inner_->Read(range);
  }
  CostModel cost_model() const override { return cost_model_; }

  // In the order of the calls.
  std::vector<ByteRange> requests() const {
    std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  std::shared_ptr<ByteSource> inner_;
  CostModel cost_model_;
  mutable std::mutex mutex_;
  std::vector<ByteRange> requests_;
};

}  // namespace frazil
