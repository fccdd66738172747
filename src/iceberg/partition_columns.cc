// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/partition_columns.h"

#include <algorithm>
#include <set>
#include <utility>

#include "src/iceberg/partition_tuple.h"

namespace frazil::iceberg {
namespace {

// Names are those of the newest spec; one that is taken gets the spec's id behind it.
std::string FreeName(const std::string& name, int spec_id, const std::set<std::string>& taken) {
  std::string free = name;
  for (int i = 0; taken.contains(free); ++i) {
    free = name + "_" + std::to_string(spec_id) + (i > 0 ? "_" + std::to_string(i) : "");
  }
  return free;
}

}  // namespace

PartitionColumns PartitionColumns::Of(const TableMetadata& metadata, const Schema& schema) {
  std::vector<const PartitionSpec*> specs;
  for (const PartitionSpec& spec : metadata.partition_specs) specs.push_back(&spec);
  std::sort(specs.begin(), specs.end(), [](const auto* a, const auto* b) { return a->spec_id > b->spec_id; });

  PartitionColumns result;
  std::vector<Column>& columns = result.columns_;
  std::set<std::string> names;
  for (const PartitionSpec* spec : specs) {
    std::vector<int>& places = result.places_[spec->spec_id];
    for (const PartitionField& field : spec->fields) {
      places.push_back(-1);
      const auto type = PartitionValueType(field, schema, metadata);
      if (!type || type->is_nested() || type->id == TypeId::kVariant) continue;
      const bool is_void = field.transform.kind == TransformKind::kVoid;
      const auto same = std::find_if(columns.begin(), columns.end(), [&](const Column& column) {
        return column.field_id == field.field_id && (is_void || column.is_void || SameType(column.type, *type));
      });
      places.back() = static_cast<int>(same - columns.begin());
      if (same == columns.end()) {
        columns.push_back({field.field_id, FreeName(field.name, spec->spec_id, names), *type, is_void});
        names.insert(columns.back().name);
      } else if (same->is_void && !is_void) {
        same->type = *type;
        same->is_void = false;
      }
    }
  }

  // Newest first so far.
  std::vector<int> order(columns.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  const auto id_of = [&](int place) { return columns[static_cast<size_t>(place)].field_id; };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return id_of(a) < id_of(b); });
  std::vector<int> place_of(columns.size());
  std::vector<Column> sorted;
  for (const int from : order) {
    place_of[static_cast<size_t>(from)] = static_cast<int>(sorted.size());
    sorted.push_back(std::move(columns[static_cast<size_t>(from)]));
  }
  columns = std::move(sorted);
  for (auto& [spec_id, places] : result.places_) {
    for (int& place : places) place = place < 0 ? -1 : place_of[static_cast<size_t>(place)];
  }
  return result;
}

std::shared_ptr<arrow::DataType> PartitionColumns::type() const {
  arrow::FieldVector fields;
  for (const Column& column : columns_) fields.push_back(arrow::field(column.name, ArrowType(column.type)));
  return arrow::struct_(std::move(fields));
}

arrow::Result<PartitionColumns::Builder> PartitionColumns::NewBuilder() const {
  Builder builder;
  builder.columns_ = this;
  for (const Column& column : columns_) {
    ARROW_ASSIGN_OR_RAISE(auto values, ValueBuilder::Make(column.type));
    builder.builders_.push_back(std::move(values));
  }
  return builder;
}

std::vector<std::optional<std::string>> PartitionColumns::Place(
    int spec_id, const std::vector<std::optional<std::string>>& bytes) const {
  std::vector<std::optional<std::string>> values(columns_.size());
  const auto places = places_.find(spec_id);
  if (places == places_.end()) return values;
  for (size_t i = 0; i < bytes.size() && i < places->second.size(); ++i) {
    if (places->second[i] >= 0) values[static_cast<size_t>(places->second[i])] = bytes[i];
  }
  return values;
}

arrow::Status PartitionColumns::Builder::Append(int spec_id, const std::vector<std::optional<std::string>>& bytes) {
  const auto values = columns_->Place(spec_id, bytes);
  for (size_t i = 0; i < values.size(); ++i) ARROW_RETURN_NOT_OK(builders_[i].Append(values[i]));
  ++length_;
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::Array>> PartitionColumns::Builder::Finish() {
  arrow::ArrayVector arrays;
  for (ValueBuilder& builder : builders_) {
    ARROW_ASSIGN_OR_RAISE(auto array, builder.Finish());
    arrays.push_back(std::move(array));
  }
  return std::make_shared<arrow::StructArray>(columns_->type(), std::exchange(length_, 0), std::move(arrays));
}

}  // namespace frazil::iceberg
