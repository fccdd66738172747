// SPDX-License-Identifier: Apache-2.0
//
// Files that do not show until they are whole: without a name while they are written, so that a killed process leaves
// nothing behind.
#pragma once

#include <string>

#include <arrow/result.h>
#include <arrow/status.h>

namespace frazil::layout {

// A new file in `folder`, open for reading and writing. Where the file system can not make one without a name, it has a
// hidden one: `name` receives it, else it is left empty. The caller closes the descriptor.
// Errors: not found, access, unavailable (no space).
arrow::Result<int> CreateUnnamedFile(const std::string& folder, std::string* name);

// A file for this process alone, which has no name in the end.
arrow::Result<int> CreateScratchFile(const std::string& folder);

// Makes the bytes of the descriptor durable and gives the file its name, `path`. With `overwrite` a file that is there
// is replaced at once, else the error is of kind conflict. `name` is what CreateUnnamedFile gave.
arrow::Status PublishFile(int descriptor, const std::string& name, const std::string& path, bool overwrite);

}  // namespace frazil::layout
