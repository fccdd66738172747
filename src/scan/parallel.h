// SPDX-License-Identifier: Apache-2.0
//
// A loop whose turns run on Arrow's CPU pool and on the calling thread. Because the caller works too, a loop inside a
// loop can not wait for ever, however small the pool.
#pragma once

#include <functional>

#include <arrow/status.h>

namespace frazil::scan {

// Calls body(0) .. body(count - 1), at most `threads` at a time. Returns the error of the lowest turn that failed.
arrow::Status ParallelFor(int threads, int count, const std::function<arrow::Status(int)>& body);

}  // namespace frazil::scan
