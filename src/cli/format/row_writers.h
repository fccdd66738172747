// SPDX-License-Identifier: Apache-2.0
//
// The writers behind MakeRowWriter, one file each; see writer.h.
#pragma once

#include <memory>

#include "src/cli/format/writer.h"

namespace frazil::cli {

std::unique_ptr<RowWriter> MakeCsvWriter(OutputSink& sink);
enum class JsonRows { kArray, kLines };
std::unique_ptr<RowWriter> MakeJsonWriter(OutputSink& sink, JsonRows rows);
std::unique_ptr<RowWriter> MakeArrowWriter(OutputSink& sink);
std::unique_ptr<RowWriter> MakeTableWriter(OutputSink& sink, const RowWriterOptions& options);

// Internal error unless `batch` has the columns that Begin announced; names and metadata may differ.
arrow::Status CheckBatch(const arrow::RecordBatch& batch, const arrow::Schema* schema);

}  // namespace frazil::cli
