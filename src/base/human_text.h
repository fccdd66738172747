// SPDX-License-Identifier: Apache-2.0
//
// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace frazil {

// Decimal units, one digit behind the point from 1 kB on: "0 B", "999 B", "1.0 kB", "122.4 kB", "9.2 EB".
std::string HumanBytes(int64_t bytes);

// "12,345"
std::string HumanCount(int64_t count);

// "1 request", "12,345 requests": the noun with an s, unless the count is one.
std::string Counted(int64_t count, std::string_view noun);

}  // namespace frazil
