// SPDX-License-Identifier: Apache-2.0
#include "frazil/audit.h"

#include <algorithm>
#include <memory>
#include <set>

#include "frazil/byte_source.h"
#include "frazil/error.h"
#include "frazil/explain.h"
#include "src/base/text.h"
#include "src/expr/parse.h"
#include "src/io/address.h"
#include "src/io/trace.h"
#include "src/layout/column_audit.h"
#include "src/layout/findings.h"
#include "src/scan/open_file.h"

namespace frazil {
namespace {

// The columns that bounds can speak of: not repeated, and of a type that has an order.
bool CanBeLookedUp(const parquet::Footer& footer, int leaf) {
  const ::parquet::ColumnDescriptor& descriptor = *footer.schema().Column(leaf);
  return descriptor.max_repetition_level() == 0 &&
         parquet::MakeBoundsDecoder(descriptor, footer.column_order(leaf)).usable;
}

// Paths, as the footers have them, of the columns named, or of all that can be looked up.
arrow::Result<std::vector<std::string>> AuditedColumns(const parquet::Footer& footer,
                                                       const std::vector<std::string>& named) {
  std::vector<std::string> known;
  for (int leaf = 0; leaf < footer.leaf_count(); ++leaf) {
    if (!named.empty() || CanBeLookedUp(footer, leaf)) known.push_back(footer.leaf_path(leaf));
  }
  if (named.empty()) return known;
  std::vector<std::string> columns;
  for (const std::string& name : named) {
    ARROW_ASSIGN_OR_RAISE(const auto path, expr::ParseColumnPath(name));
    if (std::find(known.begin(), known.end(), path.ToString()) == known.end()) {
      const auto near = NearMatches(path.ToString(), known, 1);
      return MakeError(ErrorKind::kUsage, "unknown column " + path.ToString() +
                                              (near.empty() ? "" : "; did you mean " + known[near[0]] + "?"));
    }
    columns.push_back(path.ToString());
  }
  return columns;
}

class Auditor {
 public:
  Auditor(const std::vector<std::string>& addresses, const AuditOptions& options)
      : addresses_(addresses), options_(options) {}

  arrow::Result<AuditReport> Run() {
    ARROW_ASSIGN_OR_RAISE(const auto table, Table::Open(addresses_));
    if (table->file_count() == 0) {
      return MakeError(ErrorKind::kUnsupported, "an Iceberg table: name its data files to audit them");
    }
    for (const std::string& filter : options_.filters) ARROW_RETURN_NOT_OK(AuditFilter(*table, filter));
    std::vector<std::string> paths;
    for (const std::string& address : addresses_) {
      ARROW_ASSIGN_OR_RAISE(const auto found, io::ExpandAddress(address));
      paths.insert(paths.end(), found.begin(), found.end());
    }
    for (const std::string& path : paths) ARROW_RETURN_NOT_OK(AddFile(path));
    for (auto& filter : report_.filters) filter.bytes_full = data_bytes_;
    for (auto& collector : collectors_) {
      report_.columns.push_back(collector.Finish());
      const ColumnAudit& column = report_.columns.back();
      layout::FindInColumn(column, IsLookedUp(column.column), collector.unusable(), &report_.findings);
    }
    layout::FindInFiles(report_, &report_.findings);
    std::stable_sort(report_.findings.begin(), report_.findings.end(),
                     [](const AuditFinding& a, const AuditFinding& b) { return a.cost_bytes > b.cost_bytes; });
    return std::move(report_);
  }

 private:
  bool IsLookedUp(const std::string& column) const { return !options_.columns.empty() || filtered_.count(column) > 0; }

