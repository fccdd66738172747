// SPDX-License-Identifier: Apache-2.0
//
// A schema as JSON, as table metadata has it; ParseSchema reads it back.
// Source: Iceberg table specification, Appendix C "Schemas".
#pragma once

#include <arrow/result.h>
#include <nlohmann/json_fwd.hpp>

#include "src/iceberg/schema.h"

namespace frazil::iceberg {

// Without documentation and write defaults, which no reader needs.
// REQUIRES: names are UTF-8; defaults are as ParseSchema gives them.
nlohmann::ordered_json SchemaToJson(const Schema& schema);

}  // namespace frazil::iceberg
