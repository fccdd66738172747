// SPDX-License-Identifier: Apache-2.0
//
// The column metrics of a manifest entry: from its maps, the columns that are asked for.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "src/iceberg/avro_decoder.h"
#include "src/iceberg/manifest_plan.h"

namespace frazil::iceberg {

class EntryMetrics {
 public:
  // `field_ids`: which columns, each once or more; the metrics of the entries are parallel to them.
  explicit EntryMetrics(std::vector<int32_t> field_ids);

  bool wants_any() const { return !field_ids_.empty(); }

  // Before an entry: all of its metrics unset.
  void Clear(std::vector<ColumnMetrics>* metrics);
  // One map. REQUIRES: `step` is one of kColumnSizes ... kUpperBounds, the reader is behind the branch of its union.
  void Read(const AvroSchema& schema, const EntryStep& step, AvroDecoder& in, std::vector<ColumnMetrics>* metrics);
  // After an entry: what contradicts itself is dropped. Returns how many.
  int64_t DropContradictions(std::vector<ColumnMetrics>* metrics);

 private:
  static constexpr int32_t kDenseMax = 4096;

  int32_t SlotOf(int64_t field_id) const {
    if (field_id >= 0 && field_id < static_cast<int64_t>(dense_.size())) return dense_[static_cast<size_t>(field_id)];
    if (sparse_.empty()) return -1;
    const auto found = sparse_.find(field_id);
    return found == sparse_.end() ? -1 : found->second;
  }
  template <typename ReadValue>
  void ReadPairs(const AvroSchema& schema, const EntryStep& step, AvroDecoder& in, const ReadValue& read_value);
  void Contradict(EntrySlot map, int32_t slot) {
    contradictions_[static_cast<size_t>(slot)] |= static_cast<uint8_t>(1U << Bit(map));
  }
  static int Bit(EntrySlot map) { return static_cast<int>(map) - static_cast<int>(EntrySlot::kColumnSizes); }
  template <typename T>
  void Set(EntrySlot map, int32_t slot, T value, std::optional<T>* member);

  std::vector<int32_t> field_ids_;
  std::vector<int32_t> slots_;                   // of each asked field, the first place where it is asked for
  std::vector<int32_t> dense_;                   // field id -> slot or -1, of small ids
  std::unordered_map<int64_t, int32_t> sparse_;  // of the others
  // Of each asked field the maps that contradict themselves, a bit each: memory does not grow with what a map holds.
  std::vector<uint8_t> contradictions_;
};

}  // namespace frazil::iceberg