  arrow::Status AuditFilter(const Table& table, const std::string& text) {
    Scan scan = table.NewScan();
    scan.Filter(text);
    ARROW_ASSIGN_OR_RAISE(const ScanReport plan,
                          ExplainScan(table.shared_from_this(), scan.options(), ExplainLevel::kPages));
    FilterAudit audit;
    audit.filter = text;
    audit.files_total = plan.files_total;
    audit.files_kept = plan.files_kept;
    audit.row_groups_total = plan.row_groups_total;
    audit.row_groups_kept = plan.row_groups_kept;
    audit.rows_total = plan.rows_total;
    audit.rows_selected = plan.rows_selected;
    audit.bytes_planned = plan.bytes_planned;
    report_.filters.push_back(std::move(audit));
    ARROW_ASSIGN_OR_RAISE(const auto expression, expr::ParseFilter(text));
    AddFiltered(*expression);
    return arrow::Status::OK();
  }

  void AddFiltered(const expr::Expression& expression) {
    if (!expression.column.parts.empty()) filtered_.insert(expression.column.ToString());
    for (const auto& child : expression.children) AddFiltered(*child);
  }

  arrow::Status AddFile(const std::string& path) {
    ARROW_ASSIGN_OR_RAISE(auto source, OpenLocalFile(path));
    io::RangeReader reader(source, std::make_shared<io::Trace>());
    ARROW_ASSIGN_OR_RAISE(const auto file, scan::OpenFile(source, &reader));
    const parquet::Footer& footer = *file.footer;
    ErrorPlace place;
    place.file = path;
    if (report_.files == 0) {
      ARROW_ASSIGN_OR_RAISE(const auto columns, AuditedColumns(footer, options_.columns));
      for (const std::string& column : columns) collectors_.emplace_back(column);
    }
    ++report_.files;
    report_.bytes += footer.file_size();
    report_.row_groups += footer.row_group_count();
    report_.rows += footer.row_count();
    std::map<std::string, int> leaves;
    for (int leaf = 0; leaf < footer.leaf_count(); ++leaf) leaves.emplace(footer.leaf_path(leaf), leaf);
    ARROW_RETURN_NOT_OK(AddPlace(FetchIndexes(footer, leaves, &reader), place));
    for (auto& collector : collectors_) {
      const auto leaf = leaves.find(collector.path());
      if (leaf == leaves.end()) {
        place.column = collector.path();
        return MakeError(ErrorKind::kUnsupported, "the file has no such column; audit files of one schema", place);
      }
      ARROW_RETURN_NOT_OK(AddPlace(collector.AddFile(footer, leaf->second, reader), place));
    }
    return arrow::Status::OK();
  }

  // The page indexes of the audited columns, in one round.
  arrow::Status FetchIndexes(const parquet::Footer& footer, const std::map<std::string, int>& leaves,
                             io::RangeReader* reader) {
    std::set<int> audited;
    for (const auto& collector : collectors_) {
      const auto leaf = leaves.find(collector.path());
      if (leaf != leaves.end()) audited.insert(leaf->second);
    }
    std::vector<ByteRange> wanted;
    for (int row_group = 0; row_group < footer.row_group_count(); ++row_group) {
      for (int leaf = 0; leaf < footer.leaf_count(); ++leaf) {
        ARROW_ASSIGN_OR_RAISE(const auto chunk, footer.Chunk(row_group, leaf));
        data_bytes_ += std::max<int64_t>(0, chunk.total_compressed_size);
        if (audited.count(leaf) == 0) continue;
        for (const auto& piece : {chunk.column_index, chunk.offset_index}) {
          if (piece && piece->end() <= footer.footer_offset()) wanted.push_back(*piece);
        }
      }
    }
    return reader->Fetch(wanted, "page index");
  }

  const std::vector<std::string>& addresses_;
  const AuditOptions& options_;
  AuditReport report_;
  std::vector<layout::ColumnCollector> collectors_;
  std::set<std::string> filtered_;  // columns that filters use
  int64_t data_bytes_ = 0;          // of all column chunks
};

}  // namespace

arrow::Result<AuditReport> Audit(const std::vector<std::string>& addresses, const AuditOptions& options) {
  return Auditor(addresses, options).Run();
}

}  // namespace frazil
