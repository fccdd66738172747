// SPDX-License-Identifier: Apache-2.0
//
// Metadata files of tables, compressed or not: what is accepted answers every question about it.
//
// Input: the file.
#include "src/iceberg/metadata.h"
#include "src/iceberg/partition_tuple.h"
#include "src/iceberg/time_travel.h"
#include "tests/fuzz/target.h"

namespace frazil::fuzz {
namespace {

constexpr iceberg::JsonLimits kLimits{.text_bytes_max = 1 << 20, .values_max = 1 << 16};

void CheckFields(const iceberg::Schema& schema, const std::vector<iceberg::NestedField>& fields) {
  for (const iceberg::NestedField& field : fields) {
    const iceberg::NestedField* found = schema.FindById(field.id);
    Require(found != nullptr && found->name == field.name, "a field is found by its id");
    CheckFields(schema, field.type.fields);
  }
}

void Check(std::string_view bytes) {
  const auto text = iceberg::DecodeMetadataFile(bytes, kLimits);
  if (!text.ok()) return;
  const auto metadata = iceberg::ParseMetadata(*text, kLimits);
  if (!metadata.ok()) return;
  for (const iceberg::Schema& schema : metadata->schemas) CheckFields(schema, schema.fields());
  Require(metadata->FindSchema(metadata->current_schema().schema_id()) != nullptr, "the current schema is one of them");
  for (const iceberg::PartitionSpec& spec : metadata->partition_specs) {
    for (const iceberg::PartitionField& field : spec.fields) {
      (void)iceberg::PartitionValueType(field, metadata->current_schema(), *metadata);
    }
  }
  (void)iceberg::ResolveSnapshot(*metadata, {});
  (void)iceberg::ResolveSnapshot(*metadata, {std::nullopt, std::nullopt, 1'750'000'000'000});
  for (const iceberg::Snapshot& snapshot : metadata->snapshots) {
    const auto resolved = iceberg::ResolveSnapshot(*metadata, {snapshot.snapshot_id, std::nullopt, std::nullopt});
    Require(!resolved.ok() || resolved->snapshot->snapshot_id == snapshot.snapshot_id, "a snapshot is found by its id");
  }
}

}  // namespace
}  // namespace frazil::fuzz

FRAZIL_FUZZ_TARGET(metadata, frazil::fuzz::Check)
