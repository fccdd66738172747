// SPDX-License-Identifier: Apache-2.0
//
// Texts that are kept in the tree and compared word for word. FRAZIL_UPDATE_GOLDENS=1 writes them anew; the diff is
// then read by a person.
#pragma once

#include <string>

namespace frazil {

// Fails the test with the first line that differs. `path`: below tests/golden.
void ExpectGolden(const std::string& path, const std::string& text);

}  // namespace frazil
