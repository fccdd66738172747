// SPDX-License-Identifier: Apache-2.0
//
// A ScanReport as JSON: the contract of --stats and of explain --format json. Fields keep the names of the struct.
#pragma once

#include <string>

#include "frazil/report.h"

namespace frazil::cli {

std::string ReportToJson(const ScanReport& report);

}  // namespace frazil::cli
