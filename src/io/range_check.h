// SPDX-License-Identifier: Apache-2.0
//
// The check that every byte source makes before it takes memory: ranges come from files, and may be nonsense.
#pragma once

#include <string>

#include <arrow/status.h>

#include "frazil/error.h"

namespace frazil::io {

// OK when `range` is a range of bytes at all: no negative offset or length, no end beyond int64.
// Error: corrupt, with file and range.
arrow::Status CheckRange(ByteRange range, const std::string& file);

// OK when `range` also lies inside a file of `file_bytes` bytes. Error: corrupt, with file and range.
arrow::Status CheckRangeInside(ByteRange range, int64_t file_bytes, const std::string& file);

// The error for a read that gave fewer bytes than asked for, from inside the file's stated size: the file was cut
// while it was read, or the store lied. Kind corrupt, with file and range.
arrow::Status ShortRead(ByteRange range, int64_t got_bytes, const std::string& file);

}  // namespace frazil::io
