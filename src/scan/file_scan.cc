// SPDX-License-Identifier: Apache-2.0
#include "src/scan/file_scan.h"

#include <algorithm>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "src/io/coalesce.h"
#include "src/prune/row_group.h"
#include "src/scan/bloom_stage.h"

namespace frazil::scan {
namespace {

using expr::Verdict;

Verdict JudgeFileName(const expr::Leaf& leaf, const std::string& name) {
  const auto& keys = std::get<expr::IntervalSet<std::string>>(leaf.keys);
  const bool matches = keys.Contains(name) && (leaf.is_exact() || leaf.pattern->Matches(name) != leaf.pattern_negated);
  return matches ? Verdict::kAll : Verdict::kNone;
}

arrow::Result<Verdict> JudgeLeafOfRowGroup(const FileScan& scan, int row_group, const expr::Leaf& leaf,
                                           prune::Unusable* unusable) {
  const expr::BoundColumn& column = scan.binding.filter.columns[static_cast<size_t>(leaf.column)];
  if (column.ref == kFileRef) {
    return scan.context->enabled(Level::kFile) ? JudgeFileName(leaf, scan.name()) : Verdict::kSome;
  }
  if (column.ref == kPosRef || !scan.context->enabled(Level::kRowGroup)) return Verdict::kSome;
  return prune::JudgeRowGroup(scan.footer(), row_group, column, leaf, unusable);
}

// Judges every leaf of the tree once (all are needed later, by the page level), then the tree.
arrow::Status JudgeLeaves(const FileScan& scan, int row_group, const expr::Predicate& predicate, LeafVerdicts* verdicts,
                          prune::Unusable* unusable) {
  if (predicate.kind == expr::Predicate::Kind::kLeaf) {
    ARROW_ASSIGN_OR_RAISE((*verdicts)[&predicate.leaf], JudgeLeafOfRowGroup(scan, row_group, predicate.leaf, unusable));
  }
  for (const expr::Predicate& child : predicate.children) {
    ARROW_RETURN_NOT_OK(JudgeLeaves(scan, row_group, child, verdicts, unusable));
  }
  return arrow::Status::OK();
}

// Which rows of a row group the scan is about, when it is about a part of the file.
enum class Meant { kNone, kSome, kAll };

Meant RowsMeant(const FileScan& scan, int row_group) {
  if (!scan.binding.rows) return Meant::kAll;
  const int64_t begin = scan.footer().row_group_first_row(row_group);
  const int64_t end = begin + scan.footer().row_group_row_count(row_group);
  if (!scan.binding.rows->Overlaps(begin, end)) return Meant::kNone;
  return scan.binding.rows->Covers(RowRanges::Of(begin, end)) ? Meant::kAll : Meant::kSome;
}

arrow::Status JudgeRowGroups(FileScan* scan) {
  const parquet::Footer& footer = scan->footer();
  const expr::Predicate& root = scan->binding.filter.root;
  prune::Unusable unusable;
  int64_t judged_count = 0;
  for (int row_group = 0; row_group < footer.row_group_count(); ++row_group) {
    if (RowsMeant(*scan, row_group) == Meant::kNone) continue;
    ++judged_count;
    if (root.is_false() || (footer.row_group_row_count(row_group) == 0 && scan->context->enabled(Level::kRowGroup))) {
      continue;
    }
    RowGroupCandidate candidate{row_group, {}};
    auto judged = JudgeLeaves(*scan, row_group, root, &candidate.verdicts, &unusable);
    if (!judged.ok()) return AddPlace(judged, {.file = scan->reader->name(), .row_group = row_group});
    const Verdict verdict =
        expr::JudgePredicate(root, [&](const expr::Leaf& leaf) { return candidate.verdicts.at(&leaf); });
    if (verdict != Verdict::kNone) scan->candidates.push_back(std::move(candidate));
  }
  Evidence& evidence = *scan->context->evidence;
  evidence.Count(Level::kRowGroup, judged_count, static_cast<int64_t>(scan->candidates.size()));
  evidence.AddUnusable(Level::kRowGroup, unusable);
  return arrow::Status::OK();
}

void CollectIndexLeaves(const FileScan& scan, const expr::Predicate& predicate, const LeafVerdicts& verdicts,
                        std::set<int>* leaves) {
  if (predicate.kind == expr::Predicate::Kind::kLeaf && verdicts.at(&predicate.leaf) == Verdict::kSome) {
    const int leaf = IndexLeaf(scan.footer(), scan.binding.filter.columns[static_cast<size_t>(predicate.leaf.column)]);
    if (leaf >= 0) leaves->insert(leaf);
  }
  for (const expr::Predicate& child : predicate.children) CollectIndexLeaves(scan, child, verdicts, leaves);
}

void AppendRange(const parquet::Footer& footer, const std::optional<ByteRange>& range, std::vector<ByteRange>* out) {
  // Checked again where it is parsed, which also reports it.
  if (range && range->offset < footer.footer_offset() && range->end() <= footer.footer_offset()) out->push_back(*range);
}

// The pieces that the page level will ask for: column and offset index of filter columns that the footer left open,
// offset index of output columns, of candidate row groups only.
arrow::Status FetchIndexes(FileScan* scan) {
  const ScanContext& context = *scan->context;
  const bool filtered = !scan->binding.filter.root.is_true();
  if (!context.enabled(Level::kPageIndex) || context.depth == PlanDepth::kRowGroups) return arrow::Status::OK();
  if (!filtered && context.options.limit < 0 && !scan->binding.rows) return arrow::Status::OK();
  std::vector<ByteRange> wanted;
  int64_t pages_bytes = 0;  // that the index could save, at most
  for (const RowGroupCandidate& candidate : scan->candidates) {
    std::set<int> filter_leaves;
    CollectIndexLeaves(*scan, scan->binding.filter.root, candidate.verdicts, &filter_leaves);
    const bool narrows = !filter_leaves.empty() || context.options.limit >= 0 ||
                         scan->binding.filter.columns.size() > 0 ||
                         RowsMeant(*scan, candidate.row_group) == Meant::kSome;
    if (!narrows) continue;
    std::set<int> leaves = filter_leaves;
    leaves.insert(scan->output_leaves.begin(), scan->output_leaves.end());
    for (int leaf : leaves) {
      auto chunk = scan->footer().Chunk(candidate.row_group, leaf);
      if (!chunk.ok()) {
        return AddPlace(chunk.status(), {.file = scan->reader->name(), .row_group = candidate.row_group});
      }
      if (filter_leaves.count(leaf) > 0) AppendRange(scan->footer(), chunk->column_index, &wanted);
      AppendRange(scan->footer(), chunk->offset_index, &wanted);
      pages_bytes += std::clamp<int64_t>(chunk->total_compressed_size, 0, scan->footer().file_size());
    }
  }
  std::vector<ByteRange> missing = wanted;
  std::erase_if(missing, [&](const ByteRange& range) { return scan->reader->Holds(range); });
  const CostModel cost = scan->reader->cost_model();
  // Twice: pages that are read are decoded, too.
  const bool pays = 2 * (io::EstimatedTimeNs({ByteRange{0, pages_bytes}}, cost) - cost.latency_ns) >
                    io::EstimatedTimeNs(io::Coalesce(missing, cost), cost);
  if (!missing.empty() && !pays) return arrow::Status::OK();
  return scan->reader->Fetch(wanted, "page index");
}

std::string ColumnsText(const arrow::Schema& schema) {
  std::string text;
  for (const auto& field : schema.fields()) text += (text.empty() ? "" : ", ") + field->ToString();
  return text;
}

}  // namespace

bool ScanContext::enabled(Level level) const {
  return std::find(options.disabled_levels.begin(), options.disabled_levels.end(), level) ==
         options.disabled_levels.end();
}

arrow::Result<std::shared_ptr<ScanContext>> NewContext(const ScanOptions& options) {
  auto context = std::make_shared<ScanContext>();
  context->options = options;
  context->trace = std::make_shared<io::Trace>();
  context->evidence = std::make_shared<Evidence>(options, context->trace);
  ARROW_ASSIGN_OR_RAISE(context->request, ParseRequest(options));
  context->threads =
      options.threads > 0 ? options.threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return context;
}

int FilterLeaf(const parquet::Footer& footer, const expr::BoundColumn& column) {
  if (column.ref == kPosRef || column.ref == kFileRef) return -1;
  return column.ref >= 0 ? column.ref : footer.filter_schema().GroupOf(column.ref).leaf;
}

int IndexLeaf(const parquet::Footer& footer, const expr::BoundColumn& column) {
  const int leaf = FilterLeaf(footer, column);
  return leaf >= 0 && footer.schema().Column(leaf)->max_repetition_level() == 0 ? leaf : -1;
}

arrow::Result<std::shared_ptr<FileScan>> PlanFile(std::shared_ptr<const ScanContext> context,
                                                  std::shared_ptr<ByteSource> source, const OpenedFile* opened,
                                                  const BindFile& bind) {
  auto scan = std::make_shared<FileScan>();
  const ScanOptions& options = context->options;
  scan->reader = std::make_unique<io::RangeReader>(source, context->trace,
                                                   io::ReadBudget{options.bytes_max, options.requests_max});
  if (opened != nullptr) {
    scan->file = *opened;
    scan->reader->Hold(opened->tail_offset, opened->tail, context->opening_rounds);
  } else {
    ARROW_ASSIGN_OR_RAISE(scan->file, OpenFile(source, scan->reader.get()));
  }
  scan->context = std::move(context);
  auto bound = bind ? bind(scan->footer()) : Bind(scan->context->request, scan->footer());
  if (!bound.ok()) return AddPlace(bound.status(), {.file = source->name()});
  scan->binding = std::move(*bound);
  if (scan->context->schema != nullptr && !scan->context->schema->Equals(*scan->binding.schema, false)) {
    return MakeError(ErrorKind::kUnsupported,
                     "the columns differ from those of the first file: " + ColumnsText(*scan->binding.schema) +
                         " instead of " + ColumnsText(*scan->context->schema),
                     {.file = source->name()});
  }
  for (const OutputColumn& column : scan->binding.outputs) {
    if (column.kind == OutputColumn::Kind::kField) column.field.AppendLeaves(&scan->output_leaves);
  }
  std::sort(scan->output_leaves.begin(), scan->output_leaves.end());
  ARROW_RETURN_NOT_OK(JudgeRowGroups(scan.get()));
  ARROW_RETURN_NOT_OK(ProbeBloomFilters(scan.get()));
  ARROW_RETURN_NOT_OK(FetchIndexes(scan.get()));
  const auto& rows = scan->binding.rows;
  scan->context->evidence->AddRows(
      rows ? rows->Slice(0, scan->footer().row_count()).count() : scan->footer().row_count(), 0);
  scan->context->evidence->AddFile(scan->footer().file_size(), !scan->candidates.empty());
  scan->context->evidence->Count(Level::kFile, 1, scan->candidates.empty() ? 0 : 1);
  scan->context->evidence->SetRounds(scan->reader->rounds());
  return scan;
}

}  // namespace frazil::scan
