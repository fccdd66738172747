// SPDX-License-Identifier: Apache-2.0

#include "src/iceberg/entry_metrics.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string_view>

namespace frazil::iceberg {

EntryMetrics::EntryMetrics(std::vector<int32_t> field_ids) : field_ids_(std::move(field_ids)) {
  int32_t dense_size = 0;
  for (const int32_t id : field_ids_) {
    if (id >= 0 && id < kDenseMax) dense_size = std::max(dense_size, id + 1);
  }
  dense_.assign(static_cast<size_t>(dense_size), -1);
  for (size_t i = 0; i < field_ids_.size(); ++i) {
    const int32_t id = field_ids_[i];
    const auto slot = static_cast<int32_t>(i);
    if (const int32_t known = SlotOf(id); known >= 0) {
      slots_.push_back(known);
      continue;
    }
    slots_.push_back(slot);
    if (id >= 0 && id < dense_size) {
      dense_[static_cast<size_t>(id)] = slot;
    } else {
      sparse_.emplace(id, slot);
    }
  }
}

void EntryMetrics::Clear(std::vector<ColumnMetrics>* metrics) {
  metrics->assign(field_ids_.size(), {});
  contradictions_.assign(field_ids_.size(), 0);
}

template <typename ReadValue>
void EntryMetrics::ReadPairs(const AvroSchema& schema, const EntryStep& step, AvroDecoder& in,
                             const ReadValue& read_value) {
  const AvroTypeId item = schema[step.value.value].items[0];
  const AvroTypeId value_type = schema[step.item.value].fields[1].type;
  const bool plain = step.item.branch_count == 0 && step.first.branch_count == 0 && step.second.branch_count == 0;
  for (AvroDecoder::Blocks items(in, schema[item].min_bytes); items.Next();) {
    if (plain) [[likely]] {
      read_value(SlotOf(in.Long()));
      continue;
    }
    if (!in.Present(step.item)) continue;
    const int32_t slot = in.Present(step.first) ? SlotOf(in.Long()) : -1;
    if (slot < 0) {
      in.Skip(schema, value_type);
    } else if (in.Present(step.second)) {
      read_value(slot);
    }
  }
}

template <typename T>
void EntryMetrics::Set(EntrySlot map, int32_t slot, T value, std::optional<T>* member) {
  if (*member && **member != value) Contradict(map, slot);
  *member = value;
}

void EntryMetrics::Read(const AvroSchema& schema, const EntryStep& step, AvroDecoder& in,
                        std::vector<ColumnMetrics>* metrics) {
  const EntrySlot map = step.entry_slot;
  if (map == EntrySlot::kLowerBounds || map == EntrySlot::kUpperBounds) {
    const auto member = map == EntrySlot::kLowerBounds ? &ColumnMetrics::lower_bound : &ColumnMetrics::upper_bound;
    ReadPairs(schema, step, in, [&](int32_t slot) {
      const std::string_view bytes = in.Bytes();
      if (slot >= 0) Set(map, slot, bytes, &((*metrics)[static_cast<size_t>(slot)].*member));
    });
    return;
  }
  const auto member = map == EntrySlot::kColumnSizes   ? &ColumnMetrics::column_size_bytes
                      : map == EntrySlot::kValueCounts ? &ColumnMetrics::value_count
                      : map == EntrySlot::kNullCounts  ? &ColumnMetrics::null_count
                                                       : &ColumnMetrics::nan_count;
  ReadPairs(schema, step, in, [&](int32_t slot) {
    const int64_t count = in.Long();
    if (slot < 0) return;
    if (count < 0) Contradict(map, slot);
    Set(map, slot, count, &((*metrics)[static_cast<size_t>(slot)].*member));
  });
}

int64_t EntryMetrics::DropContradictions(std::vector<ColumnMetrics>* metrics) {
  int64_t dropped = 0;
  for (size_t i = 0; i < contradictions_.size(); ++i) {
    const unsigned maps = contradictions_[i];
    if (maps == 0) [[likely]]
      continue;
    dropped += std::popcount(maps);
    ColumnMetrics& column = (*metrics)[i];
    const auto contradicted = [maps](EntrySlot map) { return (maps >> Bit(map) & 1) != 0; };
    if (contradicted(EntrySlot::kColumnSizes)) column.column_size_bytes = std::nullopt;
    if (contradicted(EntrySlot::kValueCounts)) column.value_count = std::nullopt;
    if (contradicted(EntrySlot::kNullCounts)) column.null_count = std::nullopt;
    if (contradicted(EntrySlot::kNanCounts)) column.nan_count = std::nullopt;
    if (contradicted(EntrySlot::kLowerBounds)) column.lower_bound = std::nullopt;
    if (contradicted(EntrySlot::kUpperBounds)) column.upper_bound = std::nullopt;
  }
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i] != static_cast<int32_t>(i)) (*metrics)[i] = (*metrics)[static_cast<size_t>(slots_[i])];
  }
  return dropped;
}

}  // namespace frazil::iceberg
