// SPDX-License-Identifier: Apache-2.0
#include "src/scan/table_scan.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "src/scan/iceberg_planner.h"
#include "src/scan/read_ahead.h"
#include "src/scan/table_impl.h"

namespace frazil::scan {

arrow::Result<std::shared_ptr<ScanContext>> BindScan(const Table& table, const ScanOptions& options, bool count_only) {
  ARROW_ASSIGN_OR_RAISE(auto context, NewContext(options));
  context->request.count_only = count_only;
  const Table::Impl& impl = table.impl();
  expr::Predicate root;
  if (impl.iceberg != nullptr) {
    auto binding = BindTable(context->request, impl.iceberg->schema, impl.iceberg->partition_type.fields());
    if (!binding.ok()) return AddPlace(binding.status(), {.file = impl.iceberg->metadata_address});
    context->schema = binding->schema;
    root = binding->filter.root;
    context->table_binding = std::make_shared<const TableBinding>(*std::move(binding));
  } else {
    auto binding = Bind(context->request, *impl.first.footer);
    if (!binding.ok()) return AddPlace(binding.status(), {.file = impl.first.source->name()});
    context->schema = binding->schema;
    root = std::move(binding->filter.root);
  }
  std::vector<std::string> columns;
  for (const auto& field : context->schema->fields()) columns.push_back(field->name());
  context->evidence->SetTexts(context->request.filter ? context->request.filter->ToString() : "",
                              root.is_true() ? "" : root.ToString(), columns);
  if (!impl.opening_counted.exchange(true)) {
    for (const io::TraceEntry& entry : impl.opening) {
      context->opening_rounds = std::max(context->opening_rounds, entry.round + 1);
      context->trace->Add(entry);
    }
  }
  return context;
}

NextFile FilesOf(std::shared_ptr<const Table> table, std::shared_ptr<const ScanContext> context) {
  if (table->impl().iceberg != nullptr) {
    auto planner = std::make_shared<IcebergPlanner>(table->impl().iceberg, context->table_binding, context);
    return [planner] { return planner->Next(); };
  }
  using Ahead = ReadAhead<std::shared_ptr<FileScan>>;
  // What is read ahead of a limit may never be asked for.
  const int threads = context->options.limit < 0 ? context->threads : 1;
  auto files = std::make_shared<Ahead>(
      threads, FilesAheadLimits(threads),
      [table = std::move(table), context = std::move(context),
       next = size_t{0}]() mutable -> arrow::Result<std::optional<Ahead::Turn>> {
        const Table::Impl& impl = table->impl();
        if (next >= impl.file_count()) return std::nullopt;
        return Ahead::Turn{0, [&impl, context, file = next++]() -> arrow::Result<std::shared_ptr<FileScan>> {
                             ARROW_ASSIGN_OR_RAISE(auto source, impl.Open(file));
                             return PlanFile(context, std::move(source), file == 0 ? &impl.first : nullptr);
                           }};
      });
  return [files]() -> arrow::Result<std::shared_ptr<FileScan>> {
    ARROW_ASSIGN_OR_RAISE(auto file, files->Next());
    return file.value_or(nullptr);
  };
}

}  // namespace frazil::scan
