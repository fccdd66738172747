// SPDX-License-Identifier: Apache-2.0
//
// Evidence that was there but could not be used, and evidence that was missing: counted by column and reason, so that
// explain can say why more was read than hoped for.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace frazil::prune {

class Unusable {
 public:
  void Add(const std::string& column, const std::string& reason, int64_t count = 1) {
    counts_[{column, reason}] += count;
  }
  void Merge(const Unusable& other) {
    for (const auto& [key, count] : other.counts_) counts_[key] += count;
  }
  // (column, reason) -> number of containers (files, row groups, chunks).
  const std::map<std::pair<std::string, std::string>, int64_t>& counts() const { return counts_; }

 private:
  std::map<std::pair<std::string, std::string>, int64_t> counts_;
};

}  // namespace frazil::prune
