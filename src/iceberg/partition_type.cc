// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/partition_type.h"

#include <algorithm>
#include <set>
#include <utility>

#include "src/iceberg/partition_tuple.h"

namespace frazil::iceberg {
namespace {

// Column ids end at 2147483447; the ids of metadata columns begin at 2147483539.
constexpr int kFirstId = 2147483448;
constexpr size_t kFieldsMax = 80;

bool IsVoid(const PartitionField& field) { return field.transform.kind == TransformKind::kVoid; }

// One partition field in two specs. Version 1 may give an id to another field later; void is what is left of a dropped
// one.
bool IsSame(const PartitionField& a, const PartitionField& b) {
  if (a.field_id != b.field_id || a.source_ids != b.source_ids) return false;
  return IsVoid(a) || IsVoid(b) || a.transform == b.transform;
}

}  // namespace

PartitionType::PartitionType(const TableMetadata& metadata, const Schema& schema) {
  std::vector<const PartitionSpec*> newest_first;
  for (const PartitionSpec& spec : metadata.partition_specs) newest_first.push_back(&spec);
  std::stable_sort(newest_first.begin(), newest_first.end(),
                   [](const auto* a, const auto* b) { return a->spec_id > b->spec_id; });
  std::vector<PartitionField> sources;
  for (const PartitionSpec* spec : newest_first) {
    for (const PartitionField& field : spec->fields) {
      const auto known = std::find_if(sources.begin(), sources.end(),
                                      [&](const PartitionField& other) { return IsSame(other, field); });
      if (known == sources.end()) {
        sources.push_back(field);
      } else if (IsVoid(*known)) {
        known->transform = field.transform;
      }
    }
  }
  std::set<std::string> names;
  for (PartitionField& source : sources) {
    while (!names.insert(source.name).second) source.name += "_" + std::to_string(source.field_id);
  }
  std::stable_sort(sources.begin(), sources.end(),
                   [](const PartitionField& a, const PartitionField& b) { return a.field_id < b.field_id; });
  for (const PartitionField& source : sources) {
    const auto type = PartitionValueType(source, schema, metadata);
    if (!type || fields_.size() == kFieldsMax) continue;
    NestedField field;
    field.id = kFirstId + static_cast<int>(fields_.size());
    field.name = source.name;
    field.type = *type;
    fields_.push_back(std::move(field));
    sources_.push_back(source);
  }
}

int PartitionType::PlaceOf(const PartitionField& field) const {
  const auto found =
      std::find_if(sources_.begin(), sources_.end(), [&](const PartitionField& other) { return IsSame(other, field); });
  return found == sources_.end() ? -1 : static_cast<int>(found - sources_.begin());
}

std::vector<int> PartitionType::PlacesOf(const PartitionSpec& spec) const {
  std::vector<int> places;
  for (const PartitionField& field : spec.fields) places.push_back(PlaceOf(field));
  return places;
}

}  // namespace frazil::iceberg
