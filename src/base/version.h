// SPDX-License-Identifier: Apache-2.0
//
// The version of Frazil: semantic, the one place where it is written down. CMakeLists.txt reads it from here.
#pragma once

namespace frazil {

inline constexpr char kVersion[] = "0.1.0";

}  // namespace frazil
