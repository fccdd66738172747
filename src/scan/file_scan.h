// SPDX-License-Identifier: Apache-2.0
//
// One file of a scan: opened, bound, its row groups judged by the footer, and the index pieces that are needed fetched.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include <arrow/result.h>

#include "src/expr/bounds.h"
#include "src/io/range_reader.h"
#include "src/scan/binding.h"
#include "src/scan/evidence.h"
#include "src/scan/open_file.h"

namespace frazil::scan {

struct TableBinding;

// How far a file is planned when it is opened.
enum class PlanDepth {
  kRowGroups,  // row groups judged by the footer
  kPages,      // and the index pieces of those that are left fetched
};

// What every part of a scan shares. Immutable but for the evidence and the trace.
struct ScanContext {
  ScanOptions options;
  Request request;
  std::shared_ptr<io::Trace> trace;
  std::shared_ptr<Evidence> evidence;
  std::shared_ptr<arrow::Schema> schema;              // of the batches, from the first file or the Iceberg table
  std::shared_ptr<const TableBinding> table_binding;  // of an Iceberg table
  int threads = 1;
  PlanDepth depth = PlanDepth::kPages;
  int opening_rounds = 0;  // that opening the first file took, when this scan counts them

  bool enabled(Level level) const;
};

// For a scan with these options, not bound to anything yet. Error: usage, when filter or columns can not be parsed.
arrow::Result<std::shared_ptr<ScanContext>> NewContext(const ScanOptions& options);

// One leaf of the filter with the verdict of the footer on one row group.
using LeafVerdicts = std::map<const expr::Leaf*, expr::Verdict>;

struct RowGroupCandidate {
  int row_group = 0;
  LeafVerdicts verdicts;
};

struct FileScan {
  std::shared_ptr<const ScanContext> context;
  OpenedFile file;
  std::unique_ptr<io::RangeReader> reader;
  Binding binding;
  // Of a file that was not opened, as nothing but the number of its matching rows is asked for, and known.
  int64_t rows_counted = 0;
  std::vector<RowGroupCandidate> candidates;  // row groups that may hold matches, ascending
  std::vector<int> output_leaves;             // ascending

  const parquet::Footer& footer() const { return *file.footer; }
  // What _file is.
  const std::string& name() const { return binding.file_name.empty() ? reader->name() : binding.file_name; }
};

// Binds a scan to a file that has been opened.
using BindFile = std::function<arrow::Result<Binding>(const parquet::Footer&)>;

// Opens and judges `source`; `opened` (may be null) spares the footer read when the file was opened before.
// `bind` (may be null) is asked instead of Bind.
// I/O: the tail (unless opened), then at most one round for the index pieces of the candidates.
arrow::Result<std::shared_ptr<FileScan>> PlanFile(std::shared_ptr<const ScanContext> context,
                                                  std::shared_ptr<ByteSource> source, const OpenedFile* opened,
                                                  const BindFile& bind = nullptr);

// The leaf that is read for a filter column; -1 for metadata columns.
int FilterLeaf(const parquet::Footer& footer, const expr::BoundColumn& column);

// The leaf whose index stands for a filter column: itself, or for a group the leaf under it; -1 for metadata columns
// and for groups whose leaf is repeated.
int IndexLeaf(const parquet::Footer& footer, const expr::BoundColumn& column);

}  // namespace frazil::scan
