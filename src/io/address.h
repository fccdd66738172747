// SPDX-License-Identifier: Apache-2.0
//
// From addresses as typed to files: paths, globs, folders.
#pragma once

#include <string>
#include <vector>

#include <arrow/result.h>

namespace frazil::io {

// A local path or file:// URI. A glob (* ? [..] within a folder, ** over folders) gives its matches, a folder every
// *.parquet file below it (names that begin with . or _ skipped), anything else itself, unchecked. Sorted by name.
// Errors: not found, for a glob or folder that gives nothing; unsupported, for other URI schemes.
arrow::Result<std::vector<std::string>> ExpandAddress(const std::string& address);

}  // namespace frazil::io
