// SPDX-License-Identifier: Apache-2.0
//
// Level "manifest": the partition summaries of a manifest list against the filter. Free: the list is read anyway.
// Safety rule: as expr/bounds.h; bounds pass through iceberg::DecodeBounds, which drops what can not be trusted.
#pragma once

#include "src/expr/predicate.h"
#include "src/iceberg/manifest_list.h"
#include "src/iceberg/metadata.h"
#include "src/prune/unusable.h"

namespace frazil::prune {

// False when no file of the manifest can hold a match. `projected` is the inclusive projection of the filter by `spec`
// (iceberg::ProjectFilter), the manifest's.
bool ManifestMayMatch(const iceberg::ManifestFile& manifest, const iceberg::PartitionSpec& spec,
                      const iceberg::Schema& schema, const iceberg::TableMetadata& metadata,
                      const expr::BoundFilter& projected, Unusable* unusable);

}  // namespace frazil::prune
